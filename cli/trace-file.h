/** @file trace-file.h
 * Times as Chrome trace events, which Perfetto and chrome://tracing show. The format is Google's "Trace Event Format";
 * times are in microseconds. */
#ifndef TG_TRACE_FILE_H
#define TG_TRACE_FILE_H

#include "cli.h"

#include "json-writer.h"

/** Processes of a trace: what is predicted, and from here on what is measured. */
enum { TG_TRACE_PREDICTED = 1, TG_TRACE_MEASURED = 2 };

typedef struct TgTraceFile {
  TgJson *json;
  int process;    /**< of the events that follow */
  int64_t events; /**< slices so far */
} TgTraceFile;

/** Begins the document, with the members of `about` (names and values in turn, NULL-terminated; a NULL value is null).
 */
void tg_trace_begin(TgTraceFile *file, const char *const *about, size_t pairs);
/** Writes it to the file of --trace; unless --json, says how many events there are and what is left out (or NULL). */
TgExit tg_trace_end(TgCli *cli, TgTraceFile *file, const char *left_out);
void tg_trace_clear(TgTraceFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgTraceFile, tg_trace_clear)

/** Names the process ("process_name") or a track ("thread_name"). */
void tg_trace_name(TgTraceFile *file, const char *what, int64_t track, const char *name);

/** A number beside a slice's step. */
typedef struct TgTraceNumber {
  const char *name;
  double value;
} TgTraceNumber;

/** A slice of step `step`; none where it takes no time, or no more than rounding leaves. */
void tg_trace_slice(TgTraceFile *file, int64_t track, const char *name, const char *kind, double start_s, double end_s,
                    int64_t step, const TgTraceNumber *numbers, size_t count);
/** A counter's value from here on. */
void tg_trace_counter(TgTraceFile *file, const char *name, const char *unit, double at_s, int64_t value);

#endif

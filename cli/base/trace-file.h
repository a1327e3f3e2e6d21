/** @file trace-file.h
 * Times as Chrome trace events, which Perfetto and chrome://tracing show. The format is Google's "Trace Event Format";
 * times are in microseconds. */
#ifndef TG_TRACE_FILE_H
#define TG_TRACE_FILE_H

#include "cli.h"

#include "json-fields.h"

/** Processes of a trace: what is predicted, and from here on what is measured. */
enum { TG_TRACE_PREDICTED = 1, TG_TRACE_MEASURED = 2 };

typedef struct TgTraceFile {
  TgJson *json;
  int process;     /**< of the events that follow */
  int64_t events;  /**< so far, names of processes and tracks included */
  bool alone;      /**< nothing else is printed before the file is reported */
  double beyond_s; /**< a time that is too long for the file; 0 where there is none */
} TgTraceFile;

/** Begins the document, with the members of `about` (names and values in turn, NULL-terminated; a NULL value is null).
 */
void tg_trace_begin(TgTraceFile *file, const char *const *about, size_t pairs);
/** Writes it to the file of --trace; unless --json, reports how many events there are and what is left out (or NULL).
 * Refuses times beyond 2^63 ns. */
TgExit tg_trace_end(TgCli *cli, TgTraceFile *file, const char *left_out);
void tg_trace_clear(TgTraceFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgTraceFile, tg_trace_clear)

/** Names the process ("process_name") or a track ("thread_name"). */
void tg_trace_name(TgTraceFile *file, const char *what, int64_t track, const char *name);
/** Where the track lies among the others. */
void tg_trace_place(TgTraceFile *file, int64_t track, int64_t place);

/** An argument of an event: text, or where that is NULL a number. */
typedef struct TgTraceArgument {
  const char *name, *text;
  double number;
} TgTraceArgument;

typedef struct TgTraceSlice {
  int64_t track;
  const char *name, *kind;
  double start_s, end_s;
  const TgTraceArgument *argument;
  size_t arguments;
  bool always; /**< also where it takes no time, or no more than rounding leaves */
} TgTraceSlice;

/** A slice. Times are rounded to nanoseconds, the finest that Perfetto knows, so that slices which end together do so
 * there, too: it drops what is longer than the slice around it. */
void tg_trace_slice(TgTraceFile *file, const TgTraceSlice *slice);

/** An arrow from a slice to a slice. It leaves the slice of its track that began last by `start_s` in the order of the
 * file, and comes to such a one: write it after both. */
typedef struct TgTraceFlow {
  int64_t id; /**< a unique number, which Perfetto requires */
  const char *name, *kind;
  int64_t from, to; /**< tracks */
  double start_s, end_s;
  const TgTraceArgument *argument;
  size_t arguments;
} TgTraceFlow;

void tg_trace_flow(TgTraceFile *file, const TgTraceFlow *flow);
/** A counter's value from here on. */
void tg_trace_counter(TgTraceFile *file, const char *name, const char *unit, double at_s, int64_t value);

#endif

/** @file run-command.h
 * What `topogemm run` executes and measures, and how its parts hang together. */
#ifndef TG_RUN_COMMAND_H
#define TG_RUN_COMMAND_H

#include "environment.h"
#include "executors.h"
#include "input.h"
#include "trace-file.h"

#include "kernel.h"

#include "compare.h"

/** Who chose which of an executor's kernels runs. */
typedef enum TgVariantFrom {
  TG_VARIANT_CHOSEN, /**< the executor */
  TG_VARIANT_TUNED,  /**< `bench shapes` kept it as the fastest on this card */
  TG_VARIANT_GIVEN   /**< --variant */
} TgVariantFrom;

/** One ALGO with one transport. */
typedef struct TgRunEntry {
  TgAlgo algo;
  TgTransport transport;
  int32_t variant; /**< asked of the executor, as in TgExecutorOptions */
  TgVariantFrom variant_from;
  TgRunResult run;
} TgRunEntry;

typedef struct TgRunCommand {
  const char *command; /**< the subcommand, in errors */
  const TgExecutorKind *kind;
  TgExecutorOptions options; /**< of the first transport; each result has its own */
  TgTransport transports[TG_TRANSPORTS];
  int32_t transport_count;
  int64_t trials; /**< 0: as many as fit */
  int64_t warmup;
  bool cold;
  TgInput input;
  TgMatrix *c;
  TgEnvironment environment;
  const TgKernel *baseline;    /**< measured on the same matrices; NULL: none */
  TgMeasurement baseline_time; /**< where there is one */
  GPtrArray *results;          /**< TgRunEntry, in the order of the command line */
} TgRunCommand;

void tg_run_clear(TgRunCommand *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgRunCommand, tg_run_clear)

/** Reads the options that say how to run, but not what. */
TgExit tg_run_options(const TgCli *cli, const char *command, TgRunCommand *run);
/** Reads what is to run, binds it, and prepares the matrices: all that can be wrong without a device. */
TgExit tg_run_begin(const TgCli *cli, const char *command, TgRunCommand *run);
/** Opens the device, draws the matrices, and finds the variants. Where there is no device, a schedule that fails its
 * proof is reported as such, as its executor would have done. */
TgExit tg_run_open(TgCli *cli, TgRunCommand *run);
/** Reports the first wrong product, if there is one. */
TgExit tg_run_check(const TgCli *cli, const TgRunCommand *run);

/** Predicts one ALGO that is open, and does not run it: facts are in its result. */
bool tg_run_predict(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine, TgExpectedRun *expected,
                    GError **error);
/** Executes one ALGO that is open as tg_run_measure(), which reports what fails. */
bool tg_run_try(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine, TgComparison *comparison,
                GError **error);
/** Executes one ALGO that is open: checks the product, and times it. Where there is a machine, predicts it
 * before and compares; `comparison` is NULL where there is none. */
TgExit tg_run_measure(TgCli *cli, TgRunCommand *run, TgRunEntry *entry, const TgMachine *machine,
                      TgComparison *comparison);

/** "chosen", "tuned", "given". */
const char *tg_variant_from_name(TgVariantFrom from);

void tg_run_print(TgCli *cli, const TgRunCommand *run);
/** A line with the variants that ran, where there was a choice. */
void tg_run_print_variants(TgCli *cli, const TgRunCommand *run);
/** The document: of one ALGO, or `runs` of several. */
void tg_run_write(TgJson *json, const TgRunCommand *run);
/** Whether all products are right. */
bool tg_run_is_right(const TgRunCommand *run);
/** One of them. */
void tg_run_write_result(TgJson *json, const TgRunCommand *run, const TgRunEntry *result);
/** Its first `most` steps, as a process of their own. */
void tg_run_trace_result(TgTraceFile *file, const TgRunCommand *run, const TgRunEntry *result, int64_t most);
/** Of the programs that run a job together: the document's `clock_error_s` and `ranks`, … */
void tg_run_write_places(TgJson *json, const TgRunResult *run);
/** … the first `most` steps of each on a track of its own from `track` on, … */
void tg_run_trace_places(TgTraceFile *file, const TgRunResult *run, int64_t track, int64_t most);
/** … and a line for each host. */
void tg_run_print_places(TgCli *cli, const TgSchedule *schedule, const TgRunResult *run);
/** `--trace`: the measured steps. */
TgExit tg_run_trace(TgCli *cli, const TgRunCommand *run);
/** What a trace with the first `steps` steps leaves out, in words; NULL where it has all. Free with g_free(). */
char *tg_run_trace_left_out(const TgRunCommand *run, int64_t steps);

static inline const TgRunEntry *tg_run_entry(const TgRunCommand *run, guint r) {
  return run->results->pdata[r];
}

#endif

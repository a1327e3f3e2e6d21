/** @file run.h
 * What `topogemm run` executes and measures, and how its parts hang together. */
#ifndef TG_RUN_H
#define TG_RUN_H

#include "environment.h"
#include "executors.h"
#include "input.h"
#include "trace-file.h"

#include "kernel.h"

#include "measurement.h"
#include "result-check.h"

/** A step, medians over the trials; NaN for what costs nothing. See TgExecutorStep. */
typedef struct TgRunStep {
  const char *label;
  int64_t index, runs;
  double median_s; /**< a processor's time in the step, waiting included: of busy_s + waited_s */
  double busy_s, waited_s, begin_s, end_s;
  double share; /**< of the time of its run, the mean; with outside_share all of them add up to 1 */
} TgRunStep;

/** Who says which of an executor's kernels runs. */
typedef enum TgVariantFrom {
  TG_VARIANT_CHOSEN, /**< the executor */
  TG_VARIANT_TUNED,  /**< `bench shapes` kept it as the fastest on this card */
  TG_VARIANT_GIVEN   /**< --variant */
} TgVariantFrom;

/** One ALGO with one transport. */
typedef struct TgRunResult {
  TgProblem problem;
  TgTransport transport;
  int32_t variant; /**< asked of the executor, as in TgExecutorOptions */
  TgVariantFrom variant_from;
  TgExecutorFacts facts;
  char *kernel; /**< of the facts */
  TgMeasurement time;
  double load_s, gather_s; /**< A and B to where they are multiplied, C back */
  TgRunStep *steps;        /**< NULL where there are no times */
  int64_t step_trials;     /**< that the steps' medians are of: all, or the first ones */
  double steps_share;      /**< of all steps together in the time of their run, the median */
  double steps_s;   /**< of all steps together, the median; no sum of theirs, since runs are slow in different steps */
  double outside_s; /**< of a run outside of its steps, the median */
  double outside_share; /**< likewise in the time of the run, the mean */
  TgResultCheck check;
} TgRunResult;

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
  GPtrArray *results;          /**< TgRunResult, in the order of the command line */
} TgRunCommand;

void tg_run_clear(TgRunCommand *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgRunCommand, tg_run_clear)

/** Reads what is to run, binds it, and prepares the matrices: all that can be wrong without a device. */
TgExit tg_run_begin(const TgCli *cli, const char *command, TgRunCommand *run);
/** Opens the device, draws the matrices, and finds the variants. Where there is no device, a schedule that fails its
 * proof is said to fail it, as its executor would have done. */
TgExit tg_run_open(const TgCli *cli, TgRunCommand *run);
/** Proves one ALGO as its executor does; a proof that failed is said with its place. */
TgExit tg_run_prove(const TgCli *cli, const TgRunCommand *run, const TgRunResult *result);
/** The error of an executor; a proof that failed is said with its place. Frees it. */
TgExit tg_run_report(const TgCli *cli, const TgRunCommand *run, const TgRunResult *result, GError *error);
/** Reports the first wrong product, if there is one. */
TgExit tg_run_check(const TgCli *cli, const TgRunCommand *run);

/** Executes one ALGO, whose problem is open: checks the product, and times it. */
TgExit tg_run_measure(TgCli *cli, TgRunCommand *run, TgRunResult *result);

/** Reads --variant; 0 where it is not given. */
TgExit tg_variant_option(const TgCli *cli, int32_t *variant);
/** Finds the variant of an ALGO whose problem is open: that of --variant, or what is kept. */
TgExit tg_run_variant(const TgCli *cli, const TgRunCommand *run, TgRunResult *result);
/** "chosen", "tuned", "given". */
const char *tg_variant_from_name(TgVariantFrom from);
/** The options of one ALGO. */
TgExecutorOptions tg_run_options(const TgRunCommand *run, const TgRunResult *result);
/** Opens the executor of one ALGO; `line` tells of its proof, and of whatever is begun on it later, so that it is to
 * outlive the executor. */
TgExecutor *tg_run_executor(TgCli *cli, const TgRunCommand *run, const TgRunResult *result, TgProgressLine *line,
                            GError **error);

/** Reads --baseline: a kernel of the ladder, for executors on a GPU. */
TgExit tg_run_baseline_option(const TgCli *cli, TgRunCommand *run);
/** Refuses it where the schedules, which are bound, compute no product. */
TgExit tg_run_baseline_check(const TgCli *cli, const TgRunCommand *run);
/** Measures that kernel, where there is one, on the matrices of the run; as often as the runs. */
TgExit tg_run_baseline(const TgCli *cli, TgRunCommand *run);

/** Rate of the products in the median, operations in a second; NaN where there are none. */
double tg_run_flops_per_s(const TgRunCommand *run, const TgRunResult *result);

void tg_run_print(TgCli *cli, const TgRunCommand *run);
/** A line with the variants that ran, where there was a choice. */
void tg_run_print_variants(TgCli *cli, const TgRunCommand *run);
/** The document: of one ALGO, or `runs` of several. */
void tg_run_write(TgJson *json, const TgRunCommand *run);
/** One of them. */
void tg_run_write_result(TgJson *json, const TgRunCommand *run, const TgRunResult *result);
/** Its first `most` steps, as a process of their own. */
void tg_run_trace_result(TgTraceFile *file, const TgRunCommand *run, const TgRunResult *result, int64_t most);
/** `--trace`: the measured steps. */
TgExit tg_run_trace(TgCli *cli, const TgRunCommand *run);
/** What a trace with the first `steps` steps leaves out, in words; NULL where it has all. Free with g_free(). */
char *tg_run_trace_left_out(const TgRunCommand *run, int64_t steps);

static inline const TgRunResult *tg_run_result(const TgRunCommand *run, guint r) {
  return run->results->pdata[r];
}

#endif

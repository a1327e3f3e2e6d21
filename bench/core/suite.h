/** @file suite.h
 * Several methods on the same matrices: how the experiments of papers measure. */
#ifndef TG_SUITE_H
#define TG_SUITE_H

#include "experiment.h"
#include "kernel.h"
#include "operands.h"
#include "trial.h"

TG_BEGIN_DECLS

/** One way to compute C: exactly one of `historic`, `kernel`, `device` and `cpu` is set. */
typedef struct TgMethod {
  const char *name;     /**< as results and `--kernels` call it */
  const char *historic; /**< a kernel of the papers, with … */
  int32_t width, split; /**< … its width and split; 0: the paper's */
  const char *kernel;   /**< a kernel of the ladder */
  /** Starts something else on the device. */
  bool (*device)(const TgOperands *operands, TgError *error);
  /** Fills C on the host from A and B there. */
  void (*cpu)(const TgOperands *operands);
  int64_t least, most; /**< n that it is measured at; 0: any */
  int32_t repeats;     /**< of what is moved, within one launch; 0: 1. Times are of one repetition */
} TgMethod;

/** An experiment while it is measured. */
typedef struct TgSuite {
  const TgBenchOptions *options;
  TgResults *results;
  bool on_device;
  TgNumber number;      /**< of the command line, else f32 */
  GArray *sizes;        /**< int64_t: those of the command line, or the plan's */
  TgBenchLimits limits; /**< of a kernel's trials, caches as they are */
  bool kernel_only;     /**< neither calls by the host's clock nor cold launches */
  bool same_split;      /**< a method's time is predicted from rows of the same split first */
  double hopeless;      /**< what takes so many times as long as the best so far at its size is left out; 0: nothing */
  double short_s;       /**< what takes less is never left out for that */
  const TgMethod *methods;
  size_t method_count;
  int64_t done, total;          /**< measurements, for the progress */
  const TgHistoricPaper *paper; /**< whose figures are added to the rows; may be NULL */
} TgSuite;

/** Seconds of a kernel: what takes longer is not measured cold and by the host's clock, too, because caches filled
 * anew, or a launch, are less than a thousandth of it. */
#define TG_SUITE_LONG_S 0.1

/** What an experiment measures where the command line does not ask for something else. */
typedef struct TgSuitePlan {
  const char *experiment;
  TgNumber other;       /**< that it takes besides f32; TG_NUMBER_F32: none */
  const int64_t *sizes; /**< n, ascending … */
  size_t size_count;
  int64_t quick_most;  /**< … up to this one with `--quick` … */
  int64_t usual_least; /**< … and from this one on without it */
  double budget_s;     /**< of trials, a method and size */
} TgSuitePlan;

/** Checks type and `--kernels`, opens the device unless only the CPU is wanted, and sets number and sizes. Ended by
 * tg_suite_finish(). Errors: TG_BENCH_ERROR; without a device MISSING. */
bool tg_suite_begin(TgSuite *suite, const TgSuitePlan *plan, const TgBenchOptions *options, const TgMethod *methods,
                    size_t method_count, GError **error);
/** The sizes of the command line, or the plan's: int64_t. Free with g_array_unref(). */
GArray *tg_suite_sizes(const TgBenchOptions *options, const TgSuitePlan *plan);
/** The type of the command line, f32 where it has none. Errors: USAGE, where it is neither that nor `other`. */
bool tg_suite_number(const TgBenchOptions *options, TgNumber other, TgNumber *number, GError **error);
/** Opens the device, unless only the CPU is wanted, for results without rows. NULL with MISSING where there is none. */
TgResults *tg_suite_results(const char *experiment, const TgBenchOptions *options, GError **error);
/** Trials by the budget of the command line, or these; neither `most` nor longest_s is set. */
TgBenchLimits tg_suite_limits(const TgBenchOptions *options, double budget_s, double quick_budget_s);
/** What one trial may take: `usual_s`, or 40 times the budget that was asked for where that is less, but a second. */
double tg_suite_longest_s(const TgBenchOptions *options, double usual_s);

/** A problem of the suite, for tg_suite_measure(). */
typedef struct TgSuiteSize {
  TgHistoricKind kind;
  TgNumber number;
  int64_t m, n, k;
} TgSuiteSize;

/** Measures all methods that take this size and type, each checked first on a poisoned C, and adds a row each. What is
 * expected to take too long by the rows before is left out in words; a wrong result is no error here. */
bool tg_suite_measure(TgSuite *suite, const TgSuiteSize *size, GError **error);
/** The same at m = n = k of all sizes and in the number of the suite, until one fails. */
bool tg_suite_measure_squares(TgSuite *suite, TgHistoricKind kind, GError **error);

/** Methods for a paper's kernels, those without a width or with few sizes at all widths, the others at the paper's:
 * TgMethod. Free with g_array_unref(). */
GArray *tg_suite_paper_methods(const TgHistoricPaper *paper);
/** What the paper's tables have of a row; NULL: nothing. */
const TgHistoricFigure *tg_suite_paper_figure(const TgHistoricPaper *paper, const TgResult *row);
/** Adds these figures to the row. */
void tg_suite_paper_figures(const TgHistoricPaper *paper, TgResult *row);

/** Ends the measuring: the clock is read again; a note lists what was not run. The results are the caller's. NULL,
 * and the results are freed, where not all was measured. */
TgResults *tg_suite_finish(TgSuite *suite, bool measured);

TG_END_DECLS

#endif

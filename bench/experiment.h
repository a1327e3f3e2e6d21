/** @file experiment.h
 * The experiments of `topogemm bench`: what each measures, prints, writes and plots. A new one is a file, or a few, and
 * a row in experiment.c. */
#ifndef TG_EXPERIMENT_H
#define TG_EXPERIMENT_H

#include "gnuplot.h"
#include "page.h"
#include "results.h"

TG_BEGIN_DECLS

/** Seconds that the trials asked for may take, a method and size, beyond a budget. */
#define TG_BENCH_WANTED_S 20

/** The options of the command line; zeros where there is none. */
typedef struct TgBenchOptions {
  bool quick;    /**< few sizes, short budgets: whether all of it works, not how fast it is */
  bool cold;     /**< the second-level cache empty before each launch (ladder) */
  bool cpu_only; /**< what needs no GPU */
  bool no_cache; /**< results of earlier runs are neither read nor kept */
  const char *type;
  const int64_t *sizes; /**< each once: rows are found by them */
  size_t size_count;    /**< 0: the experiment's own */
  char **kernels;       /**< NULL-terminated; NULL: all */
  uint64_t seed;
  double budget_s; /**< of trials, a method and size; 0: the experiment's own */
  int32_t trials;  /**< that are wanted at least, or as many of them as fit TG_BENCH_WANTED_S; 0: none */
  /** Called before each measurement; NULL: no progress is reported. */
  void (*progress)(void *data, int64_t done, int64_t total);
  void *progress_data;
} TgBenchOptions;

typedef struct TgExperiment {
  const char *name;
  const char *summary; /**< one line */
  const char *details; /**< for the help text: what is measured, and how */
  const char *paper;   /**< author and title; NULL: no paper's */
  const char *format;  /**< of its document; NULL: "bench", which begins with the rows and notes of the results */
  bool takes_cpu_only;
  /** All figures, free with tg_results_free(); NULL with a TG_BENCH_ERROR. Wrong products are no error here. */
  TgResults *(*measure)(const TgBenchOptions *options, GError **error);
  void (*print)(const TgResults *results, TgPage *page);
  /** Writes the members of its document that others do not have; NULL: there are none. */
  void (*write)(TgJson *json, const TgResults *results);
  TgPlotMaker *plot; /**< of TgResults; NULL: there is none */
  /** What tg_experiment_right() asks besides the rows; NULL: nothing. */
  bool (*right)(const TgResults *results, GError **error);
} TgExperiment;

/** The rows of the table. */
extern const TgExperiment tg_experiment_ladder, tg_experiment_shapes;
extern const TgExperiment tg_experiment_oneil, tg_experiment_division, tg_experiment_essay, tg_experiment_transpose,
    tg_experiment_mmt, tg_experiment_dobravec, tg_experiment_host_anomaly;

const TgExperiment *const *tg_experiment_list(size_t *count);
/** The experiment of this name; NULL where there is none. */
const TgExperiment *tg_experiment_find(const char *name);
/** Whether the experiments of papers are in this build. */
bool tg_experiment_papers(void);

/** False, with TG_BENCH_ERROR_WRONG, where a result is wrong. */
bool tg_experiment_right(const TgExperiment *experiment, const TgResults *results, GError **error);
/** The document of what was measured. Free with tg_json_free(). */
TgJson *tg_experiment_document(const TgExperiment *experiment, const TgResults *results);

/** The bytes of a file of the experiment: a plot where the suffix of `path` is that of one, else the document. Free
 * with g_free(). Errors: TG_BENCH_ERROR, those of tg_plot_make(). */
bool tg_experiment_file(const TgExperiment *experiment, const TgResults *results, const char *path, char **bytes,
                        gsize *length, GError **error);
/** Whether tg_experiment_file() can write there, before anything is measured. */
bool tg_experiment_file_check(const TgExperiment *experiment, const char *path, GError **error);

TG_END_DECLS

#endif

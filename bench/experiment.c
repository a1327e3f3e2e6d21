/* The table of experiments. */
#include "experiment.h"

#include <string.h>

static const TgExperiment *const experiments[] = {
    &tg_experiment_ladder,
#ifndef TG_WITHOUT_PAPERS
    &tg_experiment_oneil,  &tg_experiment_division, &tg_experiment_essay,        &tg_experiment_transpose,
    &tg_experiment_mmt,    &tg_experiment_dobravec, &tg_experiment_host_anomaly,
#endif
    &tg_experiment_shapes};

const TgExperiment *const *tg_experiment_list(size_t *count) {
  *count = G_N_ELEMENTS(experiments);
  return experiments;
}

const TgExperiment *tg_experiment_find(const char *name) {
  for (size_t e = 0; e < G_N_ELEMENTS(experiments); e++)
    if (strcmp(experiments[e]->name, name) == 0) return experiments[e];
  return NULL;
}

bool tg_experiment_papers(void) {
#ifdef TG_WITHOUT_PAPERS
  return false;
#else
  return true;
#endif
}

bool tg_experiment_file_check(const TgExperiment *experiment, const char *path, GError **error) {
  const TgPlotFormat *format = tg_plot_format(path);
  if (!format && !g_str_has_suffix(path, ".json"))
    return TG_BENCH_FAIL(error, USAGE,
                         "-o %s: unknown suffix; expected .json for the figures, or .svg, .png, .pdf or .gp for a plot",
                         path);
  if (!format || (experiment->plot && tg_plot_possible(format))) return true;
  if (!experiment->plot)
    return TG_BENCH_FAIL(error, USAGE, "-o %s: bench %s has no plot; -o FILE.json writes its figures", path,
                         experiment->name);
  return TG_BENCH_FAIL(error, MISSING,
                       "-o %s: gnuplot is not installed: install the package gnuplot-nox (Debian, Ubuntu) or gnuplot, "
                       "or write FILE.gp or FILE.json, which do not need it",
                       path);
}

bool tg_experiment_right(const TgExperiment *experiment, const TgResults *results, GError **error) {
  return (!experiment->right || experiment->right(results, error)) && tg_results_right(results, error);
}

TgJson *tg_experiment_document(const TgExperiment *experiment, const TgResults *results) {
  TgJson *json = tg_json_new();
  tg_json_begin_document(json, experiment->format ? experiment->format : "bench");
  tg_json_member_string(json, "experiment", results->experiment);
  tg_json_member_bool(json, "ok", tg_experiment_right(experiment, results, NULL));
  tg_json_member_integer(json, "seed", (int64_t)results->seed);
  tg_environment_write(json, &results->environment);
  if (!experiment->format) tg_results_write(json, results);
  if (experiment->write) experiment->write(json, results);
  tg_json_end_object(json);
  return json;
}

bool tg_experiment_file(const TgExperiment *experiment, const TgResults *results, const char *path, char **bytes,
                        gsize *length, GError **error) {
  const TgPlotFormat *format = tg_plot_format(path);
  if (!tg_experiment_file_check(experiment, path, error)) return false;
  if (format) return tg_plot_make(format, experiment->plot, results, bytes, length, error);
  g_autoptr(TgJson) json = tg_experiment_document(experiment, results);
  *bytes = g_strdup(tg_json_text(json, length));
  return true;
}

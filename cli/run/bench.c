/* topogemm bench: experiments on this machine. */
#include "output-files.h"
#include "output.h"
#include "algo.h"
#include "progress.h"

#include "atomic-file.h"
#include "blas.h"
#include "experiment.h"

#include <math.h>

enum { MOST_TRIALS = 1000000 };

/* --- what the command line says ----------------------------------------------------------------------------------- */

/* Rows are found by their size, so one that is given twice is measured once. */
static void add_once(GArray *sizes, int64_t size) {
  for (guint s = 0; s < sizes->len; s++)
    if (g_array_index(sizes, int64_t, s) == size) return;
  g_array_append_val(sizes, size);
}

static TgExit read_sizes(const TgCli *cli, GArray *sizes) {
  g_auto(GStrv) words = g_strsplit(cli->options.sizes ? cli->options.sizes : "", ",", -1);
  if (cli->options.sizes && !*words)
    return tg_report(cli, TG_EXIT_USAGE, "--sizes: expected numbers, as in --sizes 512,1024");
  for (char **word = words; *word; word++) {
    int64_t size;
    TgExit status = tg_number_parse(cli, "--sizes", *word, 1, 65536, &size);
    if (status) return status;
    add_once(sizes, size);
  }
  return TG_EXIT_DONE;
}

static TgExit read_budget(const TgCli *cli, double *budget_s) {
  const char *text = cli->options.budget;
  if (!text || (tg_real_read(text, budget_s) && *budget_s > 0)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--budget %s: expected a number of seconds, as in --budget 5", text);
}

static TgExit read_trials(const TgCli *cli, int32_t *trials) {
  int64_t wanted = 0;
  const TgExit status = tg_number_parse(cli, "--trials", cli->options.trials, 1, MOST_TRIALS, &wanted);
  *trials = (int32_t)wanted;
  return status;
}

static TgExit read_options(const TgCli *cli, const TgExperiment *experiment, GArray *sizes, TgBenchOptions *options) {
  TgExit status = read_sizes(cli, sizes);
  if (!status) status = read_budget(cli, &options->budget_s);
  if (!status) status = read_trials(cli, &options->trials);
  if (!status) status = tg_seed_option(cli, &options->seed);
  if (!status && cli->options.cpu_only && !experiment->takes_cpu_only)
    return tg_report(cli, TG_EXIT_USAGE, "--cpu-only: every part of bench %s needs a GPU", experiment->name);
  if (!status && cli->options.cpu_only && cli->options.cold)
    return tg_report(cli, TG_EXIT_USAGE, "--cold empties the cache of a GPU, but --cpu-only uses none");
  if (!status && cli->options.kernels && !*cli->options.kernels)
    return tg_report(cli, TG_EXIT_USAGE, "--kernels: expected the name of a kernel");
  options->quick = cli->options.quick;
  options->cold = cli->options.cold;
  options->cpu_only = cli->options.cpu_only;
  options->no_cache = cli->options.no_cache;
  options->type = cli->options.type;
  options->sizes = (const int64_t *)(void *)sizes->data;
  options->size_count = sizes->len;
  return status;
}

/* --- what comes out ----------------------------------------------------------------------------------------------- */

static void print_page(TgCli *cli, const TgPage *page) {
  guint count;
  const TgPagePart *parts = tg_page_parts(page, &count);
  for (guint p = 0; p < count; p++) {
    if (parts[p].text) tg_print(cli, "%s", parts[p].text);
    if (parts[p].table) tg_table_print(cli, parts[p].table, parts[p].indent, true);
  }
}

static bool write_file(const TgExperiment *experiment, const TgResults *results, const char *path, GError **error) {
  g_autofree char *bytes = NULL;
  gsize length;
  return tg_experiment_file(experiment, results, path, &bytes, &length, error) &&
         tg_atomic_file_write(path, bytes, length, error);
}

static TgExit report(TgCli *cli, const TgExperiment *experiment, const TgResults *results) {
  GError *error = NULL;
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_experiment_document(experiment, results);
    tg_print_json(cli, json);
  } else {
    g_autoptr(TgPage) page = tg_page_new();
    experiment->print(results, page);
    print_page(cli, page);
  }
  if (cli->options.output && !write_file(experiment, results, cli->options.output, &error))
    return tg_report_error(cli, error);
  return tg_experiment_right(experiment, results, &error) ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit run_experiment(TgCli *cli, const TgExperiment *experiment) {
  g_autoptr(GArray) sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  g_auto(GStrv) kernels = cli->options.kernels ? g_strsplit(cli->options.kernels, ",", -1) : NULL;
  TgProgressLine line;
  TgBenchOptions options = {.kernels = kernels, .progress = tg_progress_of, .progress_data = &line};
  GError *error = NULL;
  TgExit status = read_options(cli, experiment, sizes, &options);
  if (status) return status;
  if (cli->options.output && !tg_experiment_file_check(experiment, cli->options.output, &error))
    return tg_report_error(cli, error);
  if ((status = tg_output_files_check(cli))) return status;
  if (!tg_blas_load(&error)) return tg_report_error(cli, error); /* results are compared with its products */
  tg_progress_begin(&line, cli, experiment->name, 1);
  g_autoptr(TgResults) results = experiment->measure(&options, &error);
  tg_progress_end(cli);
  return results ? report(cli, experiment, results) : tg_report_error(cli, error);
}

static TgExit run(TgCli *cli) {
  const char *name = cli->options.arguments[0];
  const TgExperiment *experiment = tg_experiment_find(name);
  if (experiment) return run_experiment(cli, experiment);
  size_t count;
  const TgExperiment *const *all = tg_experiment_list(&count);
  g_autoptr(GString) known = g_string_new(NULL);
  for (size_t e = 0; e < count; e++) g_string_append_printf(known, "%s%s", e ? ", " : "", all[e]->name);
  if (!tg_experiment_papers())
    return tg_report(
        cli, TG_EXIT_MISSING,
        "bench %s: no such experiment in this build, which lacks those of papers (-Dpapers=false); expected one of: %s",
        name, known->str);
  return tg_report(cli, TG_EXIT_USAGE, "bench %s: no such experiment; expected one of: %s", name, known->str);
}

/* The help's list of experiments is that of the table. */
static void print_details(TgCli *cli) {
  size_t count;
  const TgExperiment *const *all = tg_experiment_list(&count);
  tg_print(cli, "\nExperiments\n");
  for (size_t e = 0; e < count; e++) {
    tg_print(cli, "  %-12s  ", all[e]->name);
    tg_print_wrapped(cli, all[e]->details, 16, 16);
  }
}

static char *words(void) {
  GString *names = g_string_new(NULL);
  size_t count;
  const TgExperiment *const *all = tg_experiment_list(&count);
  for (size_t e = 0; e < count; e++) g_string_append_printf(names, "%s%s", e ? " " : "", all[e]->name);
  return g_string_free(names, FALSE);
}

static const char *const options[] = {"sizes", "type:bench", "kernels",  "budget",   "trials:bench", "quick", "cold",
                                      "seed",  "json",       "cpu-only", "no-cache", "output",       NULL};
static const TgExample examples[] = {
    {"bench ladder", "all kernels at n = 1024 to 8192"},
    {"bench ladder --sizes 2048,4096 --kernels bulk,cublas --json -o ladder.json", "two kernels, as JSON"},
    {"bench oneil --sizes 8,16 -o oneil.json", "the two tables of a paper next to our figures"},
    {"bench essay -o essay.svg", "a plot of each comparison in an essay"},
    {"bench transpose --cpu-only", "only what needs no GPU"},
    {"bench host-anomaly -o host-anomaly.svg", "why some sizes are slow on this processor"},
    {NULL, NULL},
};

const TgCommand tg_command_bench = {
    .name = "bench",
    .arguments = "EXPERIMENT",
    .summary = "benchmark this machine: the ladder of kernels and the experiments of papers",
    .details = "Times are medians of single launches after warm-up, on random matrices, measured by the GPU's own "
               "clock without transfers. Every result is checked; if one is wrong, the exit status is 3. --cold "
               "empties the L2 cache before each launch. The GPU's clock rate is read before and after.",
    .more = print_details,
    .words = words,
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

/* bench host-anomaly: the times. */
#include "host-anomaly.h"

#include <inttypes.h>
#include <math.h>

#include "counter-random.h"
#include "host-programs.h"
#include "host-pages.h"
#include "product-error.h"
#include "results-print.h"
#include "trial.h"

/* --- a page ------------------------------------------------------------------------------------------------------- */

static const char *const series_names[TG_ANOMALY_SERIES] = {"sizes", "padded", "huge-pages", "rows", "few-rows"};

static void add_times(TgTable *table, const TgAnomaly *anomaly, TgAnomalySeries series, int64_t n) {
  const TgAnomalyRun *run = tg_anomaly_find(anomaly, series, n);
  tg_page_number(table, "%.2f", run ? run->step_s * 1e9 : NAN);
  tg_page_number(table, "%.2f", run ? tg_anomaly_against(anomaly, run) : NAN);
}

/* A time is comparable with the paper's only where all rows are computed. */
static void print_quick(const TgAnomaly *anomaly, TgPage *page) {
  int64_t computed = 0;
  for (guint r = 0; r < anomaly->runs->len; r++) computed = MAX(computed, tg_anomaly_run(anomaly, r)->computed);
  tg_page_paragraph(page, 2, "--quick: at most %" PRId64 " rows of C are computed, and the times are for those rows.",
                    computed);
}

static void print_sizes(const TgAnomaly *anomaly, TgPage *page) {
  static const char *const heads[] = {"n",         "paper, ms",      "its steps, ns", "to others",
                                      "here, ms",  "steps, ns",      "to others",     "padded, ns",
                                      "to others", "huge pages, ns", "to others"};
  TgTable *table = tg_page_table(page, "rrrrrrrrrrr", 2, heads);
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    const double n = (double)run->n;
    if (run->series != TG_ANOMALY_SIZES) continue;
    tg_table_add(table, "%" G_GINT64_FORMAT, run->n);
    tg_page_number(table, "%.0f", run->paper_s * 1e3);
    tg_page_number(table, "%.2f", run->paper_s / (n * n * n) * 1e9);
    tg_page_number(table, "%.2f", tg_anomaly_paper_against(anomaly, run));
    tg_page_number(table, "%.0f", *run->left_out ? NAN : run->time.median_s * 1e3);
    add_times(table, anomaly, TG_ANOMALY_SIZES, run->n);
    add_times(table, anomaly, TG_ANOMALY_PADDED, run->n);
    add_times(table, anomaly, TG_ANOMALY_HUGE, run->n);
  }
}

static void add_walk(TgTable *table, const TgCacheWalk *walk) {
  tg_table_add(table, "%" G_GINT64_FORMAT " x %" G_GINT64_FORMAT, walk->sets, walk->fullest);
  tg_table_add(table, "%.0f %%", 100 * (double)walk->overfull / (double)MAX(walk->lines, 1));
}

/* A row a run; the walk is told for the first two levels, the third is shared with whatever else runs. */
static void print_walks(const TgAnomaly *anomaly, TgPage *page) {
  static const char *const heads[] = {
      "series", "n", "row", "steps, ns", "spread", "L1: sets x lines", "overfull", "L2: sets x lines", "overfull"};
  TgTable *table = tg_page_table(page, "lrrrrrrrr", 2, heads);
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    const double steps = (double)run->computed * (double)run->n * (double)run->n;
    tg_table_add(table, "%s", series_names[run->series]);
    tg_table_add(table, "%" G_GINT64_FORMAT, run->n);
    tg_table_add(table, "%" G_GINT64_FORMAT, run->row);
    tg_page_number(table, "%.2f", *run->left_out ? NAN : run->step_s * 1e9);
    tg_page_number(table, "%.2f", *run->left_out ? NAN : run->time.stddev_s / steps * 1e9);
    for (int c = 0; c < 2; c++) add_walk(table, &run->walk[c]);
  }
}

static void print_caches(const TgAnomaly *anomaly, TgPage *page) {
  for (int c = 0; c < anomaly->caches; c++) {
    const TgCache *cache = &anomaly->cache[c];
    tg_page_add(page,
                "  L%d: %" G_GINT64_FORMAT " sets of %d lines of %" G_GINT64_FORMAT " bytes, %" G_GINT64_FORMAT " KB\n",
                cache->level, cache->sets, cache->ways, cache->line_bytes,
                cache->sets * cache->ways * cache->line_bytes / 1024);
  }
  if (anomaly->caches < 2) tg_page_add(page, "  the system does not report its caches\n");
}

static void print_left_out(const TgAnomaly *anomaly, TgPage *page) {
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (*run->left_out)
      tg_page_paragraph(page, 2, "%s, n = %" G_GINT64_FORMAT ": %s", series_names[run->series], run->n, run->left_out);
  }
}

/* The first runs may have been left out. */
static void print_where(const TgResults *results, const TgAnomaly *anomaly, TgPage *page) {
  g_autofree char *host = tg_environment_host(&results->environment);
  int32_t trials = 0;
  for (guint r = 0; r < anomaly->runs->len; r++) trials = MAX(trials, tg_anomaly_run(anomaly, r)->time.trials);
  tg_page_add(page, "%s; one thread on processor %d; ", host, anomaly->processor);
  if (trials)
    tg_page_add(page, "medians of %d trials, interleaved over all runs\n", trials);
  else
    tg_page_add(page, "nothing was measured\n");
}

static void print(const TgResults *results, TgPage *page) {
  const TgAnomaly *anomaly = results->own;
  print_where(results, anomaly, page);
  print_caches(anomaly, page);
  tg_page_add(page, "\nMatrices of n x n, f32, sums in f64\n");
  print_sizes(anomaly, page);
  if (results->quick) print_quick(anomaly, page);
  tg_page_paragraph(
      page, 2,
      "steps: time of a multiply-add. to others: relative to the median of the neighbouring sizes. padded: rows one "
      "cache line longer than n. huge pages: rows without gaps, every matrix on pages of 2 MB.");
  tg_page_add(page, "\nDown a column of B: one element of each row\n");
  print_walks(anomaly, page);
  tg_page_paragraph(page, 2,
                    "row: elements from one row to the next. sets x lines: sets that the lines of a column map to, and "
                    "lines in the fullest set. overfull: lines in sets that cannot hold all of theirs; with "
                    "least-recently-used replacement, none of these is left when the next column needs it.");
  print_left_out(anomaly, page);
}

/* --- a document --------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(cache_fields, TG_FIELD(TgCache, level), TG_FIELD(TgCache, sets), TG_FIELD(TgCache, ways),
               TG_FIELD(TgCache, line_bytes));
TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgAnomalyRun, faults, "page_faults"),
               TG_FIELD_AS(TgAnomalyRun, error, "relative_error"), TG_FIELD_AS(TgAnomalyRun, limit, "tolerance"),
               TG_FIELD_AS(TgAnomalyRun, right, "ok"));
TG_FIELD_TABLE(walk_fields, TG_FIELD(TgCacheWalk, lines), TG_FIELD(TgCacheWalk, sets),
               TG_FIELD_AS(TgCacheWalk, fullest, "fullest_set_lines"),
               TG_FIELD_AS(TgCacheWalk, overfull, "overfull_lines"));

static void write_walks(TgJson *json, const TgAnomaly *anomaly, const TgAnomalyRun *run) {
  tg_json_member_array(json, "column", TG_JSON_ROW);
  for (int c = 0; c < anomaly->caches; c++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_integer(json, "level", anomaly->cache[c].level);
    tg_json_members(json, walk_fields, &run->walk[c]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_figures(TgJson *json, const TgAnomaly *anomaly, const TgAnomalyRun *run) {
  tg_results_write_measured(json, &run->time);
  tg_json_member_double(json, "step_s", run->step_s);
  tg_json_member_double(json, "to_neighbours", tg_anomaly_against(anomaly, run));
  tg_json_members(json, check_fields, run);
}

static void write_run(TgJson *json, const TgAnomaly *anomaly, const TgAnomalyRun *run) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "series", series_names[run->series]);
  tg_json_member_integer(json, "n", run->n);
  tg_json_member_integer(json, "row_elements", run->row);
  tg_json_member_integer(json, "rows_computed", run->computed);
  if (run->repeats > 1) tg_json_member_integer(json, "repeats", run->repeats);
  write_walks(json, anomaly, run);
  if (*run->left_out)
    tg_json_member_string(json, "left_out", run->left_out);
  else
    write_figures(json, anomaly, run);
  if (!isnan(run->paper_s)) {
    tg_json_member_double(json, "paper_time_s", run->paper_s);
    tg_json_member_double(json, "paper_to_neighbours", tg_anomaly_paper_against(anomaly, run));
  }
  tg_json_end_object(json);
}

static void write_members(TgJson *json, const TgResults *results) {
  const TgAnomaly *anomaly = results->own;
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_member_integer(json, "core", anomaly->processor);
  tg_json_member_rows(json, "caches", cache_fields, anomaly->cache, (size_t)anomaly->caches, sizeof *anomaly->cache);
  tg_json_member_array(json, "results", TG_JSON_LINES);
  for (guint r = 0; r < anomaly->runs->len; r++) write_run(json, anomaly, tg_anomaly_run(anomaly, r));
  tg_json_end_array(json);
}

static const char *const curves[TG_ANOMALY_SERIES] = {"rows of n elements", "rows of n + 16",
                                                      "rows of n, pages of 2 MB"};

static void add_sizes(const TgAnomaly *anomaly, TgChart *chart, const char *title, int64_t low, int64_t high) {
  TgPanel *panel = tg_chart_panel(chart, title, "rows of the matrices, n", "a multiply-add, times the others' median");
  tg_panel_linear(panel);
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (run->series >= TG_ANOMALY_ROWS || run->n < low || run->n > high) continue;
    tg_panel_point(panel, curves[run->series], (double)run->n, tg_anomaly_against(anomaly, run));
    tg_panel_point(panel, "the paper, 2017", (double)run->n, tg_anomaly_paper_against(anomaly, run));
  }
}

/* Against the sets of the first level that a column meets: one, two, four … */
static void add_lengths(const TgAnomaly *anomaly, TgChart *chart) {
  TgPanel *panel = tg_chart_panel(chart, "rows of 1024 to 2064 elements, pages of 2 MB",
                                  "sets of L1 that a column meets", "a multiply-add, s");
  for (int64_t sets = 1; anomaly->caches > 0 && sets <= anomaly->cache[0].sets; sets++)
    for (guint r = 0; r < anomaly->runs->len; r++) {
      const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
      g_autofree char *name = g_strdup_printf("%d rows", (int)run->n);
      if (run->series >= TG_ANOMALY_ROWS && run->walk[0].sets == sets)
        tg_panel_point(panel, name, (double)sets, run->step_s);
    }
}

static char *plot(const void *measured, const TgPlotFormat *format) {
  const TgAnomaly *anomaly = ((const TgResults *)measured)->own;
  g_autoptr(TgChart) chart = tg_results_chart(measured, "A product on the processor, and the sets of its caches");
  add_sizes(anomaly, chart, "16n, n = 62 to 66", 0, 1279);
  add_sizes(anomaly, chart, "16n, n = 94 to 98", 1280, INT64_MAX);
  add_lengths(anomaly, chart);
  return tg_chart_script(chart, format);
}

/* --- what is measured --------------------------------------------------------------------------------------------- */

enum { LINE = 16 /* elements of f32 in a cache line */, TRIALS = 7, QUICK_TRIALS = 3, QUICK_ROWS = 16, CHECKS = 2 };
enum { ROWS_N = 1024, FEW_N = 112, FEW_REPEATS = 200, NEIGHBOUR = 64 /* rows, at most */ };

/* Sizes 16n for n = 62 to 66 and 94 to 98, section 3.2, and the milliseconds printed there. */
static const struct {
  int64_t n;
  double paper_s;
} sizes[] = {{992, 5.522},   {1008, 5.792},  {1024, 27.893}, {1040, 6.277},  {1056, 6.882},
             {1504, 20.401}, {1520, 20.707}, {1536, 37.020}, {1552, 22.175}, {1568, 23.383}};

/* From all lines in one set to lines spread evenly: multiples of a line, odd and even, and powers of two. */
static const int64_t rows[] = {1024, 1040, 1056, 1088, 1152, 1280, 1296, 1408, 1536, 1552, 1792, 2048, 2064};

const TgAnomalyRun *tg_anomaly_run(const TgAnomaly *anomaly, guint r) {
  return &g_array_index(anomaly->runs, TgAnomalyRun, r);
}

const TgAnomalyRun *tg_anomaly_find(const TgAnomaly *anomaly, TgAnomalySeries series, int64_t n) {
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (run->series == series && run->n == n && !*run->left_out) return run;
  }
  return NULL;
}

static void free_anomaly(void *anomaly) {
  g_array_unref(((TgAnomaly *)anomaly)->runs);
  g_free(anomaly);
}

TgAnomaly *tg_anomaly_begin(TgResults *results) {
  TgAnomaly *anomaly = results->own = g_new0(TgAnomaly, 1);
  results->free_own = free_anomaly;
  anomaly->runs = g_array_new(FALSE, TRUE, sizeof(TgAnomalyRun));
  return anomaly;
}

/* --- neighbours --------------------------------------------------------------------------------------------------- */

static double measured_step_s(const TgAnomalyRun *run) {
  return *run->left_out ? NAN : run->step_s;
}

static double paper_step_s(const TgAnomalyRun *run) {
  return run->paper_s / ((double)run->n * (double)run->n * (double)run->n);
}

static double against(const TgAnomaly *anomaly, const TgAnomalyRun *run, double (*step_s)(const TgAnomalyRun *)) {
  double others[16];
  int count = 0;
  for (guint r = 0; r < anomaly->runs->len && count < (int)G_N_ELEMENTS(others); r++) {
    const TgAnomalyRun *other = tg_anomaly_run(anomaly, r);
    const bool near = other->series == run->series && other->n != run->n && ABS(other->n - run->n) <= NEIGHBOUR;
    if (near && !isnan(step_s(other))) others[count++] = step_s(other);
  }
  if (count == 0) return NAN;
  return step_s(run) / tg_measurement_of(others, count, 0).median_s;
}

double tg_anomaly_against(const TgAnomaly *anomaly, const TgAnomalyRun *run) {
  return against(anomaly, run, measured_step_s);
}

double tg_anomaly_paper_against(const TgAnomaly *anomaly, const TgAnomalyRun *run) {
  return against(anomaly, run, paper_step_s);
}

/* --- what is to be run -------------------------------------------------------------------------------------------- */

static void add_run(TgAnomaly *anomaly, bool quick, TgAnomalySeries series, int64_t n, int64_t row, double paper_s) {
  TgAnomalyRun run = {.series = series,
                      .n = n,
                      .row = row,
                      .computed = quick ? MIN(n, QUICK_ROWS) : n,
                      .repeats = series == TG_ANOMALY_FEW && !quick ? FEW_REPEATS : 1,
                      .step_s = NAN,
                      .paper_s = paper_s};
  for (int c = 0; c < anomaly->caches; c++)
    run.walk[c] = tg_cache_walk(&anomaly->cache[c], n, row * (int64_t)sizeof(float));
  g_array_append_val(anomaly->runs, run);
}

static void plan(TgAnomaly *anomaly, const TgBenchOptions *options) {
  for (size_t s = 0; s < (options->size_count ? options->size_count : G_N_ELEMENTS(sizes)); s++) {
    const int64_t n = options->size_count ? options->sizes[s] : sizes[s].n;
    double paper_s = NAN;
    for (size_t p = 0; p < G_N_ELEMENTS(sizes); p++)
      if (sizes[p].n == n) paper_s = sizes[p].paper_s;
    add_run(anomaly, options->quick, TG_ANOMALY_SIZES, n, n, paper_s);
    add_run(anomaly, options->quick, TG_ANOMALY_PADDED, n, n + LINE, NAN);
    add_run(anomaly, options->quick, TG_ANOMALY_HUGE, n, n, NAN);
  }
  for (size_t r = 0; r < 2 * G_N_ELEMENTS(rows) && !options->size_count; r++) {
    const bool few = r >= G_N_ELEMENTS(rows);
    add_run(anomaly, options->quick, few ? TG_ANOMALY_FEW : TG_ANOMALY_ROWS, few ? FEW_N : ROWS_N,
            rows[r % G_N_ELEMENTS(rows)], NAN);
  }
}

/* --- one run ------------------------------------------------------------------------------------------------------ */

/* A, B and C, each at the beginning of a huge page. */
typedef struct Matrices {
  TgHostPages pages;
  float *a, *b, *c;
} Matrices;

static bool is_on_huge_pages(const TgAnomalyRun *run) {
  return run->series != TG_ANOMALY_SIZES && run->series != TG_ANOMALY_PADDED;
}

static void draw(float *to, int64_t down, int64_t across, int64_t row, uint64_t seed) {
  for (int64_t i = 0; i < down; i++)
    for (int64_t j = 0; j < across; j++) to[i * row + j] = tg_random_uniform_f32(seed, (uint64_t)(i * across + j));
}

static bool open_matrices(const TgAnomalyRun *run, uint64_t seed, Matrices *made, TgError *error) {
  const int64_t bytes = run->n * run->row * (int64_t)sizeof(float);
  const int64_t each = (bytes + TG_HUGE_PAGE_BYTES - 1) / TG_HUGE_PAGE_BYTES * TG_HUGE_PAGE_BYTES;
  if (!tg_host_pages_open(&made->pages, 3 * each, is_on_huge_pages(run), error)) return false;
  made->a = made->pages.memory;
  made->b = made->a + each / (int64_t)sizeof(float);
  made->c = made->b + each / (int64_t)sizeof(float);
  draw(made->a, run->computed, run->n, run->row, seed);
  draw(made->b, run->n, run->n, run->row, seed + 1);
  return true;
}

/* Rows without the gaps between them. */
static float *packed(const float *from, int64_t down, int64_t across, int64_t row) {
  float *made = g_new(float, down *across);
  for (int64_t i = 0; i < down; i++)
    for (int64_t j = 0; j < across; j++) made[i * across + j] = from[i * row + j];
  return made;
}

static void check(TgAnomalyRun *run, uint64_t seed, const Matrices *matrices) {
  g_autofree float *a = packed(matrices->a, run->computed, run->n, run->row);
  g_autofree float *b = packed(matrices->b, run->n, run->n, run->row);
  g_autofree float *c = packed(matrices->c, run->computed, run->n, run->row);
  run->error = tg_product_error(TG_F32, a, b, c, run->computed, run->n, run->n, CHECKS, seed);
  run->limit = 5e-7 * sqrt((double)run->n);
  run->right = run->error <= run->limit;
}

/* Memory of its own for every trial, so that no run keeps an unlucky choice of pages. */
static bool run_once(TgAnomalyRun *run, uint64_t seed, bool last, double *seconds, TgError *error) {
  Matrices made = {0};
  if (!open_matrices(run, seed, &made, error)) return false;
  const int64_t faults = tg_host_faults();
  const double begun_s = tg_now_s();
  for (int32_t r = 0; r < run->repeats; r++)
    tg_double_sum_product(made.c, made.a, made.b, run->computed, run->n, run->n, run->row);
  *seconds = (tg_now_s() - begun_s) / run->repeats;
  run->faults += tg_host_faults() - faults;
  if (last) check(run, seed, &made);
  tg_host_pages_close(&made.pages);
  return true;
}

/* All runs once, then all again, so that whatever else the machine does falls on all of them. */
static void measure_runs(TgAnomaly *anomaly, const TgBenchOptions *options, int trials, double *seconds) {
  const guint count = anomaly->runs->len;
  for (guint done = 0; done < count * (guint)trials; done++) {
    const guint r = done % count, t = done / count;
    TgAnomalyRun *run = &g_array_index(anomaly->runs, TgAnomalyRun, r);
    TgError error = {0};
    if (options->progress) options->progress(options->progress_data, done, count * (guint)trials);
    if (*run->left_out) continue;
    if (!run_once(run, options->seed, t + 1 == (guint)trials, &seconds[r * (guint)trials + t], &error))
      g_strlcpy(run->left_out, error.message, sizeof run->left_out);
  }
}

static void sum_up(TgAnomaly *anomaly, int trials, double *seconds) {
  for (guint r = 0; r < anomaly->runs->len; r++) {
    TgAnomalyRun *run = &g_array_index(anomaly->runs, TgAnomalyRun, r);
    if (*run->left_out) continue;
    run->time = tg_measurement_of(&seconds[r * (guint)trials], trials, 0);
    run->step_s = run->time.median_s / ((double)run->computed * (double)run->n * (double)run->n);
  }
}

/* Options that this experiment does not have are refused. */
static bool takes(const TgBenchOptions *options, GError **error) {
  const char *option = options->kernels        ? "--kernels"
                       : options->type         ? "--type"
                       : options->budget_s > 0 ? "--budget"
                       : options->trials       ? "--trials"
                       : options->cold         ? "--cold"
                                               : NULL;
  if (!option) return true;
  return TG_BENCH_FAIL(
      error, USAGE,
      "%s: bench host-anomaly measures one product, in f32, with the caches as they are and a fixed number of trials",
      option);
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  TgError why = {0};
  if (!takes(options, error)) return NULL;
  int processor;
  TgHostPin *pin = tg_host_pin(&processor, &why);
  if (!pin) {
    tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "host-anomaly", why.message);
    return NULL;
  }
  TgResults *results = tg_results_new("host-anomaly", NULL);
  results->seed = options->seed;
  results->quick = options->quick;
  TgAnomaly *anomaly = tg_anomaly_begin(results);
  anomaly->processor = processor;
  g_autofree char *folder = g_strdup_printf("/sys/devices/system/cpu/cpu%d/cache", anomaly->processor);
  anomaly->caches = tg_cache_read(folder, anomaly->cache);
  plan(anomaly, options);
  const int trials = options->quick ? QUICK_TRIALS : TRIALS;
  g_autofree double *seconds = g_new0(double, anomaly->runs->len *(guint)trials);
  measure_runs(anomaly, options, trials, seconds);
  sum_up(anomaly, trials, seconds);
  tg_host_unpin(pin);
  return results;
}

static bool right(const TgResults *results, GError **error) {
  const TgAnomaly *anomaly = results->own;
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (*run->left_out || run->right) continue;
    return TG_BENCH_FAIL(error, WRONG,
                         "bench host-anomaly: n = %" G_GINT64_FORMAT ", rows of %" G_GINT64_FORMAT
                         ": relative error %.2e, at most %.2e is right",
                         run->n, run->row, run->error, run->limit);
  }
  return true;
}

const TgExperiment tg_experiment_host_anomaly = {
    .name = "host-anomaly",
    .summary = "sizes that are slow on the CPU because of its cache sets; needs no GPU",
    .details =
        "The CPU product of T. Dobravec and P. Bulić, with one thread pinned to one core, at the sizes 16i for i = 62 "
        "to 66 and 94 to 98, with rows stored without gaps, with rows one cache line longer, and on huge pages; and at "
        "1024 and 112 rows with many row lengths. Every trial allocates fresh memory, and the trials of all runs are "
        "interleaved. Also shows how the cache lines of a column of B map to the sets of each cache.",
    .paper = "T. Dobravec, P. Bulić, Comparing CPU and GPU Implementations of a Simple Matrix Multiplication Algorithm",
    .takes_cpu_only = true,
    .format = "bench-host-anomaly",
    .measure = measure,
    .print = print,
    .write = write_members,
    .plot = plot,
    .right = right,
};

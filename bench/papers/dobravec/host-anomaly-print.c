/* What `bench host-anomaly` says, to people and to programs. */
#include "host-anomaly.h"

#include "results.h"

#include <inttypes.h>
#include <math.h>

/* --- a page ------------------------------------------------------------------------------------------------------- */

static void add_number(TgTable *table, int digits, double value) {
  if (isnan(value))
    tg_table_add(table, "-");
  else
    tg_table_add(table, "%.*f", digits, value);
}

static void add_times(TgTable *table, const TgAnomaly *anomaly, TgAnomalySeries series, int64_t n) {
  const TgAnomalyRun *run = tg_anomaly_find(anomaly, series, n);
  add_number(table, 2, run ? run->step_s * 1e9 : NAN);
  add_number(table, 2, run ? tg_anomaly_against(anomaly, run) : NAN);
}

/* A time is comparable with the paper's only where all rows are computed. */
static void print_quick(const TgAnomaly *anomaly, TgPage *page) {
  int64_t computed = 0;
  for (guint r = 0; r < anomaly->runs->len; r++) computed = MAX(computed, tg_anomaly_run(anomaly, r)->computed);
  if (anomaly->quick)
    tg_page_paragraph(page, 2, "--quick: at most %" PRId64 " rows of C are computed, and the times are of those.",
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
    add_number(table, 0, run->paper_s * 1e3);
    add_number(table, 2, run->paper_s / (n * n * n) * 1e9);
    add_number(table, 2, tg_anomaly_paper_against(anomaly, run));
    add_number(table, 0, *run->left_out ? NAN : run->time.median_s * 1e3);
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
    tg_table_add(table, "%s", tg_anomaly_series_name((TgAnomalySeries)run->series));
    tg_table_add(table, "%" G_GINT64_FORMAT, run->n);
    tg_table_add(table, "%" G_GINT64_FORMAT, run->row);
    add_number(table, 2, *run->left_out ? NAN : run->step_s * 1e9);
    add_number(table, 2, *run->left_out ? NAN : run->time.stddev_s / steps * 1e9);
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
  if (anomaly->caches < 2) tg_page_add(page, "  the system does not say what the caches are\n");
}

static void print_left_out(const TgAnomaly *anomaly, TgPage *page) {
  for (guint r = 0; r < anomaly->runs->len; r++) {
    const TgAnomalyRun *run = tg_anomaly_run(anomaly, r);
    if (*run->left_out)
      tg_page_paragraph(page, 2, "%s, n = %" G_GINT64_FORMAT ": %s",
                        tg_anomaly_series_name((TgAnomalySeries)run->series), run->n, run->left_out);
  }
}

/* The first runs may have been left out. */
static void print_where(const TgAnomaly *anomaly, TgPage *page) {
  g_autofree char *host = tg_environment_host(&anomaly->environment);
  int32_t trials = 0;
  for (guint r = 0; r < anomaly->runs->len; r++) trials = MAX(trials, tg_anomaly_run(anomaly, r)->time.trials);
  tg_page_add(page, "%s; one thread on processor %d; ", host, anomaly->processor);
  if (trials)
    tg_page_add(page, "medians of %d trials, all runs in turn\n", trials);
  else
    tg_page_add(page, "nothing was measured\n");
}

void tg_anomaly_print(const void *measured, TgPage *page) {
  const TgAnomaly *anomaly = measured;
  print_where(anomaly, page);
  print_caches(anomaly, page);
  tg_page_add(page, "\nMatrices of n x n, f32, sums in f64\n");
  print_sizes(anomaly, page);
  print_quick(anomaly, page);
  tg_page_paragraph(page, 2,
                    "steps: a multiply-add. to others: over the median of the neighbouring sizes. padded: rows a cache "
                    "line longer than n. huge pages: without gaps, every matrix on pages of 2 MB.");
  tg_page_add(page, "\nDown a column of B: one element of each row\n");
  print_walks(anomaly, page);
  tg_page_paragraph(
      page, 2,
      "row: elements from one row to the next. sets x lines: sets that the lines of a column share, and how "
      "many share the fullest. overfull: lines in sets that have no room for all of theirs; with the line "
      "used longest ago going first, none of these is left when the next column wants it.");
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
  tg_json_key(json, "column");
  tg_json_begin_array(json, TG_JSON_ROW);
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
  tg_json_member_string(json, "series", tg_anomaly_series_name((TgAnomalySeries)run->series));
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

TgJson *tg_anomaly_document(const void *measured) {
  const TgAnomaly *anomaly = measured;
  TgJson *json =
      tg_results_begin("bench-host-anomaly", "host-anomaly", tg_experiment_host_anomaly.right(measured, NULL),
                       anomaly->seed, &anomaly->environment);
  tg_json_member_bool(json, "quick", anomaly->quick);
  tg_json_member_integer(json, "core", anomaly->processor);
  tg_json_member_rows(json, "caches", cache_fields, anomaly->cache, (size_t)anomaly->caches, sizeof *anomaly->cache);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < anomaly->runs->len; r++) write_run(json, anomaly, tg_anomaly_run(anomaly, r));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

/* What bench division says. */
#include "division.h"

#include "results-print.h"
#include "text-units.h"

#include <inttypes.h>
#include <math.h>

static const TgDivisionChoice *choice_at(const TgDivisions *divisions, guint c) {
  return &g_array_index(divisions->choices, TgDivisionChoice, c);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void add_time(TgTable *table, double seconds) {
  char text[32];
  tg_time_text(seconds, text, sizeof text);
  tg_table_add(table, "%s", isnan(seconds) ? "-" : text);
}

static void add_ratio(TgTable *table, double ratio) {
  tg_table_add(table, isnan(ratio) ? "-" : "%.2f", ratio);
}

/* A division in words: its kernel and its numbers. */
static void add_division(TgTable *table, const TgDivision *division, int64_t n) {
  TgHistoricRun run = {.width = division->width, .split = division->split, .m = n, .n = n, .k = n};
  TgHistoricShape shape;
  if (!division->kernel || !tg_historic_prepare(division->kernel, &run, &shape, NULL)) {
    for (int c = 0; c < 5; c++) tg_table_add(table, "-");
    return;
  }
  tg_table_add(table, "%s", division->kernel->name);
  tg_table_add(table, "%d", division->width);
  tg_table_add(table, "%d", division->split);
  tg_table_add(table, "%" PRId64, shape.grid[0] * shape.grid[1] * shape.grid[2]);
  tg_table_add(table, "%d", shape.block[0] * shape.block[1] * shape.block[2]);
}

static void add_line(TgTable *table, const char *n, const char *whose, const TgDivisionChoice *choice,
                     const TgDivision *division, double seconds) {
  tg_table_add(table, "%s", n);
  tg_table_add(table, "%s", whose);
  add_division(table, division, choice->n);
  add_time(table, seconds);
  add_ratio(table, seconds / choice->best_s);
}

static void print_choices(TgPage *page, const TgDivisions *divisions) {
  static const char *const heads[] = {"n", "", "kernel", "width", "split", "blocks", "threads", "time", "of the best"};
  TgTable *table = tg_page_table(page, "rllrrrrrr", 2, heads);
  for (guint c = 0; c < divisions->choices->len; c++) {
    const TgDivisionChoice *choice = choice_at(divisions, c);
    g_autofree char *n = g_strdup_printf("%" PRId64, choice->n);
    add_line(table, n, "best", choice, &choice->best, choice->best_s);
    add_line(table, "", "rule", choice, &choice->rule, choice->rule_s);
    add_line(table, "", "paper", choice, &choice->paper, choice->paper_s);
    if (choice->has_cached) add_line(table, "", "kept", choice, &choice->cached, choice->cached_s);
  }
}

static void print_rule(TgPage *page, const TgDivisions *divisions) {
  static const char *const heads[] = {"n",          "measured",  "the rule expects",
                                      "limited by", "divisions", "worst of the best"};
  TgTable *table = tg_page_table(page, "rrrlrr", 2, heads);
  for (guint c = 0; c < divisions->choices->len; c++) {
    const TgDivisionChoice *choice = choice_at(divisions, c);
    tg_table_add(table, "%" PRId64, choice->n);
    add_time(table, choice->rule_s);
    add_time(table, choice->rule_expected_s);
    tg_table_add(table, "%s", choice->rule_limit ? choice->rule_limit : "-");
    tg_table_add(table, "%u", choice->candidates);
    add_ratio(table, choice->worst_s / choice->best_s);
  }
}

/* Geometric, over the sizes where both were measured. */
static double mean_ratio(const TgDivisions *divisions, bool of_rule) {
  double sum = 0;
  int count = 0;
  for (guint c = 0; c < divisions->choices->len; c++) {
    const TgDivisionChoice *choice = choice_at(divisions, c);
    const double ratio = (of_rule ? choice->rule_s : choice->paper_s) / choice->best_s;
    if (isnan(ratio)) continue;
    sum += log(ratio);
    count++;
  }
  return count ? exp(sum / count) : NAN;
}

static int count_left_out(const TgResults *results) {
  int count = 0;
  for (guint r = 0; r < results->rows->len; r++) count += *tg_results_at(results, r)->left_out != '\0';
  return count;
}

void tg_divisions_print(const void *measured, TgPage *page) {
  const TgDivisions *divisions = measured;
  const int left_out = count_left_out(divisions->results);
  tg_page_where(page, divisions->results);
  tg_page_add(page, "\nDivisions, %s: the best of all, the rule's, the fastest of the paper's own\n",
              divisions->results->rows->len ? tg_results_at(divisions->results, 0)->type : "");
  print_choices(page, divisions);
  tg_page_add(page, "\nThe rule\n");
  print_rule(page, divisions);
  tg_page_add(page, "\n");
  tg_page_paragraph(
      page, 2,
      "In the geometric mean the rule's choice takes %.2f times as long as the best, the paper's own %.2f "
      "times.",
      mean_ratio(divisions, true), mean_ratio(divisions, false));
  tg_page_paragraph(page, 2,
                    "split: blocks that share the inner extent of a tile of C, and add to it where there are more than "
                    "one; of the best: times as long as the best.");
  if (left_out)
    tg_page_paragraph(page, 2,
                      "%d divisions were left out, over 20 times as slow as the best of their size; --json "
                      "names them.",
                      left_out);
  if (divisions->cache_path) tg_page_paragraph(page, 2, "kept in %s", divisions->cache_path);
}

/* --- a document --------------------------------------------------------------------------------------------------- */

static void write_division(TgJson *json, const char *key, const TgDivision *division, double seconds, double best_s) {
  if (!division->kernel) return;
  tg_json_key(json, key);
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", division->kernel->name);
  tg_json_member_integer(json, "width", division->width);
  tg_json_member_integer(json, "split", division->split);
  tg_json_member_double(json, "time_s", seconds);
  tg_json_member_double(json, "ratio_to_best", seconds / best_s);
  tg_json_end_object(json);
}

static void write_choice(TgJson *json, const TgDivisionChoice *choice) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "n", choice->n);
  tg_json_member_integer(json, "divisions", choice->candidates);
  tg_json_member_double(json, "worst_s", choice->worst_s);
  write_division(json, "best", &choice->best, choice->best_s, choice->best_s);
  write_division(json, "rule", &choice->rule, choice->rule_s, choice->best_s);
  tg_json_member_double(json, "rule_expected_s", choice->rule_expected_s);
  tg_json_member_string(json, "rule_limited_by", choice->rule_limit);
  write_division(json, "paper", &choice->paper, choice->paper_s, choice->best_s);
  if (choice->has_cached) write_division(json, "kept", &choice->cached, choice->cached_s, choice->best_s);
  tg_json_end_object(json);
}

TgJson *tg_divisions_document(const void *measured) {
  const TgDivisions *divisions = measured;
  TgJson *json = tg_results_open(divisions->results, tg_divisions_right(measured, NULL));
  tg_json_key(json, "choices");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint c = 0; c < divisions->choices->len; c++) write_choice(json, choice_at(divisions, c));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

bool tg_divisions_right(const void *measured, GError **error) {
  const TgDivisions *divisions = measured;
  return tg_results_right(divisions->results, error);
}

/* --- a plot ------------------------------------------------------------------------------------------------------- */

char *tg_divisions_plot(const void *measured, const TgPlotFormat *format) {
  const TgDivisions *divisions = measured;
  g_autofree char *where = tg_environment_text(&divisions->results->environment);
  g_autoptr(TgChart) chart = tg_chart_new("Blocks and threads: a rule against a sweep", where);
  TgPanel *times = tg_chart_panel(chart, "time", "n, rows of the matrices", "time, s");
  TgPanel *ratios = tg_chart_panel(chart, "times as long as the best", "n, rows of the matrices", "ratio");
  for (guint c = 0; c < divisions->choices->len; c++) {
    const TgDivisionChoice *choice = choice_at(divisions, c);
    const double n = (double)choice->n;
    tg_panel_point(times, "best", n, choice->best_s);
    tg_panel_point(times, "rule", n, choice->rule_s);
    tg_panel_point(times, "paper", n, choice->paper_s);
    tg_panel_point(times, "worst", n, choice->worst_s);
    tg_panel_point(ratios, "rule", n, choice->rule_s / choice->best_s);
    tg_panel_point(ratios, "paper", n, choice->paper_s / choice->best_s);
  }
  return tg_chart_script(chart, format);
}

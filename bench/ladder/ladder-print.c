/* What `bench ladder` says, to people and to programs. */
#include "ladder.h"

#include "chart.h"
#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const TgRung *rung_at(const TgLadder *ladder, guint r) {
  return &g_array_index(ladder->results, TgRung, r);
}

static double flops_per_s(const TgRung *rung) {
  double n = (double)rung->n;
  return 2 * n * n * n / rung->time.median_s;
}

/* Time of cuBLAS over that of the kernel, in the median; NaN where cuBLAS was not measured. */
static double ratio(const TgLadder *ladder, const TgRung *rung, bool alone) {
  for (guint r = 0; r < ladder->results->len; r++) {
    const TgRung *other = rung_at(ladder, r);
    if (other->n == rung->n && strcmp(other->kernel->name, "cublas") == 0 && !*other->left_out)
      return alone ? other->alone.median_s / rung->alone.median_s : other->time.median_s / rung->time.median_s;
  }
  return NAN;
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

static void add_ratio(TgTable *table, double ratio) {
  tg_table_add(table, isnan(ratio) ? "-" : "%.3f", ratio);
}

static void add_row(TgTable *table, const TgLadder *ladder, const TgRung *rung) {
  tg_table_add(table, "%s%s", rung->kernel->name, rung->kernel->exact ? "" : "*");
  if (*rung->left_out) {
    for (int c = 0; c < 8; c++) tg_table_add(table, "%s", c == 0 ? "-" : "");
    tg_table_add(table, "%s", rung->left_out);
    return;
  }
  tg_table_add(table, "%.4g", rung->time.median_s * 1e3);
  tg_table_add(table, "%.2g", rung->time.stddev_s * 1e3);
  tg_table_add(table, "%d", rung->time.trials);
  tg_table_add(table, "%.4g", flops_per_s(rung) * 1e-12);
  add_ratio(table, ratio(ladder, rung, false));
  tg_table_add(table, "%.4g", rung->alone.median_s * 1e3);
  add_ratio(table, ratio(ladder, rung, true));
  tg_table_add(table, "%.1e", rung->error);
  tg_table_add(table, "%s", rung->right ? "" : "WRONG");
}

static void print_size(TgPage *page, const TgLadder *ladder, int64_t n) {
  static const char *const heads[] = {"kernel",    "median, ms", "spread",    "trials", "Tflop/s",
                                      "of cublas", "alone, ms",  "of cublas", "error",  ""};
  tg_page_add(page, "\nm = n = k = %" PRId64 ", %s%s\n", n, tg_element_name(ladder->element),
              ladder->cold ? ", second-level cache empty before each launch" : "");
  TgTable *table = tg_page_table(page, "lrrrrrrrrl", 2, heads);
  for (guint r = 0; r < ladder->results->len; r++)
    if (rung_at(ladder, r)->n == n) add_row(table, ladder, rung_at(ladder, r));
}

void tg_ladder_print(const void *measured, TgPage *page) {
  const TgLadder *ladder = measured;
  bool emulated = false;
  for (guint k = 0; k < ladder->kernels->len; k++)
    emulated = emulated || !((const TgKernel *)ladder->kernels->pdata[k])->exact;
  g_autofree char *where = tg_environment_text(&ladder->environment);
  tg_page_add(page, "%s\n", where);
  for (guint s = 0; s < ladder->sizes->len; s++) print_size(page, ladder, g_array_index(ladder->sizes, int64_t, s));
  tg_page_add(page, "\n  spread: standard deviation, ms; of cublas: its median over the kernel's; alone: on an idle "
                    "device,\n  with the host's part of a launch; error: relative, of the product\n");
  if (emulated) tg_page_add(page, "  *: an emulation of the type; see `topogemm list kernels`\n");
}

/* --- a document --------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgRung, error, "relative_error"), TG_FIELD_AS(TgRung, limit, "tolerance"),
               TG_FIELD(TgRung, estimated), TG_FIELD_AS(TgRung, right, "ok"));

static void write_rung(TgJson *json, const TgLadder *ladder, const TgRung *rung) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", rung->kernel->name);
  tg_json_member_string(json, "type", tg_element_name(ladder->element));
  tg_json_member_integer(json, "m", rung->n);
  tg_json_member_integer(json, "n", rung->n);
  tg_json_member_integer(json, "k", rung->n);
  tg_json_member_bool(json, "exact", rung->kernel->exact);
  if (*rung->left_out) {
    tg_json_member_string(json, "left_out", rung->left_out);
  } else {
    tg_results_write_measured(json, &rung->time);
    tg_json_member_double(json, "gflops", flops_per_s(rung) * 1e-9);
    tg_json_member_double(json, "ratio_to_cublas", ratio(ladder, rung, false));
    tg_json_member_double(json, "alone_s", rung->alone.median_s);
    tg_json_member_double(json, "alone_ratio_to_cublas", ratio(ladder, rung, true));
    tg_json_members(json, check_fields, rung);
  }
  tg_json_end_object(json);
}

TgJson *tg_ladder_document(const void *measured) {
  const TgLadder *ladder = measured;
  TgJson *json =
      tg_results_begin("bench-ladder", "ladder", tg_ladder_right(measured, NULL), ladder->seed, &ladder->environment);
  tg_json_member_bool(json, "cold", ladder->cold);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < ladder->results->len; r++) write_rung(json, ladder, rung_at(ladder, r));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

char *tg_ladder_plot(const void *measured, const TgPlotFormat *format) {
  const TgLadder *ladder = measured;
  g_autofree char *where = tg_environment_text(&ladder->environment);
  g_autoptr(TgChart) chart = tg_chart_new("The ladder of kernels", where);
  TgPanel *panel = tg_chart_panel(chart, tg_element_name(ladder->element), "n, rows of the matrices", "Tflop/s");
  for (guint r = 0; r < ladder->results->len; r++)
    if (!*rung_at(ladder, r)->left_out)
      tg_panel_point(panel, rung_at(ladder, r)->kernel->name, (double)rung_at(ladder, r)->n,
                     flops_per_s(rung_at(ladder, r)) * 1e-12);
  return tg_chart_script(chart, format);
}

bool tg_ladder_right(const void *measured, GError **error) {
  const TgLadder *ladder = measured;
  for (guint r = 0; r < ladder->results->len; r++) {
    const TgRung *rung = rung_at(ladder, r);
    if (*rung->left_out || rung->right) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG,
                "bench ladder: %s at %" PRId64 ": relative error %.2e, at most %.2e is right", rung->kernel->name,
                rung->n, rung->error, rung->limit);
    return false;
  }
  return true;
}

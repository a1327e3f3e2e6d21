#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "results-print.h"

TgResults *tg_results_new(const char *experiment, const TgDevice *device) {
  TgResults *results = g_new0(TgResults, 1);
  results->experiment = experiment;
  results->rows = g_array_new(FALSE, TRUE, sizeof(TgResult));
  results->notes = g_ptr_array_new_with_free_func(g_free);
  tg_environment_begin(&results->environment, device, NULL);
  return results;
}

void tg_results_free(TgResults *results) {
  tg_environment_clear(&results->environment);
  g_array_unref(results->rows);
  g_ptr_array_unref(results->notes);
  g_free(results->cache_path);
  if (results->own) results->free_own(results->own);
  g_free(results);
}

void tg_results_add(TgResults *results, const TgResult *row) {
  g_array_append_vals(results->rows, row, 1);
}

void tg_results_note(TgResults *results, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(results->notes, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

const TgResult *tg_results_at(const TgResults *results, guint row) {
  return &g_array_index(results->rows, TgResult, row);
}

const TgResult *tg_results_find(const TgResults *results, const char *method, int32_t width, int64_t m, int64_t n,
                                int64_t k) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (row->m == m && row->n == n && row->k == k && (width == 0 || row->width == width) && !*row->left_out &&
        strcmp(row->method, method) == 0)
      return row;
  }
  return NULL;
}

const TgResult *tg_results_square(const TgResults *results, const char *method, int32_t width, int64_t n) {
  const TgResult *product = tg_results_find(results, method, width, n, n, n);
  return product ? product : tg_results_find(results, method, width, n, n, 1); /* a transpose has no k */
}

static gint compare_sizes(gconstpointer a, gconstpointer b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

GArray *tg_results_sizes(const TgResults *results) {
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    bool known = row->m != row->n || (row->k != row->n && row->k != 1);
    for (guint s = 0; s < sizes->len; s++) known = known || g_array_index(sizes, int64_t, s) == row->n;
    if (!known) g_array_append_val(sizes, row->n);
  }
  g_array_sort(sizes, compare_sizes);
  return sizes;
}

const char *tg_results_type(const TgResults *results) {
  return results->rows->len ? tg_results_at(results, 0)->type : "";
}

double tg_result_time_s(const TgResult *row) {
  if (!row || *row->left_out) return NAN;
  const TgMeasurement *time = row->place == TG_ON_GPU ? &row->kernel : &row->call;
  return time->trials ? time->median_s : NAN;
}

double tg_result_whole_s(const TgResult *row) {
  if (!row || *row->left_out || row->repeats > 1) return NAN;
  if (row->place == TG_ON_GPU && !(row->in.trials && row->out.trials)) return NAN;
  const TgMeasurement *call = row->call.trials ? &row->call : &row->kernel;
  return call->trials ? row->prepare.median_s + row->in.median_s + call->median_s + row->out.median_s : NAN;
}

bool tg_results_right(const TgResults *results, GError **error) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (*row->left_out || !row->checked || row->right || row->printed) continue;
    return TG_BENCH_FAIL(
        error, WRONG, "bench %s: %s at %" PRId64 "x%" PRId64 "x%" PRId64 ": relative error %.2e, at most %.2e is right",
        results->experiment, row->method, row->m, row->n, row->k, row->error, row->limit);
  }
  return true;
}

/* --- a document --------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(times_fields, TG_FIELD(TgMeasurement, trials), TG_FIELD(TgMeasurement, warmup),
               TG_FIELD_AS(TgMeasurement, min_s, "min"), TG_FIELD_AS(TgMeasurement, median_s, "median"),
               TG_FIELD_AS(TgMeasurement, mean_s, "mean"), TG_FIELD_AS(TgMeasurement, max_s, "max"),
               TG_FIELD_AS(TgMeasurement, stddev_s, "stddev"));
TG_FIELD_TABLE(row_fields, TG_FIELD(TgResult, type), TG_FIELD(TgResult, m), TG_FIELD(TgResult, n),
               TG_FIELD(TgResult, k));
TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgResult, error, "relative_error"), TG_FIELD_AS(TgResult, limit, "tolerance"),
               TG_FIELD(TgResult, estimated), TG_FIELD_AS(TgResult, right, "ok"));

/* A measurement as a member of a document; none where it was not made. */
static void results_write_times(TgJson *json, const char *key, const TgMeasurement *times) {
  if (!times->trials) return;
  tg_json_key(json, key);
  tg_json_object(json, TG_JSON_ROW, times_fields, times);
}

void tg_results_write_measured(TgJson *json, const TgMeasurement *times) {
  tg_json_member_double(json, "time_s", times->median_s);
  results_write_times(json, "times", times);
}

void tg_results_write_check(TgJson *json, const TgResult *row) {
  tg_json_members(json, check_fields, row);
}

static void write_launch(TgJson *json, const TgResult *row) {
  if (row->width) tg_json_member_integer(json, "width", row->width);
  if (row->split) tg_json_member_integer(json, "split", row->split);
  if (row->blocks) tg_json_member_integer(json, "blocks", row->blocks);
  if (row->threads) tg_json_member_integer(json, "threads_per_block", row->threads);
  if (row->repeats > 1) tg_json_member_integer(json, "repeats", row->repeats);
  if (row->printed) tg_json_member_bool(json, "as_printed", true);
}

static void write_rates(TgJson *json, const TgResult *row) {
  const double time_s = tg_result_time_s(row);
  if (row->flops > 0) tg_json_member_double(json, "flops", row->flops);
  if (row->executed_flops > 0) tg_json_member_double(json, "executed_flops", row->executed_flops);
  tg_json_member_double(json, "bytes", row->bytes);
  if (row->asked_bytes > 0) tg_json_member_double(json, "asked_bytes", row->asked_bytes);
  if (row->flops > 0) tg_json_member_double(json, "gflops", row->flops / time_s * 1e-9);
  tg_json_member_double(json, "bytes_per_s", row->bytes / time_s);
}

static void write_row(TgJson *json, const TgResult *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "method", row->method);
  tg_json_member_string(json, "place", row->place == TG_ON_GPU ? "gpu" : "cpu");
  tg_json_members(json, row_fields, row);
  write_launch(json, row);
  if (*row->left_out) {
    tg_json_member_string(json, "left_out", row->left_out);
  } else {
    tg_json_member_double(json, "time_s", tg_result_time_s(row));
    results_write_times(json, "kernel_times", &row->kernel);
    results_write_times(json, "kernel_cold_times", &row->cold);
    results_write_times(json, "call_times", &row->call);
    results_write_times(json, "prepare_times", &row->prepare);
    results_write_times(json, "transfer_in_times", &row->in);
    results_write_times(json, "transfer_out_times", &row->out);
    write_rates(json, row);
    if (row->checked) tg_results_write_check(json, row);
  }
  if (row->has_paper) {
    tg_json_key(json, "paper_times");
    tg_json_object(json, TG_JSON_ROW, times_fields, &row->paper);
  }
  tg_json_end_object(json);
}

void tg_results_write(TgJson *json, const TgResults *results) {
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_member_array(json, "results", TG_JSON_LINES);
  for (guint r = 0; r < results->rows->len; r++) write_row(json, tg_results_at(results, r));
  tg_json_end_array(json);
  tg_json_member_array(json, "notes", TG_JSON_LINES);
  for (guint n = 0; n < results->notes->len; n++) tg_json_string(json, results->notes->pdata[n]);
  tg_json_end_array(json);
}

double tg_result_shown(const TgResult *row, TgShow show) {
  const double time_s = tg_result_time_s(row);
  if (isnan(time_s)) return NAN;
  if (show == TG_SHOW_WHOLE) return tg_result_whole_s(row);
  const double cold_s = row->cold.trials ? row->cold.median_s : NAN;
  if (show == TG_SHOW_COLD) return cold_s;
  if (show == TG_SHOW_COLD_BYTES) return row->bytes / cold_s;
  if (show == TG_SHOW_FLOPS) return row->flops > 0 ? row->flops / time_s : NAN;
  if (show == TG_SHOW_WHOLE_FLOPS) return row->flops > 0 ? row->flops / tg_result_whole_s(row) : NAN;
  if (show == TG_SHOW_BYTES) return row->bytes > 0 ? row->bytes / time_s : NAN;
  return time_s;
}

double tg_results_ratio(const TgResults *results, const TgRatio *ratio, int64_t n) {
  const TgResult *slower = tg_results_square(results, ratio->slower, ratio->slower_width, n);
  const TgResult *faster = tg_results_square(results, ratio->faster, ratio->faster_width, n);
  return tg_result_shown(slower, ratio->show) / tg_result_shown(faster, ratio->show);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static bool has_rows(const TgResults *results, const TgColumn *column) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (strcmp(row->method, column->method) == 0 && (!column->width || row->width == column->width)) return true;
  }
  return false;
}

static GArray *columns_there(const TgResults *results, const TgColumn *columns, size_t count) {
  GArray *there = g_array_new(FALSE, FALSE, sizeof(TgColumn));
  for (size_t c = 0; c < count; c++)
    if (has_rows(results, &columns[c])) g_array_append_val(there, columns[c]);
  return there;
}

static void add_cell(TgTable *table, double value, TgShow show) {
  if (show == TG_SHOW_TIME || show == TG_SHOW_WHOLE || show == TG_SHOW_COLD)
    tg_table_add_time(table, value);
  else
    tg_page_number(table, "%.4g", value * 1e-9);
}

static double shown_of(const TgResults *results, const TgColumn *column, int64_t n, TgShow show) {
  return tg_result_shown(tg_results_square(results, column->method, column->width, n), show);
}

/* What the columns show, or, of a `first`, its numbers over theirs. */
static void add_sizes(TgPage *page, const TgResults *results, const TgColumn *first, const GArray *columns,
                      TgShow show) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  TgTable *table = tg_page_wide_table(page, 'r', "n", columns->len);
  for (guint c = 0; c < columns->len; c++) tg_table_add(table, "%s", g_array_index(columns, TgColumn, c).head);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    tg_table_add(table, "%" PRId64, n);
    for (guint c = 0; c < columns->len; c++) {
      const double value = shown_of(results, &g_array_index(columns, TgColumn, c), n, show);
      if (first)
        tg_page_number(table, "%.3g", shown_of(results, first, n, show) / value);
      else
        add_cell(table, value, show);
    }
  }
}

void tg_page_grid(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count, TgShow show) {
  g_autoptr(GArray) there = columns_there(results, columns, count);
  if (there->len > 0) add_sizes(page, results, NULL, there, show);
}

void tg_page_ratios(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count) {
  g_autoptr(GArray) others = columns_there(results, columns + 1, count - 1);
  if (has_rows(results, columns) && others->len > 0) add_sizes(page, results, columns, others, TG_SHOW_TIME);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

void tg_page_where(TgPage *page, const TgResults *results) {
  g_autofree char *where = tg_environment_text(&results->environment);
  g_autofree char *host = tg_environment_host(&results->environment);
  tg_page_add(page, "%s\n", where);
  if (results->environment.has_device) tg_page_add(page, "host: %s\n", host);
}

void tg_page_remarks(TgPage *page, const TgResults *results) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    g_autofree char *name =
        g_strdup_printf("%s at %" PRId64 "x%" PRId64 "x%" PRId64, row->method, row->m, row->n, row->k);
    if (*row->left_out) tg_page_paragraph(page, 2, "%s: %s", name, row->left_out);
    if (row->printed && row->checked)
      tg_page_paragraph(page, 2, "%s: its result was %s here", name, row->right ? "right" : "wrong");
  }
  tg_page_notes(page, results);
}

void tg_page_notes(TgPage *page, const TgResults *results) {
  for (guint n = 0; n < results->notes->len; n++)
    tg_page_paragraph(page, 2, "%s", (const char *)results->notes->pdata[n]);
}

TgChart *tg_results_chart(const TgResults *results, const char *title) {
  g_autofree char *where = tg_environment_text(&results->environment);
  return tg_chart_new(title, where);
}

void tg_panel_columns(TgPanel *panel, const TgResults *results, const TgColumn *columns, size_t count, TgShow show) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  for (size_t c = 0; c < count; c++)
    for (guint s = 0; s < sizes->len; s++) {
      const int64_t n = g_array_index(sizes, int64_t, s);
      tg_panel_point(panel, columns[c].head, (double)n, shown_of(results, &columns[c], n, show));
    }
}

#include "results-print.h"

#include "text-units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

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
  char text[32];
  const bool is_time = show == TG_SHOW_TIME || show == TG_SHOW_WHOLE || show == TG_SHOW_COLD;
  if (is_time) tg_time_text(value, text, sizeof text);
  if (isnan(value))
    tg_table_add(table, "-");
  else if (is_time)
    tg_table_add(table, "%s", text);
  else
    tg_table_add(table, "%.4g", value * 1e-9);
}

/* Alignment and heads are those of n and of each column; the page owns the table, and it the letters. */
static TgTable *grid_table(TgPage *page, const GArray *columns, guint from) {
  g_autoptr(GString) align = g_string_new("r");
  g_autoptr(GPtrArray) heads = g_ptr_array_new();
  g_ptr_array_add(heads, (gpointer) "n");
  for (guint c = from; c < columns->len; c++) {
    g_string_append_c(align, 'r');
    g_ptr_array_add(heads, (gpointer)g_array_index(columns, TgColumn, c).head);
  }
  return tg_page_table(page, g_intern_string(align->str), 2, (const char *const *)heads->pdata);
}

void tg_page_grid(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count, TgShow show) {
  g_autoptr(GArray) there = columns_there(results, columns, count), sizes = tg_results_sizes(results);
  if (there->len == 0) return;
  TgTable *table = grid_table(page, there, 0);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    tg_table_add(table, "%" PRId64, n);
    for (guint c = 0; c < there->len; c++) {
      const TgColumn *column = &g_array_index(there, TgColumn, c);
      add_cell(table, tg_result_shown(tg_results_square(results, column->method, column->width, n), show), show);
    }
  }
}

void tg_page_ratios(TgPage *page, const TgResults *results, const TgColumn *columns, size_t count) {
  g_autoptr(GArray) there = columns_there(results, columns, count), sizes = tg_results_sizes(results);
  if (there->len < 2 || strcmp(g_array_index(there, TgColumn, 0).method, columns[0].method) != 0) return;
  TgTable *table = grid_table(page, there, 1);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    const double first = tg_result_time_s(tg_results_square(results, columns[0].method, columns[0].width, n));
    tg_table_add(table, "%" PRId64, n);
    for (guint c = 1; c < there->len; c++) {
      const TgColumn *column = &g_array_index(there, TgColumn, c);
      const double ratio = first / tg_result_time_s(tg_results_square(results, column->method, column->width, n));
      tg_table_add(table, isnan(ratio) ? "-" : "%.3g", ratio);
    }
  }
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
  for (guint n = 0; n < results->notes->len; n++)
    tg_page_paragraph(page, 2, "%s", (const char *)results->notes->pdata[n]);
}

void tg_panel_columns(TgPanel *panel, const TgResults *results, const TgColumn *columns, size_t count, TgShow show) {
  g_autoptr(GArray) sizes = tg_results_sizes(results);
  for (size_t c = 0; c < count; c++)
    for (guint s = 0; s < sizes->len; s++) {
      const int64_t n = g_array_index(sizes, int64_t, s);
      const TgResult *row = tg_results_square(results, columns[c].method, columns[c].width, n);
      tg_panel_point(panel, columns[c].head, (double)n, tg_result_shown(row, show));
    }
}

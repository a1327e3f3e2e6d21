/* The document, report and plot of bench shapes. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "results-print.h"
#include "shapes.h"

TG_FIELD_TABLE(instance_fields, TG_FIELD_AS(TgShapesRow, instance[0], "m"), TG_FIELD_AS(TgShapesRow, instance[1], "n"),
               TG_FIELD_AS(TgShapesRow, instance[2], "k"));
TG_FIELD_TABLE(tile_fields, TG_FIELD_AS(TgShapesRow, tile[0], "rows"), TG_FIELD_AS(TgShapesRow, tile[1], "columns"));
TG_FIELD_TABLE(size_fields, TG_FIELD_AS(TgShapesRow, n, "m"), TG_FIELD(TgShapesRow, n),
               TG_FIELD_AS(TgShapesRow, n, "k"), TG_FIELD(TgShapesRow, processors));
TG_FIELD_TABLE(facts_fields, TG_FIELD(TgShapesRow, instances), TG_FIELD(TgShapesRow, resident),
               TG_FIELD_GROUP("tile", tile_fields), TG_FIELD_GROUP("instance", instance_fields));
TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgShapesRow, error, "relative_error"),
               TG_FIELD_AS(TgShapesRow, limit, "tolerance"), TG_FIELD_AS(TgShapesRow, right, "ok"));

static double flops_per_s(const TgShapesRow *row) {
  return 2.0 * (double)row->n * (double)row->n * (double)row->n / row->time.median_s;
}

static void write_shape(TgJson *json, const TgShapesRow *row) {
  tg_json_member_string(json, "algorithm", row->schedule);
  tg_json_member_string(json, "grid", row->grid);
  tg_json_member_string(json, "transport", tg_transport_name(row->transport));
  tg_json_member_integer(json, "variant", row->variant);
}

static void write_row(TgJson *json, const TgShapes *shapes, const TgShapesRow *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "on", row->on);
  write_shape(json, row);
  tg_json_member_integer(json, "variants", row->variants);
  tg_json_member_bool(json, "chosen", row->chosen);
  tg_json_member_string(json, "type", tg_element_name(shapes->element));
  tg_json_members(json, size_fields, row);
  if (*row->left_out) {
    tg_json_member_string(json, "left_out", row->left_out);
  } else {
    tg_json_members(json, facts_fields, row);
    tg_results_write_measured(json, &row->time);
    tg_json_member_double(json, "gflops", flops_per_s(row) * 1e-9);
    tg_json_members(json, check_fields, row);
  }
  tg_json_end_object(json);
}

/* The first row of an executor at a size stands for both. */
static bool is_first(const TgShapes *shapes, guint r) {
  const TgShapesRow *row = tg_shapes_at(shapes, r);
  for (guint other = 0; other < r; other++) {
    const TgShapesRow *before = tg_shapes_at(shapes, other);
    if (before->n == row->n && strcmp(before->on, row->on) == 0) return false;
  }
  return true;
}

static void write_kept(TgJson *json, const TgShapes *shapes, const TgShapesRow *best) {
  for (guint k = 0; k < shapes->kept->len; k++) {
    const TgShapesRow *kept = &g_array_index(shapes->kept, TgShapesRow, k), *row = tg_shapes_of_kept(shapes, kept);
    if (kept->n != best->n || strcmp(kept->on, best->on) != 0) continue;
    tg_json_member_object(json, "kept", TG_JSON_ROW);
    write_shape(json, kept);
    if (row) tg_json_member_double(json, "time_s", row->time.median_s);
    if (row) tg_json_member_double(json, "ratio_to_best", row->time.median_s / best->time.median_s);
    tg_json_end_object(json);
  }
}

static void write_choice(TgJson *json, const TgShapes *shapes, const TgShapesRow *any) {
  const TgShapesRow *best = tg_shapes_best(shapes, any->n, any->on, NULL, NULL, TG_TRANSPORTS);
  guint combinations;
  const double ratio = tg_shapes_own_ratio(shapes, any->n, any->on, &combinations);
  if (!best) return;
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "n", best->n);
  tg_json_member_object(json, "best", TG_JSON_ROW);
  tg_json_member_string(json, "on", best->on);
  write_shape(json, best);
  tg_json_member_double(json, "time_s", best->time.median_s);
  tg_json_end_object(json);
  tg_json_member_integer(json, "compared_with_own_variant", combinations);
  tg_json_member_double(json, "own_variant_ratio", ratio);
  write_kept(json, shapes, best);
  tg_json_end_object(json);
}

void tg_shapes_write(TgJson *json, const TgResults *results) {
  const TgShapes *shapes = results->own;
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_member_array(json, "results", TG_JSON_LINES);
  for (guint r = 0; r < shapes->rows->len; r++) write_row(json, shapes, tg_shapes_at(shapes, r));
  tg_json_end_array(json);
  tg_json_member_array(json, "choices", TG_JSON_LINES);
  for (guint r = 0; r < shapes->rows->len; r++)
    if (is_first(shapes, r)) write_choice(json, shapes, tg_shapes_at(shapes, r));
  tg_json_end_array(json);
}

/* The names of a column in the order of the rows: an executor's grids or schedules, of a size. */
static GPtrArray *names_of(const TgShapes *shapes, bool of_grids, int64_t n, const char *on) {
  GPtrArray *names = g_ptr_array_new();
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    const char *name = of_grids ? row->grid : row->schedule;
    if (row->n != n || strcmp(row->on, on) != 0) continue;
    if (!g_ptr_array_find_with_equal_func(names, name, g_str_equal, NULL)) g_ptr_array_add(names, (gpointer)name);
  }
  return names;
}

static GArray *sizes_of(const TgShapes *shapes) {
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint r = 0; r < shapes->rows->len; r++) {
    const int64_t n = tg_shapes_at(shapes, r)->n;
    if (!sizes->len || g_array_index(sizes, int64_t, sizes->len - 1) != n) g_array_append_val(sizes, n);
  }
  return sizes;
}

/* The variant that the executor would have taken, over this one. */
static double own_ratio(const TgShapes *shapes, const TgShapesRow *row) {
  const TgShapesRow *own = tg_shapes_own(shapes, row);
  return own ? own->time.median_s / row->time.median_s : NAN;
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void add_names(TgTable *table, const TgShapesRow *row) {
  tg_table_add(table, "%s", row->schedule);
  tg_table_add(table, "%s", row->grid);
  tg_table_add(table, "%s", tg_transport_name(row->transport));
}

static void add_shape(TgTable *table, const TgShapesRow *row, double best_s) {
  add_names(table, row);
  tg_table_add(table, "%d of %d", row->variant, row->variants);
  tg_table_add(table, "%dx%d", row->tile[0], row->tile[1]);
  tg_table_add_time(table, row->time.median_s);
  tg_table_add(table, "%.4g", flops_per_s(row) * 1e-9);
  tg_page_number(table, "%.2f", row->time.median_s / best_s);
}

static void add_kept(TgTable *table, const TgShapes *shapes, int64_t n, const char *on, double best_s) {
  for (guint k = 0; k < shapes->kept->len; k++) {
    const TgShapesRow *kept = &g_array_index(shapes->kept, TgShapesRow, k), *row = tg_shapes_of_kept(shapes, kept);
    if (kept->n != n || strcmp(kept->on, on) != 0) continue;
    tg_table_add(table, " ");
    tg_table_add(table, " ");
    tg_table_add(table, "kept");
    if (row) {
      add_shape(table, row, best_s);
      continue;
    }
    add_names(table, kept);
    tg_table_add(table, "%d", kept->variant);
    for (int c = 0; c < 4; c++) tg_table_add(table, "-");
  }
}

static void print_best(TgPage *page, const TgShapes *shapes) {
  static const char *const heads[] = {"n",       "executor", "",     "schedule", "grid",       "transport",
                                      "variant", "tile",     "time", "Gflop/s",  "of the best"};
  TgTable *table = tg_page_table(page, "rllllllrrrr", 2, heads);
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *any = tg_shapes_at(shapes, r);
    const TgShapesRow *best = tg_shapes_best(shapes, any->n, any->on, NULL, NULL, TG_TRANSPORTS);
    if (!is_first(shapes, r) || !best) continue;
    tg_table_add(table, "%" PRId64, best->n);
    tg_table_add(table, "%s", best->on);
    tg_table_add(table, "best");
    add_shape(table, best, best->time.median_s);
    add_kept(table, shapes, best->n, best->on, best->time.median_s);
  }
}

static int by_time(const void *a, const void *b) {
  const TgShapesRow *const *x = a, *const *y = b;
  return ((*x)->time.median_s > (*y)->time.median_s) - ((*x)->time.median_s < (*y)->time.median_s);
}

/* The best of every grid, or of every schedule, the fastest first. Free with g_ptr_array_unref(). */
static GPtrArray *bests_of(const TgShapes *shapes, int64_t n, const char *on, bool by_grid) {
  GPtrArray *bests = g_ptr_array_new();
  g_autoptr(GPtrArray) names = names_of(shapes, by_grid, n, on);
  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];
    const TgShapesRow *best =
        tg_shapes_best(shapes, n, on, by_grid ? NULL : name, by_grid ? name : NULL, TG_TRANSPORTS);
    if (best) g_ptr_array_add(bests, (gpointer)best);
  }
  g_ptr_array_sort(bests, by_time);
  return bests;
}

static void print_each(TgPage *page, const TgShapes *shapes, int64_t n, const char *on, bool by_grid) {
  static const char *const heads[] = {"schedule", "grid",    "transport",   "variant",        "tile",
                                      "time",     "Gflop/s", "of the best", "its own variant"};
  g_autoptr(GPtrArray) bests = bests_of(shapes, n, on, by_grid);
  if (bests->len == 0) return;
  tg_page_add(page, "\n%s, n = %" PRId64 ": the best of each %s\n", on, n, by_grid ? "grid" : "schedule");
  TgTable *table = tg_page_table(page, "llllrrrrr", 2, heads);
  for (guint b = 0; b < bests->len; b++) {
    add_shape(table, bests->pdata[b], ((const TgShapesRow *)bests->pdata[0])->time.median_s);
    tg_page_number(table, "%.2f", own_ratio(shapes, bests->pdata[b]));
  }
}

static void print_own(TgPage *page, const TgShapes *shapes, int64_t n, const char *on) {
  guint combinations;
  const double ratio = tg_shapes_own_ratio(shapes, n, on, &combinations);
  if (combinations)
    tg_page_paragraph(page, 2,
                      "%s, n = %" PRId64 ": the variant that the executor chooses takes %.3f times as long as the best "
                      "one, in the geometric mean over %u combinations of schedule, grid and transport that were "
                      "measured in several variants.",
                      on, n, ratio, combinations);
}

/* "clusters cannon 4x4 copy 2"; without a variant where the executor had none to choose. */
static void append_name(GString *names, const TgShapesRow *row) {
  g_string_append_printf(names, "%s%s %s %s %s", names->len ? "; " : "", row->on, row->schedule, row->grid,
                         tg_transport_name(row->transport));
  if (row->variant) g_string_append_printf(names, " %d", row->variant);
}

/* All rows of a reason, at the first of them. */
static void print_reason(TgPage *page, const TgShapes *shapes, guint first) {
  const char *why = tg_shapes_at(shapes, first)->left_out;
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (strcmp(row->left_out, why) != 0) continue;
    if (r < first) return;
    append_name(names, row);
  }
  tg_page_paragraph(page, 2, "left out, %s: %s", why, names->str);
}

static void print_wrong(TgPage *page, const TgShapes *shapes) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->time.trials && !row->right) append_name(names, row);
  }
  if (names->len) tg_page_paragraph(page, 2, "WRONG, so not among the best: %s", names->str);
}

static void print_left_out(TgPage *page, const TgShapes *shapes) {
  for (guint r = 0; r < shapes->rows->len; r++)
    if (*tg_shapes_at(shapes, r)->left_out) print_reason(page, shapes, r);
}

void tg_shapes_print(const TgResults *results, TgPage *page) {
  const TgShapes *shapes = results->own;
  g_autoptr(GArray) sizes = sizes_of(shapes);
  tg_page_where(page, results);
  tg_page_add(page, "\nShapes, %s\n", tg_element_name(shapes->element));
  print_best(page, shapes);
  for (guint s = 0; s < sizes->len; s++) {
    const int64_t n = g_array_index(sizes, int64_t, s);
    for (guint r = 0; r < shapes->rows->len; r++) {
      if (tg_shapes_at(shapes, r)->n != n || !is_first(shapes, r)) continue;
      print_each(page, shapes, n, tg_shapes_at(shapes, r)->on, true);
      print_each(page, shapes, n, tg_shapes_at(shapes, r)->on, false);
    }
    tg_page_add(page, "\n");
    for (guint r = 0; r < shapes->rows->len; r++)
      if (tg_shapes_at(shapes, r)->n == n && is_first(shapes, r))
        print_own(page, shapes, n, tg_shapes_at(shapes, r)->on);
  }
  tg_page_paragraph(page, 2,
                    "variant: number of the executor's kernel, and how many it has; tile: of C at a time; of the best: "
                    "time divided by the executor's best time; its own variant: the time of the variant that the "
                    "executor chooses, divided by this one.");
  print_wrong(page, shapes);
  print_left_out(page, shapes);
  if (results->cache_path) tg_page_paragraph(page, 2, "stored in %s", results->cache_path);
}

/* --- a plot ------------------------------------------------------------------------------------------------------- */

/* A panel an executor and size, a curve a schedule: its best on each number of processors. */
char *tg_shapes_plot(const void *results, const TgPlotFormat *format) {
  const TgShapes *shapes = ((const TgResults *)results)->own;
  g_autoptr(TgChart) chart = tg_results_chart(results, "Shapes: the best variant and transport of each grid");
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *any = tg_shapes_at(shapes, r);
    if (!is_first(shapes, r)) continue;
    g_autofree char *title = g_strdup_printf("%s, n = %" PRId64, any->on, any->n);
    TgPanel *panel = tg_chart_panel(chart, title, "processors", "time, s");
    g_autoptr(GPtrArray) schedules = names_of(shapes, false, any->n, any->on);
    g_autoptr(GPtrArray) grids = names_of(shapes, true, any->n, any->on);
    for (guint i = 0; i < schedules->len * grids->len; i++) {
      const char *schedule = schedules->pdata[i / grids->len], *grid = grids->pdata[i % grids->len];
      const TgShapesRow *best = tg_shapes_best(shapes, any->n, any->on, schedule, grid, TG_TRANSPORTS);
      if (best) tg_panel_point(panel, schedule, (double)best->processors, best->time.median_s);
    }
  }
  return tg_chart_script(chart, format);
}

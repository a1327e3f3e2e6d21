/* The document of bench shapes. */
#include "shapes.h"

#include <string.h>

TG_FIELD_TABLE(instance_fields, TG_FIELD_AS(TgShapesRow, instance[0], "m"), TG_FIELD_AS(TgShapesRow, instance[1], "n"),
               TG_FIELD_AS(TgShapesRow, instance[2], "k"));
TG_FIELD_TABLE(tile_fields, TG_FIELD_AS(TgShapesRow, tile[0], "rows"), TG_FIELD_AS(TgShapesRow, tile[1], "columns"));
TG_FIELD_TABLE(size_fields, TG_FIELD_AS(TgShapesRow, n, "m"), TG_FIELD(TgShapesRow, n),
               TG_FIELD_AS(TgShapesRow, n, "k"), TG_FIELD(TgShapesRow, processors));
TG_FIELD_TABLE(facts_fields, TG_FIELD(TgShapesRow, instances), TG_FIELD(TgShapesRow, resident),
               TG_FIELD_GROUP("tile", tile_fields), TG_FIELD_GROUP("instance", instance_fields));
TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgShapesRow, error, "relative_error"),
               TG_FIELD_AS(TgShapesRow, limit, "tolerance"), TG_FIELD_AS(TgShapesRow, right, "ok"));

static void write_shape(TgJson *json, const TgShapesRow *row) {
  tg_json_member_string(json, "on", row->on);
  tg_json_member_string(json, "algorithm", row->schedule);
  tg_json_member_string(json, "grid", row->grid);
  tg_json_member_string(json, "transport", tg_transport_name(row->transport));
  tg_json_member_integer(json, "variant", row->variant);
}

static void write_row(TgJson *json, const TgShapes *shapes, const TgShapesRow *row) {
  const double flops = 2.0 * (double)row->n * (double)row->n * (double)row->n;
  tg_json_begin_object(json, TG_JSON_ROW);
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
    tg_json_member_double(json, "gflops", flops / row->time.median_s * 1e-9);
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
    const TgShapesKept *kept = &g_array_index(shapes->kept, TgShapesKept, k);
    if (kept->n != best->n || strcmp(kept->on, best->on) != 0) continue;
    const TgShapesRow *row = tg_shapes_of_kept(shapes, kept);
    tg_json_key(json, "kept");
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "algorithm", kept->schedule);
    tg_json_member_string(json, "grid", kept->grid);
    tg_json_member_string(json, "transport", tg_transport_name(kept->transport));
    tg_json_member_integer(json, "variant", kept->variant);
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
  tg_json_key(json, "best");
  tg_json_begin_object(json, TG_JSON_ROW);
  write_shape(json, best);
  tg_json_member_double(json, "time_s", best->time.median_s);
  tg_json_end_object(json);
  tg_json_member_integer(json, "compared_with_own_variant", combinations);
  tg_json_member_double(json, "own_variant_ratio", ratio);
  write_kept(json, shapes, best);
  tg_json_end_object(json);
}

TgJson *tg_shapes_document(const void *measured) {
  const TgShapes *shapes = measured;
  const TgResults *results = shapes->results;
  TgJson *json = tg_results_begin("bench-shapes", results->experiment, tg_shapes_right(measured, NULL), results->seed,
                                  &results->environment);
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < shapes->rows->len; r++) write_row(json, shapes, tg_shapes_at(shapes, r));
  tg_json_end_array(json);
  tg_json_key(json, "choices");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < shapes->rows->len; r++)
    if (is_first(shapes, r)) write_choice(json, shapes, tg_shapes_at(shapes, r));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

/* Grids too large for cells: one number a processor, and what one processor holds. */
#include "core-private.h"
#include "heat-map.h"

/* The first block of a matrix that the processor holds. */
static const TgValue *first_of(const Lab *lab, int64_t processor, int matrix) {
  for (int b = 0; b < lab->schedule.buffers; b++) {
    const int32_t length = tg_state_length(lab->frames->state, b);
    for (int32_t i = 0; i < length; i++) {
      const TgValueId id = tg_state_slot(lab->frames->state, processor, b, i);
      const TgValue *value = id ? tg_state_value(lab->frames->state, id) : NULL;
      if (!value) continue;
      if (value->kind == TG_VALUE_INPUT && value->matrix == matrix) return value;
      if (value->kind == TG_VALUE_SUM && matrix == TG_MATRIX_C) return value;
    }
  }
  return NULL;
}

/* What a map shows: a row for each entry of the page's list, in its order. */
typedef enum Part { HEAT, ROW, COLUMN, TERMS } Part;

static const struct {
  Part part;
  int of; /* HEAT: a TgHeat; else the matrix */
} shown[] = {{HEAT, TG_HEAT_LINK},  {HEAT, TG_HEAT_RECEIVED}, {HEAT, TG_HEAT_HELD},  {ROW, TG_MATRIX_A},
             {COLUMN, TG_MATRIX_A}, {ROW, TG_MATRIX_B},       {COLUMN, TG_MATRIX_B}, {TERMS, TG_MATRIX_C}};

static double value_of(const Lab *lab, int32_t what, int64_t processor) {
  const Part part = shown[what].part;
  if (part == HEAT) return tg_heat_value(lab->frame, (TgHeat)shown[what].of, processor);
  const TgValue *value = first_of(lab, processor, shown[what].of);
  if (!value) return part == TERMS ? 0 : -1;
  return part == TERMS ? value->terms : part == ROW ? value->row : value->column;
}

static float *values_kept;

/** One number a processor, for a map: number `what` of the table above. -1: none. Valid until the next call. */
EXPORT(values) const float *values(Lab *lab, int32_t number, int32_t what) {
  const TgFrame *frame = seek_frame(lab, number);
  g_clear_pointer(&values_kept, g_free);
  if (!frame || what < 0 || what >= (int32_t)G_N_ELEMENTS(shown)) return NULL;
  values_kept = g_new(float, frame->processors);
  for (int64_t p = 0; p < frame->processors; p++) values_kept[p] = (float)value_of(lab, what, p);
  return values_kept;
}

/** What a processor holds as the step ends, by slot. */
EXPORT(holds) void holds(Lab *lab, int32_t number, int32_t processor) {
  const TgFrame *frame = seek_frame(lab, number);
  begin_answer();
  tg_json_key(json, "hold");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int b = 0; frame && b < lab->schedule.buffers; b++) {
    const int32_t length = tg_state_length(lab->frames->state, b);
    for (int32_t i = 0; i < length; i++) {
      const TgValueId id = tg_state_slot(lab->frames->state, processor, b, i);
      if (!id) continue;
      const TgValue *value = tg_state_value(lab->frames->state, id);
      const TgBlockName block = tg_block_name_of(value);
      tg_json_begin_array(json, TG_JSON_ROW);
      tg_json_string(json, tg_name(&lab->names, lab->names.buffer[b]));
      tg_json_integer(json, length > 1 ? i : -1);
      write_name(&block);
      tg_json_integer(json, value->kind == TG_VALUE_SUM ? value->terms : -1);
      tg_json_end_array(json);
    }
  }
  tg_json_end_array(json);
  tg_json_member_integer(json, "received", frame ? frame->received[processor] : 0);
  tg_json_member_double(json, "busiest", frame && frame->topology ? tg_heat_value(frame, TG_HEAT_LINK, processor) : 0);
  end_answer();
}

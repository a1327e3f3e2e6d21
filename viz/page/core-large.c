/* Grids too large for cells: one number a processor, and what one processor holds. */
#include "core-private.h"
#include "heat-map.h"

void free_kept(Kept *kept) {
  g_free(kept->slot);
  g_free(kept->frame.received);
  g_free(kept->frame.held);
  g_free(kept->frame.link_blocks);
  *kept = (Kept){.frame.step = -1};
}

static void keep_slots(const Lab *lab, Kept *kept) {
  const int64_t processors = kept->frame.processors;
  int64_t slots = 0, at = 0;
  for (int b = 0; b < lab->schedule.buffers; b++)
    slots += kept->frame.length[b] = tg_state_length(lab->frames->state, b);
  kept->slot = g_new(TgBlockName, slots * processors);
  for (int b = 0; b < lab->schedule.buffers; b++) {
    for (int32_t i = 0; i < kept->frame.length[b]; i++) {
      for (int64_t p = 0; p < processors; p++) {
        const TgValueId id = tg_state_slot(lab->frames->state, p, b, i);
        kept->slot[at++] = tg_block_name_of(id ? tg_state_value(lab->frames->state, id) : NULL);
      }
    }
  }
}

/* The step, from what is kept or from the state; NULL where there is none. */
static const Kept *keep(Lab *lab, int64_t step) {
  for (int k = 0; k < (int)G_N_ELEMENTS(lab->kept); k++)
    if (lab->kept[k].frame.step == step) return &lab->kept[k];
  const TgFrame *frame = seek_frame(lab, step);
  if (!frame) return NULL;
  lab->kept_last = !lab->kept_last;
  Kept *kept = &lab->kept[lab->kept_last];
  const gsize processors = (gsize)frame->processors, links = frame->topology ? (gsize)frame->topology->links : 0;
  free_kept(kept);
  kept->frame = *frame;
  kept->frame.received = g_memdup2(frame->received, processors * sizeof *frame->received);
  kept->frame.held = g_memdup2(frame->held, processors * sizeof *frame->held);
  kept->frame.link_blocks = g_memdup2(frame->link_blocks, links * sizeof *frame->link_blocks);
  keep_slots(lab, kept);
  return kept;
}

/* The first block of a matrix that the processor holds; empty where there is none. */
static TgBlockName first_of(const Lab *lab, const Kept *kept, int64_t processor, int matrix) {
  const TgBlockName *slot = kept->slot + processor;
  for (int b = 0; b < lab->schedule.buffers; b++) {
    for (int32_t i = 0; i < kept->frame.length[b]; i++, slot += kept->frame.processors) {
      if (slot->kind == TG_VALUE_INPUT && slot->matrix == matrix) return *slot;
      if (slot->kind == TG_VALUE_SUM && matrix == TG_MATRIX_C) return *slot;
    }
  }
  return (TgBlockName){.kind = TG_VALUE_EMPTY};
}

/* What a map shows: a row for each entry of the page's list, in its order. */
typedef enum Part { HEAT, ROW, COLUMN, TERMS } Part;

static const struct {
  Part part;
  int of; /* HEAT: a TgHeat; else the matrix */
} shown[] = {{HEAT, TG_HEAT_LINK},  {HEAT, TG_HEAT_RECEIVED}, {HEAT, TG_HEAT_HELD},  {ROW, TG_MATRIX_A},
             {COLUMN, TG_MATRIX_A}, {ROW, TG_MATRIX_B},       {COLUMN, TG_MATRIX_B}, {TERMS, TG_MATRIX_C}};

static double value_of(const Lab *lab, const Kept *kept, int32_t what, int64_t processor) {
  const Part part = shown[what].part;
  if (part == HEAT) return tg_heat_value(&kept->frame, (TgHeat)shown[what].of, processor);
  const TgBlockName block = first_of(lab, kept, processor, shown[what].of);
  if (block.kind == TG_VALUE_EMPTY) return part == TERMS ? 0 : -1;
  return part == TERMS ? block.terms : part == ROW ? block.row : block.column;
}

static float *values_kept;

/** One number a processor, for a map: number `what` of the table above. -1: none. Valid until the next call. */
EXPORT(values) const float *values(Lab *lab, int32_t number, int32_t what) {
  begin_answer();
  const Kept *kept = keep(lab, number);
  end_answer();
  g_clear_pointer(&values_kept, g_free);
  if (!kept || what < 0 || what >= (int32_t)G_N_ELEMENTS(shown)) return NULL;
  values_kept = g_new(float, kept->frame.processors);
  for (int64_t p = 0; p < kept->frame.processors; p++) values_kept[p] = (float)value_of(lab, kept, what, p);
  return values_kept;
}

static void write_held(const Lab *lab, const TgBlockName *block, int buffer, int32_t index, bool many) {
  tg_json_begin_array(json, TG_JSON_ROW);
  tg_json_string(json, tg_name(&lab->names, lab->names.buffer[buffer]));
  tg_json_integer(json, many ? index : -1);
  write_name(block);
  tg_json_integer(json, block->kind == TG_VALUE_SUM ? block->terms : -1);
  tg_json_end_array(json);
}

/** What a processor holds as the step ends, by slot. */
EXPORT(holds) void holds(Lab *lab, int32_t number, int32_t processor) {
  begin_answer();
  const Kept *kept = keep(lab, number);
  if (kept) {
    const TgBlockName *slot = kept->slot + processor;
    tg_json_member_array(json, "hold", TG_JSON_ROW);
    for (int b = 0; b < lab->schedule.buffers; b++)
      for (int32_t i = 0; i < kept->frame.length[b]; i++, slot += kept->frame.processors)
        if (slot->kind != TG_VALUE_EMPTY) write_held(lab, slot, b, i, kept->frame.length[b] > 1);
    tg_json_end_array(json);
    tg_json_member_integer(json, "received", kept->frame.received[processor]);
    tg_json_member_double(json, "busiest",
                          kept->frame.topology ? tg_heat_value(&kept->frame, TG_HEAT_LINK, processor) : 0);
  }
  end_answer();
}

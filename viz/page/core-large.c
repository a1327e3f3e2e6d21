/* Grids too large for cells: one number a processor, and what one processor holds. */
#include "core-private.h"
#include "heat-map.h"

void free_kept(Kept *kept) {
  g_clear_pointer(&kept->slot, g_free);
  g_clear_pointer(&kept->received, g_free);
  g_clear_pointer(&kept->held, g_free);
  g_clear_pointer(&kept->link_blocks, g_free);
  kept->step = -1;
}

static void keep_slots(const Lab *lab, Kept *kept, int64_t processors) {
  int64_t slots = 0, at = 0;
  for (int b = 0; b < lab->schedule.buffers; b++) slots += kept->length[b] = tg_state_length(lab->frames->state, b);
  kept->slot = g_new(TgBlockName, slots * processors);
  for (int b = 0; b < lab->schedule.buffers; b++) {
    for (int32_t i = 0; i < kept->length[b]; i++) {
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
    if (lab->kept[k].step == step) return &lab->kept[k];
  const TgFrame *frame = seek_frame(lab, step);
  if (!frame) return NULL;
  lab->kept_last = !lab->kept_last;
  Kept *kept = &lab->kept[lab->kept_last];
  free_kept(kept);
  kept->step = frame->step;
  keep_slots(lab, kept, frame->processors);
  kept->received = g_memdup2(frame->received, (gsize)frame->processors * sizeof *kept->received);
  kept->held = g_memdup2(frame->held, (gsize)frame->processors * sizeof *kept->held);
  const int64_t links = frame->topology ? frame->topology->links : 0;
  kept->link_blocks = g_new(float, links + 1);
  for (int64_t link = 0; link < links; link++) kept->link_blocks[link] = (float)frame->link_blocks[link];
  return kept;
}

static double busiest_link(const Lab *lab, const Kept *kept, int64_t processor) {
  TgHop hop;
  double most = 0;
  const TgFrame *frame = &lab->frames->frame;
  for (int64_t i = 0; frame->topology && tg_topology_neighbour(frame->topology, frame->node[processor], i, &hop); i++)
    most = MAX(most, (double)kept->link_blocks[hop.link]);
  return most;
}

/* The first block of a matrix that the processor holds; empty where there is none. */
static TgBlockName first_of(const Lab *lab, const Kept *kept, int64_t processor, int matrix) {
  const TgBlockName *slot = kept->slot + processor;
  const int64_t processors = lab->frames->frame.processors;
  for (int b = 0; b < lab->schedule.buffers; b++) {
    for (int32_t i = 0; i < kept->length[b]; i++, slot += processors) {
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

static double heat_of(const Lab *lab, const Kept *kept, TgHeat heat, int64_t processor) {
  if (heat == TG_HEAT_LINK) return busiest_link(lab, kept, processor);
  return heat == TG_HEAT_HELD ? kept->held[processor] : kept->received[processor];
}

static double value_of(const Lab *lab, const Kept *kept, int32_t what, int64_t processor) {
  const Part part = shown[what].part;
  if (part == HEAT) return heat_of(lab, kept, (TgHeat)shown[what].of, processor);
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
  const int64_t processors = lab->frames->frame.processors;
  values_kept = g_new(float, processors);
  for (int64_t p = 0; p < processors; p++) values_kept[p] = (float)value_of(lab, kept, what, p);
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
    tg_json_key(json, "hold");
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int b = 0; b < lab->schedule.buffers; b++)
      for (int32_t i = 0; i < kept->length[b]; i++, slot += lab->frames->frame.processors)
        if (slot->kind != TG_VALUE_EMPTY) write_held(lab, slot, b, i, kept->length[b] > 1);
    tg_json_end_array(json);
    tg_json_member_integer(json, "received", kept->received[processor]);
    tg_json_member_double(json, "busiest", busiest_link(lab, kept, processor));
  }
  end_answer();
}

/* One step: facts, picture. */
#include "core-private.h"
#include "picture.h"
#include "scene-change.h"

static void write_messages(const TgFrame *frame) {
  tg_json_member_array(json, "message", TG_JSON_ROW);
  for (int64_t m = 0; frame->detail && m < frame->messages; m++) {
    const TgFrameMessage *message = &frame->message[m];
    tg_json_begin_array(json, TG_JSON_ROW);
    write_integers((int64_t[]){message->from, message->to}, 2);
    write_name(&message->block);
    write_integers((int64_t[]){message->round, message->piece, message->pieces, message->add, message->line}, 5);
    tg_json_end_array(json);
  }
  tg_json_end_array(json);
}

static void write_products(const TgFrame *frame) {
  tg_json_member_array(json, "product", TG_JSON_ROW);
  for (int64_t p = 0; frame->detail && p < frame->products; p++) {
    const TgFrameProduct *product = &frame->product[p];
    tg_json_begin_array(json, TG_JSON_ROW);
    tg_json_integer(json, product->processor);
    write_name(&product->result);
    write_name(&product->left);
    write_name(&product->right);
    write_integers((int64_t[]){product->replace, product->left_transposed, product->right_transposed, product->line},
                   4);
    tg_json_end_array(json);
  }
  tg_json_end_array(json);
}

/* Inner indices in a sum, as "0110"; "0210" where the first of those is in it twice. */
static void write_terms(const Lab *lab, TgValueId value) {
  g_autoptr(GString) terms = g_string_new(NULL);
  const int32_t twice = tg_state_value(lab->frames->state, value)->twice;
  for (int32_t t = 0; t < lab->schedule.inner; t++)
    g_string_append_c(terms, t == twice ? '2' : tg_state_value_has(lab->frames->state, value, t) ? '1' : '0');
  tg_json_string(json, terms->str);
}

/* By processor and slot: what it holds as the step ends, what the picture shows, and of a sum its terms. */
static void write_slots(const Lab *lab) {
  const TgFrame *frame = lab->frame;
  tg_json_member_array(json, "hold", TG_JSON_ROW);
  for (int64_t p = 0; frame->detail && p < frame->processors; p++) {
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int b = 0; b < lab->schedule.buffers; b++) {
      for (int32_t i = 0; i < frame->length[b]; i++) {
        const TgFrameSlot *slot = tg_frame_slot(frame, p, b, i);
        tg_json_begin_array(json, TG_JSON_ROW);
        write_name(&slot->after);
        write_name(tg_frame_slot_shown(slot));
        if (slot->after.kind == TG_VALUE_SUM) write_terms(lab, tg_state_slot(lab->frames->state, p, b, i));
        tg_json_end_array(json);
      }
    }
    tg_json_end_array(json);
  }
  tg_json_end_array(json);
}

/* C blocks on their places: how many of all inner indices are in each. */
static void write_progress(const Lab *lab) {
  const TgSchedule *schedule = &lab->schedule;
  int64_t complete = 0, terms = 0;
  const int64_t rows = schedule->blocks[TG_MATRIX_C][0], columns = schedule->blocks[TG_MATRIX_C][1];
  const bool product = schedule->computes.right != TG_MATRICES;
  for (int32_t i = 0; i < rows; i++) {
    for (int32_t j = 0; j < columns; j++) {
      int64_t processor;
      int buffer;
      int32_t index;
      if (!tg_state_c_place(lab->frames->state, i, j, &processor, &buffer, &index)) continue;
      const TgValueId id = tg_state_slot(lab->frames->state, processor, buffer, index);
      const TgValue *value = id ? tg_state_value(lab->frames->state, id) : NULL;
      const bool sum = value && value->kind == TG_VALUE_SUM && value->row == i && value->column == j;
      if (sum) terms += value->terms;
      if (product ? sum && value->terms == schedule->inner && value->twice < 0 : value != NULL) complete++;
    }
  }
  tg_json_member_integer(json, "complete", complete);
  tg_json_member_integer(json, "c_blocks", rows * columns);
  tg_json_member_integer(json, "terms", terms);
}

/** Facts of a step: `detail` also what slots hold, messages and products. The step may be the last that there is
 * instead, where the schedule fails before. */
EXPORT(step) void step(Lab *lab, int32_t number, int32_t detail) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgFrame, step), TG_FIELD(TgFrame, label), TG_FIELD(TgFrame, note),
                 TG_FIELD(TgFrame, messages), TG_FIELD(TgFrame, products));
  begin_answer();
  const TgFrame *frame = seek_frame(lab, number);
  if (frame) {
    tg_json_members(json, fields, frame);
    tg_json_member_integer(json, "last", tg_frames_steps(lab->frames));
    g_autofree char *title = tg_picture_title(frame), *totals = tg_picture_totals(frame);
    tg_json_member_string(json, "title", title);
    tg_json_member_string(json, "totals", totals);
    if (frame->processors <= LARGE_PROCESSORS) write_progress(lab);
    write_failure(&lab->schedule, frame->failure);
    if (detail) {
      write_messages(frame);
      write_products(frame);
      write_slots(lab);
    }
  }
  end_answer();
}

/** The picture of a step; every id begins with `prefix`. What is drawn stands for the next call, whose answer is then
 * what differs, as scene-change.h has it; `<svg …>` where the whole is asked for. */
EXPORT(picture)
void picture(Lab *lab, int32_t number, const char *prefix, size_t length, int32_t whole) {
  const TgFrame *frame = seek_frame(lab, number);
  g_autofree char *start = g_strndup(prefix, length);
  g_autoptr(TgScene) before = g_steal_pointer(&lab->scene);
  lab->scene = frame ? tg_picture_bare(frame, lab->settings.heat) : NULL;
  if (lab->renamed) g_string_free(lab->renamed, TRUE);
  lab->renamed = g_string_new(NULL);
  if (!lab->scene)
    take_answer(g_string_new(""));
  else if (before && !whole)
    take_answer(tg_scene_change(before, lab->scene, start, lab->renamed));
  else
    take_answer(tg_scene_svg(lab->scene, start));
}

/** The names of what picture() answered, as scene-change.h has them; nothing where that was the whole. To be
 * asked for once. */
EXPORT(picture_names) void picture_names(Lab *lab) {
  take_answer(lab->renamed ? lab->renamed : g_string_new(NULL));
  lab->renamed = NULL;
}

/** The picture drawn last, for LaTeX. */
EXPORT(tikz) void tikz(Lab *lab) {
  take_answer(lab->scene ? tg_scene_tikz(lab->scene) : g_string_new(""));
}

/** How the picture drawn last is to be read. */
EXPORT(reading) void reading(Lab *lab) {
  take_answer(g_string_new(lab->scene ? tg_scene_description(lab->scene) : ""));
}

/** @file core.c
 * The page's module: the parser, walker, prover, cost models and pictures of topogemm, compiled to WebAssembly, for the
 * page's script to call. Every exported function that answers leaves a text (JSON or SVG) at answer(), answer_length()
 * bytes of UTF-8, valid until the next call. A laboratory is one schedule with its settings; a page may have several.
 */
#include "cost.h"
#include "counter-random.h"
#include "frame-private.h"
#include "json-writer.h"
#include "layout.h"
#include "picture.h"
#include "prove.h"
#include "scene-svg.h"

#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/** What the page asks for, as lines of `key=value`. */
typedef struct Settings {
  TgBindings bindings;
  char network[TG_TOPOLOGY_TEXT_BYTES];
  TgEmbeddingKind embedding;
  TgCollective collective;
  TgHeat heat;
} Settings;

typedef struct Lab {
  TgSchedule schedule;
  TgScheduleNames names;
  Settings settings;
  TgTopology network;
  TgEmbedding embedding;
  TgFrames *frames;
  const TgFrame *frame;
  char *reading;
} Lab;

static GString *text;
static TgJson *json;

EXPORT(answer) const char *answer(void) {
  return text ? text->str : "";
}
EXPORT(answer_length) size_t answer_length(void) {
  return text ? text->len : 0;
}
EXPORT(room) void *room(size_t bytes) {
  return g_malloc(bytes);
}
EXPORT(forget) void forget(void *memory) {
  g_free(memory);
}

static void begin_answer(void) {
  if (json) tg_json_free(json);
  json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_ROW);
}

static void end_answer(void) {
  size_t length;
  tg_json_end_object(json);
  const char *whole = tg_json_text(json, &length);
  if (text) g_string_free(text, TRUE);
  text = g_string_sized_new(length);
  g_string_append_len(text, whole, (gssize)length);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static bool set_value(TgBindings *bindings, const char *value, TgError *error) {
  const char *sign = strchr(value, '=');
  char name[TG_NAME_LENGTH];
  if (!sign || sign == value || sign - value >= TG_NAME_LENGTH)
    return tg_error_set(error, 0, 0, "`%s`: expected a parameter and its value, as in c=2", value);
  g_strlcpy(name, value, (gsize)(sign - value) + 1);
  char *end;
  const long long number = strtoll(sign + 1, &end, 10);
  if (end == sign + 1 || *end) return tg_error_set(error, 0, 0, "`%s`: expected a whole number after =", value);
  return tg_bindings_set(bindings, name, number, error);
}

static bool read_setting(Settings *settings, const char *key, const char *value, TgError *error) {
  static const char *const heats[] = {"auto", "link", "received", "held"};
  if (strcmp(key, "grid") == 0) return tg_bindings_grid(&settings->bindings, value, error);
  if (strcmp(key, "set") == 0) return set_value(&settings->bindings, value, error);
  if (strcmp(key, "collective") == 0) return tg_collective_parse(value, &settings->collective, error);
  if (strcmp(key, "embed") == 0) return tg_embedding_kind_parse(&settings->embedding, value, error);
  if (strcmp(key, "network") == 0) return g_strlcpy(settings->network, value, sizeof settings->network) > 0;
  for (int h = 0; h < (int)G_N_ELEMENTS(heats); h++)
    if (strcmp(key, "heat") == 0 && strcmp(value, heats[h]) == 0) settings->heat = (TgHeat)h;
  return true;
}

static bool read_settings(Settings *settings, const char *lines, TgError *error) {
  char **line = g_strsplit(lines, "\n", -1);
  bool good = true;
  for (char **at = line; *at && good; at++) {
    char *sign = strchr(*at, '=');
    if (!sign || !sign[1]) continue;
    *sign = '\0';
    good = read_setting(settings, *at, sign + 1, error);
  }
  g_strfreev(line);
  return good;
}

/* Without a network the grid's own torus or ring. */
static bool lay(Lab *lab, TgError *error) {
  const TgSchedule *schedule = &lab->schedule;
  const bool named = *lab->settings.network != '\0';
  if (named && !tg_topology_parse(&lab->network, lab->settings.network, error)) return false;
  const TgNetworkKind kind = schedule->dims == 1 ? TG_RING : TG_TORUS;
  if (!named && !tg_topology_init(&lab->network, kind, schedule->dims, schedule->extent, error)) return false;
  return tg_embedding_init(&lab->embedding, lab->settings.embedding, schedule->dims, schedule->extent, &lab->network,
                           error);
}

static void write_error(const char *stage, const TgError *error) {
  tg_json_key(json, "error");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "stage", stage);
  tg_json_member_integer(json, "line", error->line);
  tg_json_member_integer(json, "column", error->column);
  tg_json_member_string(json, "message", error->message);
  tg_json_end_object(json);
}

static void write_failure(const TgSchedule *schedule, const TgFailure *failure) {
  g_autoptr(GString) id = g_string_new(NULL), name = g_string_new(NULL);
  tg_json_key(json, "failure");
  if (!failure) {
    tg_json_null(json);
    return;
  }
  if (failure->processor >= 0) {
    tg_processor_id_append(id, schedule, failure->processor);
    tg_processor_append(name, schedule, failure->processor);
  }
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "step", failure->step);
  tg_json_member_integer(json, "line", failure->line);
  tg_json_member_integer(json, "processor", failure->processor);
  tg_json_member_string(json, "id", id->str);
  tg_json_member_string(json, "name", name->str);
  tg_json_member_string(json, "message", failure->message);
  tg_json_end_object(json);
}

enum { STEPS_LISTED = 20000, PROGRESS_PROCESSORS = 1 << 16 };

static void begin_step(const TgWalk *walk) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "label", tg_walk_label(walk));
  tg_json_member_string(json, "note", tg_walk_note(walk));
  tg_json_key(json, "lines");
  tg_json_begin_array(json, TG_JSON_ROW);
}

static void end_step(void) {
  tg_json_end_array(json);
  tg_json_end_object(json);
}

/* Every step with its label, its note and the lines that it executes; loops repeat lines. */
static void write_steps(const Lab *lab) {
  TgWalk walk;
  TgError error;
  int64_t step = 0;
  uint64_t seen = 0; /* statements of the step */
  tg_json_key(json, "steps");
  tg_json_begin_array(json, TG_JSON_ROW);
  tg_walk_init(&walk, &lab->schedule, &lab->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE && walk.step <= STEPS_LISTED) {
    if (walk.step != step) {
      if (step) end_step();
      begin_step(&walk);
      seen = 0;
    }
    step = walk.step;
    if (!(seen >> walk.statement & 1)) tg_json_integer(json, lab->schedule.statement[walk.statement].line);
    seen |= UINT64_C(1) << walk.statement;
  }
  if (step) end_step();
  tg_json_end_array(json);
}

static void write_slot_names(const Lab *lab) {
  const TgFrame *frame = &lab->frames->frame;
  tg_json_key(json, "slots");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int b = 0; frame->detail && b < lab->schedule.buffers; b++) {
    const char *name = tg_name(&lab->names, lab->names.buffer[b]);
    for (int32_t i = 0; i < frame->length[b]; i++) {
      g_autofree char *slot = frame->length[b] > 1 ? g_strdup_printf("%s[%d]", name, i) : g_strdup(name);
      tg_json_string(json, slot);
    }
  }
  tg_json_end_array(json);
}

static void write_facts(const Lab *lab) {
  const TgSchedule *schedule = &lab->schedule;
  char network[TG_TOPOLOGY_TEXT_BYTES], grid[48];
  static const char *const matrices[] = {"A", "B", "C"};
  tg_topology_format(&lab->network, network, sizeof network);
  tg_schedule_grid_text(schedule, grid, sizeof grid);
  tg_json_member_string(json, "title", tg_name(&lab->names, lab->names.title));
  tg_json_member_string(json, "citation", tg_name(&lab->names, lab->names.citation));
  tg_json_member_string(json, "grid", grid);
  tg_json_member_string(json, "network", network);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)lab->settings.embedding));
  tg_json_member_string(json, "collective", tg_collective_name(lab->settings.collective));
  tg_json_member_integer(json, "processors", tg_schedule_processors(schedule));
  tg_json_member_integer(json, "inner", schedule->inner);
  tg_json_member_bool(json, "detail", lab->frames->frame.detail);
  tg_json_key(json, "extents");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int c = 0; c < schedule->dims; c++) tg_json_integer(json, schedule->extent[c]);
  tg_json_end_array(json);
  tg_json_key(json, "axes");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int c = 0; c < schedule->dims; c++) tg_json_string(json, tg_name(&lab->names, lab->names.axis[c]));
  tg_json_end_array(json);
  tg_json_key(json, "blocks");
  tg_json_begin_object(json, TG_JSON_ROW);
  for (int m = 0; m < TG_MATRICES; m++) {
    tg_json_key(json, matrices[m]);
    tg_json_begin_array(json, TG_JSON_ROW);
    tg_json_integer(json, schedule->blocks[m][0]);
    tg_json_integer(json, schedule->blocks[m][1]);
    tg_json_end_array(json);
  }
  tg_json_end_object(json);
  tg_json_key(json, "computes");
  tg_json_begin_array(json, TG_JSON_ROW);
  tg_json_integer(json, schedule->computes.left);
  tg_json_integer(json, schedule->computes.left_transposed);
  tg_json_integer(json, schedule->computes.right);
  tg_json_integer(json, schedule->computes.right_transposed);
  tg_json_end_array(json);
}

/* Of every block of C, row by row, the processor and the slot in which it must end. */
static void write_c_places(const Lab *lab) {
  const TgFrame *frame = &lab->frames->frame;
  tg_json_key(json, "c_place");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int32_t i = 0; frame->detail && i < lab->schedule.blocks[TG_MATRIX_C][0]; i++) {
    for (int32_t j = 0; j < lab->schedule.blocks[TG_MATRIX_C][1]; j++) {
      int64_t processor = -1;
      int buffer = 0;
      int32_t index = 0;
      tg_state_c_place(lab->frames->state, i, j, &processor, &buffer, &index);
      tg_json_begin_array(json, TG_JSON_ROW);
      tg_json_integer(json, processor);
      tg_json_integer(json, frame->first[buffer] + index);
      tg_json_end_array(json);
    }
  }
  tg_json_end_array(json);
}

/* The proof takes as long as all steps together; the page asks for it apart. */
EXPORT(prove) void prove(Lab *lab) {
  TgProof *proof = g_new0(TgProof, 1);
  int64_t m, n, k;
  tg_proof_sizes(&lab->schedule, &m, &n, &k);
  const bool ok = tg_prove(&lab->schedule, &lab->names, lab->settings.collective, m, n, k, proof);
  begin_answer();
  tg_json_member_bool(json, "ok", ok);
  write_failure(&lab->schedule, ok ? NULL : &proof->failure);
  tg_json_member_integer(json, "products", proof->counts.products);
  tg_json_member_integer(json, "messages", proof->counts.messages);
  tg_json_member_integer(json, "blocks_most", proof->counts.blocks_per_processor_max);
  tg_json_member_integer(json, "words_received_most", proof->words_received_max);
  tg_json_member_integer(json, "unread", proof->unread_count);
  end_answer();
  g_free(proof);
}

EXPORT(shut) void shut(Lab *lab) {
  if (lab->frames) tg_frames_free(lab->frames);
  g_free(lab->reading);
  g_free(lab);
}

static bool open_frames(Lab *lab) {
  GError *error = NULL;
  const TgFrameOptions options = {.topology = &lab->network,
                                  .embedding = &lab->embedding,
                                  .collective = lab->settings.collective,
                                  .to_the_error = true};
  lab->frames = tg_frames_new(&lab->schedule, &lab->names, &options, &error);
  if (!lab->frames) {
    TgError at = {0};
    tg_error_set(&at, 0, 0, "%s", error->message);
    write_error("run", &at);
    g_clear_error(&error);
  }
  return lab->frames != NULL;
}

/** A laboratory for `length` bytes of a schedule, with settings of `settings_length` bytes; NULL where the answer's
 * `error` says what is wrong, at which line and column of the schedule. */
EXPORT(open) Lab *open_lab(const char *schedule, size_t length, const char *settings, size_t settings_length) {
  Lab *lab = g_new0(Lab, 1);
  TgError error = {0};
  const char *stage = NULL;
  g_autofree char *lines = g_strndup(settings, settings_length);
  lab->settings.collective = TG_COLLECTIVE_WHOLE;
  begin_answer();
  if (!tg_schedule_parse(&lab->schedule, &lab->names, schedule, length, &error))
    stage = "parse";
  else if (!read_settings(&lab->settings, lines, &error))
    stage = "settings";
  else if (!tg_schedule_bind(&lab->schedule, &lab->names, &lab->settings.bindings, &error))
    stage = "bind";
  else if (!lay(lab, &error))
    stage = "network";
  if (stage) write_error(stage, &error);
  const bool good = !stage && open_frames(lab);
  if (good) {
    write_facts(lab);
    tg_json_member_integer(json, "last", tg_frames_steps(lab->frames));
    tg_json_member_bool(json, "cells", lab->frames->frame.detail && tg_layout_is_full(&lab->frames->frame));
    write_slot_names(lab);
    write_c_places(lab);
    write_steps(lab);
  }
  end_answer();
  if (good) return lab;
  shut(lab);
  return NULL;
}

/* --- a step ------------------------------------------------------------------------------------------------------- */

static void write_name(const TgBlockName *block) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_block_name_append(name, block);
  tg_json_string(json, name->str);
}

static void write_messages(const TgFrame *frame) {
  tg_json_key(json, "message");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int64_t m = 0; frame->detail && m < frame->messages; m++) {
    const TgFrameMessage *message = &frame->message[m];
    tg_json_begin_array(json, TG_JSON_ROW);
    tg_json_integer(json, message->from);
    tg_json_integer(json, message->to);
    write_name(&message->block);
    tg_json_integer(json, message->round);
    tg_json_integer(json, message->piece);
    tg_json_integer(json, message->pieces);
    tg_json_integer(json, message->add);
    tg_json_integer(json, message->line);
    tg_json_end_array(json);
  }
  tg_json_end_array(json);
}

static void write_products(const TgFrame *frame) {
  tg_json_key(json, "product");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int64_t p = 0; frame->detail && p < frame->products; p++) {
    const TgFrameProduct *product = &frame->product[p];
    tg_json_begin_array(json, TG_JSON_ROW);
    tg_json_integer(json, product->processor);
    write_name(&product->result);
    write_name(&product->left);
    write_name(&product->right);
    tg_json_integer(json, product->replace);
    tg_json_integer(json, product->left_transposed);
    tg_json_integer(json, product->right_transposed);
    tg_json_integer(json, product->line);
    tg_json_end_array(json);
  }
  tg_json_end_array(json);
}

/* Inner indices in a sum, as "0110". */
static void write_terms(const Lab *lab, TgValueId value) {
  g_autoptr(GString) terms = g_string_new(NULL);
  for (int32_t t = 0; t < lab->schedule.inner; t++)
    g_string_append_c(terms, tg_state_value_has(lab->frames->state, value, t) ? '1' : '0');
  tg_json_string(json, terms->str);
}

/* By processor and slot: what it held before, what it holds, and of a sum its terms. */
static void write_slots(const Lab *lab) {
  const TgFrame *frame = lab->frame;
  tg_json_key(json, "hold");
  tg_json_begin_array(json, TG_JSON_ROW);
  for (int64_t p = 0; frame->detail && p < frame->processors; p++) {
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int b = 0; b < lab->schedule.buffers; b++) {
      for (int32_t i = 0; i < frame->length[b]; i++) {
        const TgFrameSlot *slot = tg_frame_slot(frame, p, b, i);
        tg_json_begin_array(json, TG_JSON_ROW);
        write_name(&slot->before);
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

static const TgFrame *seek(Lab *lab, int64_t step) {
  GError *error = NULL;
  if (lab->frame && lab->frame->step == step) return lab->frame;
  if (step > tg_frames_steps(lab->frames)) step = tg_frames_steps(lab->frames);
  const TgFrame *frame = tg_frames_seek(lab->frames, step, &error);
  if (!frame && !error) frame = tg_frames_seek(lab->frames, tg_frames_steps(lab->frames), &error);
  lab->frame = frame;
  g_clear_error(&error);
  return frame;
}

/** Facts of a step: `detail` also what slots hold, messages and products. The step may be the last that there is
 * instead, where the schedule fails before. */
EXPORT(step) void step(Lab *lab, int32_t number, int32_t detail) {
  const TgFrame *frame = seek(lab, number);
  begin_answer();
  if (frame) {
    tg_json_member_integer(json, "step", frame->step);
    tg_json_member_integer(json, "last", tg_frames_steps(lab->frames));
    g_autofree char *title = tg_picture_title(frame), *totals = tg_picture_totals(frame);
    tg_json_member_string(json, "title", title);
    tg_json_member_string(json, "totals", totals);
    tg_json_member_string(json, "label", frame->label);
    tg_json_member_string(json, "note", frame->note);
    tg_json_member_integer(json, "messages", frame->messages);
    tg_json_member_integer(json, "products", frame->products);
    tg_json_member_double(json, "busiest", frame->link_blocks_max);
    if (frame->processors <= PROGRESS_PROCESSORS) write_progress(lab);
    write_failure(&lab->schedule, frame->failure);
    if (detail) {
      write_messages(frame);
      write_products(frame);
      write_slots(lab);
    }
  }
  end_answer();
}

static void take(GString *svg) {
  if (text) g_string_free(text, TRUE);
  text = svg;
}

/** The picture of a step; every id begins with `prefix`. */
EXPORT(picture) void picture(Lab *lab, int32_t number, const char *prefix, size_t length) {
  const TgFrame *frame = seek(lab, number);
  g_autofree char *before = g_strndup(prefix, length);
  g_autoptr(TgScene) scene = frame ? tg_picture_bare(frame, lab->settings.heat) : NULL;
  g_clear_pointer(&lab->reading, g_free);
  lab->reading = g_strdup(scene ? tg_scene_description(scene) : "");
  take(scene ? tg_scene_svg(scene, before) : g_string_new(""));
}

/** How the picture drawn last is to be read. */
EXPORT(reading) void reading(Lab *lab) {
  take(g_string_new(lab->reading ? lab->reading : ""));
}

/* --- large grids -------------------------------------------------------------------------------------------------- */

typedef double (*Value)(const Lab *lab, int64_t processor);

static double busiest_of(const Lab *lab, int64_t processor) {
  const TgFrame *frame = lab->frame;
  TgHop hop;
  double most = 0;
  for (int64_t i = 0; tg_topology_neighbour(frame->topology, frame->node[processor], i, &hop); i++)
    most = MAX(most, frame->link_blocks[hop.link]);
  return most;
}
static double received_of(const Lab *lab, int64_t processor) {
  return lab->frame->received[processor];
}
static double held_of(const Lab *lab, int64_t processor) {
  return lab->frame->held[processor];
}

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
static double a_row_of(const Lab *lab, int64_t processor) {
  const TgValue *value = first_of(lab, processor, TG_MATRIX_A);
  return value ? value->row : -1;
}
static double a_column_of(const Lab *lab, int64_t processor) {
  const TgValue *value = first_of(lab, processor, TG_MATRIX_A);
  return value ? value->column : -1;
}
static double b_row_of(const Lab *lab, int64_t processor) {
  const TgValue *value = first_of(lab, processor, TG_MATRIX_B);
  return value ? value->row : -1;
}
static double b_column_of(const Lab *lab, int64_t processor) {
  const TgValue *value = first_of(lab, processor, TG_MATRIX_B);
  return value ? value->column : -1;
}
static double terms_of(const Lab *lab, int64_t processor) {
  const TgValue *value = first_of(lab, processor, TG_MATRIX_C);
  return value ? value->terms : 0;
}

/* In the order of the page's list. */
static const Value values_table[] = {busiest_of,  received_of, held_of,     a_row_of,
                                     a_column_of, b_row_of,    b_column_of, terms_of};

static float *values_kept;

/** One number a processor, for a map: number `what` of the table above. -1: none. Valid until the next call. */
EXPORT(values) const float *values(Lab *lab, int32_t number, int32_t what) {
  const TgFrame *frame = seek(lab, number);
  g_clear_pointer(&values_kept, g_free);
  if (!frame || what < 0 || what >= (int32_t)G_N_ELEMENTS(values_table)) return NULL;
  values_kept = g_new(float, frame->processors);
  for (int64_t p = 0; p < frame->processors; p++) values_kept[p] = (float)values_table[what](lab, p);
  return values_kept;
}

/** What a processor holds as the step ends, by slot. */
EXPORT(holds) void holds(Lab *lab, int32_t number, int32_t processor) {
  const TgFrame *frame = seek(lab, number);
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
  tg_json_member_double(json, "busiest", frame && frame->topology ? busiest_of(lab, processor) : 0);
  end_answer();
}

/** An element of the matrices that `step --integers` draws: `seed` is twice the option's, one more for B. */
EXPORT(integer) int32_t integer(double seed, double index) {
  enum { LARGEST = 4 };
  return tg_random_integer((uint64_t)seed, (uint64_t)index, -LARGEST, LARGEST);
}

/* --- time --------------------------------------------------------------------------------------------------------- */

static bool predict(const Lab *lab, int64_t m, int64_t n, int64_t k, int32_t element_bytes, const char *machine_text,
                    size_t length, TgCost *cost, TgError *error) {
  GError *failure = NULL;
  TgMachine *machine = g_new0(TgMachine, 1);
  TgShape shape;
  const TgCostOptions options = {.model = TG_COST_HOCKNEY,
                                 .collective = lab->settings.collective,
                                 .overlap = true,
                                 .straggler = -1,
                                 .straggler_factor = 1,
                                 .element_bytes = element_bytes};
  bool done = tg_machine_parse(machine, machine_text, length, error);
  if (done)
    done = tg_shape_init(&shape, &lab->schedule.computes, m, n, k, &failure) &&
           tg_cost_predict(&lab->schedule, &lab->names, &shape, &lab->network, lab->settings.embedding, machine,
                           &options, cost, &failure);
  if (failure) tg_error_set(error, 0, 0, "%s", failure->message);
  g_clear_error(&failure);
  g_free(machine);
  return done;
}

/** The time that model hockney predicts for C m x n and inner dimension k on a machine file. */
EXPORT(time_of)
void time_of(const Lab *lab, double m, double n, double k, int32_t element_bytes, const char *machine, size_t length) {
  TgError error = {0};
  TgCost cost = {0};
  begin_answer();
  if (predict(lab, (int64_t)m, (int64_t)n, (int64_t)k, element_bytes, machine, length, &cost, &error)) {
    tg_json_member_double(json, "time_s", cost.time_s);
    tg_json_member_double(json, "compute_s", cost.compute_s);
    tg_json_member_double(json, "communication_s", cost.communication_s);
    tg_json_member_integer(json, "messages", cost.messages);
    tg_json_member_integer(json, "bytes", cost.bytes);
    tg_json_member_integer(json, "hop_bytes", cost.hop_bytes);
    tg_json_key(json, "step");
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int64_t s = 0; s < cost.trace.steps && s < STEPS_LISTED; s++) {
      const TgTraceStep *one = &cost.trace.step[s];
      tg_json_begin_array(json, TG_JSON_ROW);
      tg_json_double(json, one->start_s);
      tg_json_double(json, one->end_s);
      tg_json_integer(json, one->messages);
      tg_json_integer(json, one->bytes);
      tg_json_integer(json, one->hop_bytes);
      tg_json_end_array(json);
    }
    tg_json_end_array(json);
    tg_cost_clear(&cost);
  } else {
    write_error("machine", &error);
  }
  end_answer();
}

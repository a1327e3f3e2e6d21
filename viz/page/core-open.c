/* Opening a laboratory: what a schedule asks for, what there is to say of it before any step, and the proof. */
#include <string.h>

#include "core-private.h"
#include "layout.h"

static bool read_setting(Settings *settings, const char *key, const char *value, TgError *error) {
  if (strcmp(key, "grid") == 0) return tg_bindings_grid(&settings->bindings, value, error);
  if (strcmp(key, "set") == 0) return tg_bindings_parse(&settings->bindings, value, error);
  if (strcmp(key, "collective") == 0) return tg_collective_parse(value, &settings->collective, error);
  if (strcmp(key, "embed") == 0) return tg_embedding_kind_parse(&settings->embedding, value, error);
  if (strcmp(key, "network") == 0) return g_strlcpy(settings->network, value, sizeof settings->network) > 0;
  return strcmp(key, "heat") != 0 || tg_heat_parse(value, &settings->heat) ||
         tg_error_set(error, 0, 0, "`%s`: expected auto, link, received or held", value);
}

/* The settings of lines `key=value`; the key of the first one that is wrong, or NULL. */
static const char *read_settings(Settings *settings, const char *lines, TgError *error) {
  static const char *const keys[] = {"grid", "set", "collective", "embed", "network", "heat"};
  g_auto(GStrv) line = g_strsplit(lines, "\n", -1);
  for (char **at = line; *at; at++) {
    char *sign = strchr(*at, '=');
    if (!sign || !sign[1]) continue;
    *sign = '\0';
    if (read_setting(settings, *at, sign + 1, error)) continue;
    for (size_t k = 0; k < G_N_ELEMENTS(keys); k++)
      if (strcmp(*at, keys[k]) == 0) return keys[k];
  }
  return NULL;
}

/* Counts no further than one more than the page allows. */
static void count_executions(Lab *lab) {
  TgWalk walk;
  TgError error;
  tg_walk_init(&walk, &lab->schedule, &lab->names);
  while (lab->executions <= MOST_EXECUTIONS && tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) lab->executions++;
}

static void begin_step(const TgWalk *walk) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "label", tg_walk_label(walk));
  tg_json_member_string(json, "note", tg_walk_note(walk));
  tg_json_member_array(json, "lines", TG_JSON_ROW);
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
  tg_json_member_array(json, "steps", TG_JSON_ROW);
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
  const TgFrame *frame = lab->frames ? &lab->frames->frame : NULL;
  tg_json_member_array(json, "slots", TG_JSON_ROW);
  for (int b = 0; frame && frame->detail && b < lab->schedule.buffers; b++) {
    const char *name = tg_name(&lab->names, lab->names.buffer[b]);
    for (int32_t i = 0; i < frame->length[b]; i++) {
      g_autofree char *slot = frame->length[b] > 1 ? g_strdup_printf("%s[%d]", name, i) : g_strdup(name);
      tg_json_string(json, slot);
    }
  }
  tg_json_end_array(json);
}

static bool is_large(const Lab *lab) {
  const int64_t processors = tg_schedule_processors(&lab->schedule);
  return processors >= LARGE_PROCESSORS || processors * lab->executions >= LARGE_WORK;
}

static void write_names(const Lab *lab) {
  const TgSchedule *schedule = &lab->schedule;
  const TgComputes *computes = &schedule->computes;
  char network[TG_TOPOLOGY_TEXT_BYTES];
  static const char *const matrices[] = {"A", "B", "C"};
  tg_topology_format(&lab->network, network, sizeof network);
  tg_json_member_string(json, "title", tg_name(&lab->names, lab->names.display));
  tg_json_member_string(json, "citation", tg_name(&lab->names, lab->names.citation));
  tg_json_member_string(json, "grid", tg_schedule_grid_text(schedule).s);
  tg_json_member_string(json, "network", network);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)lab->settings.embedding));
  tg_json_member_string(json, "collective", tg_collective_name(lab->settings.collective));
  tg_json_member_integer(json, "processors", tg_schedule_processors(schedule));
  tg_json_member_integer(json, "inner", schedule->inner);
  tg_json_member_integer(json, "work", lab->executions * tg_schedule_processors(schedule));
  tg_json_member_bool(json, "large", is_large(lab));
  tg_json_member_bool(json, "detail", lab->frames && lab->frames->frame.detail);
  tg_json_member_array(json, "extents", TG_JSON_ROW);
  for (int c = 0; c < schedule->dims; c++) tg_json_integer(json, schedule->extent[c]);
  tg_json_end_array(json);
  tg_json_member_array(json, "axes", TG_JSON_ROW);
  for (int c = 0; c < schedule->dims; c++) tg_json_string(json, tg_name(&lab->names, lab->names.axis[c]));
  tg_json_end_array(json);
  tg_json_member_object(json, "blocks", TG_JSON_ROW);
  for (int m = 0; m < TG_MATRICES; m++) {
    tg_json_member_array(json, matrices[m], TG_JSON_ROW);
    write_integers((int64_t[]){schedule->blocks[m][0], schedule->blocks[m][1]}, 2);
    tg_json_end_array(json);
  }
  tg_json_end_object(json);
  tg_json_member_array(json, "computes", TG_JSON_ROW);
  write_integers((int64_t[]){computes->left, computes->left_transposed, computes->right, computes->right_transposed},
                 4);
  tg_json_end_array(json);
}

/* Of every block of C, row by row, the processor and the slot in which it must end. */
static void write_c_places(const Lab *lab) {
  const TgFrame *frame = lab->frames ? &lab->frames->frame : NULL;
  tg_json_member_array(json, "c_place", TG_JSON_ROW);
  for (int32_t i = 0; frame && frame->detail && i < lab->schedule.blocks[TG_MATRIX_C][0]; i++) {
    for (int32_t j = 0; j < lab->schedule.blocks[TG_MATRIX_C][1]; j++) {
      int64_t processor = -1;
      int buffer = 0;
      int32_t index = 0;
      tg_state_c_place(lab->frames->state, i, j, &processor, &buffer, &index);
      tg_json_begin_array(json, TG_JSON_ROW);
      write_integers((int64_t[]){processor, frame->first[buffer] + index}, 2);
      tg_json_end_array(json);
    }
  }
  tg_json_end_array(json);
}

/* What there is to say of a schedule that could be opened; false where it turns out that it cannot. */
static bool write_facts(const Lab *lab) {
  TgError error = {0};
  const bool cells = lab->frames && lab->frames->frame.detail && tg_layout_is_full(&lab->frames->frame);
  const int64_t last =
      lab->frames ? tg_frames_steps(lab->frames) : tg_walk_count_steps(&lab->schedule, &lab->names, &error);
  if (last < 0) {
    write_error("run", &error);
    return false;
  }
  write_names(lab);
  tg_json_member_integer(json, "last", last);
  tg_json_member_bool(json, "cells", cells);
  write_slot_names(lab);
  write_c_places(lab);
  write_steps(lab);
  return true;
}

static bool check_size(Lab *lab, TgError *error) {
  if (tg_schedule_processors(&lab->schedule) > MOST_PROCESSORS)
    return tg_error_set(error, 0, 0, "the page supports up to %d processors; use the command for more",
                        MOST_PROCESSORS);
  count_executions(lab);
  return lab->executions <= MOST_EXECUTIONS ||
         tg_error_set(error, 0, 0, "the page executes up to %d statements, counting repetitions; use the command for more",
                      MOST_EXECUTIONS);
}

static bool lay(Lab *lab, TgError *error) {
  const TgSchedule *schedule = &lab->schedule;
  const char *network = *lab->settings.network ? lab->settings.network : NULL;
  if (!tg_topology_for_grid(&lab->network, network, schedule->dims, schedule->extent, error)) return false;
  if (lab->network.links > MOST_LINKS)
    return tg_error_set(error, 0, 0, "the page supports networks of up to %d links; use the command for more",
                        MOST_LINKS);
  return tg_embedding_init(&lab->embedding, lab->settings.embedding, schedule->dims, schedule->extent, &lab->network,
                           error);
}

/* The proof takes as long as all steps together; the page asks for it apart. */
EXPORT(prove) void prove(Lab *lab) {
  TgProof *proof = g_new0(TgProof, 1);
  int64_t m, n, k;
  tg_proof_sizes(&lab->schedule, &m, &n, &k);
  const bool ok = tg_prove(&lab->schedule, &lab->names, lab->settings.collective, m, n, k, proof);
  /* A wrong schedule has no steps after the one in which it fails. */
  if (!ok && lab->frames) lab->frames->frame.steps = MIN(lab->frames->frame.steps, proof->failure.step);
  begin_answer();
  tg_json_member_bool(json, "ok", ok);
  if (lab->frames) tg_json_member_integer(json, "last", tg_frames_steps(lab->frames));
  write_failure(&lab->schedule, ok ? NULL : &proof->failure);
  end_answer();
  g_free(proof);
}

EXPORT(shut) void shut(Lab *lab) {
  if (lab->frames) tg_frames_free(lab->frames);
  for (int k = 0; k < (int)G_N_ELEMENTS(lab->kept); k++) free_kept(&lab->kept[k]);
  if (lab->scene) tg_scene_free(lab->scene);
  if (lab->renamed) g_string_free(lab->renamed, TRUE);
  g_free(lab);
}

/* Says in the answer what is wrong. */
bool open_frames(Lab *lab) {
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

/* Takes the settings of a schedule that was read; where something is wrong, what it is about: "grid", "network", … */
static const char *set_up(Lab *lab, const char *lines, TgError *error) {
  const char *wrong = read_settings(&lab->settings, lines, error);
  if (wrong) return wrong;
  if (!tg_schedule_bind(&lab->schedule, &lab->names, &lab->settings.bindings, error)) return "bind";
  if (!check_size(lab, error)) return "size";
  return lay(lab, error) ? NULL : "network";
}

/** A laboratory for `length` bytes of a schedule, with settings of `settings_length` bytes; NULL where the answer's
 * `error` tells what is wrong, at which line and column of the schedule. */
EXPORT(open) Lab *open_lab(const char *schedule, size_t length, const char *settings, size_t settings_length) {
  Lab *lab = g_new0(Lab, 1);
  TgError error = {0};
  g_autofree char *lines = g_strndup(settings, settings_length);
  lab->settings.collective = TG_COLLECTIVE_WHOLE;
  for (int k = 0; k < (int)G_N_ELEMENTS(lab->kept); k++) lab->kept[k].frame.step = -1;
  begin_answer();
  const char *stage = tg_schedule_parse(&lab->schedule, &lab->names, schedule, length, &error) ? set_up(lab, lines, &error)
                                                                                               : "parse";
  if (stage) write_error(stage, &error);
  const bool good = !stage && (is_large(lab) || open_frames(lab)) && write_facts(lab);
  end_answer();
  if (good) return lab;
  shut(lab);
  return NULL;
}

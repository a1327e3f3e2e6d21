/* Once no two messages can meet on a link any more, the rest of a program runs as in hockney, without a queue of
 * events. */
#include "program-private.h"
#include "slice-lanes.h"

enum { ASKED = 1 << 6 /* transfers between questions to the watch */ };

/* Keeps the clocks of the nodes that run, and no others. An account is of a node by its number among all, so that with
 * one all nodes run. */
static void narrow(TgProgram *program, TgSliceLanes *slice) {
  TgClocks *clocks = &program->clocks;
  const int64_t all = clocks->nodes;
  if (clocks->account)
    while (program->cut != INT32_MAX) tg_program_widen_at(program, program->gate);
  tg_program_hand_over(program);
  tg_program_close_last_steps(program);
  tg_slice_lanes_init(slice, &program->slices, tg_program_schedule(program), all);
  while (slice->cut < program->cut) g_free(tg_slice_lanes_widen(slice));
  if (!slice->number) return;
  g_autofree int32_t *from = g_new(int32_t, slice->nodes);
  for (int64_t n = 0; n < all; n++)
    if (slice->number[n] >= 0) from[slice->number[n]] = (int32_t)n;
  tg_clocks_widen(clocks, from, slice->nodes);
}

/* The nodes for which others stood come in if they are needed from the statement on. */
static void widen(TgProgram *program, TgSliceLanes *slice, int32_t statement) {
  while (slice->cut <= statement && slice->cut < INT32_MAX) {
    g_autofree int32_t *from = tg_slice_lanes_widen(slice);
    tg_clocks_widen(&program->clocks, from, slice->nodes);
  }
  program->cut = slice->cut;
}

static void enter_step(TgProgram *program, guint step, int64_t last_step) {
  double first, last;
  tg_clocks_range(&program->clocks, &first, &last);
  program->slower = tg_prediction_is_slower(program->prediction, last);
  if (last_step >= 0) {
    double *end = &tg_program_step(program, (guint)last_step)->end_s;
    *end = tg_later(*end, last);
  }
  TgTraceStep *now = tg_program_step(program, step);
  now->start_s = MIN(now->start_s, first);
  if (program->clocks.account) program->clocks.account->step = step;
  tg_program_enter_all(program, step);
}

static void run_stage(TgProgram *program, TgSliceLanes *slice, TgStage *stage) {
  const TgLane *lane = tg_slice_lane(slice, stage->pattern->lane[0]);
  program->timed += stage->pattern->transfers;
  if (stage->pattern->transfers) {
    tg_clocks_transfer(&program->clocks, lane, 0);
  } else if (lane->phase->products) {
    stage->longest_s = tg_clocks_multiply(&program->clocks, lane);
    tg_node_steps_product(program->prediction, &program->clocks, lane, stage->step);
  }
  tg_slice_lane_free(slice, lane);
}

/* Runs all stages from the gate on as hockney does. */
static void sweep(TgProgram *program) {
  int64_t current = -1;
  TgSliceLanes slice;
  TgStages *stages = &program->stages;
  narrow(program, &slice);
  while (stages->count > 0 && stages->base < program->gate) tg_stages_drop_first(stages);
  while (stages->count > 0 && !tg_program_is_over(program)) {
    TgStage *stage = *tg_stages_slot(stages, stages->base);
    widen(program, &slice, stage->statement);
    if (current != (int64_t)stage->step) enter_step(program, stage->step, current);
    current = stage->step;
    run_stage(program, &slice, stage);
    tg_stages_drop_first(stages);
  }
  widen(program, &slice, INT32_MAX);
  tg_slice_lanes_clear(&slice);
  for (int64_t n = 0; current >= 0 && n < program->clocks.nodes; n++) program->node[n].step = (int32_t)current;
}

/* Of the nodes that run. */
static void count_behind(TgProgram *program) {
  program->behind = 0;
  for (int64_t n = 0; n < program->clocks.nodes; n++)
    program->behind += tg_program_stand_in(program, n) == n && program->node[n].at <= program->stages.last_shared;
}

/* The furthest stage that a node which runs is in. */
static int64_t furthest_stage(const TgProgram *program) {
  int64_t furthest = 0;
  for (int64_t n = 0; n < program->clocks.nodes; n++)
    if (tg_program_stand_in(program, n) == n) furthest = MAX(furthest, program->node[n].at);
  return furthest;
}

static bool is_stopped(const TgProgram *program) {
  const TgPrediction *prediction = program->prediction;
  return !tg_watch_go_on(prediction->options->watch, tg_phases_walk(prediction->phases)->executed);
}

bool tg_program_is_over(TgProgram *program) {
  if (program->timed >= program->ask_at) {
    program->ask_at = program->timed + ASKED;
    program->stopped = program->stopped || is_stopped(program);
  }
  return program->slower || program->stopped;
}

bool tg_program_is_calm(TgProgram *program) {
  if (!program->stages.ended || program->clocks.all_ports || program->prediction->lanes.half ||
      program->gate != INT64_MAX)
    return false;
  if (program->behind < 0) count_behind(program);
  if (program->behind > 0) return false;
  if (program->cut == INT32_MAX || furthest_stage(program) < tg_program_stage_of_cut(program)) return true;
  program->behind = INT64_MAX; /* too late for this cut */
  return false;
}

void tg_program_gate(TgProgram *program) {
  program->gate = furthest_stage(program) + 1;
}

bool tg_program_is_gated(const TgProgram *program) {
  return program->gate < INT64_MAX;
}

static bool links_are_free(const TgProgram *program, const double *held_s) {
  for (int64_t node = 0; held_s && node < program->clocks.nodes; node++)
    if (held_s[node] > program->node[node].port_s) return false;
  return true;
}

bool tg_program_run_rest(TgProgram *program, const double *held_s) {
  if (!links_are_free(program, held_s) && tg_stages_at(&program->stages, program->gate)) {
    while (program->cut != INT32_MAX && program->gate == tg_program_stage_of_cut(program))
      tg_program_widen_at(program, program->gate);
    program->gate++;
    for (int64_t node = 0; node < program->clocks.nodes; node++)
      if (tg_program_stand_in(program, node) == node) tg_program_proceed(program, node);
    return false;
  }
  sweep(program);
  return true;
}

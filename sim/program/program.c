#include "program-private.h"

#include "sim-error.h"

#include <math.h>
#include <string.h>

/* --- nodes for which others stand (slice.h) ---------------------------------------------------------------------- */

/* From one cut to the next. Until then the account is that of the node that stands for its own. */
static void find_cut(TgProgram *program) {
  program->cut = tg_slices_next(&program->slices, tg_program_schedule(program), program->cut);
  if (program->clocks.account) program->clocks.account->node = tg_program_stand_in(program, program->asked);
}

static void find_slices(TgProgram *program) {
  if (program->clocks.account) program->asked = program->clocks.account->node;
  tg_prediction_slices(program->prediction, &program->slices);
  find_cut(program);
}

TgProgram *tg_program_new(TgPrediction *prediction, TgDepart depart, void *user, bool eager) {
  TgProgram *program = g_new0(TgProgram, 1);
  int64_t nodes = prediction->lanes.network->nodes;
  program->prediction = prediction;
  program->depart = depart;
  program->user = user;
  program->eager = eager;
  tg_clocks_init(&program->clocks, nodes, tg_program_schedule(program), prediction->machine, prediction->options);
  program->clocks.idle = prediction->lanes.idle;
  program->under_way = g_array_new(FALSE, FALSE, sizeof(TgUnderWay));
  tg_prediction_account(prediction, &program->clocks);
  program->clocks.level = false;
  find_slices(program);
  program->node = g_aligned_alloc((gsize)nodes, sizeof(TgNode), 64);
  for (int64_t n = 0; n < nodes; n++)
    program->node[n] = (TgNode){.port_s = program->clocks.port[n], .cpu_s = program->clocks.cpu[n], .step = -1};
  program->behind = -1;
  program->gate = INT64_MAX;
  tg_stages_init(&program->stages, prediction, program->clocks.all_ports);
  return program;
}

void tg_program_free(TgProgram *program) {
  if (!program) return;
  tg_stages_clear(&program->stages);
  g_aligned_free(program->node);
  g_array_unref(program->under_way);
  tg_clocks_clear(&program->clocks);
  g_free(program);
}

int64_t tg_program_least_bytes(const TgProgram *program) {
  const TgStages *stages = &program->stages;
  return stages->known_at_once && stages->least_bytes < INT64_MAX ? stages->least_bytes : 0;
}

void tg_program_close_last_steps(TgProgram *program) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; n < clocks->nodes; n++) {
    if (program->node[n].step < 0) continue;
    double *end = &tg_program_step(program, (guint)program->node[n].step)->end_s;
    int64_t entry = clocks->level ? 0 : n;
    *end = tg_later(*end, tg_later(clocks->port[entry], clocks->cpu[entry]));
  }
}

void tg_program_hand_over(TgProgram *program) {
  for (int64_t n = 0; n < program->clocks.nodes; n++) {
    program->clocks.port[n] = program->node[n].port_s;
    program->clocks.cpu[n] = program->node[n].cpu_s;
    program->clocks.compute[n] = program->node[n].compute_s;
  }
}

/* tg_node_step_enter() for all steps after `last` up to `step`; `last` is -1 before the first. */
static void enter_node_steps(TgPrediction *prediction, int32_t last, guint step, int64_t node, double at_s,
                             double compute_s) {
  if (!prediction->node_steps) return;
  for (guint s = (guint)(last + 1); s <= step; s++) tg_node_step_enter(prediction, s, node, at_s, compute_s);
}

void tg_program_enter_all(TgProgram *program, guint step) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; program->prediction->node_steps && n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    enter_node_steps(program->prediction, program->node[n].step, step, n,
                     tg_later(clocks->port[entry], clocks->cpu[entry]), clocks->compute[entry]);
    program->node[n].step = (int32_t)step;
  }
}

/* --- where the time of a node goes ------------------------------------------------------------------------------- */

/* Whether it is this node's. Then what follows is charged to the stage's step. */
static inline bool is_asked_for(const TgProgram *program, int64_t number, const TgStage *stage) {
  TgAccount *account = program->clocks.account;
  if (!account || account->node != number) return false;
  account->step = stage->step;
  return true;
}

/* The time until the node can go on after a transfer. */
static void note_delivery(TgProgram *program, const TgStage *stage, int32_t transfer, double end_s) {
  TgAccount *account = program->clocks.account;
  const TgPatternEnds ends = stage->pattern->ends[transfer];
  const TgWay way =
      tg_lanes_way(program->clocks.lanes, ends.from, ends.to, tg_stage_bytes(stage, transfer), account->each_hop);
  for (guint i = 0; i < program->under_way->len; i++) {
    const TgUnderWay one = g_array_index(program->under_way, TgUnderWay, i);
    if (one.stage != stage || one.transfer != transfer) continue;
    g_array_index(program->under_way, TgUnderWay, i) =
        g_array_index(program->under_way, TgUnderWay, program->under_way->len - 1);
    g_array_set_size(program->under_way, program->under_way->len - 1);
    tg_account_message(account, one.depart_s, end_s, &way);
    return;
  }
}

static inline void depart(TgProgram *program, TgStage *stage, int32_t transfer, TgPatternEnds ends, double at_s) {
  const TgAccount *account = program->clocks.account;
  if (account && (account->node == ends.from || account->node == ends.to)) {
    const TgUnderWay one = {stage, transfer, at_s};
    g_array_append_val(program->under_way, one);
  }
  program->depart(program->user, stage, transfer, ends, at_s);
}

/* --- one node's way ------------------------------------------------------------------------------------------- */

static void enter_steps(TgProgram *program, TgNode *node, const TgStage *stage) {
  double now = tg_later(node->port_s, node->cpu_s);
  if (node->step == (int32_t)stage->step_last) return;
  const uint8_t *idle = program->clocks.idle;
  if (idle && idle[node - program->node]) return;
  if (node->step != (int32_t)stage->step) {
    TgTraceStep *step = tg_program_step(program, stage->step);
    if (node->step >= 0) {
      TgTraceStep *last = tg_program_step(program, (guint)node->step);
      last->end_s = tg_later(last->end_s, now);
    }
    step->start_s = MIN(step->start_s, now);
  }
  for (guint s = stage->step + 1; s <= stage->step_last; s++) {
    TgTraceStep *step = tg_program_step(program, s);
    step->start_s = MIN(step->start_s, now);
  }
  enter_node_steps(program->prediction, node->step, stage->step_last, node - program->node, now, node->compute_s);
  node->step = (int32_t)stage->step_last;
}

static void leave_stage(TgProgram *program, TgNode *node, TgStage *stage) {
  if (!program->clocks.overlap && stage->pattern->transfers) node->cpu_s = tg_later(node->cpu_s, node->port_s);
  const bool idle = program->clocks.idle && program->clocks.idle[node - program->node];
  program->slower |= !idle && tg_prediction_is_slower(program->prediction, tg_later(node->port_s, node->cpu_s));
  for (guint s = stage->step; s < stage->step_last && !idle; s++) {
    TgTraceStep *step = tg_program_step(program, s);
    step->end_s = tg_later(step->end_s, tg_later(node->port_s, node->cpu_s));
  }
  const int64_t number = node->at++;
  if (number == program->stages.last_shared && program->behind > 0) program->behind--;
  tg_stages_leave(&program->stages, number);
}

/* The next stage in which the node takes part, NULL after the last one. */
static TgStage *next_stage(TgProgram *program, int64_t number) {
  TgNode *node = &program->node[number];
  const int64_t before = node->at, last_shared = program->stages.last_shared;
  TgStage *stage = tg_stages_find(&program->stages, number, &node->at);
  if (before <= last_shared && node->at > last_shared && program->behind > 0) program->behind--;
  return stage;
}

static void multiply(TgProgram *program, int64_t number, TgStage *stage) {
  TgClocks *clocks = &program->clocks;
  TgNode *node = &program->node[number];
  const TgLane *lane = stage->pattern->lane[0];
  if (!lane->phase->products) return; /* transfers that all stay on their nodes */
  double time = lane->product_s ? lane->product_s[number] : lane->uniform_product_s;
  if (time == 0) return; /* the node has none, or they are left out */
  if (clocks->jitter > 0) time *= tg_program_jitter(program, stage, (int32_t)number, 0);
  if (number == clocks->straggler) time *= clocks->straggler_factor;
  if (clocks->overlap) {
    node->cpu_s = tg_later(node->cpu_s, tg_buffer_times_there(&clocks->buffers, lane->phase, number)) + time;
    tg_buffer_times_multiply(&clocks->buffers, lane->phase, number, node->cpu_s);
  } else {
    node->cpu_s = node->port_s = tg_later(node->cpu_s, node->port_s) + time;
    node->paused = program->eager;
  }
  node->compute_s += time;
  stage->longest_s = tg_later(stage->longest_s, time);
  if (program->prediction->node_steps)
    tg_node_step_product(program->prediction, stage->step, number, node->cpu_s - time, node->cpu_s);
  if (is_asked_for(program, number, stage))
    tg_account_products(clocks->account, lane->phase->sums, node->cpu_s - time, node->cpu_s);
}

/* One end of the transfer is ready. */
static void available(TgProgram *program, TgStage *stage, int32_t transfer, double at_s) {
  double other = stage->ready[transfer];
  if (other < 0)
    stage->ready[transfer] = at_s;
  else
    depart(program, stage, transfer, stage->pattern->ends[transfer], tg_later(other, at_s));
}

/* A sender also waits for the products that write what it sends … */
static double can_send(const TgProgram *program, const TgStage *stage, int32_t transfer, int64_t node, double at_s) {
  const TgPhase *phase = tg_pattern_lane(stage->pattern, transfer)->phase;
  return tg_later(at_s, tg_buffer_times_written(&program->clocks.buffers, phase, node));
}

/* … and a receiver for room. */
static double can_receive(const TgProgram *program, const TgStage *stage, int32_t transfer, int64_t node, double at_s) {
  const TgPhase *phase = tg_pattern_lane(stage->pattern, transfer)->phase;
  return tg_later(at_s, tg_buffer_times_room(&program->clocks.buffers, phase, node));
}

static int32_t count_list(const int32_t *next, int32_t transfer) {
  int32_t count = 0;
  for (; transfer >= 0; transfer = next ? next[transfer] : -1) count++;
  return count;
}

/* Some node sends or receives several: each transfer waits for its own ends. */
static void enter_lists(TgProgram *program, int64_t number, TgStage *stage, TgPatternFirst mine) {
  const TgPattern *pattern = stage->pattern;
  int32_t out = mine.out, in = mine.in;
  double now = program->node[number].port_s;
  program->node[number].pending = count_list(pattern->next_out, out) + count_list(pattern->next_in, in);
  for (; out >= 0; out = program->clocks.all_ports ? pattern->next_out[out] : -1)
    available(program, stage, out, can_send(program, stage, out, number, now));
  for (; in >= 0; in = program->clocks.all_ports ? pattern->next_in[in] : -1)
    available(program, stage, in, can_receive(program, stage, in, number, now));
}

/* Departs without its receiver. */
static void send_eager(TgProgram *program, TgStage *stage, int32_t transfer, double at_s) {
  const TgPatternEnds ends = stage->pattern->ends[transfer];
  program->depart(program->user, stage, transfer, ends, can_send(program, stage, transfer, ends.from, at_s));
}

/* Each node has at most one of each, which departs when the second of its ends enters. */
static void enter_pair(TgProgram *program, int64_t number, TgStage *stage, TgPatternFirst mine) {
  TgNode *node = &program->node[number];
  node->pending = (mine.out >= 0) + (mine.in >= 0);
  if (mine.out >= 0) node->out_s = can_send(program, stage, mine.out, number, node->port_s);
  if (mine.in >= 0) node->enter_s = can_receive(program, stage, mine.in, number, node->port_s);
  if (mine.out >= 0) {
    const TgNode *to = &program->node[mine.to];
    if (to->at == stage->number && to->pending > 0)
      depart(program, stage, mine.out, (TgPatternEnds){(int32_t)number, mine.to}, tg_later(node->out_s, to->enter_s));
  }
  if (mine.in >= 0) {
    const TgNode *from = &program->node[mine.from];
    if (from->at == stage->number && from->pending > 0)
      depart(program, stage, mine.in, (TgPatternEnds){mine.from, (int32_t)number},
             tg_later(from->out_s, node->enter_s));
  }
}

/* True where the node has to wait, which transfers that it has received early do not ask for. */
static bool enter_eager(TgProgram *program, int64_t number, TgStage *stage, TgPatternFirst mine) {
  const TgPattern *pattern = stage->pattern;
  TgNode *node = &program->node[number];
  const bool at_once = program->clocks.all_ports;
  node->pending = count_list(pattern->next_out, mine.out);
  for (int32_t in = mine.in; in >= 0; in = pattern->next_in ? pattern->next_in[in] : -1) {
    const double end_s = stage->ready[in];
    if (end_s < 0)
      node->pending++;
    else
      tg_buffer_times_arrive(&program->clocks.buffers, tg_pattern_lane(pattern, in)->phase, number, end_s);
  }
  for (int32_t out = mine.out; out >= 0; out = at_once && pattern->next_out ? pattern->next_out[out] : -1)
    send_eager(program, stage, out, node->port_s);
  return node->pending > 0;
}

/* True where the node takes part, and so has to wait. */
static bool enter_transfers(TgProgram *program, int64_t number, TgStage *stage) {
  const TgPatternFirst mine = *tg_pattern_first(stage->pattern, number);
  if (mine.out < 0 && mine.in < 0) return false;
  if (program->eager) return enter_eager(program, number, stage, mine);
  (stage->pattern->next_out ? enter_lists : enter_pair)(program, number, stage, mine);
  return true;
}

static void prepare(const TgProgram *program, TgStage *stage) {
  if (stage->ready || !(stage->pattern->next_out || program->eager)) return;
  stage->ready = g_new(double, stage->pattern->transfers);
  for (int32_t t = 0; t < stage->pattern->transfers; t++) stage->ready[t] = -1;
}

void tg_program_proceed(TgProgram *program, int64_t number) {
  TgNode *node = &program->node[number];
  for (;;) {
    TgStage *stage = next_stage(program, number);
    if (!stage || node->at >= program->gate || stage->statement >= program->cut) return;
    prepare(program, stage);
    enter_steps(program, node, stage);
    if (stage->pattern->transfers == 0)
      multiply(program, number, stage);
    else if (enter_transfers(program, number, stage))
      return;
    leave_stage(program, node, stage);
    if (node->paused) return;
  }
}

void tg_program_begin(TgProgram *program) {
  for (int64_t node = 0; node < program->clocks.nodes; node++)
    if (tg_program_stand_in(program, node) == node) tg_program_proceed(program, node);
}

int64_t tg_program_stage_of_cut(TgProgram *program) {
  TgStages *stages = &program->stages;
  int64_t number = stages->base;
  for (TgStage *stage; (stage = tg_stages_at(stages, number)) && stage->statement < program->cut;) number++;
  return number;
}

/* The node comes to the stage as its stand-in did. */
static void come_in(TgProgram *program, int64_t number, int64_t from, int64_t stage) {
  TgNode *node = &program->node[number];
  const int64_t before = node->at;
  *node = program->node[from];
  node->at = stage;
  tg_buffer_times_copy(&program->clocks.buffers, from, number);
  tg_stages_skip(&program->stages, before, stage);
}

void tg_program_widen_at(TgProgram *program, int64_t stage) {
  const int64_t nodes = program->clocks.nodes;
  g_autofree int64_t *from = g_new(int64_t, nodes);
  for (int64_t n = 0; n < nodes; n++) from[n] = tg_program_stand_in(program, n);
  find_cut(program);
  program->behind = -1;
  for (int64_t n = 0; n < nodes; n++)
    if (from[n] != n && tg_program_stand_in(program, n) == n) come_in(program, n, from[n], stage);
}

bool tg_program_widen(TgProgram *program) {
  if (program->cut == INT32_MAX || tg_program_is_gated(program) || tg_program_is_over(program)) return false;
  tg_program_widen_at(program, tg_program_stage_of_cut(program));
  for (int64_t n = 0; n < program->clocks.nodes; n++)
    if (tg_program_stand_in(program, n) == n) tg_program_proceed(program, n);
  return true;
}

/* One transfer of the node's stage is complete at this end. */
static void complete(TgProgram *program, TgStage *stage, int64_t number, double end_s) {
  TgNode *node = &program->node[number];
  node->port_s = tg_later(node->port_s, end_s);
  if (--node->pending > 0) return;
  leave_stage(program, node, stage);
  tg_program_proceed(program, number);
}

void tg_program_deliver(TgProgram *program, TgStage *stage, int32_t transfer, double end_s) {
  const TgPattern *pattern = stage->pattern;
  int32_t from = pattern->ends[transfer].from, to = pattern->ends[transfer].to;
  if (pattern->next_out && !program->clocks.all_ports) {
    int32_t out = pattern->next_out[transfer], in = pattern->next_in[transfer];
    if (out >= 0) available(program, stage, out, can_send(program, stage, out, from, end_s));
    if (in >= 0) available(program, stage, in, can_receive(program, stage, in, to, end_s));
  }
  const TgPhase *phase = tg_pattern_lane(pattern, transfer)->phase;
  tg_buffer_times_leave(&program->clocks.buffers, phase, from, end_s);
  tg_buffer_times_arrive(&program->clocks.buffers, phase, to, end_s);
  program->timed++;
  if (is_asked_for(program, from, stage)) note_delivery(program, stage, transfer, end_s);
  complete(program, stage, from, end_s);
  if (is_asked_for(program, to, stage)) note_delivery(program, stage, transfer, end_s);
  complete(program, stage, to, end_s);
}

/* --- eager programs ----------------------------------------------------------------------------------------------- */

void tg_program_sent(TgProgram *program, TgStage *stage, int32_t transfer, double end_s, double free_s) {
  const TgPattern *pattern = stage->pattern;
  const int32_t from = pattern->ends[transfer].from;
  const int32_t next = pattern->next_out && !program->clocks.all_ports ? pattern->next_out[transfer] : -1;
  if (next >= 0) send_eager(program, stage, next, free_s);
  tg_buffer_times_leave(&program->clocks.buffers, tg_pattern_lane(pattern, transfer)->phase, from, end_s);
  complete(program, stage, from, free_s);
}

void tg_program_received(TgProgram *program, TgStage *stage, int32_t transfer, double end_s, double free_s) {
  const int32_t to = stage->pattern->ends[transfer].to;
  const TgNode *node = &program->node[to];
  program->timed++;
  stage->ready[transfer] = end_s;
  if (node->at != stage->number || node->pending == 0) return;
  tg_buffer_times_arrive(&program->clocks.buffers, tg_pattern_lane(stage->pattern, transfer)->phase, to, end_s);
  complete(program, stage, to, free_s);
}

bool tg_program_resume(TgProgram *program, int64_t number) {
  TgNode *node = &program->node[number];
  if (!node->paused) return false;
  node->paused = false;
  tg_program_proceed(program, number);
  return true;
}

double tg_program_free_s(const TgProgram *program, int64_t number) {
  const TgNode *node = &program->node[number];
  return program->clocks.overlap ? node->port_s : tg_later(node->port_s, node->cpu_s);
}

double tg_program_occupy(TgProgram *program, int64_t number, double begin_s, double overhead_s) {
  TgNode *node = &program->node[number];
  return node->cpu_s = tg_later(node->cpu_s, begin_s) + overhead_s;
}

TgAccount *tg_program_account(const TgProgram *program, int64_t number) {
  TgAccount *account = program->clocks.account;
  if (!account || account->node != number) return NULL;
  account->step = (guint)MAX(program->node[number].step, 0);
  return account;
}

/* The next stage of transfers is two stages on where products stand between. */
void tg_program_fetch(TgProgram *program, const TgStage *stage, int32_t transfer, TgPatternEnds ends) {
  __builtin_prefetch(&program->node[ends.from], 1);
  __builtin_prefetch(&program->node[ends.to], 1);
  __builtin_prefetch(&stage->pattern->ends[transfer], 0);
  int64_t end = program->stages.base + (int64_t)program->stages.count;
  for (int64_t number = stage->number + 1; number < end && number <= stage->number + 2; number++) {
    const TgPattern *next = tg_stages_at(&program->stages, number)->pattern;
    if (!next->first) continue;
    __builtin_prefetch(&next->first[tg_pattern_place(next, ends.from)], 0);
    __builtin_prefetch(&next->first[tg_pattern_place(next, ends.to)], 0);
    return;
  }
}

double tg_program_jitter(const TgProgram *program, const TgStage *stage, int32_t transfer, uint32_t draw) {
  const TgClocks *clocks = &program->clocks;
  if (clocks->jitter == 0) return 1;
  uint64_t count = ((uint64_t)stage->number << 40) ^ ((uint64_t)(uint32_t)transfer << 12) ^ draw;
  return 1 + clocks->jitter * tg_random_unit(clocks->seed, count);
}

bool tg_program_finish(TgProgram *program, GError **error) {
  if (program->stages.error) {
    g_propagate_error(error, g_steal_pointer(&program->stages.error));
    return false;
  }
  if (program->stopped) return tg_prediction_fail_stopped(error);
  if (program->slower) { /* more than these were read ahead */
    program->prediction->cost->messages = program->timed;
    return tg_prediction_fail_slower(error);
  }
  if (program->stages.count > 0) { /* no schedule brings that about: only times that are no numbers any more */
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "a message never arrives: its time overflows with the machine's latencies and bandwidths");
  }
  if (!tg_program_is_gated(program)) tg_program_hand_over(program);
  tg_program_close_last_steps(program);
  tg_program_enter_all(program, program->prediction->steps->len);
  tg_clocks_take(&program->clocks, program->prediction->cost);
  return !tg_prediction_is_slower(program->prediction, program->prediction->cost->time_s) ||
         tg_prediction_fail_slower(error);
}

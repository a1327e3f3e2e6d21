#include "program-private.h"

#include "node-steps.h"
#include "sim-error.h"

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
  tg_node_steps_enter(program->prediction, node->step, stage->step_last, node - program->node, now, node->compute_s);
  node->step = (int32_t)stage->step_last;
}

static void leave_stage(TgProgram *program, TgNode *node, TgStage *stage) {
  if (!program->clocks.overlap && stage->pattern->transfers) node->cpu_s = tg_later(node->cpu_s, node->port_s);
  const bool idle = program->clocks.idle && program->clocks.idle[node - program->node];
  for (guint s = stage->step; s < stage->step_last && !idle; s++) {
    TgTraceStep *step = tg_program_step(program, s);
    step->end_s = tg_later(step->end_s, tg_later(node->port_s, node->cpu_s));
  }
  if (--stage->left == 0) tg_program_retire(program);
}

static void multiply(TgProgram *program, int64_t number, TgStage *stage) {
  TgClocks *clocks = &program->clocks;
  TgNode *node = &program->node[number];
  const TgLane *lane = stage->pattern->lane[0];
  if (!lane->phase->products) return; /* transfers that all stay on their nodes */
  double time = lane->product_s ? lane->product_s[number] : lane->uniform_product_s;
  if (lane->product_s && time == 0) return;
  if (clocks->jitter > 0) time *= tg_program_jitter(program, stage, (int32_t)number, 0);
  if (number == clocks->straggler) time *= clocks->straggler_factor;
  node->cpu_s = tg_later(node->cpu_s, node->port_s) + time;
  node->compute_s += time;
  if (lane->phase->writes & program->travels) tg_clocks_ready(clocks, lane->phase)[number] = node->cpu_s;
  if (!clocks->overlap) node->port_s = node->cpu_s;
  stage->longest_s = tg_later(stage->longest_s, time);
  if (program->prediction->node_steps) tg_node_step_product(program->prediction, stage->step, number, node->cpu_s);
}

/* One end of the transfer is ready. */
static void available(TgProgram *program, TgStage *stage, int32_t transfer, double at_s) {
  double other = stage->ready[transfer];
  if (other < 0)
    stage->ready[transfer] = at_s;
  else
    program->depart(program->user, stage, transfer, stage->pattern->ends[transfer], tg_later(other, at_s));
}

/* A sender also waits for the products that write what it sends. */
static double sender_ready(const TgProgram *program, const TgStage *stage, int32_t transfer, int64_t node,
                           double at_s) {
  const TgClocks *clocks = &program->clocks;
  if (!clocks->overlap) return at_s;
  uint32_t reads = tg_pattern_lane(stage->pattern, transfer)->phase->reads;
  for (int b = 0; reads >> b; b++)
    if ((reads >> b & 1) && clocks->ready[b]) at_s = tg_later(at_s, clocks->ready[b][node]);
  return at_s;
}

static int32_t count_list(const int32_t *next, int32_t transfer) {
  int32_t count = 0;
  for (; transfer >= 0; transfer = next ? next[transfer] : -1) count++;
  return count;
}

/* Some node sends or receives several: each transfer waits for its own ends. */
static void enter_lists(TgProgram *program, int64_t number, TgStage *stage) {
  const TgPattern *pattern = stage->pattern;
  int32_t out = pattern->first[number].out, in = pattern->first[number].in;
  double now = program->node[number].port_s;
  program->node[number].pending = count_list(pattern->next_out, out) + count_list(pattern->next_in, in);
  for (; out >= 0; out = program->clocks.all_ports ? pattern->next_out[out] : -1)
    available(program, stage, out, sender_ready(program, stage, out, number, now));
  for (; in >= 0; in = program->clocks.all_ports ? pattern->next_in[in] : -1) available(program, stage, in, now);
}

/* Each node has at most one of each, which departs when the second of its ends enters. */
static void enter_pair(TgProgram *program, int64_t number, TgStage *stage) {
  TgPatternFirst mine = stage->pattern->first[number];
  TgNode *node = &program->node[number];
  node->pending = (mine.out >= 0) + (mine.in >= 0);
  node->enter_s = node->out_s = node->port_s;
  if (mine.out >= 0) {
    const TgNode *to = &program->node[mine.to];
    node->out_s = sender_ready(program, stage, mine.out, number, node->port_s);
    if (to->at == stage->number && to->pending > 0)
      program->depart(program->user, stage, mine.out, (TgPatternEnds){(int32_t)number, mine.to},
                      tg_later(node->out_s, to->enter_s));
  }
  if (mine.in >= 0) {
    const TgNode *from = &program->node[mine.from];
    if (from->at == stage->number && from->pending > 0)
      program->depart(program->user, stage, mine.in, (TgPatternEnds){mine.from, (int32_t)number},
                      tg_later(from->out_s, node->enter_s));
  }
}

/* True where the node takes part, and so has to wait. */
static bool enter_transfers(TgProgram *program, int64_t number, TgStage *stage) {
  if (stage->pattern->first[number].out < 0 && stage->pattern->first[number].in < 0) return false;
  (stage->pattern->next_out ? enter_lists : enter_pair)(program, number, stage);
  return true;
}

static void prepare(TgStage *stage) {
  if (stage->ready || !stage->pattern->next_out) return;
  stage->ready = g_new(double, stage->pattern->transfers);
  for (int32_t t = 0; t < stage->pattern->transfers; t++) stage->ready[t] = -1;
}

/* The node is at the beginning of its stage: goes on until it has to wait, stands at the gate, or is done. */
static void proceed(TgProgram *program, int64_t number) {
  TgNode *node = &program->node[number];
  for (;;) {
    if (node->at >= program->gate) return;
    TgStage *stage = tg_program_stage(program, node->at);
    if (!stage) return;
    prepare(stage);
    enter_steps(program, node, stage);
    if (stage->pattern->transfers == 0)
      multiply(program, number, stage);
    else if (enter_transfers(program, number, stage))
      return;
    leave_stage(program, node, stage);
    node->at++;
  }
}

void tg_program_begin(TgProgram *program) {
  for (int64_t node = 0; node < program->clocks.nodes; node++) proceed(program, node);
}

static void complete(TgProgram *program, TgStage *stage, int64_t number, double end_s) {
  TgNode *node = &program->node[number];
  node->port_s = tg_later(node->port_s, end_s);
  if (--node->pending > 0) return;
  leave_stage(program, node, stage);
  node->at++;
  proceed(program, number);
}

void tg_program_deliver(TgProgram *program, TgStage *stage, int32_t transfer, double end_s) {
  const TgPattern *pattern = stage->pattern;
  int32_t from = pattern->ends[transfer].from, to = pattern->ends[transfer].to;
  if (pattern->next_out && !program->clocks.all_ports) {
    int32_t out = pattern->next_out[transfer], in = pattern->next_in[transfer];
    if (out >= 0) available(program, stage, out, sender_ready(program, stage, out, from, end_s));
    if (in >= 0) available(program, stage, in, end_s);
  }
  complete(program, stage, from, end_s);
  complete(program, stage, to, end_s);
}

/* The next stage of transfers is two stages on where products stand between. */
void tg_program_fetch(TgProgram *program, const TgStage *stage, int32_t transfer, TgPatternEnds ends) {
  __builtin_prefetch(&program->node[ends.from], 1);
  __builtin_prefetch(&program->node[ends.to], 1);
  __builtin_prefetch(&stage->pattern->ends[transfer], 0);
  int64_t end = program->base + (int64_t)program->count;
  for (int64_t number = stage->number + 1; number < end && number <= stage->number + 2; number++) {
    const TgPattern *next = tg_program_stage(program, number)->pattern;
    if (!next->first) continue;
    __builtin_prefetch(&next->first[ends.from], 0);
    __builtin_prefetch(&next->first[ends.to], 0);
    return;
  }
}

double tg_program_jitter(const TgProgram *program, const TgStage *stage, int32_t transfer, uint32_t draw) {
  const TgClocks *clocks = &program->clocks;
  if (clocks->jitter == 0) return 1;
  uint64_t count = ((uint64_t)stage->number << 40) ^ ((uint64_t)(uint32_t)transfer << 12) ^ draw;
  return 1 + clocks->jitter * tg_random_unit(clocks->seed, count);
}

/* --- calm: from here on nothing is shared ------------------------------------------------------------------------ */

bool tg_program_is_calm(const TgProgram *program) {
  return program->ended && program->base > program->last_shared && !program->clocks.all_ports &&
         !program->half_duplex && program->gate == INT64_MAX;
}

void tg_program_gate(TgProgram *program) {
  int64_t furthest = 0;
  for (int64_t node = 0; node < program->clocks.nodes; node++) furthest = MAX(furthest, program->node[node].at);
  program->gate = furthest + 1;
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
  if (!links_are_free(program, held_s) && tg_program_stage(program, program->gate)) {
    program->gate++;
    for (int64_t node = 0; node < program->clocks.nodes; node++) proceed(program, node);
    return false;
  }
  tg_program_sweep(program);
  return true;
}

bool tg_program_finish(TgProgram *program, GError **error) {
  if (program->error) {
    g_propagate_error(error, g_steal_pointer(&program->error));
    return false;
  }
  if (program->count > 0) { /* no schedule brings that about: only times that are no numbers any more */
    g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
                "a message never arrives: the machine's latencies and bandwidths lead beyond the numbers there are");
    return false;
  }
  if (!tg_program_is_gated(program)) tg_program_hand_over(program);
  tg_program_last_steps(program);
  tg_program_enter_all(program, program->prediction->steps->len);
  tg_clocks_take(&program->clocks, program->prediction->cost);
  return true;
}

#include "program.h"

#include "sim-error.h"

#include <math.h>
#include <string.h>

/** A node, in one cache line: nodes are met in no order. */
typedef struct TgNode {
  double port_s, cpu_s, compute_s; /* as in TgClocks */
  double enter_s, out_s;           /* when it can receive in this stage, and send */
  int64_t at;                      /* number of its stage */
  int32_t pending; /* transfers of its stage that are not complete; it has entered it if there are any */
  int32_t step;    /* index of its step, -1 before the first */
  int64_t unused;
} TgNode;

struct TgProgram {
  TgPrediction *prediction;
  TgDepart depart;
  void *user;
  TgClocks clocks; /* port, cpu and enter come in with the sweep, or at the end */
  TgNode *node;
  TgStage **ring; /* the stages base .. base + count - 1, at number modulo size */
  gsize size;     /* a power of two */
  gsize count;
  int64_t base;
  bool ended;          /* all stages have been made */
  int64_t last_shared; /* number of the last stage with a message of more than one hop; -1 none */
  uint32_t travels;    /* buffers that transfers read or write; all where not all stages are known */
  int64_t least_bytes;
  bool known_at_once; /* all stages were made before the first node began */
  TgLane *next_lane;  /* read, not yet in a stage */
  TgPhaseAt next_at;
  guint next_step;
  GHashTable *patterns; /* of lanes that come again */
  int64_t gate;         /* number of the first stage that no node may enter */
  GError *error;
};

static inline TgStage **slot_of(const TgProgram *program, int64_t number) {
  return &program->ring[(gsize)number & (program->size - 1)];
}

/* --- stages: made ahead, found by number, dropped behind the last node ------------------------------------------ */

enum {
  AHEAD_STAGES = 1 << 20,     /* known ahead at most … */
  AHEAD_BYTES = 256 * 1 << 20 /* … and what they may hold */
};

static TgTraceStep *step_at(const TgProgram *program, guint step) {
  return &g_array_index(program->prediction->steps, TgTraceStep, step);
}

static guint hash_pattern(gconstpointer key) {
  const TgPattern *pattern = key;
  guint hash = 0;
  for (int l = 0; l < pattern->lanes; l++) hash = hash * 31 + g_direct_hash(pattern->lane[l]);
  return hash;
}

static gboolean equal_patterns(gconstpointer a, gconstpointer b) {
  const TgPattern *one = a, *other = b;
  return one->lanes == other->lanes && memcmp(one->lane, other->lane, (size_t)one->lanes * sizeof *one->lane) == 0;
}

static TgPattern *find_pattern(TgProgram *program, TgLane *const *lanes, int count) {
  TgPattern wanted = {.lanes = count};
  bool comes_again = true;
  for (int l = 0; l < count; l++) {
    wanted.lane[l] = lanes[l];
    comes_again = comes_again && lanes[l]->keep;
  }
  TgPattern *pattern = comes_again ? g_hash_table_lookup(program->patterns, &wanted) : NULL;
  if (!pattern) {
    pattern = tg_pattern_new(lanes, count, program->clocks.nodes);
    if (comes_again) g_hash_table_add(program->patterns, pattern);
  }
  if (comes_again) pattern->references++;
  return pattern;
}

/* Reads the next phase into next_lane. False at the end, or where the schedule fails. */
static bool read_lane(TgProgram *program) {
  guint known = program->prediction->steps->len;
  if (program->next_lane) return true;
  if (program->ended) return false;
  TgProgress progress = tg_prediction_next(program->prediction, &program->next_lane, &program->next_at,
                                           &program->next_step, &program->error);
  program->ended = progress != TG_PROGRESS_MORE;
  if (program->ended) return false;
  tg_lane_hold(program->next_lane);
  for (guint s = known; s < program->prediction->steps->len; s++) step_at(program, s)->start_s = INFINITY;
  return true;
}

/* With all ports, transfers of consecutive statements that do not need each other begin together. */
static bool joins(const TgProgram *program, int32_t statement, uint32_t reads, uint32_t writes) {
  const TgPhase *next = program->next_lane->phase;
  return program->clocks.all_ports && !next->products && program->next_at.statement != statement &&
         !(next->reads & writes) && !(next->writes & (reads | writes));
}

static void append(TgProgram *program, TgStage *stage) {
  if (program->count == program->size) {
    gsize size = MAX(program->size * 2, 64);
    TgStage **ring = g_new(TgStage *, size);
    for (gsize i = 0; i < program->count; i++)
      ring[((gsize)program->base + i) & (size - 1)] = *slot_of(program, program->base + (int64_t)i);
    g_free(program->ring);
    program->ring = ring;
    program->size = size;
  }
  stage->number = program->base + (int64_t)program->count;
  *slot_of(program, stage->number) = stage;
  program->count++;
}

static void note_sizes(TgProgram *program, const TgStage *stage) {
  for (int l = 0; stage->pattern->transfers && l < stage->pattern->lanes; l++)
    program->travels |= stage->pattern->lane[l]->phase->reads | stage->pattern->lane[l]->phase->writes;
  if (!stage->pattern->one_hop) program->last_shared = stage->number;
  for (int32_t t = 0; t < stage->pattern->transfers; t++) {
    program->least_bytes = MIN(program->least_bytes, tg_stage_bytes(stage, t));
    if (!stage->pattern->which && !stage->pattern->lane[0]->sizes) break;
  }
}

static TgStage *make_stage(TgProgram *program) {
  TgLane *lanes[TG_PATTERN_LANES];
  uint32_t reads = 0, writes = 0;
  int count = 0;
  if (!read_lane(program)) return NULL;
  TgStage *stage = g_new0(TgStage, 1);
  stage->step = program->next_step;
  do {
    int32_t statement = program->next_at.statement;
    bool products = program->next_lane->phase->products > 0;
    reads |= program->next_lane->phase->reads;
    writes |= program->next_lane->phase->writes;
    stage->step_last = program->next_step;
    lanes[count++] = g_steal_pointer(&program->next_lane);
    if (products || !read_lane(program) || !joins(program, statement, reads, writes)) break;
  } while (count < TG_PATTERN_LANES);
  stage->pattern = find_pattern(program, lanes, count);
  for (int l = 0; l < count; l++) tg_lane_release(lanes[l]);
  stage->left = program->clocks.nodes;
  append(program, stage);
  note_sizes(program, stage);
  return stage;
}

/* Makes the stages up to this number, and returns it; NULL after the last one, or where the schedule fails. */
static TgStage *make_stages(TgProgram *program, int64_t number) {
  while (number >= program->base + (int64_t)program->count)
    if (!make_stage(program)) return NULL;
  return *slot_of(program, number);
}

/* The stage of this number, made if need be; NULL as above. */
static inline TgStage *stage_at(TgProgram *program, int64_t number) {
  if (number >= program->base + (int64_t)program->count) return make_stages(program, number);
  return *slot_of(program, number);
}

static void free_stage(TgStage *stage) {
  tg_pattern_release(stage->pattern);
  g_free(stage->ready);
  g_free(stage);
}

static void drop_first(TgProgram *program) {
  TgStage *stage = *slot_of(program, program->base);
  g_array_index(program->prediction->step_compute, double, stage->step) += stage->longest_s;
  free_stage(stage);
  program->base++;
  program->count--;
}

/* Drops the stages at the front that all nodes have left. */
static void retire(TgProgram *program) {
  while (program->count > 0 && (*slot_of(program, program->base))->left == 0) drop_first(program);
}

/* Makes stages ahead. Those of lanes that come again cost next to nothing. */
static void look_ahead(TgProgram *program) {
  gsize bytes = 0;
  TgStage *stage;
  while (bytes < AHEAD_BYTES && program->count < AHEAD_STAGES && (stage = make_stage(program))) {
    const TgPattern *pattern = stage->pattern;
    if (pattern->references == 1)
      bytes += (gsize)pattern->transfers * 48 +
               (gsize)(program->clocks.nodes + program->prediction->lanes.network->links) * 8;
  }
  program->known_at_once = program->ended;
  if (!program->ended) program->travels = UINT32_MAX;
}

TgProgram *tg_program_new(TgPrediction *prediction, TgDepart depart, void *user) {
  TgProgram *program = g_new0(TgProgram, 1);
  int64_t nodes = prediction->lanes.network->nodes;
  program->prediction = prediction;
  program->depart = depart;
  program->user = user;
  tg_clocks_init(&program->clocks, nodes, prediction->machine, prediction->options);
  program->clocks.idle = prediction->lanes.idle;
  program->clocks.level = false;
  program->node = g_aligned_alloc((gsize)nodes, sizeof(TgNode), 64);
  for (int64_t n = 0; n < nodes; n++)
    program->node[n] = (TgNode){.port_s = program->clocks.port[n], .cpu_s = program->clocks.cpu[n], .step = -1};
  program->patterns = g_hash_table_new_full(hash_pattern, equal_patterns, (GDestroyNotify)tg_pattern_release, NULL);
  program->last_shared = -1;
  program->least_bytes = INT64_MAX;
  program->gate = INT64_MAX;
  look_ahead(program);
  return program;
}

void tg_program_free(TgProgram *program) {
  if (!program) return;
  for (gsize i = 0; i < program->count; i++) free_stage(*slot_of(program, program->base + (int64_t)i));
  if (program->next_lane) tg_lane_release(program->next_lane);
  g_free(program->ring);
  g_aligned_free(program->node);
  g_hash_table_unref(program->patterns);
  g_clear_error(&program->error);
  tg_clocks_clear(&program->clocks);
  g_free(program);
}

int64_t tg_program_least_bytes(const TgProgram *program) {
  return program->known_at_once && program->least_bytes < INT64_MAX ? program->least_bytes : 0;
}

/* Closes the step that each node is in. */
static void close_last_steps(TgProgram *program) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; n < clocks->nodes; n++) {
    if (program->node[n].step < 0) continue;
    double *end = &step_at(program, (guint)program->node[n].step)->end_s;
    int64_t entry = clocks->level ? 0 : n;
    *end = tg_later(*end, tg_later(clocks->port[entry], clocks->cpu[entry]));
  }
}

/* Moves the nodes' times to the clocks. */
static void hand_over(TgProgram *program) {
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

static void enter_all(TgProgram *program, guint step) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; program->prediction->node_steps && n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    enter_node_steps(program->prediction, program->node[n].step, step, n,
                     tg_later(clocks->port[entry], clocks->cpu[entry]), clocks->compute[entry]);
    program->node[n].step = (int32_t)step;
  }
}

/* Runs all stages from the gate on as hockney does. */
static void sweep(TgProgram *program) {
  double first, last;
  int64_t current = -1;
  hand_over(program);
  close_last_steps(program);
  while (program->count > 0) {
    TgStage *stage = *slot_of(program, program->base);
    const TgLane *lane = stage->pattern->lane[0];
    if (current != (int64_t)stage->step) {
      TgTraceStep *step = step_at(program, stage->step);
      tg_clocks_range(&program->clocks, &first, &last);
      if (current >= 0) {
        double *end = &step_at(program, (guint)current)->end_s;
        *end = tg_later(*end, last);
      }
      step->start_s = MIN(step->start_s, first);
      current = stage->step;
      enter_all(program, stage->step);
    }
    if (stage->pattern->transfers)
      tg_clocks_transfer(&program->clocks, lane, 0);
    else if (lane->phase->products) {
      stage->longest_s = tg_clocks_multiply(&program->clocks, lane);
      tg_node_steps_product(program->prediction, &program->clocks, lane, stage->step);
    }
    drop_first(program);
  }
  for (int64_t n = 0; current >= 0 && n < program->clocks.nodes; n++) program->node[n].step = (int32_t)current;
}

/* --- one node's way ------------------------------------------------------------------------------------------- */

static void enter_steps(TgProgram *program, TgNode *node, const TgStage *stage) {
  double now = tg_later(node->port_s, node->cpu_s);
  if (node->step == (int32_t)stage->step_last) return;
  const uint8_t *idle = program->clocks.idle;
  if (idle && idle[node - program->node]) return;
  if (node->step != (int32_t)stage->step) {
    TgTraceStep *step = step_at(program, stage->step);
    if (node->step >= 0) {
      TgTraceStep *last = step_at(program, (guint)node->step);
      last->end_s = tg_later(last->end_s, now);
    }
    step->start_s = MIN(step->start_s, now);
  }
  for (guint s = stage->step + 1; s <= stage->step_last; s++) {
    TgTraceStep *step = step_at(program, s);
    step->start_s = MIN(step->start_s, now);
  }
  enter_node_steps(program->prediction, node->step, stage->step_last, node - program->node, now, node->compute_s);
  node->step = (int32_t)stage->step_last;
}

static void leave_stage(TgProgram *program, TgNode *node, TgStage *stage) {
  if (!program->clocks.overlap && stage->pattern->transfers) node->cpu_s = tg_later(node->cpu_s, node->port_s);
  const bool idle = program->clocks.idle && program->clocks.idle[node - program->node];
  for (guint s = stage->step; s < stage->step_last && !idle; s++) {
    TgTraceStep *step = step_at(program, s);
    step->end_s = tg_later(step->end_s, tg_later(node->port_s, node->cpu_s));
  }
  if (--stage->left == 0) retire(program);
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
  if (lane->phase->writes & program->travels) tg_clocks_wrote(clocks, lane->phase, number, node->cpu_s);
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
    TgStage *stage = stage_at(program, node->at);
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
    const TgPattern *next = stage_at(program, number)->pattern;
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
         !program->prediction->lanes.half && program->gate == INT64_MAX;
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
  if (!links_are_free(program, held_s) && stage_at(program, program->gate)) {
    program->gate++;
    for (int64_t node = 0; node < program->clocks.nodes; node++) proceed(program, node);
    return false;
  }
  sweep(program);
  return true;
}

bool tg_program_finish(TgProgram *program, GError **error) {
  if (program->error) {
    g_propagate_error(error, g_steal_pointer(&program->error));
    return false;
  }
  if (program->count > 0) { /* no schedule brings that about: only times that are no numbers any more */
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "a message never arrives: its time overflows with the machine's latencies and bandwidths");
  }
  if (!tg_program_is_gated(program)) hand_over(program);
  close_last_steps(program);
  enter_all(program, program->prediction->steps->len);
  tg_clocks_take(&program->clocks, program->prediction->cost);
  return true;
}

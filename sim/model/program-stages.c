/* Stages: made ahead, found by number, dropped behind the last node. */
#include "node-steps.h"
#include "program-private.h"
#include "phase.h"

#include <math.h>
#include <string.h>

enum {
  AHEAD_STAGES = 1 << 20,     /* known ahead at most … */
  AHEAD_BYTES = 256 * 1 << 20 /* … and what they may hold */
};

TgTraceStep *tg_program_step(const TgProgram *program, guint step) {
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
  for (guint s = known; s < program->prediction->steps->len; s++) tg_program_step(program, s)->start_s = INFINITY;
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
      ring[((gsize)program->base + i) & (size - 1)] = *tg_program_slot(program, program->base + (int64_t)i);
    g_free(program->ring);
    program->ring = ring;
    program->size = size;
  }
  stage->number = program->base + (int64_t)program->count;
  *tg_program_slot(program, stage->number) = stage;
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

TgStage *tg_program_make(TgProgram *program, int64_t number) {
  while (number >= program->base + (int64_t)program->count)
    if (!make_stage(program)) return NULL;
  return *tg_program_slot(program, number);
}

static void free_stage(TgStage *stage) {
  tg_pattern_release(stage->pattern);
  g_free(stage->ready);
  g_free(stage);
}

static void drop_first(TgProgram *program) {
  TgStage *stage = *tg_program_slot(program, program->base);
  g_array_index(program->prediction->step_compute, double, stage->step) += stage->longest_s;
  free_stage(stage);
  program->base++;
  program->count--;
}

void tg_program_retire(TgProgram *program) {
  while (program->count > 0 && (*tg_program_slot(program, program->base))->left == 0) drop_first(program);
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

static bool has_half_duplex(const TgMachine *machine) {
  bool half = machine->link.duplex == TG_DUPLEX_HALF;
  for (int l = 0; l < TG_MAX_LEVELS; l++) half = half || machine->level[l].duplex == TG_DUPLEX_HALF;
  for (int a = 0; a < TG_MACHINE_AXES; a++) half = half || machine->axis[a].duplex == TG_DUPLEX_HALF;
  return half;
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
  program->half_duplex = has_half_duplex(prediction->machine);
  program->least_bytes = INT64_MAX;
  program->gate = INT64_MAX;
  look_ahead(program);
  return program;
}

void tg_program_free(TgProgram *program) {
  if (!program) return;
  for (gsize i = 0; i < program->count; i++) free_stage(*tg_program_slot(program, program->base + (int64_t)i));
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

void tg_program_last_steps(TgProgram *program) {
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

/* All nodes enter the step; the number of steps where all is done. */
void tg_program_enter_all(TgProgram *program, guint step) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; program->prediction->node_steps && n < clocks->nodes; n++) {
    int64_t entry = clocks->level ? 0 : n;
    tg_node_steps_enter(program->prediction, program->node[n].step, step, n,
                        tg_later(clocks->port[entry], clocks->cpu[entry]), clocks->compute[entry]);
    program->node[n].step = (int32_t)step;
  }
}

static void note_products(TgProgram *program, const TgLane *lane, guint step) {
  const TgClocks *clocks = &program->clocks;
  for (int64_t n = 0; program->prediction->node_steps && n < clocks->nodes; n++)
    if (!lane->product_s || lane->product_s[n] > 0)
      tg_node_step_product(program->prediction, step, n, clocks->cpu[clocks->level ? 0 : n]);
}

void tg_program_sweep(TgProgram *program) {
  double first, last;
  int64_t current = -1;
  tg_program_hand_over(program);
  tg_program_last_steps(program);
  while (program->count > 0) {
    TgStage *stage = *tg_program_slot(program, program->base);
    const TgLane *lane = stage->pattern->lane[0];
    if (current != (int64_t)stage->step) {
      TgTraceStep *step = tg_program_step(program, stage->step);
      tg_clocks_range(&program->clocks, &first, &last);
      if (current >= 0) {
        double *end = &tg_program_step(program, (guint)current)->end_s;
        *end = tg_later(*end, last);
      }
      step->start_s = MIN(step->start_s, first);
      current = stage->step;
      tg_program_enter_all(program, stage->step);
    }
    if (stage->pattern->transfers)
      tg_clocks_transfer(&program->clocks, lane, 0);
    else if (lane->phase->products) {
      stage->longest_s = tg_clocks_multiply(&program->clocks, lane);
      note_products(program, lane, stage->step);
    }
    drop_first(program);
  }
  for (int64_t n = 0; current >= 0 && n < program->clocks.nodes; n++) program->node[n].step = (int32_t)current;
}

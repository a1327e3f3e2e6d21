#include "stages.h"

#include <math.h>
#include <string.h>

/* --- patterns, and phases that are read ahead ------------------------------------------------------------------------
 */

enum {
  AHEAD_STAGES = 1 << 20,     /* known ahead at most … */
  AHEAD_BYTES = 256 * 1 << 20 /* … and what they may hold */
};

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

static TgPattern *find_pattern(TgStages *stages, TgLane *const *lanes, int count) {
  TgPattern wanted = {.lanes = count};
  bool comes_again = true;
  for (int l = 0; l < count; l++) {
    wanted.lane[l] = lanes[l];
    comes_again = comes_again && lanes[l]->keep;
  }
  TgPattern *pattern = comes_again ? g_hash_table_lookup(stages->patterns, &wanted) : NULL;
  if (!pattern) {
    pattern = tg_pattern_new(lanes, count, stages->nodes);
    if (comes_again) g_hash_table_add(stages->patterns, pattern);
  }
  if (comes_again) pattern->references++;
  return pattern;
}

/* Reads the next phase into next_lane. False at the end, or where the schedule fails. */
static bool read_lane(TgStages *stages) {
  guint known = stages->prediction->steps->len;
  if (stages->next_lane) return true;
  if (stages->ended) return false;
  TgProgress progress =
      tg_prediction_next(stages->prediction, &stages->next_lane, &stages->next_at, &stages->next_step, &stages->error);
  stages->ended = progress != TG_PROGRESS_MORE;
  if (stages->ended) return false;
  tg_lane_hold(stages->next_lane);
  for (guint s = known; s < stages->prediction->steps->len; s++) tg_stages_step(stages, s)->start_s = INFINITY;
  return true;
}

/* With all ports, transfers of consecutive statements that do not need each other begin together. */
static bool joins(const TgStages *stages, int32_t statement, uint32_t reads, uint32_t writes) {
  const TgPhase *next = stages->next_lane->phase;
  return stages->all_ports && !next->products && stages->next_at.statement != statement &&
         tg_uses_apart(next->reads, next->writes, reads, writes);
}

static void append(TgStages *stages, TgStage *stage) {
  if (stages->count == stages->size) {
    gsize size = MAX(stages->size * 2, 64);
    TgStage **ring = g_new(TgStage *, size);
    for (gsize i = 0; i < stages->count; i++)
      ring[((gsize)stages->base + i) & (size - 1)] = *tg_stages_slot(stages, stages->base + (int64_t)i);
    g_free(stages->ring);
    stages->ring = ring;
    stages->size = size;
  }
  stage->number = stages->base + (int64_t)stages->count;
  *tg_stages_slot(stages, stage->number) = stage;
  stages->count++;
}

static void note_sizes(TgStages *stages, const TgStage *stage) {
  if (!stage->pattern->one_hop) stages->last_shared = stage->number;
  for (int32_t t = 0; t < stage->pattern->transfers; t++) {
    stages->least_bytes = MIN(stages->least_bytes, tg_stage_bytes(stage, t));
    if (!stage->pattern->which && !stage->pattern->lane[0]->sizes) break;
  }
}

/* --- which nodes take part in which stages ----------------------------------------------------------------------- */

static int64_t first_of_block(int64_t number) {
  return number / TG_STAGE_BLOCK * TG_STAGE_BLOCK;
}

/* The block of a stage that is there or is the next one; made if need be. */
static TgStageBlock *block_of(const TgStages *stages, int64_t number) {
  const guint at = (guint)(number / TG_STAGE_BLOCK);
  if (at == stages->blocks->len) {
    TgStageBlock *block = g_new0(TgStageBlock, 1);
    block->left = stages->nodes;
    g_ptr_array_add(stages->blocks, block);
  }
  return stages->blocks->pdata[at];
}

static void free_block(gpointer data) {
  TgStageBlock *block = data;
  if (block) g_free(block->part);
  g_free(block);
}

/* Whether every node has to go through the stage. Each enters every step, too, at the step's first stage. */
static bool is_of_all(const TgStages *stages, const TgStage *stage) {
  const TgPattern *pattern = stage->pattern;
  if (stage->number == 0 || stage->step != stages->last_step || stage->step_last != stage->step) return true;
  for (int l = 0; l < pattern->lanes; l++)
    if (pattern->lane[l]->complete || pattern->lane[l]->phase->products) return true;
  return false;
}

static void note_nodes(TgStages *stages, const TgStage *stage) {
  TgStageBlock *block = block_of(stages, stage->number);
  const TgPattern *pattern = stage->pattern;
  const int64_t place = stage->number % TG_STAGE_BLOCK;
  const bool all = is_of_all(stages, stage);
  stages->last_step = stage->step_last;
  if (all && !block->part) return;
  if (!block->part) {
    block->part = g_new(uint64_t, stages->nodes);
    for (int64_t n = 0; n < stages->nodes; n++) block->part[n] = (UINT64_C(1) << place) - 1; /* those before it */
  }
  for (int64_t n = 0; all && n < stages->nodes; n++) block->part[n] |= UINT64_C(1) << place;
  for (int32_t t = 0; !all && t < pattern->transfers; t++) {
    block->part[pattern->ends[t].from] |= UINT64_C(1) << place;
    block->part[pattern->ends[t].to] |= UINT64_C(1) << place;
  }
}

/* --- stages ----------------------------------------------------------------------------------------------------------
 */

static TgStage *make_stage(TgStages *stages) {
  TgLane *lanes[TG_PATTERN_LANES];
  uint32_t reads = 0, writes = 0;
  int count = 0;
  if (!read_lane(stages)) return NULL;
  TgStage *stage = g_new0(TgStage, 1);
  stage->step = stages->next_step;
  stage->statement = stages->next_at.statement;
  do {
    int32_t statement = stages->next_at.statement;
    bool products = stages->next_lane->phase->products > 0;
    reads |= stages->next_lane->phase->reads;
    writes |= stages->next_lane->phase->writes;
    stage->step_last = stages->next_step;
    lanes[count++] = g_steal_pointer(&stages->next_lane);
    if (products || !read_lane(stages) || !joins(stages, statement, reads, writes)) break;
  } while (count < TG_PATTERN_LANES);
  stage->pattern = find_pattern(stages, lanes, count);
  for (int l = 0; l < count; l++) tg_lane_release(lanes[l]);
  append(stages, stage);
  note_sizes(stages, stage);
  note_nodes(stages, stage);
  return stage;
}

TgStage *tg_stages_make(TgStages *stages, int64_t number) {
  while (number >= stages->base + (int64_t)stages->count)
    if (!make_stage(stages)) return NULL;
  return *tg_stages_slot(stages, number);
}

static void free_stage(TgStage *stage) {
  tg_pattern_release(stage->pattern);
  g_free(stage->ready);
  g_free(stage);
}

void tg_stages_drop_first(TgStages *stages) {
  TgStage *stage = *tg_stages_slot(stages, stages->base);
  g_array_index(stages->prediction->step_compute, double, stage->step) += stage->longest_s;
  free_stage(stage);
  stages->base++;
  stages->count--;
}

/* A node goes on to the next block: what all have gone beyond is dropped. */
static void leave_block(TgStages *stages, int64_t number) {
  GPtrArray *blocks = stages->blocks;
  block_of(stages, number)->left--;
  for (guint b = (guint)(stages->base / TG_STAGE_BLOCK); b < blocks->len; b++) {
    const int64_t end = ((int64_t)b + 1) * TG_STAGE_BLOCK;
    if (((TgStageBlock *)blocks->pdata[b])->left > 0) return;
    free_block(blocks->pdata[b]);
    blocks->pdata[b] = NULL;
    while (stages->count > 0 && stages->base < end) tg_stages_drop_first(stages);
    stages->base = end; /* after the last stage none follows */
  }
}

void tg_stages_leave(TgStages *stages, int64_t number) {
  if (number % TG_STAGE_BLOCK == TG_STAGE_BLOCK - 1) leave_block(stages, number);
}

void tg_stages_skip(TgStages *stages, int64_t from, int64_t to) {
  for (int64_t last = first_of_block(from) + TG_STAGE_BLOCK - 1; last < to; last += TG_STAGE_BLOCK)
    leave_block(stages, last);
}

TgStage *tg_stages_find(TgStages *stages, int64_t node, int64_t *number) {
  for (;;) {
    const int64_t last = first_of_block(*number) + TG_STAGE_BLOCK - 1;
    tg_stages_at(stages, last); /* whether it is there or not: all of the block are known then */
    if (*number >= stages->base + (int64_t)stages->count && *number % TG_STAGE_BLOCK == 0) return NULL;
    const TgStageBlock *block = block_of(stages, *number);
    const uint64_t part = block->part ? block->part[node] >> (*number % TG_STAGE_BLOCK) : 1;
    if (part) *number += __builtin_ctzll(part);
    if (part && *number < stages->base + (int64_t)stages->count) return *tg_stages_slot(stages, *number);
    *number = last + 1;
    leave_block(stages, last);
  }
}

/* What a pattern holds, and its lanes. */
static gsize bytes_of(const TgStages *stages, const TgPattern *pattern) {
  const gsize places = pattern->key ? (gsize)pattern->places : (gsize)stages->nodes;
  gsize bytes = (gsize)pattern->transfers * 48 + places * (sizeof *pattern->first + sizeof *pattern->key);
  for (int l = 0; l < pattern->lanes; l++) {
    const TgLane *lane = pattern->lane[l];
    bytes += (gsize)lane->loads * sizeof(TgLoadEntry);
    if (lane->product_s) bytes += (gsize)stages->nodes * sizeof *lane->product_s;
    if (lane->phase->size) bytes += (gsize)lane->phase->products * sizeof *lane->phase->size;
  }
  return bytes;
}

/* Makes stages ahead. Those of lanes that come again cost next to nothing. */
static void look_ahead(TgStages *stages) {
  gsize bytes = 0;
  TgStage *stage;
  while (bytes < AHEAD_BYTES && stages->count < AHEAD_STAGES && (stage = make_stage(stages))) {
    const TgPattern *pattern = stage->pattern;
    if (pattern->references == 1) bytes += bytes_of(stages, pattern);
    if (block_of(stages, stage->number)->part) bytes += (gsize)stages->nodes * 8 / TG_STAGE_BLOCK;
  }
  stages->known_at_once = stages->ended;
}

void tg_stages_init(TgStages *stages, TgPrediction *prediction, bool all_ports) {
  *stages = (TgStages){.prediction = prediction,
                       .nodes = prediction->lanes.network->nodes,
                       .all_ports = all_ports,
                       .last_shared = -1,
                       .least_bytes = INT64_MAX};
  stages->patterns = g_hash_table_new_full(hash_pattern, equal_patterns, (GDestroyNotify)tg_pattern_release, NULL);
  stages->blocks = g_ptr_array_new_with_free_func(free_block);
  look_ahead(stages);
}

void tg_stages_clear(TgStages *stages) {
  for (gsize i = 0; i < stages->count; i++) free_stage(*tg_stages_slot(stages, stages->base + (int64_t)i));
  if (stages->next_lane) tg_lane_release(stages->next_lane);
  g_free(stages->ring);
  g_ptr_array_unref(stages->blocks);
  g_hash_table_unref(stages->patterns);
  g_clear_error(&stages->error);
}

/** @file stages.h
 * Private to sim/: the stages of a program (program.h), made ahead as far as memory allows, found by number, dropped
 * behind the last node. A node need not look at stages in which it takes no part: on a large grid most rounds of a
 * collective are of few nodes. */
#ifndef TG_STAGES_H
#define TG_STAGES_H

#include "program.h"

/** Stages in a row, of numbers from a multiple of TG_STAGE_BLOCK on. */
typedef struct TgStageBlock {
  uint64_t *part; /**< by node: bit s set where it takes part in stage s of the block; NULL: all nodes in all */
  int64_t left;   /**< nodes that have not gone beyond the block */
} TgStageBlock;

enum { TG_STAGE_BLOCK = 64 };

typedef struct TgStages {
  TgPrediction *prediction;
  int64_t nodes;
  bool all_ports;
  TgStage **ring; /**< the stages base .. base + count - 1, at number modulo size */
  gsize size;     /**< a power of two */
  gsize count;
  int64_t base;
  GPtrArray *blocks;   /**< TgStageBlock: the first has stage `base` */
  guint last_step;     /**< of the stage made last */
  bool ended;          /**< all stages have been made */
  int64_t last_shared; /**< number of the last stage with a message of more than one hop; -1 none */
  int64_t least_bytes;
  bool known_at_once; /**< all stages were made before the first node began */
  TgLane *next_lane;  /**< read, not yet in a stage */
  TgPhaseAt next_at;
  guint next_step;
  GHashTable *patterns; /**< of lanes that come again */
  GError *error;
} TgStages;

void tg_stages_init(TgStages *stages, TgPrediction *prediction, bool all_ports);
void tg_stages_clear(TgStages *stages);

static inline TgStage **tg_stages_slot(const TgStages *stages, int64_t number) {
  return &stages->ring[(gsize)number & (stages->size - 1)];
}
/** Makes the stages up to this number, and returns it; NULL after the last one, or where the schedule fails. */
TgStage *tg_stages_make(TgStages *stages, int64_t number);
/** The stage of this number, made if need be; NULL as above. */
static inline TgStage *tg_stages_at(TgStages *stages, int64_t number) {
  if (number >= stages->base + (int64_t)stages->count) return tg_stages_make(stages, number);
  return *tg_stages_slot(stages, number);
}
/** The first stage from `number` on in which the node takes part; what it goes beyond is dropped behind the last node.
 * `*number` becomes its number; after the last one, a number that no stage has. */
TgStage *tg_stages_find(TgStages *stages, int64_t node, int64_t *number);
/** The node has left stage `number`. */
void tg_stages_leave(TgStages *stages, int64_t number);
/** The node goes from stage `from` to stage `to` without a look at those between. */
void tg_stages_skip(TgStages *stages, int64_t from, int64_t to);
void tg_stages_drop_first(TgStages *stages);

static inline TgTraceStep *tg_stages_step(const TgStages *stages, guint step) {
  return &g_array_index(stages->prediction->steps, TgTraceStep, step);
}

#endif

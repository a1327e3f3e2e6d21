/** @file program-private.h
 * What the files of the program share. */
#ifndef TG_PROGRAM_PRIVATE_H
#define TG_PROGRAM_PRIVATE_H

#include "clock.h"
#include "program.h"
#include "phase.h"

/** A node, in one cache line: nodes are met in no order. */
typedef struct TgNode {
  double port_s, cpu_s, compute_s; /* as in TgClocks */
  double enter_s, out_s;           /* when it can receive in this stage, and send */
  int64_t at;                      /* number of its stage */
  int32_t pending; /* transfers of its stage that are not complete; it has entered it if there are any */
  int32_t step;    /* index of its step, -1 before the first */
  int64_t unused;
} TgNode;

static inline double tg_later(double a, double b) {
  return a > b ? a : b;
}

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
  bool half_duplex;
  uint32_t travels; /* buffers that transfers read or write; all where not all stages are known */
  int64_t least_bytes;
  bool known_at_once; /* all stages were made before the first node began */
  TgLane *next_lane;  /* read, not yet in a stage */
  TgPhaseAt next_at;
  guint next_step;
  GHashTable *patterns; /* of lanes that come again */
  int64_t gate;         /* number of the first stage that no node may enter */
  GError *error;
};

/** Makes the stages up to this number, and returns it; NULL after the last one, or where the schedule fails. */
TgStage *tg_program_make(TgProgram *program, int64_t number);

static inline TgStage **tg_program_slot(const TgProgram *program, int64_t number) {
  return &program->ring[(gsize)number & (program->size - 1)];
}

/** The stage of this number, made if need be; NULL as above. */
static inline TgStage *tg_program_stage(TgProgram *program, int64_t number) {
  if (number >= program->base + (int64_t)program->count) return tg_program_make(program, number);
  return *tg_program_slot(program, number);
}

/** Drops the stages at the front that all nodes have left. */
void tg_program_retire(TgProgram *program);
TgTraceStep *tg_program_step(const TgProgram *program, guint step);
/** Runs all stages from the gate on as hockney does. */
void tg_program_sweep(TgProgram *program);
/** All nodes enter the step, by the clocks, where single nodes are kept; the number of steps once all is done. */
void tg_program_enter_all(TgProgram *program, guint step);
/** Closes the step that each node is in. */
void tg_program_last_steps(TgProgram *program);
/** Moves the nodes' times to the clocks. */
void tg_program_hand_over(TgProgram *program);

#endif

/** @file program-private.h
 * Private to program.c and program-calm.c: what a program holds. */
#ifndef TG_PROGRAM_PRIVATE_H
#define TG_PROGRAM_PRIVATE_H

#include "stages.h"

/** A node, in one cache line: nodes are met in no order. */
typedef struct TgNode {
  double port_s, cpu_s, compute_s; /* as in TgClocks */
  double enter_s, out_s;           /* when it can receive in this stage, and send, if it does */
  int64_t at;                      /* number of its stage */
  int32_t pending; /* transfers of its stage that are not complete; it has entered it if there are any */
  int32_t step;    /* index of its step, -1 before the first */
  bool paused;     /* after a product, in an eager program */
} TgNode;

/** A transfer of the node whose time is accounted for, on its way. */
typedef struct TgUnderWay {
  const TgStage *stage;
  int32_t transfer;
  double depart_s;
} TgUnderWay;

struct TgProgram {
  TgPrediction *prediction;
  TgDepart depart;
  void *user;
  bool eager;
  TgClocks clocks; /* port, cpu and enter come in with the sweep, or at the end */
  TgNode *node;
  TgStages stages;
  TgSlices slices;
  int32_t cut;       /* statement at which nodes wait for others to come in; INT32_MAX: all are there */
  int64_t asked;     /* the node whose time is accounted for */
  int64_t behind;    /* of the nodes that run, those that have not left the last stage of more than one hop; negative:
                        not counted */
  int64_t gate;      /* number of the first stage that no node may enter */
  int64_t timed;     /* transfers that are complete … */
  int64_t ask_at;    /* … and how many of them when the watch is asked again */
  GArray *under_way; /* TgUnderWay */
  bool slower;       /* than TgCostOptions.most_s, … */
  bool stopped;      /* … or the watch ended it */
};

static inline TgTraceStep *tg_program_step(const TgProgram *program, guint step) {
  return tg_stages_step(&program->stages, step);
}

static inline const TgSchedule *tg_program_schedule(const TgProgram *program) {
  return tg_phases_walk(program->prediction->phases)->schedule;
}

/** The node whose times are this one's until the cut, which may be itself. */
static inline int64_t tg_program_stand_in(const TgProgram *program, int64_t node) {
  return tg_slices_stand_in(&program->slices, tg_program_schedule(program), node, program->cut);
}
/** The number of the first stage behind the cut; after the last one, a number that no stage has. */
int64_t tg_program_stage_of_cut(TgProgram *program);
/** With all nodes that run at the stage, or beyond it because they take no part in it: those of the next cut come in.
 */
void tg_program_widen_at(TgProgram *program, int64_t stage);
/** The node is at the beginning of its stage: goes on until it has to wait, stands at the gate, or is done. */
void tg_program_proceed(TgProgram *program, int64_t node);

/** Moves the nodes' times to the clocks. */
void tg_program_hand_over(TgProgram *program);
/** By the clocks: closes the step that each node is in … */
void tg_program_close_last_steps(TgProgram *program);
/** … and all enter the step. */
void tg_program_enter_all(TgProgram *program, guint step);

#endif

/** @file program.h
 * Private to sim/: every node's way through the phases, for models in which messages of different phases affect each
 * other. A node goes from stage to stage on its own; a transfer departs when both its ends have come to it, or (in an
 * eager program) when its sender has; the model tells when it is delivered.
 *
 * A stage is what the nodes do between two waits: one phase, or with `ports = all` the phases that run together
 * (stages.h). */
#ifndef TG_PROGRAM_H
#define TG_PROGRAM_H

#include "pattern.h"
#include "prediction.h"

typedef struct TgStage {
  TgPattern *pattern;
  int64_t number;        /**< from 0 */
  int32_t statement;     /**< of the schedule, the first of its phases' */
  guint step, step_last; /**< indices of its steps */
  double *ready;         /**< by transfer: when its first end came (eager: when it was received), negative before; NULL
                              where each node has one transfer and the program is not eager */
  double longest_s;      /**< time of its longest product */
} TgStage;

typedef struct TgProgram TgProgram;

/** A transfer departs: both ends (eager: its sender) are ready at `at_s`, which is no earlier than any time the model
 * has worked on. It may not deliver anything from here: note it down. */
typedef void (*TgDepart)(void *user, TgStage *stage, int32_t transfer, TgPatternEnds ends, double at_s);

/** `prediction` and `user` must outlive the program. `eager`: see tg_program_sent(). */
TgProgram *tg_program_new(TgPrediction *prediction, TgDepart depart, void *user, bool eager);
void tg_program_free(TgProgram *program);

/** Lets the nodes begin; the transfers that can depart at once do. */
void tg_program_begin(TgProgram *program);
/** Where what has departed is delivered: lets the nodes begin for which others stood so far (slice.h), so that further
 * transfers depart, perhaps at earlier times. False where there are none. */
bool tg_program_widen(TgProgram *program);
/** The transfer is complete at both ends. `end_s` may lie in the model's future. What can depart now does. */
void tg_program_deliver(TgProgram *program, TgStage *stage, int32_t transfer, double end_s);

/* In an eager program a transfer departs when its sender comes to it, and may be received before its receiver comes to
 * it. The model decides when a node sends and receives. It reports each end with tg_program_sent() and
 * tg_program_received(), instead of tg_program_deliver(). No node stands for others. */

/** The transfer has been sent at `end_s`, and its sender goes on at `free_s`: with its next transfer, or stage. */
void tg_program_sent(TgProgram *program, TgStage *stage, int32_t transfer, double end_s, double free_s);
/** The transfer has been received at `end_s`; its receiver goes on at `free_s` if that was what it waited for. */
void tg_program_received(TgProgram *program, TgStage *stage, int32_t transfer, double end_s, double free_s);
/** Without overlap a node pauses after each product, so that it can first receive the messages that came meanwhile.
 * Ends the pause; false if the node did not pause. */
bool tg_program_resume(TgProgram *program, int64_t node);
/** When the node can turn to its next message. Products count only without overlap. */
double tg_program_free_s(const TgProgram *program, int64_t node);
/** Keeps the node's processor busy with a message for `overhead_s`, from `begin_s` on or from when it is free. Products
 * that begin later wait. Returns when that ends. */
double tg_program_occupy(TgProgram *program, int64_t node, double begin_s, double overhead_s);
/** The account, set to the step that the node is in; NULL where the time of this node is not accounted for. */
TgAccount *tg_program_account(const TgProgram *program, int64_t node);

/** Fetches from memory what a delivery will soon need. */
void tg_program_fetch(TgProgram *program, const TgStage *stage, int32_t transfer, TgPatternEnds ends);

static inline int64_t tg_stage_bytes(const TgStage *stage, int32_t transfer) {
  return tg_pattern_bytes(stage->pattern, transfer);
}
/** 1 + a random number in [0, jitter) that depends on seed, stage, transfer and `draw` alone; 1 without jitter. */
double tg_program_jitter(const TgProgram *program, const TgStage *stage, int32_t transfer, uint32_t draw);
/** The fewest bytes that any message has, where all stages were known from the beginning, otherwise 0. */
int64_t tg_program_least_bytes(const TgProgram *program);

/** True where what is left of the run need not be run: it is known to take longer than TgCostOptions.most_s, or the
 * watch has stopped it. To be asked again and again. */
bool tg_program_is_over(TgProgram *program);

/** True where no two messages of different nodes can meet on a link any more: the program is known to its end, and all
 * nodes have left its last transfer of more than one hop. Never with half-duplex links or all ports.
 *
 * From then on the model's answer is hockney's, which needs no queue. So: call tg_program_gate(), deliver what has
 * departed and what departs meanwhile, in any order, then tg_program_run_rest(). */
bool tg_program_is_calm(TgProgram *program);
/** No node goes on beyond the furthest stage that one is in now. */
void tg_program_gate(TgProgram *program);
bool tg_program_is_gated(const TgProgram *program);
/** With all nodes at the gate: runs the rest and returns true. Where a node's links are in use for longer than the node
 * is, by `held_s` (of each node, or NULL), it opens the gate by one stage instead, so that transfers depart again, and
 * returns false. */
bool tg_program_run_rest(TgProgram *program, const double *held_s);

/** After all events: sets the prediction's times. False with the error of the schedule. */
bool tg_program_finish(TgProgram *program, GError **error);

#endif

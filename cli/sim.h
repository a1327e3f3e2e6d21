/** @file sim.h
 * What `topogemm sim` predicts, and how its parts hang together. */
#ifndef TG_SIM_H
#define TG_SIM_H

#include "problem.h"

#include "cost.h"
#include "element.h"
#include "formula.h"

typedef struct TgSimRun {
  TgProblem problem;
  TgTopology network;
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  TgMachine machine;
  TgShape shape;
  TgElement element;
  TgEmbeddingKind embedding;
  TgCostOptions options;
  TgCost cost;
  TgFormula *formula;    /**< NULL where the literature has none for this schedule */
  double closed_form_s;  /**< NaN where there is none, or it does not apply */
  char *closed_form_why; /**< why it does not apply, or NULL */
} TgSimRun;

void tg_sim_clear(TgSimRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSimRun, tg_sim_clear)

/** Finds the schedule's closed form and its value on the machine. */
void tg_sim_closed_form(TgSimRun *run);
void tg_sim_print(TgCli *cli, const TgSimRun *run);
void tg_sim_print_json(TgCli *cli, const TgSimRun *run);

#endif

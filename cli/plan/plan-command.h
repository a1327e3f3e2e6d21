/** @file plan-command.h
 * What `topogemm plan` plans. */
#ifndef TG_PLAN_COMMAND_H
#define TG_PLAN_COMMAND_H

#include "algo.h"

#include "element.h"
#include "plan.h"

typedef struct TgPlanRun {
  TgProblem *problems;   /**< of the library, then those of the command line */
  TgPlanSource *sources; /**< one a problem */
  int count, library;
  TgMachine machine;
  TgTopology network;
  bool has_network;         /**< else one for each grid … */
  const char *network_kind; /**< … of this kind; NULL where none is named, which is a torus */
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  TgElement element;
  TgPlanRequest request;
  TgPlan plan;
} TgPlanRun;

void tg_plan_print(TgCli *cli, const TgPlanRun *run);
void tg_plan_print_json(TgCli *cli, const TgPlanRun *run);

#endif

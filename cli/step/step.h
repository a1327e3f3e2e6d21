/** @file step.h
 * What `topogemm step` runs, and how its parts hang together. */
#ifndef TG_STEP_H
#define TG_STEP_H

#include "input.h"
#include "progress.h"

#include "check.h"
#include "stepper.h"

enum { TG_STEP_FEW_PROCESSORS = 16 }; /**< up to here blocks are printed unasked */

typedef struct TgStepRun {
  TgProblem problem;
  TgTopology network;
  TgEmbedding embedding;
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  TgStepperOptions options;
  TgInput input;
  TgMatrix *c; /**< once the run is complete */
  TgStepper *stepper;
  TgProgressLine line; /**< the stepper tells it how far it is */
  int64_t last;     /**< the step to stop after */
  const char *note; /**< printed last: repetitions do not repeat it */
  bool checked;     /**< `check` is filled */
  TgCheck check;
} TgStepRun;

void tg_step_clear(TgStepRun *run);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgStepRun, tg_step_clear)

/** What is run, in a line or two. */
void tg_step_print_head(TgCli *cli, const TgStepRun *run);
/** The step at which the stepper stands. */
void tg_step_print_step(TgCli *cli, TgStepRun *run);
/** The messages of that step, one a line. */
void tg_step_print_messages(TgCli *cli, const TgStepRun *run);
/** Counts and the check's outcome. */
void tg_step_print_result(TgCli *cli, const TgStepRun *run);
/** All of it as one JSON document. */
void tg_step_print_json(TgCli *cli, const TgStepRun *run);
/** Bytes over the busiest link in step `step` (from 1), and which; -1 where loads are not kept. */
int64_t tg_step_busiest_link(const TgStepRun *run, int64_t step, int64_t *link);

/** Goes on as far as asked, printing unless `--quiet` or `--json`. */
TgExit tg_step_forward(TgCli *cli, TgStepRun *run);
/** Says why the stepper failed. */
TgExit tg_step_failed(const TgCli *cli, const TgStepRun *run, GError *error);

#endif

/** @file run-baseline.h
 * `topogemm run --baseline`: what a run is measured against. */
#ifndef TG_RUN_BASELINE_H
#define TG_RUN_BASELINE_H

#include "run-command.h"

/** Reads --baseline: a kernel of the ladder, for executors on a GPU. */
TgExit tg_run_baseline_option(const TgCli *cli, TgRunCommand *run);
/** Refuses it where the schedules, which are bound, compute no product. */
TgExit tg_run_baseline_check(const TgCli *cli, const TgRunCommand *run);
/** Measures that kernel, where there is one, on the matrices of the run; as often as the runs. */
TgExit tg_run_baseline(const TgCli *cli, TgRunCommand *run);

#endif

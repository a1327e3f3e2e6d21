/** @file sweep-command.h
 * `topogemm sim` with several ALGOs or `--sweep`: what the command line asks of a sweep, its tables, files and plots.
 */
#ifndef TG_SWEEP_COMMAND_H
#define TG_SWEEP_COMMAND_H

#include "sim.h"

#include "gnuplot.h"
#include "json-writer.h"
#include "sweep.h"

typedef struct TgSweepCommand {
  TgSweepRequest request;
  int sources;
  TgAlgo *algo; /**< of each source */
  TgSweepSource *source;
  const char **name; /**< their schedules' names */
  char *settings;    /**< network, model and the like, in words */
  TgSweep sweep;
} TgSweepCommand;

/** Runs it all. */
TgExit tg_sweep_run(TgCli *cli);

void tg_sweep_print(TgCli *cli, const TgSweepCommand *command);
void tg_sweep_write(TgJson *json, const TgSweepCommand *command);
/** Looks at `-o` before anything is run: an unknown format, a program that is not here, nothing to plot. */
TgExit tg_sweep_file_check(const TgCli *cli, const TgSweepRequest *request);
TgExit tg_sweep_file_write(TgCli *cli, const TgSweepCommand *command);

#endif

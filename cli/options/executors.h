/** @file executors.h
 * The table of executors: what `--on` can name. A new one is a row. */
#ifndef TG_EXECUTORS_H
#define TG_EXECUTORS_H

#include "cli.h"
#include "environment.h"

#include "executor.h"
#include "ways.h"

typedef struct TgExecutorRow {
  const char *name;
  const TgExecutorKind *kind; /**< NULL: of the design, and not in this version */
  bool on_gpu;                /**< --device and --cold mean something */
  bool has_deadline;          /**< its processors wait for each other, and --deadline limits that */
  TgWays ways;                /**< for predictions */
  const char *unlike_sim;     /**< what it does otherwise than `sim` supposes of a machine; NULL: nothing */
  const char *grid, *sizes;   /**< to calibrate with: what fills it as users do; see TgCalibrationPlan */
} TgExecutorRow;

const TgExecutorRow *tg_executor_list(size_t *count);
/** Finds the row that --on names. TG_EXIT_USAGE where there is none or no --on, TG_EXIT_MISSING where it is not in this
 * version. `command` names the subcommand in errors. */
TgExit tg_executor_option(const TgCli *cli, const char *command, const TgExecutorRow **row);
/** Takes --transport: copy where it is not given. TG_EXIT_USAGE where the executor lacks it. */
TgExit tg_transport_option(const TgCli *cli, const TgExecutorRow *row, TgTransport *transport);
/** Likewise one or several, joined by commas, each once. */
TgExit tg_transports_option(const TgCli *cli, const TgExecutorRow *row, TgTransport transports[TG_TRANSPORTS],
                            int32_t *count);
/** Refuses --deadline, --device and --cold where the executor has no use for them. */
TgExit tg_executor_row_check(const TgCli *cli, const TgExecutorRow *row);
/** Takes --device and --deadline. */
TgExit tg_device_options(const TgCli *cli, TgExecutorOptions *options);
/** Whether the executor needs no GPU, or there is one of this number. */
bool tg_executor_has_device(const TgExecutorRow *row, int32_t number);
/** Begins the environment; TG_EXIT_MISSING where the executor needs a GPU and there is none of this number. */
TgExit tg_executor_device(const TgCli *cli, const char *command, const TgExecutorRow *row, int32_t number,
                          TgEnvironment *environment);

#endif

/** @file executors.h
 * The table of executors: what `--on` can name. A new one is a row of it. */
#ifndef TG_EXECUTORS_H
#define TG_EXECUTORS_H

#include "cli.h"
#include "environment.h"

#include "executor.h"
#include "machine.h"

/** The executors of this version, NULL-terminated. */
extern const TgExecutorKind *const tg_executors[];
/** The executor of that name, or NULL. */
const TgExecutorKind *tg_executor_find(const char *name);
/** "cpu, threads, clusters, blocks"; free with g_free(). */
char *tg_executor_names(void);

/** Begins the job of which this program is one of several, where --on asks for such an executor: then only the first
 * writes files, unless `each_writes` its part of them. To be called before anything is checked, so that only the first
 * reports it. TG_EXIT_MISSING where it cannot begin. */
TgExit tg_executor_begin(TgCli *cli, bool each_writes);
/** Ends it, with this program's exit status. */
void tg_executor_end(const TgCli *cli, TgExit status);
/** Finds the one that --on names. TG_EXIT_USAGE where there is none or no --on, TG_EXIT_MISSING where it is not in this
 * version. `command` names the subcommand in errors. */
TgExit tg_executor_option(const TgCli *cli, const char *command, const TgExecutorKind **kind);
/** Takes --transport: copy where it is not given. TG_EXIT_USAGE where the executor lacks it. */
TgExit tg_transport_option(const TgCli *cli, const TgExecutorKind *kind, TgTransport *transport);
/** Likewise one or several, joined by commas, each once. */
TgExit tg_transports_option(const TgCli *cli, const TgExecutorKind *kind, TgTransport transports[TG_TRANSPORTS],
                            int32_t *count);
/** Refuses --deadline, --device and --cold where the executor has no use for them. */
TgExit tg_executor_options_check(const TgCli *cli, const TgExecutorKind *kind);
/** Takes --device and --deadline. */
TgExit tg_device_options(const TgCli *cli, TgExecutorOptions *options);
/** Whether the executor needs no GPU, or there is one of this number. */
bool tg_executor_has_device(const TgExecutorKind *kind, int32_t number);
/** Warns where the machine was measured on an executor that does what predictions of networks do not suppose. */
void tg_executor_warn(const TgCli *cli, const TgMachine *machine);
/** Begins the environment; TG_EXIT_MISSING where the executor needs a GPU and there is none of this number. */
TgExit tg_executor_device(const TgCli *cli, const char *command, const TgExecutorKind *kind, int32_t number,
                          TgEnvironment *environment);

#endif

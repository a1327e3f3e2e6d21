/** @file machine-option.h
 * `--machine`: a machine of the library, or a file. */
#ifndef TG_MACHINE_OPTION_H
#define TG_MACHINE_OPTION_H

#include "report.h"

#include "machine.h"

/** Reads the machine; commodity-cluster where none is named. Reports what is wrong at its place in the file. */
TgExit tg_machine_option(const TgCli *cli, TgMachine *machine);

/** The same, and the text of that machine file. Free with g_free(). */
TgExit tg_machine_text_option(const TgCli *cli, TgMachine *machine, char **text);

/** The machine's own network, where it has a node for each processor and `--network` names no other; else NULL. */
const char *tg_machine_own_network(const TgCli *cli, const TgMachine *machine, int64_t processors);

#endif

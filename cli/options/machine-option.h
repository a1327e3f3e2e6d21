/** @file machine-option.h
 * `--machine`: a machine of the library, or a file. */
#ifndef TG_MACHINE_OPTION_H
#define TG_MACHINE_OPTION_H

#include "report.h"

#include "machine.h"

/** Reads the machine; commodity-cluster where none is named. Reports what is wrong at its place in the file. `text`,
 * unless NULL, gets a copy of the file; free with g_free(). */
TgExit tg_machine_option(const TgCli *cli, TgMachine *machine, char **text);

#endif

/** @file machine-option.h
 * `--machine`: a machine of the library, or a file. */
#ifndef TG_MACHINE_OPTION_H
#define TG_MACHINE_OPTION_H

#include "report.h"

#include "machine.h"

/** Reads the machine; commodity-cluster where none is named. Reports what is wrong at its place in the file. */
TgExit tg_machine_option(const TgCli *cli, TgMachine *machine);

/** The text of that machine file, once it was read without errors. Free with g_free(). */
TgExit tg_machine_text_option(const TgCli *cli, char **text);

#endif

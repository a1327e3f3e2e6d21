/** @file algorithms.h
 * Several ALGOs on one command line. */
#ifndef TG_ALGORITHMS_H
#define TG_ALGORITHMS_H

#include "cli.h"

/** All ALGOs compute the same, none is standard input, and each --set is for one of them at least. Reports what is not
 * so; `command` names the subcommand in errors. */
TgExit tg_algorithms_check(const TgCli *cli, const char *command);

#endif

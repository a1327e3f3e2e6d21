/** @file step.h
 * `topogemm step` in its two ways. */
#ifndef TG_STEP_H
#define TG_STEP_H

#include "cli.h"

/** Runs `topogemm step --interactive`. */
TgExit tg_step_interactive(TgCli *cli);

#endif

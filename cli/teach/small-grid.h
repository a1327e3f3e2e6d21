/** @file small-grid.h
 * Grids that are small enough to follow by hand: those of exercises. */
#ifndef TG_SMALL_GRID_H
#define TG_SMALL_GRID_H

#include "algo.h"

/** Binds the schedule with `--grid` and `--set`; without `--grid`, to a small grid that it is made for. */
TgExit tg_small_grid(const TgCli *cli, TgAlgo *algo, TgBindings *bindings);

/** Binds it to other small grids, `most` at most, with the `--set` of `bindings`. Returns how many there are. */
int tg_other_small_grids(TgAlgo *algo, const TgBindings *bindings, TgBindings *others, int most);

/** "topogemm verify PATH --grid 4x4 --set b=2", for a shell. Free with g_free(). */
char *tg_verify_command(const TgAlgo *algo, const TgBindings *bindings, const char *path);

#endif

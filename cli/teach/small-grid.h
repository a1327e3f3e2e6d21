/** @file small-grid.h
 * Grids that are small enough to follow by hand: those of exercises. */
#ifndef TG_SMALL_GRID_H
#define TG_SMALL_GRID_H

#include "algo.h"

/** Binds the schedule with `--grid` and `--set`; without `--grid`, to a small grid that it is made for. */
TgExit tg_small_grid(const TgCli *cli, TgAlgo *algo, TgBindings *bindings);

/** Appends other small grids that it is made for with the `--set` of `bindings`, `most` at most, as "4x4". It is bound
 * to one of them then. */
void tg_other_small_grids(TgAlgo *algo, const TgBindings *bindings, int most, GPtrArray *grids);

#endif

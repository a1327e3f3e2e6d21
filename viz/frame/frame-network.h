/** @file frame-network.h
 * How a frame's grid and its network belong together, and networks in words. Private to viz/. */
#ifndef TG_FRAME_NETWORK_H
#define TG_FRAME_NETWORK_H

#include "frame.h"

/** True where the grid's lines are rings on the frame's network: everywhere but on meshes and lines. */
bool tg_frame_goes_round(const TgFrame *frame);
/** True where the network is a torus, mesh, ring or line with the grid's own extents. */
bool tg_frame_has_grid_shape(const TgFrame *frame);
/** True where collectives are left whole and one of them has messages in the step. */
bool tg_frame_spreads(const TgFrame *frame);
/** Appends a network in words: "4×4 torus", "ring of 6", "6-cube". */
void tg_network_append(GString *text, const TgTopology *topology);
/** "an" before "8×8 torus" or "11-cube", else "a". */
const char *tg_article(const char *words);

#endif

/** @file planes-flow.h
 * Arrows between the cells of planes. Private to viz/. */
#ifndef TG_PLANES_FLOW_H
#define TG_PLANES_FLOW_H

#include "layout.h"

enum { TG_PLANES_STUB = 40 }; /**< points that an arrow round the edge stands out */

/** The upper left corner of a plane's panel in the layout. */
TgPoint tg_planes_panel_corner(const TgLayout *layout, int64_t panel);
/** Appends "plane k = 1". */
void tg_planes_panel_name(GString *name, const TgFrame *frame, int64_t panel);
/** "plane-1". Free with g_free(). */
char *tg_planes_panel_id(int64_t panel);

void tg_planes_draw_flow(const TgView *view, const TgFlow *flow);

#endif

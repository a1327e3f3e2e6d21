/** @file planes-flow.h
 * Arrows between the cells of planes. Private to viz/. */
#ifndef TG_PLANES_FLOW_H
#define TG_PLANES_FLOW_H

#include "layout.h"

enum { TG_PLANES_STUB = 40 }; /**< points that an arrow round the edge stands out */

void tg_planes_draw_flow(const TgView *view, const TgFlow *flow);

#endif

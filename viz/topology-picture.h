/** @file topology-picture.h
 * The picture of a network: nodes with their coordinates, links, and what goes round the edge as stubs. */
#ifndef TG_TOPOLOGY_PICTURE_H
#define TG_TOPOLOGY_PICTURE_H

#include <glib.h>

#include "draw-error.h"
#include "topology.h"

G_BEGIN_DECLS

enum { TG_TOPOLOGY_PICTURE_NODES = 4096, TG_TOPOLOGY_PICTURE_CABLES = 100000 }; /**< the most that are drawn */

/** The bytes of a file; `format` is a suffix of tg_draw_formats(). A node has the id "n-0-1" of its coordinates, a
 * switch "switch-0", a cable "cable-N" for links 2N and 2N+1. Drawing takes no more than `memory_limit_bytes` (0: no
 * limit). Errors: as tg_render(), and TOO_BIG. */
GBytes *tg_draw_topology(const TgTopology *topology, const char *format, uint64_t memory_limit_bytes, GError **error);

G_END_DECLS

#endif

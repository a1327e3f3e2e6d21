#include "frame-private.h"

#include <string.h>

/* Names the tree that a message of a whole broadcast or reduce belongs to; -1 where every message goes alone. Trees of
 * one statement have different roots. */
static int64_t tree_of(const TgFrames *frames, const TgFrameMessage *message) {
  if (!frames->frame.whole || (message->op != TG_OP_BROADCAST && message->op != TG_OP_REDUCE)) return -1;
  int64_t root = message->op == TG_OP_BROADCAST ? message->from : message->to;
  return message->execution * TG_MAX_PROCESSORS + root;
}

/* Hops of a stretch that cost no more than its two ends would. */
enum { SHORT_STRETCH = 2 };

static void add_to_tree(TgFrames *frames, TgRoute *route, int64_t tree, double blocks) {
  TgHop hop;
  while (tg_route_next(route, &hop)) {
    if (frames->link_stamp[hop.link] == tree) continue;
    frames->link_stamp[hop.link] = tree;
    frames->frame.link_blocks[hop.link] += blocks;
  }
}

static void add_to_stretch(TgFrames *frames, const TgStretch *stretch, double blocks) {
  if (stretch->hops > SHORT_STRETCH && blocks == 1) {
    if (!frames->link_ends) frames->link_ends = g_try_new0(int64_t, (gsize)frames->options.topology->links);
    if (frames->link_ends) { /* else hop by hop */
      tg_stretch_note_ends(stretch, 1, frames->link_ends);
      return;
    }
  }
  int32_t place = stretch->low;
  for (int32_t hop = 0; hop < stretch->hops; hop++) {
    frames->frame.link_blocks[stretch->line + place * stretch->stride] += blocks;
    if (++place == stretch->places) place = 0;
  }
}

void tg_frame_load_add(TgFrames *frames, const TgFrameMessage *message) {
  if (frames->options.topology == NULL) return;
  TgRoute route;
  TgStretch stretch;
  const int64_t tree = tree_of(frames, message);
  const int32_t *node = frames->frame.node;
  const double blocks = 1.0 / message->pieces;
  tg_route_begin(&route, frames->options.topology, node[message->from], node[message->to]);
  if (tree >= 0) {
    add_to_tree(frames, &route, tree, blocks);
    return;
  }
  while (tg_route_next_stretch(&route, &stretch)) add_to_stretch(frames, &stretch, blocks);
}

void tg_frame_load_clear(TgFrames *frames) {
  if (frames->options.topology == NULL) return;
  const size_t links = (size_t)frames->options.topology->links;
  memset(frames->frame.link_blocks, 0, links * sizeof *frames->frame.link_blocks);
  memset(frames->link_stamp, -1, links * sizeof *frames->link_stamp);
}

static void add_long_stretches(TgFrames *frames) {
  if (!frames->link_ends) return;
  tg_topology_sum_lines(frames->options.topology, frames->link_ends);
  for (int64_t link = 0; link < frames->options.topology->links; link++)
    frames->frame.link_blocks[link] += (double)frames->link_ends[link];
  g_clear_pointer(&frames->link_ends, g_free);
}

void tg_frame_load_finish(TgFrames *frames) {
  frames->frame.link_blocks_max = 0;
  if (frames->options.topology == NULL) return;
  add_long_stretches(frames);
  for (int64_t link = 0; link < frames->options.topology->links; link++)
    frames->frame.link_blocks_max = MAX(frames->frame.link_blocks_max, frames->frame.link_blocks[link]);
}

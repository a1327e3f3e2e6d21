#include "frame-private.h"

#include <string.h>

/* Names the tree that a message of a whole broadcast or reduce belongs to; -1 where every message goes alone. Trees of
 * one statement have different roots. */
static int64_t tree_of(const TgFrames *frames, const TgFrameMessage *message) {
  if (!frames->frame.whole || (message->op != TG_OP_BROADCAST && message->op != TG_OP_REDUCE)) return -1;
  int64_t root = message->op == TG_OP_BROADCAST ? message->from : message->to;
  return message->execution * TG_MAX_PROCESSORS + root;
}

void tg_frame_load_add(TgFrames *frames, const TgFrameMessage *message) {
  if (frames->options.topology == NULL) return;
  TgRoute route;
  TgHop hop;
  int64_t tree = tree_of(frames, message);
  const int32_t *node = frames->frame.node;
  tg_route_begin(&route, frames->options.topology, node[message->from], node[message->to]);
  while (tg_route_next(&route, &hop)) {
    if (tree >= 0 && frames->link_stamp[hop.link] == tree) continue;
    frames->link_stamp[hop.link] = tree;
    frames->frame.link_blocks[hop.link] += 1.0 / message->pieces;
  }
}

void tg_frame_load_clear(TgFrames *frames) {
  if (frames->options.topology == NULL) return;
  size_t links = (size_t)frames->options.topology->links;
  memset(frames->frame.link_blocks, 0, links * sizeof *frames->frame.link_blocks);
  memset(frames->link_stamp, -1, links * sizeof *frames->link_stamp);
}

void tg_frame_load_finish(TgFrames *frames) {
  frames->frame.link_blocks_max = 0;
  if (frames->options.topology == NULL) return;
  for (int64_t link = 0; link < frames->options.topology->links; link++)
    frames->frame.link_blocks_max = MAX(frames->frame.link_blocks_max, frames->frame.link_blocks[link]);
}

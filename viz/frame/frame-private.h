/** @file frame-private.h
 * How frames are recorded. Private to viz/. */
#ifndef TG_FRAME_PRIVATE_H
#define TG_FRAME_PRIVATE_H

#include "frame.h"

struct TgFrames {
  TgFrame frame;
  TgFrameOptions options;
  TgState *state;
  bool started, failed, stopped;
  TgError failure; /**< where `failed` */
  GArray *messages, *products;
  int64_t *link_stamp; /**< per link: the last tree that crossed it; see add_to_tree() */
  int64_t *link_ends;  /**< whole blocks over long stretches, by their two ends; NULL until there is one */
};

void tg_frame_set_failure(GError **error, const TgError *failure);

#endif

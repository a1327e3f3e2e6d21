/** @file frame-private.h
 * How frames are recorded. Private to viz/. */
#ifndef TG_FRAME_PRIVATE_H
#define TG_FRAME_PRIVATE_H

#include "frame.h"

struct TgFrames {
  TgFrame frame;
  TgFrameOptions options;
  TgState *state;
  bool started;
  GArray *messages, *products;
  int64_t *link_stamp; /**< per link: the last tree that crossed it; see tg_frame_load_add() */
};

/** Adds a message to the loads of the links on its way. A broadcast left whole crosses each link once, whatever the
 * number of receivers behind it, and a reduce likewise. */
void tg_frame_load_add(TgFrames *frames, const TgFrameMessage *message);
/** Sets all loads to 0. */
void tg_frame_load_clear(TgFrames *frames);
/** Finds the largest load. */
void tg_frame_load_finish(TgFrames *frames);

#endif

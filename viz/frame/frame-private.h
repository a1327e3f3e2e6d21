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
  int64_t *link_stamp; /**< per link: the last tree that crossed it; see tg_frame_load_add() */
  int64_t *link_ends;  /**< whole blocks over long stretches, by their two ends; NULL until there is one */
};

/** Runs the whole schedule once to find what a picture keeps from step to step: how many slots each buffer ever fills,
 * and along which coordinates messages go, go far, or go round the edge. */
bool tg_frame_survey(TgFrames *frames, GError **error);

void tg_frame_set_failure(GError **error, const TgError *failure);

/** Adds a message to the loads of the links on its way. A broadcast left whole crosses each link once, whatever the
 * number of receivers behind it, and a reduce likewise. Sums are in `link_blocks` after tg_frame_load_finish(). */
void tg_frame_load_add(TgFrames *frames, const TgFrameMessage *message);
/** Sets all loads to 0. */
void tg_frame_load_clear(TgFrames *frames);
/** Finds the largest load. */
void tg_frame_load_finish(TgFrames *frames);

#endif

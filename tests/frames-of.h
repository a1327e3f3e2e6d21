/** @file frames-of.h
 * For tests: the frames of a library schedule on a network. */
#ifndef FRAMES_OF_H
#define FRAMES_OF_H

#include "draw.h"
#include "frame.h"
#include "schedule-text.h"

typedef struct Laid {
  Bound bound;
  TgTopology topology;
  TgEmbedding embedding;
  TgFrameOptions options;
} Laid;

/** Binds `grid` ("4x4") and lays it on `network` (NULL: none) by `embedding`. */
static inline void lay(Laid *laid, const char *name, const char *grid, const char *network, TgEmbeddingKind embedding,
                       TgCollective collective) {
  TgError error;
  gboolean good = bound_from_library(&laid->bound, name, grid, NULL);
  laid->options = (TgFrameOptions){.collective = collective};
  if (good && network != NULL) {
    good = tg_topology_parse(&laid->topology, network, &error) &&
           tg_embedding_init(&laid->embedding, embedding, laid->bound.schedule.dims, laid->bound.schedule.extent,
                             &laid->topology, &error);
    laid->options.topology = &laid->topology;
    laid->options.embedding = &laid->embedding;
  }
  g_assert_true(good);
}

static inline TgFrames *frames_of(Laid *laid) {
  GError *error = NULL;
  TgFrames *frames = tg_frames_new(&laid->bound.schedule, &laid->bound.names, &laid->options, &error);
  g_assert_no_error(error);
  return frames;
}

static inline TgDrawOptions draw_options_of(const Laid *laid) {
  return (TgDrawOptions){
      .topology = laid->options.topology, .embedding = laid->options.embedding, .collective = laid->options.collective};
}

#endif

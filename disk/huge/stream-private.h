/** @file stream-private.h
 * Private to disk/huge: what the two threads of a stream share. One transfers tiles, one multiplies. The order of both
 * is fixed:
 *
 *   for each panel of C: for each step of the inner dimension: B's rows of the step; A's rows chunk by chunk
 *
 * Chunks and steps are counted over all panels, so that a counter says what is there: chunk q waits for `a_ready` > q
 * and `b_ready` > its step, and its memory is free for others when `computed` > q. A panel's rows are final, and
 * written, when their chunk of the last step is computed; they are free for the next panel as soon as they are copied
 * to be written. */
#ifndef TG_STREAM_PRIVATE_H
#define TG_STREAM_PRIVATE_H

#include "stream.h"

enum { TG_STREAM_BUFFERS = 4 }; /* parts of A and of B in memory, at most */

/* Where the transfers, or the products, are. */
typedef struct TgStreamPlace {
  int64_t panel, step, chunk;      /* step of the panel, chunk of the step */
  int64_t whole_step, whole_chunk; /* counted over all panels */
} TgStreamPlace;

/* A step of the inner dimension. */
typedef struct TgStreamStep {
  int64_t factors, begin, length; /* number of the pair of factors; part of its inner dimension */
} TgStreamStep;

typedef struct TgStream {
  const TgStreamJob *job;
  TgHugeResult *result;
  int64_t element_bytes;
  int64_t steps;                     /* number of steps of a panel … */
  TgStreamStep *step;                /* … and each of them */
  int64_t *first_chunk, *first_step; /* by panel, and one more */
  char *c, *a[TG_STREAM_BUFFERS], *b[TG_STREAM_BUFFERS];
  TgMultiplier *multiplier; /* on an accelerator; NULL: none */
  double begun_s;
  GMutex telling;
  /* Between the threads: */
  GMutex mutex;
  GCond changed;
  int64_t a_ready, b_ready, computed;
  int64_t copied_panels;
  size_t copied_bytes; /* of the one after these */
  bool stop;
  GError *problem;
} TgStream;

static inline const TgPanel *tg_stream_panel(const TgStream *stream, int64_t panel) {
  return &stream->job->panels->panel[panel];
}

static inline int64_t tg_stream_panels(const TgStream *stream) {
  return stream->job->panels->count;
}

static inline int64_t tg_stream_chunks_in(const TgStreamJob *job, int64_t panel) {
  return tg_divide_up(job->panels->panel[panel].rows, job->panels->chunk);
}

/* Advances to the next chunk in the order of both threads. */
static inline void tg_stream_advance(const TgStream *stream, TgStreamPlace *place) {
  place->whole_chunk++;
  if (++place->chunk < tg_stream_chunks_in(stream->job, place->panel)) return;
  place->chunk = 0;
  place->whole_step++;
  if (++place->step < stream->steps) return;
  place->step = 0;
  place->panel++;
}

/* Chunks that are computed when a step, counted over all panels, is; it belongs to `panel` or one before. */
static inline int64_t tg_stream_chunks_until(const TgStream *stream, int64_t panel, int64_t whole_step) {
  while (whole_step < stream->first_step[panel]) panel--;
  return stream->first_chunk[panel] +
         (whole_step - stream->first_step[panel] + 1) * tg_stream_chunks_in(stream->job, panel);
}

/** Ends both threads, with the first problem. Takes it. */
void tg_stream_stop(TgStream *stream, GError *problem);

/** Tells a span, which ends now; its beginning is by tg_now_s(). */
void tg_stream_tell(TgStream *stream, const TgHugeSpan *span);

/** The transfers of a stream. */
typedef struct TgTransfers TgTransfers;
/** Errors: those of tg_disk_queue_new(); TOO_LARGE where memory is short. */
TgTransfers *tg_transfers_new(TgStream *stream, GError **error);
/** After the thread. */
void tg_transfers_free(TgTransfers *transfers);
/** The thread, of TgTransfers. */
gpointer tg_transfers_run(gpointer transfers);
/** As in the report: "io_uring". */
const char *tg_transfers_name(const TgTransfers *transfers);

#endif

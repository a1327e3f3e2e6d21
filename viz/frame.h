/** @file frame.h
 * What a picture of one step needs, recorded while the schedule runs on block names: slots before and after, products,
 * messages and the load of every link. Nothing here knows how it is drawn. */
#ifndef TG_FRAME_H
#define TG_FRAME_H

#include <glib.h>

#include "block-text.h"
#include "draw-error.h"
#include "embedding.h"
#include "schedule.h"
#include "state.h"
#include "topology.h"

G_BEGIN_DECLS

enum {
  TG_FRAME_DETAIL_PROCESSORS = 1024, /**< beyond it a frame has counts only, no slots, messages or products */
  TG_FRAME_DETAIL_SLOTS = 1 << 20    /**< … and beyond this many slots, over all processors */
};

/** A slot in one step. */
typedef struct TgFrameSlot {
  TgBlockName before; /**< as the step begins */
  TgBlockName used;   /**< as a product of the step first reads it; empty where none does */
  TgBlockName after;  /**< as the step ends */
} TgFrameSlot;

/** result += left · right, or result = left · right */
typedef struct TgFrameProduct {
  int64_t processor;
  TgBlockName result, left, right;
  bool replace;
  bool left_transposed, right_transposed;
  int32_t line; /**< of its statement in the schedule's text */
} TgFrameProduct;

/** A block that came from another processor. Its number in the step is its index in TgFrame::message. */
typedef struct TgFrameMessage {
  int64_t from, to;
  TgBlockName block;
  int64_t execution;     /**< number of the statement's execution, so that two of one statement are told apart */
  int32_t round;         /**< from 0; of collectives in rounds */
  int32_t piece, pieces; /**< 0 of 1 where the block travels whole */
  uint8_t op;            /**< TgOp of its statement */
  uint8_t axis;          /**< collectives: the coordinate it runs along */
  uint8_t buffer;        /**< slot's buffer at the receiver */
  bool add;
  int32_t line; /**< of its statement in the schedule's text */
} TgFrameMessage;

typedef struct TgFrame {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  const TgTopology *topology; /**< NULL without a network */
  int32_t *node;              /**< with a network: the node of each processor */
  bool whole;                 /**< collectives are left whole */
  int64_t step, steps;        /**< 0 is the initial placement; number of the last one */
  const char *label, *note;   /**< of the step, "" where it has none */
  const TgError *failure;     /**< where the run fails in this step, or at the end after it; else NULL */
  int64_t processors;
  bool detail;                    /**< slots, messages and products are there */
  bool listed;                    /**< messages and products are there, with or without slots */
  int32_t length[TG_MAX_BUFFERS]; /**< detail: slots of each buffer over the whole run; 0 where it is never filled */
  int32_t first[TG_MAX_BUFFERS];  /**< detail: position of X[0] among a processor's slots */
  int32_t slots;                  /**< detail: slots of one processor */
  TgFrameSlot *slot;              /**< detail: processors × slots, row-major */
  TgFrameProduct *product;        /**< listed, in order of execution */
  TgFrameMessage *message;        /**< listed, in order of arrival */
  uint8_t round_axes; /**< detail: bit c: somewhere in the run a block goes round the edge along coordinate c … */
  uint8_t far_axes;   /**< … or further than to a neighbour … */
  uint8_t moved_axes; /**< … or along it at all */
  int64_t products, messages; /**< counts, also without detail */
  int32_t *received, *held;   /**< per processor: messages of the step; blocks held as it ends */
  double *link_blocks;        /**< with a network, per directed link: blocks that cross it in the step */
  double link_blocks_max;
} TgFrame;

/** What to record. */
typedef struct TgFrameOptions {
  const TgTopology *topology;   /**< NULL: link loads are not asked for */
  const TgEmbedding *embedding; /**< of the schedule's grid on it; NULL: processor p on node p */
  TgCollective collective;
  bool to_the_error;    /**< where the schedule fails, its last frame is the step in which it does, as far as it went */
  bool list;            /**< messages and products are listed for any number of processors; slots are not */
  const TgWatch *watch; /**< told the statements of a run, and can stop it anywhere; NULL: nobody */
} TgFrameOptions;

/** The frames of a schedule, one at a time. */
typedef struct TgFrames TgFrames;

/** Begins before step 0. `schedule` is bound; schedule, names and what `options` points to outlive the frames. */
TgFrames *tg_frames_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgFrameOptions *options,
                        GError **error);
void tg_frames_free(TgFrames *frames);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgFrames, tg_frames_free)

/** The next frame, owned by `frames` and good until the next call. NULL without an error after the last one. Where the
 * watch stops it, TG_DRAW_ERROR_STOPPED, and the frames are to be sought again from the beginning. */
const TgFrame *tg_frames_next(TgFrames *frames, GError **error);
/** The frame of step `step`; the schedule runs again from its beginning where that lies back. */
const TgFrame *tg_frames_seek(TgFrames *frames, int64_t step, GError **error);
/** Number of the last step; where the run fails before, it is known once that frame was asked for. */
int64_t tg_frames_steps(const TgFrames *frames);

/** The slot X[index] of `buffer` at `processor`. */
static inline const TgFrameSlot *tg_frame_slot(const TgFrame *frame, int64_t processor, int buffer, int32_t index) {
  return &frame->slot[processor * frame->slots + frame->first[buffer] + index];
}

/** What a picture shows in a slot: what the step used of it; else what was there; else what came. A growing sum shows
 * what it has become. */
const TgBlockName *tg_frame_slot_shown(const TgFrameSlot *slot);

/** The coordinates of sender and receiver, TG_MAX_DIMS each. Returns the only axis in which they differ, or -1. */
int tg_frame_message_axis(const TgSchedule *schedule, const TgFrameMessage *message, int64_t *from, int64_t *to);

G_END_DECLS

#endif

/** @file buffer-uses.h
 * Private to sim/: which of a schedule's statements need each other's blocks, and which may write over one that is
 * still read, by buffer. It follows from the text of the schedule alone. */
#ifndef TG_BUFFER_USES_H
#define TG_BUFFER_USES_H

#include "phase.h"

/** Sets of buffers, a bit each. */
typedef struct TgBufferUses {
  uint32_t origins[TG_MAX_BUFFERS]; /**< by buffer: itself, and all whose blocks may reach it without a product */
  uint32_t arrives;                 /**< transfers write it, and products or additions need it */
  uint32_t refilled;                /**< transfers may write over what a product has read */
  uint32_t sent;                    /**< products or additions write it, and transfers read it */
  uint32_t renewed;                 /**< … and the schedule may start it anew after it was sent */
} TgBufferUses;

/** `travels[s]`: whether statement s sends anything to another processor; NULL: assume so of every transfer. */
void tg_buffer_uses(const TgSchedule *schedule, const bool travels[TG_MAX_STATEMENTS], TgBufferUses *uses);

/** What a processor holds at most. */
typedef struct TgPlacesHeld {
  int64_t blocks;
  double elements;
} TgPlacesHeld;

/** The extra blocks of overlap: `places` - 1 for each slot of a buffer that is refilled or renewed. `places` of 0
 * counts as 1. `travels` as above. */
TgPlacesHeld tg_places_held(const TgSchedule *schedule, const bool travels[TG_MAX_STATEMENTS], int32_t places,
                            int64_t m, int64_t n, int64_t k);
/** By statement: whether it sends anything to another processor, as far as can be told without a run. */
void tg_statements_travel(const TgSchedule *schedule, bool travels[TG_MAX_STATEMENTS]);

#endif

/** @file multiplier.h
 * Interface of an accelerator that multiplies in place of this CPU. Its memory keeps a panel of C while A and B stream
 * past it. */
#ifndef TG_MULTIPLIER_H
#define TG_MULTIPLIER_H

#include "element.h"

TG_BEGIN_DECLS

/** What the accelerator needs memory for. */
typedef struct TgMultiplierJob {
  TgElement element;
  int64_t panel_bytes, a_bytes, b_bytes; /**< of the largest panel of C, chunk of A and step of B */
  int32_t device;
} TgMultiplierJob;

/** A chunk: some rows of A within one step of the inner dimension, which are multiplied by the step's rows of B. All
 * are row-major without gaps, in host memory. */
typedef struct TgMultiplierChunk {
  int64_t rows, columns, inner;
  const void *a, *b;
  int64_t step;  /**< counted over all panels: B is the same in all chunks of a step */
  int64_t c_row; /**< where the chunk's rows begin in the panel */
  bool first;    /**< C = A·B; otherwise C += A·B */
  void *result;  /**< where to copy the chunk's rows of C; NULL: they are not final yet */
} TgMultiplierChunk;

typedef struct TgMultiplier TgMultiplier;

typedef struct TgMultiplierKind {
  const char *name;
  /** Returns NULL with an error if there is no such device or not enough memory. */
  TgMultiplier *(*open)(const TgMultiplierJob *job, TgError *error);
  /** Registers host memory for A, B or C before it is used, so that it is copied at full speed. */
  bool (*use)(TgMultiplier *multiplier, void *memory, int64_t bytes, TgError *error);
  /** Starts a chunk. `number` counts the chunks; at most two are under way at a time. */
  bool (*begin)(TgMultiplier *multiplier, int64_t number, const TgMultiplierChunk *chunk, TgError *error);
  /** Waits for a chunk: then its rows of A may be overwritten, and its rows of C have arrived. Adds the time of its
   * product. */
  bool (*finish)(TgMultiplier *multiplier, int64_t number, double *product_s, TgError *error);
  void (*close)(TgMultiplier *multiplier);
} TgMultiplierKind;

TG_END_DECLS

#endif

/** @file multiplier.h
 * What multiplies in place of this CPU: an accelerator, whose memory keeps a panel of C while A and B stream past it.
 */
#ifndef TG_MULTIPLIER_H
#define TG_MULTIPLIER_H

#include "element.h"

TG_BEGIN_DECLS

/** What it must have room for. */
typedef struct TgMultiplierJob {
  TgElement element;
  int64_t panel_bytes, a_bytes, b_bytes; /**< of the largest panel of C, chunk of A and step of B */
  int32_t device;
} TgMultiplierJob;

/** A chunk: rows of A, a step of the inner dimension, times the step's rows of B. All row-major without gaps, in the
 * host's memory. */
typedef struct TgMultiplierChunk {
  int64_t rows, columns, inner;
  const void *a, *b;
  int64_t step;  /**< counted over all panels: B is the same in all chunks of a step */
  int64_t c_row; /**< where its rows begin in the panel */
  bool first;    /**< C = A·B, else C += A·B */
  void *result;  /**< where its rows of C come to when they are final; NULL before */
} TgMultiplierChunk;

typedef struct TgMultiplier TgMultiplier;

typedef struct TgMultiplierKind {
  const char *name;
  /** NULL with an error: no such device, or not enough memory. */
  TgMultiplier *(*open)(const TgMultiplierJob *job, TgError *error);
  /** The host's memory for A, B and C, before it is used: so that it is copied at full speed. */
  bool (*use)(TgMultiplier *multiplier, void *memory, int64_t bytes, TgError *error);
  /** Starts a chunk; `number` counts them. At most two are under way. */
  bool (*begin)(TgMultiplier *multiplier, int64_t number, const TgMultiplierChunk *chunk, TgError *error);
  /** Waits for it: its rows of A are free for others, and its rows of C have come. Adds the time of its product. */
  bool (*finish)(TgMultiplier *multiplier, int64_t number, double *product_s, TgError *error);
  void (*close)(TgMultiplier *multiplier);
} TgMultiplierKind;

TG_END_DECLS

#endif

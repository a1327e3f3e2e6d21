/** @file stream.h
 * Private to disk/huge: A and B stream past panels of C. */
#ifndef TG_STREAM_H
#define TG_STREAM_H

#include "huge.h"
#include "pipeline.h"

/** A part of a file that begins and ends at tile boundaries. */
typedef struct TgStreamFile {
  TgTiledFile *file; /**< may be NULL if tiles are only counted */
  int descriptor;    /**< for its tiles; may be open for direct I/O */
  TgTiling tiling;   /**< the file's */
  int64_t row, column, rows, columns;
} TgStreamFile;

/** A pair of factors. All pairs of a sum have the same rows and columns of C. */
typedef struct TgStreamFactors {
  TgStreamFile a, b;
} TgStreamFactors;

typedef struct TgStreamJob {
  TgElement type;
  TgStreamFactors *factors; /**< C is the sum of their products, one after another */
  int64_t count;            /**< number of pairs of factors */
  /** Whether the pair of this number is available; only then are its files and descriptors valid. NULL: all pairs are.
   * Called by the thread that transfers. Returns false with an error if the work must stop. */
  bool (*are_there)(void *of, int64_t number, GError **error);
  void *are_there_of;
  TgStreamFile c;
  TgStreamFile addend;          /**< is added to the products; file NULL: nothing */
  const TgPanels *panels;       /**< all of them are computed; their rows and columns count from those of C */
  int a_buffers, b_buffers;     /**< parts of A and B in memory; 1 each: nothing overlaps */
  int slots;                    /**< transfers under way at a time … */
  size_t slot_bytes;            /**< … and the most of each: at least a tile */
  bool threads;                 /**< instead of io_uring */
  const TgHugeOptions *options; /**< its watch is told chunks done; whom spans are told to */
} TgStreamJob;

/** The number of steps of the inner dimension. No step spans two pairs of factors. */
int64_t tg_stream_steps(const TgStreamJob *job);
/** Chunks of all panels: what the watch is told at the end. */
int64_t tg_stream_chunks(const TgStreamJob *job);

/** Computes the panels and writes them; those that are complete are kept when the next one is, and at the end. Adds
 * what it did to `result`. */
bool tg_stream_multiply(const TgStreamJob *job, TgHugeResult *result, GError **error);

#endif

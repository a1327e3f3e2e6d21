/** @file stream.h
 * Private to disk/huge: A and B stream past panels of C. */
#ifndef TG_STREAM_H
#define TG_STREAM_H

#include "huge.h"
#include "pipeline.h"

/** A part of a file that begins and ends where tiles do. */
typedef struct TgStreamFile {
  TgTiledFile *file;
  int descriptor; /**< for its tiles; may be open for direct I/O */
  int64_t row, column, rows, columns;
} TgStreamFile;

typedef struct TgStreamJob {
  TgElement type;
  int64_t k;
  TgStreamFile a, b, c;
  TgStreamFile addend;          /**< is added to A·B; file NULL: nothing */
  const TgPanels *panels;       /**< all of them are computed; their rows and columns count from those of C */
  int a_buffers, b_buffers;     /**< parts of A and B in memory; 1 each: nothing overlaps */
  int slots;                    /**< transfers under way at a time … */
  size_t slot_bytes;            /**< … and the most of each: at least a tile */
  bool threads;                 /**< instead of io_uring */
  const TgHugeOptions *options; /**< its watch is told chunks done; whom spans are told to */
} TgStreamJob;

/** Chunks of all panels: what the watch is told at the end. */
int64_t tg_stream_chunks(const TgStreamJob *job);

/** Computes the panels and writes them; those that are complete are kept when the next one is, and at the end. Adds
 * what it did to `result`. */
bool tg_stream_multiply(const TgStreamJob *job, TgHugeResult *result, GError **error);

#endif

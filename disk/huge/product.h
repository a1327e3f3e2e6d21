/** @file product.h
 * Private to disk/: one product of parts of tiled files, which are streamed through memory. */
#ifndef TG_DISK_PRODUCT_H
#define TG_DISK_PRODUCT_H

#include "stream.h"

typedef struct TgDiskProduct {
  const TgHugeOptions *options; /**< blocks, multiplier, threads, sequential, watch, spans */
  TgStreamFactors *factors;     /**< planning needs neither their files nor that of C … */
  int64_t count;                /**< … for this many pairs of factors */
  TgStreamFile c, addend;       /**< addend.file NULL: C = A·B; otherwise C = addend + A·B */
  double program_bytes;         /**< what the program uses in addition to the buffers */
  double memory_bytes;          /**< the limit that it was planned for */
  double taken_bytes;           /**< of these: not available for panels and what streams past them */
  TgPanels panels;              /**< of C, counted from the beginning of its part */
  TgPanelsJob plan;
  size_t slot_bytes; /**< the most of a transfer */
} TgDiskProduct;

/** The whole file, as a part. */
TgStreamFile tg_stream_file(TgTiledFile *file, int descriptor);
/** The tiling of their product C: tiles as high as A's and as wide as B's. */
TgTiling tg_disk_product_tiling(const TgStreamFactors *factors);

/** The smallest extents that are whole tiles of all files: rows of A and C, inner dimension, columns of B and C. */
TgProductBlocks tg_disk_product_unit(const TgStreamFactors *factors);

/** Bytes in the file of the largest tile of A, B and C. */
size_t tg_disk_largest_tile(const TgStreamFactors *factors);

/** The program's own memory, with what it will need in addition to the buffers. It varies a little and is rounded up to
 * coarse units, so that the same command has the same plan. */
double tg_disk_program_bytes(void);

/** Plans for this much memory; may be called again. Errors: of TG_SIM_ERROR, TOO_LARGE, with the memory that would be
 * enough; BAD_INPUT for blocks that do not fit the tiles. */
bool tg_disk_product_plan(TgDiskProduct *product, double memory_bytes, GError **error);
/** The same with the memory that an earlier run planned with, where that is less and will do: panels that the earlier
 * run finished stay whole. */
bool tg_disk_product_plan_again(TgDiskProduct *product, double planned_bytes, double memory_bytes, GError **error);
/** Adds the plan to `result`. */
void tg_disk_product_note(const TgDiskProduct *product, TgHugeResult *result);
/** Drops the panels that are finished: those that are in C and match their checksums. The others are still to be
 * computed. Errors: of TG_SIM_ERROR: TOO_LARGE, STOPPED. */
bool tg_disk_product_drop_finished(TgDiskProduct *product, TgHugeResult *result, GError **error);
/** What tg_stream_multiply() needs to compute the remaining panels. */
TgStreamJob tg_disk_product_job(const TgDiskProduct *product);
/** Adds the bytes that the panels will read and write, counted by the files' tiles. */
void tg_disk_product_count(const TgDiskProduct *product, TgHugeResult *result);
void tg_disk_product_clear(TgDiskProduct *product);

#endif

/** @file product.h
 * Private to disk/: one product of parts of tiled files that streams through memory. */
#ifndef TG_DISK_PRODUCT_H
#define TG_DISK_PRODUCT_H

#include "stream.h"

typedef struct TgDiskProduct {
  const TgHugeOptions *options; /**< blocks, threads, sequential, watch, spans */
  TgStreamFactors *factors;     /**< to plan, their files are not needed, nor that of C … */
  int64_t count;                /**< … of so many pairs */
  TgStreamFile c, addend;       /**< addend.file NULL: C = A·B, else C = addend + A·B */
  double program_bytes;         /**< what the program takes beside the buffers */
  double memory_bytes;          /**< that it was planned for */
  double taken_bytes;           /**< of them, beside the buffers */
  TgPanels panels;              /**< of C, counted from the begin of its part */
  TgPanelsJob plan;
  size_t slot_bytes; /**< of a transfer */
} TgDiskProduct;

/** All of the file. */
TgStreamFile tg_stream_file(TgTiledFile *file, int descriptor);
/** C as their product has it: tiles as high as A's and as wide as B's. */
TgTiling tg_disk_product_tiling(const TgStreamFactors *factors);

/** Rows of A and C, of the inner dimension, and columns of B and C that are whole tiles of all files. */
TgProductBlocks tg_disk_product_unit(const TgStreamFactors *factors);

/** The program's own memory, and what it will need beside the buffers. In coarse units, since it varies a little: the
 * same command is to have the same plan. */
double tg_disk_program_bytes(void);

/** Plans for so much memory; may be called again. Errors: of TG_SIM_ERROR, TOO_LARGE, with what would do; BAD_INPUT for
 * blocks that the tiles do not allow. */
bool tg_disk_product_plan(TgDiskProduct *product, double memory_bytes, GError **error);
/** Adds to the result what is planned. */
void tg_disk_product_note(const TgDiskProduct *product, TgHugeResult *result);
/** Leaves the panels that are still to be computed: those that C has, with the right checksums, are finished. Errors:
 * of TG_SIM_ERROR: TOO_LARGE, STOPPED. */
bool tg_disk_product_drop_finished(TgDiskProduct *product, TgHugeResult *result, GError **error);
/** The stream of what is left: see tg_stream_multiply(). */
TgStreamJob tg_disk_product_job(const TgDiskProduct *product);
/** Adds what the panels will read and write, counted from the files' tiles. */
void tg_disk_product_count(const TgDiskProduct *product, TgHugeResult *result);
void tg_disk_product_clear(TgDiskProduct *product);

#endif

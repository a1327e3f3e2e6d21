/** @file inputs.h
 * Private to disk/: the files of A and B. */
#ifndef TG_HUGE_INPUTS_H
#define TG_HUGE_INPUTS_H

#include "product.h"

typedef struct TgHugeInputs {
  TgStreamFactors all; /**< A and B */
  bool direct;         /**< past the operating system's cache */
} TgHugeInputs;

/** Opens a file for its tiles: through the operating system's cache if `cached`, otherwise past it if the file system
 * can. If not past it, *direct becomes false. -1 with an error: CANNOT_READ, CANNOT_WRITE. */
int tg_disk_open_tiles(const char *path, bool cached, bool writes, bool *direct, GError **error);

/** Opens A and B. Errors: of TG_IO_ERROR: CANNOT_READ; BAD_INPUT, also if they cannot be multiplied. */
bool tg_huge_inputs_open(TgHugeInputs *inputs, const TgHugeOptions *options, GError **error);
/** A checksum that identifies A and B. */
uint64_t tg_huge_inputs_identity(const TgHugeInputs *inputs);
/** Fills in what `result` reports about the matrices, and the memory limit. */
void tg_huge_inputs_note(const TgHugeInputs *inputs, const TgHugeOptions *options, TgHugeResult *result);
void tg_huge_inputs_clear(TgHugeInputs *inputs);

#endif

/** @file inputs.h
 * Private to disk/: the files of A and B. */
#ifndef TG_HUGE_INPUTS_H
#define TG_HUGE_INPUTS_H

#include "product.h"

typedef struct TgHugeInputs {
  TgStreamFactors all; /**< A and B */
  bool direct;         /**< past the operating system's cache */
} TgHugeInputs;

/** Opens a file's tiles, with `cached` through the operating system's cache, else past it where the file system can;
 * otherwise *direct becomes false. Errors: CANNOT_READ, CANNOT_WRITE. */
int tg_disk_open_tiles(const char *path, bool cached, bool writes, bool *direct, GError **error);

/** Errors: of TG_IO_ERROR: CANNOT_READ; BAD_INPUT, also where there is no such product. */
bool tg_huge_inputs_open(TgHugeInputs *inputs, const TgHugeOptions *options, GError **error);
/** What C is made of: the same product has the same. */
uint64_t tg_huge_inputs_identity(const TgHugeInputs *inputs);
/** Fills in what the result says of the matrices, and the limit. */
void tg_huge_inputs_note(const TgHugeInputs *inputs, const TgHugeOptions *options, TgHugeResult *result);
void tg_huge_inputs_clear(TgHugeInputs *inputs);

#endif

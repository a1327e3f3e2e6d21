/** @file line-patterns.h
 * Private to sim/: the transfers of collectives along a line, which are the same for all lines with the same root. */
#ifndef TG_LINE_PATTERNS_H
#define TG_LINE_PATTERNS_H

#include "walk.h"

#include <glib.h>

/** All parcels that go from one position to another in one round. */
typedef struct TgLineTransfer {
  int32_t round, from, to;
  int64_t bytes;
} TgLineTransfer;

/** Patterns found so far. */
typedef struct TgLinePatterns {
  GHashTable *known; /* statement and root -> GArray of TgLineTransfer */
  int64_t kept;      /* transfers in it */
} TgLinePatterns;

void tg_line_patterns_init(TgLinePatterns *patterns);
void tg_line_patterns_clear(TgLinePatterns *patterns);

/** Bytes of part `piece` of `pieces` of a block. */
int64_t tg_piece_bytes(int64_t block_bytes, int64_t element_bytes, int32_t piece, int32_t pieces);

/** Transfers of `statement` (number `number`) along `line`, in order, for blocks of `block_bytes`: a GArray of
 * TgLineTransfer, valid until the next call. Statements have numbers, collective and sizes of their own, always. */
const GArray *tg_line_pattern(TgLinePatterns *patterns, const TgStatement *statement, int number,
                              TgCollective collective, const TgLine *line, int64_t block_bytes, int64_t element_bytes);

#endif

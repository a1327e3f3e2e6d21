#include "line-patterns.h"

#include "sum.h"

enum { MOST_KEPT = 1 << 22 }; /* transfers; with more, patterns are found anew */

void tg_line_patterns_init(TgLinePatterns *patterns) {
  patterns->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  patterns->kept = 0;
}

void tg_line_patterns_clear(TgLinePatterns *patterns) {
  g_hash_table_unref(patterns->known);
}

int64_t tg_piece_bytes(int64_t block_bytes, int64_t element_bytes, int32_t piece, int32_t pieces) {
  if (pieces == 1) return block_bytes;
  int64_t elements = block_bytes / element_bytes;
  return (tg_block_begin(elements, pieces, piece + 1) - tg_block_begin(elements, pieces, piece)) * element_bytes;
}

static void add_parcel(GArray *pattern, const TgTransfer *parcel, int64_t bytes) {
  TgLineTransfer *last = pattern->len ? &g_array_index(pattern, TgLineTransfer, pattern->len - 1) : NULL;
  if (last && last->round == parcel->round && last->from == parcel->from && last->to == parcel->to) {
    last->bytes = tg_sum(last->bytes, bytes);
    return;
  }
  TgLineTransfer transfer = {parcel->round, parcel->from, parcel->to, bytes};
  g_array_append_val(pattern, transfer);
}

const GArray *tg_line_pattern(TgLinePatterns *patterns, const TgStatement *statement, int number,
                              TgCollective collective, const TgLine *line, int64_t block_bytes, int64_t element_bytes) {
  gint64 key = (gint64)number << 32 | line->root;
  GArray *pattern = g_hash_table_lookup(patterns->known, &key);
  if (pattern) return pattern;
  if (patterns->kept > MOST_KEPT) {
    g_hash_table_remove_all(patterns->known);
    patterns->kept = 0;
  }
  TgRounds rounds;
  TgTransfer parcel;
  pattern = g_array_new(FALSE, FALSE, sizeof(TgLineTransfer));
  tg_rounds_init(&rounds, (TgOp)statement->op, collective, line->length, line->root, 0);
  while (tg_rounds_next(&rounds, &parcel))
    add_parcel(pattern, &parcel, tg_piece_bytes(block_bytes, element_bytes, parcel.piece, parcel.pieces));
  patterns->kept += pattern->len;
  g_hash_table_insert(patterns->known, g_memdup2(&key, sizeof key), pattern);
  return pattern;
}

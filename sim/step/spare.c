#include "spare.h"

TgSpare *tg_spare_new(void) {
  TgSpare *spare = g_new0(TgSpare, 1);
  spare->blocks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  return spare;
}

void tg_spare_free(TgSpare *spare) {
  if (!spare) return;
  g_hash_table_unref(spare->blocks);
  g_free(spare);
}

void *tg_spare_take(TgSpare *spare, uint64_t bytes) {
  GPtrArray *same = g_hash_table_lookup(spare->blocks, &bytes);
  if (!same || same->len == 0) return NULL;
  spare->bytes -= bytes;
  return g_ptr_array_steal_index_fast(same, same->len - 1);
}

void tg_spare_give(TgSpare *spare, void *memory, uint64_t bytes) {
  GPtrArray *same = g_hash_table_lookup(spare->blocks, &bytes);
  if (!same) {
    same = g_ptr_array_new_with_free_func(g_free);
    g_hash_table_insert(spare->blocks, g_memdup2(&bytes, sizeof bytes), same);
  }
  g_ptr_array_add(same, memory);
  spare->bytes += bytes;
}

void tg_spare_empty(TgSpare *spare) {
  g_hash_table_remove_all(spare->blocks);
  spare->bytes = 0;
}

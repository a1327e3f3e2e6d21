/** @file spare.h
 * Private to sim/: memory of blocks that are gone, for blocks to come. Runs that follow one another so find memory that
 * the system has given already; giving it again takes longer than many an operation on a block. */
#ifndef TG_SPARE_H
#define TG_SPARE_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef struct TgSpare {
  GHashTable *blocks; /**< GPtrArray of memory, by its size */
  uint64_t bytes;     /**< of all of it */
} TgSpare;

TgSpare *tg_spare_new(void);
void tg_spare_free(TgSpare *spare);
/** Memory of so many bytes, with whatever was in it; NULL where there is none of this size. Free with g_free(), or give
 * it back. */
void *tg_spare_take(TgSpare *spare, uint64_t bytes);
void tg_spare_give(TgSpare *spare, void *memory, uint64_t bytes);
/** Frees all that is there. */
void tg_spare_empty(TgSpare *spare);

TG_END_DECLS

#endif

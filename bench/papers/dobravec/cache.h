/** @file cache.h
 * The data caches of a processor, and what a walk down a column of a row-major matrix finds in them. */
#ifndef TG_CACHE_H
#define TG_CACHE_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

enum { TG_CACHES = 4 /**< levels at most */ };

/** A set-associative cache: memory is cut into lines, and line x can only lie in set x % sets. */
typedef struct TgCache {
  int32_t level; /**< from 1 */
  int32_t ways;  /**< lines that a set has room for */
  int64_t sets;
  int64_t line_bytes;
} TgCache;

/** A walk down a column: one element of each row. */
typedef struct TgCacheWalk {
  int64_t lines;    /**< that it touches */
  int64_t sets;     /**< that these lie in */
  int64_t fullest;  /**< lines in the fullest of those */
  int64_t overfull; /**< lines in sets that have not room for all of theirs: where the line that was used longest ago
                         goes, none of them is there any more when the walk is repeated */
} TgCacheWalk;

/** Reads the data and unified caches from a folder in the form of Linux's /sys/devices/system/cpu/cpu0/cache, lowest
 * level first, and returns how many there are: 0 where there is no such folder. */
int tg_cache_read(const char *folder, TgCache caches[TG_CACHES]);

/** A walk over `rows` rows that begin `row_bytes` apart, the first element at the start of a line. The sets are those
 * of addresses: a cache that is larger than a page times its ways is addressed by the pages' places in memory, which
 * the system chooses; how many lines its sets have room for stays the same. */
TgCacheWalk tg_cache_walk(const TgCache *cache, int64_t rows, int64_t row_bytes);

TG_END_DECLS

#endif

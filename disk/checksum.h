/** @file checksum.h
 * Checksums of tiles: XXH3, 64 bits, of the library xxHash (Y. Collet, https://xxhash.com). */
#ifndef TG_CHECKSUM_H
#define TG_CHECKSUM_H

#include "base.h"

TG_BEGIN_DECLS

/** What tiled files cannot be read and written without, and this build lacks: "built with -Ddisk=disabled"; NULL where
 * it is there. */
const char *tg_disk_lacks(void);

/** Differs for any other bytes or seed, but for one chance in 2^64. 0 where tg_disk_lacks(). */
uint64_t tg_checksum(const void *data, size_t bytes, uint64_t seed);

TG_END_DECLS

#endif

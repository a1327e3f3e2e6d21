/** @file input-bytes.h
 * The whole of a file as bytes in memory. */
#ifndef TG_INPUT_BYTES_H
#define TG_INPUT_BYTES_H

#include "io-error.h"

TG_BEGIN_DECLS

/** A copy of the bytes of a file, a pipe or /dev/stdin, read to the end: `limit_bytes` at most (0: the memory now
 * available) and never more than 2 GiB. A larger regular file is refused before it is read.
 * The message begins with the path. Errors: CANNOT_READ, also where the file becomes shorter meanwhile; TOO_LARGE,
 * naming the limit. Free with g_bytes_unref(). */
GBytes *tg_input_bytes_read(const char *path, uint64_t limit_bytes, GError **error);

TG_END_DECLS

#endif

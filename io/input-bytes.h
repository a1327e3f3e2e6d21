/** @file input-bytes.h
 * The whole of a file as bytes in memory. */
#ifndef TG_INPUT_BYTES_H
#define TG_INPUT_BYTES_H

#include "io-error.h"

TG_BEGIN_DECLS

/** A regular file is mapped, so that only what is looked at is read; anything else (a pipe, /dev/stdin) is read to its
 * end, `limit_bytes` at most (0: the memory now available) and never more than 2 GiB. A mapped file must not be cut by
 * others meanwhile.
 * The message begins with the path. Errors: CANNOT_READ; TOO_LARGE. Free with g_bytes_unref(). */
GBytes *tg_input_bytes_read(const char *path, uint64_t limit_bytes, GError **error);

TG_END_DECLS

#endif

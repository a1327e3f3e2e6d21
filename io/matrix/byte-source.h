/** @file byte-source.h
 * Private to io/: bytes in their order, from a file or from memory. Files are never mapped: a file that others shorten
 * while it is read gives an error, where a mapping would end the program with a signal. */
#ifndef TG_BYTE_SOURCE_H
#define TG_BYTE_SOURCE_H

#include "matrix.h"
#include "io-error.h"

/** The size of a pipe, a device, or a file of /proc. */
#define TG_BYTES_UNKNOWN UINT64_MAX

typedef struct TgByteSource {
  const char *name;      /**< begins each error message */
  int descriptor;        /**< -1: memory */
  const uint8_t *memory; /**< the bytes not yet taken */
  uint64_t size;         /**< of the whole, or TG_BYTES_UNKNOWN */
  uint64_t taken;
} TgByteSource;

/** Opens the file at `path`, which `source` then refers to. Errors: CANNOT_READ. */
bool tg_byte_source_open(TgByteSource *source, const char *path, GError **error);
TgByteSource tg_byte_source_of_memory(const char *name, const void *bytes, size_t size);
void tg_byte_source_close(TgByteSource *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgByteSource, tg_byte_source_close)

/** Takes `count` bytes, fewer only at the end; `*got` is their number. Errors: CANNOT_READ, also where the file ends
 * before its size. */
bool tg_byte_source_take(TgByteSource *source, void *to, uint64_t count, uint64_t *got, GError **error);

/** What is taken next begins at this byte of a file. Errors: CANNOT_READ. */
bool tg_byte_source_seek(TgByteSource *source, uint64_t at, GError **error);

/** Bytes that are still to come, or TG_BYTES_UNKNOWN. */
static inline uint64_t tg_byte_source_left(const TgByteSource *source) {
  return source->size == TG_BYTES_UNKNOWN ? TG_BYTES_UNKNOWN : source->size - MIN(source->taken, source->size);
}

/** In the type of the request, or the file's where it names none. The request's extents are not looked at. */
TgMatrix *tg_npy_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);
/** In f64. */
TgMatrix *tg_mtx_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);
/** As the request says. */
TgMatrix *tg_raw_read(TgByteSource *source, const TgMatrixRequest *request, GError **error);

#endif

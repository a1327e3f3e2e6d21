/** @file elements.h
 * Private to io/: elements between a file's bytes and a matrix. */
#ifndef TG_ELEMENTS_H
#define TG_ELEMENTS_H

#include "byte-source.h"
#include "matrix.h"

#include <stdio.h>

/** How the elements of a file lie. */
typedef struct TgElementLayout {
  TgElement type;
  bool big_endian;
  bool columns_first; /**< Fortran order: the elements of a column are neighbours */
} TgElementLayout;

/** What a file says of its elements. */
typedef struct TgElementFile {
  TgElementLayout layout;
  int64_t rows, columns;
  uint64_t bytes; /**< of all elements */
  /** Whether `found` bytes are as many as the file should have; `more` where there may be others behind them. */
  bool (*check)(const char *name, const struct TgElementFile *file, uint64_t found, bool more, GError **error);
} TgElementFile;

/** A matrix of `type` from all that is left of `source`, rounded, in pieces: besides the matrix it needs an eighth of
 * the file or 16 MiB where columns come first or types differ, and nothing else. Every message begins with the source's
 * name. Errors: CANNOT_READ; BAD_INPUT where an element does not fit; TOO_LARGE; those of the file's check. */
TgMatrix *tg_elements_read(TgByteSource *source, const TgElementFile *file, TgElement type, uint64_t limit_bytes,
                           GError **error);

/** The elements of a part of `matrix` from a source whose elements begin at byte `begin`. Errors: as above. */
bool tg_elements_read_part(TgByteSource *source, const TgElementFile *file, uint64_t begin, const TgMatrixPart *part,
                           TgMatrix *matrix, GError **error);

/** Rounds `count` elements to nearest. Returns the index of the first finite one that has no finite value in `to_type`,
 * or -1. The two places may not overlap. */
int64_t tg_elements_convert(void *to, TgElement to_type, const void *from, TgElement from_type, int64_t count);

/** Says that element (row, column) has no finite value in `type`. Always false. */
bool tg_element_unfit(int64_t row, int64_t column, double value, TgElement type, GError **error);

/** Writes the elements as they lie in memory. Errors: CANNOT_WRITE. */
bool tg_elements_print(const TgMatrix *matrix, FILE *stream, GError **error);

/** Whether everything given to `stream` so far was accepted, else CANNOT_WRITE with the reason in errno. */
bool tg_stream_accepted(bool accepted, GError **error);

/** What the files say of their elements, which are what comes next from the source. Errors: those of reading. */
bool tg_npy_describe(TgByteSource *source, const TgMatrixRequest *request, TgElementFile *file, GError **error);
bool tg_raw_describe(TgByteSource *source, const TgMatrixRequest *request, TgElementFile *file, GError **error);

/** What comes before the elements. Errors: CANNOT_WRITE. */
bool tg_npy_print_header(const TgMatrix *matrix, FILE *stream, GError **error);

#endif

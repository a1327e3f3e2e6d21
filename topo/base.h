/** @file base.h
 * What every folder shares: the limits of a processor grid, the plain error, and the marks that let the headers of
 * topo/ and schedule/ compile as C, as C++ and for CUDA devices. C standard library only. */
#ifndef TG_BASE_H
#define TG_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TG_BEGIN_DECLS extern "C" {
#define TG_END_DECLS }
#else
#define TG_BEGIN_DECLS
#define TG_END_DECLS
#endif

/** Marks what also compiles for a CUDA device. */
#ifdef __CUDACC__
#define TG_SHARED __host__ __device__
#else
#define TG_SHARED
#endif

#if defined(__GNUC__)
#define TG_PRINTF(text, arguments) __attribute__((format(printf, text, arguments)))
#else
#define TG_PRINTF(text, arguments)
#endif

TG_BEGIN_DECLS

enum {
  TG_MAX_DIMS = 4,            /**< coordinates of a processor grid or of one level of a network */
  TG_MAX_PROCESSORS = 1 << 24 /**< processors of a grid, nodes of a network */
};

/** Why something failed. `line` and `column` count from 1; 0 where there is no text to point into. */
typedef struct TgError {
  int32_t line;
  int32_t column;
  char message[504];
} TgError;

/** Fills `error` (which may be NULL) and returns false, so that a caller can `return tg_error_set(...)`. */
bool tg_error_set(TgError *error, int line, int column, const char *format, ...) TG_PRINTF(4, 5);

/** Bytes of `text`, at most `limit`, that end with a whole character of UTF-8: the precision for "%.*s". */
int tg_text_fit(const char *text, size_t limit);

TG_END_DECLS

#endif

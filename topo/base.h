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

/** A short text, returned by value: `f(x).s` is good to the end of the statement. */
typedef struct TgText {
  char s[64];
} TgText;

/** What kind of failure: of the run of a schedule, where there is one. */
typedef enum TgCause {
  TG_CAUSE_NONE,       /**< nothing is known beyond the message */
  TG_CAUSE_MEMORY,     /**< out of memory, or beyond a limit */
  TG_CAUSE_EXPRESSION, /**< an expression failed at some processor */
  TG_CAUSE_EMPTY_READ,
  TG_CAUSE_WRITTEN_TWICE,
  TG_CAUSE_INNER_MISMATCH,
  TG_CAUSE_WRONG_FACTOR,  /**< a product of what is not left times right */
  TG_CAUSE_WRONG_SUM,     /**< terms of different C blocks, or blocks of A or B, added */
  TG_CAUSE_FINAL_MISSING, /**< a C block's place is empty at the end */
  TG_CAUSE_FINAL_OTHER,   /**< … holds something else */
  TG_CAUSE_FINAL_TERMS,   /**< … lacks an inner index, or has one twice */
  TG_CAUSE_HOOK,          /**< a hook refused */
  TG_CAUSE_STOPPED        /**< by the watch */
} TgCause;

/** Why and where something failed: in a text, and in the run of a schedule. */
typedef struct TgError {
  int32_t line;   /**< from 1; 0 where there is no text to point into */
  int32_t column; /**< from 1; 0 where the whole line is meant */
  TgCause cause;
  int32_t statement; /**< index in the schedule; -1 where there is none, as at the beginning or the end */
  int64_t step;      /**< from 1; 0 before the first */
  int64_t processor; /**< rank, -1 where none is to blame */
  char message[504]; /**< one sentence; that of a run names step and processor */
} TgError;

/** a / b, rounded up; a at least 0, b positive. */
TG_SHARED static inline int64_t tg_divide_up(int64_t a, int64_t b) {
  return a / b + (a % b != 0);
}

/** The greatest common divisor of two numbers from 0; if one is 0, the other. */
TG_SHARED static inline int64_t tg_common_divisor(int64_t a, int64_t b) {
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/** Fills `error` (which may be NULL), without a place in a run, and returns false, so that a caller can
 * `return tg_error_set(...)`. */
bool tg_error_set(TgError *error, int line, int column, const char *format, ...) TG_PRINTF(4, 5);

/** Bytes of `text`, at most `limit`, that end with a whole character of UTF-8: the precision for "%.*s". */
int tg_text_fit(const char *text, size_t limit);

TG_END_DECLS

#endif

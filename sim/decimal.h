/** @file decimal.h
 * Numbers as people write them, in options and in machine files: decimal, whatever the locale. strtod() alone would
 * also take 0x10, inf, nan and blanks, and make 0 of 1e-400. */
#ifndef TG_DECIMAL_H
#define TG_DECIMAL_H

#include "base.h"

TG_BEGIN_DECLS

/** What a text is as a number. */
typedef enum TgDecimal {
  TG_DECIMAL_READ,
  TG_DECIMAL_NONE,  /**< no decimal number; the value is left alone */
  TG_DECIMAL_LARGE, /**< beyond the largest double; the value is infinite */
  TG_DECIMAL_SMALL  /**< other than 0, and below the smallest double; the value is 0 */
} TgDecimal;

/** Bytes at the beginning of `text` that are a decimal number: a sign, digits with at most one point, an exponent of
 * ten. 0 where none are. */
size_t tg_decimal_length(const char *text, size_t length);

/** Reads a text that is a decimal number from its first to its last byte. */
TgDecimal tg_decimal_read(const char *text, size_t length, double *value);

TG_END_DECLS

#endif

#include "decimal.h"

#include <glib.h>
#include <math.h>

static size_t digits(const char *text, size_t length, size_t at) {
  size_t end = at;
  while (end < length && g_ascii_isdigit(text[end])) end++;
  return end - at;
}

static bool is_sign(const char *text, size_t length, size_t at) {
  return at < length && (text[at] == '-' || text[at] == '+');
}

size_t tg_decimal_length(const char *text, size_t length) {
  size_t at = is_sign(text, length, 0), part = 0;
  const size_t whole = digits(text, length, at);
  at += whole;
  if (at < length && text[at] == '.') {
    part = digits(text, length, at + 1);
    at += 1 + part;
  }
  if (!whole && !part) return 0;
  if (at == length || (text[at] | 0x20) != 'e') return at;
  const size_t exponent = at + 1 + is_sign(text, length, at + 1), more = digits(text, length, exponent);
  return more ? exponent + more : at;
}

/* A digit other than 0 before the exponent: the number that is meant is not 0. */
static bool has_digit(const char *text, size_t length) {
  for (size_t i = 0; i < length && (text[i] | 0x20) != 'e'; i++)
    if (text[i] >= '1' && text[i] <= '9') return true;
  return false;
}

TgDecimal tg_decimal_read(const char *text, size_t length, double *value) {
  if (length == 0 || tg_decimal_length(text, length) != length) return TG_DECIMAL_NONE;
  g_autofree char *copy = g_strndup(text, length);
  *value = g_ascii_strtod(copy, NULL);
  if (isinf(*value)) return TG_DECIMAL_LARGE;
  return *value == 0 && has_digit(text, length) ? TG_DECIMAL_SMALL : TG_DECIMAL_READ;
}

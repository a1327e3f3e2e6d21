/** @file element.h
 * What an element of a matrix is. Below every folder that touches matrix data, so that they agree on it. */
#ifndef TG_ELEMENT_H
#define TG_ELEMENT_H

#include "base.h"

#include <string.h>

TG_BEGIN_DECLS

typedef enum TgElement {
  TG_F32, /**< IEEE 754 binary32 */
  TG_F64, /**< IEEE 754 binary64 */
  TG_ELEMENTS
} TgElement;

/** Bytes of one element. */
TG_SHARED static inline int64_t tg_element_bytes(TgElement element) {
  return element == TG_F64 ? 8 : 4;
}

/** "f32" or "f64". */
static inline const char *tg_element_name(TgElement element) {
  return element == TG_F64 ? "f64" : "f32";
}

/** Reads what tg_element_name() writes; false for anything else. */
static inline bool tg_element_parse(const char *text, TgElement *element) {
  if (strcmp(text, "f32") != 0 && strcmp(text, "f64") != 0) return false;
  *element = text[1] == '6' ? TG_F64 : TG_F32;
  return true;
}

TG_END_DECLS

#endif

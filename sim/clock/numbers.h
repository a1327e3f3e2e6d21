/** @file numbers.h
 * Private to sim/: a growing array of numbers, where GArray would be felt. */
#ifndef TG_NUMBERS_H
#define TG_NUMBERS_H

#include <glib.h>
#include <stdint.h>

typedef struct TgNumbers {
  int32_t *number;
  gsize count, room;
} TgNumbers;

static inline void tg_numbers_push(TgNumbers *numbers, int32_t number) {
  if (numbers->count == numbers->room) {
    numbers->room = MAX(2 * numbers->room, 64);
    numbers->number = g_renew(int32_t, numbers->number, numbers->room);
  }
  numbers->number[numbers->count++] = number;
}

#endif

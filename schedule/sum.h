/** @file sum.h
 * Sums of counts and bytes. One that has no room in 64 bits stays at TG_SUM_MOST, however much follows: code that
 * reports a sum asks tg_sum_is_full() first. */
#ifndef TG_SUM_H
#define TG_SUM_H

#include "base.h"

TG_BEGIN_DECLS

#define TG_SUM_MOST INT64_MAX

/** a + b, neither below 0. */
TG_SHARED static inline int64_t tg_sum(int64_t a, int64_t b) {
  return a > TG_SUM_MOST - b ? TG_SUM_MOST : a + b;
}

/** a * b, neither below 0. */
TG_SHARED static inline int64_t tg_sum_times(int64_t a, int64_t b) {
  return b > 0 && a > TG_SUM_MOST / b ? TG_SUM_MOST : a * b;
}

/** True where it is, or would be, beyond 2^63-2. */
TG_SHARED static inline bool tg_sum_is_full(int64_t sum) {
  return sum == TG_SUM_MOST;
}

TG_END_DECLS

#endif

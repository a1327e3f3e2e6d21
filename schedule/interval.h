/** @file interval.h
 * What expressions of a bound schedule can come to, without a run: interval arithmetic on their postfix programs. */
#ifndef TG_INTERVAL_H
#define TG_INTERVAL_H

#include "expression.h"

TG_BEGIN_DECLS

/** What an expression can come to; infinite where nothing is known. */
typedef struct TgInterval {
  double low, high;
} TgInterval;

TgInterval tg_interval_evaluate(const TgSchedule *schedule, TgExpression expression,
                                const TgInterval variable[TG_LOCAL_VARIABLES]);

/** Ranges before the first statement: 0 to extent - 1 of each coordinate, 0 of every other variable. */
void tg_interval_begin(const TgSchedule *schedule, TgInterval variable[TG_LOCAL_VARIABLES]);
/** Sets the range of the variable of a `repeat`. False where its body is never executed. */
bool tg_interval_repeat(const TgSchedule *schedule, const TgStatement *repeat, TgInterval variable[TG_LOCAL_VARIABLES]);

/** Indices of the slots of each buffer that are ever written, at most; low > high where none is. */
void tg_interval_slots(const TgSchedule *schedule, TgInterval range[TG_MAX_BUFFERS]);

TG_END_DECLS

#endif

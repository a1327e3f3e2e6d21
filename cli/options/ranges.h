/** @file ranges.h
 * `--for q=1..32,c=1..4`: ranges of parameters, and their combinations one after another. */
#ifndef TG_RANGES_H
#define TG_RANGES_H

#include "algo.h"

typedef struct TgRange {
  char name[TG_NAME_LENGTH];
  int64_t low, high, now;
} TgRange;

/** The last range is the fastest. */
typedef struct TgRanges {
  TgRange range[TG_MAX_PARAMETERS];
  int count;
} TgRanges;

enum { TG_RANGES_MOST = 100000 }; /**< combinations that one run goes through */

/** Reads all `--for` of the command line for one schedule. A range without a name becomes one for every parameter that
 * needs a value. With `skip_unknown`, names that the schedule has no parameter for are left out; else they are an
 * error. */
TgExit tg_ranges_parse(const TgCli *cli, const TgProblem *problem, bool skip_unknown, TgRanges *ranges);

void tg_ranges_first(TgRanges *ranges);
/** False after the last combination. */
bool tg_ranges_next(TgRanges *ranges);
int64_t tg_ranges_combinations(const TgRanges *ranges);
/** Adds the present values to the bindings. */
bool tg_ranges_bind(const TgRanges *ranges, TgBindings *bindings, TgError *error);
/** "q = 1 to 32, c = 1 to 4"; with `now`, the present values: "q = 4, c = 2". Free with g_free(). */
char *tg_ranges_text(const TgRanges *ranges, bool now);

#endif

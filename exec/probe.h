/** @file probe.h
 * What an executor's processors and links can do, measured by running schedules made for that on the executor itself:
 * one in which every processor only multiplies, one in which every processor also passes a block on between its
 * products, and one in which it adds every product to a sum. All processors do so at once, so that what they share
 * (caches, memory) is in the figures of each. */
#ifndef TG_PROBE_H
#define TG_PROBE_H

#include "executor.h"

TG_BEGIN_DECLS

/** What to run. */
typedef struct TgProbe {
  int32_t rows, columns; /**< of the grid */
  int32_t products;      /**< of each processor in one pass through the schedule */
  int32_t hops; /**< moves of a block along its row between two products; 0: none. Then products == columns, and
                   hops has no divisor in common with columns */
  bool down;    /**< moves are along columns instead: products == rows, and hops has no divisor in common with rows */
  bool adds;    /**< each product but the first is added to the sum of those before it; hops is 0 then */
  int64_t m, n, k;
  int32_t variant; /**< as in TgExecutorOptions */
} TgProbe;

/** What came of it. Of times inside of a run, those of a run of median length. */
typedef struct TgProbeTimes {
  TgExecutorFacts facts; /**< without the kernel's name */
  int32_t trials;
  double time_s;     /**< of a run, the median */
  double multiply_s; /**< steps that multiply: a processor's time, waiting included, over all passes */
  double move_s;     /**< steps that move, or add; NaN where these take no time of their own */
} TgProbeTimes;

/** The schedule's text. Free with g_free(). */
char *tg_probe_text(const TgProbe *probe);

/** Moves, or additions, of each processor in one pass. */
int64_t tg_probe_moves(const TgProbe *probe);

/** Opens the executor for the probe and fills `facts`; nothing runs. */
bool tg_probe_facts(const TgExecutorKind *kind, const TgExecutorOptions *options, const TgProbe *probe,
                    TgExecutorFacts *facts, GError **error);

/** Runs it to warm up, once or for a fifth of `budget_s`, at most 0.2 s; then for `budget_s` but at least 3 and at most
 * 500 times. Sizes in `options` do not matter. */
bool tg_probe_run(const TgExecutorKind *kind, const TgExecutorOptions *options, const TgProbe *probe, double budget_s,
                  TgProbeTimes *times, GError **error);

TG_END_DECLS

#endif

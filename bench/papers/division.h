/** @file division.h
 * Into how many blocks of how many threads a product is divided: the question that T. W. O'Neil's paper leaves open. A
 * division is a kernel with a width and a split; a rule chooses one by what the card has, and a sweep finds the best.
 */
#ifndef TG_DIVISION_H
#define TG_DIVISION_H

#include "device.h"
#include "experiment.h"
#include "historic.h"
#include "results.h"

TG_BEGIN_DECLS

typedef struct TgDivision {
  const TgHistoric *kernel;
  int32_t width;
  int32_t split; /**< blocks that share the inner extent of a tile of C */
} TgDivision;

/** What the rule expects of a division. The time is that of a launch, of zeroing C where blocks add to it, and of the
 * slowest of four: each is what the launch would take if nothing else limited it. */
typedef struct TgDivisionCost {
  TgHistoricShape shape;
  int32_t resident; /**< blocks on a multiprocessor at once */
  double occupancy; /**< their threads of those that a multiprocessor can hold */
  double waves;     /**< times that all multiprocessors are filled, the last one in full */
  double latency_s; /**< waves, each as long as one block waits for its memory and its barriers */
  double issue_s;   /**< instructions and accesses to shared memory, by the multiprocessors' rates */
  double bytes_s;   /**< what threads ask of memory, by the rate of the second-level cache; once, by the memory's */
  double atomics_s; /**< additions to C */
  double seconds;
  const char *limit; /**< which of the four it is */
} TgDivisionCost;

/** All divisions of a product of m x n x k: kernels that share the inner extent, each width, and splits of 1, 2, 4 …
 * and as many as there are tiles. TgDivision; free with g_array_unref(). */
GArray *tg_division_all(TgHistoricType type, int64_t m, int64_t n, int64_t k);

/** What the rule expects on this card. False where the card or the kernel does not take it. */
bool tg_division_cost(const TgDivision *division, const TgDevice *device, TgHistoricType type, int64_t m, int64_t n,
                      int64_t k, TgDivisionCost *cost);
/** The division that the rule expects to be fastest; false where there is none. */
bool tg_division_choose(const TgDevice *device, TgHistoricType type, int64_t m, int64_t n, int64_t k,
                        TgDivision *division, TgDivisionCost *cost);

/** The division that an earlier sweep kept as the best of n x n x n on this card; its kernel is NULL where there is
 * none. False, with an error, where the kept file cannot be read. */
bool tg_division_find(const TgDevice *device, TgHistoricType type, int64_t n, TgDivision *division, GError **error);

/** One size of the sweep. */
typedef struct TgDivisionChoice {
  int64_t n;
  TgDivision best, rule, paper, cached;
  double best_s, worst_s, rule_s, paper_s; /**< measured; NaN where it was not */
  double rule_expected_s;
  const char *rule_limit;
  double cached_s;  /**< of what an earlier run found best, if any, today; NaN where it was not measured */
  guint candidates; /**< measured */
} TgDivisionChoice;

/** The choices that belong to results of a row a candidate and size; there are none yet. */
void tg_division_choices_begin(TgResults *results);
guint tg_division_choice_count(const TgResults *results);
const TgDivisionChoice *tg_division_choice(const TgResults *results, guint choice);
/** Adds the choice at this size, from the rows measured. */
void tg_division_judge(TgResults *results, const TgDevice *device, TgHistoricType type, int64_t n,
                       const TgDivision *cached);

TG_END_DECLS

#endif

/** @file fake-executor.h
 * For tests: an executor that multiplies nothing and takes times of round numbers, as its traits say. */
#ifndef TG_TEST_FAKE_EXECUTOR_H
#define TG_TEST_FAKE_EXECUTOR_H

#include "executor-kind.h"
#include "machine.h"
#include "walk.h"

#include <glib.h>
#include <math.h>
#include <string.h>

/** What the executors below do; set before they are opened. */
static struct Fake {
  bool pulls;       /**< moves have no time of their own, products after them take longer */
  int32_t depth[3]; /**< of its variants, along k, where it tiles; {0}: it does not */
  int64_t tile, resident;
  int32_t whole[2];    /**< rows and columns of C that it multiplies at a time, where it does not tile; 0: any */
  double takes[2][4];  /**< rows, and columns, that a rest of 1, 2, 4 and 8 takes as long as; 0: as many */
  int64_t at_once;     /**< processors; 0: all … */
  double fewer;        /**< … and times as fast as usual products are of half as many at work; 0: as fast */
  const int32_t *host; /**< TgExecutorFacts; each of two places a host, whose moves along columns go to another … */
  double host_latency_s, host_bytes_per_s; /**< … and share this */
  int64_t most;                            /**< larger n are refused; 0: none */
  int64_t fails_at;                        /**< number of the run that fails; 0: none */
  int64_t runs;
  double last; /**< times as long as all on average the last processor is busy; 0: as long */
  double additions_per_s;
  double elements_per_s[3]; /* of A, B and C; 0: thin products take no longer */
  double deep;              /* times as long as others products take of 8 times as many inner elements; 0: as long */
  double latency_s, bandwidth_bytes_per_s, flops_per_s, launch_s, round_s, pass_s;
  TgMachine machine; /* its cache, and what blocks of several processors on a core cost that are not in it */
} fake;

typedef struct FakeExecutor {
  TgExecutor base;
  int64_t *products, *moves; /**< of a processor, by step */
} FakeExecutor;

static inline void fake_close(TgExecutor *executor) {
  FakeExecutor *own = (FakeExecutor *)executor;
  g_free(own->products);
  g_free(own->moves);
  g_free(executor->steps);
  g_free(own);
}

static inline void fake_count(FakeExecutor *own) {
  TgWalk walk;
  TgError unused;
  TgLocal local;
  own->products = g_new0(int64_t, (gsize)own->base.facts.steps);
  own->moves = g_new0(int64_t, (gsize)own->base.facts.steps);
  tg_walk_init(&walk, own->base.schedule, own->base.names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE) {
    const bool multiplies = own->base.schedule->statement[walk.statement].op == TG_OP_MULTIPLY;
    g_assert_true(tg_walk_local(&walk, tg_schedule_processors(own->base.schedule) - 1, &local, &unused));
    if (local.takes_part) (multiplies ? own->products : own->moves)[walk.step - 1]++;
  }
}

static inline bool fake_tile(FakeExecutor *own, GError **error) {
  TgExecutorFacts *facts = &own->base.facts;
  const TgExecutorOptions *options = &own->base.options;
  const TgSchedule *schedule = own->base.schedule;
  const int64_t size[] = {options->m, options->n, options->k};
  const int32_t variant = MAX(options->variant - 1, 0);
  memcpy(facts->instance, size, sizeof size);
  facts->instances = facts->resident = facts->panels = 1;
  facts->variant = variant + 1;
  for (facts->variants = 1; facts->variants < 3 && fake.depth[facts->variants]; facts->variants++) {
  }
  if (!fake.depth[0]) {
    memcpy(facts->tile, fake.whole, sizeof fake.whole);
    return true;
  }
  if (variant > 2 || !fake.depth[variant]) {
    g_set_error_literal(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT, "no such variant");
    return false;
  }
  facts->instance[0] = fake.tile * schedule->blocks[TG_MATRIX_C][0];
  facts->instance[1] = fake.tile * schedule->blocks[TG_MATRIX_C][1];
  facts->instance[2] = (int64_t)fake.depth[variant] * schedule->inner;
  facts->instances = (size[0] + facts->instance[0] - 1) / facts->instance[0] *
                     ((size[1] + facts->instance[1] - 1) / facts->instance[1]);
  facts->panels = (size[2] + facts->instance[2] - 1) / facts->instance[2];
  facts->resident = fake.resident;
  return true;
}

static TgExecutorKind fake_kind;

static inline TgExecutor *fake_open(const TgSchedule *schedule, const TgScheduleNames *names,
                                    const TgExecutorOptions *options, GError **error) {
  TgError unused;
  FakeExecutor *own = g_new0(FakeExecutor, 1);
  own->base.kind = &fake_kind;
  own->base.schedule = schedule;
  own->base.names = names;
  own->base.options = *options;
  own->base.facts.processors = tg_schedule_processors(schedule);
  own->base.facts.steps = tg_walk_count_steps(schedule, names, &unused);
  own->base.facts.at_once = MIN(own->base.facts.processors, fake.at_once);
  own->base.facts.host = fake.host;
  const bool large = fake.most && options->k > fake.most;
  if (large) g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE, "k is more than %d", (int)fake.most);
  if (!large && fake_tile(own, error) && tg_executor_make_steps(&own->base, error)) {
    fake_count(own);
    return &own->base;
  }
  fake_close(&own->base);
  return NULL;
}

static inline bool fake_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  (void)executor, (void)a, (void)b, (void)error;
  return true;
}

static inline double fake_rows(double rows, const double takes[4]) {
  const int rest = (int)rows % 16;
  double sum = takes[0] > 0 ? rows - rest : rows;
  for (int i = 0; i < 4; i++)
    if (rest >> i & 1) sum += takes[i];
  return sum;
}

/* One pass: times of the steps in `multiply` and `move`. */
static inline void fake_step(const FakeExecutor *own, int64_t s, double *multiply_s, double *move_s) {
  const TgExecutorFacts *facts = &own->base.facts;
  const TgSchedule *schedule = own->base.schedule;
  const double m = (double)(facts->instance[0] / schedule->blocks[TG_MATRIX_C][0]);
  const double n = (double)(facts->instance[1] / schedule->blocks[TG_MATRIX_C][1]);
  const double rows = fmax(facts->tile[0], 1), columns = fmax(facts->tile[1], 1);
  const double k = (double)(facts->instance[2] / schedule->inner);
  const double m_rows = fake_rows(ceil(m / rows) * rows, fake.takes[0]);
  const double n_columns = fake_rows(ceil(n / columns) * columns, fake.takes[1]);
  const double turns = (double)tg_executor_turns(facts);
  const double longer = fake.deep > 0 && k > fmax(m, n) ? pow(fake.deep, fmin(log(k / fmax(m, n)) / log(8), 1)) : 1;
  *multiply_s = turns * (double)own->products[s] * 2 * m_rows * n_columns * k * longer / fake.flops_per_s;
  const double square = pow(m * n * k, 2.0 / 3), elements[] = {m * k - square, k * n - square, m * n - square};
  for (int matrix = 0; matrix < 3; matrix++)
    if (fake.elements_per_s[matrix] > 0)
      *multiply_s += turns * (double)own->products[s] * elements[matrix] / fake.elements_per_s[matrix];
  double products = 0;
  for (int64_t step = 0; step < facts->steps; step++) products += (double)own->products[step];
  const double between_bytes = turns * 4 * (products * (m * k + k * n) + m * n);
  if (turns > 1)
    *multiply_s += turns * (double)own->products[s] *
                   (tg_machine_miss_s(&fake.machine, between_bytes, 4 * m * k) +
                    tg_machine_miss_s(&fake.machine, between_bytes, 4 * k * n));
  if (fake.fewer > 0) *multiply_s /= pow(fake.fewer, log2((double)fake.at_once / (double)facts->at_once));
  const bool adds = schedule->statement[schedule->statements - 1].op == TG_OP_ADD;
  const bool down = strstr(tg_name(own->base.names, own->base.names->title), "down") != NULL;
  const double one_s = adds   ? m * n / fake.additions_per_s
                       : down ? fake.host_latency_s + 2 * k * n * 4 / fake.host_bytes_per_s
                              : fake.latency_s + m * k * 4 / fake.bandwidth_bytes_per_s;
  *move_s = turns * (double)own->moves[s] * one_s;
}

static inline bool fake_run(TgExecutor *executor, double *seconds, GError **error) {
  const FakeExecutor *own = (const FakeExecutor *)executor;
  const TgExecutorFacts *facts = &executor->facts;
  const int64_t rounds = facts->rounds, passes = facts->passes;
  double multiply_s, move_s, all_multiply_s = 0, all_move_s = 0;
  if (++fake.runs == fake.fails_at) {
    g_set_error_literal(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED, "the device is lost");
    return false;
  }
  const bool apart = !fake_kind.traits.overlaps && !fake.pulls;
  *seconds = fake.launch_s + (double)rounds * fake.round_s + (double)passes * fake.pass_s;
  for (int64_t s = 0; s < facts->steps; s++) {
    fake_step(own, s, &multiply_s, &move_s);
    all_multiply_s += multiply_s;
    all_move_s += move_s;
  }
  const double pass_s =
      fake_kind.traits.overlaps ? fmax(all_multiply_s, all_move_s) : all_multiply_s + (apart ? 0 : all_move_s);
  for (int64_t s = 0; s < facts->steps; s++) {
    TgExecutorStep *step = &executor->steps[s];
    fake_step(own, s, &multiply_s, &move_s);
    const double time_s = pass_s * multiply_s / all_multiply_s + (apart ? move_s : 0);
    step->runs = own->products[s] || (apart && own->moves[s]) ? passes : 0;
    step->busy_s = (double)passes * time_s;
    step->waited_s = 0;
    *seconds += step->busy_s * (fake.last > 0 ? fake.last : 1);
  }
  return true;
}

static inline bool fake_gather(TgExecutor *executor, void *c, GError **error) {
  (void)executor, (void)c, (void)error;
  return true;
}

static TgExecutorKind fake_kind = {.name = "fake",
                                   .processor = "none",
                                   .link = "none",
                                   .transports = (1 << TG_TRANSPORTS) - 1,
                                   .open = fake_open,
                                   .load = fake_load,
                                   .run = fake_run,
                                   .gather = fake_gather,
                                   .close = fake_close};

#endif

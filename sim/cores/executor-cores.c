#include "executors-cpu.h"

#include "blas.h"
#include "blocks-execute.h"
#include "blocks-planner.h"
#include "executor-kind.h"
#include "team.h"
#include "trials.h"
#include "walk.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MOST_PROCESSORS = 4096, /* the planner's tables are its square */
  ALIGNMENT = 64,         /* bytes: where blocks begin, and how far apart counters are: a cache line */
  SPINS = 2000            /* looks at a counter before the CPU is offered to others, and the clock is read */
};
static const double usual_deadline_s = 20;

/** Instructions that a processor has finished. */
typedef struct Finished {
  _Alignas(ALIGNMENT) atomic_int count;
} Finished;

/** What a thread did in a step; begin_s is NaN where it had nothing to do. */
typedef struct StepTime {
  double begin_s, end_s, busy_s, waited_s;
} StepTime;

typedef struct TgCores {
  TgExecutor base;
  TgBlocksPlan *plan;
  TgTeam *team;
  int64_t *first;       /* of each thread, and one more: */
  int64_t *turn;        /* numbers of instructions, thread by thread, in the order in which it executes them */
  char *memory;         /* of all blocks */
  Finished *finished;   /* by processor */
  StepTime *times;      /* [thread * steps + step - 1], or NULL */
  int64_t statements;   /* of a run, for the watch */
  const char *given[2]; /* while A and B are loaded */
  uint32_t runs;
  atomic_bool stops;  /* the run: a wait was too long, or the watch says so */
  atomic_flag failed; /* a wait was too long, and this is which: */
  TgLateWait late;
} TgCores;

static inline int64_t element_bytes(const TgCores *cores) {
  return tg_element_bytes(cores->base.options.element);
}

static int threads_of(const TgCores *cores) {
  return (int)cores->base.facts.at_once;
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static double deadline_of(const TgCores *cores) {
  return cores->base.options.deadline_s > 0 ? cores->base.options.deadline_s : usual_deadline_s;
}

static void note_late(TgCores *cores, const TgBlocksInstruction *instruction, const TgBlocksWait *wait, int reached) {
  if (!atomic_flag_test_and_set(&cores->failed))
    cores->late = (TgLateWait){.deadline_s = deadline_of(cores),
                               .processor = instruction->processor,
                               .statement = instruction->statement,
                               .step = instruction->step,
                               .other = wait->processor,
                               .count = wait->count,
                               .reached = reached};
  atomic_store(&cores->stops, true);
}

/* False where the run stops. */
static bool wait_for(TgCores *cores, const TgBlocksInstruction *instruction, const TgBlocksWait *wait) {
  const atomic_int *count = &cores->finished[wait->processor].count;
  double begun_s = NAN;
  for (int spins = 1;; spins++) {
    const int reached = atomic_load_explicit(count, memory_order_acquire);
    if (reached >= wait->count) return true;
    if (spins % SPINS) continue;
    if (atomic_load_explicit(&cores->stops, memory_order_relaxed)) return false;
    const double now_s = tg_now_s();
    if (isnan(begun_s)) begun_s = now_s;
    if (now_s - begun_s > deadline_of(cores)) {
      note_late(cores, instruction, wait, reached);
      return false;
    }
    sched_yield();
  }
}

static bool wait_for_all(TgCores *cores, const TgBlocksInstruction *instruction) {
  for (int32_t w = 0; w < instruction->waits; w++)
    if (!wait_for(cores, instruction, &cores->plan->wait[instruction->first_wait + w])) return false;
  return true;
}

/* For tests: up to delay_ns, at random from the seed, the number of the run and that of the instruction. */
static void delay(const TgCores *cores, const TgBlocksInstruction *instruction) {
  const TgExecutorOptions *options = &cores->base.options;
  if (options->delay_ns == 0) return;
  uint32_t random = options->delay_seed + cores->runs * 0x9e3779b9u + (uint32_t)instruction->order * 0x85ebca6bu;
  random = (random ^ random >> 15) * 0x2c1b3c6du;
  const struct timespec pause = {0, (long)((random ^ random >> 13) % (uint32_t)options->delay_ns)};
  nanosleep(&pause, NULL);
}

/* --- a thread's part of a run ------------------------------------------------------------------------------------- */

static void note_time(StepTime *time, double begin_s, double ready_s, double end_s) {
  if (isnan(time->begin_s)) *time = (StepTime){.begin_s = begin_s};
  time->end_s = end_s;
  time->waited_s += ready_s - begin_s;
  time->busy_s += end_s - ready_s;
}

static void run_thread(void *data, int thread) {
  TgCores *cores = data;
  StepTime *times = cores->times ? &cores->times[(int64_t)thread * cores->plan->steps] : NULL;
  double before_s = times ? tg_now_s() : 0;
  for (int64_t s = 0; times && s < cores->plan->steps; s++) times[s] = (StepTime){.begin_s = NAN};
  for (int64_t t = cores->first[thread]; t < cores->first[thread + 1]; t++) {
    const TgBlocksInstruction *instruction = &cores->plan->instruction[cores->turn[t]];
    if (atomic_load_explicit(&cores->stops, memory_order_relaxed)) return;
    if (instruction->processor == cores->base.options.stalled - 1) continue;
    delay(cores, instruction);
    if (!wait_for_all(cores, instruction)) return;
    const double ready_s = times && instruction->waits ? tg_now_s() : before_s;
    tg_blocks_execute(cores->base.options.element, cores->memory, instruction, NULL, NULL);
    atomic_fetch_add_explicit(&cores->finished[instruction->processor].count, 1, memory_order_release);
    if (!times) continue;
    const double end_s = tg_now_s();
    note_time(&times[instruction->step - 1], before_s, ready_s, end_s);
    before_s = end_s;
  }
}

/* Means over all threads, so that the steps of a run are not longer than the run; times count from `zero_s`. */
static void sum_up_step(const TgCores *cores, int64_t s, double zero_s) {
  TgExecutorStep *step = &cores->base.steps[s];
  double begin_s = INFINITY, end_s = -INFINITY, busy_s = 0, waited_s = 0;
  for (int thread = 0; thread < threads_of(cores); thread++) {
    const StepTime *time = &cores->times[thread * cores->plan->steps + s];
    if (isnan(time->begin_s)) continue;
    begin_s = fmin(begin_s, time->begin_s);
    end_s = fmax(end_s, time->end_s);
    busy_s += time->busy_s / threads_of(cores);
    waited_s += time->waited_s / threads_of(cores);
  }
  const bool empty = isinf(begin_s);
  *step = (TgExecutorStep){.index = step->index,
                           .label = step->label,
                           .runs = empty ? 0 : 1,
                           .begin_s = empty ? NAN : begin_s - zero_s,
                           .end_s = empty ? NAN : end_s - zero_s,
                           .busy_s = empty ? NAN : busy_s,
                           .waited_s = empty ? NAN : waited_s};
}

static void sum_up_steps(const TgCores *cores) {
  const int64_t steps = cores->times ? cores->plan->steps : 0;
  double zero_s = INFINITY;
  for (int64_t t = 0; t < threads_of(cores) * steps; t++) zero_s = fmin(zero_s, cores->times[t].begin_s);
  for (int64_t s = 0; s < steps; s++) sum_up_step(cores, s, zero_s);
}

/* The counts are those of instructions, the watch's those of statements. */
static void ask_watch(void *data) {
  TgCores *cores = data;
  int64_t done = 0;
  for (int64_t p = 0; p < cores->base.facts.processors; p++)
    done += atomic_load_explicit(&cores->finished[p].count, memory_order_relaxed);
  const double part = (double)done / (double)MAX(cores->plan->instructions, 1);
  if (!tg_watch_go_on(cores->base.options.watch, (int64_t)(part * (double)cores->statements)))
    atomic_store(&cores->stops, true);
}

static void touch_buffer(void *data, int number) {
  (void)data, (void)number;
  tg_blas_touch_buffer();
}

static void touch_buffers(TgCores *cores) {
  const int threads = tg_blas_threads_begin(1, 1, 1, 1);
  tg_team_run(cores->team, touch_buffer, NULL, cores);
  tg_blas_threads_end(threads);
}

static bool run_cores(TgExecutor *executor, double *seconds, GError **error) {
  TgCores *cores = (TgCores *)executor;
  for (int64_t p = 0; p < executor->facts.processors; p++) atomic_store(&cores->finished[p].count, 0);
  if (!tg_watch_go_on(executor->options.watch, 0)) return TG_EXECUTOR_FAIL(error, FAILED, "stopped");
  const int threads = tg_blas_threads_begin(1, 1, 1, 1);
  *seconds = tg_team_run(cores->team, run_thread, ask_watch, cores);
  tg_blas_threads_end(threads);
  cores->runs++;
  if (cores->late.count > 0) return tg_executor_was_late(executor, &cores->late, error);
  if (atomic_load(&cores->stops)) return TG_EXECUTOR_FAIL(error, FAILED, "stopped");
  sum_up_steps(cores);
  return true;
}

/* --- A and B, and C ----------------------------------------------------------------------------------------------- */

/* Each thread those of its processors: they then lie in the memory next to its CPU. */
static void load_thread(void *data, int thread) {
  const TgCores *cores = data;
  const int64_t first = tg_executor_first_in_place(&cores->base.facts, thread),
                end = tg_executor_first_in_place(&cores->base.facts, thread + 1);
  for (int64_t i = 0; i < cores->plan->placed; i++) {
    const TgBlocksPlaced *placed = &cores->plan->place[i];
    if (placed->matrix != TG_MATRIX_C && placed->processor >= first && placed->processor < end)
      tg_blocks_load(&cores->base, cores->plan, placed, cores->given[placed->matrix], cores->memory);
  }
}

static bool load_cores(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgCores *cores = (TgCores *)executor;
  (void)error;
  cores->given[TG_MATRIX_A] = a;
  cores->given[TG_MATRIX_B] = b;
  tg_team_run(cores->team, load_thread, NULL, cores);
  return true;
}

static bool gather_cores(TgExecutor *executor, void *c, GError **error) {
  const TgCores *cores = (TgCores *)executor;
  (void)error;
  for (int64_t i = 0; i < cores->plan->placed; i++) {
    const TgBlocksPlaced *placed = &cores->plan->place[i];
    if (placed->matrix == TG_MATRIX_C) tg_blocks_store(executor, cores->plan, placed, c, cores->memory);
  }
  return true;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void close_cores(TgExecutor *executor) {
  TgCores *cores = (TgCores *)executor;
  tg_team_free(cores->team);
  tg_blocks_plan_free(cores->plan);
  g_free(cores->first);
  g_free(cores->turn);
  free(cores->memory);
  free(cores->finished);
  g_free(cores->times);
  g_free(cores->base.steps);
  g_free((char *)cores->base.facts.kernel);
  g_free(cores);
}

/* Instructions in the order in which a single thread would execute all, each to its thread. */
static void deal_out(TgCores *cores) {
  const TgBlocksPlan *plan = cores->plan;
  const int threads = threads_of(cores);
  g_autofree int64_t *at = g_new(int64_t, (gsize)MAX(plan->instructions, 1));
  g_autofree int *thread_of = g_new(int, (gsize)plan->processors);
  cores->first = g_new0(int64_t, (gsize)threads + 1);
  cores->turn = g_new(int64_t, (gsize)MAX(plan->instructions, 1));
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  for (int t = 0; t < threads; t++) {
    cores->first[t + 1] = plan->first[tg_executor_first_in_place(&cores->base.facts, t + 1)];
    for (int64_t p = tg_executor_first_in_place(&cores->base.facts, t);
         p < tg_executor_first_in_place(&cores->base.facts, t + 1); p++)
      thread_of[p] = t;
  }
  g_autofree int64_t *next = g_memdup2(cores->first, (gsize)threads * sizeof *next);
  for (int64_t order = 0; order < plan->instructions; order++)
    cores->turn[next[thread_of[plan->instruction[at[order]].processor]]++] = at[order];
}

/* Of the run; the plan's is checked while it is made. */
static bool check_memory(TgCores *cores, GError **error) {
  const TgBlocksPlan *plan = cores->plan;
  const uint64_t limit = tg_executor_memory_limit(&cores->base.options);
  const double blocks = (double)plan->elements * (double)element_bytes(cores);
  const double times = cores->base.options.no_times ? 0 : (double)(threads_of(cores) * plan->steps) * sizeof(StepTime);
  const double need = blocks + times + (double)tg_blocks_plan_bytes(plan);
  if (need > (double)limit)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE,
                            "the run needs %.0f bytes besides A and B, %.0f of them for blocks; the limit is %" PRIu64
                            " bytes",
                            need, blocks, limit);
  cores->base.facts.memory_bytes = (int64_t)need;
  return true;
}

static bool allocate(TgCores *cores, GError **error) {
  const size_t bytes = (size_t)(cores->plan->elements * element_bytes(cores));
  const size_t counters = (size_t)cores->plan->processors * sizeof *cores->finished;
  cores->memory = aligned_alloc(ALIGNMENT, MAX(bytes, ALIGNMENT)); /* blocks are whole lines */
  cores->finished = aligned_alloc(ALIGNMENT, counters);
  if (!cores->base.options.no_times)
    cores->times = g_try_malloc_n((gsize)(threads_of(cores) * cores->plan->steps) + 1, sizeof *cores->times);
  if (!cores->memory || !cores->finished || (!cores->times && !cores->base.options.no_times))
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory: %" PRId64 " bytes", cores->base.facts.memory_bytes);
  if (cores->base.options.poison) memset(cores->memory, 0xff, bytes);
  return true;
}

static bool check_processors(const TgCores *cores, GError **error) {
  const int64_t processors = cores->base.facts.processors;
  if (processors <= MOST_PROCESSORS) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE, "grid %s has %" PRId64 " processors; cores has room for at most %d",
                          tg_schedule_grid_text(cores->base.schedule).s, processors, MOST_PROCESSORS);
}

static bool start_blas(GError **error) {
  g_autoptr(GError) reason = NULL;
  if (tg_blas_load(&reason)) return true;
  if (g_error_matches(reason, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE))
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "%s", reason->message);
  return TG_EXECUTOR_FAIL(error, DEVICE, "%s", reason->message);
}

static void fill_facts(TgCores *cores) {
  TgExecutorFacts *facts = &cores->base.facts;
  g_autofree char *blas = tg_blas_name();
  facts->processors_max = MOST_PROCESSORS;
  facts->kernel = g_strdup_printf("one thread each of %s%s", blas,
                                  tg_blas_is_in_turn() ? ", one after another: the address space is limited" : "");
  facts->plan = cores->plan;
  tg_blocks_fill_facts(&cores->base, cores->plan);
}

static bool prepare(TgCores *cores, GError **error) {
  TgExecutor *base = &cores->base;
  const TgBlocksLayout layout = {.pad = 1,
                                 .align = ALIGNMENT / (int32_t)element_bytes(cores),
                                 .late_reuse = 1,
                                 .plan_bytes = tg_executor_memory_limit(&base->options)};
  base->facts.processors = tg_schedule_processors(base->schedule);
  if (!check_processors(cores, error) || !start_blas(error)) return false;
  base->facts.at_once = MIN(base->facts.processors, MIN(tg_team_most(), tg_blas_threads_most()));
  cores->plan = tg_blocks_plan_new(base->schedule, base->names, &base->options, &layout, error);
  if (!cores->plan || !check_memory(cores, error)) return false;
  fill_facts(cores);
  cores->statements = tg_walk_count_statements(base->schedule, base->names);
  deal_out(cores);
  cores->team = allocate(cores, error) ? tg_team_new(threads_of(cores), error) : NULL;
  if (!cores->team) return false;
  touch_buffers(cores);
  return base->options.no_times || tg_executor_make_steps(base, error);
}

static TgExecutor *open_cores(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, GError **error) {
  TgCores *cores = g_new0(TgCores, 1);
  cores->base = (TgExecutor){.kind = &tg_executor_cores, .schedule = schedule, .names = names, .options = *options};
  if (tg_executor_has_one_variant(&cores->base, error) && prepare(cores, error)) return &cores->base;
  close_cores(&cores->base);
  return NULL;
}

/* Its sizes: as of executor-cpu.c; a product has one thread here. */
const TgExecutorKind tg_executor_cores = {.name = "cores",
                                          .processor = "a core; where there are too few, several share one",
                                          .link = "memory: a block is copied, and a counter says when it is there",
                                          .has_deadline = true,
                                          .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_PULL,
                                          .traits = {.fetches = true},
                                          .unlike_sim =
                                              "whose processors share cores in turn; here all work at the same time",
                                          .grid = "4x4",
                                          .sizes = "16,32,48,80,112,144,208,272",
                                          .open = open_cores,
                                          .load = load_cores,
                                          .run = run_cores,
                                          .gather = gather_cores,
                                          .close = close_cores};

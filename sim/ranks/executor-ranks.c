#define _DEFAULT_SOURCE /* MAP_NORESERVE */
/* The executor ranks: each rank of an MPI job executes the instructions of its processors, and gets what it reads of
 * others' blocks in messages (rank-messages.h). */
#include "executors-cpu.h"

#include "blas.h"
#include "blocks-execute.h"
#include "blocks-planner.h"
#include "executor-kind.h"
#include "rank-messages.h"
#include "ranks-module.h"
#include "trials.h"
#include "walk.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

enum {
  MOST_PROCESSORS = 4096, /* the planner's tables are its square */
  ALIGNMENT = 64          /* bytes: where blocks begin */
};
static const double usual_deadline_s = 20;

/** Numbers of messages by the instruction that they go with. */
typedef struct Index {
  int64_t *first; /* by place, and one more */
  int64_t *number;
} Index;

/** What a rank did in a step; begin_s is INFINITY where it had nothing to do. */
typedef struct StepTime {
  double begin_s, end_s, busy_s, waited_s;
} StepTime;

typedef struct TgRanks {
  TgExecutor base;
  const TgRanksJob *job;
  TgBlocksPlan *plan;
  TgRankMessages *messages;
  const int64_t *turn; /* this rank's instructions … */
  int64_t turns;       /* … and how many */
  GArray *own;         /* int64_t: messages that this rank sends or receives; a request is the place here */
  Index sends;         /* after an instruction: [place + 1] */
  Index receives;      /* … whose memory is free then: [place + 1] */
  Index needs;         /* to be received before it */
  Index guards;        /* to be sent before it */
  char *memory;        /* of all blocks: what is not touched takes none */
  size_t memory_bytes;
  StepTime *times; /* by step - 1, or NULL */
  const char *given[2];
} TgRanks;

static int64_t element_bytes(const TgRanks *ranks) {
  return tg_element_bytes(ranks->base.options.element);
}

static const TgRankMessage *message_at(const TgRanks *ranks, int64_t request) {
  return &g_array_index(ranks->messages->message, TgRankMessage, g_array_index(ranks->own, int64_t, request));
}

static double deadline_of(const TgRanks *ranks) {
  return ranks->base.options.deadline_s > 0 ? ranks->base.options.deadline_s : usual_deadline_s;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void begin_message(const TgRanks *ranks, int64_t request) {
  const TgRankMessage *message = message_at(ranks, request);
  char *at = ranks->memory + (message->block + message->begin) * element_bytes(ranks);
  const int64_t count = message->end - message->begin;
  if (message->from == ranks->job->rank)
    ranks->job->mpi->send(request, at, count, (int)element_bytes(ranks), message->to, message->tag);
  else
    ranks->job->mpi->receive(request, at, count, (int)element_bytes(ranks), message->from, message->tag);
}

static void begin_all(const TgRanks *ranks, const Index *index, int64_t place) {
  for (int64_t i = index->first[place]; i < index->first[place + 1]; i++) begin_message(ranks, index->number[i]);
}

static void be_late(const TgRanks *ranks, int64_t request, double deadline_s, const TgBlocksInstruction *instruction) {
  const TgRankMessage *message = message_at(ranks, request);
  const bool sends = message->from == ranks->job->rank;
  const int other = sends ? message->to : message->from;
  g_autofree char *words =
      g_strdup_printf("step %d, statement %d: processor %d waited over %g s for a message %s rank %d",
                      instruction ? instruction->step : 0, instruction ? instruction->statement + 1 : 0,
                      instruction ? instruction->processor : 0, deadline_s, sends ? "to" : "from", other);
  tg_ranks_abort(ranks->job, words);
}

static void finish_message(const TgRanks *ranks, int64_t request, const TgBlocksInstruction *instruction) {
  const double deadline_s = deadline_of(ranks);
  if (!tg_ranks_wait(ranks->job, request, deadline_s)) be_late(ranks, request, deadline_s, instruction);
}

static void finish_all(const TgRanks *ranks, const Index *index, int64_t place,
                       const TgBlocksInstruction *instruction) {
  for (int64_t i = index->first[place]; i < index->first[place + 1]; i++)
    finish_message(ranks, index->number[i], instruction);
}

static void poll(void *data) {
  const TgRanks *ranks = data;
  ranks->job->mpi->poll();
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static void note_time(StepTime *time, double begin_s, double ready_s, double end_s) {
  if (isinf(time->begin_s)) time->begin_s = begin_s;
  time->end_s = end_s;
  time->waited_s += ready_s - begin_s;
  time->busy_s += end_s - ready_s;
}

static void execute_all(TgRanks *ranks, double zero_s) {
  double before_s = 0;
  for (int64_t s = 0; ranks->times && s < ranks->plan->steps; s++)
    ranks->times[s] = (StepTime){.begin_s = INFINITY, .end_s = -INFINITY};
  begin_all(ranks, &ranks->receives, 0);
  begin_all(ranks, &ranks->sends, 0);
  for (int64_t place = 0; place < ranks->turns; place++) {
    const TgBlocksInstruction *instruction = &ranks->plan->instruction[ranks->turn[place]];
    finish_all(ranks, &ranks->needs, place, instruction);
    finish_all(ranks, &ranks->guards, place, instruction);
    const double ready_s = ranks->times ? tg_now_s() - zero_s : 0;
    tg_blocks_execute(ranks->base.options.element, ranks->memory, instruction, poll, ranks);
    begin_all(ranks, &ranks->receives, place + 1);
    begin_all(ranks, &ranks->sends, place + 1);
    if (!ranks->times) continue;
    const double end_s = tg_now_s() - zero_s;
    note_time(&ranks->times[instruction->step - 1], before_s, ready_s, end_s);
    before_s = end_s;
  }
  for (int64_t request = 0; request < ranks->own->len; request++) finish_message(ranks, request, NULL);
}

/* Means over the ranks that work. */
static void sum_up_steps(TgRanks *ranks) {
  const int64_t steps = ranks->plan->steps;
  g_autofree double *most = g_new(double, (gsize)(2 * steps)), *sum = g_new(double, (gsize)(2 * steps));
  for (int64_t s = 0; s < steps; s++) {
    most[2 * s] = -ranks->times[s].begin_s;
    most[2 * s + 1] = ranks->times[s].end_s;
    sum[2 * s] = ranks->times[s].busy_s / (double)ranks->base.facts.at_once;
    sum[2 * s + 1] = ranks->times[s].waited_s / (double)ranks->base.facts.at_once;
  }
  tg_ranks_reduce(ranks->job, most, (int)(2 * steps), 1, deadline_of(ranks));
  tg_ranks_reduce(ranks->job, sum, (int)(2 * steps), 2, deadline_of(ranks));
  for (int64_t s = 0; s < steps; s++) {
    TgExecutorStep *step = &ranks->base.steps[s];
    const bool empty = isinf(most[2 * s]);
    *step = (TgExecutorStep){.index = step->index,
                             .label = step->label,
                             .runs = empty ? 0 : 1,
                             .begin_s = empty ? NAN : -most[2 * s],
                             .end_s = empty ? NAN : most[2 * s + 1],
                             .busy_s = empty ? NAN : sum[2 * s],
                             .waited_s = empty ? NAN : sum[2 * s + 1]};
  }
}

static bool run_ranks(TgExecutor *executor, double *seconds, GError **error) {
  TgRanks *ranks = (TgRanks *)executor;
  if (!ranks->job->mpi->reserve(ranks->own->len))
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory for messages");
  const int threads = tg_blas_threads_begin(1, 1, 1);
  tg_ranks_barrier(ranks->job, deadline_of(ranks));
  const double zero_s = tg_now_s();
  execute_all(ranks, zero_s);
  double took_s = tg_now_s() - zero_s;
  tg_blas_threads_end(threads);
  tg_ranks_reduce(ranks->job, &took_s, 1, 1, deadline_of(ranks));
  *seconds = took_s;
  if (ranks->times) sum_up_steps(ranks);
  return true;
}

/* Rank 0's. */
static double agree(const TgExecutor *executor, double seconds) {
  const TgRanks *ranks = (const TgRanks *)executor;
  tg_ranks_broadcast(ranks->job, &seconds, sizeof seconds, 0, deadline_of(ranks));
  return seconds;
}

/* --- A and B, and C ----------------------------------------------------------------------------------------------- */

static int32_t rank_of(const TgRanks *ranks, int64_t processor) {
  const TgExecutorFacts *facts = &ranks->base.facts;
  int32_t rank = (int32_t)((double)processor * (double)facts->at_once / (double)facts->processors);
  while (tg_executor_first_in_place(facts, rank) > processor) rank--;
  while (tg_executor_first_in_place(facts, rank + 1) <= processor) rank++;
  return rank;
}

static bool load_ranks(TgExecutor *executor, const void *a, const void *b, GError **error) {
  TgRanks *ranks = (TgRanks *)executor;
  (void)error;
  ranks->given[TG_MATRIX_A] = a;
  ranks->given[TG_MATRIX_B] = b;
  for (int64_t i = 0; i < ranks->plan->placed; i++) {
    const TgBlocksPlaced *placed = &ranks->plan->place[i];
    if (placed->matrix != TG_MATRIX_C && rank_of(ranks, placed->processor) == ranks->job->rank)
      tg_blocks_load(&ranks->base, ranks->plan, placed, ranks->given[placed->matrix], ranks->memory);
  }
  return true;
}

/* Every rank gets all of C. */
static bool gather_ranks(TgExecutor *executor, void *c, GError **error) {
  const TgRanks *ranks = (TgRanks *)executor;
  const TgBlocksPlan *plan = ranks->plan;
  const int64_t bytes = plan->padded_rows[TG_MATRIX_C] * plan->padded_columns[TG_MATRIX_C] * element_bytes(ranks);
  (void)error;
  for (int64_t i = 0; i < plan->placed; i++) {
    const TgBlocksPlaced *placed = &plan->place[i];
    if (placed->matrix != TG_MATRIX_C) continue;
    tg_ranks_broadcast(ranks->job, ranks->memory + placed->offset * element_bytes(ranks), bytes,
                       rank_of(ranks, placed->processor), deadline_of(ranks));
    tg_blocks_store(executor, plan, placed, c, ranks->memory);
  }
  return true;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static void clear_index(Index *index) {
  g_free(index->first);
  g_free(index->number);
}

static void close_ranks(TgExecutor *executor) {
  TgRanks *ranks = (TgRanks *)executor;
  Index *const all[] = {&ranks->sends, &ranks->receives, &ranks->needs, &ranks->guards};
  for (size_t i = 0; i < G_N_ELEMENTS(all); i++) clear_index(all[i]);
  if (ranks->memory) munmap(ranks->memory, ranks->memory_bytes);
  if (ranks->own) g_array_unref(ranks->own);
  tg_rank_messages_free(ranks->messages);
  tg_blocks_plan_free(ranks->plan);
  g_free(ranks->times);
  g_free(ranks->base.steps);
  g_free((char *)ranks->base.facts.kernel);
  g_free(ranks);
}

typedef int64_t Place(const TgRanks *ranks, const TgRankMessage *message); /* -1: none */

static int64_t place_of_send(const TgRanks *ranks, const TgRankMessage *message) {
  return message->from == ranks->job->rank ? message->written + 1 : -1;
}

static int64_t place_of_receive(const TgRanks *ranks, const TgRankMessage *message) {
  return message->to == ranks->job->rank ? message->free + 1 : -1;
}

static int64_t place_of_need(const TgRanks *ranks, const TgRankMessage *message) {
  return message->to == ranks->job->rank ? message->read : -1;
}

static int64_t place_of_guard(const TgRanks *ranks, const TgRankMessage *message) {
  return message->from == ranks->job->rank && message->rewritten < INT64_MAX ? message->rewritten : -1;
}

static void make_index(const TgRanks *ranks, Index *index, Place *place) {
  const int64_t places = ranks->turns + 1;
  index->first = g_new0(int64_t, (gsize)places + 1);
  index->number = g_new(int64_t, (gsize)MAX(ranks->own->len, 1));
  for (int64_t m = 0; m < ranks->own->len; m++) {
    const int64_t at = place(ranks, message_at(ranks, m));
    if (at >= 0) index->first[at + 1]++;
  }
  for (int64_t p = 0; p < places; p++) index->first[p + 1] += index->first[p];
  g_autofree int64_t *next = g_memdup2(index->first, (gsize)(places + 1) * sizeof *next);
  for (int64_t m = 0; m < ranks->own->len; m++) {
    const int64_t at = place(ranks, message_at(ranks, m));
    if (at >= 0) index->number[next[at]++] = m;
  }
}

static void find_messages(TgRanks *ranks) {
  const int64_t processors = ranks->base.facts.processors;
  const int32_t used = (int32_t)ranks->base.facts.at_once, rank = ranks->job->rank;
  g_autofree int32_t *ranks_of = g_new(int32_t, (gsize)processors);
  for (int64_t p = 0; p < processors; p++) ranks_of[p] = rank_of(ranks, p);
  ranks->messages = tg_rank_messages_new(ranks->plan, used, ranks_of);
  ranks->own = g_array_new(FALSE, FALSE, sizeof(int64_t));
  if (rank < used) {
    ranks->turn = &ranks->messages->turn[ranks->messages->first[rank]];
    ranks->turns = ranks->messages->first[rank + 1] - ranks->messages->first[rank];
  }
  for (int64_t m = 0; m < ranks->messages->message->len; m++) {
    const TgRankMessage *message = &g_array_index(ranks->messages->message, TgRankMessage, m);
    if (message->from == rank || message->to == rank) g_array_append_val(ranks->own, m);
  }
  make_index(ranks, &ranks->sends, place_of_send);
  make_index(ranks, &ranks->receives, place_of_receive);
  make_index(ranks, &ranks->needs, place_of_need);
  make_index(ranks, &ranks->guards, place_of_guard);
}

static bool allocate(TgRanks *ranks, GError **error) {
  ranks->memory_bytes = (size_t)MAX(ranks->plan->elements * element_bytes(ranks), ALIGNMENT);
  void *memory =
      mmap(NULL, ranks->memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "no room for %zu bytes of blocks in the address space",
                            ranks->memory_bytes);
  ranks->memory = memory;
  if (ranks->base.options.poison) memset(memory, 0xff, ranks->memory_bytes);
  if (!ranks->base.options.no_times) ranks->times = g_new(StepTime, (gsize)ranks->plan->steps + 1);
  return true;
}

static void fill_facts(TgRanks *ranks) {
  TgExecutorFacts *facts = &ranks->base.facts;
  g_autofree char *blas = tg_blas_description();
  facts->processors_max = MOST_PROCESSORS;
  facts->kernel =
      g_strdup_printf("%d ranks of %s, one thread each of %s", ranks->job->ranks, ranks->job->library, blas);
  facts->memory_bytes = ranks->plan->elements * element_bytes(ranks);
  tg_blocks_fill_facts(&ranks->base, ranks->plan);
}

static bool prepare(TgRanks *ranks, GError **error) {
  TgExecutor *base = &ranks->base;
  const TgBlocksLayout layout = {.pad = 1,
                                 .align = ALIGNMENT / (int32_t)element_bytes(ranks),
                                 .late_reuse = 1,
                                 .plan_bytes = tg_executor_memory_limit(&base->options)};
  base->facts.processors = tg_schedule_processors(base->schedule);
  if (base->facts.processors > MOST_PROCESSORS)
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "grid %s has %" PRId64 " processors; ranks has room for at most %d",
                            tg_schedule_grid_text(base->schedule).s, base->facts.processors, MOST_PROCESSORS);
  g_autoptr(GError) reason = NULL;
  if (!tg_blas_load(&reason)) return TG_EXECUTOR_FAIL(error, DEVICE, "%s", reason->message);
  base->facts.at_once = MIN(base->facts.processors, ranks->job->ranks);
  ranks->plan = tg_blocks_plan_new(base->schedule, base->names, &base->options, &layout, error);
  if (!ranks->plan) return false;
  fill_facts(ranks);
  find_messages(ranks);
  return allocate(ranks, error) && (base->options.no_times || tg_executor_make_steps(base, error));
}

/* False where another rank cannot. */
static bool all_can(const TgRanks *ranks, bool own, GError **error) {
  double least = own;
  tg_ranks_reduce(ranks->job, &least, 1, 0, deadline_of(ranks));
  if (least > 0 || !own) return own;
  return TG_EXECUTOR_FAIL(error, FAILED, "another rank cannot run the schedule");
}

static bool begin_ranks(GError **error) {
  return tg_ranks_job(error) != NULL;
}

static TgExecutor *open_ranks(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, GError **error) {
  const TgRanksJob *job = tg_ranks_job(error);
  if (!job) return NULL;
  TgRanks *ranks = g_new0(TgRanks, 1);
  ranks->base = (TgExecutor){.kind = &tg_executor_ranks, .schedule = schedule, .names = names, .options = *options};
  ranks->job = job;
  const bool own = tg_executor_has_one_variant(&ranks->base, error) && prepare(ranks, error);
  if (all_can(ranks, own, error)) return &ranks->base;
  close_ranks(&ranks->base);
  return NULL;
}

const TgExecutorKind tg_executor_ranks = {
    .name = "ranks",
    .processor = "a rank of an MPI job (mpirun); where there are too few, several share one",
    .link = "a message; within a rank a block is copied",
    .has_deadline = true,
    .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_PULL,
    .traits = {.fetches = true},
    .unlike_sim = "whose ranks share cores in turn; here all work at the same time",
    .built = tg_ranks_built,
    .begin = begin_ranks,
    .open = open_ranks,
    .load = load_ranks,
    .run = run_ranks,
    .gather = gather_ranks,
    .agree = agree,
    .close = close_ranks};

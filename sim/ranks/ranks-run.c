/* A run: this rank executes its instructions. */
#include "blas.h"
#include "blocks-execute.h"
#include "ranks-private.h"
#include "trials.h"

#include <math.h>
#include <sched.h>

enum { SPINS = 2000 /* looks at a counter before the CPU is offered to others, and the clock is read */ };

/* --- messages ----------------------------------------------------------------------------------------------------- */

static void begin_message(const TgRanks *ranks, int64_t request) {
  const TgRankMessage *message = message_at(ranks, request);
  char *at = ranks->memory.blocks + (message->block + message->begin) * element_bytes(ranks);
  const int64_t count = message->end - message->begin;
  const TgRanksLibrary *mpi = ranks->job->mpi;
  if (message->from == ranks->job->rank)
    mpi->send(request, at, count, (int)element_bytes(ranks), message->to, message->tag);
  else
    mpi->receive(request, at + ranks->memory.far_bytes, count, (int)element_bytes(ranks), message->from, message->tag);
}

static void begin_all(const TgRanks *ranks, const TgRankIndex *index, int64_t place) {
  for (int64_t i = index->first[place]; i < index->first[place + 1]; i++) begin_message(ranks, index->number[i]);
}

/* Ends the job. Without an instruction the rank has executed all of its own. */
static void be_late(const TgRanks *ranks, const TgBlocksInstruction *instruction, const char *what, int rank) {
  const TgExecutor *base = &ranks->base;
  const char *host = tg_ranks_host(ranks->job, rank);
  g_autofree char *words =
      instruction
          ? g_strdup_printf("step %d, `%s`: processor %s waited more than %g s for %s rank %d on %s", instruction->step,
                            tg_name(base->names, base->names->source[instruction->statement]),
                            tg_schedule_processor_text(base->schedule, instruction->processor).s, deadline_of(ranks),
                            what, rank, host)
          : g_strdup_printf("the end of the run: waited more than %g s for %s rank %d on %s", deadline_of(ranks), what,
                            rank, host);
  tg_ranks_abort(ranks->job, words);
}

static void finish_message(const TgRanks *ranks, int64_t request, const TgBlocksInstruction *instruction) {
  const TgRankMessage *message = message_at(ranks, request);
  const bool sends = message->from == ranks->job->rank;
  if (!tg_ranks_wait(ranks->job, request, deadline_of(ranks)))
    be_late(ranks, instruction, sends ? "a message to" : "a message from", sends ? message->to : message->from);
}

static void finish_all(const TgRanks *ranks, const TgRankIndex *index, int64_t place,
                       const TgBlocksInstruction *instruction) {
  for (int64_t i = index->first[place]; i < index->first[place + 1]; i++)
    finish_message(ranks, index->number[i], instruction);
}

static void poll(void *data) {
  const TgRanks *ranks = data;
  ranks->job->mpi->poll();
}

/* --- waiting for ranks of this host ------------------------------------------------------------------------------- */

static bool is_near(const TgRanks *ranks, int32_t rank) {
  return ranks->memory.shared && ranks->job->leader[rank] == ranks->job->leader[ranks->job->rank];
}

static void wait_for(const TgRanks *ranks, const TgBlocksInstruction *instruction, const TgBlocksWait *wait) {
  const atomic_int *count = &ranks->memory.finished[wait->processor].count;
  double begun_s = NAN;
  for (int spins = 1; atomic_load_explicit(count, memory_order_acquire) < wait->count; spins++) {
    if (spins % SPINS) continue;
    if (ranks->own->len) ranks->job->mpi->poll();
    const double now_s = tg_now_s();
    if (isnan(begun_s)) begun_s = now_s;
    if (now_s - begun_s > deadline_of(ranks)) {
      g_autofree char *what =
          g_strdup_printf("processor %s of", tg_schedule_processor_text(ranks->base.schedule, wait->processor).s);
      be_late(ranks, instruction, what, ranks->rank_of[wait->processor]);
    }
    sched_yield();
  }
}

/* What other hosts' ranks do is in messages; this rank executes its own in order. */
static void wait_for_all(const TgRanks *ranks, const TgBlocksInstruction *instruction) {
  for (int32_t w = 0; w < instruction->waits && ranks->memory.shared; w++) {
    const TgBlocksWait *wait = &ranks->plan->wait[instruction->first_wait + w];
    const int32_t rank = ranks->rank_of[wait->processor];
    if (rank != ranks->job->rank && is_near(ranks, rank)) wait_for(ranks, instruction, wait);
  }
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static void note_time(TgRankTime *time, double begin_s, double ready_s, double end_s) {
  if (isinf(time->begin_s)) time->begin_s = begin_s;
  time->end_s = end_s;
  time->waited_s += ready_s - begin_s;
  time->busy_s += end_s - ready_s;
}

static void execute_all(TgRanks *ranks, double zero_s) {
  double before_s = 0;
  for (int64_t s = 0; ranks->times && s < ranks->plan->steps; s++)
    ranks->times[s] = (TgRankTime){.begin_s = INFINITY, .end_s = -INFINITY};
  const bool polls = ranks->own->len > 0 && !ranks->base.options.no_overlap;
  begin_all(ranks, &ranks->receives, 0);
  begin_all(ranks, &ranks->sends, 0);
  for (int64_t place = 0; place < ranks->turns; place++) {
    const TgBlocksInstruction *instruction = &ranks->turn[place];
    wait_for_all(ranks, instruction);
    finish_all(ranks, &ranks->needs, place, instruction);
    finish_all(ranks, &ranks->guards, place, instruction);
    const double ready_s = ranks->times ? tg_now_s() - zero_s : 0;
    tg_blocks_execute(ranks->base.options.element, ranks->memory.blocks, instruction, polls ? poll : NULL, ranks);
    atomic_fetch_add_explicit(&ranks->memory.finished[instruction->processor].count, 1, memory_order_release);
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

bool tg_ranks_run(TgExecutor *executor, double *seconds, GError **error) {
  TgRanks *ranks = (TgRanks *)executor;
  if (!ranks->job->mpi->reserve(ranks->own->len))
    return TG_EXECUTOR_FAIL(error, TOO_LARGE, "out of memory for messages");
  const int threads = tg_blas_threads_begin(ranks->largest.m, ranks->largest.n, ranks->largest.k, ranks->job->threads);
  for (int64_t p = 0; p < executor->facts.processors; p++)
    if (ranks->rank_of[p] == ranks->job->rank) atomic_store(&ranks->memory.finished[p].count, 0);
  tg_ranks_barrier(ranks->job, deadline_of(ranks));
  ranks->zero_s = tg_now_s();
  execute_all(ranks, ranks->zero_s);
  double took_s = tg_now_s() - ranks->zero_s;
  tg_blas_threads_end(threads);
  tg_ranks_reduce(ranks->job, &took_s, 1, 1, deadline_of(ranks));
  *seconds = took_s;
  if (ranks->times) sum_up_steps(ranks);
  return true;
}

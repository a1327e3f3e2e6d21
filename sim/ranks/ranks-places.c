/* Where the ranks are, and when each did what in the last run. */
#include "ranks-private.h"
#include "trials.h"

#include <math.h>

enum { EXCHANGES = 20 /* of times between two hosts, of which the shortest counts */ };

/* --- one clock ---------------------------------------------------------------------------------------------------- */

static void finish(const TgRanks *ranks, int other) {
  if (tg_ranks_wait(ranks->job, 0, deadline_of(ranks))) return;
  g_autofree char *words = g_strdup_printf("waited more than %g s for rank %d on %s to compare clocks",
                                           deadline_of(ranks), other, tg_ranks_host(ranks->job, other));
  tg_ranks_abort(ranks->job, words);
}

static void send(const TgRanks *ranks, double time_s, int other) {
  ranks->job->mpi->send(0, &time_s, 1, sizeof time_s, other, 0);
  finish(ranks, other);
}

static double receive(const TgRanks *ranks, int other) {
  double time_s;
  ranks->job->mpi->receive(0, &time_s, 1, sizeof time_s, other, 0);
  finish(ranks, other);
  return time_s;
}

/* On rank 0: the offset to add to another host's clock. The estimate assumes that the other rank read its clock halfway
 * through the round trip. Source: F. Cristian, Probabilistic clock synchronization, Distributed Computing
 * 3, 1989. */
static double offset_of(const TgRanks *ranks, int other, double *error_s) {
  double shortest_s = INFINITY, offset_s = 0;
  for (int e = 0; e < EXCHANGES; e++) {
    const double begin_s = tg_now_s();
    send(ranks, begin_s, other);
    const double time_s = receive(ranks, other), end_s = tg_now_s();
    if (end_s - begin_s >= shortest_s) continue;
    shortest_s = end_s - begin_s;
    offset_s = (begin_s + end_s) / 2 - time_s;
  }
  *error_s = fmax(*error_s, shortest_s / 2);
  return offset_s;
}

/* The offset to add to this rank's clock. Ranks on one host share a clock. */
static double find_offset(const TgRanks *ranks, double *error_s) {
  const TgRanksJob *job = ranks->job;
  g_autofree double *offset_s = g_new0(double, (gsize)job->ranks + 1);
  for (int other = 1; other < job->ranks; other++) {
    if (job->leader[other] != other) continue;
    if (job->rank == 0) offset_s[other] = offset_of(ranks, other, &offset_s[job->ranks]);
    for (int e = 0; job->rank == other && e < EXCHANGES; e++) {
      receive(ranks, 0);
      send(ranks, tg_now_s(), 0);
    }
  }
  const int64_t bytes = (job->ranks + 1) * (int64_t)sizeof *offset_s;
  tg_ranks_broadcast(job, offset_s, bytes, 0, deadline_of(ranks));
  *error_s = offset_s[job->ranks];
  return offset_s[job->leader[job->rank]];
}

/* --- all ranks ---------------------------------------------------------------------------------------------------- */

enum { BEGIN, END, BUSY, WAITED, WORKS, FIELDS };

/* Of all ranks and steps, on one clock. */
static double *gather_times(const TgRanks *ranks, double *clock_error_s) {
  const int64_t steps = ranks->plan->steps, count = ranks->job->ranks * steps * FIELDS;
  double *all = g_new0(double, (gsize)MAX(count, 1));
  const double zero_s = ranks->zero_s + find_offset(ranks, clock_error_s);
  for (int64_t s = 0; s < steps; s++) {
    const TgRankTime *time = &ranks->times[s];
    double *own = &all[(ranks->job->rank * steps + s) * FIELDS];
    if (isinf(time->begin_s)) continue;
    own[BEGIN] = zero_s + time->begin_s;
    own[END] = zero_s + time->end_s;
    own[BUSY] = time->busy_s;
    own[WAITED] = time->waited_s;
    own[WORKS] = 1;
  }
  ranks->base.kind->sum(&ranks->base, all, count);
  return all;
}

static double earliest(const TgRanks *ranks, const double *all) {
  double earliest_s = INFINITY;
  for (int64_t i = 0; i < ranks->job->ranks * ranks->plan->steps; i++)
    if (all[i * FIELDS + WORKS] > 0) earliest_s = fmin(earliest_s, all[i * FIELDS + BEGIN]);
  return earliest_s;
}

static TgExecutorStep *steps_of(const TgRanks *ranks, const double *own, double begin_s) {
  TgExecutorStep *steps = g_memdup2(ranks->base.steps, (gsize)ranks->plan->steps * sizeof *steps);
  for (int64_t s = 0; s < ranks->plan->steps; s++) {
    const double *time = &own[s * FIELDS];
    const bool works = time[WORKS] > 0;
    steps[s].runs = works ? 1 : 0;
    steps[s].begin_s = works ? time[BEGIN] - begin_s : NAN;
    steps[s].end_s = works ? time[END] - begin_s : NAN;
    steps[s].busy_s = works ? time[BUSY] : NAN;
    steps[s].waited_s = works ? time[WAITED] : NAN;
  }
  return steps;
}

static void clear_place(gpointer data) {
  g_free(((TgExecutorPlace *)data)->steps);
}

GArray *tg_ranks_places(const TgExecutor *executor, double *clock_error_s) {
  const TgRanks *ranks = (const TgRanks *)executor;
  const TgExecutorFacts *facts = &executor->facts;
  GArray *places = g_array_new(FALSE, FALSE, sizeof(TgExecutorPlace));
  g_autofree double *all = ranks->times ? gather_times(ranks, clock_error_s) : NULL;
  const double begin_s = all ? earliest(ranks, all) : 0;
  g_array_set_clear_func(places, clear_place);
  for (int32_t r = 0; r < ranks->job->ranks; r++) {
    const bool works = r < facts->at_once;
    const int64_t first = works ? tg_executor_first_in_place(facts, r) : 0;
    const TgExecutorPlace place = {
        .host = tg_ranks_host(ranks->job, r),
        .cpus = tg_ranks_cpus(ranks->job, r),
        .first_there = ranks->job->leader[r],
        .threads = ranks->job->threads_of[r],
        .first = first,
        .processors = works ? tg_executor_first_in_place(facts, r + 1) - first : 0,
        .steps = all && ranks->job->rank == 0 ? steps_of(ranks, &all[r * ranks->plan->steps * FIELDS], begin_s) : NULL};
    g_array_append_val(places, place);
  }
  return places;
}

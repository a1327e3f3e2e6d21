/* About how long each candidate takes, which decides the order in which they are predicted, and no more. */
#include "buffer-uses.h"
#include "outlook.h"
#include "phase.h"
#include "plan-private.h"

#include <math.h>

static bool has_products(const TgSchedule *schedule, int repeat) {
  for (int s = repeat + 1; s < schedule->statement[repeat].end; s++)
    if (schedule->statement[s].op == TG_OP_MULTIPLY) return true;
  return false;
}

/* How often what the statement sends takes turns with products, which can hide it, but for the first time: as often as
 * the innermost repeat around both is executed. 1 where it comes before all products or after them. */
static double turns(const TgSchedule *schedule, int statement) {
  TgInterval variable[TG_LOCAL_VARIABLES] = {{0, 0}};
  double times = 1, shared = 1;
  for (int r = 0; r < statement; r++) {
    const TgStatement *repeat = &schedule->statement[r];
    if (repeat->op != TG_OP_REPEAT || repeat->end <= statement) continue;
    times *= fmax(tg_interval_evaluate(schedule, repeat->value, variable).high, 1);
    if (has_products(schedule, r)) shared = times;
  }
  return shared;
}

/* Seconds of all transfers, and of those that so long products hide; and what collectives take to predict. */
static double travels_s(const TgOutlook *outlook, const TgPlanSearch *search, const TgSchedule *schedule,
                        const TgPlanFacts *facts, TgPlanTravel travel[TG_MAX_STATEMENTS], double *hidden_s) {
  double seconds = 0, most = 1;
  TgBufferUses uses = {.sent = 0};
  *hidden_s = 0;
  /* In LogGP a product waits for all messages before it: a message that sends a product delays the next one. */
  if (outlook->model == TG_COST_LOGGP) tg_buffer_uses(schedule, NULL, &uses);
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    const TgOpTraits *traits = tg_op_traits(statement->op);
    const double bytes = facts->read_low[s] * (double)search->request->element_bytes, before_s = seconds;
    if (facts->executions[s] == 0) continue;
    if (traits->is_direct) {
      const TgOutlookMove move = tg_outlook_direct(outlook, statement, bytes);
      seconds += facts->executions[s] * move.seconds;
      const double transfers = (double)facts->processors * move.part;
      travel[s] = (TgPlanTravel){transfers, 1, 0, transfers, move.hops};
    }
    if (traits->is_collective) {
      const TgOutlookCollective best = tg_outlook_any(outlook, statement, bytes, facts->executions[s]);
      seconds += best.seconds;
      travel[s] =
          (TgPlanTravel){best.transfers, best.rounds, (double)facts->processors / schedule->extent[statement->axis],
                         facts->constant[s] ? best.different : best.transfers, best.hops};
    }
    const double often = uses.sent >> statement->source.buffer & 1 ? 1 : turns(schedule, s);
    *hidden_s += (seconds - before_s) * (1 - 1 / often);
    most = fmax(most, often);
  }
  *hidden_s = fmin(*hidden_s, facts->compute_s * (1 - 1 / most));
  return seconds;
}

/* What takes long to predict has to promise a little more. */
static double outlook_of(const TgPlanSearch *search, const TgPlanCandidate *candidate) {
  const double seconds = fmax(candidate->bound_s, candidate->promise_s * search->pace[candidate->source].counted);
  return seconds * (1 + tg_plan_once_s(search, candidate) / search->request->budget_s);
}

TgPlanRequest tg_plan_whole_blocks(const TgPlanRequest *request, const TgSchedule *schedule) {
  TgPlanRequest whole = *request;
  tg_whole_blocks(schedule, &whole.m, &whole.n, &whole.k);
  return whole;
}

void tg_plan_look_out(const TgPlanSearch *search, TgPlanCandidate *candidate) {
  const TgPlanSource *source = &search->sources[candidate->source];
  const TgPlanRequest *request = search->request;
  const TgCostOptions options = {.model = request->model, .straggler = -1};
  TgPlanTravel travel[TG_MAX_STATEMENTS] = {{0}};
  TgSchedule schedule = *source->schedule;
  TgTopology network;
  TgPlanFacts facts;
  TgSlices slices;
  TgOutlook outlook;
  TgError unused;
  if (!tg_schedule_bind_values(&schedule, source->names, &candidate->bindings, &unused) ||
      !tg_plan_network(request, &schedule, &network, &unused) ||
      !tg_plan_count_blocks(&schedule, source->names, &candidate->bindings))
    return;
  const TgCostRun run = {
      .network = &network, .embedding = TG_ROWMAJOR, .machine = request->machine, .options = &options};
  if (!tg_outlook_init(&outlook, &run, &schedule)) return;
  const TgPlanRequest whole = tg_plan_whole_blocks(request, &schedule);
  tg_plan_find_facts(&whole, &schedule, source->names, &facts);
  const bool alike = whole.m == request->m && whole.n == request->n && whole.k == request->k;
  facts.by_name = (facts.by_name || !alike) && !candidate->rounded;
  double hidden_s;
  const double travel_s = travels_s(&outlook, search, &schedule, &facts, travel, &hidden_s);
  const double all_s = travel_s + facts.compute_s - (request->overlap ? hidden_s : 0);
  const TgSliceOf of = {&schedule, &network, TG_ROWMAJOR, request->machine, &options, facts.by_name};
  tg_slices_find(&slices, &of);
  candidate->work_s = tg_plan_work(&schedule, &facts, request->model, travel, &slices);
  candidate->promise_s = fmax(candidate->bound_s, all_s);
  candidate->outlook_s = outlook_of(search, candidate);
}

bool tg_plan_count_beyond(TgPlanSearch *search) {
  static const double notable = 1.05;
  bool counts = false;
  for (int source = 0; source < search->source_count; source++) {
    TgPlanPace *pace = &search->pace[source];
    counts = counts || pace->beyond > notable * pace->counted || pace->counted > notable * pace->beyond;
  }
  if (!counts) return false;
  for (int source = 0; source < search->source_count; source++)
    search->pace[source].counted = search->pace[source].beyond;
  for (guint c = 0; c < search->candidates->len; c++) {
    TgPlanCandidate *candidate = &g_array_index(search->candidates, TgPlanCandidate, c);
    if (!isinf(candidate->outlook_s)) candidate->outlook_s = outlook_of(search, candidate);
  }
  return true;
}

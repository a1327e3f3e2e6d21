/* What costs nothing in a pass, and steps that have no time of their own. */
#include "expected-run.h"

/** Buffers, a bit each. */
typedef struct TgHolding {
  uint32_t read; /**< holds a block that something has read, or that was sent */
  uint32_t sums; /**< holds sums of products */
} TgHolding;

static void pass_on(uint32_t *bits, uint32_t target, bool set) {
  *bits = set ? *bits | target : *bits & ~target;
}

/* Follows one statement; returns whether it costs something. */
static bool follow(TgHolding *holding, const TgStatement *statement, const TgExecutorTraits *traits,
                   TgTransport transport) {
  const uint32_t source = 1u << statement->source.buffer, target = 1u << statement->target.buffer;
  const bool sum = holding->sums & source, load = transport == TG_TRANSPORT_LOAD;
  if (statement->op == TG_OP_MULTIPLY) {
    holding->read |= source | 1u << statement->other.buffer;
    holding->sums |= target;
    return false;
  }
  const bool travels = statement->op == TG_OP_MOVE || statement->op == TG_OP_ADD || tg_op_is_collective(statement->op);
  const bool fresh = statement->op == TG_OP_MOVE && !(holding->read & source);
  const bool costs = travels && !(sum ? traits->folds : load || (traits->folds && fresh));
  if (costs) holding->read |= source;
  pass_on(&holding->read, target, holding->read & source);
  pass_on(&holding->sums, target, sum);
  return costs;
}

void tg_expected_fold(TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorTraits *traits,
                      TgTransport transport) {
  TgHolding holding = {0};
  TgWalk walk;
  TgError unused;
  bool costs[TG_MAX_STATEMENTS] = {false};
  if (!traits->folds && transport != TG_TRANSPORT_LOAD) return;
  tg_walk_init(&walk, schedule, names);
  while (tg_walk_next(&walk, &unused) == TG_PROGRESS_MORE)
    costs[walk.statement] |= follow(&holding, &schedule->statement[walk.statement], traits, transport);
  for (int s = 0; s < schedule->statements; s++) {
    uint8_t *op = &schedule->statement[s].op;
    if (!costs[s] && (*op == TG_OP_MOVE || *op == TG_OP_ADD || tg_op_is_collective(*op))) *op = TG_OP_COPY;
  }
}

void tg_expected_fold_steps(const int64_t *runs, int64_t steps, double *step_s) {
  int64_t last = -1;
  double left_s = 0;
  for (int64_t s = 0; s < steps; s++)
    if (runs[s] > 0) last = s;
  for (int64_t s = 0; s < steps && last >= 0; s++) {
    left_s += step_s[s];
    step_s[s] = 0;
    if (runs[s] == 0 && s < last) continue;
    step_s[s > last ? last : s] += left_s;
    left_s = 0;
  }
}

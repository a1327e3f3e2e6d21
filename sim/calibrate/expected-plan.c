#include "expected-plan.h"

#include "blocks-plan.h"

#include <math.h>

/** The plan under way. */
typedef struct PlanClock {
  const TgBlocksPlan *plan;
  const TgMachine *machine;
  int64_t element_bytes;
  double *end_s;    /* of each instruction */
  double *place_s;  /* until when each place is busy */
  double *inside_s; /* [place * steps + step - 1]: time in the step; negative while there is none */
} PlanClock;

static double moved_s(const PlanClock *clock, double elements) {
  const TgMachineLink *link = &clock->machine->link;
  return link->latency_s + elements * (double)clock->element_bytes / link->bandwidth_bytes_per_s;
}

/* Of a block that comes from elsewhere: it is read there, and not copied first. */
static double added_s(const PlanClock *clock, double elements) {
  if (clock->machine->processor.additions_per_s == 0) return moved_s(clock, elements);
  return clock->machine->link.latency_s + tg_machine_sum_s(clock->machine, elements);
}

static double duration_s(const PlanClock *clock, const TgBlocksInstruction *instruction) {
  const double part = (double)(instruction->end - instruction->begin);
  switch ((TgBlocksOperation)instruction->operation) {
  case TG_BLOCKS_MULTIPLY:
    return tg_machine_product_s(clock->machine, instruction->rows, instruction->columns, instruction->inner);
  case TG_BLOCKS_TRANSPOSE:
    return moved_s(clock, (double)instruction->rows * instruction->columns);
  case TG_BLOCKS_ADD:
    return added_s(clock, part);
  case TG_BLOCKS_ZERO:
  case TG_BLOCKS_COPY:
    return moved_s(clock, part);
  case TG_BLOCKS_OPERATIONS:
    break;
  }
  g_assert_not_reached();
}

static double ready_s(const PlanClock *clock, const TgBlocksInstruction *instruction) {
  double latest_s = 0;
  for (int32_t w = 0; w < instruction->waits; w++) {
    const TgBlocksWait *wait = &clock->plan->wait[instruction->first_wait + w];
    latest_s = fmax(latest_s, clock->end_s[clock->plan->first[wait->processor] + wait->count - 1]);
  }
  return latest_s;
}

static void execute(PlanClock *clock, int64_t number, int64_t place) {
  const TgBlocksInstruction *instruction = &clock->plan->instruction[number];
  const double before_s = clock->place_s[place];
  const double end_s = fmax(before_s, ready_s(clock, instruction)) + duration_s(clock, instruction);
  double *inside_s = &clock->inside_s[place * clock->plan->steps + instruction->step - 1];
  *inside_s = fmax(*inside_s, 0) + end_s - before_s;
  clock->place_s[place] = clock->end_s[number] = end_s;
}

/* Over all places, or over those that take part: as the executor sums up what it measures. */
static double mean_of_step(const PlanClock *clock, const TgExecutorFacts *facts, int64_t places, int64_t s) {
  double sum_s = 0;
  int64_t took_part = 0;
  for (int64_t place = 0; place < places; place++) {
    const double inside_s = clock->inside_s[place * clock->plan->steps + s];
    sum_s += fmax(inside_s, 0);
    took_part += inside_s >= 0;
  }
  return sum_s / (double)(facts->at_once ? places : MAX(took_part, 1));
}

static void follow(PlanClock *clock, const TgExecutorFacts *facts, int64_t places) {
  const TgBlocksPlan *plan = clock->plan;
  g_autofree int64_t *at = g_new(int64_t, (gsize)MAX(plan->instructions, 1)); /* by order */
  g_autofree int64_t *place_of = g_new(int64_t, (gsize)plan->processors);
  for (int64_t i = 0; i < plan->instructions; i++) at[plan->instruction[i].order] = i;
  for (int64_t place = 0; place < places; place++)
    for (int64_t p = tg_block_begin(facts->processors, places, place);
         p < tg_block_begin(facts->processors, places, place + 1); p++)
      place_of[p] = place;
  for (int64_t order = 0; order < plan->instructions; order++)
    execute(clock, at[order], place_of[plan->instruction[at[order]].processor]);
}

double *tg_expected_plan(const TgExecutorFacts *facts, const TgMachine *machine, int64_t element_bytes,
                         double *pass_s) {
  const TgBlocksPlan *plan = facts->plan;
  const int64_t places = facts->at_once ? facts->at_once : facts->processors;
  g_autofree double *end_s = g_new(double, (gsize)MAX(plan->instructions, 1));
  g_autofree double *place_s = g_new0(double, (gsize)places);
  g_autofree double *inside_s = g_new(double, (gsize)MAX(places * plan->steps, 1));
  PlanClock clock = {plan, machine, element_bytes, end_s, place_s, inside_s};
  for (int64_t i = 0; i < places * plan->steps; i++) inside_s[i] = -1;
  follow(&clock, facts, places);
  double *step_s = g_new(double, (gsize)MAX(plan->steps, 1));
  for (int64_t s = 0; s < plan->steps; s++) step_s[s] = mean_of_step(&clock, facts, places, s);
  *pass_s = 0;
  for (int64_t place = 0; place < places; place++) *pass_s = fmax(*pass_s, place_s[place]);
  return step_s;
}

#include "buffer-uses.h"

#include "interval.h"

#include <string.h>

static uint32_t bit(int buffer) {
  return UINT32_C(1) << buffer;
}

/* Whether what the statement writes is, on some processor, a block that was in the other buffer before. */
static bool passes_on(const TgStatement *statement) {
  const int op = statement->op;
  return (tg_op_travels(op) || op == TG_OP_COPY || op == TG_OP_TRANSPOSE) &&
         statement->source.buffer != statement->target.buffer;
}

static void find_origins(const TgSchedule *schedule, TgBufferUses *uses) {
  bool more = true;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) uses->origins[b] = bit(b);
  while (more) {
    more = false;
    for (int s = 0; s < schedule->statements; s++) {
      const TgStatement *statement = &schedule->statement[s];
      if (!passes_on(statement)) continue;
      uint32_t *target = &uses->origins[statement->target.buffer], before = *target;
      *target |= uses->origins[statement->source.buffer];
      more = more || *target != before;
    }
  }
}

/* Whether statement `later` may be executed after statement `s`. */
static bool may_follow(const TgSchedule *schedule, int s, int later) {
  if (later > s) return true;
  for (int r = 0; r < later; r++)
    if (schedule->statement[r].op == TG_OP_REPEAT && schedule->statement[r].end > s) return true;
  return false;
}

static bool product_before(const TgSchedule *schedule, int transfer, int buffer) {
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (statement->op != TG_OP_MULTIPLY || !may_follow(schedule, s, transfer)) continue;
    if (statement->source.buffer == buffer || statement->other.buffer == buffer ||
        (statement->target.buffer == buffer && !statement->replace))
      return true;
  }
  return false;
}

/* What is added to a block arrives beside it, and so waits for nothing. */
static bool may_refill(const TgSchedule *schedule, int s) {
  const TgStatement *statement = &schedule->statement[s];
  return !tg_op_traits(statement->op)->adds && product_before(schedule, s, statement->target.buffer);
}

static bool begins_anew(const TgStatement *statement) {
  if (statement->op == TG_OP_MULTIPLY) return statement->replace;
  return statement->op == TG_OP_ZERO || (tg_op_travels(statement->op) && !tg_op_traits(statement->op)->adds);
}

/* Whether what the transfer reads may begin anew after it, or with it. */
static bool may_renew(const TgSchedule *schedule, int transfer) {
  const int buffer = schedule->statement[transfer].source.buffer;
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (begins_anew(statement) && statement->target.buffer == buffer &&
        (s == transfer || may_follow(schedule, transfer, s)))
      return true;
  }
  return false;
}

void tg_buffer_uses(const TgSchedule *schedule, const bool travels[TG_MAX_STATEMENTS], TgBufferUses *uses) {
  uint32_t brought = 0, taken = 0, needed = 0, made = 0;
  *uses = (TgBufferUses){.arrives = 0};
  find_origins(schedule, uses);
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    const uint32_t source = bit(statement->source.buffer), target = bit(statement->target.buffer);
    if (statement->op == TG_OP_MULTIPLY) {
      needed |= uses->origins[statement->source.buffer] | uses->origins[statement->other.buffer] |
                uses->origins[statement->target.buffer];
      made |= target;
    }
    if (!tg_op_travels(statement->op) || (travels && !travels[s])) continue;
    if (tg_op_traits(statement->op)->adds) {
      needed |= uses->origins[statement->source.buffer] | uses->origins[statement->target.buffer];
      made |= source | target;
    }
    brought |= target;
    taken |= uses->origins[statement->source.buffer];
    if (may_refill(schedule, s)) uses->refilled |= target;
    if (may_renew(schedule, s)) uses->renewed |= source;
  }
  uses->arrives = brought & needed;
  uses->sent = made & taken;
  uses->renewed &= uses->sent;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static double largest_block(const TgSchedule *schedule, uint32_t matrices, const int64_t rows[],
                            const int64_t columns[]) {
  double most = 0;
  for (int m = 0; m < TG_MATRICES; m++) {
    const int32_t *parts = schedule->blocks[m];
    if (!(matrices >> m & 1) || parts[0] == 0) continue;
    most = MAX(most, (double)tg_divide_up(rows[m], parts[0]) * (double)tg_divide_up(columns[m], parts[1]));
  }
  return most;
}

TgPlacesHeld tg_places_held(const TgSchedule *schedule, const bool travels[TG_MAX_STATEMENTS], int32_t places,
                            int64_t m, int64_t n, int64_t k) {
  const int64_t rows[TG_MATRICES] = {m, k, m}, columns[TG_MATRICES] = {k, n, n};
  TgBufferUses uses;
  TgInterval slots[TG_MAX_BUFFERS];
  TgPlacesHeld held = {0, 0};
  uint32_t matrices[TG_MAX_BUFFERS];
  if (places < 2) return held;
  tg_buffer_uses(schedule, travels, &uses);
  tg_interval_slots(schedule, slots);
  tg_phase_held(schedule, matrices);
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    if (!((uses.refilled | uses.renewed) >> b & 1) || slots[b].high < slots[b].low) continue;
    const double blocks = (places - 1) * (double)(slots[b].high - slots[b].low + 1);
    held.blocks += (int64_t)blocks;
    held.elements += blocks * largest_block(schedule, matrices[b], rows, columns);
  }
  return held;
}

enum { ASKED = 4096 /* processors */ };

/* A move by a loop variable may be to the processor itself in one repetition alone. */
static bool sends(const TgSchedule *schedule, const TgStatement *statement) {
  const int64_t processors = tg_schedule_processors(schedule);
  if (tg_op_traits(statement->op)->is_collective) return schedule->extent[statement->axis] > 1;
  for (int c = 0; c < schedule->dims; c++)
    if (tg_expression_variables(schedule, statement->to[c]) & TG_VARIABLES_LOOPS) return true;
  for (int64_t p = 0; p < MIN(processors, ASKED); p++)
    if (tg_statement_receiver(schedule, statement, p) != p) return true;
  return processors > ASKED;
}

void tg_statements_travel(const TgSchedule *schedule, bool travels[TG_MAX_STATEMENTS]) {
  TgInterval variable[TG_LOCAL_VARIABLES];
  memset(travels, 0, TG_MAX_STATEMENTS * sizeof *travels);
  tg_interval_begin(schedule, variable);
  for (int s = 0; s < schedule->statements; s++) {
    const TgStatement *statement = &schedule->statement[s];
    if (statement->op == TG_OP_REPEAT) {
      if (!tg_interval_repeat(schedule, statement, variable)) s = statement->end - 1;
      continue;
    }
    if (!tg_op_travels(statement->op) || tg_schedule_processors(schedule) == 1) continue;
    if (statement->where && tg_interval_evaluate(schedule, statement->where, variable).high <= 0) continue;
    travels[s] = sends(schedule, statement);
  }
}

#include "walk.h"

#include <string.h>

enum { MOST_IDLE = 1 << 16 }; /* `repeat s in 10**18` around `repeat t in 0` would keep the walker to itself for ever */

void tg_walk_init(TgWalk *walk, const TgSchedule *schedule, const TgScheduleNames *names) {
  memset(walk, 0, sizeof *walk);
  walk->schedule = schedule;
  walk->names = names;
  walk->statement = walk->group = walk->step_end = -1;
}

bool tg_walk_evaluation_error(const TgWalk *walk, TgEvaluation evaluation, int64_t offset, TgError *error) {
  return tg_error_set(error, walk->names->code_line[offset], walk->names->code_column[offset], "%s",
                      tg_evaluation_text(evaluation));
}

static bool evaluate(const TgWalk *walk, TgExpression expression, const int64_t *variable, int64_t *value,
                     TgError *error) {
  TgEvaluation evaluation = tg_expression_evaluate(walk->schedule, expression, variable, value);
  return evaluation == TG_EVALUATION_OK || tg_walk_evaluation_error(walk, evaluation, *value, error);
}

static bool open_repeat(TgWalk *walk, TgError *error) {
  const TgStatement *repeat = &walk->schedule->statement[walk->next];
  int64_t count;
  if (!evaluate(walk, repeat->value, walk->variable, &count, error)) return false;
  if (count < 0)
    return tg_error_set(error, repeat->line, walk->names->code_column[repeat->value],
                        "a repeat of %lld times, expected 0 or more", (long long)count);
  if (count == 0) {
    walk->next = repeat->end;
    return true;
  }
  walk->open[walk->depth] = (uint16_t)walk->next;
  walk->count[walk->depth] = count;
  walk->variable[TG_VARIABLE_LOOP + walk->depth] = 0;
  walk->depth++;
  walk->next++;
  return true;
}

/* At the end of the innermost repeat's body: begin it again, or leave it. */
static bool close_repeat(TgWalk *walk) {
  if (walk->depth == 0) return false;
  int innermost = walk->depth - 1;
  const TgStatement *repeat = &walk->schedule->statement[walk->open[innermost]];
  if (walk->next < repeat->end) return false;
  if (++walk->variable[TG_VARIABLE_LOOP + innermost] < walk->count[innermost]) {
    walk->next = walk->open[innermost] + 1;
  } else {
    walk->variable[TG_VARIABLE_LOOP + innermost] = 0;
    walk->next = repeat->end;
    walk->depth--;
  }
  return true;
}

static void open_step(TgWalk *walk) {
  walk->group = walk->next;
  walk->step_end = walk->schedule->statement[walk->next].end;
  walk->step++;
  walk->next++;
}

static TgProgress too_idle(const TgWalk *walk, TgError *error) {
  int32_t line = walk->depth > 0 ? walk->schedule->statement[walk->open[walk->depth - 1]].line : 0;
  tg_error_set(error, line, 1, "%d repetitions in a row execute no statement, expected fewer", MOST_IDLE);
  if (error) error->cause = TG_CAUSE_MEMORY;
  return TG_PROGRESS_ERROR;
}

static TgProgress too_long(const TgWalk *walk, TgError *error) {
  int32_t line = walk->depth > 0 ? walk->schedule->statement[walk->open[0]].line : 0;
  tg_error_set(error, line, 1, "more than %d statements are executed, counting repetitions; expected fewer",
               TG_MAX_EXECUTED);
  if (error) error->cause = TG_CAUSE_MEMORY;
  return TG_PROGRESS_ERROR;
}

TgProgress tg_walk_next(TgWalk *walk, TgError *error) {
  for (int idle = 0;; idle++) {
    if (idle > MOST_IDLE) return too_idle(walk, error);
    /* Leave the step before its repeat closes, so that each repetition opens it anew; a repeat inside the step closes
     * at or before the step's end and jumps back into it. */
    if (close_repeat(walk)) continue;
    if (walk->step_end >= 0 && (walk->next >= walk->step_end || walk->next < walk->group)) walk->step_end = -1;
    if (walk->next >= walk->schedule->statements) return TG_PROGRESS_END;
    const TgStatement *statement = &walk->schedule->statement[walk->next];
    if (statement->op == TG_OP_REPEAT) {
      if (!open_repeat(walk, error)) return TG_PROGRESS_ERROR;
    } else if (statement->op == TG_OP_STEP) {
      open_step(walk);
    } else if (walk->executed == TG_MAX_EXECUTED) {
      return too_long(walk, error);
    } else {
      walk->statement = walk->next++;
      walk->executed++;
      if (walk->step_end < 0) {
        walk->step++;
        walk->group = walk->statement;
      }
      return TG_PROGRESS_MORE;
    }
  }
}

/* From the first statement to the last, or to a failure. */
static TgProgress walk_through(TgWalk *walk, const TgSchedule *schedule, const TgScheduleNames *names, TgError *error) {
  TgProgress progress = TG_PROGRESS_MORE;
  tg_walk_init(walk, schedule, names);
  while (progress == TG_PROGRESS_MORE) progress = tg_walk_next(walk, error);
  return progress;
}

bool tg_walk_ends(const TgSchedule *schedule, const TgScheduleNames *names, TgError *error) {
  TgWalk walk;
  return walk_through(&walk, schedule, names, error) == TG_PROGRESS_END || error->cause != TG_CAUSE_MEMORY;
}

const char *tg_walk_label(const TgWalk *walk) {
  return walk->group < 0 ? "" : tg_name(walk->names, walk->names->label[walk->group]);
}

const char *tg_walk_note(const TgWalk *walk) {
  return walk->group < 0 ? "" : tg_name(walk->names, walk->names->note[walk->group]);
}

int64_t tg_walk_count_steps(const TgSchedule *schedule, const TgScheduleNames *names, TgError *error) {
  TgWalk walk;
  if (walk_through(&walk, schedule, names, error) == TG_PROGRESS_END) return walk.step;
  return walk.executed < TG_MAX_EXECUTED ? walk.step + 1 : -1;
}

int64_t tg_walk_count_statements(const TgSchedule *schedule, const TgScheduleNames *names) {
  TgWalk walk;
  walk_through(&walk, schedule, names, NULL);
  return walk.executed;
}

static bool slot_index(const TgWalk *walk, TgSlot slot, const int64_t *variable, int32_t *index, TgError *error) {
  int64_t value = 0;
  *index = 0;
  if (!slot.index) return true;
  if (!evaluate(walk, slot.index, variable, &value, error)) return false;
  if (value < 0 || value >= TG_MAX_ARRAY)
    return tg_error_set(error, walk->schedule->statement[walk->statement].line, walk->names->code_column[slot.index],
                        "slot %s[%lld], expected an index from 0 to %d",
                        tg_name(walk->names, walk->names->buffer[slot.buffer]), (long long)value, TG_MAX_ARRAY - 1);
  *index = (int32_t)value;
  return true;
}

static bool holds(const TgWalk *walk, const int64_t *variable, bool *takes_part, TgError *error) {
  int64_t value = 1;
  TgExpression where = walk->schedule->statement[walk->statement].where;
  if (where && !evaluate(walk, where, variable, &value, error)) return false;
  *takes_part = value != 0;
  return true;
}

static bool receiver(const TgWalk *walk, const int64_t *variable, int64_t *to, TgError *error) {
  const TgSchedule *schedule = walk->schedule;
  const TgStatement *statement = &schedule->statement[walk->statement];
  int64_t coordinate;
  *to = 0;
  for (int c = 0; c < schedule->dims; c++) {
    if (!evaluate(walk, statement->to[c], variable, &coordinate, error)) return false;
    *to = *to * schedule->extent[c] + tg_floor_remainder(coordinate, schedule->extent[c]);
  }
  return true;
}

bool tg_walk_local(const TgWalk *walk, int64_t processor, TgLocal *local, TgError *error) {
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  int64_t variable[TG_LOCAL_VARIABLES];
  memcpy(variable, walk->variable, sizeof variable);
  tg_schedule_coordinates(walk->schedule, processor, variable);
  if (!holds(walk, variable, &local->takes_part, error)) return false;
  if (!local->takes_part) return true;
  local->to = processor;
  if (tg_op_traits(statement->op)->is_direct && !receiver(walk, variable, &local->to, error)) return false;
  local->other = 0;
  return slot_index(walk, statement->source, variable, &local->source, error) &&
         (statement->op != TG_OP_MULTIPLY || slot_index(walk, statement->other, variable, &local->other, error)) &&
         slot_index(walk, statement->target, variable, &local->target, error);
}

int64_t tg_walk_lines(const TgWalk *walk) {
  const TgSchedule *schedule = walk->schedule;
  return tg_schedule_processors(schedule) / schedule->extent[schedule->statement[walk->statement].axis];
}

bool tg_walk_line(const TgWalk *walk, int64_t number, TgLine *line, bool *takes_part, TgError *error) {
  const TgSchedule *schedule = walk->schedule;
  const TgStatement *statement = &schedule->statement[walk->statement];
  int64_t variable[TG_LOCAL_VARIABLES], root = 0;
  line->length = schedule->extent[statement->axis];
  line->stride = 1;
  for (int c = statement->axis + 1; c < schedule->dims; c++) line->stride *= schedule->extent[c];
  line->base = number / line->stride * line->stride * line->length + number % line->stride;
  memcpy(variable, walk->variable, sizeof variable);
  tg_schedule_coordinates(schedule, line->base, variable);
  if (!holds(walk, variable, takes_part, error)) return false;
  if (!*takes_part) return true;
  if (statement->value && !evaluate(walk, statement->value, variable, &root, error)) return false;
  line->root = (int32_t)tg_floor_remainder(root, line->length);
  return slot_index(walk, statement->source, variable, &line->source, error) &&
         slot_index(walk, statement->target, variable, &line->target, error);
}

#include "schedule.h"

#include "expression.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PLACED = 4 * TG_MAX_PROCESSORS }; /* a few seconds: `for t in 10**12` would go on for hours */

int64_t tg_schedule_processors(const TgSchedule *schedule) {
  int64_t processors = 1;
  for (int c = 0; c < schedule->dims; c++) processors *= schedule->extent[c];
  return processors;
}

/* Extents of 32 bits and TG_MAX_DIMS of them fit, in both. */
TgText tg_schedule_grid_text(const TgSchedule *schedule) {
  TgText text = {""};
  size_t used = 0;
  for (int c = 0; c < schedule->dims; c++)
    used += (size_t)snprintf(text.s + used, sizeof text.s - used, "%s%d", c ? "x" : "", schedule->extent[c]);
  return text;
}

TgText tg_schedule_processor_text(const TgSchedule *schedule, int64_t rank) {
  int64_t coordinate[TG_MAX_DIMS];
  TgText text = {""};
  size_t used = 0;
  tg_schedule_coordinates(schedule, rank, coordinate);
  for (int c = 0; c < schedule->dims; c++)
    used += (size_t)snprintf(text.s + used, sizeof text.s - used, "%s%d", c ? ", " : "(", (int)coordinate[c]);
  snprintf(text.s + used, sizeof text.s - used, ")");
  return text;
}

static void factor_shape(bool left, bool transposed, int64_t m, int64_t n, int64_t k, int64_t *rows, int64_t *columns) {
  int64_t outer = left ? m : n;
  bool outer_first = left != transposed;
  *rows = outer_first ? outer : k;
  *columns = outer_first ? k : outer;
}

void tg_schedule_matrix_shape(const TgSchedule *schedule, TgMatrixName matrix, int64_t m, int64_t n, int64_t k,
                              int64_t *rows, int64_t *columns) {
  const TgComputes *computes = &schedule->computes;
  *rows = *columns = 0;
  if (matrix == TG_MATRIX_C) {
    *rows = m;
    *columns = n;
  } else if (computes->left == matrix) {
    factor_shape(true, computes->left_transposed, m, n, computes->right == TG_MATRICES ? n : k, rows, columns);
  } else if (computes->right == matrix) {
    factor_shape(false, computes->right_transposed, m, n, k, rows, columns);
  }
}

bool tg_bindings_grid(TgBindings *bindings, const char *text, TgError *error) {
  const char *at = text;
  bindings->dims = 0;
  for (;;) {
    char *end;
    long long extent = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : 0;
    if (extent < 1 || extent > TG_MAX_PROCESSORS)
      return tg_error_set(error, 0, 0, "grid `%.*s`: expected extents from 1 to %d joined by x, as in 4x4",
                          tg_text_fit(text, 60), text, TG_MAX_PROCESSORS);
    if (bindings->dims == TG_MAX_DIMS)
      return tg_error_set(error, 0, 0, "grid `%.*s`: expected at most %d extents", tg_text_fit(text, 60), text,
                          TG_MAX_DIMS);
    bindings->grid[bindings->dims++] = extent;
    if (*end == '\0') return true;
    at = *end == 'x' || *end == 'X' ? end + 1 : "";
  }
}

bool tg_bindings_set(TgBindings *bindings, const char *name, int64_t value, TgError *error) {
  int at = 0;
  if (strlen(name) >= TG_NAME_LENGTH || !*name)
    return tg_error_set(error, 0, 0, "parameter name `%.*s`: expected 1 to %d characters", tg_text_fit(name, 40), name,
                        TG_NAME_LENGTH - 1);
  while (at < bindings->count && strcmp(bindings->set[at].name, name) != 0) at++;
  if (at == TG_MAX_PARAMETERS) return tg_error_set(error, 0, 0, "more than %d parameters set", TG_MAX_PARAMETERS);
  if (at == bindings->count) bindings->count++;
  strcpy(bindings->set[at].name, name);
  bindings->set[at].value = value;
  return true;
}

bool tg_bindings_parse(TgBindings *bindings, const char *text, TgError *error) {
  const int shown = tg_text_fit(text, 60);
  const char *sign = strchr(text, '=');
  char name[2 * TG_NAME_LENGTH], *end;
  if (!sign || sign == text)
    return tg_error_set(error, 0, 0, "`%.*s`: expected a parameter and its value, as in c=2", shown, text);
  const long long value = strtoll(sign + 1, &end, 10);
  if (end == sign + 1 || *end || isspace((unsigned char)sign[1]))
    return tg_error_set(error, 0, 0, "`%.*s`: expected a whole number after =", shown, text);
  if (value == INT64_MIN || value == INT64_MAX) /* what strtoll() makes of all beyond; errno is not in the page's C */
    return tg_error_set(error, 0, 0, "`%.*s`: the number is too large or too small", shown, text);
  snprintf(name, sizeof name, "%.*s", sign - text < shown ? (int)(sign - text) : shown, text);
  for (int i = 0; i < bindings->count; i++)
    if (strcmp(bindings->set[i].name, name) == 0)
      return tg_error_set(error, 0, 0, "`%s` is set twice; give it one value", name);
  return tg_bindings_set(bindings, name, value, error);
}

void tg_placing_init(TgPlacing *placing, const TgSchedule *schedule) {
  memset(placing, 0, sizeof *placing);
  placing->schedule = schedule;
}

static bool evaluate(const TgPlacing *placing, const TgScheduleNames *names, TgExpression expression, int64_t *value,
                     TgError *error) {
  *value = 0;
  if (!expression) return true;
  int alone = placing->schedule->code[expression] - TG_CODE_VARIABLE; /* most are one coordinate */
  if (alone >= 0 && alone < TG_LOCAL_VARIABLES && placing->schedule->code[expression + 1] == TG_CODE_END) {
    *value = placing->variable[alone];
    return true;
  }
  TgEvaluation evaluation = tg_expression_evaluate(placing->schedule, expression, placing->variable, value);
  if (evaluation == TG_EVALUATION_OK) return true;
  return tg_error_set(error, names->code_line[*value], names->code_column[*value], "%s",
                      tg_evaluation_text(evaluation));
}

/* Enters the next placement: all its variables at 0. Returns 0 where none is left. */
static int enter(TgPlacing *placing, const TgScheduleNames *names, TgError *error) {
  const TgSchedule *schedule = placing->schedule;
  if (placing->placement >= schedule->placements) return 0;
  const TgPlacement *placement = &schedule->placement[placing->placement];
  memset(placing->variable, 0, sizeof placing->variable);
  placing->count = 1;
  if (placement->count && !evaluate(placing, names, placement->count, &placing->count, error)) return -1;
  int64_t blocks = placing->count;
  for (int c = 0; c < schedule->dims; c++)
    if (placing->count <= MOST_PLACED && placement->ranges >> c & 1) blocks *= schedule->extent[c];
  if (blocks < 0 || blocks > MOST_PLACED) {
    tg_error_set(error, placement->line, 0, "a placement of %lld blocks, expected 0 to %d", (long long)blocks,
                 MOST_PLACED);
    return -1;
  }
  placing->inside = true;
  return 1;
}

/* Counts the ranging variables on like an odometer; false when it has run over. */
static bool count_on(TgPlacing *placing) {
  const TgSchedule *schedule = placing->schedule;
  if (++placing->variable[TG_VARIABLE_LOOP] < placing->count) return true;
  placing->variable[TG_VARIABLE_LOOP] = 0;
  for (int c = schedule->dims - 1; c >= 0; c--) {
    if (!(schedule->placement[placing->placement].ranges >> c & 1)) continue;
    if (++placing->variable[c] < schedule->extent[c]) return true;
    placing->variable[c] = 0;
  }
  return false;
}

static bool index_fits(const TgPlacement *placement, const char *what, int64_t value, int64_t limit, TgError *error) {
  return (value >= 0 && value < limit) ||
         tg_error_set(error, placement->line, 0, "%s %lld of a placed block, expected 0 to %lld", what,
                      (long long)value, (long long)limit - 1);
}

static bool locate(const TgPlacing *placing, const TgScheduleNames *names, TgPlaced *placed, TgError *error) {
  const TgSchedule *schedule = placing->schedule;
  const TgPlacement *placement = &schedule->placement[placing->placement];
  int64_t row, column, index, at;
  if (!evaluate(placing, names, placement->row, &row, error) ||
      !evaluate(placing, names, placement->column, &column, error) ||
      !evaluate(placing, names, placement->index, &index, error))
    return false;
  if (!index_fits(placement, "row", row, TG_MAX_PROCESSORS, error) ||
      !index_fits(placement, "column", column, TG_MAX_PROCESSORS, error) ||
      !index_fits(placement, "slot", index, TG_MAX_ARRAY, error))
    return false;
  placed->processor = 0;
  for (int c = 0; c < schedule->dims; c++) {
    if (!evaluate(placing, names, placement->at[c], &at, error)) return false;
    placed->processor = placed->processor * schedule->extent[c] + tg_floor_remainder(at, schedule->extent[c]);
  }
  placed->matrix = placement->matrix;
  placed->row = (int32_t)row;
  placed->column = (int32_t)column;
  placed->buffer = placement->buffer;
  placed->index = (int32_t)index;
  return true;
}

int tg_placing_next(TgPlacing *placing, const TgScheduleNames *names, TgPlaced *placed, TgError *error) {
  for (;;) {
    if (!placing->inside) {
      int entered = enter(placing, names, error);
      if (entered <= 0) return entered;
    } else if (!count_on(placing)) {
      placing->inside = false;
      placing->placement++;
      continue;
    }
    if (placing->count == 0) {
      placing->inside = false;
      placing->placement++;
      continue;
    }
    return locate(placing, names, placed, error) ? 1 : -1;
  }
}

#include "block-text.h"

static const char matrix_letter[TG_MATRICES] = {'A', 'B', 'C'};

TgBlockName tg_block_name_of(const TgValue *value) {
  if (value == NULL) return (TgBlockName){.kind = TG_VALUE_EMPTY};
  return (TgBlockName){.kind = value->kind,
                       .matrix = value->kind == TG_VALUE_SUM ? TG_MATRIX_C : value->matrix,
                       .transposed = value->transposed,
                       .twice = value->kind == TG_VALUE_SUM && value->twice >= 0,
                       .row = value->row,
                       .column = value->column,
                       .terms = value->terms};
}

bool tg_block_name_same(const TgBlockName *a, const TgBlockName *b) {
  return a->kind == b->kind && a->matrix == b->matrix && a->transposed == b->transposed && a->row == b->row &&
         a->column == b->column;
}

/* U+2080 SUBSCRIPT ZERO and the nine after it. */
static void append_subscript(GString *text, int32_t digit) {
  g_string_append_unichar(text, 0x2080 + (gunichar)digit);
}

void tg_block_name_append(GString *text, const TgBlockName *block) {
  if (block->kind == TG_VALUE_EMPTY) return;
  if (block->kind == TG_VALUE_ZERO) {
    g_string_append_c(text, '0');
    return;
  }
  g_string_append_c(text, matrix_letter[block->matrix]);
  if (block->row < 10 && block->column < 10) {
    append_subscript(text, block->row);
    append_subscript(text, block->column);
  } else {
    g_string_append_printf(text, "%d,%d", block->row, block->column);
  }
  if (block->transposed) g_string_append_c(text, '\'');
}

void tg_factor_append(GString *text, const TgBlockName *block, bool transposed) {
  tg_block_name_append(text, block);
  if (transposed) g_string_append_c(text, '\'');
}

static void append_coordinates(GString *text, const TgSchedule *schedule, int64_t rank, char separator) {
  int64_t coordinate[TG_MAX_DIMS];
  tg_schedule_coordinates(schedule, rank, coordinate);
  for (int c = 0; c < schedule->dims; c++) {
    if (c > 0) g_string_append_c(text, separator);
    g_string_append_printf(text, "%" G_GINT64_FORMAT, coordinate[c]);
  }
}

void tg_processor_append(GString *text, const TgSchedule *schedule, int64_t rank) {
  g_string_append(text, "P(");
  append_coordinates(text, schedule, rank, ',');
  g_string_append_c(text, ')');
}

void tg_processor_id_append(GString *text, const TgSchedule *schedule, int64_t rank) {
  g_string_append(text, "p-");
  append_coordinates(text, schedule, rank, '-');
}

void tg_message_id_append(GString *text, int64_t step, int64_t number) {
  g_string_append_printf(text, "m-%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT, step, number);
}

void tg_count_append(GString *text, int64_t count, const char *one, const char *many) {
  g_string_append_printf(text, "%" G_GINT64_FORMAT " %s", count, count == 1 ? one : many);
}

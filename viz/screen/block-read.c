/* Names of processors and blocks on a terminal, and as a person types them. */
#include "paper.h"

#include <string.h>

enum { SUBSCRIPT_ZERO = 0x2080 };

void tg_paper_processor(GString *text, const TgSchedule *schedule, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, schedule, processor);
  g_string_append(text, name->str + 1);
}

/* With 0 to 9 for ₀ to ₉, and without the characters that are left out. */
static void append_plain(GString *text, const char *name, const char *left_out) {
  for (const char *at = name; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (c < 0x80 && strchr(left_out, (int)c)) continue;
    g_string_append_unichar(text, c >= SUBSCRIPT_ZERO && c < SUBSCRIPT_ZERO + 10 ? '0' + c - SUBSCRIPT_ZERO : c);
  }
}

void tg_paper_block(const TgPaper *paper, GString *text, const TgBlockName *block) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_block_name_append(name, block);
  if (paper->unicode)
    g_string_append(text, name->str);
  else
    append_plain(text, name->str, "");
}

static bool read_number(const char *text, int32_t *number) {
  gint64 value;
  if (!g_ascii_string_to_signed(text, 10, 0, INT32_MAX, &value, NULL)) return false;
  *number = (int32_t)value;
  return true;
}

bool tg_block_name_read(const char *text, TgBlockName *block) {
  if (!g_utf8_validate(text, -1, NULL)) return false;
  g_autoptr(GString) name = g_string_new(NULL);
  append_plain(name, text, " ()");
  const char *plain = name->str, letter = g_ascii_toupper(plain[0]);
  *block = (TgBlockName){.kind = TG_VALUE_INPUT, .matrix = (uint8_t)(letter - 'A')};
  if (letter < 'A' || letter > 'C') return false;
  g_auto(GStrv) sides = g_strsplit(plain + 1, ",", 2);
  if (sides[0] && sides[1]) return read_number(sides[0], &block->row) && read_number(sides[1], &block->column);
  if (name->len != 3 || !g_ascii_isdigit(plain[1]) || !g_ascii_isdigit(plain[2])) return false;
  block->row = plain[1] - '0';
  block->column = plain[2] - '0';
  return true;
}

bool tg_block_name_follows(const TgBlockName *block, const TgBlockName *followed) {
  return (block->kind == TG_VALUE_INPUT || block->kind == TG_VALUE_SUM) && block->matrix == followed->matrix &&
         block->row == followed->row && block->column == followed->column;
}

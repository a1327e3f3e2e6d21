#include "paper.h"

#include "palette.h"

#include <stdarg.h>

TgRow tg_row_new(void) {
  return (TgRow){.text = g_string_new(NULL)};
}

void tg_row_clear(TgRow *row) {
  g_string_free(row->text, TRUE);
}

/* Okabe and Ito's colours themselves: of middle lightness, so that they read on a dark terminal and on a light one. */
static const char *colour_of(unsigned look) {
  unsigned plain = look & 15;
  return plain >= TG_LOOK_A && plain <= TG_LOOK_C ? tg_matrix_style[plain - TG_LOOK_A].line : NULL;
}

static unsigned channel(const char *colour, int at) {
  return (unsigned)(g_ascii_xdigit_value(colour[at]) * 16 + g_ascii_xdigit_value(colour[at + 1]));
}

/* The nearest of the 6 levels 0, 95, 135, 175, 215, 255. */
static unsigned level(unsigned value) {
  return value < 48 ? 0 : value < 115 ? 1 : (value - 35) / 40;
}

static void append_colour(GString *text, const TgPaper *paper, unsigned look) {
  const char *colour = colour_of(look);
  if (paper->kind < TG_PAPER_256) return;
  if ((look & 15) == TG_LOOK_BAD) g_string_append(text, ";31");
  if (!colour) return;
  unsigned red = channel(colour, 1), green = channel(colour, 3), blue = channel(colour, 5);
  if (paper->kind == TG_PAPER_TRUE)
    g_string_append_printf(text, ";38;2;%u;%u;%u", red, green, blue);
  else
    g_string_append_printf(text, ";38;5;%u", 16 + 36 * level(red) + 6 * level(green) + level(blue));
}

/* What came in is bold and underlined, what is followed reversed: to be seen without colours, too. */
static void begin_look(GString *text, const TgPaper *paper, unsigned look) {
  unsigned plain = look & 15;
  g_string_append(text, "\033[0");
  if (plain == TG_LOOK_TITLE || plain == TG_LOOK_BAD) g_string_append(text, ";1");
  if (plain == TG_LOOK_FAINT) g_string_append(text, ";2");
  if (look & TG_LOOK_NEW) g_string_append(text, ";1;4");
  if (look & TG_LOOK_FOLLOWED) g_string_append(text, ";7");
  append_colour(text, paper, look);
  g_string_append_c(text, 'm');
}

static int columns_of(gunichar c) {
  return g_unichar_iszerowidth(c) ? 0 : g_unichar_iswide(c) ? 2 : 1;
}

int tg_text_columns(const char *text) {
  int columns = 0;
  for (const char *at = text; *at; at = g_utf8_next_char(at)) columns += columns_of(g_utf8_get_char(at));
  return columns;
}

/* A terminal that is not told to be of Unicode shows a question mark for what it could not. */
static void append_character(TgRow *row, const TgPaper *paper, gunichar c) {
  if (g_unichar_iscntrl(c) || (!paper->unicode && c > 126)) c = '?';
  g_string_append_unichar(row->text, c);
  row->width += columns_of(c);
}

void tg_row_add(TgRow *row, const TgPaper *paper, unsigned look, int columns, const char *text) {
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  bool whole = tg_text_columns(valid) <= columns, escapes = look && *valid && paper->kind != TG_PAPER_PLAIN;
  int last = row->width + columns - !whole;
  if (columns <= 0) return;
  if (escapes) begin_look(row->text, paper, look);
  for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    if (row->width + columns_of(c) > last) break;
    append_character(row, paper, c);
  }
  if (!whole) append_character(row, paper, paper->unicode ? 0x2026 : '~');
  if (escapes) g_string_append(row->text, "\033[0m");
}

void tg_row_printf(TgRow *row, const TgPaper *paper, unsigned look, int columns, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  tg_row_add(row, paper, look, columns, text);
}

void tg_row_pad(TgRow *row, int columns) {
  for (; row->width < columns; row->width++) g_string_append_c(row->text, ' ');
}

void tg_word_add(GArray *words, unsigned look, bool joined, const char *text) {
  TgWord word = {.look = look, .joined = joined};
  g_utf8_strncpy(word.text, text, MIN(g_utf8_strlen(text, -1), 14));
  g_array_append_val(words, word);
}

GArray *tg_rows_new(void) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(TgRow));
  g_array_set_clear_func(rows, (GDestroyNotify)(void (*)(void))tg_row_clear);
  return rows;
}

TgRow *tg_rows_add(GArray *rows) {
  TgRow row = tg_row_new();
  g_array_append_val(rows, row);
  return &g_array_index(rows, TgRow, rows->len - 1);
}

/* Columns of the word and of those that are joined to it. */
static int joined_columns(const GArray *words, guint first) {
  int columns = tg_text_columns(g_array_index(words, TgWord, first).text);
  for (guint w = first + 1; w < words->len && g_array_index(words, TgWord, w).joined; w++)
    columns += tg_text_columns(g_array_index(words, TgWord, w).text);
  return columns;
}

GArray *tg_words_wrap(const GArray *words, const TgPaper *paper, int columns) {
  GArray *rows = tg_rows_new();
  for (guint w = 0; w < words->len; w++) {
    const TgWord *word = &g_array_index(words, TgWord, w);
    TgRow *row = rows->len ? &g_array_index(rows, TgRow, rows->len - 1) : NULL;
    if (!row || (!word->joined && row->width + 1 + joined_columns(words, w) > columns))
      row = tg_rows_add(rows);
    else if (!word->joined)
      tg_row_pad(row, row->width + 1);
    tg_row_add(row, paper, word->look, columns - row->width, word->text);
  }
  return rows;
}

char **tg_text_rows(const char *text, int columns) {
  GPtrArray *rows = g_ptr_array_new();
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  g_autoptr(GString) row = g_string_new(NULL);
  for (char **word = words; *word; word++) {
    if (row->len && tg_text_columns(row->str) + 1 + tg_text_columns(*word) > columns) {
      g_ptr_array_add(rows, g_strdup(row->str));
      g_string_truncate(row, 0);
    }
    if (row->len) g_string_append_c(row, ' ');
    g_string_append(row, *word);
  }
  if (row->len) g_ptr_array_add(rows, g_strdup(row->str));
  g_ptr_array_add(rows, NULL);
  return (char **)g_ptr_array_free(rows, FALSE);
}

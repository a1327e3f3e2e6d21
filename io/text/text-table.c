#include "text-table.h"
#include "text-units.h"

#include <string.h>

struct TgTable {
  const char *align;
  guint columns;
  GPtrArray *cells;
};

TgTable *tg_table_new(const char *align) {
  TgTable *table = g_new0(TgTable, 1);
  table->align = align;
  table->columns = (guint)strlen(align);
  table->cells = g_ptr_array_new_with_free_func(g_free);
  return table;
}

void tg_table_free(TgTable *table) {
  g_ptr_array_free(table->cells, TRUE);
  g_free(table);
}

void tg_table_add(TgTable *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(table->cells, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

void tg_table_add_row(TgTable *table, const char *cells) {
  g_auto(GStrv) texts = g_strsplit(cells, "|", -1);
  for (char **text = texts; *text; text++) tg_table_add(table, "%s", *text);
}

void tg_table_add_time(TgTable *table, double seconds) {
  tg_table_add(table, "%s", tg_time_text(seconds).s);
}

void tg_table_add_fact(TgTable *table, const char *name, const char *value, const char *format, ...) {
  va_list arguments;
  tg_table_add(table, "%s", name);
  tg_table_add(table, "%s", value);
  va_start(arguments, format);
  g_ptr_array_add(table->cells, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

static int width_of(const TgTable *table, guint column) {
  glong width = 0;
  for (guint i = column; i < table->cells->len; i += table->columns)
    width = MAX(width, g_utf8_strlen(table->cells->pdata[i], -1));
  return (int)width;
}

/* Appends cell `i`, padded; no spaces at the end of a line. */
static void append_cell(GString *line, const TgTable *table, guint i, int width) {
  const char *cell = table->cells->pdata[i];
  guint column = i % table->columns;
  int padding = width - (int)g_utf8_strlen(cell, -1);
  bool right = table->align[column] == 'r';
  if (right) g_string_append_printf(line, "%*s", padding, "");
  g_string_append(line, cell);
  if (column + 1 == table->columns) return;
  g_string_append_printf(line, "%*s", (right ? 0 : padding) + 2, "");
}

char **tg_table_lines(const TgTable *table) {
  g_autofree int *width = g_new(int, table->columns);
  GPtrArray *lines = g_ptr_array_new();
  for (guint column = 0; column < table->columns; column++) width[column] = width_of(table, column);
  for (guint row = 0; row < table->cells->len; row += table->columns) {
    GString *line = g_string_new(NULL);
    for (guint column = 0; column < table->columns && row + column < table->cells->len; column++)
      append_cell(line, table, row + column, width[column]);
    while (line->len && line->str[line->len - 1] == ' ') g_string_truncate(line, line->len - 1);
    g_ptr_array_add(lines, g_string_free(line, FALSE));
  }
  g_ptr_array_add(lines, NULL);
  return (char **)g_ptr_array_free(lines, FALSE);
}

#include "page.h"

#include <math.h>
#include <string.h>

enum { LINE = 100 };

struct TgPage {
  GArray *parts; /* TgPagePart */
};

static void clear_part(gpointer data) {
  TgPagePart *part = data;
  g_free(part->text);
  if (part->table) tg_table_free(part->table);
}

TgPage *tg_page_new(void) {
  TgPage *page = g_new0(TgPage, 1);
  page->parts = g_array_new(FALSE, TRUE, sizeof(TgPagePart));
  g_array_set_clear_func(page->parts, clear_part);
  return page;
}

void tg_page_free(TgPage *page) {
  g_array_unref(page->parts);
  g_free(page);
}

static void append(TgPage *page, TgPagePart part) {
  g_array_append_val(page->parts, part);
}

void tg_page_add(TgPage *page, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(page, (TgPagePart){.text = g_strdup_vprintf(format, arguments)});
  va_end(arguments);
}

void tg_page_paragraph(TgPage *page, int indent, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  GString *lines = g_string_new(NULL);
  glong column = 0;
  for (char **word = words; *word; word++) {
    glong width = g_utf8_strlen(*word, -1);
    bool fits = column > 0 && column + 1 + width <= LINE;
    if (column > 0 && !fits) g_string_append_c(lines, '\n');
    g_string_append_printf(lines, "%*s%s", fits ? 1 : indent, "", *word);
    column = fits ? column + 1 + width : indent + width;
  }
  g_string_append_c(lines, '\n');
  append(page, (TgPagePart){.text = g_string_free(lines, FALSE)});
}

TgTable *tg_page_table(TgPage *page, const char *align, int indent, const char *const *heads) {
  TgTable *table = tg_table_new(align);
  for (size_t h = 0; h < strlen(align); h++) tg_table_add(table, "%s", heads[h]);
  append(page, (TgPagePart){.table = table, .indent = indent});
  return table;
}

TgTable *tg_page_wide_table(TgPage *page, char align, const char *head, guint columns) {
  g_autofree char *letters = g_strnfill(columns + 1, 'r');
  letters[0] = align;
  TgTable *table = tg_table_new(g_intern_string(letters));
  tg_table_add(table, "%s", head);
  append(page, (TgPagePart){.table = table, .indent = 2});
  return table;
}

void tg_page_number(TgTable *table, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  va_start(arguments, format);
  tg_table_add(table, "%s", isfinite(va_arg(arguments, double)) ? text : "-");
  va_end(arguments);
}

const TgPagePart *tg_page_parts(const TgPage *page, guint *count) {
  *count = page->parts->len;
  return (const TgPagePart *)(void *)page->parts->data;
}

char *tg_page_text(const TgPage *page) {
  GString *text = g_string_new(NULL);
  for (guint p = 0; p < page->parts->len; p++) {
    const TgPagePart *part = &g_array_index(page->parts, TgPagePart, p);
    g_auto(GStrv) lines = part->table ? tg_table_lines(part->table) : NULL;
    if (part->text) g_string_append(text, part->text);
    for (char **line = lines; line && *line; line++) g_string_append_printf(text, "%*s%s\n", part->indent, "", *line);
  }
  return g_string_free(text, FALSE);
}

#include "text-width.h"

#include <stdbool.h>

/* Thousandths of the font size for U+0020 … U+007E: Adobe Font Metrics of Helvetica. */
static const int16_t ascii_width[] = {278,  278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
                                      556,  556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
                                      1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
                                      667,  778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
                                      333,  556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
                                      556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584};

static int character_width(gunichar c) {
  if (c >= 0x20 && c <= 0x7e) return ascii_width[c - 0x20];
  if (c >= 0x2080 && c <= 0x2089) return 400; /* subscript digits, from whichever font has them */
  return c >= 0x2010 && c <= 0x2190 ? 1000 : 600;
}

double tg_text_width(const char *text, double size) {
  double width = 0;
  for (; *text; text = g_utf8_next_char(text)) width += character_width(g_utf8_get_char(text));
  return width * size / 1000;
}

static GPtrArray *wrap(char **words, double size, double width) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  GString *line = g_string_new(NULL);
  for (char **word = words; *word; word++) {
    if (line->len && tg_text_width(line->str, size) + tg_text_width(*word, size) + size / 3 > width) {
      g_ptr_array_add(lines, g_string_free(line, FALSE));
      line = g_string_new(NULL);
    }
    if (line->len) g_string_append_c(line, ' ');
    g_string_append(line, *word);
  }
  g_ptr_array_add(lines, g_string_free(line, FALSE));
  return lines;
}

/* Greedy lines leave a short last one; the same number of lines may do with less width each. */
char **tg_text_wrap(const char *text, double size, double width) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  GPtrArray *lines = wrap(words, size, width);
  double even = tg_text_width(text, size) / lines->len;
  for (double narrow = even; lines->len > 1 && narrow < width; narrow += size) {
    GPtrArray *other = wrap(words, size, narrow);
    bool fits = other->len <= lines->len;
    g_ptr_array_unref(fits ? lines : other);
    if (fits) lines = other;
    if (fits) break;
  }
  g_ptr_array_add(lines, NULL);
  g_ptr_array_set_free_func(lines, NULL);
  return (char **)g_ptr_array_free(lines, FALSE);
}

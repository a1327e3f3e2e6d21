#include "text-lines.h"

#include <string.h>

bool tg_text_lines_fail(TgTextLines *lines, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(lines->error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "%s:%" G_GINT64_FORMAT ": %s", lines->name,
              MAX(lines->number, (int64_t)1), message);
  return false;
}

bool tg_text_lines_expected(TgTextLines *lines, const char *expected, TgWord found) {
  if (found.length == 0) return tg_text_lines_fail(lines, "expected %s, found the end of the line", expected);
  g_autofree char *quoted = tg_io_quote(found.at, found.length);
  return tg_text_lines_fail(lines, "expected %s, found \"%s\"", expected, quoted);
}

bool tg_text_lines_next(TgTextLines *lines) {
  if (lines->next == lines->end) return false;
  const size_t left = (size_t)(lines->end - lines->next);
  const char *stop = memchr(lines->next, '\n', left);
  lines->rest.at = lines->next;
  lines->rest.length = stop ? (size_t)(stop - lines->next) : left;
  lines->next += lines->rest.length + (stop ? 1 : 0);
  lines->number++;
  return true;
}

static void skip_space(TgTextLines *lines) {
  TgWord *rest = &lines->rest;
  while (rest->length && g_ascii_isspace(*rest->at)) {
    rest->at++;
    rest->length--;
  }
}

bool tg_text_lines_next_content(TgTextLines *lines, char mark) {
  while (tg_text_lines_next(lines)) {
    skip_space(lines);
    if (lines->rest.length && *lines->rest.at != mark) return true;
  }
  return false;
}

TgWord tg_text_lines_word(TgTextLines *lines) {
  skip_space(lines);
  TgWord word = {.at = lines->rest.at};
  while (word.length < lines->rest.length && !g_ascii_isspace(word.at[word.length])) word.length++;
  lines->rest.at += word.length;
  lines->rest.length -= word.length;
  return word;
}

bool tg_text_lines_finish(TgTextLines *lines, const char *expected) {
  const TgWord word = tg_text_lines_word(lines);
  return word.length == 0 || tg_text_lines_expected(lines, expected, word);
}

bool tg_word_is(TgWord word, const char *text) {
  return strlen(text) == word.length && g_ascii_strncasecmp(word.at, text, word.length) == 0;
}

#include "text-lines.h"

#include <string.h>

enum { BUFFER_BYTES = TG_LONGEST_LINE + 1 };

TgTextLines tg_text_lines_of(TgByteSource *source, GError **error) {
  return (TgTextLines){.source = source, .error = error, .buffer = g_malloc(BUFFER_BYTES)};
}

void tg_text_lines_clear(TgTextLines *lines) {
  g_clear_pointer(&lines->buffer, g_free);
}

uint64_t tg_text_lines_left(const TgTextLines *lines) {
  const uint64_t left = tg_byte_source_left(lines->source);
  return left == TG_BYTES_UNKNOWN ? left : left + (lines->end - lines->begin);
}

bool tg_text_lines_fail(TgTextLines *lines, const char *format, ...) {
  if (lines->failed) return false;
  lines->failed = true;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_set_error(lines->error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "%s:%" G_GINT64_FORMAT ": %s", lines->source->name,
              MAX(lines->number, (int64_t)1), message);
  return false;
}

bool tg_text_lines_expected(TgTextLines *lines, const char *expected, TgWord found) {
  if (found.length == 0) return tg_text_lines_fail(lines, "expected %s, found the end of the line", expected);
  g_autofree char *quoted = tg_io_quote(found.at, found.length);
  return tg_text_lines_fail(lines, "expected %s, found \"%s\"", expected, quoted);
}

/** Moves the beginning of a line to the front of the buffer and reads what follows it. */
static bool fill(TgTextLines *lines) {
  uint64_t got = 0;
  lines->end -= lines->begin;
  memmove(lines->buffer, lines->buffer + lines->begin, lines->end);
  lines->begin = 0;
  const uint64_t wanted = BUFFER_BYTES - lines->end;
  lines->failed = !tg_byte_source_take(lines->source, lines->buffer + lines->end, wanted, &got, lines->error);
  lines->end += got;
  lines->drained = got < wanted;
  return !lines->failed;
}

/** The end of the line that begins the unread text; NULL where it has no newline. */
static const char *find_newline(const TgTextLines *lines) {
  return memchr(lines->buffer + lines->begin, '\n', lines->end - lines->begin);
}

bool tg_text_lines_next(TgTextLines *lines) {
  if (lines->failed || (!find_newline(lines) && !lines->drained && !fill(lines))) return false;
  const char *stop = find_newline(lines);
  const size_t left = lines->end - lines->begin;
  if (left == 0) return false;
  lines->number++;
  if (!stop && !lines->drained)
    return tg_text_lines_fail(lines, "a line of more than %d bytes, the limit", (int)TG_LONGEST_LINE);
  lines->rest.at = lines->buffer + lines->begin;
  lines->rest.length = stop ? (size_t)(stop - lines->rest.at) : left;
  lines->begin += lines->rest.length + (stop ? 1 : 0);
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
  for (size_t skipped = 0; skipped <= TG_MOST_COMMENTS;) {
    if (!tg_text_lines_next(lines)) return false;
    skipped += lines->rest.length + 1;
    skip_space(lines);
    if (lines->rest.length && *lines->rest.at != mark) return true;
  }
  return tg_text_lines_fail(lines, "more than %d bytes of comments and blank lines in a row, the limit",
                            (int)TG_MOST_COMMENTS);
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

/** @file text-lines.h
 * Private to io/: a text in memory read line by line and word by word, with errors that name the line. */
#ifndef TG_TEXT_LINES_H
#define TG_TEXT_LINES_H

#include "io-error.h"

/** A word of a line; not terminated. */
typedef struct TgWord {
  const char *at;
  size_t length;
} TgWord;

typedef struct TgTextLines {
  const char *name; /**< begins each error message */
  const char *next; /**< the unread text */
  const char *end;
  int64_t number; /**< of the current line, from 1 */
  TgWord rest;    /**< of the current line */
  GError **error;
} TgTextLines;

/** Sets TG_IO_ERROR_BAD_INPUT as "name:line: ...". Always false. */
bool tg_text_lines_fail(TgTextLines *lines, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** "name:line: expected EXPECTED, found WORD" (an empty word: the end of the line). Always false. */
bool tg_text_lines_expected(TgTextLines *lines, const char *expected, TgWord found);

/** Goes to the next line; false at the end of the text, without an error. */
bool tg_text_lines_next(TgTextLines *lines);

/** Goes to the next line that is neither blank nor a comment, which begins with `mark`. */
bool tg_text_lines_next_content(TgTextLines *lines, char mark);

/** Takes the next word of the line; its length is 0 at the end of the line. */
TgWord tg_text_lines_word(TgTextLines *lines);

/** The rest of the line is blank; else an error. */
bool tg_text_lines_finish(TgTextLines *lines, const char *expected);

/** `word` is `text`, upper and lower case alike. */
bool tg_word_is(TgWord word, const char *text);

#endif

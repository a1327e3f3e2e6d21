/** @file text-lines.h
 * Private to io/: a text read line by line and word by word, with errors that name the line. Of the text, a line at a
 * time is in memory; too long a line, and too many comments in a row, are errors: an endless text ends early. */
#ifndef TG_TEXT_LINES_H
#define TG_TEXT_LINES_H

#include "byte-source.h"

enum {
  TG_LONGEST_LINE = (1 << 16) - 1, /**< bytes, without the newline */
  TG_MOST_COMMENTS = 1 << 20       /**< bytes of comments and blank lines in a row */
};

/** A word of a line; not terminated. Until the next line is read. */
typedef struct TgWord {
  const char *at;
  size_t length;
} TgWord;

typedef struct TgTextLines {
  TgByteSource *source;
  char *buffer;
  size_t begin;   /**< of what is in the buffer and not yet read … */
  size_t end;     /**< … and its end */
  bool drained;   /**< nothing comes after the buffer */
  bool failed;    /**< `error` is set; later errors are not */
  int64_t number; /**< of the current line, from 1 */
  TgWord rest;    /**< of the current line */
  GError **error;
} TgTextLines;

/** The source's name begins each error message. Free with tg_text_lines_clear(). */
TgTextLines tg_text_lines_of(TgByteSource *source, GError **error);
void tg_text_lines_clear(TgTextLines *lines);

/** Bytes after the current line, or TG_BYTES_UNKNOWN. */
uint64_t tg_text_lines_left(const TgTextLines *lines);

/** Sets TG_IO_ERROR_BAD_INPUT as "name:line: ...". Always false. */
bool tg_text_lines_fail(TgTextLines *lines, const char *format, ...) G_GNUC_PRINTF(2, 3);

/** "name:line: expected EXPECTED, found WORD" (an empty word: the end of the line). Always false. */
bool tg_text_lines_expected(TgTextLines *lines, const char *expected, TgWord found);

/** Goes to the next line. False at the end of the text, without an error, and where `failed` is set. */
bool tg_text_lines_next(TgTextLines *lines);

/** Goes to the next line that is neither blank nor a comment, which begins with `mark`. False as above. */
bool tg_text_lines_next_content(TgTextLines *lines, char mark);

/** Takes the next word of the line; its length is 0 at the end of the line. */
TgWord tg_text_lines_word(TgTextLines *lines);

/** The rest of the line is blank; else an error. */
bool tg_text_lines_finish(TgTextLines *lines, const char *expected);

/** `word` is `text`, upper and lower case alike. */
bool tg_word_is(TgWord word, const char *text);

#endif

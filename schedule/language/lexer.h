/** @file lexer.h
 * Lines and tokens of a schedule's text. Internal to schedule/. */
#ifndef TG_LEXER_H
#define TG_LEXER_H

#include "schedule.h"

typedef enum TgTokenKind {
  TG_TOKEN_END, /**< of the line */
  TG_TOKEN_NAME,
  TG_TOKEN_NUMBER,
  TG_TOKEN_STRING, /**< text without its quotes */
  TG_TOKEN_SIGN    /**< one of ( ) [ ] , : = + - * / % ' < > and the pairs ** += == != <= >= */
} TgTokenKind;

typedef struct TgToken {
  TgTokenKind kind;
  int32_t column;
  const char *text; /**< not terminated */
  size_t length;
  int64_t number;
} TgToken;

typedef struct TgLexer {
  const char *text;
  size_t length;
  size_t at;       /**< next byte of the current line */
  size_t line_end; /**< end of the current line, without its comment's newline */
  size_t next;     /**< begin of the next line */
  size_t begin;    /**< begin of the current line */
  int32_t line;
  int32_t indent; /**< spaces before the current line's first token */
  bool finished;  /**< no line left */
  TgToken token;  /**< the current token */
} TgLexer;

/** ASCII alone, whatever the locale; the underscore is a letter. */
static inline bool tg_is_digit(char c) {
  return c >= '0' && c <= '9';
}
static inline bool tg_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

void tg_lexer_init(TgLexer *lexer, const char *text, size_t length);
/** Goes to the next line that holds a token, and to its first token. At the end of the text sets `finished`. */
bool tg_lexer_next_line(TgLexer *lexer, TgError *error);
/** Goes to the next token of the line. */
bool tg_lexer_next(TgLexer *lexer, TgError *error);
/** True where the current token is exactly `text`, as a name or a sign. */
bool tg_lexer_is(const TgLexer *lexer, const char *text);
/** True where the current token is a word of the language, which no name may be. */
bool tg_lexer_is_reserved(const TgLexer *lexer);

#endif

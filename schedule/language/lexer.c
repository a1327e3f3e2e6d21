#include "lexer.h"

#include "expression.h"

#include <stdio.h>
#include <string.h>

void tg_lexer_init(TgLexer *lexer, const char *text, size_t length) {
  memset(lexer, 0, sizeof *lexer);
  bool marked = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0; /* the mark that some editors put before UTF-8 */
  lexer->text = text;
  lexer->length = length;
  lexer->next = marked ? 3 : 0;
}

/* Columns count characters, not bytes: UTF-8 continuation bytes do not advance them. */
static int32_t column_of(const TgLexer *lexer, size_t at) {
  int32_t column = 1;
  for (size_t i = lexer->begin; i < at; i++)
    if (((unsigned char)lexer->text[i] & 0xc0) != 0x80) column++;
  return column;
}

static bool bad_byte(const TgLexer *lexer, size_t at, TgError *error) {
  return tg_error_set(error, lexer->line, column_of(lexer, at), "unexpected byte 0x%02x, expected plain text in UTF-8",
                      (unsigned char)lexer->text[at]);
}

/* Bytes of the character at `at`, of which `left` are there; 0 where it is none that a text may hold: broken UTF-8, a
 * control character, or U+FFFE and U+FFFF, which no XML may hold. RFC 3629, section 4. */
static size_t character_bytes(const unsigned char *at, size_t left) {
  unsigned char first = at[0], low = 0x80, high = 0xbf;
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\t' ? 1 : 0;
  size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes > left) return 0;
  if (first == 0xe0) low = 0xa0;
  if (first == 0xed) high = 0x9f;
  if (first == 0xf0) low = 0x90;
  if (first == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < bytes; i++)
    if ((at[i] & 0xc0) != 0x80) return 0;
  bool none = first == 0xef && at[1] == 0xbf && at[2] >= 0xbe;
  return none || (first == 0xc2 && at[1] < 0xa0) ? 0 : bytes;
}

static bool take_line(TgLexer *lexer, TgError *error) {
  lexer->begin = lexer->next;
  lexer->line++;
  const char *newline = memchr(lexer->text + lexer->begin, '\n', lexer->length - lexer->begin);
  size_t end = newline ? (size_t)(newline - lexer->text) : lexer->length;
  lexer->next = newline ? end + 1 : end;
  if (end > lexer->begin && lexer->text[end - 1] == '\r') end--;
  if (end - lexer->begin > TG_MAX_LINE)
    return tg_error_set(error, lexer->line, TG_MAX_LINE + 1, "a line of %zu bytes, expected at most %d",
                        end - lexer->begin, TG_MAX_LINE);
  lexer->line_end = end;
  lexer->at = lexer->begin;
  for (size_t i = lexer->begin, bytes; i < end; i += bytes)
    if (!(bytes = character_bytes((const unsigned char *)lexer->text + i, end - i))) return bad_byte(lexer, i, error);
  return true;
}

bool tg_lexer_next_line(TgLexer *lexer, TgError *error) {
  for (;;) {
    if (lexer->next >= lexer->length) {
      lexer->finished = true;
      lexer->indent = -1;
      lexer->token = (TgToken){.kind = TG_TOKEN_END, .column = 1};
      lexer->line++;
      return true;
    }
    if (!take_line(lexer, error)) return false;
    while (lexer->at < lexer->line_end && lexer->text[lexer->at] == ' ') lexer->at++;
    lexer->indent = (int32_t)(lexer->at - lexer->begin);
    if (lexer->at < lexer->line_end && lexer->text[lexer->at] == '\t')
      return tg_error_set(error, lexer->line, lexer->indent + 1, "a tab in the indentation, expected spaces");
    if (!tg_lexer_next(lexer, error)) return false;
    if (lexer->token.kind != TG_TOKEN_END) return true;
  }
}

static bool take_number(TgLexer *lexer, TgError *error) {
  int64_t value = 0;
  size_t at = lexer->at;
  for (; at < lexer->line_end && tg_is_digit(lexer->text[at]); at++)
    if (tg_multiply_overflows(value, 10, &value) || tg_add_overflows(value, lexer->text[at] - '0', &value))
      return tg_error_set(error, lexer->line, lexer->token.column, "a number that does not fit in 64 bits");
  if (at < lexer->line_end && tg_is_letter(lexer->text[at]))
    return tg_error_set(error, lexer->line, column_of(lexer, at), "a letter in a number, expected a digit or a space");
  lexer->token.kind = TG_TOKEN_NUMBER;
  lexer->token.number = value;
  lexer->at = at;
  return true;
}

static void take_name(TgLexer *lexer) {
  const char *at = lexer->text + lexer->at, *end = lexer->text + lexer->line_end;
  while (at < end && (tg_is_letter(*at) || tg_is_digit(*at))) at++;
  lexer->at = (size_t)(at - lexer->text);
  lexer->token.kind = TG_TOKEN_NAME;
}

static bool take_string(TgLexer *lexer, TgError *error) {
  const char *begin = lexer->text + lexer->at + 1;
  const char *quote = memchr(begin, '"', lexer->line_end - lexer->at - 1);
  if (!quote)
    return tg_error_set(error, lexer->line, lexer->token.column, "a string without its end, expected a closing \"");
  lexer->token.kind = TG_TOKEN_STRING;
  lexer->token.text = begin;
  lexer->token.length = (size_t)(quote - begin);
  lexer->at = (size_t)(quote + 1 - lexer->text);
  return true;
}

static bool take_sign(TgLexer *lexer, TgError *error) {
  static const char *const pairs[] = {"**", "+=", "==", "!=", "<=", ">="};
  const char *at = lexer->text + lexer->at;
  size_t left = lexer->line_end - lexer->at;
  lexer->token.kind = TG_TOKEN_SIGN;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (left >= 2 && memcmp(at, pairs[i], 2) == 0) {
      lexer->at += 2;
      return true;
    }
  if (!memchr("()[],:=+-*/%'<>", *at, 15)) {
    if ((unsigned char)*at >= 0x80) return bad_byte(lexer, lexer->at, error);
    return tg_error_set(error, lexer->line, lexer->token.column, "unexpected `%c`", *at);
  }
  lexer->at++;
  return true;
}

bool tg_lexer_next(TgLexer *lexer, TgError *error) {
  while (lexer->at < lexer->line_end && (lexer->text[lexer->at] == ' ' || lexer->text[lexer->at] == '\t')) lexer->at++;
  const char *begin = lexer->text + lexer->at;
  lexer->token = (TgToken){.kind = TG_TOKEN_END, .column = column_of(lexer, lexer->at), .text = begin};
  if (lexer->at >= lexer->line_end || *begin == '#') return true;
  bool taken = true;
  if (tg_is_digit(*begin))
    taken = take_number(lexer, error);
  else if (tg_is_letter(*begin))
    take_name(lexer);
  else if (*begin == '"')
    return take_string(lexer, error);
  else
    taken = take_sign(lexer, error);
  lexer->token.length = (size_t)(lexer->text + lexer->at - begin);
  return taken;
}

bool tg_lexer_is(const TgLexer *lexer, const char *text) {
  const TgToken *token = &lexer->token;
  return (token->kind == TG_TOKEN_NAME || token->kind == TG_TOKEN_SIGN) && strlen(text) == token->length &&
         memcmp(token->text, text, token->length) == 0;
}

bool tg_lexer_expected(const TgLexer *lexer, const char *expected, TgError *error) {
  const TgToken *token = &lexer->token;
  char found[80];
  if (lexer->finished)
    snprintf(found, sizeof found, "the end of the text");
  else if (token->kind == TG_TOKEN_END)
    snprintf(found, sizeof found, "the end of the line");
  else
    snprintf(found, sizeof found, "%s%.*s%s", token->kind == TG_TOKEN_STRING ? "\"" : "`",
             tg_text_fit(token->text, token->length < 40 ? token->length : 40), token->text,
             token->kind == TG_TOKEN_STRING ? "\"" : "`");
  return tg_error_set(error, lexer->line, token->column, "found %s, expected %s", found, expected);
}

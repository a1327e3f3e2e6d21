#include "parser.h"

#include <stdarg.h>
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
    if ((unsigned char)*at >= 0x80) /* the line is valid UTF-8 */
      return tg_error_set(error, lexer->line, lexer->token.column,
                          "unexpected `%.*s`, expected ASCII; names have letters a to z, digits and _",
                          (int)character_bytes((const unsigned char *)at, left), at);
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

bool tg_lexer_is_reserved(const TgLexer *lexer) {
  static const char *const words[] = {
      "schedule", "grid", "param", "default", "require",   "computes",  "place",        "on",      "as",
      "for",      "in",   "step",  "note",    "repeat",    "move",      "add",          "to",      "into",
      "where",    "and",  "along", "from",    "broadcast", "reduce",    "allgather",    "scatter", "gather",
      "xor",      "log2", "copy",  "zero",    "alltoall",  "transpose", "reducescatter"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (tg_lexer_is(lexer, words[i])) return true;
  return false;
}

bool tg_parser_expected(TgParser *parser, const char *expected) {
  const TgLexer *lexer = &parser->lexer;
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
  return tg_error_set(parser->error, lexer->line, token->column, "found %s, expected %s", found, expected);
}

enum { LIST_BYTES = 200 }; /* of names that are known */

bool tg_parser_next(TgParser *parser) {
  return tg_lexer_next(&parser->lexer, parser->error);
}

TgSuggestion tg_parser_suggestion(const TgParser *parser) {
  const TgToken *token = &parser->lexer.token;
  return tg_suggestion_for(token->text, token->kind == TG_TOKEN_NAME ? token->length : 0);
}

bool tg_parser_meant(TgParser *parser, const TgSuggestion *meant, const char *expected) {
  if (!meant->nearest) return tg_parser_expected(parser, expected);
  return tg_parser_fail(parser, "found `%.*s`; did you mean `%s`?", (int)meant->length, meant->word, meant->nearest);
}

bool tg_parser_fail(TgParser *parser, const char *format, ...) {
  char message[sizeof parser->error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tg_error_set(parser->error, parser->lexer.line, parser->lexer.token.column, "%s", message);
}

bool tg_parser_take(TgParser *parser, const char *text) {
  if (tg_lexer_is(&parser->lexer, text)) return tg_parser_next(parser);
  char expected[40];
  snprintf(expected, sizeof expected, "`%s`", text);
  return tg_parser_expected(parser, expected);
}

bool tg_parser_accept(TgParser *parser, const char *text, bool *accepted) {
  *accepted = tg_lexer_is(&parser->lexer, text);
  return !*accepted || tg_parser_next(parser);
}

bool tg_parser_keep(TgParser *parser, const char *text, size_t length, uint16_t *offset) {
  TgScheduleNames *names = parser->names;
  if (names->text_length + length + 1 > TG_MAX_TEXT)
    return tg_parser_fail(parser, "names, labels and notes of more than %d bytes in all, expected fewer", TG_MAX_TEXT);
  *offset = names->text_length;
  memcpy(names->text + names->text_length, text, length);
  names->text[names->text_length + length] = '\0';
  names->text_length = (uint16_t)(names->text_length + length + 1);
  return true;
}

bool tg_parser_take_name(TgParser *parser, const char *what, uint16_t *offset) {
  const TgToken *token = &parser->lexer.token;
  if (token->kind != TG_TOKEN_NAME) return tg_parser_expected(parser, what);
  if (tg_lexer_is_reserved(&parser->lexer)) return tg_parser_expected(parser, "a name that is not a keyword");
  if (token->length >= TG_NAME_LENGTH)
    return tg_parser_fail(parser, "a name of %zu characters, expected fewer than %d", token->length, TG_NAME_LENGTH);
  return tg_parser_keep(parser, token->text, token->length, offset) && tg_parser_next(parser);
}

bool tg_parser_take_string(TgParser *parser, const char *what, uint16_t *offset) {
  if (parser->lexer.token.kind != TG_TOKEN_STRING) return tg_parser_expected(parser, what);
  return tg_parser_keep(parser, parser->lexer.token.text, parser->lexer.token.length, offset) && tg_parser_next(parser);
}

/* What may follow a complete line, as `where`, is a word at whose place the end was expected. */
bool tg_parser_next_line(TgParser *parser) {
  static const char *const more[] = {"where", "into", "and", "as", "for", "default"};
  if (parser->lexer.token.kind == TG_TOKEN_END) return tg_lexer_next_line(&parser->lexer, parser->error);
  TgSuggestion meant = tg_parser_suggestion(parser);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) tg_suggestion_try(&meant, more[i]);
  if (tg_lexer_is(&parser->lexer, "if")) meant.nearest = "where";
  return tg_parser_meant(parser, &meant, "the end of the line");
}

bool tg_parser_is_name(const TgParser *parser, uint16_t offset) {
  return offset != 0 && parser->lexer.token.kind == TG_TOKEN_NAME &&
         tg_lexer_is(&parser->lexer, tg_name(parser->names, offset));
}

int tg_parser_find_name(const TgParser *parser, const uint16_t *names, int count) {
  for (int n = count - 1; n >= 0; n--)
    if (tg_parser_is_name(parser, names[n])) return n;
  return -1;
}

/* Tries a name, and lists it where there is room. */
static void try_name(const TgParser *parser, uint16_t offset, TgSuggestion *meant, char list[LIST_BYTES]) {
  const char *name = tg_name(parser->names, offset);
  const size_t used = strlen(list);
  const bool fits = used + TG_NAME_LENGTH + 8 < LIST_BYTES;
  tg_suggestion_try(meant, name);
  if (used == 0 || list[used - 1] != '.')
    snprintf(list + used, LIST_BYTES - used, "%s%s", used ? ", " : "", fits ? name : "...");
}

bool tg_parser_unknown_name(TgParser *parser) {
  TgSuggestion meant = tg_parser_suggestion(parser);
  const TgSchedule *schedule = parser->schedule;
  char list[LIST_BYTES] = "", expected[LIST_BYTES + 80];
  for (int v = parser->loops - 1; v >= 0; v--) try_name(parser, parser->loop[v], &meant, list);
  for (int c = 0; c < schedule->dims; c++) try_name(parser, parser->names->axis[c], &meant, list);
  for (int p = 0; p < schedule->parameters; p++) try_name(parser, parser->names->parameter[p], &meant, list);
  tg_suggestion_try(&meant, "log2");
  snprintf(expected, sizeof expected, *list ? "a number or a name declared above: %s" : "a number%s", list);
  return tg_parser_meant(parser, &meant, expected);
}

bool tg_parser_take_axis(TgParser *parser, uint8_t *axis) {
  const int found = tg_parser_find_name(parser, parser->names->axis, parser->schedule->dims);
  *axis = (uint8_t)found;
  if (found >= 0) return tg_parser_next(parser);
  TgSuggestion meant = tg_parser_suggestion(parser);
  char list[LIST_BYTES] = "", expected[LIST_BYTES + 80];
  for (int c = 0; c < parser->schedule->dims; c++) try_name(parser, parser->names->axis[c], &meant, list);
  snprintf(expected, sizeof expected, "a coordinate of the grid: %s", list);
  return tg_parser_meant(parser, &meant, expected);
}

bool tg_parser_is_known(const TgParser *parser) {
  return tg_parser_find_name(parser, parser->names->axis, parser->schedule->dims) >= 0 ||
         tg_parser_find_name(parser, parser->names->parameter, parser->schedule->parameters) >= 0;
}

static bool never_filled(const TgParser *parser, int buffer) {
  const char *name = tg_name(parser->names, parser->names->buffer[buffer]);
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (int b = 0; b < parser->schedule->buffers; b++)
    if (parser->written[b]) tg_suggestion_try(&meant, tg_name(parser->names, parser->names->buffer[b]));
  const char *nearest = meant.nearest;
  return tg_error_set(parser->error, parser->read_line[buffer], parser->read_column[buffer],
                      "nothing ever puts a block into `%s`; %s%s%s", name,
                      nearest ? "did you mean `" : "expected a placed or filled buffer", nearest ? nearest : "",
                      nearest ? "`?" : "");
}

/* A read of a buffer that nothing ever fills is a slip of the pen: said here, with its place, rather than at run time.
 */
static bool check_buffers(TgParser *parser) {
  for (int b = 0; b < parser->schedule->buffers; b++)
    if (parser->read_line[b] && !parser->written[b]) return never_filled(parser, b);
  return true;
}

bool tg_schedule_parse(TgSchedule *schedule, TgScheduleNames *names, const char *text, size_t length, TgError *error) {
  TgError unused;
  TgParser parser = {.schedule = schedule, .names = names, .error = error ? error : &unused};
  memset(schedule, 0, sizeof *schedule);
  memset(names, 0, sizeof *names);
  schedule->version = TG_SCHEDULE_VERSION;
  schedule->code_length = 1;
  names->text_length = 1;
  schedule->computes = (TgComputes){.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  tg_lexer_init(&parser.lexer, text, length);
  return tg_lexer_next_line(&parser.lexer, parser.error) && tg_parser_take_declarations(&parser) &&
         tg_parser_take_statements(&parser) && check_buffers(&parser);
}

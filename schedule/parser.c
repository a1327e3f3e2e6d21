#include "parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool tg_parser_next(TgParser *parser) {
  return tg_lexer_next(&parser->lexer, parser->error);
}

bool tg_parser_expected(TgParser *parser, const char *expected) {
  return tg_lexer_expected(&parser->lexer, expected, parser->error);
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

static bool is_reserved(const TgLexer *lexer) {
  static const char *const words[] = {
      "schedule", "grid", "param", "default", "require",   "computes",  "place",        "on",      "as",
      "for",      "in",   "step",  "note",    "repeat",    "move",      "add",          "to",      "into",
      "where",    "and",  "along", "from",    "broadcast", "reduce",    "allgather",    "scatter", "gather",
      "xor",      "log2", "copy",  "zero",    "alltoall",  "transpose", "reducescatter"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (tg_lexer_is(lexer, words[i])) return true;
  return false;
}

bool tg_parser_take_name(TgParser *parser, const char *what, uint16_t *offset) {
  const TgToken *token = &parser->lexer.token;
  if (token->kind != TG_TOKEN_NAME) return tg_parser_expected(parser, what);
  if (is_reserved(&parser->lexer)) return tg_parser_expected(parser, "a name that is no word of the language");
  if (token->length >= TG_NAME_LENGTH)
    return tg_parser_fail(parser, "a name of %zu characters, expected fewer than %d", token->length, TG_NAME_LENGTH);
  return tg_parser_keep(parser, token->text, token->length, offset) && tg_parser_next(parser);
}

bool tg_parser_take_string(TgParser *parser, const char *what, uint16_t *offset) {
  if (parser->lexer.token.kind != TG_TOKEN_STRING) return tg_parser_expected(parser, what);
  return tg_parser_keep(parser, parser->lexer.token.text, parser->lexer.token.length, offset) && tg_parser_next(parser);
}

bool tg_parser_end_line(TgParser *parser) {
  return parser->lexer.token.kind == TG_TOKEN_END || tg_parser_expected(parser, "the end of the line");
}

bool tg_parser_is_name(const TgParser *parser, uint16_t offset) {
  return offset != 0 && parser->lexer.token.kind == TG_TOKEN_NAME &&
         tg_lexer_is(&parser->lexer, tg_name(parser->names, offset));
}

bool tg_parser_take_axis(TgParser *parser, uint8_t *axis) {
  for (int c = 0; c < parser->schedule->dims; c++)
    if (tg_parser_is_name(parser, parser->names->axis[c])) {
      *axis = (uint8_t)c;
      return tg_parser_next(parser);
    }
  return tg_parser_expected(parser, "a coordinate of the grid");
}

bool tg_parser_is_known(const TgParser *parser) {
  for (int c = 0; c < parser->schedule->dims; c++)
    if (tg_parser_is_name(parser, parser->names->axis[c])) return true;
  for (int p = 0; p < parser->schedule->parameters; p++)
    if (tg_parser_is_name(parser, parser->names->parameter[p])) return true;
  return false;
}

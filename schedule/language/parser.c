#include "parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 200 }; /* of names that are known */

bool tg_parser_next(TgParser *parser) {
  return tg_lexer_next(&parser->lexer, parser->error);
}

bool tg_parser_expected(TgParser *parser, const char *expected) {
  return tg_lexer_expected(&parser->lexer, expected, parser->error);
}

TgSuggestion tg_parser_suggestion(const TgParser *parser) {
  const TgToken *token = &parser->lexer.token;
  return tg_suggestion_for(token->text, token->kind == TG_TOKEN_NAME ? token->length : 0);
}

bool tg_parser_meant(TgParser *parser, const TgSuggestion *meant, const char *expected) {
  if (!meant->nearest) return tg_parser_expected(parser, expected);
  return tg_parser_fail(parser, "found `%.*s`, did you mean `%s`?", (int)meant->length, meant->word, meant->nearest);
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

bool tg_parser_is_reserved(const TgParser *parser) {
  static const char *const words[] = {
      "schedule", "grid", "param", "default", "require",   "computes",  "place",        "on",      "as",
      "for",      "in",   "step",  "note",    "repeat",    "move",      "add",          "to",      "into",
      "where",    "and",  "along", "from",    "broadcast", "reduce",    "allgather",    "scatter", "gather",
      "xor",      "log2", "copy",  "zero",    "alltoall",  "transpose", "reducescatter"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (tg_lexer_is(&parser->lexer, words[i])) return true;
  return false;
}

bool tg_parser_take_name(TgParser *parser, const char *what, uint16_t *offset) {
  const TgToken *token = &parser->lexer.token;
  if (token->kind != TG_TOKEN_NAME) return tg_parser_expected(parser, what);
  if (tg_parser_is_reserved(parser)) return tg_parser_expected(parser, "a name that is not a keyword");
  if (token->length >= TG_NAME_LENGTH)
    return tg_parser_fail(parser, "a name of %zu characters, expected fewer than %d", token->length, TG_NAME_LENGTH);
  return tg_parser_keep(parser, token->text, token->length, offset) && tg_parser_next(parser);
}

bool tg_parser_take_string(TgParser *parser, const char *what, uint16_t *offset) {
  if (parser->lexer.token.kind != TG_TOKEN_STRING) return tg_parser_expected(parser, what);
  return tg_parser_keep(parser, parser->lexer.token.text, parser->lexer.token.length, offset) && tg_parser_next(parser);
}

/* What may follow a complete line, as `where`, is a word at whose place the end was expected. */
bool tg_parser_end_line(TgParser *parser) {
  static const char *const more[] = {"where", "into", "and", "as", "for", "default"};
  if (parser->lexer.token.kind == TG_TOKEN_END) return true;
  TgSuggestion meant = tg_parser_suggestion(parser);
  for (size_t i = 0; i < sizeof more / sizeof *more; i++) tg_suggestion_try(&meant, more[i]);
  if (tg_lexer_is(&parser->lexer, "if")) meant.nearest = "where";
  return tg_parser_meant(parser, &meant, "the end of the line");
}

bool tg_parser_is_name(const TgParser *parser, uint16_t offset) {
  return offset != 0 && parser->lexer.token.kind == TG_TOKEN_NAME &&
         tg_lexer_is(&parser->lexer, tg_name(parser->names, offset));
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

static bool unknown_axis(TgParser *parser) {
  TgSuggestion meant = tg_parser_suggestion(parser);
  char list[LIST_BYTES] = "", expected[LIST_BYTES + 80];
  for (int c = 0; c < parser->schedule->dims; c++) try_name(parser, parser->names->axis[c], &meant, list);
  snprintf(expected, sizeof expected, "a coordinate of the grid: %s", list);
  return tg_parser_meant(parser, &meant, expected);
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
  for (int c = 0; c < parser->schedule->dims; c++)
    if (tg_parser_is_name(parser, parser->names->axis[c])) {
      *axis = (uint8_t)c;
      return tg_parser_next(parser);
    }
  return unknown_axis(parser);
}

bool tg_parser_is_known(const TgParser *parser) {
  for (int c = 0; c < parser->schedule->dims; c++)
    if (tg_parser_is_name(parser, parser->names->axis[c])) return true;
  for (int p = 0; p < parser->schedule->parameters; p++)
    if (tg_parser_is_name(parser, parser->names->parameter[p])) return true;
  return false;
}

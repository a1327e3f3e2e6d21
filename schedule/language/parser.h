/** @file parser.h
 * What the parts of the parser share. Internal to schedule/. A part returns false once `error` is filled. */
#ifndef TG_PARSER_H
#define TG_PARSER_H

#include "expression.h"
#include "lexer.h"
#include "suggestion.h"

typedef struct TgParser {
  TgLexer lexer;
  TgSchedule *schedule;
  TgScheduleNames *names;
  TgError *error;
  uint16_t loop[TG_MAX_NESTING]; /**< names of the loop variables in scope */
  int loops;
  bool in_step;
  int parentheses;
  int stack; /**< operands on the evaluation stack so far */
  bool written[TG_MAX_BUFFERS];
  int32_t read_line[TG_MAX_BUFFERS], read_column[TG_MAX_BUFFERS]; /**< of the first read, 0 for none */
} TgParser;

/** Advances to the next token. */
bool tg_parser_next(TgParser *parser);
/** Takes the sign or word `text`, or fails with what was expected. */
bool tg_parser_take(TgParser *parser, const char *text);
/** Takes it if it is there. */
bool tg_parser_accept(TgParser *parser, const char *text, bool *accepted);
/** Fails at the current token: "found X, expected `expected`". */
bool tg_parser_expected(TgParser *parser, const char *expected);
/** Begins the search for the word that was meant by the current token; finds none where that is no name. */
TgSuggestion tg_parser_suggestion(const TgParser *parser);
/** Fails with the word that was meant, or where there is none with what was expected. */
bool tg_parser_meant(TgParser *parser, const TgSuggestion *meant, const char *expected);
/** Fails since the current token is no name that an expression may use. */
bool tg_parser_unknown_name(TgParser *parser);
/** Fills the error at the current token. */
bool tg_parser_fail(TgParser *parser, const char *format, ...) TG_PRINTF(2, 3);
/** Keeps `length` bytes among the names. */
bool tg_parser_keep(TgParser *parser, const char *text, size_t length, uint16_t *offset);
/** Takes a name that is no reserved word and keeps it; `what` describes it, for the error. */
bool tg_parser_take_name(TgParser *parser, const char *what, uint16_t *offset);
/** Takes a string and keeps it. */
bool tg_parser_take_string(TgParser *parser, const char *what, uint16_t *offset);
/** Goes to the next line that holds a token; fails unless this one ends here. */
bool tg_parser_next_line(TgParser *parser);
/** True where the current token is the name at `offset`. */
bool tg_parser_is_name(const TgParser *parser, uint16_t offset);
/** The place of the current token among `count` names; -1 where it is none of them. */
int tg_parser_find_name(const TgParser *parser, const uint16_t *names, int count);
/** True where the current token names a coordinate or a parameter. */
bool tg_parser_is_known(const TgParser *parser);
/** Takes the name of a coordinate. */
bool tg_parser_take_axis(TgParser *parser, uint8_t *axis);

/** Takes an arithmetic expression. */
bool tg_parser_take_expression(TgParser *parser, TgExpression *expression);
/** Takes comparisons joined by `and`. */
bool tg_parser_take_condition(TgParser *parser, TgExpression *expression);
/** Takes as many expressions in parentheses as the grid has coordinates. */
bool tg_parser_take_coordinates(TgParser *parser, TgExpression *coordinates);

/** Takes `X[e]`; notes whether the slot is read or written. */
bool tg_parser_take_slot(TgParser *parser, TgSlot *slot, bool reads, bool writes);

/** Takes `schedule`, `grid`, `param`, `require`, `computes` and `place` lines up to the first statement. */
bool tg_parser_take_declarations(TgParser *parser);
/** Takes all statements. */
bool tg_parser_take_statements(TgParser *parser);

#endif

#include "parser.h"

#include <stdio.h>

static bool emit_byte(TgParser *parser, uint8_t byte, int32_t column) {
  TgSchedule *schedule = parser->schedule;
  if (schedule->code_length + 1 >= TG_MAX_CODE)
    return tg_parser_fail(parser, "expressions of more than %d bytes in all, expected a shorter schedule", TG_MAX_CODE);
  parser->names->code_line[schedule->code_length] = (uint16_t)parser->lexer.line;
  parser->names->code_column[schedule->code_length] = (uint16_t)column;
  schedule->code[schedule->code_length++] = byte;
  return true;
}

static bool emit_operand(TgParser *parser, uint8_t byte, int32_t column) {
  if (++parser->stack > TG_EXPRESSION_STACK) return tg_parser_fail(parser, "an expression nested too deeply");
  return emit_byte(parser, byte, column);
}

static bool emit_operation(TgParser *parser, TgCode code, int32_t column) {
  parser->stack--;
  return emit_byte(parser, (uint8_t)code, column);
}

static bool emit_constant(TgParser *parser, int64_t value, int32_t column) {
  if (value < 0x40) return emit_operand(parser, (uint8_t)(TG_CODE_SMALL + value), column);
  if (!emit_operand(parser, TG_CODE_CONSTANT, column)) return false;
  for (int byte = 0; byte < 8; byte++)
    if (!emit_byte(parser, (uint8_t)((uint64_t)value >> (8 * byte)), column)) return false;
  return true;
}

/* The variable that the current token names; -1 where it names none. */
static int find_variable(const TgParser *parser) {
  const int loop = tg_parser_find_name(parser, parser->loop, parser->loops);
  const int axis = tg_parser_find_name(parser, parser->names->axis, parser->schedule->dims);
  const int parameter = tg_parser_find_name(parser, parser->names->parameter, parser->schedule->parameters);
  if (loop >= 0) return TG_VARIABLE_LOOP + loop;
  return axis >= 0 ? TG_VARIABLE_COORDINATE + axis : parameter >= 0 ? TG_VARIABLE_PARAMETER + parameter : -1;
}

static bool take_sum(TgParser *parser);

static bool take_parenthesis(TgParser *parser) {
  if (++parser->parentheses > 32) return tg_parser_fail(parser, "more than 32 nested parentheses");
  if (!tg_parser_take(parser, "(") || !take_sum(parser) || !tg_parser_take(parser, ")")) return false;
  parser->parentheses--;
  return true;
}

static bool take_operand(TgParser *parser) {
  const TgToken token = parser->lexer.token;
  if (token.kind == TG_TOKEN_NUMBER) return emit_constant(parser, token.number, token.column) && tg_parser_next(parser);
  if (tg_lexer_is(&parser->lexer, "(")) return take_parenthesis(parser);
  if (tg_lexer_is(&parser->lexer, "log2"))
    return tg_parser_next(parser) && take_parenthesis(parser) && emit_byte(parser, TG_CODE_LOG2, token.column);
  if (token.kind != TG_TOKEN_NAME) return tg_parser_expected(parser, "a number, a name or `(`");
  const int variable = find_variable(parser);
  if (variable < 0) return tg_parser_unknown_name(parser);
  return emit_operand(parser, (uint8_t)(TG_CODE_VARIABLE + variable), token.column) && tg_parser_next(parser);
}

/* Any number of minus signs; `*negative` tells whether they are odd. */
static bool take_signs(TgParser *parser, bool *negative) {
  bool minus;
  *negative = false;
  do {
    if (!tg_parser_accept(parser, "-", &minus)) return false;
    *negative ^= minus;
  } while (minus);
  return true;
}

/* power: operand [** ['-'…] power]; right-associative, and the exponent may carry its own sign. */
static bool take_power(TgParser *parser, int depth) {
  if (depth > TG_EXPRESSION_STACK) return tg_parser_fail(parser, "an expression nested too deeply");
  if (!take_operand(parser)) return false;
  int32_t column = parser->lexer.token.column;
  if (!tg_lexer_is(&parser->lexer, "**")) return true;
  bool negative;
  if (!tg_parser_next(parser) || !take_signs(parser, &negative) || !take_power(parser, depth + 1)) return false;
  return (!negative || emit_byte(parser, TG_CODE_NEGATE, column)) && emit_operation(parser, TG_CODE_POWER, column);
}

static bool take_sign(TgParser *parser) {
  bool negative;
  int32_t column = parser->lexer.token.column;
  return take_signs(parser, &negative) && take_power(parser, 0) &&
         (!negative || emit_byte(parser, TG_CODE_NEGATE, column));
}

/* Binary operators by level, the loosest first. Every level is left-associative. */
static const struct {
  const char *sign;
  TgCode code;
} operators[3][3] = {{{"xor", TG_CODE_XOR}},
                     {{"+", TG_CODE_ADD}, {"-", TG_CODE_SUBTRACT}},
                     {{"*", TG_CODE_MULTIPLY}, {"/", TG_CODE_DIVIDE}, {"%", TG_CODE_REMAINDER}}};

static int operator_here(const TgParser *parser, int level) {
  for (int i = 0; i < 3 && operators[level][i].sign; i++)
    if (tg_lexer_is(&parser->lexer, operators[level][i].sign)) return i;
  return -1;
}

static bool take_level(TgParser *parser, int level) {
  if (level == 3) return take_sign(parser);
  if (!take_level(parser, level + 1)) return false;
  for (int i; (i = operator_here(parser, level)) >= 0;) {
    int32_t column = parser->lexer.token.column;
    if (!tg_parser_next(parser) || !take_level(parser, level + 1)) return false;
    if (!emit_operation(parser, operators[level][i].code, column)) return false;
  }
  return true;
}

static bool take_sum(TgParser *parser) {
  return take_level(parser, 0);
}

static void begin_expression(TgParser *parser, TgExpression *expression) {
  parser->stack = parser->parentheses = 0;
  *expression = parser->schedule->code_length;
}

bool tg_parser_take_expression(TgParser *parser, TgExpression *expression) {
  begin_expression(parser, expression);
  return take_sum(parser) && emit_byte(parser, TG_CODE_END, 0);
}

static bool take_comparison(TgParser *parser) {
  static const struct {
    const char *sign;
    TgCode code;
  } comparisons[] = {{"==", TG_CODE_EQUAL},      {"!=", TG_CODE_NOT_EQUAL}, {"<", TG_CODE_LESS},
                     {"<=", TG_CODE_LESS_EQUAL}, {">", TG_CODE_GREATER},    {">=", TG_CODE_GREATER_EQUAL}};
  if (!take_sum(parser)) return false;
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++)
    if (tg_lexer_is(&parser->lexer, comparisons[i].sign)) {
      int32_t column = parser->lexer.token.column;
      return tg_parser_next(parser) && take_sum(parser) && emit_operation(parser, comparisons[i].code, column);
    }
  return tg_parser_expected(parser, "a comparison: == != < <= > >=");
}

bool tg_parser_take_condition(TgParser *parser, TgExpression *expression) {
  begin_expression(parser, expression);
  if (!take_comparison(parser)) return false;
  while (tg_lexer_is(&parser->lexer, "and")) {
    int32_t column = parser->lexer.token.column;
    if (!tg_parser_next(parser) || !take_comparison(parser) || !emit_operation(parser, TG_CODE_AND, column))
      return false;
  }
  return emit_byte(parser, TG_CODE_END, 0);
}

bool tg_parser_take_coordinates(TgParser *parser, TgExpression *coordinates) {
  int dims = parser->schedule->dims;
  if (!tg_parser_take(parser, "(")) return false;
  for (int c = 0; c < dims; c++) {
    if (!tg_parser_take_expression(parser, &coordinates[c])) return false;
    if (c + 1 < dims && !tg_lexer_is(&parser->lexer, ",")) {
      char expected[60];
      snprintf(expected, sizeof expected, "`,` and %d more of the grid's %d coordinates", dims - c - 1, dims);
      return tg_parser_expected(parser, expected);
    }
    if (c + 1 < dims && !tg_parser_next(parser)) return false;
  }
  if (tg_lexer_is(&parser->lexer, ",")) return tg_parser_fail(parser, "more coordinates than the grid's %d", dims);
  return tg_parser_take(parser, ")");
}

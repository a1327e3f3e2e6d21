#include "parser.h"

#include <stdio.h>

static bool find_buffer(TgParser *parser, int *buffer) {
  TgSchedule *schedule = parser->schedule;
  *buffer = tg_parser_find_name(parser, parser->names->buffer, schedule->buffers);
  if (*buffer >= 0) return tg_parser_next(parser);
  *buffer = schedule->buffers;
  if (schedule->buffers == TG_MAX_BUFFERS) return tg_parser_fail(parser, "more than %d buffers", TG_MAX_BUFFERS);
  if (!tg_parser_take_name(parser, "a buffer's name", &parser->names->buffer[*buffer])) return false;
  schedule->buffers++;
  return true;
}

bool tg_parser_take_slot(TgParser *parser, TgSlot *slot, bool reads, bool writes) {
  int buffer;
  int32_t line = parser->lexer.line, column = parser->lexer.token.column;
  bool bracket;
  if (!find_buffer(parser, &buffer)) return false;
  slot->buffer = (uint8_t)buffer;
  if (writes) parser->written[buffer] = true;
  if (reads && !parser->read_line[buffer]) {
    parser->read_line[buffer] = line;
    parser->read_column[buffer] = column;
  }
  if (!tg_parser_accept(parser, "[", &bracket)) return false;
  return !bracket || (tg_parser_take_expression(parser, &slot->index) && tg_parser_take(parser, "]"));
}

static bool take_where(TgParser *parser, TgStatement *statement) {
  bool given;
  if (!tg_parser_accept(parser, "where", &given)) return false;
  return !given || tg_parser_take_condition(parser, &statement->where);
}

/* The slot a statement reads; unless `into` says otherwise, the slot of the same name is written, too. */
static bool take_source(TgParser *parser, TgStatement *statement) {
  return tg_parser_take_slot(parser, &statement->source, true, false);
}

static bool take_into(TgParser *parser, TgStatement *statement, bool required) {
  bool given;
  if (!tg_parser_accept(parser, "into", &given)) return false;
  if (!given && required) return tg_parser_expected(parser, "`into` and the buffer to fill");
  if (!given) {
    statement->target = statement->source;
    parser->written[statement->target.buffer] = true;
    return true;
  }
  if (!tg_parser_take_slot(parser, &statement->target, false, true)) return false;
  if (!statement->target.index) statement->target.index = statement->source.index;
  return true;
}

static bool take_move(TgParser *parser, TgStatement *statement) {
  return take_source(parser, statement) && tg_parser_take(parser, "to") &&
         tg_parser_take_coordinates(parser, statement->to) && take_into(parser, statement, false);
}

/* Along a line of one coordinate nothing that steers the collective may depend on that coordinate: all its processors
 * must agree. */
static bool check_line(TgParser *parser, const TgStatement *statement) {
  const struct {
    TgExpression expression;
    const char *what;
  } parts[] = {{statement->value, "the root"},
               {statement->where, "`where`"},
               {statement->source.index, "a slot's index"},
               {statement->target.index, "a slot's index"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (tg_expression_variables(parser->schedule, parts[i].expression) >> statement->axis & 1)
      return tg_error_set(parser->error, statement->line, parser->names->code_column[parts[i].expression],
                          "%s depends on %s, the coordinate that the collective runs along, expected one that does not",
                          parts[i].what, tg_name(parser->names, parser->names->axis[statement->axis]));
  return true;
}

/* X[e] may be one slot where one block is sent, and Y where one arrives; otherwise X or Y is the whole array, and
 * `into` is required. */
static bool take_collective(TgParser *parser, TgStatement *statement) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  const char *root = traits->from_root ? "from" : traits->to_root ? "to" : NULL;
  if (!take_source(parser, statement) || !tg_parser_take(parser, "along")) return false;
  if (!tg_parser_take_axis(parser, &statement->axis)) return false;
  if (root && (!tg_parser_take(parser, root) || !tg_parser_take_expression(parser, &statement->value))) return false;
  if (!take_into(parser, statement, traits->splits || traits->fills)) return false;
  if (traits->splits && statement->source.index)
    return tg_parser_fail(parser, "an index on the array that is sent, expected only its name");
  if (!traits->fills) return true;
  if (statement->target.index && statement->target.index != statement->source.index)
    return tg_parser_fail(parser, "an index on the array that is filled, expected only its name");
  statement->target.index = 0;
  return true;
}

static bool take_copy(TgParser *parser, TgStatement *statement) {
  return take_source(parser, statement) && take_into(parser, statement, true);
}

static bool take_zero(TgParser *parser, TgStatement *statement) {
  return tg_parser_take_slot(parser, &statement->target, false, true);
}

static bool take_transpose(TgParser *parser, TgStatement *statement) {
  if (!take_source(parser, statement)) return false;
  statement->target = statement->source;
  return true;
}

static bool take_quote(TgParser *parser, TgSlot *slot) {
  bool quote;
  if (!tg_parser_accept(parser, "'", &quote)) return false;
  slot->transposed = quote;
  return true;
}

static const char *const declarations[] = {"schedule", "grid", "param", "require", "computes", "place"};

static bool is_declaration(const TgParser *parser) {
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
    if (tg_lexer_is(&parser->lexer, declarations[i])) return true;
  return false;
}

static bool unknown_statement(TgParser *parser);

static bool take_product(TgParser *parser, TgStatement *statement) {
  statement->op = TG_OP_MULTIPLY;
  if (is_declaration(parser)) return tg_parser_expected(parser, "declarations above the first statement only");
  if (parser->lexer.token.kind != TG_TOKEN_NAME)
    return tg_parser_expected(parser, "a statement: step, repeat, move, add, a collective, or a product C += A * B");
  if (tg_lexer_is(&parser->lexer, "note"))
    return tg_parser_fail(parser, "a note without a step, expected it right below a step's line");
  if (tg_lexer_is_reserved(&parser->lexer)) return unknown_statement(parser);
  TgLexer first = parser->lexer;
  bool known = tg_parser_find_name(parser, parser->names->buffer, parser->schedule->buffers) >= 0;
  if (!tg_parser_take_slot(parser, &statement->target, false, true)) return false;
  statement->replace = tg_lexer_is(&parser->lexer, "=");
  bool product = statement->replace || tg_lexer_is(&parser->lexer, "+=");
  TgTokenKind kind = parser->lexer.token.kind;
  if (!product && !known && kind != TG_TOKEN_SIGN) { /* `mvoe A …`: the first word is to blame */
    parser->lexer = first;
    return unknown_statement(parser);
  }
  if (!product) return tg_parser_expected(parser, "`+=` or `=` of a product");
  return tg_parser_next(parser) && take_source(parser, statement) && take_quote(parser, &statement->source) &&
         tg_parser_take(parser, "*") && tg_parser_take_slot(parser, &statement->other, true, false) &&
         take_quote(parser, &statement->other);
}

/* What takes the rest of an operation whose word was read. */
static bool (*const takes[TG_OPS])(TgParser *parser, TgStatement *statement) = {[TG_OP_MOVE] = take_move,
                                                                                [TG_OP_ADD] = take_move,
                                                                                [TG_OP_BROADCAST] = take_collective,
                                                                                [TG_OP_REDUCE] = take_collective,
                                                                                [TG_OP_ALLGATHER] = take_collective,
                                                                                [TG_OP_REDUCESCATTER] = take_collective,
                                                                                [TG_OP_ALLTOALL] = take_collective,
                                                                                [TG_OP_SCATTER] = take_collective,
                                                                                [TG_OP_GATHER] = take_collective,
                                                                                [TG_OP_COPY] = take_copy,
                                                                                [TG_OP_ZERO] = take_zero,
                                                                                [TG_OP_TRANSPOSE] = take_transpose};

/* Words that other languages have for ours. */
static const struct {
  const char *word, *meant;
} foreign[] = {{"for", "repeat"}, {"loop", "repeat"}, {"send", "move"}, {"bcast", "broadcast"}};

/* The whole statement, with the word that was meant, and without a colon at its end. */
static bool translate(TgParser *parser, const char *meant) {
  const TgToken *token = &parser->lexer.token;
  const char *rest = tg_name(parser->names, parser->names->source[parser->schedule->statements - 1]) + token->length;
  int bytes = tg_text_fit(rest, 80);
  while (bytes > 0 && (rest[bytes - 1] == ':' || rest[bytes - 1] == ' ')) bytes--;
  return tg_parser_fail(parser, "found `%.*s`; did you mean `%s%.*s`?", (int)token->length, token->text, meant, bytes,
                        rest);
}

static bool unknown_statement(TgParser *parser) {
  TgSuggestion meant = tg_parser_suggestion(parser);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    if (tg_lexer_is(&parser->lexer, foreign[i].word)) return translate(parser, foreign[i].meant);
  tg_suggestion_try(&meant, "step");
  tg_suggestion_try(&meant, "note");
  tg_suggestion_try(&meant, "repeat");
  for (int op = 0; op < TG_OPS; op++)
    if (takes[op]) tg_suggestion_try(&meant, tg_op_traits(op)->word);
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) tg_suggestion_try(&meant, declarations[i]);
  return tg_parser_meant(parser, &meant,
                         "a product C += A * B, or one of the words step, repeat, move, add, broadcast, reduce, "
                         "allgather, reducescatter, alltoall, scatter, gather, copy, zero, transpose");
}

static bool take_leaf(TgParser *parser, TgStatement *statement) {
  bool (*take)(TgParser *, TgStatement *) = take_product;
  for (int op = 0; op < TG_OPS; op++)
    if (takes[op] && tg_lexer_is(&parser->lexer, tg_op_traits(op)->word)) {
      statement->op = (uint8_t)op;
      take = takes[op];
      if (!tg_parser_next(parser)) return false;
      break;
    }
  if (!take(parser, statement) || !take_where(parser, statement)) return false;
  if (tg_op_traits(statement->op)->is_collective && !check_line(parser, statement)) return false;
  return tg_parser_next_line(parser);
}

static bool take_block(TgParser *parser, int32_t indent);

static bool take_body(TgParser *parser, int number, int32_t indent, const char *what) {
  if (parser->lexer.indent <= indent) {
    char expected[80];
    snprintf(expected, sizeof expected, "an indented statement under `%s`", what);
    return tg_parser_expected(parser, expected);
  }
  if (!take_block(parser, parser->lexer.indent)) return false;
  parser->schedule->statement[number].end = parser->schedule->statements;
  return true;
}

static bool take_step(TgParser *parser, int number) {
  int32_t indent = parser->lexer.indent;
  if (parser->in_step) return tg_parser_fail(parser, "a step inside a step, expected a statement");
  if (!tg_parser_next(parser) ||
      !tg_parser_take_string(parser, "the step's label as a string", &parser->names->label[number]))
    return false;
  if (!tg_parser_next_line(parser)) return false;
  if (parser->lexer.indent > indent && tg_lexer_is(&parser->lexer, "note")) {
    int32_t inner = parser->lexer.indent;
    if (!tg_parser_next(parser) || !tg_parser_take_string(parser, "the note as a string", &parser->names->note[number]))
      return false;
    if (!tg_parser_next_line(parser)) return false;
    if (parser->lexer.indent > inner) return tg_parser_fail(parser, "unexpected indentation");
  }
  parser->in_step = true;
  bool taken = take_body(parser, number, indent, "step");
  parser->in_step = false;
  return taken;
}

static bool take_repeat(TgParser *parser, int number) {
  int32_t indent = parser->lexer.indent;
  if (parser->loops == TG_MAX_NESTING) return tg_parser_fail(parser, "more than %d nested repeats", TG_MAX_NESTING);
  uint16_t name;
  if (!tg_parser_next(parser)) return false;
  if (tg_parser_find_name(parser, parser->loop, parser->loops) >= 0)
    return tg_parser_expected(parser, "a loop variable not in use here");
  if (tg_parser_is_known(parser)) return tg_parser_expected(parser, "a name that no coordinate or parameter has");
  if (!tg_parser_take_name(parser, "a loop variable's name", &name) || !tg_parser_take(parser, "in")) return false;
  if (!tg_parser_take_expression(parser, &parser->schedule->statement[number].value)) return false;
  if (tg_expression_variables(parser->schedule, parser->schedule->statement[number].value) & ((1u << TG_MAX_DIMS) - 1))
    return tg_parser_fail(parser, "a count that depends on a coordinate, expected one that all processors share");
  if (!tg_parser_next_line(parser)) return false;
  parser->loop[parser->loops++] = name;
  bool taken = take_body(parser, number, indent, "repeat");
  parser->loops--;
  return taken;
}

static bool keep_source(TgParser *parser, int number) {
  const TgLexer *lexer = &parser->lexer;
  const char *begin = lexer->token.text, *end = lexer->text + lexer->line_end;
  bool quoted = false;
  for (const char *at = begin; at < end; at++) {
    if (*at == '"') quoted = !quoted;
    if (*at == '#' && !quoted) end = at;
  }
  while (end > begin && (end[-1] == ' ' || end[-1] == '\t')) end--;
  return tg_parser_keep(parser, begin, (size_t)(end - begin), &parser->names->source[number]);
}

static bool take_statement(TgParser *parser) {
  TgSchedule *schedule = parser->schedule;
  if (schedule->statements == TG_MAX_STATEMENTS)
    return tg_parser_fail(parser, "more than %d statements", TG_MAX_STATEMENTS);
  if (parser->lexer.line > UINT16_MAX) return tg_parser_fail(parser, "a text of more than %d lines", UINT16_MAX);
  int number = schedule->statements++;
  TgStatement *statement = &schedule->statement[number];
  statement->line = (uint16_t)parser->lexer.line;
  statement->depth = (uint8_t)parser->loops;
  if (!keep_source(parser, number)) return false;
  if (tg_lexer_is(&parser->lexer, "step")) {
    statement->op = TG_OP_STEP;
    return take_step(parser, number);
  }
  if (tg_lexer_is(&parser->lexer, "repeat")) {
    statement->op = TG_OP_REPEAT;
    return take_repeat(parser, number);
  }
  return take_leaf(parser, statement);
}

static bool take_block(TgParser *parser, int32_t indent) {
  while (!parser->lexer.finished && parser->lexer.indent == indent)
    if (!take_statement(parser)) return false;
  if (parser->lexer.indent > indent)
    return tg_parser_fail(parser, "unexpected indentation, expected %d spaces as above", (int)indent);
  return true;
}

bool tg_parser_take_statements(TgParser *parser) {
  if (parser->lexer.finished) return tg_parser_expected(parser, "a statement");
  if (parser->lexer.indent > 0) return tg_parser_fail(parser, "unexpected indentation, expected none");
  if (!take_block(parser, 0)) return false;
  return parser->lexer.finished || tg_parser_expected(parser, "the indentation of a statement above");
}

#include "parser.h"

/* The string after a schedule's name is the name in pictures; without one it is the name itself. */
static bool take_display_name(TgParser *parser) {
  const TgToken *token = &parser->lexer.token;
  parser->names->display = parser->names->title;
  if (token->kind != TG_TOKEN_STRING) return true;
  if (token->length == 0) return tg_parser_expected(parser, "a name for pictures between the quotes, or no string");
  return tg_parser_take_string(parser, "a name for pictures", &parser->names->display);
}

/* A schedule's name may hold hyphens, which no other name does: read it from the raw line. */
static bool take_title(TgParser *parser) {
  TgLexer *lexer = &parser->lexer;
  if (!tg_lexer_is(lexer, "schedule")) return tg_parser_expected(parser, "`schedule NAME`");
  if (!tg_parser_next(parser)) return false;
  if (lexer->token.kind != TG_TOKEN_NAME) return tg_parser_expected(parser, "the schedule's name");
  const char *begin = lexer->token.text, *end = begin, *line_end = lexer->text + lexer->line_end;
  while (end < line_end && (tg_is_letter(*end) || tg_is_digit(*end) || *end == '-')) end++;
  if (end - begin >= 64) return tg_parser_fail(parser, "a schedule's name of more than 63 characters");
  lexer->at = (size_t)(end - lexer->text);
  if (!tg_parser_keep(parser, begin, (size_t)(end - begin), &parser->names->title) || !tg_parser_next(parser))
    return false;
  if (!take_display_name(parser)) return false;
  if (!tg_parser_next_line(parser)) return false;
  if (lexer->indent <= 0) return true;
  return tg_parser_take_string(parser, "the source as a string", &parser->names->citation) &&
         tg_parser_next_line(parser);
}

static bool add_parameter(TgParser *parser, TgParameterKind kind, int *number) {
  TgSchedule *schedule = parser->schedule;
  if (tg_parser_is_known(parser)) return tg_parser_expected(parser, "a name not used yet");
  if (schedule->parameters == TG_MAX_PARAMETERS)
    return tg_parser_fail(parser, "more than %d parameters", TG_MAX_PARAMETERS);
  *number = schedule->parameters;
  if (!tg_parser_take_name(parser, "a parameter's name", &parser->names->parameter[*number])) return false;
  schedule->parameter_kind[schedule->parameters++] = (uint8_t)kind;
  return true;
}

/* The words from `begin` up to here. */
static bool keep_words(TgParser *parser, const char *begin, uint16_t *name) {
  const char *end = parser->lexer.token.text;
  while (end > begin && end[-1] == ' ') end--;
  return tg_parser_keep(parser, begin, (size_t)(end - begin), name);
}

/* An extent is an integer or a parameter; a name nobody declared becomes a parameter that the grid binds. */
static bool take_extent(TgParser *parser, int axis) {
  const TgToken token = parser->lexer.token;
  int number = 0;
  if (token.kind == TG_TOKEN_NAME && !tg_parser_is_known(parser)) {
    TgLexer before = parser->lexer;
    if (!add_parameter(parser, TG_PARAMETER_GRID, &number)) return false;
    parser->lexer = before;
  } else if (token.kind != TG_TOKEN_NAME && token.kind != TG_TOKEN_NUMBER) {
    return tg_parser_expected(parser, "an extent: a number or a parameter");
  }
  if (tg_parser_find_name(parser, parser->names->axis, axis + 1) >= 0)
    return tg_parser_expected(parser, "an extent, not a coordinate");
  if (token.kind == TG_TOKEN_NUMBER && (token.number < 1 || token.number > TG_MAX_PROCESSORS))
    return tg_parser_expected(parser, "an extent of at least 1 and at most 16777216");
  return tg_parser_take_expression(parser, &parser->schedule->extent_value[axis]);
}

static bool take_grid(TgParser *parser) {
  TgSchedule *schedule = parser->schedule;
  const char *begin = parser->lexer.token.text;
  if (schedule->dims) return tg_parser_fail(parser, "a second `grid`, expected one");
  for (bool more = true; more;) {
    int axis = schedule->dims;
    if (axis == TG_MAX_DIMS) return tg_parser_fail(parser, "more than %d coordinates", TG_MAX_DIMS);
    if (tg_parser_is_known(parser)) return tg_parser_expected(parser, "a coordinate's name not used yet");
    if (!tg_parser_take_name(parser, "a coordinate's name", &parser->names->axis[axis])) return false;
    if (!tg_parser_take(parser, ":") || !take_extent(parser, axis)) return false;
    schedule->dims++;
    if (!tg_parser_accept(parser, ",", &more)) return false;
  }
  return keep_words(parser, begin, &parser->names->grid);
}

static bool take_param(TgParser *parser) {
  int number = 0;
  if (!add_parameter(parser, TG_PARAMETER_SET, &number)) return false;
  bool equals = tg_lexer_is(&parser->lexer, "="), defaults = tg_lexer_is(&parser->lexer, "default");
  if (!equals && !defaults) return true;
  parser->schedule->parameter_kind[number] = equals ? TG_PARAMETER_DERIVED : TG_PARAMETER_DEFAULT;
  parser->schedule->parameters--; /* its own value may not name it */
  bool taken = tg_parser_next(parser) && tg_parser_take_expression(parser, &parser->schedule->parameter_value[number]);
  parser->schedule->parameters++;
  if (!taken) return false;
  if (tg_expression_variables(parser->schedule, parser->schedule->parameter_value[number]) &
      ((1u << TG_LOCAL_VARIABLES) - 1))
    return tg_parser_fail(parser, "a parameter that depends on a coordinate, expected parameters and numbers only");
  return true;
}

static bool take_require(TgParser *parser) {
  TgSchedule *schedule = parser->schedule;
  int number = schedule->requires_;
  const char *begin = parser->lexer.token.text;
  if (number == TG_MAX_REQUIRES) return tg_parser_fail(parser, "more than %d requirements", TG_MAX_REQUIRES);
  if (!tg_parser_take_condition(parser, &schedule->require[number])) return false;
  if (tg_expression_variables(schedule, schedule->require[number]) & ((1u << TG_LOCAL_VARIABLES) - 1))
    return tg_parser_fail(parser, "a requirement on a coordinate, expected parameters and numbers only");
  schedule->requires_++;
  return keep_words(parser, begin, &parser->names->require[number]);
}

static const char *const matrices[TG_MATRICES] = {"A", "B", "C"};

/* None of the first `count`. */
static bool unknown_matrix(TgParser *parser, int count, const char *expected) {
  TgSuggestion meant = tg_parser_suggestion(parser);
  for (int m = 0; m < count; m++) tg_suggestion_try(&meant, matrices[m]);
  return tg_parser_meant(parser, &meant, expected);
}

static bool take_factor(TgParser *parser, uint8_t *matrix, uint8_t *transposed) {
  bool quote;
  const bool a = tg_lexer_is(&parser->lexer, "A");
  if (!a && !tg_lexer_is(&parser->lexer, "B")) return unknown_matrix(parser, 2, "A or B");
  *matrix = a ? TG_MATRIX_A : TG_MATRIX_B;
  if (!tg_parser_next(parser) || !tg_parser_accept(parser, "'", &quote)) return false;
  *transposed = quote;
  return true;
}

static bool take_computes(TgParser *parser) {
  TgComputes *computes = &parser->schedule->computes;
  bool times;
  if (!tg_parser_take(parser, "C") || !tg_parser_take(parser, "=")) return false;
  if (!take_factor(parser, &computes->left, &computes->left_transposed)) return false;
  if (!tg_parser_accept(parser, "*", &times)) return false;
  computes->right = TG_MATRICES;
  computes->right_transposed = 0;
  return !times || take_factor(parser, &computes->right, &computes->right_transposed);
}

static bool take_matrix(TgParser *parser, TgPlacement *placement) {
  for (int m = 0; m < TG_MATRICES; m++)
    if (tg_lexer_is(&parser->lexer, matrices[m])) {
      placement->matrix = (uint8_t)m;
      return tg_parser_next(parser) && tg_parser_take(parser, "(") &&
             tg_parser_take_expression(parser, &placement->row) && tg_parser_take(parser, ",") &&
             tg_parser_take_expression(parser, &placement->column) && tg_parser_take(parser, ")");
    }
  return unknown_matrix(parser, 3, "A, B or C");
}

/* `for t in N` stands at the line's end but names what is used before it: look ahead for the name. */
static bool find_for(TgParser *parser) {
  TgLexer lexer = parser->lexer;
  while (lexer.token.kind != TG_TOKEN_END && !tg_lexer_is(&lexer, "for"))
    if (!tg_lexer_next(&lexer, parser->error)) return false;
  if (lexer.token.kind == TG_TOKEN_END) return true;
  TgLexer here = parser->lexer;
  parser->lexer = lexer;
  if (!tg_parser_next(parser)) return false;
  if (tg_parser_is_known(parser)) return tg_parser_expected(parser, "a name not used yet");
  if (!tg_parser_take_name(parser, "a variable's name", &parser->loop[0])) return false;
  parser->loops = 1;
  parser->lexer = here;
  return true;
}

static bool take_for(TgParser *parser, TgExpression *count) {
  bool given;
  parser->loops = 0;
  if (!tg_parser_accept(parser, "for", &given)) return false;
  return !given || (tg_parser_next(parser) && tg_parser_take(parser, "in") && tg_parser_take_expression(parser, count));
}

static void set_ranges(const TgSchedule *schedule, TgPlacement *placement) {
  uint32_t used = tg_expression_variables(schedule, placement->row) |
                  tg_expression_variables(schedule, placement->column) |
                  tg_expression_variables(schedule, placement->index);
  for (int c = 0; c < schedule->dims; c++) used |= tg_expression_variables(schedule, placement->at[c]);
  placement->ranges = (uint8_t)(used & ((1u << TG_MAX_DIMS) - 1));
}

static bool use_buffer(TgParser *parser, TgPlacement *placement, bool as) {
  TgSlot slot = {0};
  bool input = placement->matrix != TG_MATRIX_C;
  if (as) {
    if (!tg_parser_take_slot(parser, &slot, false, input)) return false;
  } else { /* the buffer bears the matrix's name */
    TgLexer here = parser->lexer;
    parser->lexer.token =
        (TgToken){.kind = TG_TOKEN_NAME, .text = matrices[placement->matrix], .length = 1, .column = here.token.column};
    parser->lexer.at = parser->lexer.line_end;
    if (!tg_parser_take_slot(parser, &slot, false, input)) return false;
    parser->lexer = here;
  }
  placement->buffer = slot.buffer;
  placement->index = slot.index;
  return true;
}

static bool take_place(TgParser *parser) {
  TgSchedule *schedule = parser->schedule;
  int first = schedule->placements, number = first;
  TgPlacement shared = {.line = (uint16_t)parser->lexer.line};
  bool more = true, as;
  if (!find_for(parser)) return false;
  while (more) {
    if (number == TG_MAX_PLACEMENTS) return tg_parser_fail(parser, "more than %d placements", TG_MAX_PLACEMENTS);
    schedule->placement[number] = shared;
    if (!take_matrix(parser, &schedule->placement[number++]) || !tg_parser_accept(parser, ",", &more)) return false;
  }
  if (!tg_parser_take(parser, "on") || !tg_parser_take_coordinates(parser, shared.at)) return false;
  if (!tg_parser_accept(parser, "as", &as)) return false;
  if (as && number > first + 1)
    return tg_parser_fail(parser, "`as` after several matrices, expected one matrix per line");
  for (int p = first; p < number; p++) {
    for (int c = 0; c < TG_MAX_DIMS; c++) schedule->placement[p].at[c] = shared.at[c];
    if (!use_buffer(parser, &schedule->placement[p], as)) return false;
    set_ranges(schedule, &schedule->placement[p]);
  }
  if (!take_for(parser, &shared.count)) return false;
  for (int p = first; p < number; p++) schedule->placement[p].count = shared.count;
  schedule->placements = (uint8_t)number;
  return true;
}

static const struct {
  const char *word;
  bool (*take)(TgParser *parser);
  bool needs_grid;
} declarations[] = {{"grid", take_grid, false},
                    {"param", take_param, false},
                    {"require", take_require, false},
                    {"computes", take_computes, false},
                    {"place", take_place, true}};

static bool take_declaration(TgParser *parser, bool *taken) {
  *taken = true;
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++) {
    if (!tg_lexer_is(&parser->lexer, declarations[i].word)) continue;
    if (parser->lexer.indent > 0)
      return tg_parser_fail(parser, "unexpected indentation, expected none before `%s`", declarations[i].word);
    if (declarations[i].needs_grid && !parser->schedule->dims) return tg_parser_expected(parser, "`grid` first");
    return tg_parser_next(parser) && declarations[i].take(parser) && tg_parser_next_line(parser);
  }
  *taken = false;
  return true;
}

static bool missing(TgParser *parser, const char *expected) {
  TgSuggestion meant = tg_parser_suggestion(parser);
  for (size_t i = 0; i < sizeof declarations / sizeof *declarations; i++)
    tg_suggestion_try(&meant, declarations[i].word);
  return tg_parser_meant(parser, &meant, expected);
}

bool tg_parser_take_declarations(TgParser *parser) {
  if (!take_title(parser)) return false;
  for (bool taken = true; taken && !parser->lexer.finished;)
    if (!take_declaration(parser, &taken)) return false;
  if (!parser->schedule->dims) return missing(parser, "`grid`");
  return parser->schedule->placements > 0 || missing(parser, "`place`");
}

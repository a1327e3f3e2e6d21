#include "parser.h"

#include <string.h>

static bool never_filled(const TgParser *parser, int buffer) {
  const char *name = tg_name(parser->names, parser->names->buffer[buffer]);
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (int b = 0; b < parser->schedule->buffers; b++)
    if (parser->written[b]) tg_suggestion_try(&meant, tg_name(parser->names, parser->names->buffer[b]));
  const char *nearest = meant.nearest;
  return tg_error_set(parser->error, parser->read_line[buffer], parser->read_column[buffer],
                      "nothing ever puts a block into `%s`, %s%s%s", name,
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

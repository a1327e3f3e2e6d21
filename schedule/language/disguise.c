#include "disguise.h"

#include "lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = TG_MAX_DIMS + TG_MAX_PARAMETERS + TG_MAX_BUFFERS + TG_MAX_STATEMENTS, NEW_LENGTH = 24 };

typedef enum TgNameKind { AXIS, PARAMETER, BLOCK, LOOP, NAME_KINDS } TgNameKind;

/* No letter is in two rows. */
static const char *const letters[NAME_KINDS] = {"xyzw", "nmpqrgh", "DEFGHKLMNPQRSTUVWXYZ", "stuvabcde"};

typedef struct TgRenamed {
  const char *old;
  size_t length;
  char now[NEW_LENGTH];
} TgRenamed;

typedef struct TgDisguise {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  uint64_t seed;
  TgLexer lexer;
  TgRenamed renamed[MAX_NAMES];
  int count, of_kind[NAME_KINDS], steps;
  char *text;
  size_t length, room;
  bool failed; /* memory is out */
} TgDisguise;

static void put(TgDisguise *disguise, const char *text, size_t length) {
  if (disguise->length + length + 1 > disguise->room) {
    const size_t room = 2 * (disguise->length + length + 1);
    char *more = disguise->failed ? NULL : realloc(disguise->text, room);
    disguise->failed = !more;
    if (!more) return;
    disguise->text = more;
    disguise->room = room;
  }
  memcpy(disguise->text + disguise->length, text, length);
  disguise->length += length;
  disguise->text[disguise->length] = '\0';
}

static bool is_one_of(const TgDisguise *disguise, const uint16_t *family, int members) {
  for (int i = 0; i < members; i++)
    if (tg_lexer_is(&disguise->lexer, tg_name(disguise->names, family[i]))) return true;
  return false;
}

static TgNameKind kind_of(const TgDisguise *disguise) {
  if (is_one_of(disguise, disguise->names->axis, disguise->schedule->dims)) return AXIS;
  if (is_one_of(disguise, disguise->names->parameter, disguise->schedule->parameters)) return PARAMETER;
  return is_one_of(disguise, disguise->names->buffer, disguise->schedule->buffers) ? BLOCK : LOOP;
}

/* The current token's new name. */
static const char *rename_token(TgDisguise *disguise) {
  const TgToken *token = &disguise->lexer.token;
  for (int i = 0; i < disguise->count; i++)
    if (disguise->renamed[i].length == token->length && !memcmp(disguise->renamed[i].old, token->text, token->length))
      return disguise->renamed[i].now;
  if (disguise->count == MAX_NAMES) return "?"; /* cannot be: the text has been parsed */
  TgRenamed *one = &disguise->renamed[disguise->count++];
  const TgNameKind kind = kind_of(disguise);
  const size_t many = strlen(letters[kind]), number = (size_t)disguise->of_kind[kind]++;
  const char letter = letters[kind][(number + disguise->seed) % many];
  one->old = token->text;
  one->length = token->length;
  if (number < many)
    snprintf(one->now, sizeof one->now, "%c", letter);
  else
    snprintf(one->now, sizeof one->now, "%c%zu", letter, number / many);
  return one->now;
}

static bool keeps_name(const TgDisguise *disguise) {
  return disguise->lexer.token.kind != TG_TOKEN_NAME || tg_lexer_is_reserved(&disguise->lexer) ||
         tg_lexer_is(&disguise->lexer, "A") || tg_lexer_is(&disguise->lexer, "B") || tg_lexer_is(&disguise->lexer, "C");
}

/* The line with its indentation and spaces, without its comment. */
static bool put_line(TgDisguise *disguise, TgError *error) {
  TgLexer *lexer = &disguise->lexer;
  const char *at = lexer->text + lexer->begin;
  while (lexer->token.kind != TG_TOKEN_END) {
    const TgToken *token = &lexer->token;
    put(disguise, at, (size_t)(token->text - at));
    at = token->text + token->length;
    if (keeps_name(disguise))
      put(disguise, token->text, token->length);
    else {
      const char *now = rename_token(disguise);
      put(disguise, now, strlen(now));
    }
    if (!tg_lexer_next(lexer, error)) return false;
  }
  put(disguise, "\n", 1);
  return true;
}

static void put_step(TgDisguise *disguise) {
  char line[TG_MAX_LINE];
  snprintf(line, sizeof line, "%*sstep \"part %d\"\n", (int)disguise->lexer.indent, "", ++disguise->steps);
  put(disguise, line, strlen(line));
}

static bool put_lines(TgDisguise *disguise, TgError *error) {
  TgLexer *lexer = &disguise->lexer;
  bool declares = true;
  for (;;) {
    if (!tg_lexer_next_line(lexer, error)) return false;
    if (lexer->finished) return true;
    if (tg_lexer_is(lexer, "schedule") || tg_lexer_is(lexer, "note") || lexer->token.kind == TG_TOKEN_STRING) continue;
    if (declares && lexer->line >= (int32_t)disguise->schedule->statement[0].line) {
      put(disguise, "\n", 1);
      declares = false;
    }
    if (tg_lexer_is(lexer, "step"))
      put_step(disguise);
    else if (!put_line(disguise, error))
      return false;
  }
}

char *tg_disguise(const char *text, size_t length, const char *title, uint64_t seed, TgError *error) {
  TgSchedule schedule;
  TgScheduleNames *names = malloc(sizeof *names);
  TgDisguise *disguise = calloc(1, sizeof *disguise);
  char *disguised = NULL;
  if (!names || !disguise)
    tg_error_set(error, 0, 0, "out of memory");
  else if (tg_schedule_parse(&schedule, names, text, length, error)) {
    *disguise = (TgDisguise){.schedule = &schedule, .names = names, .seed = seed};
    tg_lexer_init(&disguise->lexer, text, length);
    put(disguise, "schedule ", strlen("schedule "));
    put(disguise, title, strlen(title));
    put(disguise, "\n\n", 2);
    if (put_lines(disguise, error) && !disguise->failed) disguised = disguise->text;
    if (disguise->failed) tg_error_set(error, 0, 0, "out of memory");
    if (!disguised) free(disguise->text);
  }
  free(disguise);
  free(names);
  return disguised;
}

#include "mutate.h"

#include "counter-random.h"
#include "lexer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EDITS = 4096, REPLACEMENT = 40, TRIES = 1000 };

/* Replace bytes [begin, end) by `with`; a whole line is replaced where `line_end` is not 0 (see add_line_edits). */
typedef struct TgEdit {
  size_t begin, end;
  int32_t line, column;
  const char *kind;
  char with[REPLACEMENT];
  size_t copy_begin, copy_end; /* and then this part of the text */
} TgEdit;

typedef struct TgEdits {
  const char *text;
  size_t length;
  TgEdit *edit;
  int count;
  const TgSchedule *schedule;
  const TgScheduleNames *names;
} TgEdits;

static void add_edit(TgEdits *edits, TgEdit edit) {
  if (edits->count < MAX_EDITS) edits->edit[edits->count++] = edit;
}

static void replace_token(TgEdits *edits, const TgLexer *lexer, const char *kind, const char *with) {
  TgEdit edit = {.begin = (size_t)(lexer->token.text - lexer->text),
                 .line = lexer->line,
                 .column = lexer->token.column,
                 .kind = kind};
  edit.end = edit.begin + lexer->token.length;
  snprintf(edit.with, sizeof edit.with, "%s", with);
  add_edit(edits, edit);
}

static void edit_number(TgEdits *edits, const TgLexer *lexer) {
  const int64_t number = lexer->token.number;
  char with[REPLACEMENT];
  if (number < INT64_MAX) {
    snprintf(with, sizeof with, "%lld", (long long)number + 1);
    replace_token(edits, lexer, "a changed number", with);
  }
  if (number == 0) return;
  snprintf(with, sizeof with, "%lld", (long long)number - 1);
  replace_token(edits, lexer, "a changed number", with);
}

static void edit_sign(TgEdits *edits, const TgLexer *lexer) {
  static const char *const pairs[][2] = {{"+", "-"},   {"-", "+"},   {"<", "<="}, {"<=", "<"}, {">", ">="}, {">=", ">"},
                                         {"==", "!="}, {"!=", "=="}, {"+=", "="}, {"=", "+="}, {"%", "/"},  {"/", "%"}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (tg_lexer_is(lexer, pairs[i][0])) replace_token(edits, lexer, "a changed sign", pairs[i][1]);
}

static void edit_transpose(TgEdits *edits, const TgLexer *lexer) {
  if (tg_lexer_is(lexer, "'")) replace_token(edits, lexer, "a removed transpose", "");
}

/* A name becomes another one of the same family, if it is of this one. */
static void edit_in_family(TgEdits *edits, const TgLexer *lexer, const uint16_t *family, int members,
                           const char *kind) {
  bool member = false;
  for (int i = 0; i < members; i++) member = member || tg_lexer_is(lexer, tg_name(edits->names, family[i]));
  for (int i = 0; member && i < members; i++)
    if (!tg_lexer_is(lexer, tg_name(edits->names, family[i])))
      replace_token(edits, lexer, kind, tg_name(edits->names, family[i]));
}

static void edit_name(TgEdits *edits, const TgLexer *lexer) {
  edit_in_family(edits, lexer, edits->names->axis, edits->schedule->dims, "a changed coordinate");
  edit_in_family(edits, lexer, edits->names->buffer, edits->schedule->buffers, "a changed block");
}

/* The `where` and all behind it goes. */
static void edit_where(TgEdits *edits, const TgLexer *lexer) {
  if (!tg_lexer_is(lexer, "where")) return;
  TgEdit edit = {.begin = (size_t)(lexer->token.text - lexer->text),
                 .end = lexer->line_end,
                 .line = lexer->line,
                 .column = lexer->token.column,
                 .kind = "a removed condition"};
  add_edit(edits, edit);
}

static bool edit_line(TgEdits *edits, TgLexer *lexer) {
  bool leaf = !tg_lexer_is(lexer, "step") && !tg_lexer_is(lexer, "repeat") && !tg_lexer_is(lexer, "note");
  if (leaf) {
    TgEdit gone = {.begin = lexer->begin,
                   .end = lexer->next,
                   .line = lexer->line,
                   .column = lexer->token.column,
                   .kind = "a removed statement"};
    TgEdit twice = gone;
    twice.end = twice.begin;
    twice.copy_begin = lexer->begin;
    twice.copy_end = lexer->next;
    twice.kind = "a repeated statement";
    add_edit(edits, gone);
    if (lexer->next > lexer->begin && lexer->text[lexer->next - 1] == '\n') add_edit(edits, twice);
  }
  while (lexer->token.kind != TG_TOKEN_END) {
    if (lexer->token.kind == TG_TOKEN_NUMBER) edit_number(edits, lexer);
    if (lexer->token.kind == TG_TOKEN_SIGN) edit_sign(edits, lexer);
    edit_transpose(edits, lexer);
    if (lexer->token.kind == TG_TOKEN_NAME) edit_name(edits, lexer);
    edit_where(edits, lexer);
    if (!tg_lexer_next(lexer, NULL)) return false;
  }
  return true;
}

static void collect(TgEdits *edits) {
  TgLexer lexer;
  int32_t first = edits->schedule->statement[0].line;
  tg_lexer_init(&lexer, edits->text, edits->length);
  while (tg_lexer_next_line(&lexer, NULL) && !lexer.finished)
    if (lexer.line >= first && !edit_line(edits, &lexer)) return;
}

static void copy_line(const char *text, size_t length, size_t at, char *line) {
  size_t begin = at, end = at;
  while (begin > 0 && text[begin - 1] != '\n') begin--;
  while (end < length && text[end] != '\n') end++;
  while (begin < end && text[begin] == ' ') begin++;
  if (end - begin > TG_MAX_LINE) end = begin + TG_MAX_LINE;
  memcpy(line, text + begin, end - begin);
  line[end - begin] = '\0';
}

static char *apply(const TgEdits *edits, const TgEdit *edit, TgMutation *mutation) {
  size_t with = strlen(edit->with), copied = edit->copy_end - edit->copy_begin;
  size_t length = edits->length - (edit->end - edit->begin) + with + copied;
  char *text = malloc(length + 1), *at = text;
  if (!text) return NULL;
  const struct {
    const char *from;
    size_t length;
  } parts[] = {{edits->text, edit->begin},
               {edits->text + edit->copy_begin, copied},
               {edit->with, with},
               {edits->text + edit->end, edits->length - edit->end}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    memcpy(at, parts[i].from, parts[i].length);
    at += parts[i].length;
  }
  text[length] = '\0';
  mutation->line = edit->line;
  mutation->column = edit->column;
  snprintf(mutation->kind, sizeof mutation->kind, "%s", edit->kind);
  copy_line(edits->text, edits->length, edit->begin, mutation->before);
  mutation->after[0] = '\0';
  bool gone = edit->end > edit->begin && edits->text[edit->end - 1] == '\n' && !copied;
  if (!gone) copy_line(text, length, edit->begin, mutation->after);
  return text;
}

char *tg_mutate(const char *text, size_t length, uint64_t seed, TgMutation *mutation) {
  TgSchedule schedule;
  TgScheduleNames *names = malloc(sizeof *names);
  TgEdits edits = {.text = text, .length = length, .schedule = &schedule, .names = names};
  char *edited = NULL;
  edits.edit = malloc(MAX_EDITS * sizeof *edits.edit);
  if (names && edits.edit && tg_schedule_parse(&schedule, names, text, length, NULL)) {
    collect(&edits);
    if (edits.count) {
      mutation->edit = (int32_t)(tg_random_at(seed, 0) % (uint64_t)edits.count);
      edited = apply(&edits, &edits.edit[mutation->edit], mutation);
    }
  }
  free(edits.edit);
  free(names);
  return edited;
}

typedef enum TgVerdict { TG_VERDICT_UNUSABLE, TG_VERDICT_RIGHT, TG_VERDICT_WRONG, TG_VERDICT_STOPPED } TgVerdict;

/* One proof after another under one watch. */
typedef struct TgTrial {
  const TgWatch *watch;
  int64_t before, done; /* statements of the finished proofs, and of the one under way */
} TgTrial;

static bool go_on(void *user, int64_t done) {
  TgTrial *trial = user;
  trial->done = done;
  return tg_watch_go_on(trial->watch, trial->before + done);
}

static TgVerdict judge(TgTrial *trial, const char *text, size_t length, const TgBindings *bindings, TgProof *proof,
                       TgError *error) {
  TgSchedule schedule;
  TgScheduleNames *names = malloc(sizeof *names);
  TgVerdict verdict = TG_VERDICT_UNUSABLE;
  const TgWatch watch = {.go_on = go_on, .user = trial};
  int64_t m, n, k;
  if (!names)
    tg_error_set(error, 0, 0, "out of memory");
  else if (tg_schedule_parse(&schedule, names, text, length, error) &&
           tg_schedule_bind(&schedule, names, bindings, error)) {
    tg_proof_sizes(&schedule, &m, &n, &k);
    const bool ok = tg_prove_watched(&schedule, names, TG_COLLECTIVE_WHOLE, m, n, k, &watch, proof);
    verdict = ok ? TG_VERDICT_RIGHT : proof->failure.cause == TG_CAUSE_STOPPED ? TG_VERDICT_STOPPED : TG_VERDICT_WRONG;
    trial->before += trial->done;
    trial->done = 0;
  }
  free(names);
  return verdict;
}

static bool is_at_level(TgMutationLevel level, const TgMutation *mutation, const TgError *failure) {
  const bool at_end = failure->statement < 0, gone = !*mutation->after;
  const bool twice = strcmp(mutation->before, mutation->after) == 0;
  const bool quoted = !at_end && !gone && failure->line >= mutation->line && failure->line <= mutation->line + twice;
  if (level == TG_MUTATION_ANY) return true;
  return level == TG_MUTATION_AT_END ? at_end : level == TG_MUTATION_QUOTED ? quoted : !quoted && !at_end;
}

static char *stop(const TgProof *proof, TgError *error) {
  *error = proof->failure;
  return NULL;
}

char *tg_mutate_wrong(const char *text, size_t length, const TgBindings *bindings, uint64_t seed, TgMutationLevel level,
                      const TgWatch *watch, TgMutation *mutation, TgProof *proof, TgError *error) {
  TgTrial trial = {.watch = watch};
  TgVerdict original = judge(&trial, text, length, bindings, proof, error);
  if (original == TG_VERDICT_UNUSABLE) return NULL;
  if (original == TG_VERDICT_STOPPED) return stop(proof, error);
  if (original == TG_VERDICT_WRONG) {
    tg_error_set(error, proof->failure.line, 0, "already wrong before any edit: %s", proof->failure.message);
    return NULL;
  }
  for (uint64_t i = 0; i < TRIES; i++) {
    char *edited = tg_mutate(text, length, tg_random_at(seed, i), mutation);
    TgVerdict verdict = edited ? judge(&trial, edited, strlen(edited), bindings, proof, NULL) : TG_VERDICT_UNUSABLE;
    if (verdict == TG_VERDICT_WRONG && is_at_level(level, mutation, &proof->failure)) return edited;
    free(edited);
    if (verdict == TG_VERDICT_STOPPED) return stop(proof, error);
  }
  tg_error_set(error, 0, 0, "no single edit makes the schedule wrong %sat this size; use %sa larger grid",
               level ? "in the way of this level " : "", level ? "another level or " : "");
  return NULL;
}

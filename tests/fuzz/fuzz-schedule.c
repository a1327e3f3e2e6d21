/* Any bytes as a schedule: refused at a place in the text, or read. What was read and binds on a small grid runs on
 * names under a budget: always to the same end, from the beginning and from a snapshot, whatever form collectives take;
 * the proof agrees; and each move's senders are those that its receivers name. */
#include "fuzz.h"
#include "mutate.h"
#include "prove.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Texts may ask for 10^18 repetitions and 2^20 slots, so small sizes alone do not bound the work. */
enum { MOST_PROCESSORS = 27, MOST_PLACED = 2048, MOST_STATEMENTS = 300, MOST_SLOTS = 1 << 18 };

typedef enum Outcome { OUTCOME_RIGHT, OUTCOME_WRONG, OUTCOME_TOO_MUCH } Outcome;

typedef struct Run {
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  bool utf8; /**< what is said of a text in UTF-8 is in UTF-8 */
} Run;

static void check_words(const char *message, size_t capacity, bool utf8) {
  const size_t length = strnlen(message, capacity);
  g_assert_true(length > 0 && length < capacity);
  g_assert_true(!utf8 || g_utf8_validate(message, (gssize)length, NULL));
}

static void check_place(const TgError *error, const uint8_t *bytes, size_t size, bool utf8) {
  int lines = 2;
  for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
  check_words(error->message, sizeof error->message, utf8);
  g_assert_true(error->line >= 1 && error->line <= lines);
  g_assert_true(error->column >= 1 && error->column <= TG_MAX_LINE + 1);
}

/** Every parameter that wants a value gets one: all the same, or one after the other. */
static void choose(const TgSchedule *schedule, const TgScheduleNames *names, int kind, TgBindings *bindings) {
  for (int p = 0; p < schedule->parameters; p++) {
    if (schedule->parameter_kind[p] == TG_PARAMETER_DERIVED) continue;
    if (schedule->parameter_kind[p] == TG_PARAMETER_DEFAULT && kind % 2) continue;
    const int64_t value = kind < 3 ? kind + 1 : 1 + (p + kind) % 3;
    g_assert_true(tg_bindings_set(bindings, tg_name(names, names->parameter[p]), value, NULL));
  }
}

/** Whether binding itself stays small. Without its placements a schedule never binds, but its extents are then known.
 */
static bool is_small(const TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *bindings) {
  TgSchedule bare = *schedule;
  bare.placements = 0;
  g_assert_false(tg_schedule_bind(&bare, names, bindings, NULL));
  if (bare.bound == TG_BOUND_UNMET || bare.extent[bare.dims - 1] < 1) return false;
  const int64_t processors = tg_schedule_processors(&bare);
  int64_t none[TG_LOCAL_VARIABLES] = {0}, placed = 0, count = 1;
  for (int p = 0; p < schedule->placements; p++) {
    const TgExpression expression = schedule->placement[p].count;
    if (expression && tg_expression_evaluate(&bare, expression, none, &count) != TG_EVALUATION_OK) return false;
    if (count > MOST_PLACED) return false;
    placed += count * processors;
  }
  return processors <= MOST_PROCESSORS && placed <= MOST_PLACED;
}

static bool within_budget(const Run *run, const TgState *state) {
  int64_t slots = 0;
  for (int b = 0; b < run->schedule->buffers; b++)
    slots += tg_state_length(state, b) * tg_schedule_processors(run->schedule);
  return tg_state_counts(state)->statements < MOST_STATEMENTS && slots <= MOST_SLOTS;
}

/** Says what every slot holds. */
static void read_slots(const Run *run, const TgState *state) {
  char text[64];
  for (int b = 0; b < run->schedule->buffers; b++) {
    for (int64_t p = 0; p < tg_schedule_processors(run->schedule); p++)
      tg_state_value_text(state, tg_state_slot(state, p, b, 0), text, sizeof text);
  }
}

static Outcome finish(const Run *run, TgState *state, TgProgress progress, TgError *failure) {
  while (progress == TG_PROGRESS_MORE) {
    if (!within_budget(run, state)) return OUTCOME_TOO_MUCH;
    progress = tg_state_next(state, failure);
  }
  if (!within_budget(run, state)) return OUTCOME_TOO_MUCH;
  read_slots(run, state);
  if (progress == TG_PROGRESS_END && tg_state_finish(state, failure)) return OUTCOME_RIGHT;
  check_words(failure->message, sizeof failure->message, run->utf8);
  g_assert_cmpint(failure->cause, !=, TG_CAUSE_NONE);
  return failure->cause == TG_CAUSE_MEMORY ? OUTCOME_TOO_MUCH : OUTCOME_WRONG;
}

/** Runs to the end, then once more from a snapshot after two statements: to the same end. */
static Outcome run_twice(const Run *run, TgCollective collective, TgError *failure) {
  TgError again = {0};
  TgState *state = tg_state_new(run->schedule, run->names, collective, NULL, failure);
  if (!state) {
    check_words(failure->message, sizeof failure->message, run->utf8);
    return OUTCOME_WRONG;
  }
  tg_state_measure(state, 5, 4, 7);
  TgProgress progress = tg_state_next(state, failure);
  if (progress == TG_PROGRESS_MORE) progress = tg_state_next(state, failure);
  const bool going = progress == TG_PROGRESS_MORE && within_budget(run, state);
  TgSnapshot *snapshot = going ? tg_state_save(state) : NULL;
  Outcome outcome = finish(run, state, progress, failure);
  if (snapshot) {
    g_assert_true(tg_state_restore(state, snapshot));
    g_assert_cmpint(finish(run, state, progress, &again), ==, outcome);
    g_assert_true(outcome != OUTCOME_WRONG || strcmp(again.message, failure->message) == 0);
    tg_snapshot_free(state, snapshot);
  }
  tg_state_free(state);
  return outcome;
}

/** The senders of the walk's move, found from the receivers, against those that the list of its messages names. */
static void check_senders(const TgWalk *walk, int64_t processors) {
  int senders[MOST_PROCESSORS] = {0};
  int64_t lowest[MOST_PROCESSORS], sender;
  TgMessages messages;
  TgMessage message;
  TgError error;
  TgProgress progress;
  tg_messages_init(&messages, walk, TG_COLLECTIVE_WHOLE);
  while ((progress = tg_messages_next(&messages, &message, &error)) == TG_PROGRESS_MORE)
    if (senders[message.to]++ == 0) lowest[message.to] = message.from;
  for (int64_t p = 0; progress == TG_PROGRESS_END && p < processors; p++) {
    g_assert_cmpint(tg_walk_sender(walk, p, &sender, &error), ==, MIN(senders[p], 2));
    if (senders[p]) g_assert_cmpint(sender, ==, lowest[p]);
  }
}

/** False where the walk alone takes too long, or is longer than the budget of a run: every run walks through all of it
 * once before it begins. */
static bool check_moves(const Run *run) {
  const clock_t start = clock();
  TgWalk walk;
  TgError error;
  tg_walk_init(&walk, run->schedule, run->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) {
    if (walk.executed > MOST_STATEMENTS) return false;
    const int op = run->schedule->statement[walk.statement].op;
    if (op == TG_OP_MOVE || op == TG_OP_ADD) check_senders(&walk, tg_schedule_processors(run->schedule));
    if (clock() - start > CLOCKS_PER_SEC / 20) return false;
  }
  return true;
}

static void check_run(const Run *run) {
  TgError failure = {0};
  TgProof proof;
  if (!check_moves(run)) return;
  const Outcome outcome = run_twice(run, TG_COLLECTIVE_WHOLE, &failure);
  if (outcome == OUTCOME_TOO_MUCH) return;
  const bool right = tg_prove(run->schedule, run->names, TG_COLLECTIVE_WHOLE, 5, 4, 7, &proof);
  g_assert_cmpint(right, ==, outcome == OUTCOME_RIGHT);
  g_assert_cmpint(proof.failure.cause, ==, failure.cause);
  g_assert_cmpint(proof.failure.processor, ==, failure.processor);
  for (int form = TG_COLLECTIVE_AUTO; form < TG_COLLECTIVES; form++) {
    TgError other = {0};
    const Outcome same = run_twice(run, (TgCollective)form, &other);
    if (same != outcome && same != OUTCOME_TOO_MUCH)
      g_error("whole: %s; %s: %s", failure.message, tg_collective_name((TgCollective)form), other.message);
  }
}

static void check_mutation(const char *text, size_t size, uint64_t seed) {
  TgMutation mutation;
  TgSchedule schedule;
  TgScheduleNames names;
  char *edited = tg_mutate(text, size, seed, &mutation);
  if (edited) tg_schedule_parse(&schedule, &names, edited, strlen(edited), NULL);
  free(edited);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static TgSchedule schedule;
  static TgScheduleNames names;
  TgError error = {0};
  const bool utf8 = g_utf8_validate((const char *)bytes, (gssize)size, NULL);
  if (!tg_schedule_parse(&schedule, &names, (const char *)bytes, size, &error)) {
    check_place(&error, bytes, size, utf8);
    return 0;
  }
  for (int kind = 0; kind < 6; kind++) {
    TgBindings bindings = {0};
    choose(&schedule, &names, kind, &bindings);
    if (!is_small(&schedule, &names, &bindings)) continue;
    if (tg_schedule_bind(&schedule, &names, &bindings, &error))
      check_run(&(Run){&schedule, &names, utf8});
    else
      check_words(error.message, sizeof error.message, utf8);
  }
  check_mutation((const char *)bytes, size, size);
  return 0;
}

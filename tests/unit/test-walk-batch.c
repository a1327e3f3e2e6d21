/* A statement at many processors at once is what it is at each of them. */
#include "../schedule-text.h"
#include "walk-batch.h"

/* How many processors the batch gave up on, of all. */
static int64_t check_statement(const TgWalk *walk, gint64 *given_up) {
  int64_t processors = tg_schedule_processors(walk->schedule);
  int count;
  for (int64_t first = 0; first < processors; first += count) {
    TgWalkBatch batch;
    TgError error;
    bool all_fine = true;
    count = (int)MIN(g_test_rand_int_range(1, TG_WALK_BATCH_PROCESSORS + 1), processors - first);
    bool known = tg_walk_batch(walk, first, count, &batch);
    for (int i = 0; i < count; i++) {
      TgLocal local;
      bool fine = tg_walk_local(walk, first + i, &local, &error);
      all_fine = all_fine && fine;
      if (!known) continue;
      g_assert_true(fine);
      g_assert_cmpint(batch.takes_part[i], ==, local.takes_part);
      if (local.takes_part) g_assert_cmpint(batch.to[i], ==, local.to);
    }
    if (!known) *given_up += count;
    if (!all_fine) g_assert_false(known);
  }
  return processors;
}

static bool is_local(const TgSchedule *schedule, int statement) {
  int op = schedule->statement[statement].op;
  return op == TG_OP_MOVE || op == TG_OP_ADD || op == TG_OP_MULTIPLY || op == TG_OP_COPY || op == TG_OP_ZERO ||
         op == TG_OP_TRANSPOSE;
}

/* Returns the processors that a batch gave up on, statements counted. */
static gint64 check_schedule(const Bound *bound) {
  TgWalk walk;
  TgError error;
  gint64 given_up = 0;
  tg_walk_init(&walk, &bound->schedule, &bound->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE)
    if (is_local(&bound->schedule, walk.statement)) check_statement(&walk, &given_up);
  return given_up;
}

static void test_library(void) {
  static const char *const grids[] = {"", "9", "16x16", "8x8x8"};
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (gsize i = 0; i < count; i++) {
    Bound bound;
    g_test_message("%s", entries[i].name);
    g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entries[i].text, entries[i].length, &bound.error));
    g_assert_true(bound_from(&bound, entries[i].text, grids[bound.schedule.dims], NULL));
    g_assert_cmpint(check_schedule(&bound), ==, 0);
  }
}

/* Each map alone, on 20 x 30 processors, and whether a batch can tell. */
static void test_maps(void) {
  static const struct {
    const char *statement;
    bool known;
  } maps[] = {
      {"move A to (i+1000000007*j, j-i-12345678901)", true},
      {"move A to (-i*j, (i*i+j)/7%5)", true},
      {"move A to (i xor j, 2**(i%8))", true},
      {"move A to (i, j) where i*j >= 40", true},
      {"move A to (i, j+1) where i < 10", true},
      {"move A to (10/(i-3), j) where i > 3", false},          /* those that do not take part divide by zero */
      {"move A to (10/(i-3), j)", false},                      /* and so does one that does */
      {"move A to (i*9223372036854775807, j)", false},         /* overflow by product */
      {"move A to (9223372036854775800+i, j)", false},         /* by sum */
      {"move A to (-9223372036854775807-i, j)", false},        /* by difference */
      {"move A to (log2(2**(i%8)), j)", true},                 /* … */
      {"move A to (log2(i), j)", false},                       /* of what is no power of two */
      {"move A to (2**(i-5), j)", false},                      /* negative exponent */
      {"move A to (i, j+1) into A[j]", true},                  /* slots are checked */
      {"move A to (i, j+1) into A[j-1]", false},               /* … */
      {"C += A * B where i != 9223372036854775807 - j", true}, /* … */
  };
  for (gsize m = 0; m < G_N_ELEMENTS(maps); m++) {
    Bound bound;
    g_autofree char *text =
        g_strdup_printf("schedule t\ngrid i:20, j:30\nplace A(i,j) on (i,j)\nplace B(j,i) on (i,j)\n"
                        "place C(i,t) on (i,0) as C[t] for t in 20\n%s\n",
                        maps[m].statement);
    g_test_message("%s", maps[m].statement);
    if (!bound_from(&bound, text, NULL, NULL))
      g_error("%d:%d: %s", bound.error.line, bound.error.column, bound.error.message);
    g_assert_cmpint(check_schedule(&bound) == 0, ==, maps[m].known);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/batch/library", test_library);
  g_test_add_func("/batch/maps", test_maps);
  return g_test_run();
}

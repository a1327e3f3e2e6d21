/* The proof: what it accepts and counts, what it rejects and in which words, what going back restores. */
#include <math.h>

#include "bounds.h"
#include "prove.h"
#include "../schedule-text.h"

#define GRID "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"
#define ALIGN "step \"align\"\n  move A to (i, j-i)\n  move B to (i-j, j)\n"
#define LOOP "repeat s in q\n  step \"multiply and shift\"\n    C += A * B\n"
#define SHIFT "    move A to (i, j-1) where s < q-1\n    move B to (i-1, j) where s < q-1\n"

#define COPIES "schedule t\ngrid i:q, j:q\nplace A(i,0), B(0,0) on (i,0)\nplace C(i,0) on (i,j)\n"

typedef struct Rejection {
  const char *what, *text;
  TgCause cause;
  gint64 step, processor;
  int line;
  const char *message;
} Rejection;

static const Rejection rejections[] = {
    {"wrong-shift", GRID ALIGN LOOP "    move A to (i, j+1) where s < q-1\n    move B to (i-1, j) where s < q-1\n",
     TG_CAUSE_INNER_MISMATCH, 3, 0, 9,
     "step 3 (multiply and shift), processor (0, 0): `C += A * B` multiplies A(0, 2) by B(1, 0), whose inner indices 2 "
     "and 1 differ"},
    {"missing-alignment", GRID LOOP SHIFT, TG_CAUSE_INNER_MISMATCH, 1, 1, 6,
     "step 1 (multiply and shift), processor (0, 1): `C += A * B` multiplies A(0, 1) by B(0, 1), whose inner indices 1 "
     "and 0 differ"},
    {"double-write", GRID "step \"align\"\n  move A to (i, 0)\n" LOOP SHIFT, TG_CAUSE_WRITTEN_TWICE, 1, 0, 5,
     "step 1 (align), processor (0, 0): `move A to (i, 0)` writes A twice"},
    {"empty-slot", GRID ALIGN LOOP "    C += P * B\n    move A to (i,j) into P\n", TG_CAUSE_EMPTY_READ, 2, 0, 10,
     "step 2 (multiply and shift), processor (0, 0): `C += P * B` reads P, which is empty"},
    {"wrong-processor", GRID ALIGN LOOP SHIFT "step \"away\"\n  move C to (i+1, j)\n", TG_CAUSE_FINAL_OTHER, 5, 0, 0,
     "step 5, processor (0, 0): at the end C holds C(2, 0) with 3 of 3 terms, expected C(0, 0)"},
    {"inner-missing", GRID ALIGN "repeat s in q-1\n  step \"multiply and shift\"\n    C += A * B\n" SHIFT,
     TG_CAUSE_FINAL_TERMS, 3, 0, 0, "lacks inner index 2 (it has 2 of 3)"},
    {"inner-twice", GRID ALIGN LOOP "    C += A * B where s == 0\n" SHIFT, TG_CAUSE_FINAL_TERMS, 4, 0, 0,
     "C(0, 0) holds inner index 0 twice"},
    {"never-computed", GRID "move A to (i,j)\n", TG_CAUSE_FINAL_MISSING, 1, 0, 0, "at the end C holds nothing"},
    {"wrong-order", GRID "C += B * A\n", TG_CAUSE_WRONG_FACTOR, 1, 0, 4,
     "takes B(0, 0) as its left factor, expected a block of A"},
    {"not-transposed", GRID "C += A' * B\n", TG_CAUSE_WRONG_FACTOR, 1, 0, 4, "takes A(0, 0)' as its left factor"},
    {"sum-of-blocks", GRID "add A to (i, 0)\n", TG_CAUSE_WRONG_SUM, 1, 0, 4, "adds A(0, 0) to A(0, 0)"},
    {"other-block", GRID ALIGN "C += A * B\nmove C to (i, j+1)\nC += A * B\n", TG_CAUSE_WRONG_SUM, 4, 0, 9,
     "adds a term of C(0, 0) to C(0, 2) with 1 of 3 terms"},
    {"reduce-empty", GRID ALIGN "C += A * B where j == 0\nreduce C along j to 0\n", TG_CAUSE_EMPTY_READ, 3, 1, 8,
     "processor (0, 1): `reduce C along j to 0` reads C, which is empty"},
    {"bad-expression", GRID "move A to (i, j/(i-1))\n", TG_CAUSE_EXPRESSION, 1, 3, 4,
     "processor (1, 0): divides by zero"},
    {"bad-repeat", GRID "move A to (i, j)\nrepeat s in 0-3\n  C += A * B\n", TG_CAUSE_EXPRESSION, 1, -1, 5,
     "a repeat of -3 times"},
    {"negative-slot", GRID "copy A into P[i-1]\nC += P[0] * B\n", TG_CAUSE_EXPRESSION, 1, 0, 4, "slot P[-1]"},
    {"two-placed", "schedule t\ngrid i:q, j:q\nplace A(i,j), C(i,j) on (i,j)\nplace B(i,j) on (i,j) as A\nC += A * A\n",
     TG_CAUSE_WRITTEN_TWICE, 0, 0, 0, "two blocks are placed in A"},
    {"two-results", "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j) on (i,j)\nplace C(i,j) on (i,0)\nC += A * B\n",
     TG_CAUSE_WRITTEN_TWICE, 0, 0, 0, "two blocks of C would end in C"},
    {"copy-missing", COPIES "C = A * B where j == 0\nbroadcast C along j from 0 where i > 0\n", TG_CAUSE_FINAL_MISSING, 2, 1, 0,
     "step 2, processor (0, 1): at the end C holds nothing, expected C(0, 0)"},
    {"copy-unfinished", COPIES "C = A * B where j == 0\nzero C where j > 0\n", TG_CAUSE_FINAL_OTHER, 2, 1, 0,
     "step 2, processor (0, 1): at the end C holds zero"},
};

static gboolean prove(Bound *bound, TgProof *proof) {
  gint64 m, n, k;
  tg_proof_sizes(&bound->schedule, &m, &n, &k);
  return tg_prove(&bound->schedule, &bound->names, TG_COLLECTIVE_WHOLE, m, n, k, proof);
}

static void test_rejection(gconstpointer data) {
  const Rejection *rejection = data;
  Bound bound;
  TgProof proof;
  g_assert_true(bound_from(&bound, rejection->text, "3x3", NULL));
  g_assert_false(prove(&bound, &proof));
  g_test_message("%s", proof.failure.message);
  g_assert_nonnull(strstr(proof.failure.message, rejection->message));
  g_assert_cmpint(proof.failure.cause, ==, rejection->cause);
  g_assert_cmpint(proof.failure.step, ==, rejection->step);
  g_assert_cmpint(proof.failure.processor, ==, rejection->processor);
  g_assert_cmpint(proof.failure.line, ==, rejection->line);
}

static const struct {
  const char *name, *grid;
  gint64 messages, products, statements, blocks, steps;
} counted[] = {{"cannon", "4x4", 120, 64, 14, 3, 5}, {"dns", "4x4x4", 168, 64, 6, 3, 4},
               {"summa", "4x4", 96, 64, 12, 5, 4},   {"cannon25d", "8x8x2", 1184, 512, 17, 3, 7},
               {"ring", "6", 30, 36, 12, 8, 6},      {"dns-rounds", "4x4x4", 168, 64, 9, 3, 6},
               {"transpose", "4x4", 12, 0, 2, 2, 2}};

static void test_counts(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(counted); i++) {
    Bound bound;
    TgProof proof;
    g_assert_true(bound_from_library(&bound, counted[i].name, counted[i].grid, NULL));
    g_assert_true(prove(&bound, &proof));
    g_assert_cmpint(proof.counts.messages, ==, counted[i].messages);
    g_assert_cmpint(proof.counts.products, ==, counted[i].products);
    g_assert_cmpint(proof.counts.statements, ==, counted[i].statements);
    g_assert_cmpint(proof.counts.blocks_per_processor_max, ==, counted[i].blocks);
    g_assert_cmpint(proof.steps, ==, counted[i].steps);
    g_assert_cmpint(proof.unread_count, ==, 0);
  }
}

/* Grids by the number of coordinates and a size; what does not meet its requirements is left out, but each algorithm
 * must have been proved somewhere, and at 5 and 7 where nothing forbids it. */
static void test_library(void) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_assert_cmpuint(count, >=, 17);
  for (gsize i = 0; i < count; i++) {
    int proved = 0;
    for (int q = 1; q <= 9; q++) {
      Bound bound;
      TgProof proof;
      g_autofree char *grid = NULL;
      g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entries[i].text, entries[i].length, &bound.error));
      int dims = bound.schedule.dims;
      grid = dims == 1   ? g_strdup_printf("%d", q)
             : dims == 2 ? g_strdup_printf("%dx%d", q, q)
                         : g_strdup_printf("%dx%dx%d", q, q, q);
      if (!bound_from(&bound, entries[i].text, grid, NULL)) {
        g_assert_cmpint(bound.schedule.bound, ==, TG_BOUND_UNMET);
        continue;
      }
      if (!prove(&bound, &proof)) g_error("%s %s: %s", entries[i].name, grid, proof.failure.message);
      g_assert_cmpint(proof.unread_count, ==, 0);
      for (int c = TG_COLLECTIVE_AUTO; c < TG_COLLECTIVES; c++) {
        TgProof expanded;
        g_assert_true(tg_prove(&bound.schedule, &bound.names, (TgCollective)c, proof.m, proof.n, proof.k, &expanded));
        g_assert_cmpint(expanded.counts.products, ==, proof.counts.products);
        g_assert_cmpint(expanded.counts.words_per_processor_max, ==, proof.counts.words_per_processor_max);
      }
      proved++;
    }
    g_assert_cmpint(proved, >=, 3);
  }
}

static void test_unread(void) {
  Bound bound;
  TgProof proof;
  g_assert_true(bound_from(&bound, GRID ALIGN LOOP "    move A to (i, j-1)\n    move B to (i-1, j) where s < q-1\n",
                           "3x3", NULL));
  g_assert_true(prove(&bound, &proof));
  g_assert_cmpint(proof.unread_count, ==, 1);
  g_assert_cmpint(proof.unread[0].times, ==, 9);
  g_assert_cmpint(proof.unread[0].step, ==, 4);
  g_assert_cmpint(bound.schedule.statement[proof.unread[0].statement].line, ==, 10);
}

static char *describe(TgState *state, const TgSchedule *schedule) {
  GString *text = g_string_new(NULL);
  for (gint64 p = 0; p < tg_schedule_processors(schedule); p++)
    for (int b = 0; b < schedule->buffers; b++)
      for (int i = 0; i < tg_state_length(state, b); i++) {
        char name[64];
        tg_state_value_text(state, tg_state_slot(state, p, b, i), name, sizeof name);
        g_string_append_printf(text, "%s;", name);
      }
  g_string_append_printf(text, "%lld", (long long)tg_state_counts(state)->messages);
  return g_string_free(text, FALSE);
}

static void test_snapshots(void) {
  Bound bound;
  TgError failure;
  g_assert_true(bound_from_library(&bound, "cannon25d", "4x4x2", NULL));
  TgState *state = tg_state_new(&bound.schedule, &bound.names, TG_COLLECTIVE_WHOLE, NULL, &failure);
  TgSnapshot *snapshots[8];
  char *texts[8];
  int steps = 0;
  do {
    snapshots[steps] = tg_state_save(state);
    texts[steps] = describe(state, &bound.schedule);
    steps++;
  } while (tg_state_next_step(state, &failure) == TG_PROGRESS_MORE);
  g_assert_cmpint(steps, ==, 6);
  for (int s = steps - 1; s >= 0; s--) {
    g_assert_true(tg_state_restore(state, snapshots[s]));
    g_assert_cmpint(tg_state_step(state), ==, s);
    g_autofree char *again = describe(state, &bound.schedule);
    g_assert_cmpstr(again, ==, texts[s]);
  }
  while (tg_state_next_step(state, &failure) == TG_PROGRESS_MORE) {
  }
  g_assert_true(tg_state_finish(state, &failure));
  for (int s = 0; s < steps; s++) {
    tg_snapshot_free(state, snapshots[s]);
    g_free(texts[s]);
  }
  tg_state_free(state);
}

/* Steps with nothing in them still count, so that a step's number is the same for every reader. */
static void test_empty_steps(void) {
  Bound bound;
  TgError failure;
  const char *text =
      GRID "step \"none\"\n  repeat s in q-1\n    move A to (i,j)\nC = A * B\nstep \"none\"\n  repeat s in q-1\n"
           "    move A to (i,j)\n";
  g_assert_true(bound_from(&bound, text, "1x1", NULL));
  g_assert_cmpint(tg_walk_count_steps(&bound.schedule, &bound.names, NULL), ==, 3);
  TgState *state = tg_state_new(&bound.schedule, &bound.names, TG_COLLECTIVE_WHOLE, NULL, &failure);
  for (int step = 1; step <= 3; step++) {
    g_assert_cmpint(tg_state_next_step(state, &failure), ==, TG_PROGRESS_MORE);
    g_assert_cmpint(tg_state_step(state), ==, step);
  }
  g_assert_cmpint(tg_state_next_step(state, &failure), ==, TG_PROGRESS_END);
  g_assert_true(tg_state_finish(state, &failure));
  tg_state_free(state);
}

static void test_symmetric_transpose(void) {
  Bound bound;
  TgProof proof;
  const char *text = "schedule t\ngrid i:q\ncomputes C = A * A'\nplace A(i,0) on (0) as A[i]\nplace C(i,t) on (0) as "
                     "C[i*q+t] for t in q\n"
                     "repeat r in q\n  repeat c in r+1\n    C[r*q+c] = A[r] * A[c]' where i == 0\n    copy C[r*q+c] "
                     "into C[c*q+r] where i == 0\n"
                     "    transpose C[c*q+r] where c < r and i == 0\n";
  g_assert_true(bound_from(&bound, text, "3", NULL));
  prove(&bound, &proof);
  g_assert_cmpstr(proof.failure.message, ==, "");
}

/* A schedule that would run for ever is refused at once, with the place of its outermost repeat. */
static void test_endless(void) {
  Bound bound;
  TgProof proof;
  g_assert_true(bound_from(&bound, GRID "repeat s in 10**15\n  repeat t in 10**3\n    move A to (i,j)\n", "2x2", NULL));
  g_assert_false(prove(&bound, &proof));
  g_assert_cmpint(proof.failure.cause, ==, TG_CAUSE_MEMORY);
  g_assert_cmpint(proof.failure.line, ==, 4);
  g_assert_nonnull(strstr(proof.failure.message, "16777216 statements"));
}

typedef struct Watched {
  int64_t most, last; /* statements after which it stops, and those told last */
  int asked;
} Watched;

static bool go_on(void *user, int64_t done) {
  Watched *watched = user;
  g_assert_cmpint(watched->last, <=, done);
  g_assert_cmpint(watched->last, <=, watched->most); /* not asked again once it has stopped the run */
  watched->last = done;
  watched->asked++;
  return done <= watched->most;
}

/* Told every statement, stopped between two of them and within a long one; no other run is the worse for it. */
static void test_watched(void) {
  static const char *const names[] = {"cannon", "summa", "dns"}, *const grids[] = {"3x3", "3x3", "3x3x3"};
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    Bound bound;
    TgProof proof;
    g_assert_true(bound_from_library(&bound, names[i], grids[i], NULL));
    const gint64 statements = tg_walk_count_statements(&bound.schedule, &bound.names);
    for (gint64 most = 0; most <= statements; most++) {
      Watched watched = {.most = most};
      const TgWatch watch = {go_on, &watched};
      const bool ok = tg_prove_watched(&bound.schedule, &bound.names, TG_COLLECTIVE_AUTO, 9, 9, 9, &watch, &proof);
      g_assert_cmpint(ok, ==, most >= statements - 1);
      g_assert_cmpint(proof.failure.cause, ==, ok ? TG_CAUSE_NONE : TG_CAUSE_STOPPED);
      g_assert_cmpint(watched.last, ==, MIN(most + 1, statements - 1));
    }
    g_assert_cmpint(proof.counts.statements, ==, statements);
  }
}

/* 3 * 65536 blocks are not placed in one go, nor is a statement of as many processors executed so. */
static void test_watched_within(void) {
  static const char *const texts[] = {"move A to (i, j+1)\n", "zero C\n", "broadcast A along j from 0\n"};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autofree char *text = g_strconcat(GRID, texts[i], NULL);
    Bound bound;
    TgProof proof;
    Watched watched = {.most = 1};
    const TgWatch watch = {go_on, &watched};
    g_assert_true(bound_from(&bound, text, "256x256", NULL));
    tg_prove_watched(&bound.schedule, &bound.names, TG_COLLECTIVE_WHOLE, 256, 256, 256, &watch, &proof);
    g_assert_cmpint(watched.asked, >=, (3 + 1) * 65536 / 4096);
  }
}

static void test_bounds(void) {
  /* p = 16 on n = 1024 squares: 3 (n³/p)^(2/3) - 3 n²/p; on a long matrix, p <= m/n: nk (1 - 1/p). */
  double n = 1024;
  g_assert_cmpfloat_with_epsilon(tg_bound_memory_independent(n, n, n, 16),
                                 3 * pow(n * n * n / 16, 2.0 / 3) - 3 * n * n / 16, 1e-6);
  g_assert_cmpfloat_with_epsilon(tg_bound_memory_independent(8, 100000, 8, 4), 64 * 0.75, 1e-9);
  g_assert_cmpfloat_with_epsilon(tg_bound_memory_independent(8, 8, 100000, 4), 64 * 0.75, 1e-9);
  g_assert_cmpfloat_with_epsilon(tg_bound_memory_dependent(n, n, n, 16, 3 * n * n / 16),
                                 2 * n * n * n / 16 / sqrt(3 * n * n / 16) - 6 * n * n / 16, 1e-6);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rejections); i++) {
    g_autofree char *path = g_strdup_printf("/state/rejection/%s", rejections[i].what);
    g_test_add_data_func(path, &rejections[i], test_rejection);
  }
  g_test_add_func("/state/counts", test_counts);
  g_test_add_func("/state/library", test_library);
  g_test_add_func("/state/unread", test_unread);
  g_test_add_func("/state/snapshots", test_snapshots);
  g_test_add_func("/state/empty-steps", test_empty_steps);
  g_test_add_func("/state/symmetric-transpose", test_symmetric_transpose);
  g_test_add_func("/state/endless", test_endless);
  g_test_add_func("/state/watched", test_watched);
  g_test_add_func("/state/watched-within", test_watched_within);
  g_test_add_func("/state/bounds", test_bounds);
  return g_test_run();
}

/* Texts that ask for too much, or for odd things, get an answer soon and in whole characters. */
#include "../schedule-text.h"

#include "prove.h"
#include "sum.h"

#define BEGIN "schedule x\ngrid i:q\nplace A(i,0), C(i,0) on (i)\nplace B(0,0) on (0)\n"

static Bound bound;
static TgProof proof;

static bool prove(TgCollective collective) {
  return tg_prove(&bound.schedule, &bound.names, collective, 4, 4, 4, &proof);
}

static void test_idle_repeats(void) {
  TgError error;
  g_assert_true(bound_from(&bound, BEGIN "repeat s in 10**18\n  repeat t in 0\n    copy A into T\n", "2", NULL));
  TgWalk walk;
  tg_walk_init(&walk, &bound.schedule, &bound.names);
  g_assert_cmpint(tg_walk_next(&walk, &error), ==, TG_PROGRESS_ERROR);
  g_assert_cmpint(error.line, ==, 5);
  g_assert_cmpint(tg_walk_count_steps(&bound.schedule, &bound.names, &error), ==, 1); /* the run itself reports it */
  g_assert_false(prove(TG_COLLECTIVE_WHOLE));
  g_assert_cmpint(proof.failure.cause, ==, TG_CAUSE_MEMORY);
  g_assert_nonnull(strstr(proof.failure.message, "execute no statement"));
}

/* A count that fails after a fault: the run reports the fault that comes first. */
static void test_fault_before_count(void) {
  TgError error;
  g_assert_true(bound_from(&bound, BEGIN "move A to (0)\nrepeat s in q/(q-2)\n  move A to (i)\n", "2", NULL));
  g_assert_cmpint(tg_walk_count_steps(&bound.schedule, &bound.names, &error), ==, 2);
  g_assert_false(prove(TG_COLLECTIVE_WHOLE));
  g_assert_cmpint(proof.failure.cause, ==, TG_CAUSE_WRITTEN_TWICE);
  g_assert_true(bound_from(&bound, BEGIN "repeat s in 10**15\n  move A to (i)\n", "2", NULL));
  g_assert_cmpint(tg_walk_count_steps(&bound.schedule, &bound.names, &error), ==, -1);
}

static void test_placed_blocks(void) {
  static const char text[] =
      "schedule x\ngrid i:q\nplace A(0,0) on (i) as A[i] for t in %s\nplace B(0,0), C(0,0) on (0)\nC = A * B\n";
  static const char *const too_many[] = {"67108865", "33554433", "9223372036854775807", "0-1"};
  for (size_t i = 0; i < G_N_ELEMENTS(too_many); i++) {
    g_autofree char *wrong = g_strdup_printf(text, too_many[i]);
    g_assert_false(bound_from(&bound, wrong, "2", NULL));
    g_assert_cmpint(bound.error.line, ==, 3);
    g_assert_nonnull(strstr(bound.error.message, "a placement of "));
  }
}

/** "…" and "é" are cut nowhere in the middle, at whatever byte the room ends. */
static void test_whole_characters(void) {
  static const char *const letters[] = {"é", "…", "𝄞", "aé", "é…", "a𝄞"};
  for (size_t i = 0; i < G_N_ELEMENTS(letters); i++) {
    g_autoptr(GString) long_text = g_string_new(NULL);
    TgError error;
    while (long_text->len < sizeof error.message + 8) g_string_append(long_text, letters[i]);
    for (size_t limit = 0; limit < 40; limit++) {
      const int bytes = tg_text_fit(long_text->str, limit);
      g_assert_true(g_utf8_validate(long_text->str, bytes, NULL));
      g_assert_cmpint(bytes, <=, limit);
      g_assert_cmpint(bytes, >, (int)limit - 4);
    }
    tg_error_set(&error, 0, 0, "%s", long_text->str);
    g_assert_true(g_utf8_validate(error.message, -1, NULL));
    g_assert_cmpint(strlen(error.message), >=, sizeof error.message - 4);
  }
  g_assert_cmpint(tg_text_fit("naïve", 40), ==, 6);
  g_assert_cmpint(tg_text_fit("\x80\x80\x80\x80", 4), ==, 4);
}

static void test_long_labels(void) {
  const char *label = "xαβγδεζηθικλμνξοπρστυφχψω";
  g_autofree char *text = g_strdup_printf(BEGIN "step \"%s\"\n  copy B into T\n", label);
  g_assert_true(bound_from(&bound, text, "2", NULL));
  g_assert_false(prove(TG_COLLECTIVE_WHOLE));
  g_assert_nonnull(strstr(proof.failure.message, "(xαβγ"));
  g_autofree char *wrong = g_strdup_printf(BEGIN "step \"a\" \"%s\"\n", label);
  g_assert_false(bound_from(&bound, wrong, NULL, NULL));
  g_assert_true(g_utf8_validate(proof.failure.message, -1, NULL));
  g_assert_true(g_utf8_validate(bound.error.message, -1, NULL));
}

/** The schedule, with the number of one processor in it, is right whatever variant its collectives take. */
static void right_in_every_variant(const char *text, int length) {
  g_autofree char *grid = g_strdup_printf("%d", length);
  if (!bound_from(&bound, text, grid, NULL)) g_error("%s", bound.error.message);
  for (int variant = 0; variant < TG_COLLECTIVES; variant++)
    if (!prove((TgCollective)variant))
      g_error("%s of %d: %s\n%s", tg_collective_name((TgCollective)variant), length, proof.failure.message, text);
}

/** Zeros take part in a reduce as nothing, wherever they stand: among sums, and around one block of A. */
static void test_sums_with_zeros(void) {
  static const char sums[] = "schedule x\ngrid t:p\nplace A(0,t), B(t,0) on (t)\nplace C(0,0) on (0) as D\nzero C\n"
                             "C = A * B where t != %d\nmove A to (0) into E where t == %d\n"
                             "move B to (0) into F where t == %d\nreduce C along t to 0 into D\n"
                             "D += E * F where t == 0\n";
  static const char block[] = "schedule x\ngrid t:p\nplace A(0,0) on (%d)\nplace B(0,0), C(0,0) on (0)\nzero E\n"
                              "copy A into E where t == %d\nreduce E along t to 0\nC = E * B where t == 0\n";
  for (int length = 2; length <= 9; length++) {
    for (int p = 0; p < length; p++) {
      g_autofree char *among = g_strdup_printf(sums, p, p, p), *around = g_strdup_printf(block, p, p);
      right_in_every_variant(among, length);
      right_in_every_variant(around, length);
    }
  }
}

static void test_sums(void) {
  const int64_t most = TG_SUM_MOST;
  g_assert_cmpint(tg_sum(2, 3), ==, 5);
  g_assert_cmpint(tg_sum(most - 3, 2), ==, most - 1);
  g_assert_false(tg_sum_is_full(tg_sum(most - 3, 2)));
  for (int64_t more = 3; more > 0; more = more > most / 3 ? 0 : 3 * more)
    g_assert_true(tg_sum_is_full(tg_sum(most - 3, more)) && tg_sum_is_full(tg_sum(tg_sum(most - 3, more), more)));
  g_assert_true(tg_sum_is_full(tg_sum(most, most)));
  g_assert_cmpint(tg_sum_times(most, 0), ==, 0);
  g_assert_cmpint(tg_sum_times(INT64_C(1) << 61, 3), ==, INT64_C(3) << 61);
  g_assert_true(tg_sum_is_full(tg_sum_times(INT64_C(1) << 61, 4)) && tg_sum_is_full(tg_sum_times(3, most)));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/limits/idle-repeats", test_idle_repeats);
  g_test_add_func("/limits/fault-before-count", test_fault_before_count);
  g_test_add_func("/limits/placed-blocks", test_placed_blocks);
  g_test_add_func("/limits/whole-characters", test_whole_characters);
  g_test_add_func("/limits/long-labels", test_long_labels);
  g_test_add_func("/limits/sums-with-zeros", test_sums_with_zeros);
  g_test_add_func("/limits/sums", test_sums);
  return g_test_run();
}

/* tg_walk_sender() against a search of all processors: for the library, and for schedules edited at random. */
#include "mutate.h"
#include "../schedule-text.h"

#include <stdlib.h>

static int search(const TgWalk *walk, gint64 receiver, gint64 *sender) {
  int found = 0;
  for (gint64 p = tg_schedule_processors(walk->schedule) - 1; p >= 0; p--) {
    TgLocal local;
    if (!tg_walk_local(walk, p, &local, NULL)) return -1;
    if (!local.takes_part || local.to != receiver) continue;
    found++;
    *sender = p;
  }
  return MIN(found, 2);
}

static int closed, searched;

static void check_statement(const TgWalk *walk) {
  int op = walk->schedule->statement[walk->statement].op;
  if (op != TG_OP_MOVE && op != TG_OP_ADD) return;
  *(tg_walk_has_inverse(walk) ? &closed : &searched) += 1;
  for (gint64 receiver = 0; receiver < tg_schedule_processors(walk->schedule); receiver++) {
    gint64 expected = -1, found = -1;
    int count = search(walk, receiver, &expected);
    if (count < 0) return; /* an expression fails somewhere: the prover reports it */
    g_assert_cmpint(tg_walk_sender(walk, receiver, &found, NULL), ==, count);
    if (count > 0) g_assert_cmpint(found, ==, expected);
  }
}

static void check(const char *text, int q) {
  Bound bound;
  TgWalk walk;
  if (!bound_from(&bound, text, NULL, NULL)) {
    g_autofree char *grid = bound.schedule.dims == 1   ? g_strdup_printf("%d", q)
                            : bound.schedule.dims == 2 ? g_strdup_printf("%dx%d", q, q)
                                                       : g_strdup_printf("%dx%dx%d", q, q, q);
    if (!bound_from(&bound, text, grid, NULL)) return;
  }
  tg_walk_init(&walk, &bound.schedule, &bound.names);
  while (tg_walk_next(&walk, NULL) == TG_PROGRESS_MORE) check_statement(&walk);
}

static void test_library(void) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (gsize i = 0; i < count; i++)
    for (int q = 1; q <= 5; q++) check(entries[i].text, q);
  g_assert_cmpint(closed, >, 100);
}

static void test_edited(void) {
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  closed = searched = 0;
  for (gsize i = 0; i < count; i++)
    for (guint64 seed = 0; seed < 150; seed++) {
      TgMutation mutation;
      char *text = tg_mutate(entries[i].text, entries[i].length, seed, &mutation);
      if (text) check(text, 3 + (int)(seed % 2));
      free(text);
    }
  g_assert_cmpint(closed, >, 1000);
  g_assert_cmpint(searched, >, 100);
}

static const struct {
  const char *to;
  gboolean inverse;
} maps[] = {{"i, j-1", TRUE},          {"i, j-i*3", TRUE},        {"i xor 1, j", TRUE}, {"i, (j xor i) xor 2", TRUE},
            {"i, 2 xor j", TRUE},      {"j, i", FALSE},           {"i, 2*j", FALSE},    {"i, j xor j", FALSE},
            {"i, (j*3) xor 1", FALSE}, {"i, (j xor 1)+1", FALSE}, {"i, 0", FALSE},      {"i+1, j+1", FALSE},
            {"i, -j xor 1", FALSE},    {"i, i*2 xor j", TRUE},    {"i, j", TRUE}};

static void test_kinds(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(maps); i++) {
    Bound bound;
    TgWalk walk;
    g_autofree char *text = g_strdup_printf(
        "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nmove A to (%s)\n", maps[i].to);
    g_assert_true(bound_from(&bound, text, "4x4", NULL));
    tg_walk_init(&walk, &bound.schedule, &bound.names);
    g_assert_cmpint(tg_walk_next(&walk, NULL), ==, TG_PROGRESS_MORE);
    g_test_message("%s", maps[i].to);
    g_assert_cmpint(tg_walk_has_inverse(&walk), ==, maps[i].inverse);
    check_statement(&walk);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sender/kinds", test_kinds);
  g_test_add_func("/sender/library", test_library);
  g_test_add_func("/sender/edited", test_edited);
  return g_test_run();
}

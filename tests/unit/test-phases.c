/* Phases: whoever watches is asked while they are made. */
#include "../schedule-text.h"
#include "phase.h"
#include "sim-error.h"

typedef struct Asked {
  int times, most;
} Asked;

static bool ask(void *user, int64_t done) {
  Asked *asked = user;
  g_assert_cmpint(done, <=, 1);
  return ++asked->times < asked->most;
}

/* The phases of one statement of a million messages. */
static TgProgress gather(gint64 n, Asked *asked, GError **error) {
  static const char text[] = "schedule t\ngrid i:p, j:q\nplace A(i,j) on (i,j)\nplace B(j,i) on (i,j)\n"
                             "place C(i,t) on (i,0) as C[t] for t in p\nallgather A along j into P\n";
  const TgWatch watch = {ask, asked};
  Bound bound;
  TgShape shape;
  TgPhase *phase = NULL;
  TgPhaseAt at;
  if (!bound_from(&bound, text, "16x256", NULL)) g_error("%s", bound.error.message);
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, n, n, n, error));
  const TgPhasesOf of = {.schedule = &bound.schedule,
                         .names = &bound.names,
                         .shape = &shape,
                         .element_bytes = 8,
                         .collective = TG_COLLECTIVE_RING,
                         .watch = &watch};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, error);
  const TgProgress progress = tg_phases_next(phases, &phase, &at, error);
  if (progress == TG_PROGRESS_MORE) tg_phase_release(phase);
  g_assert_cmpint(tg_phases_failure(phases)->cause, ==, TG_CAUSE_NONE);
  return progress;
}

/* Also on the way through a statement, with blocks of one size and of several. */
static void test_watched(void) {
  static const gint64 sizes[] = {4096, 4095};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_autoptr(GError) error = NULL;
    Asked all = {0, G_MAXINT}, some = {0, 4};
    g_assert_cmpint(gather(sizes[i], &all, &error), ==, TG_PROGRESS_MORE);
    g_assert_no_error(error);
    g_assert_cmpint(all.times, >=, 8);
    g_assert_cmpint(gather(sizes[i], &some, &error), ==, TG_PROGRESS_ERROR);
    g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_STOPPED);
    g_assert_cmpint(some.times, ==, some.most);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/phases/watched", test_watched);
  return g_test_run();
}

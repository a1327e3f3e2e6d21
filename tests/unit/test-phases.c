/* Phases carry the messages of the walk, and whoever watches is asked while they are made. */
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

/* A sender, a receiver, and the bytes on the way between them in a round. */
typedef struct Parcel {
  gint64 from, to, bytes;
} Parcel;

static int by_ends(const void *a, const void *b) {
  const Parcel *one = a, *other = b;
  if (one->from != other->from) return one->from < other->from ? -1 : 1;
  return (one->to > other->to) - (one->to < other->to);
}

/* The parcels of one round of the walk's current statement, one for each sender and receiver, sorted. */
static GArray *round_of_walk(const TgWalk *walk, TgCollective collective, int round, const TgShape *shape) {
  enum { ELEMENT_BYTES = 8 };
  const TgSchedule *schedule = walk->schedule;
  const gint64 elements = shape->m / schedule->extent[0] * (shape->n / schedule->extent[1]);
  GArray *parcels = g_array_new(FALSE, FALSE, sizeof(Parcel));
  TgMessages messages;
  TgMessage message;
  TgError error;
  tg_messages_init(&messages, walk, collective);
  while (tg_messages_next(&messages, &message, &error) == TG_PROGRESS_MORE) {
    const gint64 first = message.piece * elements / message.pieces,
                 end = (message.piece + 1) * elements / message.pieces;
    const Parcel parcel = {message.from, message.to, (end - first) * ELEMENT_BYTES};
    if (message.round == round && message.from != message.to) g_array_append_val(parcels, parcel);
  }
  g_array_sort(parcels, by_ends);
  for (guint i = 1; i < parcels->len;) {
    Parcel *one = &g_array_index(parcels, Parcel, i - 1), *next = one + 1;
    if (by_ends(one, next) != 0) {
      i++;
      continue;
    }
    one->bytes += next->bytes;
    g_array_remove_index(parcels, i);
  }
  return parcels;
}

static GArray *parcels_of_phase(const TgPhase *phase) {
  GArray *parcels = g_array_new(FALSE, FALSE, sizeof(Parcel));
  for (gint64 t = 0; t < phase->transfers; t++) {
    const Parcel parcel = {phase->from[t], phase->to[t], phase->bytes ? phase->bytes[t] : phase->uniform_bytes};
    g_array_append_val(parcels, parcel);
  }
  g_array_sort(parcels, by_ends);
  return parcels;
}

/* Compares every phase of a run with blocks of n x n elements. */
static void compare_with_walk(const char *algo, const char *grid, gint64 n, TgCollective collective) {
  Bound bound;
  TgShape shape;
  TgPhase *phase = NULL;
  TgPhaseAt at;
  g_autoptr(GError) error = NULL;
  if (!bound_from_library(&bound, algo, grid, NULL)) g_error("%s", bound.error.message);
  const gint64 rows = n * bound.schedule.extent[0];
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, rows, rows, rows, &error));
  const TgPhasesOf of = {.schedule = &bound.schedule,
                         .names = &bound.names,
                         .shape = &shape,
                         .element_bytes = 8,
                         .collective = collective};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, &error);
  int communicated = 0;
  while (tg_phases_next(phases, &phase, &at, &error) == TG_PROGRESS_MORE) {
    if (phase->transfers > 0) {
      g_autoptr(GArray) got = parcels_of_phase(phase);
      g_autoptr(GArray) expected = round_of_walk(tg_phases_walk(phases), collective, at.round, &shape);
      g_assert_cmpmem(got->data, got->len * sizeof(Parcel), expected->data, expected->len * sizeof(Parcel));
      g_assert_cmpint(phase->writes, ==, 1u << bound.schedule.statement[at.statement].target.buffer);
      communicated++;
    }
    tg_phase_release(phase);
  }
  g_assert_no_error(error);
  g_assert_cmpint(communicated, >, 0);
}

/* Rounds that come again with another root, and rounds that only look alike: a chain's last piece may be longer than
 * its first, but both take the same way in different repetitions. */
static void test_messages_of_walk(void) {
  static const char *const algos[] = {"summa", "fox", "cannon"}, *const grids[] = {"2x2", "4x4", "5x5"};
  for (gsize a = 0; a < G_N_ELEMENTS(algos); a++)
    for (gsize g = 0; g < G_N_ELEMENTS(grids); g++)
      for (int collective = TG_COLLECTIVE_AUTO; collective < TG_COLLECTIVES; collective++)
        for (gint64 n = 1; n <= 7; n += 3) compare_with_walk(algos[a], grids[g], n, (TgCollective)collective);
}

/* The slot's index has no value at the last repetition on the last line, and there alone. The rounds of that repetition
 * are known by then, but the run fails. */
static void test_slot_of_one_line(void) {
  static const char text[] = "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nrepeat s in q\n"
                             "  broadcast A along j from s into P[0/(2-s/(q-1)-i/(q-1))]\n";
  Bound bound;
  TgShape shape;
  TgPhase *phase = NULL;
  TgPhaseAt at;
  TgProgress progress;
  g_autoptr(GError) error = NULL;
  if (!bound_from(&bound, text, "4x4", NULL)) g_error("%s", bound.error.message);
  g_assert_true(tg_shape_init(&shape, &bound.schedule.computes, 16, 16, 16, &error));
  const TgPhasesOf of = {.schedule = &bound.schedule,
                         .names = &bound.names,
                         .shape = &shape,
                         .element_bytes = 8,
                         .collective = TG_COLLECTIVE_RING};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, &error);
  g_assert_no_error(error);
  while ((progress = tg_phases_next(phases, &phase, &at, &error)) == TG_PROGRESS_MORE) tg_phase_release(phase);
  g_assert_cmpint(progress, ==, TG_PROGRESS_ERROR);
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/phases/watched", test_watched);
  g_test_add_func("/phases/messages-of-walk", test_messages_of_walk);
  g_test_add_func("/phases/slot-of-one-line", test_slot_of_one_line);
  return g_test_run();
}

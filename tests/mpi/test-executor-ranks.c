/* The executor ranks, in a job of any number of them: every schedule of the library, our own, and random edits of these
 * that are still right, on random grids with random sizes, transports and collectives. Entries are whole numbers, so C
 * has to be the stepper's to the last bit. The seed is an argument: all ranks draw the same. */
#include "executors-cpu.h"

#include "../executor-case.h"
#include "../property/own-schedules.h"

#include "mutate.h"
#include "prove.h"

static const char *const grids[] = {"1",   "4",   "5",   "2x2",   "3x3",   "4x4",   "2x3",
                                    "4x2", "1x3", "6x1", "2x2x2", "3x3x3", "4x4x2", "2x3x2"};

static GRand *draws;
static int edits_wanted, cases;

static bool bind(StepCase *test, const char *text, gsize length, const char *grid) {
  TgBindings bindings = {0};
  return tg_schedule_parse(&test->schedule, &test->names, text, length, NULL) &&
         tg_bindings_grid(&bindings, grid, NULL) && tg_schedule_bind(&test->schedule, &test->names, &bindings, NULL);
}

/* Binds to a random grid of those that it takes; false where it takes none. */
static bool bind_somewhere(StepCase *test, const char *text, gsize length) {
  const int first = g_rand_int_range(draws, 0, G_N_ELEMENTS(grids));
  for (size_t g = 0; g < G_N_ELEMENTS(grids); g++)
    if (bind(test, text, length, grids[((size_t)first + g) % G_N_ELEMENTS(grids)])) return true;
  return false;
}

static bool is_right(const StepCase *test) {
  TgProof proof;
  return tg_prove(&test->schedule, &test->names, TG_COLLECTIVE_WHOLE, test->options.m, test->options.n, test->options.k,
                  &proof);
}

/* False where the schedule, an edit, does not compute what it says. */
static bool check(StepCase *test) {
  static const TgTransport transports[] = {TG_TRANSPORT_COPY, TG_TRANSPORT_PULL, TG_TRANSPORT_MESSAGE};
  const TgComputes *computes = &test->schedule.computes;
  const int64_t m = g_rand_int_range(draws, 1, 40), n = g_rand_int_range(draws, 1, 40);
  const int64_t k = g_rand_int_range(draws, 1, 40);
  const bool square = computes->left == computes->right && computes->left_transposed == computes->right_transposed;
  test->options.collective = TG_COLLECTIVE_WHOLE;
  step_case_fill(test, m, computes->left == computes->right ? m : n, square ? m : k,
                 g_rand_boolean(draws) ? TG_F64 : TG_F32, true, g_rand_int(draws));
  test->options.collective = (TgCollective)g_rand_int_range(draws, 0, TG_COLLECTIVES);
  const TgTransport transport = transports[g_rand_int_range(draws, 0, G_N_ELEMENTS(transports))];
  if (!is_right(test)) return false;
  GError *error = NULL;
  const gsize bytes = (gsize)(test->shape.m * test->shape.n * tg_element_bytes(test->options.element));
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  step_case_finish(test, stepper);
  g_autofree void *expected = g_memdup2(test->data[TG_MATRIX_C], bytes);
  TgExecutorOptions options = executor_options(test);
  options.transport = transport;
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_ranks, test, &options);
  for (int again = 0; again < 2; again++) {
    memset(test->data[TG_MATRIX_C], 0xff, bytes);
    if (!tg_executor_run(executor, NULL, &error) || !tg_executor_gather(executor, test->data[TG_MATRIX_C], &error))
      g_error("%s", error->message);
    if (memcmp(expected, test->data[TG_MATRIX_C], bytes) != 0)
      g_error("%s on %s, %dx%dx%d, %s, collective %d: another C than the stepper's",
              tg_name(&test->names, test->names.title), tg_schedule_grid_text(&test->schedule).s, (int)options.m,
              (int)options.n, (int)options.k, tg_transport_name(transport), (int)test->options.collective);
  }
  cases++;
  return true;
}

static bool check_text(const char *text, gsize length) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  const bool right = bind_somewhere(test, text, length) && check(test);
  step_case_clear(test);
  return right;
}

static const TgLibraryEntry *entry_at(size_t number) {
  size_t count;
  const TgLibraryEntry *library = tg_library_list(&count);
  number %= count + G_N_ELEMENTS(own_schedules);
  return number < count ? &library[number] : &own_schedules[number - count];
}

static void every_schedule(void) {
  size_t count;
  tg_library_list(&count);
  for (size_t s = 0; s < count + G_N_ELEMENTS(own_schedules); s++)
    if (!check_text(entry_at(s)->text, entry_at(s)->length)) g_error("%s was not run", entry_at(s)->name);
  g_test_message("%d schedules", cases);
}

/* Most edits are wrong; those that are right are checked. */
static void random_schedules(void) {
  int checked = 0;
  for (size_t s = 0; checked < edits_wanted; s++) {
    const TgLibraryEntry *entry = entry_at(s);
    TgMutation unused;
    char *edited = tg_mutate(entry->text, entry->length, g_rand_int(draws), &unused);
    if (edited && check_text(edited, strlen(edited))) checked++;
    free(edited);
  }
  g_test_message("%d edits that are right", checked);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (argc != 3) g_error("expected a seed, and how many random schedules");
  const guint32 seed = (guint32)g_ascii_strtoull(argv[1], NULL, 10);
  edits_wanted = atoi(argv[2]);
  draws = g_rand_new_with_seed(seed);
  GError *error = NULL;
  bool first;
  if (!tg_executor_ranks.begin(&first, &error)) g_error("%s", error->message);
  g_test_add_func("/executor-ranks/every-schedule", every_schedule);
  g_test_add_func("/executor-ranks/random", random_schedules);
  const int status = g_test_run();
  tg_executor_ranks.end(status);
  g_rand_free(draws);
  return status;
}

/* Schedules with one or two random edits: the stepper on real data fails exactly where the proof on names fails, every
 * edit that is accepted computes the right product, and one whose only fault is the final C computes a wrong one. */
#include "../step-case.h"
#include "own-schedules.h"

#include "mutate.h"
#include "prove.h"
#include "block.h"

enum { SEEDS = 120, MOST_GRIDS = 3, CAUSES = TG_CAUSE_HOOK + 1 };

/** Of each number of coordinates; the first that a schedule is made for are taken. */
static const char *const grids[] = {"4",   "5",     "3",     "2x2",   "3x3",   "4x4",  "2x3",
                                    "4x2", "2x2x2", "3x3x3", "4x4x2", "2x3x2", "4x4x4"};

/** What was met, over all schedules. */
static struct {
  int schedules, unusable, accepted, accepted_sums, wrong_products;
  int rejected[CAUSES];
} met;

typedef struct Verdict {
  bool ok;
  TgError failure;
} Verdict;

static const char *mutate(const char *text, uint64_t seed, char **edited) {
  TgMutation mutation;
  *edited = tg_mutate(text, strlen(text), seed, &mutation);
  g_assert_nonnull(*edited);
  return *edited;
}

/** One edit, with every third seed two. Free with free(). */
static char *edit(const char *text, uint64_t seed) {
  char *once = NULL, *twice = NULL;
  mutate(text, seed, &once);
  if (seed % 3) return once;
  twice = tg_mutate(once, strlen(once), seed + 1, &(TgMutation){0});
  if (!twice) return once; /* the first edit broke the text */
  free(once);
  return twice;
}

static bool bind(StepCase *test, const char *text, const char *grid) {
  TgBindings bindings = {0};
  return tg_schedule_parse(&test->schedule, &test->names, text, strlen(text), NULL) &&
         tg_bindings_grid(&bindings, grid, NULL) && tg_schedule_bind(&test->schedule, &test->names, &bindings, NULL);
}

typedef enum Sizes { SIZES_DIVIDE, SIZES_DO_NOT, SIZES_WITH_EMPTY_BLOCKS, SIZES } Sizes;

/** Blocks of at least 2×2 but in the last case, so that no block is its own transpose; entries so large that no sum of
 * products is zero or another one by chance. */
static void fill(StepCase *test, Sizes sizes, uint64_t seed) {
  const int64_t rows = test->schedule.blocks[TG_MATRIX_C][0], columns = test->schedule.blocks[TG_MATRIX_C][1];
  const int64_t inner = test->schedule.inner;
  const int64_t choice[SIZES][3] = {{2 * rows, 3 * columns, 4 * inner},
                                    {2 * rows + 1, 3 * columns + 2, 3 * inner - 1 + 2 / inner},
                                    {(rows + 1) / 2, columns + 1, (inner + 2) / 3}};
  int64_t m = choice[sizes][0], n = choice[sizes][1], k = choice[sizes][2];
  if (!tg_shape_init(&test->shape, &test->schedule.computes, m, n, k, NULL)) n = m;
  step_case_fill(test, m, n, k, TG_F64, true, (guint32)seed);
  g_autoptr(GRand) random = g_rand_new_with_seed((guint32)seed);
  for (int matrix = TG_MATRIX_A; matrix <= TG_MATRIX_B; matrix++) {
    const int64_t elements = test->shape.rows[matrix] * test->shape.columns[matrix];
    double *data = test->data[matrix];
    for (int64_t i = 0; i < elements; i++)
      data[i] = g_rand_int_range(random, 1, 1001) * (g_rand_boolean(random) ? 1 : -1);
  }
}

static TgBlock factor(const StepCase *test, int matrix, bool transposed) {
  const TgBlock whole = tg_block_of(test->data[matrix], test->shape.rows[matrix], test->shape.columns[matrix]);
  return transposed ? tg_block_transposed(whole) : whole;
}

static double exact(const StepCase *test, int64_t row, int64_t column) {
  const TgComputes *computes = &test->schedule.computes;
  const TgBlock left = factor(test, computes->left, computes->left_transposed);
  if (computes->right == TG_MATRICES) return tg_block_at(TG_F64, &left, row, column);
  const TgBlock right = factor(test, computes->right, computes->right_transposed);
  double sum = 0;
  for (int64_t x = 0; x < test->shape.k; x++)
    sum += tg_block_at(TG_F64, &left, row, x) * tg_block_at(TG_F64, &right, x, column);
  return sum;
}

/** All sums are whole numbers below 2^53, so a right product is right to the last bit. */
static bool is_right(const StepCase *test) {
  const double *c = test->data[TG_MATRIX_C];
  for (int64_t i = 0; i < test->shape.m; i++) {
    for (int64_t j = 0; j < test->shape.n; j++)
      if (c[i * test->shape.n + j] != exact(test, i, j)) return false;
  }
  return true;
}

/** The stepper's verdict; with it, in C, the product, or what stands in its places where only the end is at fault. */
static Verdict step(StepCase *test) {
  Verdict verdict = {.ok = true};
  g_autoptr(GError) error = NULL;
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  TgProgress progress;
  while ((progress = tg_stepper_next(stepper, &error)) == TG_PROGRESS_MORE) continue;
  if (progress == TG_PROGRESS_END && tg_stepper_result(stepper, test->data[TG_MATRIX_C], TG_RESULT_COMPLETE, &error))
    return verdict;
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE);
  verdict = (Verdict){false, *tg_stepper_failure(stepper)};
  g_assert_cmpstr(error->message, ==, verdict.failure.message);
  if (progress == TG_PROGRESS_END)
    g_assert_true(tg_stepper_result(stepper, test->data[TG_MATRIX_C], TG_RESULT_AS_IT_STANDS, NULL));
  return verdict;
}

static Verdict prove(const StepCase *test, TgCollective collective) {
  TgProof proof;
  const bool ok =
      tg_prove(&test->schedule, &test->names, collective, test->options.m, test->options.n, test->options.k, &proof);
  return (Verdict){ok, proof.failure};
}

static void expect_same(const char *text, const Verdict *proved, const Verdict *stepped) {
  const TgError *p = &proved->failure, *s = &stepped->failure;
  const bool same = proved->ok == stepped->ok &&
                    (proved->ok || (p->cause == s->cause && p->step == s->step && p->processor == s->processor &&
                                    p->statement == s->statement && strcmp(p->message, s->message) == 0));
  if (!same)
    g_error("the proof says '%s', the stepper '%s', of\n%s", proved->ok ? "right" : p->message,
            stepped->ok ? "right" : s->message, text);
}

static bool at_the_end(TgCause cause) {
  return cause == TG_CAUSE_FINAL_MISSING || cause == TG_CAUSE_FINAL_OTHER || cause == TG_CAUSE_FINAL_TERMS;
}

static void judge(StepCase *test, const char *text, Sizes sizes) {
  const Verdict proved = prove(test, test->options.collective), whole = prove(test, TG_COLLECTIVE_WHOLE);
  const Verdict stepped = step(test);
  expect_same(text, &proved, &stepped);
  if (whole.ok != proved.ok)
    g_error("'%s' whole, '%s' as %s, of\n%s", whole.failure.message, proved.failure.message,
            tg_collective_name(test->options.collective), text);
  if (proved.ok) {
    if (!is_right(test)) g_error("accepted, with a wrong product:\n%s", text);
    met.accepted++;
    met.accepted_sums += test->schedule.computes.right != TG_MATRICES && test->schedule.inner > 1;
    return;
  }
  met.rejected[proved.failure.cause]++;
  if (!at_the_end(proved.failure.cause) || sizes == SIZES_WITH_EMPTY_BLOCKS) return;
  if (is_right(test)) g_error("rejected, with the right product: %s\n%s", proved.failure.message, text);
  met.wrong_products++;
}

/** Edits `first` and those after it; false where the schedule is not made for the grid. */
static bool try_grid(const TgLibraryEntry *entry, const char *grid, uint64_t first) {
  StepCase test = {.data = {NULL}};
  if (!bind(&test, entry->text, grid)) return false;
  for (uint64_t seed = first; seed < first + SEEDS; seed++) {
    char *text = edit(entry->text, seed);
    test.options = (TgStepperOptions){.collective = (TgCollective)(seed / SIZES % TG_COLLECTIVES)};
    if (bind(&test, text, grid)) {
      fill(&test, (Sizes)(seed % SIZES), seed);
      judge(&test, text, (Sizes)(seed % SIZES));
    } else {
      met.unusable++;
    }
    free(text);
  }
  step_case_clear(&test);
  return true;
}

static void test_schedule(gconstpointer data) {
  const int before = met.accepted + met.unusable;
  int tried = 0;
  for (gsize g = 0; g < G_N_ELEMENTS(grids) && tried < MOST_GRIDS; g++)
    tried += try_grid(data, grids[g], (uint64_t)tried * SEEDS);
  g_assert_cmpint(tried, >=, 2);
  g_assert_cmpint(met.accepted + met.unusable - before, <, tried * SEEDS * 3 / 4);
  met.schedules++;
}

/** Enough of everything was met for the tests above to say something. */
static void test_classes(void) {
  static const TgCause common[] = {TG_CAUSE_EMPTY_READ,   TG_CAUSE_WRITTEN_TWICE, TG_CAUSE_INNER_MISMATCH,
                                   TG_CAUSE_WRONG_FACTOR, TG_CAUSE_WRONG_SUM,     TG_CAUSE_FINAL_MISSING,
                                   TG_CAUSE_FINAL_OTHER,  TG_CAUSE_FINAL_TERMS,   TG_CAUSE_EXPRESSION};
  size_t count;
  tg_library_list(&count);
  if (met.schedules < (int)(count + G_N_ELEMENTS(own_schedules))) {
    g_test_skip("counts what all the others met: run them, too");
    return;
  }
  for (int cause = 0; cause < CAUSES; cause++) g_test_message("cause %d: %d", cause, met.rejected[cause]);
  g_test_message("accepted %d (%d sums), wrong products %d, unusable %d", met.accepted, met.accepted_sums,
                 met.wrong_products, met.unusable);
  for (gsize c = 0; c < G_N_ELEMENTS(common); c++) g_assert_cmpint(met.rejected[common[c]], >=, 50);
  g_assert_cmpint(met.rejected[TG_CAUSE_MEMORY] + met.rejected[TG_CAUSE_HOOK], ==, 0);
  g_assert_cmpint(met.accepted_sums, >=, 500);
  g_assert_cmpint(met.wrong_products, >=, 500);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    g_autofree char *path = g_strdup_printf("/mutants/%s", entry[i].name);
    g_test_add_data_func(path, &entry[i], test_schedule);
  }
  for (size_t i = 0; i < G_N_ELEMENTS(own_schedules); i++) {
    g_autofree char *path = g_strdup_printf("/mutants/own-%s", own_schedules[i].name);
    g_test_add_data_func(path, &own_schedules[i], test_schedule);
  }
  g_test_add_func("/mutants/every-class", test_classes);
  return g_test_run();
}

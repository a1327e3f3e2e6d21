/* Every schedule of the library, on many grids and with sizes that fit none of them, computes what it declares. */
#include "../step-case.h"
#include "block.h"

#include <stdint.h>

static const char *const grids[] = {"1",     "2",     "5",     "7",     "8",     "1x1",   "2x2",   "3x3",   "4x4",
                                    "5x5",   "7x7",   "2x3",   "5x2",   "4x8",   "1x1x1", "2x2x2", "3x3x3", "4x4x4",
                                    "5x5x5", "5x5x1", "7x7x1", "4x4x2", "6x6x3", "2x3x4", "7x1x2", "7x7x7"};

static const int64_t sizes[][3] = {{1, 1, 1}, {1, 9, 4}, {9, 1, 7}, {3, 2, 1}, {8, 8, 8}, {13, 11, 17}, {31, 29, 40}};

typedef struct Extra {
  const char *name, *grid, *set;
} Extra;

/** Parameters that a grid does not bind. */
static const Extra extras[] = {{"summa-panels", "4x2", "b=2"},
                               {"summa-panels", "5x10", "b=5"},
                               {"dimma", "2x3", "h=1"},
                               {"dimma", "2x4", "l=4 h=3"},
                               {"dimma", "4x6", "l=12"}};

/** Made for powers of two. */
static const char *const powers_of_two[] = {"cannon-gray", "dns-rounds"};

/** C by plain sums of integers. */
static int64_t exact(const StepCase *test, int64_t row, int64_t column) {
  const TgComputes *computes = &test->schedule.computes;
  const TgShape *shape = &test->shape;
  TgBlock l = tg_block_of(test->data[computes->left], shape->rows[computes->left], shape->columns[computes->left]);
  if (computes->left_transposed) l = tg_block_transposed(l);
  if (computes->right == TG_MATRICES) return (int64_t)tg_block_at(test->options.element, &l, row, column);
  TgBlock r = tg_block_of(test->data[computes->right], shape->rows[computes->right], shape->columns[computes->right]);
  if (computes->right_transposed) r = tg_block_transposed(r);
  int64_t sum = 0;
  for (int64_t x = 0; x < shape->k; x++)
    sum += (int64_t)tg_block_at(test->options.element, &l, row, x) *
           (int64_t)tg_block_at(test->options.element, &r, x, column);
  return sum;
}

static void expect_exact(const StepCase *test, const char *grid) {
  const TgBlock c = tg_block_of(test->data[TG_MATRIX_C], test->shape.m, test->shape.n);
  for (int64_t i = 0; i < c.rows; i++) {
    for (int64_t j = 0; j < c.columns; j++) {
      const double got = tg_block_at(test->options.element, &c, i, j);
      const double expected = (double)exact(test, i, j);
      if (got != expected)
        g_error("%s on %s: C(%d, %d) is %g, expected %g", tg_name(&test->names, test->names.title), grid, (int)i,
                (int)j, got, expected);
    }
  }
}

/** Steps one case with integers and with real numbers in both types. */
static void run_case(StepCase *test, const char *grid, int64_t m, int64_t n, int64_t k, guint32 seed) {
  for (int kind = 0; kind < 4; kind++) {
    const TgElement element = kind % 2 ? TG_F64 : TG_F32;
    step_case_fill(test, m, n, k, element, kind < 2, seed);
    g_autoptr(TgStepper) stepper = step_case_begin(test);
    step_case_finish(test, stepper);
    if (kind < 2) expect_exact(test, grid);
    const TgCheck check = step_case_check(test);
    if (!check.ok) g_error("%s on %s: %s", tg_name(&test->names, test->names.title), grid, check.text);
    g_assert_cmpfloat(check.relative_error, <=, element == TG_F64 ? 1e-14 : 1e-6);
    g_assert_cmpint(tg_stepper_counts(stepper)->messages, ==, tg_state_counts(tg_stepper_state(stepper))->messages);
    g_assert_cmpint(tg_stepper_counts(stepper)->products, ==, tg_state_counts(tg_stepper_state(stepper))->products);
  }
}

static void run_sizes(StepCase *test, const char *grid) {
  const TgComputes *computes = &test->schedule.computes;
  const bool square = computes->left == computes->right; /* A * A' */
  const bool large = tg_schedule_processors(&test->schedule) > 100;
  for (guint32 i = 0; i < G_N_ELEMENTS(sizes); i++) {
    if (large && i % 3 != 1) continue;
    run_case(test, grid, sizes[i][0], square ? sizes[i][0] : sizes[i][1], sizes[i][2], i + 1);
  }
}

static bool try_grid(const TgLibraryEntry *entry, const char *grid, const char *set) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  TgError error;
  TgBindings bindings = {0};
  g_assert_true(tg_bindings_grid(&bindings, grid, &error));
  g_auto(GStrv) words = g_strsplit(set, " ", -1);
  for (char **word = words; *word && **word; word++) {
    const int64_t value = g_ascii_strtoll(strchr(*word, '=') + 1, NULL, 10);
    *strchr(*word, '=') = 0;
    g_assert_true(tg_bindings_set(&bindings, *word, value, &error));
  }
  g_assert_true(tg_schedule_parse(&test->schedule, &test->names, entry->text, entry->length, &error));
  if (!tg_schedule_bind(&test->schedule, &test->names, &bindings, &error)) return false;
  run_sizes(test, grid);
  step_case_clear(test);
  return true;
}

static void test_schedule(gconstpointer data) {
  const TgLibraryEntry *entry = data;
  int ran = 0, ran_odd = 0;
  for (gsize g = 0; g < G_N_ELEMENTS(grids); g++) {
    if (!try_grid(entry, grids[g], "")) continue;
    ran++;
    ran_odd += strchr(grids[g], '5') != NULL;
    ran_odd += strchr(grids[g], '7') != NULL;
  }
  for (gsize e = 0; e < G_N_ELEMENTS(extras); e++) {
    if (strcmp(extras[e].name, entry->name) == 0) g_assert_true(try_grid(entry, extras[e].grid, extras[e].set));
  }
  bool power = false;
  for (gsize p = 0; p < G_N_ELEMENTS(powers_of_two); p++) power = power || strcmp(powers_of_two[p], entry->name) == 0;
  g_assert_cmpint(ran, >=, 3);
  g_assert_cmpint(ran_odd, >=, power ? 0 : 2);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  g_assert_cmpint(count, >=, 11);
  for (size_t i = 0; i < count; i++) {
    g_autofree char *path = g_strdup_printf("/step-library/%s", entry[i].name);
    g_test_add_data_func(path, &entry[i], test_schedule);
  }
  return g_test_run();
}

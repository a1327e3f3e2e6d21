/* Products with few elements, down to one dot product: they may cancel, and the error relative to them must not show
 * it. */
#include "../step-case.h"

typedef struct Row {
  const char *name, *grid;
} Row;

static const Row rows[] = {{"cannon", "1x1"}, {"cannon", "4x4"},      {"cannon25d", "4x4x2"}, {"dns", "3x3x3"},
                           {"ring", "5"},     {"berntsen", "2x2x2"},  {"summa", "5x5"},       {"agarwal3d", "2x3x2"},
                           {"fox", "3x3"},    {"summa-panels", "2x3"}};

static const int64_t sizes[][3] = {{1, 1, 1},  {1, 1, 7},   {1, 1, 100}, {1, 1, 20000},
                                   {1, 3, 50}, {5, 1, 400}, {8, 8, 64}};

static void test_row(gconstpointer data) {
  const Row *row = data;
  g_autofree StepCase *test = g_new0(StepCase, 1);
  g_assert_true(step_case_bind(test, step_case_library(row->name), row->grid, ""));
  double worst[TG_ELEMENTS] = {0};
  for (guint32 seed = 0; seed < 60; seed++) {
    for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
      for (int element = 0; element < TG_ELEMENTS; element++) {
        test->options.collective = (TgCollective)(seed % TG_COLLECTIVES);
        step_case_fill(test, sizes[s][0], sizes[s][1], sizes[s][2], (TgElement)element, false, seed);
        g_autoptr(TgStepper) stepper = step_case_begin(test);
        step_case_finish(test, stepper);
        worst[element] = MAX(worst[element], step_case_check(test).relative_error);
      }
    }
  }
  g_test_message("f32 %.2g, f64 %.2g", worst[TG_F32], worst[TG_F64]);
  g_assert_cmpfloat(worst[TG_F32], <=, 1e-6);
  g_assert_cmpfloat(worst[TG_F64], <=, 1e-14);
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *path = g_strdup_printf("/step-thin/%s/%s", rows[i].name, rows[i].grid);
    g_test_add_data_func(path, &rows[i], test_row);
  }
  return g_test_run();
}

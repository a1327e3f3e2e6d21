/** @file step-case.h
 * A schedule of the library with a grid and matrices, ready to be stepped: shared by the tests of the stepper. */
#ifndef TG_STEP_CASE_H
#define TG_STEP_CASE_H

#include "algo-library.h"
#include "check.h"
#include "stepper.h"

#include <glib.h>
#include <math.h>
#include <string.h>

typedef struct StepCase {
  TgSchedule schedule;
  TgScheduleNames names;
  TgStepperOptions options;
  TgShape shape;
  void *data[TG_MATRICES];
} StepCase;

/** Binds `text` to "4x4" and then to "b=2 c=3"; false where it is not made for that. */
static inline bool step_case_bind(StepCase *test, const char *text, const char *grid, const char *set) {
  TgError error;
  TgBindings bindings = {0};
  if (!tg_schedule_parse(&test->schedule, &test->names, text, strlen(text), &error))
    g_error("%d:%d: %s", error.line, error.column, error.message);
  if (!tg_bindings_grid(&bindings, grid, &error)) g_error("%s", error.message);
  g_auto(GStrv) words = g_strsplit(set, " ", -1);
  for (char **word = words; *word && **word; word++) {
    char *value = strchr(*word, '=');
    *value++ = 0;
    if (!tg_bindings_set(&bindings, *word, g_ascii_strtoll(value, NULL, 10), &error)) g_error("%s", error.message);
  }
  if (tg_schedule_bind(&test->schedule, &test->names, &bindings, &error)) return true;
  if (test->schedule.bound != TG_BOUND_UNMET) g_error("%s: %s", grid, error.message);
  return false;
}

static inline const char *step_case_library(const char *name) {
  const TgLibraryEntry *entry = tg_library_find(name);
  if (!entry) g_error("no schedule %s in the library", name);
  return entry->text;
}

static inline void step_case_set(void *data, TgElement element, int64_t index, double value) {
  if (element == TG_F64)
    ((double *)data)[index] = value;
  else
    ((float *)data)[index] = (float)value;
}

/** Fills A and B: integers from -9 to 9, so that all sums are exact, or uniform in [-1, 1). */
static inline void step_case_fill(StepCase *test, int64_t m, int64_t n, int64_t k, TgElement element, bool integers,
                                  guint32 seed) {
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  GError *error = NULL;
  if (!tg_shape_init(&test->shape, &test->schedule.computes, m, n, k, &error)) g_error("%s", error->message);
  test->options.m = m;
  test->options.n = n;
  test->options.k = k;
  test->options.element = element;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    const int64_t elements = test->shape.rows[matrix] * test->shape.columns[matrix];
    g_clear_pointer(&test->data[matrix], g_free);
    if (elements == 0) continue;
    test->data[matrix] = g_malloc((gsize)(elements * tg_element_bytes(element)));
    for (int64_t i = 0; i < elements; i++)
      step_case_set(test->data[matrix], element, i,
                    integers ? g_rand_int_range(random, -9, 10) : g_rand_double_range(random, -1, 1));
  }
}

static inline void step_case_clear(StepCase *test) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) g_clear_pointer(&test->data[matrix], g_free);
}

static inline TgStepper *step_case_begin(StepCase *test) {
  GError *error = NULL;
  TgStepper *stepper = tg_stepper_new(&test->schedule, &test->names, &test->options, test->data[TG_MATRIX_A],
                                      test->data[TG_MATRIX_B], &error);
  if (!stepper) g_error("%s: %s", tg_name(&test->names, test->names.title), error->message);
  return stepper;
}

/** Runs to the end and gathers C. */
static inline void step_case_finish(StepCase *test, TgStepper *stepper) {
  GError *error = NULL;
  if (!tg_stepper_seek(stepper, tg_stepper_steps(stepper), &error) ||
      !tg_stepper_result(stepper, test->data[TG_MATRIX_C], TG_RESULT_COMPLETE, &error))
    g_error("%s: %s", tg_name(&test->names, test->names.title), error->message);
}

static inline TgCheck step_case_check(const StepCase *test) {
  TgCheck check;
  GError *error = NULL;
  if (!tg_check_product(&check, &test->schedule.computes, &test->shape, test->options.element, test->data[TG_MATRIX_A],
                        test->data[TG_MATRIX_B], test->data[TG_MATRIX_C], 0, NULL, &error))
    g_error("%s", error->message);
  return check;
}

#endif

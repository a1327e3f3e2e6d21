/* Steps Cannon's algorithm on two random matrices, forward and back, and checks the product: step-cannon [M N K] */
#include <stdio.h>
#include <stdlib.h>

#include <topogemm/topogemm.h>

/* Parses and binds; from here on the schedule is only read. */
static gboolean load(TgSchedule *schedule, TgScheduleNames *names, const char *name, const char *grid) {
  const TgLibraryEntry *entry = tg_library_find(name);
  TgBindings bindings = {0};
  TgError error = {0};
  if (entry && tg_schedule_parse(schedule, names, entry->text, entry->length, &error) &&
      tg_bindings_grid(&bindings, grid, &error) && tg_schedule_bind(schedule, names, &bindings, &error))
    return TRUE;
  fprintf(stderr, "%s on %s: %s\n", name, grid, entry ? error.message : "no such schedule");
  return FALSE;
}

/* Matrices of real numbers from -1 to 1, the same for the same seed on every machine. */
static TgMatrix *random_matrix(int64_t rows, int64_t columns, uint64_t seed, GError **error) {
  TgMatrix *matrix = tg_matrix_new(TG_TYPE_F64, rows, columns, 0, error);
  if (matrix) tg_matrix_fill_uniform(matrix, seed);
  return matrix;
}

/* Once to the end, back to the middle, and to the end again: going back is exact. */
static gboolean run(TgStepper *stepper, TgMatrix *c, GError **error) {
  TgProgress progress;
  while ((progress = tg_stepper_next(stepper, error)) == TG_PROGRESS_MORE)
    printf("step %lld, %-20s %4lld messages so far\n", (long long)tg_stepper_position(stepper),
           tg_stepper_label(stepper), (long long)tg_stepper_counts(stepper)->messages);
  if (progress == TG_PROGRESS_ERROR) return FALSE;

  int64_t steps = tg_stepper_steps(stepper);
  while (tg_stepper_position(stepper) > steps / 2)
    if (tg_stepper_back(stepper, error) == TG_PROGRESS_ERROR) return FALSE;
  printf("back at step %lld         %4lld messages so far\n", (long long)tg_stepper_position(stepper),
         (long long)tg_stepper_counts(stepper)->messages);
  return tg_stepper_seek(stepper, steps, error) && tg_stepper_result(stepper, c->data, TG_RESULT_COMPLETE, error);
}

int main(int argc, char **argv) {
  TgStepperOptions options = {.m = 37, .n = 29, .k = 31, .element = TG_F64, .keep_history = true};
  if (argc == 4) {
    options.m = atoll(argv[1]);
    options.n = atoll(argv[2]);
    options.k = atoll(argv[3]);
  }
  TgSchedule schedule;
  TgScheduleNames names;
  if (!load(&schedule, &names, "cannon", "4x4")) return 2;

  /* Nothing need divide: a 37×31 matrix in 4×4 blocks has blocks of 9 or 10 rows. */
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) a = random_matrix(options.m, options.k, 1, &error);
  g_autoptr(TgMatrix) b = a ? random_matrix(options.k, options.n, 2, &error) : NULL;
  g_autoptr(TgMatrix) c = b ? tg_matrix_new(TG_TYPE_F64, options.m, options.n, 0, &error) : NULL;
  g_autoptr(TgStepper) stepper = c ? tg_stepper_new(&schedule, &names, &options, a->data, b->data, &error) : NULL;
  TgCheck check;
  if (!stepper || !run(stepper, c, &error) ||
      !tg_check_product(&check, &schedule.computes, tg_stepper_shape(stepper), options.element, a->data, b->data,
                        c->data, 0, &error)) {
    fprintf(stderr, "step-cannon: %s\n", error->message);
    return 2;
  }
  printf("relative error %.3g: %s\n", check.relative_error, check.ok ? "C = A * B" : "wrong");
  return check.ok ? 0 : 3;
}

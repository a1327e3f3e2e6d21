/* Steps Cannon's algorithm on two random matrices, forward and back, and checks the product: step-cannon [M N K] */
#include <stdio.h>
#include <stdlib.h>

#include <topogemm/topogemm.h>

/* Matrices of real numbers from -1 to 1, the same for the same seed on every machine. */
static TgMatrix *random_matrix(int64_t rows, int64_t columns, uint64_t seed, GError **error) {
  TgMatrix *matrix = tg_matrix_new(TG_F64, rows, columns, 0, error);
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
  const bool given = argc == 4;
  const int64_t m = given ? atoll(argv[1]) : 37, n = given ? atoll(argv[2]) : 29, k = given ? atoll(argv[3]) : 31;
  TgError place;
  g_autoptr(TgProblem) problem = tg_problem_from_library("cannon", &place);
  if (!problem || !tg_problem_bind(problem, "4x4", NULL, &place)) {
    fprintf(stderr, "step-cannon: %s\n", place.message);
    return 2;
  }

  /* Nothing need divide: a 37×31 matrix in 4×4 blocks has blocks of 9 or 10 rows. */
  g_autoptr(GError) error = NULL;
  const TgStepperOptions options = {.keep_history = true};
  const bool sized = tg_problem_set_sizes(problem, m, n, k, TG_F64, &error);
  g_autoptr(TgMatrix) a = sized ? random_matrix(m, k, 1, &error) : NULL;
  g_autoptr(TgMatrix) b = a ? random_matrix(k, n, 2, &error) : NULL;
  g_autoptr(TgMatrix) c = b ? tg_matrix_new(TG_F64, m, n, 0, &error) : NULL;
  g_autoptr(TgStepper) stepper = c ? tg_problem_step(problem, &options, a->data, b->data, &error) : NULL;
  TgCheck check;
  if (!stepper || !run(stepper, c, &error) ||
      !tg_check_product(&check, &tg_problem_schedule(problem)->computes, tg_problem_shape(problem), TG_F64, a->data,
                        b->data, c->data, 0, NULL, &error)) {
    fprintf(stderr, "step-cannon: %s\n", error->message);
    return 2;
  }
  printf("relative error %.3g: %s\n", check.relative_error, check.ok ? "C = A * B" : "wrong");
  return check.ok ? 0 : 3;
}

/* Whole runs of the stepper that the library's schedules do not cover. */
#include "../step-case.h"

#include <time.h>

/* Sanitizers make a run several times slower, and a build without optimisation too. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(SANITIZED)
#define TIMED true
#else
#define TIMED false
#endif

/** Each of these uses what the library does not: transposed factors, sums turned over, zeros that are added and sent.
 */
static const char *const own_schedules[] = {"schedule turned\n"
                                            "grid i:q, j:q\n"
                                            "computes C = A' * B'\n"
                                            "place A(i,j), B(i,j), C(i,j) on (i,j)\n"
                                            "allgather A along i into P\n"
                                            "allgather B along j into Q\n"
                                            "repeat t in q\n"
                                            "  move P[t] to (j,i) into R[t]\n"
                                            "  move Q[t] to (j,i) into S[t]\n"
                                            "repeat t in q\n"
                                            "  C += R[t]' * S[t]'\n",

                                            "schedule mirrored\n"
                                            "grid i:q, j:q\n"
                                            "computes C = A * A'\n"
                                            "place A(i,j), C(i,j) on (i,j)\n"
                                            "allgather A along j into P\n"
                                            "repeat t in q\n"
                                            "  move P[t] to (j,i) into Q[t]\n"
                                            "repeat t in q\n"
                                            "  D += P[t] * Q[t]' where i <= j\n"
                                            "copy D into C where i <= j\n"
                                            "move D to (j,i) into C where i < j\n"
                                            "transpose C where i > j\n",

                                            "schedule zeros\n"
                                            "grid i:q, j:q\n"
                                            "place A(i,j), B(i,j) on (i,j)\n"
                                            "place C(i,j) on (i,j)\n"
                                            "allgather A along j into P\n"
                                            "allgather B along i into Q\n"
                                            "zero C\n"
                                            "zero D\n"
                                            "add D to (i,j+1) into C\n"
                                            "repeat t in q\n"
                                            "  C += P[t] * Q[t]\n"
                                            "add D to (i,j-1) into C\n",

                                            "schedule locally\n"
                                            "grid i:q, j:q\n"
                                            "computes C = A' * B\n"
                                            "place A(j,i), B(i,j), C(i,j) on (i,j)\n"
                                            "transpose A\n"
                                            "transpose B\n"
                                            "transpose B\n"
                                            "allgather A along j into P\n"
                                            "allgather B along i into Q\n"
                                            "repeat t in q\n"
                                            "  C += P[t] * Q[t]\n"};

static void test_own_schedules(void) {
  for (gsize s = 0; s < G_N_ELEMENTS(own_schedules); s++) {
    StepCase test = {0};
    g_assert_true(step_case_bind(&test, own_schedules[s], "3x3", ""));
    const bool square = test.schedule.computes.right == TG_MATRIX_A;
    for (int collective = 0; collective < TG_COLLECTIVES; collective++) {
      step_case_fill(&test, 10, square ? 10 : 8, 7, TG_F64, true, (guint32)s);
      test.options.collective = (TgCollective)collective;
      g_autoptr(TgStepper) stepper = step_case_begin(&test);
      step_case_finish(&test, stepper);
      const TgCheck check = step_case_check(&test);
      g_assert_cmpfloat(check.relative_error, ==, 0);
    }
    step_case_clear(&test);
  }
}

/** NaN in A reaches C, and the check reports where it came from. */
static void test_not_a_number(void) {
  static const int64_t sizes[] = {4, 100};
  for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
    StepCase test = {0};
    g_assert_true(step_case_bind(&test, step_case_library("cannon"), "2x2", ""));
    const int64_t n = sizes[i];
    step_case_fill(&test, n, n, n, TG_F32, true, 8);
    memset(test.data[TG_MATRIX_B], 0, (gsize)(n * n) * sizeof(float));
    ((float *)test.data[TG_MATRIX_A])[n + 2] = NAN;
    g_autoptr(TgStepper) stepper = step_case_begin(&test);
    step_case_finish(&test, stepper);
    for (int64_t j = 0; j < n; j++) g_assert_true(isnan(((float *)test.data[TG_MATRIX_C])[n + j]));
    const TgCheck check = step_case_check(&test);
    g_assert_false(check.ok);
    g_assert_nonnull(strstr(check.text, "A has NaN at row 1, column 2"));
    step_case_clear(&test);
  }
}

/** 4096 processors with one element each, every link counted: 2 s of processor time are allowed. */
static void test_scale(void) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  TgTopology torus;
  TgError error;
  g_assert_true(tg_topology_parse(&torus, "torus:64x64", &error));
  g_assert_true(step_case_bind(test, step_case_library("cannon"), "64x64", ""));
  step_case_fill(test, 64, 64, 64, TG_F32, true, 9);
  test->options.network = &torus;
  test->options.link_loads = true;
  const clock_t start = clock();
  g_autoptr(TgStepper) stepper = step_case_begin(test);
  step_case_finish(test, stepper);
  const double elapsed_s = (double)(clock() - start) / CLOCKS_PER_SEC;
  g_test_message("%.3f s", elapsed_s);
  g_assert_cmpfloat(step_case_check(test).relative_error, ==, 0);
  g_assert_cmpint(tg_stepper_steps(stepper), ==, 65);
  g_assert_cmpint(tg_stepper_counts(stepper)->messages, ==, 2 * 64 * 63 + 2 * 4096 * 63);
  if (TIMED) g_assert_cmpfloat(elapsed_s, <, 2);
  step_case_clear(test);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/stepper-runs/own-schedules", test_own_schedules);
  g_test_add_func("/stepper-runs/not-a-number", test_not_a_number);
  g_test_add_func("/stepper-runs/scale", test_scale);
  return g_test_run();
}

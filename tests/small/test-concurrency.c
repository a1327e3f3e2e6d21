/* Threads that prove, step, predict and draw at once: they come to what one thread comes to, and under ThreadSanitizer
 * no two touch the same memory without order. */
#include <topogemm/topogemm.h>

#include <string.h>

enum { THREADS = 2, ROUNDS = 4, N = 96 };

static const char *const algorithms[] = {"cannon", "summa"};

/** What one thread found. */
typedef struct Found {
  int64_t messages;
  double time_s, error;
  gsize picture_bytes;
} Found;

static TgProblem *open_problem(const char *name) {
  TgError place;
  GError *error = NULL;
  TgProblem *problem = tg_problem_from_library(name, &place);
  g_assert_true(problem && tg_problem_bind(problem, "4x4", NULL, &place));
  g_assert_true(tg_problem_set_sizes(problem, N, N, N, TG_F64, &error));
  return problem;
}

static TgMatrix *matrix(uint64_t seed) {
  TgMatrix *made = tg_matrix_new(TG_F64, N, N, 0, NULL);
  tg_matrix_fill_uniform(made, seed);
  return made;
}

static double step(const TgProblem *problem) {
  GError *error = NULL;
  g_autoptr(TgMatrix) a = matrix(1), b = matrix(2), c = matrix(3);
  g_autoptr(TgStepper) stepper = tg_problem_step(problem, NULL, a->data, b->data, &error);
  g_assert_no_error(error);
  TgCheck check;
  while (tg_stepper_next(stepper, &error) == TG_PROGRESS_MORE) continue;
  g_assert_true(tg_stepper_result(stepper, c->data, TG_RESULT_COMPLETE, &error));
  g_assert_true(tg_check_product(&check, &tg_problem_schedule(problem)->computes, tg_problem_shape(problem), TG_F64,
                                 a->data, b->data, c->data, 0, NULL, &error));
  g_assert_true(check.ok);
  return check.relative_error;
}

static Found work(const TgProblem *problem) {
  Found found = {0};
  GError *error = NULL;
  TgProof *proof = g_new0(TgProof, 1);
  TgCost cost = {0};
  const TgDrawOptions options = {0};
  g_assert_true(tg_problem_prove(problem, proof));
  found.messages = proof->counts.messages;
  g_free(proof);
  found.error = step(problem);
  g_assert_true(tg_problem_predict(problem, NULL, &cost, &error));
  found.time_s = cost.time_s;
  tg_cost_clear(&cost);
  GBytes *picture = tg_draw_step(tg_problem_schedule(problem), tg_problem_names(problem), &options, 1, "svg", &error);
  g_assert_no_error(error);
  found.picture_bytes = g_bytes_get_size(picture);
  g_bytes_unref(picture);
  return found;
}

/* Of one problem that all read, and of one of its own. */
static gpointer run(gpointer shared) {
  Found *found = g_new0(Found, 2 * ROUNDS);
  for (int r = 0; r < ROUNDS; r++) {
    g_autoptr(TgProblem) own = open_problem(algorithms[1]);
    found[2 * r] = work(shared);
    found[2 * r + 1] = work(own);
  }
  return found;
}

static void test_threads(void) {
  g_autoptr(TgProblem) shared = open_problem(algorithms[0]), other = open_problem(algorithms[1]);
  GThread *thread[THREADS];
  for (int t = 0; t < THREADS; t++) thread[t] = g_thread_new(NULL, run, shared);
  const Found alone[] = {work(shared), work(other)};
  for (int t = 0; t < THREADS; t++) {
    g_autofree Found *found = g_thread_join(thread[t]);
    for (int r = 0; r < 2 * ROUNDS; r++) g_assert_cmpmem(&found[r], sizeof *found, &alone[r % 2], sizeof *alone);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/concurrency/at-once", test_threads);
  return g_test_run();
}

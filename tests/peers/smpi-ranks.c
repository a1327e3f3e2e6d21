/* The executor ranks, with the module of mpi/, as SimGrid's smpirun runs it: SCHEDULE GRID N COLLECTIVE OUT. Writes
 * into OUT whether C is the stepper's to the last bit, the simulated seconds, and the number of messages. */
#include "executors-cpu.h"

#include "../executor-case.h"
#include "algo-library.h"

#define tg_ranks_library tg_ranks_mpi
#include "../../mpi/ranks-mpi.c"
#undef tg_ranks_library

const TgRanksLibrary *tg_ranks_library(void);

#include <unistd.h>

static double sent;

/* All ranks are threads of this process, and begin one after another: the alarm that a rank sets is not for them. */
static bool begin_all(int *rank, int *ranks, char *text, size_t room) {
  alarm(0);
  return begin(rank, ranks, text, room);
}

static void end_all(void) {
  alarm(0);
  end();
}

static void send_and_count(int64_t request, const void *data, int64_t count, int element_bytes, int to, int64_t tag) {
  sent++;
  send(request, data, count, element_bytes, to, tag);
}

/* Whoever asks whether something is complete waits for it: this may happen here, where looking again takes simulated
 * time. */
static bool complete(int64_t request) {
  return MPI_Wait(&request_at[request], MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static bool all_complete(void) {
  return MPI_Wait(&all_ranks, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static bool all_left(void) {
  return MPI_Wait(&leaving, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

static void go_on(void) {}

const TgRanksLibrary *tg_ranks_library(void) {
  static TgRanksLibrary library;
  library = *tg_ranks_mpi();
  library.begin = begin_all;
  library.end = end_all;
  library.send = send_and_count;
  library.test = complete;
  library.poll = go_on;
  library.together = all_complete;
  library.left = all_left;
  return &library;
}

static void bind(StepCase *test, const char *name, const char *grid) {
  const TgLibraryEntry *entry = tg_library_find(name);
  TgBindings bindings = {0};
  TgError error;
  g_assert_nonnull(entry);
  g_assert_true(tg_schedule_parse(&test->schedule, &test->names, entry->text, entry->length, &error));
  g_assert_true(tg_bindings_grid(&bindings, grid, &error));
  g_assert_true(tg_schedule_bind(&test->schedule, &test->names, &bindings, &error));
}

/* A run begins with a barrier and ends with the greatest of all times: what they take is no part of the schedule. */
static double around_s(void) {
  double value = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  barrier();
  all_complete();
  reduce(&value, 1, 1);
  all_complete();
  return MPI_Wtime() - begun_s;
}

static double run_s(TgExecutor *executor) {
  GError *error = NULL;
  double unused_s;
  const double without_s = around_s();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun_s = MPI_Wtime();
  sent = 0;
  if (!tg_executor_run(executor, &unused_s, &error)) g_error("%s", error->message);
  const double took_s = MPI_Wtime() - begun_s - without_s;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return took_s;
}

int main(int argc, char **argv) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  GError *error = NULL;
  TgError failure;
  bool first;
  g_assert_cmpint(argc, ==, 6);
  const int64_t n = g_ascii_strtoll(argv[3], NULL, 10);
  bind(test, argv[1], argv[2]);
  g_assert_true(tg_collective_parse(argv[4], &test->options.collective, &failure));
  step_case_fill(test, n, n, n, TG_F64, true, 5);
  if (!tg_executor_ranks.begin(&first, &error)) g_error("%s", error->message);
  TgExecutorOptions options = executor_options(test);
  options.no_times = true;
  g_autoptr(TgExecutor) executor = executor_open(&tg_executor_ranks, test, &options);
  const double took_s = run_s(executor);
  const gsize bytes = (gsize)(n * n) * sizeof(double);
  g_autofree void *ours = g_malloc(bytes);
  if (!tg_executor_gather(executor, ours, &error)) g_error("%s", error->message);
  if (first) {
    g_autoptr(TgStepper) stepper = step_case_begin(test);
    step_case_finish(test, stepper);
    const bool same = memcmp(ours, test->data[TG_MATRIX_C], bytes) == 0;
    g_autofree char *text = g_strdup_printf("%s %.9g %.0f\n", same ? "same" : "different", took_s, sent);
    g_assert_true(g_file_set_contents(argv[5], text, -1, NULL));
  }
  tg_executor_ranks.end(0);
  step_case_clear(test);
  return 0;
}

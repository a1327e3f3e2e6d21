/* The executor ranks, with the module of mpi/, as SimGrid's smpirun runs it: SCHEDULE GRID N COLLECTIVE OUT. Writes
 * into OUT whether C is the stepper's to the last bit, the simulated seconds, and the number of messages. */
#include "executors-cpu.h"

#include "../executor-case.h"
#include "algo-library.h"

#define tg_ranks_library tg_ranks_mpi
#include "../../mpi/ranks-mpi.c"
#undef tg_ranks_library

const TgRanksLibrary *tg_ranks_library(void);

#include <math.h>
#include <unistd.h>

static double sent, begun_s, ended_s; /* of this rank: messages, and the simulated time of the last run */

/* All ranks are threads of this process, and begin one after another: the alarm that a rank sets is not for them. */
static bool begin_all(int *rank, int *ranks, void (*find_cpus)(char cpus[TG_RANKS_CPUS]), char *text, size_t room) {
  alarm(0);
  return begin(rank, ranks, find_cpus, text, room);
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

/* What all ranks do together is waited for at once. SimGrid's nonblocking forms send from every rank to every other. */

/* A run begins after a barrier: at the same moment on all ranks, when no message is under way any more. */
static void barrier_of_all(void) {
  const double pause_s = 0.01, now_s = MPI_Wtime();
  MPI_Allreduce(&now_s, &begun_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  begun_s += pause_s;
  const struct timespec rest = {.tv_nsec = (long)round(1e9 * (begun_s - MPI_Wtime()))};
  nanosleep(&rest, NULL);
  begun_s = MPI_Wtime();
  sent = 0;
}

static void broadcast_to_all(void *data, int count, int root) {
  MPI_Bcast(data, count, MPI_BYTE, root, MPI_COMM_WORLD);
}

/* … and ends before its times are reduced. */
static void reduce_of_all(double *values, int count, int operation) {
  ended_s = MPI_Wtime();
  const MPI_Op operations[] = {MPI_MIN, MPI_MAX, MPI_SUM};
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, operations[operation], MPI_COMM_WORLD);
}

static void leave_together(double *value) {
  MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MIN, leaving_ranks);
}

static bool at_once(void) {
  return true;
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
  library.barrier = barrier_of_all;
  library.broadcast = broadcast_to_all;
  library.reduce = reduce_of_all;
  library.together = at_once;
  library.leave = leave_together;
  library.left = at_once;
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

/* From when the first rank begins until the last one ends. */
static double run_s(TgExecutor *executor) {
  GError *error = NULL;
  double unused_s;
  if (!tg_executor_run(executor, &unused_s, &error)) g_error("%s", error->message);
  double times_s[] = {-begun_s, ended_s};
  MPI_Allreduce(MPI_IN_PLACE, times_s, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return times_s[0] + times_s[1];
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

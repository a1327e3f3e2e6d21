/* Executor `threads`. Its programs are executed on the CPU (threads-machine.h); with a GPU, every schedule of the
 * library and those of own-schedules.h must give what the stepper gives. */
#include "blocks-case.h"
#include "gpu-case.h"
#include "threads-machine.h"

static const char *const grids[] = {"1",     "2",     "5",     "8",     "33",    "1x1",   "2x2",   "3x3",
                                    "4x4",   "5x5",   "2x3",   "5x2",   "4x8",   "16x16", "1x1x1", "2x2x2",
                                    "3x3x3", "4x4x4", "5x5x1", "4x4x2", "6x6x3", "2x3x4", "7x1x2"};
static const int64_t sizes[][3] = {{1, 1, 1},    {7, 5, 6},  {31, 29, 40}, {13, 11, 17},
                                   {33, 34, 35}, {70, 3, 1}, {3, 2, 41},   {40, 41, 9}};

/** A matrix on both sides: of C = A * A, and of a sum that is transposed on its way. */
static const TgLibraryEntry square_schedules[] = {
    OWN("square", "grid i:q, j:q\n"
                  "computes C = A * A\n"
                  "place A(i,j), C(i,j) on (i,j)\n"
                  "copy A into B\n"
                  "move A to (i, j-i)\n"
                  "move B to (i-j, j)\n"
                  "repeat s in q\n"
                  "  C += A * B\n"
                  "  move A to (i, j-1) where s < q-1\n"
                  "  move B to (i-1, j) where s < q-1\n"),
    OWN("thrice", "grid i:q, j:q\n"
                  "computes C = A * A'\n"
                  "place A(i,0), C(i,j) on (i,j)\n"
                  "place A(j,0) on (i,j) as T[0]\n"
                  "transpose T\n"
                  "C = A * T where i <= j\n"
                  "copy C into D where i < j\n"
                  "repeat s in 3\n"
                  "  transpose D where i < j\n"
                  "move D to (j,i) into C where i < j\n"),
    OWN("both-ways", "grid r:p\n"
                     "computes C = A * A'\n"
                     "require p % 2 == 1\n"
                     "place A(r,0) on (r)\n"
                     "place C(r,t) on (r) as C[t] for t in p\n"
                     "copy A into T\n"
                     "C[r] = A * A'\n"
                     "repeat s in (p-1)/2\n"
                     "  move T to (r-1)\n"
                     "  C[(r+s+1)%p] = A * T'\n"
                     "  X = T * A'\n"
                     "  move X to (r+s+1) into C[r]\n"),
};

typedef struct Case {
  const TgLibraryEntry *entry;
  bool on_device;
} Case;

static void check_program(const StepCase *test, guint32 seed) {
  const TgComputes *computes = &test->schedule.computes;
  const TgExecutorOptions options = options_of(test);
  GError *error = NULL;
  g_autoptr(TgThreadsProgram) program = tg_threads_program_new(&test->schedule, &test->names, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpint(tg_threads_least_elements(&test->schedule) -
                      test->schedule.blocks[TG_MATRIX_C][0] * test->schedule.blocks[TG_MATRIX_C][1],
                  <=, program->elements);
  const TgThreadsTiling tiling = tg_threads_tiling(&test->schedule, &options);
  const double *const factor[] = {test->data[computes->left],
                                  computes->right == TG_MATRICES ? NULL : test->data[computes->right]};
  ThreadsMachine *machine = threads_machine_new(program, &tiling, seed);
  g_autofree double *c = c_new(test);
  for (int64_t i = 0; i < tiling.tile_rows * tiling.tile_columns; i++) run_instance(machine, factor, c, i);
  expect_same(test, "program", c);
  threads_machine_free(machine);
}

static int try_grid(const Case *which, guint32 number, const char *grid) {
  g_autofree StepCase *test = g_new0(StepCase, 1);
  if (!bind(test, which->entry, grid)) return 0;
  test->options.collective = (TgCollective)(number % TG_COLLECTIVES);
  for (guint32 kind = 0; kind < 2; kind++) {
    step(test, sizes[(number + kind) % G_N_ELEMENTS(sizes)], TG_F64, number);
    check_program(test, number);
  }
  step_case_clear(test);
  return 1;
}

static void test_schedule(gconstpointer data) {
  const Case *which = data;
  int ran = 0;
  for (guint32 g = 0; g < G_N_ELEMENTS(grids); g++) ran += try_grid(which, g, grids[g]);
  g_assert_cmpint(ran, >=, 2);
}

static void add_schedule(const TgLibraryEntry *entry) {
  for (int on_device = 0; on_device < 1; on_device++) {
    Case *which = g_new(Case, 1);
    *which = (Case){entry, on_device != 0};
    g_autofree char *path = g_strdup_printf("/threads/%s/%s", on_device ? "device" : "program", entry->name);
    g_test_add_data_func_full(path, which, test_schedule, g_free);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  size_t count;
  const TgLibraryEntry *entry = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) add_schedule(&entry[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(own_schedules); i++) add_schedule(&own_schedules[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(more_schedules); i++) add_schedule(&more_schedules[i]);
  for (size_t i = 0; i < G_N_ELEMENTS(square_schedules); i++) add_schedule(&square_schedules[i]);
  return g_test_run();
}

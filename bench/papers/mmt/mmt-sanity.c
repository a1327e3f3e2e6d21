#include "mmt-sanity.h"

#include "counter-random.h"
#include "device.h"
#include "host-programs.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LARGEST = 9 /* of the whole numbers: sums of 1024 squares stay far below 2^24 */, PAPER_SIZES = 6 };

static const int64_t sizes[] = {10, 20, 30, 50, 100, 500, 8, 64, 200, 504, 1000};

/* Section 4; the column called 0 is taken to be cuBLAS. */
static const struct {
  const char *stem;
  double at[PAPER_SIZES];
} columns[] = {
    {"mmt-cublas", {0, 0, 0, 0, 0, 0}},
    {"mmt-v001", {0, 0, 0, 0, 0, 0}},
    {"mmt-v005", {0, 0, 0, 0, 0, 0}},
    {"mmt-v006", {0, 0, 0, 0, 0, 0}},
    {"mmt-v008", {0, 0, 0.015, 0.220, 3.495, 44.268}},
    {"mmt-v009", {0, 0, 0.015, 0.220, 3.492, 46.389}},
};

const int64_t *tg_mmt_sanity_sizes(size_t *count) {
  *count = G_N_ELEMENTS(sizes);
  return sizes;
}

/* The paper's figures belong to its kernels as it printed them. */
double tg_mmt_sanity_paper(const char *kernel, int64_t d) {
  const TgHistoric *row = tg_historic_find(kernel);
  for (size_t c = 0; c < G_N_ELEMENTS(columns); c++) {
    if (!g_str_has_prefix(kernel, columns[c].stem)) continue;
    if (!row->printed && strcmp(kernel, columns[c].stem) != 0) return NAN;
    for (int s = 0; s < PAPER_SIZES; s++)
      if (sizes[s] == d) return columns[c].at[s];
  }
  return NAN;
}

/* --- one kernel --------------------------------------------------------------------------------------------------- */

/* M and R on both sides, and what R should be. */
typedef struct Problem {
  int64_t d, bytes;
  float *m, *r, *expected;
  void *device_m, *device_r;
} Problem;

static void close_problem(Problem *problem) {
  g_free(problem->m);
  g_free(problem->r);
  g_free(problem->expected);
  if (problem->device_m) tg_device_free(problem->device_m);
  if (problem->device_r) tg_device_free(problem->device_r);
}

static bool open_problem(Problem *problem, int64_t d, TgError *error) {
  *problem = (Problem){.d = d, .bytes = d * d * (int64_t)sizeof(float)};
  problem->m = g_try_malloc((gsize)problem->bytes);
  problem->r = g_try_malloc((gsize)problem->bytes);
  problem->expected = g_try_malloc((gsize)problem->bytes);
  if (!problem->m || !problem->r || !problem->expected)
    return tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " bytes of a matrix", problem->bytes);
  return (problem->device_m = tg_device_allocate(problem->bytes, error)) &&
         (problem->device_r = tg_device_allocate(problem->bytes, error));
}

/* Draws M, copies it to the device, and computes what R should be. */
static bool settle(Problem *problem, bool whole, uint64_t seed, TgError *error) {
  for (int64_t i = 0; i < problem->d * problem->d; i++)
    problem->m[i] = whole ? (float)tg_random_integer(seed, (uint64_t)i, -LARGEST, LARGEST)
                          : tg_random_uniform_f32(seed, (uint64_t)i);
  tg_mmt_sequential(problem->expected, problem->m, problem->d);
  return tg_device_copy_in(problem->device_m, problem->m, problem->bytes, error);
}

static TgHistoricRun run_of(const Problem *problem, const TgHistoric *kernel) {
  return (TgHistoricRun){.width = kernel->widths[0] ? TG_MMT_SANITY_WIDTH : 0,
                         .m = problem->d,
                         .n = problem->d,
                         .k = problem->d,
                         .a = problem->device_m,
                         .c = problem->device_r};
}

static bool run(Problem *problem, const TgHistoric *kernel, TgError *error) {
  const TgHistoricRun run = run_of(problem, kernel);
  return tg_device_fill(problem->device_r, 0, problem->bytes, error) && tg_historic_start(kernel, &run, error) &&
         tg_device_copy_out(problem->r, problem->device_r, problem->bytes, error);
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int64_t count_wrong(const Problem *problem) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < problem->d * problem->d; i++) wrong += !(problem->r[i] == problem->expected[i]);
  return wrong;
}

static bool run_kernel(Problem *whole, Problem *random, const TgHistoric *kernel, GArray *found, TgError *error) {
  const int64_t count = whole->d * whole->d;
  TgHistoricRun wanted = run_of(whole, kernel);
  TgHistoricShape shape;
  if (!tg_historic_prepare(kernel, &wanted, &shape, NULL)) return true; /* it does not take this size */
  if (!run(whole, kernel, error) || !run(random, kernel, error)) return false;
  const TgMmtSanity row = {.kernel = kernel->name,
                           .d = whole->d,
                           .wrong = count_wrong(whole),
                           .l2 = tg_l2_difference(random->r, random->expected, count),
                           .l2_printed = tg_l2_difference_printed(random->r, random->expected, count),
                           .paper = tg_mmt_sanity_paper(kernel->name, whole->d)};
  g_array_append_val(found, row);
  return true;
}

static bool run_size(int64_t d, uint64_t seed, GArray *found, TgError *error) {
  Problem whole = {0}, random = {0};
  bool fine = open_problem(&whole, d, error) && open_problem(&random, d, error) && settle(&whole, true, seed, error) &&
              settle(&random, false, seed, error);
  for (size_t k = 0; fine && k < tg_historic_mmt.count; k++)
    fine = run_kernel(&whole, &random, &tg_historic_mmt.kernels[k], found, error);
  close_problem(&whole);
  close_problem(&random);
  return fine;
}

bool tg_mmt_sanity_run(int64_t most, uint64_t seed, GArray *found, TgError *error) {
  for (size_t s = 0; s < G_N_ELEMENTS(sizes); s++)
    if (sizes[s] <= most && !run_size(sizes[s], seed, found, error)) return false;
  return true;
}

bool tg_mmt_dump(const char *kernel, float *r, TgError *error) {
  Problem problem = {0};
  bool fine = open_problem(&problem, TG_MMT_DUMP, error);
  if (fine) tg_mmt_count_up(problem.m, TG_MMT_DUMP);
  fine = fine && tg_device_copy_in(problem.device_m, problem.m, problem.bytes, error) &&
         run(&problem, tg_historic_find(kernel), error);
  if (fine) memcpy(r, problem.r, (size_t)problem.bytes);
  close_problem(&problem);
  return fine;
}

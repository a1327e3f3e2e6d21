/* Panels of C: how it is cut, and what that reads. */
#include "pipeline.h"

#include "counter-random.h"
#include "sim-error.h"

#include <math.h>
#include <string.h>

typedef TgPanels Panels;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Panels, tg_panels_clear)

static TgPanelsJob square(int64_t n, int64_t unit, double memory_bytes) {
  return (TgPanelsJob){.m = n,
                       .n = n,
                       .k = n,
                       .unit = {unit, unit, unit},
                       .element_bytes = 4,
                       .memory_bytes = memory_bytes,
                       .a_buffers = 3,
                       .b_buffers = 2,
                       .c_buffers = 1};
}

/* Room for 0.21 of C: two panels beside three read 4.6 n^2, where 2 x 3 equal ones read 5 n^2, and any order 4.4 n^2
 * (2 n^3 / sqrt(M)). */
static void test_five_panels(void) {
  const int64_t n = 16384;
  const TgPanelsJob job = square(n, 128, 0.23 * 4 * (double)n * (double)n);
  g_auto(Panels) panels = {0};
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.count, ==, 5);
  g_assert_cmpfloat(panels.read_elements / (double)(n * n), <, 4.65);
  g_assert_cmpfloat(panels.bound_elements / (double)(n * n), ==, 2 / sqrt(0.23));
}

static void test_all_in_memory(void) {
  const TgPanelsJob job = square(1000, 128, 1e8);
  g_auto(Panels) panels = {0};
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.count, ==, 1);
  g_assert_cmpfloat(panels.read_elements, ==, 2e6);
}

static int64_t draw(uint64_t seed, uint64_t index, int64_t least, int64_t most) {
  return tg_random_integer(seed, index, (int32_t)least, (int32_t)most);
}

static TgPanelsJob random_job(uint64_t seed) {
  TgPanelsJob job = {.m = draw(seed, 0, 1, 4000),
                     .n = draw(seed, 1, 1, 4000),
                     .k = draw(seed, 2, 1, 4000),
                     .element_bytes = draw(seed, 3, 1, 2) * 4,
                     .a_buffers = draw(seed, 4, 1, 3),
                     .b_buffers = draw(seed, 5, 1, 2),
                     .c_buffers = 1};
  job.unit = (TgProductBlocks){MIN(draw(seed, 6, 1, 300), job.m), MIN(draw(seed, 7, 1, 300), job.k),
                               MIN(draw(seed, 8, 1, 300), job.n)};
  job.memory_bytes = tg_panels_least_bytes(&job) * exp(tg_random_uniform_f64(seed, 9) * 3 + 3);
  return job;
}

/* Each element of C is in one panel, and panels are whole units. */
static void assert_cover(const TgPanelsJob *job, const TgPanels *panels) {
  double area = 0;
  for (int64_t p = 0; p < panels->count; p++) {
    const TgPanel *one = &panels->panel[p];
    area += (double)one->rows * (double)one->columns;
    g_assert_true(one->rows > 0 && one->columns > 0 && one->row + one->rows <= job->m &&
                  one->column + one->columns <= job->n);
    g_assert_true(one->row % job->unit.x == 0 && one->column % job->unit.z == 0);
    for (int64_t q = 0; q < p && panels->count < 200; q++) {
      const TgPanel *other = &panels->panel[q];
      g_assert_true(one->row >= other->row + other->rows || other->row >= one->row + one->rows ||
                    one->column >= other->column + other->columns || other->column >= one->column + one->columns);
    }
  }
  g_assert_cmpfloat(area, ==, (double)job->m * (double)job->n);
}

/* Elements that the best of all uniform panels read. */
static double best_uniform(const TgPanelsJob *job, const TgPanels *panels) {
  const double e = (double)job->element_bytes;
  double best = INFINITY;
  for (int64_t x = job->unit.x; x < job->m + job->unit.x; x += job->unit.x)
    for (int64_t z = job->unit.z; z < job->n + job->unit.z; z += job->unit.z) {
      const double rows = (double)MIN(x, job->m), columns = (double)MIN(z, job->n);
      const double bytes = e * (rows * columns + (double)(job->b_buffers * panels->step) * columns) + panels->a_bytes;
      if (bytes > job->memory_bytes) break;
      const double reads = (double)job->k * ((double)job->m * ceil((double)job->n / columns) +
                                             (double)job->n * ceil((double)job->m / rows));
      best = fmin(best, reads);
    }
  return best;
}

static void test_random(void) {
  for (uint64_t seed = 1; seed <= 300; seed++) {
    const TgPanelsJob job = random_job(seed);
    g_auto(Panels) panels = {0};
    g_autoptr(GError) error = NULL;
    if (!tg_panels_plan(&panels, &job, &error)) g_error("seed %d: %s", (int)seed, error->message);
    assert_cover(&job, &panels);
    g_assert_cmpfloat(panels.panel_bytes + panels.a_bytes + panels.b_bytes, <=, job.memory_bytes * (1 + 1e-12));
    for (int64_t p = 0; p < panels.count; p++) {
      const TgPanel *panel = &panels.panel[p];
      const double e = (double)job.element_bytes;
      const double bytes =
          e * (double)panel->columns * (double)(panel->rows + job.b_buffers * panels.step) + panels.a_bytes;
      g_assert_cmpfloat(bytes, <=, job.memory_bytes * (1 + 1e-12));
    }
    if (panels.read_elements > best_uniform(&job, &panels) * (1 + 1e-12))
      g_error("seed %d: equal panels read less", (int)seed);
  }
}

/* Twice the memory does not make a plan read more, but for what thin steps save that are not worth while: buffers that
 * grow with memory would. */
static void test_more_memory(void) {
  for (uint64_t seed = 1; seed <= 100; seed++) {
    TgPanelsJob job = random_job(seed);
    job.unit = (TgProductBlocks){MIN(128, job.m), MIN(128, job.k), MIN(128, job.n)};
    job.a_buffers = 4;
    job.memory_bytes = tg_panels_least_bytes(&job);
    double before = INFINITY;
    for (int i = 0; i < 12; i++, job.memory_bytes *= 2) {
      g_auto(Panels) panels = {0};
      g_assert_true(tg_panels_plan(&panels, &job, NULL));
      if (panels.read_elements > 1.25 * before)
        g_error("seed %d: %g instead of %g elements with %g bytes", (int)seed, panels.read_elements, before,
                job.memory_bytes);
      before = panels.read_elements;
    }
  }
}

static void test_least_memory(void) {
  for (uint64_t seed = 1; seed <= 100; seed++) {
    TgPanelsJob job = random_job(seed);
    g_auto(Panels) panels = {0};
    GError *error = NULL;
    job.memory_bytes = tg_panels_least_bytes(&job);
    g_assert_true(tg_panels_plan(&panels, &job, NULL));
    tg_panels_clear(&panels);
    job.memory_bytes -= 1;
    g_assert_false(tg_panels_plan(&panels, &job, &error));
    g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE);
    g_error_free(error);
  }
}

/* BLAS copies B again for each chunk of A, so chunks are long, but not where that costs many more reads. */
static void test_long_chunks(void) {
  TgPanelsJob job = square(16384, 128, 240e6);
  g_auto(Panels) panels = {0};
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.chunk, >=, 1900); /* all that is left of the memory */
  g_assert_cmpfloat(panels.read_elements / panels.bound_elements, <, 1.15);
  tg_panels_clear(&panels);
  job.memory_bytes = 8e6;
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.chunk, <, 1536);
  tg_panels_clear(&panels);
  job = square(32768, 128, 1e9);
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.chunk, >=, 4096);
  g_assert_cmpfloat(panels.read_elements / panels.bound_elements, <, 1.15);
}

static void test_given_blocks(void) {
  TgPanelsJob job = square(1000, 100, 1e8);
  g_auto(Panels) panels = {0};
  g_autoptr(GError) error = NULL;
  job.blocks = (TgProductBlocks){400, 200, 600};
  g_assert_true(tg_panels_plan(&panels, &job, NULL));
  g_assert_cmpint(panels.count, ==, 6);
  g_assert_cmpint(panels.step, ==, 200);
  assert_cover(&job, &panels);
  g_assert_cmpfloat(panels.read_elements, ==, 1e6 * (2 + 3));
  job.blocks.x = 350;
  tg_panels_clear(&panels);
  g_assert_false(tg_panels_plan(&panels, &job, &error));
  g_assert_nonnull(strstr(error->message, "must be a multiple"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/panels/five", test_five_panels);
  g_test_add_func("/panels/all-in-memory", test_all_in_memory);
  g_test_add_func("/panels/random", test_random);
  g_test_add_func("/panels/more-memory", test_more_memory);
  g_test_add_func("/panels/least-memory", test_least_memory);
  g_test_add_func("/panels/long-chunks", test_long_chunks);
  g_test_add_func("/panels/given-blocks", test_given_blocks);
  return g_test_run();
}

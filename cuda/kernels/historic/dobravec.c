/* The kernels of T. Dobravec, P. Bulić, Comparing CPU and GPU Implementations of a Simple Matrix Multiplication
 * Algorithm, International Journal of Computer and Electrical Engineering 9(2), 2017. */
#include "historic.h"

#include <math.h>

enum { F32 = 1 << TG_HISTORIC_F32, WORD = TG_HISTORIC_ELEMENT_BYTES };

/* Blocks of W x W threads, those that there are, for `down` x `across` blocks of C. */
static void shape_blocks(const TgHistoricRun *run, int64_t down, int64_t across, TgHistoricShape *shape) {
  shape->grid[0] = across;
  shape->grid[1] = down;
  shape->block[0] = shape->block[1] = run->width;
  shape->split = 1;
}

/* A thread an element of the rows x columns that are computed. */
static void shape_threads(const TgHistoricRun *run, int64_t rows, int64_t columns, TgHistoricShape *shape) {
  const double elements = (double)rows * (double)columns;
  shape->terms = run->k;
  shape->flops = 2 * elements * (double)run->k;
  shape->read_bytes = 2 * elements * (double)run->k * WORD;
  shape->written_bytes = elements * WORD;
}

static void shape_global_printed(const TgHistoricRun *run, TgHistoricShape *shape) {
  const int64_t w = run->width, down = run->m / w, across = run->n / w;
  shape_blocks(run, down, across, shape);
  shape_threads(run, down * w, across * w, shape);
}

static void shape_global(const TgHistoricRun *run, TgHistoricShape *shape) {
  const int64_t w = run->width;
  shape_blocks(run, tg_historic_parts(run->m, w), tg_historic_parts(run->n, w), shape);
  shape_threads(run, run->m, run->n, shape);
}

static int64_t least(int64_t a, int64_t b) {
  return a < b ? a : b;
}

/* Whole squares, whatever they hold. */
static void shape_squares(const TgHistoricRun *run, int64_t down, int64_t across, TgHistoricShape *shape) {
  const int64_t w = run->width;
  shape_blocks(run, down, across, shape);
  shape->rounds = tg_historic_parts(run->k, w);
  shape->terms = shape->rounds * w;
  shape->shared_bytes = (int32_t)(2 * w * w * WORD);
  const double squares = (double)down * (double)across * (double)shape->rounds;
  shape->flops = 2 * squares * (double)(w * w * w);
  shape->read_bytes = 2 * squares * (double)(w * w * WORD);
  shape->written_bytes = (double)least(down * w, run->m) * (double)least(across * w, run->n) * WORD;
}

static void shape_shared_printed(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_squares(run, run->m / run->width, run->n / run->width, shape);
}

static void shape_shared(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_squares(run, tg_historic_parts(run->m, run->width), tg_historic_parts(run->n, run->width), shape);
}

static void shape_run_time(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_shared(run, shape);
  shape->dynamic_bytes = shape->shared_bytes;
}

static const char no_remainder[] =
    "the grid is rounded down: rows and columns beyond the last whole block are never computed";
static const char no_edges[] = "the grid is rounded down, and the last tiles read past the rows of A and the end of B";

#define PRODUCT(NAME, WHERE, IDEA)                                                                                     \
  .name = "dobravec-" NAME, .where = WHERE, .idea = IDEA, .kind = TG_HISTORIC_PRODUCT, .types = F32
#define PRINTED(DEFECT, CORRECTED)                                                                                     \
  .printed = 1, .defect = DEFECT, .corrected = "dobravec-" CORRECTED, .shown = {.m = 20, .n = 20, .k = 20, .width = 8}

static const TgHistoric kernels[] = {
    {PRODUCT("global-as-printed", "listing 2", "matrixMulDG: one thread per element, reading global memory"),
     .widths = {8, 16}, PRINTED(no_remainder, "global-corrected"), .shape = shape_global_printed},
    {PRODUCT("global-corrected", "listing 2", "matrixMulDG: one thread per element, reading global memory"),
     .widths = {8, 16}, .shape = shape_global},
    {PRODUCT("shared-as-printed", "listing 4", "matrixMulDS: tiles of A and B in shared memory"), .widths = {8, 16},
     PRINTED(no_edges, "shared-corrected"), .shape = shape_shared_printed},
    {PRODUCT("shared-corrected", "listing 4", "matrixMulDS: tiles of A and B in shared memory"), .widths = {8, 16},
     .shape = shape_shared},
    {PRODUCT("shared-run-time", "section 3.3", "matrixMulDS with the tile size set at run time"),
     .widths = {16, 8, 4, 2, 1}, .shape = shape_run_time},
};

/* Times in milliseconds as printed, 0 for what is too short for its clock. MulH is the processor's. */
#define FIGURE(TABLE, TITLE, KERNEL, N, WIDTH, MS)                                                                     \
  {                                                                                                                    \
    .table = TABLE, .title = TITLE, .kernel = KERNEL, .n = N, .width = WIDTH, .min_us = NAN, .max_us = NAN,            \
    .mean_us = 1e3 * (MS), .stddev_us = NAN                                                                            \
  }
#define TIMES(N, HOST_MS, GLOBAL_MS, SHARED_MS)                                                                        \
  FIGURE(1, "MulH", "matrixMulH", N, 0, HOST_MS), FIGURE(1, "MulDG", "dobravec-global-as-printed", N, 8, GLOBAL_MS),   \
      FIGURE(1, "MulDS", "dobravec-shared-as-printed", N, 8, SHARED_MS)
#define THREADS(WIDTH, MS) FIGURE(2, "MulDS", "dobravec-shared-run-time", 512, WIDTH, MS)

static const TgHistoricFigure figures[] = {
    TIMES(80, 1, 0, 0),
    TIMES(160, 10, 5, 2),
    TIMES(240, 34, 13, 8),
    TIMES(320, 85, 37, 18),
    TIMES(400, 156, 65, 35),
    TIMES(480, 290, 127, 60),
    TIMES(560, 576, 182, 95),
    TIMES(640, 895, 302, 142),
    TIMES(720, 1450, 398, 201),
    TIMES(800, 2169, 598, 275),
    FIGURE(2, "MulH", "matrixMulH", 512, 0, 357),
    THREADS(1, 11149),
    THREADS(2, 1531),
    THREADS(4, 278),
    THREADS(8, 110),
    THREADS(16, 83),
};

const TgHistoricPaper tg_historic_dobravec = {
    .name = "dobravec",
    .source =
        "T. Dobravec, P. Bulić, Comparing CPU and GPU Implementations of a Simple Matrix Multiplication Algorithm, "
        "Int. J. Comput. Electr. Eng. 9(2), 2017",
    .machine = "GeForce 9400M and an Intel processor of two cores at 2.66 GHz",
    .kernels = kernels,
    .count = sizeof kernels / sizeof *kernels,
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};

/* The kernels of T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication. */
#include "historic.h"

enum { F32 = 1 << TG_HISTORIC_F32, I32 = 1 << TG_HISTORIC_I32, WORD = TG_HISTORIC_ELEMENT_BYTES, DEEP = 8 };

static void shape_nothing(const TgHistoricRun *run, TgHistoricShape *shape) {
  (void)run;
  shape->block[0] = 64;
}

static void shape_one_block(const TgHistoricRun *run, TgHistoricShape *shape) {
  const double n = (double)run->n;
  shape->block[0] = shape->block[1] = (int32_t)run->n;
  shape->shared_bytes = 2 * 32 * 32 * WORD;
  shape->rounds = 1;
  shape->terms = run->n;
  shape->bank_ways = 1;
  shape->flops = 2 * n * n * n;
  shape->read_bytes = 2 * n * n * WORD;
  shape->written_bytes = n * n * WORD;
}

/* Blocks for tiles of C of `rows` x `columns`, times those that share each; padded operations. */
static void shape_tiles(const TgHistoricRun *run, int64_t rows, int64_t columns, int64_t deep, TgHistoricShape *shape) {
  const int64_t down = tg_historic_parts(run->m, rows), across = tg_historic_parts(run->n, columns);
  const int64_t tiles = tg_historic_parts(run->k, deep);
  tg_historic_share(run, tiles, shape);
  shape->grid[0] = across * shape->split;
  shape->grid[1] = down;
  const double blocks = (double)down * (double)across * (double)shape->split;
  const double products = blocks * (double)shape->rounds;
  const double c = (double)run->m * (double)run->n * (double)shape->split;
  shape->flops = 2 * products * (double)(rows * columns * deep);
  shape->read_bytes = products * (double)((rows + columns) * deep * WORD);
  shape->written_bytes = c * WORD;
  shape->atomics = shape->split > 1 ? c : 0;
}

static void shape_cannon_tiles(const TgHistoricRun *run, TgHistoricShape *shape) {
  const int32_t width = run->width;
  shape_tiles(run, width, width, width, shape);
  shape->block[0] = shape->block[1] = width;
  shape->shared_bytes = 2 * width * width * WORD;
  shape->terms = shape->rounds * width;
  shape->bank_ways = 1;
}

/* Halvings of a sum of so many terms. */
static int32_t halvings(int32_t terms) {
  int32_t steps = 0;
  while (terms > 1) {
    terms /= 2;
    steps++;
  }
  return steps;
}

static void shape_cube_banks(const TgHistoricRun *run, TgHistoricShape *shape) {
  const int32_t width = run->width;
  shape_tiles(run, width, width, width, shape);
  shape->block[0] = shape->block[1] = shape->block[2] = width;
  shape->shared_bytes = (2 + width) * width * width * WORD;
  shape->terms = shape->rounds;
  shape->sum_steps = halvings(width);
  shape->bank_ways = 1;
}

/* Neighbours of a warp, W of them, are W^2 words apart: all on one of the 32 banks for W = 8, two for W = 4. */
static void shape_cube_tiles(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_cube_banks(run, shape);
  shape->bank_ways = run->width == 8 ? 8 : run->width == 4 ? 2 : 1;
}

/* Always of 8 x 8 x 8 threads. */
static void shape_cube(const TgHistoricRun *run, TgHistoricShape *shape) {
  TgHistoricRun eight = *run;
  eight.width = DEEP;
  shape_cube_tiles(&eight, shape);
}

static void shape_planes_tiles(const TgHistoricRun *run, TgHistoricShape *shape) {
  const int32_t rows = run->width;
  shape_tiles(run, rows, 1, DEEP, shape);
  shape->block[0] = rows;
  shape->block[1] = DEEP;
  shape->shared_bytes = (2 * rows + 1) * DEEP * WORD;
  shape->terms = shape->rounds;
  shape->sum_steps = halvings(DEEP);
  shape->bank_ways = rows > 4 ? rows / 4 : 1; /* neighbours are DEEP words apart: 4 of them round the 32 banks */
}

static void shape_planes(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_planes_tiles(run, shape);
  shape->grid[0] *= shape->grid[1];
  shape->grid[1] = 1;
}

#define ROW(KIND, NAME, WHERE, IDEA)                                                                                   \
  .name = "oneil-" NAME, .where = WHERE, .idea = IDEA, .kind = TG_HISTORIC_##KIND, .types = F32 | I32

static const TgHistoric kernels[] = {
    {ROW(NOTHING, "nothing", "not in the paper", "an empty kernel: the cost of a launch"), .shape = shape_nothing},
    {ROW(PRODUCT, "cannon", "section 3.1, Table 1",
         "Cannon in one block of n x n threads: indices are skewed instead of moving data"),
     .square = 1, .most = {32, 32, 32}, .shape = shape_one_block},
    {ROW(PRODUCT, "cannon-tiles", "section 5, Table 2",
         "Cannon on tiles: each block multiplies two tiles and adds the product atomically to a zeroed C"),
     .splits = 1, .widths = {8, 4, 16, 32}, .shape = shape_cannon_tiles},
    {ROW(PRODUCT, "dns-cube-as-printed", "section 3.1, Table 1",
         "DNS in one block of 8x8x8 threads: one product per thread, summed along y"),
     .defect = "the sum assumes that a warp runs in lockstep, which compute capability 7.0 and later do not guarantee",
     .corrected = "oneil-dns-cube-corrected", .printed = 1, .exactly = 8,
     .shown = {.m = 8, .n = 8, .k = 8, .adverse = 1}, .shape = shape_cube},
    {ROW(PRODUCT, "dns-cube-corrected", "section 3.1, Table 1",
         "DNS in one block with a warp barrier between the steps of the sum"),
     .widths = {8}, .most = {8, 8, 8}, .shape = shape_cube_tiles},
    {ROW(PRODUCT, "dns-cube-tiles", "section 5, Table 2",
         "DNS on tiles: each 8x8x8 block multiplies two tiles and adds the product atomically to a zeroed C"),
     .splits = 1, .widths = {8, 2, 4}, .shape = shape_cube_tiles},
    {ROW(PRODUCT, "dns-cube-tiles-banks", "not in the paper",
         "DNS on tiles with the terms stored in thread order: no bank conflicts"),
     .splits = 1, .widths = {8, 2, 4}, .shape = shape_cube_banks},
    {ROW(PRODUCT, "dns-planes", "section 3.2, Table 1",
         "DNS by planes: 8 blocks of 8x8 threads, 16 of 4x8 or 32 of 2x8, each computing part of one column"),
     .widths = {8, 4, 2}, .most = {8, 8, 8}, .shape = shape_planes},
    {ROW(PRODUCT, "dns-planes-tiles", "section 5, Table 2",
         "DNS by planes on tiles: 8 blocks of 8x8 threads per product of two tiles, 64 for n = 16"),
     .splits = 1, .widths = {8, 2, 4, 16, 32}, .shape = shape_planes_tiles},
};

static const TgHistoricFigure figures[] = {
    {1, "Cannon", "oneil-cannon", 8, 0, 15, 277.5, 287.7, 281.6, 3.2},
    {1, "DNS, 8x8x8 block", "oneil-dns-cube-as-printed", 8, 0, 24, 279.7, 291.2, 282.7, 3.1},
    {1, "DNS, 8x8x8 block", "oneil-dns-cube-corrected", 8, 0, 24, 279.7, 291.2, 282.7, 3.1},
    {1, "DNS, 8 8x8 blocks", "oneil-dns-planes", 8, 8, 26, 277.0, 287.0, 282.2, 2.6},
    {1, "DNS, 16 4x8 blocks", "oneil-dns-planes", 8, 4, 23, 278.7, 290.1, 282.3, 2.6},
    {1, "DNS, 32 2x8 blocks", "oneil-dns-planes", 8, 2, 25, 280.2, 291.5, 283.1, 2.7},
    {2, "Cannon", "oneil-cannon-tiles", 16, 8, 15, 270.4, 277.5, 274.1, 2.0},
    {2, "DNS, 8x8x8 block", "oneil-dns-cube-tiles", 16, 8, 15, 273.4, 283.8, 277.4, 3.4},
    {2, "DNS, 8 8x8 blocks", "oneil-dns-planes-tiles", 16, 8, 16, 282.7, 300.8, 288.2, 4.6},
};

const TgHistoricPaper tg_historic_oneil = {
    .name = "oneil",
    .source = "T. W. O'Neil, Experiments with Massively Parallel Matrix Multiplication, University of Akron",
    .kernels = kernels,
    .count = sizeof kernels / sizeof *kernels,
    .machine = "Tesla C2070",
    .figures = figures,
    .figure_count = sizeof figures / sizeof *figures,
};

/* The kernels of Investigation of Matrix Multiplication, Computer Science Essay. It prints no code: they follow its
 * words. */
#include "historic.h"

enum { F32 = 1 << TG_HISTORIC_F32, WORD = TG_HISTORIC_ELEMENT_BYTES };

/* Blocks of `threads` for tiles of C of rows x columns; every operation of the padded product is executed. */
static void shape_tiles(const TgHistoricRun *run, int64_t rows, int64_t columns, TgHistoricShape *shape) {
  const int64_t down = tg_historic_parts(run->m, rows), across = tg_historic_parts(run->n, columns);
  shape->rounds = tg_historic_parts(run->k, run->width);
  shape->terms = shape->rounds * run->width;
  shape->grid[0] = across;
  shape->grid[1] = down;
  const double rounds = (double)down * (double)across * (double)shape->rounds;
  shape->flops = 2 * rounds * (double)(rows * columns * run->width);
  shape->read_bytes = rounds * (double)((rows + columns) * run->width * WORD);
  shape->written_bytes = (double)run->m * (double)run->n * WORD;
}

static void shape_naive(const TgHistoricRun *run, TgHistoricShape *shape) {
  const double c = (double)run->m * (double)run->n;
  shape_tiles(run, run->width, run->width, shape);
  shape->block[0] = shape->block[1] = run->width;
  shape->rounds = 0;
  shape->terms = run->k;
  shape->flops = 2 * c * (double)run->k;
  shape->read_bytes = 2 * c * (double)run->k * WORD;
}

static void shape_tiled(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_tiles(run, run->width, run->width, shape);
  shape->block[0] = shape->block[1] = run->width;
  shape->shared_bytes = 2 * run->width * run->width * WORD;
  shape->bank_ways = run->width > 4 ? run->width * run->width / 32 : 1; /* stores down a column */
}

static void shape_padded(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_tiled(run, shape);
  shape->shared_bytes += run->width * WORD;
  shape->bank_ways = 1;
}

static void shape_outer(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_tiles(run, run->width, 4 * (int64_t)run->width, shape);
  shape->block[0] = 4 * run->width;
  shape->terms *= run->width;
  shape->shared_bytes = run->width * (run->width + 1) * WORD;
}

static void shape_prefetch(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_outer(run, shape);
  shape->shared_bytes *= 2;
}

static void shape_moved(const TgHistoricRun *run, TgHistoricShape *shape) {
  const double bytes = (double)run->m * (double)run->n * WORD * run->repeats;
  shape->grid[0] = tg_historic_parts(run->n, run->width);
  shape->grid[1] = tg_historic_parts(run->m, run->width);
  shape->block[0] = run->width;
  shape->block[1] = run->width / 4;
  shape->read_bytes = shape->written_bytes = bytes;
}

static void shape_unpadded(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_moved(run, shape);
  shape->shared_bytes = run->width * run->width * WORD;
}

static void shape_shared(const TgHistoricRun *run, TgHistoricShape *shape) {
  shape_moved(run, shape);
  shape->shared_bytes = run->width * (run->width + 1) * WORD;
}

#define ROW(KIND, NAME, WHERE, IDEA)                                                                                   \
  .name = "essay-" NAME, .where = WHERE, .idea = IDEA, .kind = TG_HISTORIC_##KIND, .types = F32,                       \
  .widths = {16, 4, 8, 32}

static const TgHistoric kernels[] = {
    {ROW(PRODUCT, "naive", "Naive GPU implementation",
         "one thread per element of C reads a row of A and a column of B from global memory"),
     .shape = shape_naive},
    {ROW(PRODUCT, "tiled", "Tiled implementation", "tiles in shared memory; neighbouring threads load B down a column"),
     .shape = shape_tiled},
    {ROW(PRODUCT, "coalesced", "Coalesced implementation",
         "B transposed on the CPU: coalesced loads, but stores to shared memory conflict on one bank"),
     .transposed_b = 1, .shape = shape_tiled},
    {ROW(PRODUCT, "no-conflicts", "Avoiding bank conflicts", "coalesced with a column of padding: no bank conflicts"),
     .transposed_b = 1, .shape = shape_padded},
    {ROW(PRODUCT, "outer", "Outer product",
         "each thread keeps a column of C in registers: a column of A times an element of B; only A is shared"),
     .shape = shape_outer},
    {ROW(PRODUCT, "prefetch", "Prefetching",
         "outer, loading the next tile while the current one is multiplied; unrolled loops"),
     .shape = shape_prefetch},
    {ROW(COPY, "copy", "not in the essay", "a copy with the loop of the transposes: their upper limit"), .repeats = 1,
     .shape = shape_moved},
    {ROW(TRANSPOSE, "transpose-naive", "Naive transpose",
         "directly from global to global memory: stores are not coalesced"),
     .repeats = 1, .shape = shape_moved},
    {ROW(TRANSPOSE, "transpose-unpadded", "Shared memory transpose, without the padding",
         "through a tile in shared memory: coalesced, but a column of the tile conflicts on one bank"),
     .repeats = 1, .shape = shape_unpadded},
    {ROW(TRANSPOSE, "transpose-shared", "Shared memory transpose",
         "through a padded tile in shared memory: no bank conflicts"),
     .repeats = 1, .shape = shape_shared},
};

const TgHistoricPaper tg_historic_essay = {
    .name = "essay",
    .source = "Investigation of Matrix Multiplication, Computer Science Essay",
    .kernels = kernels,
    .count = sizeof kernels / sizeof *kernels,
};

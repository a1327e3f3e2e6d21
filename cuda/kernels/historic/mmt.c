/* The kernels of D. Zhao, COMP 633 Parallel Computing, programming assignment 2, Fall 2013: R = M·M'. */
#include "historic.h"
#include "mmt-count.h"

enum { F32 = 1 << TG_HISTORIC_F32, WORD = TG_HISTORIC_ELEMENT_BYTES };

/* What a kernel's row names: one of the functions below with the arguments that the kernel needs. */
#define SHAPE(NAME, CALL)                                                                                              \
  static void NAME(const TgHistoricRun *run, TgHistoricShape *shape) {                                                 \
    CALL;                                                                                                              \
  }

/* A block for each tile of R that reads its operands straight from memory. */
static void shape_plain(const TgHistoricRun *run, TgHistoricShape *shape) {
  const double d = (double)run->m;
  shape->grid[0] = shape->grid[1] = tg_mmt_tiles(run->m, run->width);
  shape->block[0] = shape->block[1] = run->width;
  shape->split = 1;
  shape->terms = run->k;
  shape->flops = 2 * d * d * d;
  shape->read_bytes = 2 * d * d * d * WORD;
  shape->written_bytes = d * d * WORD;
}

/* What all that bring tiles share; `line`: words from one row of a tile to the next, in shared memory. */
static void shape_in_tiles(const TgHistoricRun *run, bool printed, int32_t line, TgHistoricShape *shape) {
  shape_plain(run, shape);
  shape->rounds = tg_mmt_tiles(run->m, run->width);
  shape->terms = tg_mmt_depth(run->m, run->width, printed);
  shape->shared_bytes = 2 * run->width * line * WORD;
}

/* A tile of M is loaded for every tile to its right and below it: two for each of a block's rounds. */
static void shape_square(const TgHistoricRun *run, bool printed, int32_t line, TgHistoricShape *shape) {
  const double d = (double)run->m;
  shape_in_tiles(run, printed, line, shape);
  shape->flops = 2 * d * d * (double)shape->terms;
  shape->read_bytes = 2 * d * d * (double)shape->rounds * WORD;
}

SHAPE(shape_tiles_printed, shape_square(run, true, run->width, shape))
SHAPE(shape_tiles, shape_square(run, false, run->width, shape))
SHAPE(shape_tiles_coalesced, shape_square(run, false, run->width + 1, shape))

/* Half of R. Of B tiles a side, tile i of M's rows is an operand of B - i blocks from one side and of i + 1 from the
 * other; with `alone` a block on the diagonal brings it once. */
static void shape_triangle(const TgHistoricRun *run, bool printed, bool alone, int32_t line, TgHistoricShape *shape) {
  const double d = (double)run->m, computed = (double)tg_mmt_triangle(run->m, run->width);
  shape_in_tiles(run, printed, line, shape);
  shape->flops = 2 * computed * (double)shape->terms;
  shape->read_bytes = d * d * (double)(shape->rounds + (alone ? 0 : 1)) * WORD;
  shape->written_bytes = 2 * computed * WORD;
}

SHAPE(shape_half_printed, shape_triangle(run, true, false, run->width, shape))
SHAPE(shape_half, shape_triangle(run, false, false, run->width, shape))
SHAPE(shape_half_coalesced, shape_triangle(run, false, false, run->width + 1, shape))
SHAPE(shape_alone_printed, shape_triangle(run, true, true, run->width, shape))
SHAPE(shape_alone, shape_triangle(run, false, true, run->width, shape))
SHAPE(shape_alone_coalesced, shape_triangle(run, false, true, run->width + 1, shape))

/* A block for each stripe of M, which adds to all of R, the last one to add nothing, too. */
static void shape_stripes_of(const TgHistoricRun *run, bool printed, TgHistoricShape *shape) {
  const double d = (double)run->m;
  shape->grid[1] = shape->split = tg_mmt_tiles(run->m, run->width);
  shape->block[0] = shape->block[1] = run->width;
  shape->shared_bytes = shape->dynamic_bytes = TG_MMT_STRIPE_ROWS * run->width * WORD;
  shape->rounds = 1;
  shape->terms = run->width;
  shape->flops = 2 * d * d * (double)tg_mmt_depth(run->m, run->width, printed);
  shape->read_bytes = d * d * WORD;
  shape->atomics = d * d * (double)shape->split;
  shape->written_bytes = shape->atomics * WORD;
}

SHAPE(shape_stripes_printed, shape_stripes_of(run, true, shape))
SHAPE(shape_stripes, shape_stripes_of(run, false, shape))

/* The library's own affair; M is read once at least. */
static void shape_cublas(const TgHistoricRun *run, TgHistoricShape *shape) {
  const double d = (double)run->m;
  shape->split = 1;
  shape->flops = 2 * d * d * d;
  shape->read_bytes = shape->written_bytes = d * d * WORD;
}

static const char last_tile[] = "the last tile has d % width columns, so it is left out if the width divides d";
static const char last_stripe[] =
    "the last stripe has d % width columns, so it is left out if the width divides d; R is never zeroed";

#define SYMMETRIC(NAME, WHERE, IDEA)                                                                                   \
  .name = "mmt-" NAME, .where = "section " WHERE, .idea = IDEA, .kind = TG_HISTORIC_SYMMETRIC, .types = F32, .square = 1
#define WIDTHS .widths = {8, 4, 16, 32}, .most = {TG_MMT_MOST, TG_MMT_MOST, TG_MMT_MOST}
#define STRIPES .widths = {8, 4, 16}, .most = {TG_MMT_STRIPE_ROWS, TG_MMT_STRIPE_ROWS, TG_MMT_STRIPE_ROWS}
#define PRINTED(DEFECT, CORRECTED)                                                                                     \
  .printed = 1, .defect = DEFECT, .corrected = "mmt-" CORRECTED, .shown = {.m = 16, .n = 16, .k = 16, .width = 8}

static const char half[] = "v004, computing half of the symmetric R and storing it twice";
static const char once[] = "v005, loading one tile instead of two on the diagonal";
static const char unrolled[] = "v005 with the innermost loop unrolled by hand";
static const char coalesced[] = "the same with warps along the rows of M and padded tiles";

static const TgHistoric kernels[] = {
    {SYMMETRIC("v001", "2.1", "one thread per element reads two rows of M from global memory"), WIDTHS,
     .shape = shape_plain},
    {SYMMETRIC("v002", "2.2", "tiles of M in shared memory"), WIDTHS, .whole = 1, .shape = shape_tiles},
    {SYMMETRIC("v002-coalesced", "2.2", coalesced), WIDTHS, .whole = 1, .shape = shape_tiles_coalesced},
    {SYMMETRIC("v003", "2.3", "v002 for any d, with a bounds check per multiply-add"), WIDTHS, .shape = shape_tiles},
    {SYMMETRIC("v003-coalesced", "2.3", coalesced), WIDTHS, .shape = shape_tiles_coalesced},
    {SYMMETRIC("v004-as-printed", "2.4", "v003 with one bounds check per tile"), WIDTHS,
     PRINTED(last_tile, "v004-corrected"), .shape = shape_tiles_printed},
    {SYMMETRIC("v004-corrected", "2.4", "v003 with one bounds check per tile"), WIDTHS, .shape = shape_tiles},
    {SYMMETRIC("v004-coalesced", "2.4", coalesced), WIDTHS, .shape = shape_tiles_coalesced},
    {SYMMETRIC("v005-as-printed", "2.5", half), WIDTHS, PRINTED(last_tile, "v005-corrected"),
     .shape = shape_half_printed},
    {SYMMETRIC("v005-corrected", "2.5", half), WIDTHS, .shape = shape_half},
    {SYMMETRIC("v005-coalesced", "2.5", coalesced), WIDTHS, .shape = shape_half_coalesced},
    {SYMMETRIC("v006-as-printed", "2.6", once), WIDTHS, PRINTED(last_tile, "v006-corrected"),
     .shape = shape_alone_printed},
    {SYMMETRIC("v006-corrected", "2.6", once), WIDTHS, .shape = shape_alone},
    {SYMMETRIC("v006-coalesced", "2.6", coalesced), WIDTHS, .shape = shape_alone_coalesced},
    {SYMMETRIC("v007-as-printed", "2.7", unrolled), WIDTHS, PRINTED(last_tile, "v007-corrected"),
     .shape = shape_half_printed},
    {SYMMETRIC("v007-corrected", "2.7", unrolled), WIDTHS, .shape = shape_half},
    {SYMMETRIC("v007-coalesced", "2.7", coalesced), WIDTHS, .shape = shape_half_coalesced},
    {SYMMETRIC("v008-as-printed", "2.8", "one stripe of columns per block, added atomically to all of R"), STRIPES,
     PRINTED(last_stripe, "v008-corrected"), .shape = shape_stripes_printed},
    {SYMMETRIC("v008-corrected", "2.8", "one stripe of columns per block, added atomically to a zeroed R"), STRIPES,
     .shape = shape_stripes},
    {SYMMETRIC("v009-as-printed", "2.9", "v008 with the stripe transposed in shared memory"), STRIPES,
     PRINTED(last_stripe, "v009-corrected"), .shape = shape_stripes_printed},
    {SYMMETRIC("v009-corrected", "2.9", "v008 with the stripe transposed in shared memory"), STRIPES,
     .shape = shape_stripes},
    {SYMMETRIC("cublas-as-printed", "2.10", "cuBLAS, one operand transposed"), .printed = 1,
     .defect = "beta is 1, so the product is added to the old R", .corrected = "mmt-cublas-corrected",
     .shown = {.m = 16, .n = 16, .k = 16}, .shape = shape_cublas},
    {SYMMETRIC("cublas-corrected", "2.10", "cuBLAS, one operand transposed"), .shape = shape_cublas},
};

const TgHistoricPaper tg_historic_mmt = {
    .name = "mmt",
    .source = "D. Zhao, COMP 633 Parallel Computing, programming assignment 2, University of North Carolina, 2013",
    .kernels = kernels,
    .count = sizeof kernels / sizeof *kernels,
};

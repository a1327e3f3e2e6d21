#include "product.h"

#include "blas.h"
#include "matrix.h"
#include "tiles.h"

#include <inttypes.h>
#include <math.h>

enum {
  SLOTS = 16,                   /* transfers under way */
  MOST_SLOT_BYTES = 1 << 20,    /* larger ones gain nothing */
  PACKED_BYTES = 1 << 19,       /* of a BLAS thread, for packed parts of the factors, beyond what it has touched */
  OTHER_BYTES = 1 << 20,        /* stacks, and what the C library keeps */
  PROGRAM_UNIT_BYTES = 13 << 20 /* to which the program's own memory is rounded up */
};

TgStreamFile tg_stream_file(TgTiledFile *file, int descriptor) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  return (TgStreamFile){file, descriptor, *tiling, 0, 0, tiling->rows, tiling->columns};
}

TgTiling tg_disk_product_tiling(const TgStreamFactors *factors) {
  const TgStreamFile *a = &factors->a, *b = &factors->b;
  return (TgTiling){a->tiling.type, a->rows, b->columns, a->tiling.tile_rows, b->tiling.tile_columns};
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* The least common multiple, or `most` if that is less: then everything is one step. */
static int64_t common_multiple(int64_t a, int64_t b, int64_t most) {
  const int64_t times = a / tg_common_divisor(a, b);
  return times > most / b ? most : times * b;
}

TgProductBlocks tg_disk_product_unit(const TgStreamFactors *factors) {
  const TgTiling *a = &factors->a.tiling, *b = &factors->b.tiling;
  return (TgProductBlocks){a->tile_rows, common_multiple(a->tile_columns, b->tile_rows, factors->a.columns),
                           b->tile_columns};
}

size_t tg_disk_largest_tile(const TgStreamFactors *factors) {
  const TgTiling c = tg_disk_product_tiling(factors);
  const TgTiling *tilings[] = {&factors->a.tiling, &factors->b.tiling, &c};
  size_t most = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(tilings); i++)
    most = MAX(most, (size_t)tg_tiling_tile(tilings[i], 0, 0).stored_bytes);
  return most;
}

/* The inner dimension of all pairs of factors together. */
static int64_t inner_of(const TgDiskProduct *product) {
  int64_t inner = 0;
  for (int64_t f = 0; f < product->count; f++) inner += product->factors[f].a.columns;
  return inner;
}

/* Rounded up to coarse units because it varies a little: the same command should have the same plan. */
double tg_disk_program_bytes(void) {
  const double now = (double)tg_memory_used_bytes() + PACKED_BYTES * (double)tg_blas_threads_most() + OTHER_BYTES;
  return ceil(now / PROGRAM_UNIT_BYTES) * PROGRAM_UNIT_BYTES;
}

/* For one transfer: several tiles, if there is enough memory. */
static size_t wanted_slot_bytes(const TgDiskProduct *product) {
  const double part = 1.0 / 96; /* of the memory, for all slots */
  const size_t wanted = (size_t)(product->memory_bytes * part / SLOTS) / TG_TILED_ALIGNMENT * TG_TILED_ALIGNMENT;
  return MAX(tg_disk_largest_tile(product->factors), MIN(wanted, (size_t)MOST_SLOT_BYTES));
}

/* For panels and what streams past them. The host also holds what is on an accelerator: the smaller memory counts. */
static double buffer_room(const TgDiskProduct *product) {
  const double host = product->memory_bytes - product->taken_bytes, device = product->options->device_bytes;
  return product->options->multiplier && device < host ? device : host;
}

static void ask_plan(TgDiskProduct *product, size_t slot_bytes) {
  const TgTiling c = tg_disk_product_tiling(product->factors);
  const double checksums = 2 * 8 * (double)tg_tiling_count(&c); /* the current ones, and those in the file */
  const int slots = SLOTS + (product->addend.file ? 1 : 0);
  const int on_device = product->options->multiplier ? 1 : 0; /* while one is multiplied, another one is copied there */
  product->slot_bytes = slot_bytes;
  product->taken_bytes = product->program_bytes + checksums + slots * (double)product->slot_bytes;
  product->plan = (TgPanelsJob){.m = c.rows,
                                .n = c.columns,
                                .k = inner_of(product),
                                .element_bytes = tg_element_bytes(c.type),
                                .memory_bytes = buffer_room(product),
                                .a_buffers = tg_panels_a_buffers(!product->options->sequential) + on_device,
                                .b_buffers = tg_panels_b_buffers(!product->options->sequential),
                                .c_buffers = 1,
                                .blocks = product->options->blocks};
  product->plan.unit = tg_disk_product_unit(product->factors);
}

/* Enough for the panels, and for the check afterwards. */
static double least_bytes(const TgDiskProduct *product) {
  return fmax(product->taken_bytes + tg_panels_least_bytes(&product->plan),
              product->program_bytes +
                  tg_huge_check_least_bytes(product->plan.k, product->factors->a.tiling.tile_rows) +
                  2 * (double)tg_disk_largest_tile(product->factors));
}

/* With shorter requests where memory is short. */
static void prepare(TgDiskProduct *product, double memory_bytes) {
  product->memory_bytes = memory_bytes;
  ask_plan(product, wanted_slot_bytes(product));
  if (least_bytes(product) > memory_bytes) ask_plan(product, tg_disk_largest_tile(product->factors));
}

double tg_huge_buffer_bytes(TgElement type, double memory_bytes, TgProductBlocks *unit) {
  const int64_t n = 128; /* one tile */
  const TgTiling tiling = tg_tiling_default(type, n, n);
  TgStreamFactors factors = {{.tiling = tiling, .rows = n, .columns = n}, {.tiling = tiling, .rows = n, .columns = n}};
  const TgHugeOptions options = {0};
  TgDiskProduct product = {.options = &options, .factors = &factors, .count = 1};
  product.program_bytes = tg_disk_program_bytes();
  prepare(&product, memory_bytes);
  *unit = product.plan.unit;
  return product.plan.memory_bytes;
}

static bool refuse_memory(const TgDiskProduct *product, GError **error) {
  const double mega = 1e6;
  if (product->plan.memory_bytes < product->memory_bytes - product->taken_bytes)
    return TG_SIM_FAIL(error, TOO_LARGE, "%.4gM of GPU memory is not enough: %s need at least %.0fM",
                       product->options->device_bytes / mega,
                       product->options->blocks.x > 0 ? "these tiles" : "these files",
                       ceil(tg_panels_least_bytes(&product->plan) / mega));
  return TG_SIM_FAIL(
      error, TOO_LARGE,
      "%.4gM of memory is not enough: %s need at least %.0fM (%.0fM of it for the program and its requests)",
      product->memory_bytes / mega, product->options->blocks.x > 0 ? "these tiles" : "these files",
      ceil(least_bytes(product) / mega), ceil(product->taken_bytes / mega));
}

bool tg_disk_product_plan(TgDiskProduct *product, double memory_bytes, GError **error) {
  GError *problem = NULL;
  prepare(product, memory_bytes);
  if (least_bytes(product) > memory_bytes || tg_panels_least_bytes(&product->plan) > product->plan.memory_bytes)
    return refuse_memory(product, error);
  tg_panels_clear(&product->panels);
  if (tg_panels_plan(&product->panels, &product->plan, &problem)) return true;
  if (!g_error_matches(problem, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE)) {
    g_propagate_error(error, problem);
    return false;
  }
  g_error_free(problem);
  return refuse_memory(product, error);
}

bool tg_disk_product_plan_again(TgDiskProduct *product, double planned_bytes, double memory_bytes, GError **error) {
  return (planned_bytes < memory_bytes && tg_disk_product_plan(product, planned_bytes, NULL)) ||
         tg_disk_product_plan(product, memory_bytes, error);
}

/* Bytes in the file of a part that begins at this distance from the beginning of `file`. */
static double part_bytes(const TgStreamFile *file, int64_t row, int64_t column, int64_t rows, int64_t columns) {
  const TgStreamFile part = {NULL, -1, file->tiling, file->row + row, file->column + column, rows, columns};
  return tg_tiles_all_bytes(&part);
}

void tg_disk_product_count(const TgDiskProduct *product, TgHugeResult *result) {
  for (int64_t p = 0; p < product->panels.count; p++) {
    const TgPanel *panel = &product->panels.panel[p];
    const double c_bytes = part_bytes(&product->c, panel->row, panel->column, panel->rows, panel->columns);
    result->model_read_bytes += product->addend.file ? c_bytes : 0;
    for (int64_t f = 0; f < product->count; f++) {
      const TgStreamFile *a = &product->factors[f].a, *b = &product->factors[f].b;
      result->model_read_bytes += part_bytes(a, panel->row, 0, panel->rows, a->columns) +
                                  part_bytes(b, 0, panel->column, b->rows, panel->columns);
    }
    result->model_written_bytes += c_bytes;
  }
}

void tg_disk_product_note(const TgDiskProduct *product, TgHugeResult *result) {
  const TgPanels *panels = &product->panels;
  result->panels += panels->count;
  result->step = MAX(result->step, MIN(panels->step, product->plan.k));
  result->chunk = MAX(result->chunk, panels->chunk);
  for (int64_t p = 0; p < panels->count; p++) {
    const TgPanel *panel = &panels->panel[p];
    result->largest_rows = MAX(result->largest_rows, panel->rows);
    result->largest_columns = MAX(result->largest_columns, panel->columns);
  }
  const double buffers = panels->panel_bytes + panels->a_bytes + panels->b_bytes + SLOTS * (double)product->slot_bytes;
  result->buffer_bytes = fmax(result->buffer_bytes, buffers);
  if (product->options->multiplier)
    result->device_bytes = panels->panel_bytes + panels->b_bytes +
                           2 * (double)(panels->chunk * panels->step * product->plan.element_bytes);
}

/* --- going on ----------------------------------------------------------------------------------------------------- */

static bool is_finished(const TgDiskProduct *product, const TgPanel *panel, char *room, TgHugeResult *result) {
  const TgStreamFile *c = &product->c;
  const TgStreamFile part = {c->file,     c->descriptor, c->tiling, c->row + panel->row, c->column + panel->column,
                             panel->rows, panel->columns};
  return tg_tiles_are_complete(&part, room, &result->verified_bytes);
}

bool tg_disk_product_drop_finished(TgDiskProduct *product, TgHugeResult *result, GError **error) {
  char *room = tg_tiles_room((double)tg_disk_largest_tile(product->factors));
  TgPanels *panels = &product->panels;
  const int64_t all = panels->count;
  bool goes_on = true;
  if (!room) return TG_SIM_FAIL(error, TOO_LARGE, "no memory for a tile; use smaller tiles");
  panels->count = 0;
  for (int64_t p = 0; p < all && goes_on; p++) {
    goes_on = tg_watch_go_on(&product->options->watch, 0);
    if (!is_finished(product, &panels->panel[p], room, result)) panels->panel[panels->count++] = panels->panel[p];
  }
  tg_tiles_leave(room);
  result->panels_resumed += all - panels->count;
  return goes_on || TG_SIM_FAIL(error, STOPPED, "stopped");
}

TgStreamJob tg_disk_product_job(const TgDiskProduct *product) {
  return (TgStreamJob){.type = product->factors->a.tiling.type,
                       .factors = product->factors,
                       .count = product->count,
                       .c = product->c,
                       .addend = product->addend,
                       .panels = &product->panels,
                       .a_buffers = (int)product->plan.a_buffers - 1, /* BLAS copies one */
                       .b_buffers = (int)product->plan.b_buffers,
                       .slots = SLOTS,
                       .slot_bytes = product->slot_bytes,
                       .threads = product->options->threads,
                       .options = product->options};
}

void tg_disk_product_clear(TgDiskProduct *product) {
  tg_panels_clear(&product->panels);
}

#define _GNU_SOURCE /* O_DIRECT */

#include "huge.h"

#include "blas.h"
#include "checksum.h"
#include "matrix.h"
#include "stream.h"
#include "unfinished.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SLOTS = 16,                   /* transfers under way */
  MOST_SLOT_BYTES = 1 << 20,    /* larger ones gain nothing */
  PACKED_BYTES = 1 << 20,       /* of a BLAS thread, for parts of the factors in its own order */
  OTHER_BYTES = 1 << 20,        /* stacks, and what the C library keeps */
  PROGRAM_UNIT_BYTES = 13 << 20 /* in which the program's own memory is counted */
};

/* A product on its way. */
typedef struct Huge {
  const TgHugeOptions *options;
  TgHugeResult *result;
  TgTiledFile *a, *b;
  TgUnfinished part;
  int a_descriptor, b_descriptor, c_descriptor; /* for tiles */
  double memory_bytes;                          /* that is planned for */
  double program_bytes, taken_bytes;            /* of it, beside the buffers */
  TgPanels panels;
  TgPanelsJob plan;
  size_t slot_bytes;
} Huge;

const char *tg_huge_stage_name(TgHugeStage stage) {
  static const char *const names[TG_HUGE_STAGES] = {"read A", "read B", "multiply", "write C", "sync C"};
  return names[stage];
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static bool open_inputs(Huge *huge, GError **error) {
  const TgHugeOptions *options = huge->options;
  if (!(huge->a = tg_tiled_file_open(options->a, error)) || !(huge->b = tg_tiled_file_open(options->b, error)))
    return false;
  const TgTiling *a = tg_tiled_file_tiling(huge->a), *b = tg_tiled_file_tiling(huge->b);
  if (a->type != b->type)
    return TG_IO_FAIL(error, BAD_INPUT, "%s has elements of %s, and %s of %s", options->a, tg_element_name(a->type),
                      options->b, tg_element_name(b->type));
  if (a->columns == b->rows) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s is %" PRId64 "x%" PRId64 " and %s is %" PRId64 "x%" PRId64
                    ": the columns of A must be as many as the rows of B",
                    options->a, a->rows, a->columns, options->b, b->rows, b->columns);
}

static TgTiling tiling_of_c(const Huge *huge) {
  const TgTiling *a = tg_tiled_file_tiling(huge->a), *b = tg_tiled_file_tiling(huge->b);
  return (TgTiling){a->type, a->rows, b->columns, a->tile_rows, b->tile_columns};
}

/* What C is made of: the same product has the same. */
static uint64_t product_of(const Huge *huge) {
  const uint64_t identity[] = {tg_tiled_file_identity(huge->a), tg_tiled_file_identity(huge->b)};
  return tg_checksum(identity, sizeof identity, 0);
}

/* Past the cache where that is wanted and the file system can. -1 with errno. */
static int open_tiles(Huge *huge, const char *path, int flags) {
  int descriptor = -1;
#ifdef O_DIRECT
  if (!huge->options->cached) descriptor = open(path, flags | O_DIRECT | O_CLOEXEC);
#endif
  if (descriptor >= 0) return descriptor;
  huge->result->direct = false;
  return open(path, flags | O_CLOEXEC);
}

static bool open_all_tiles(Huge *huge, GError **error) {
  const struct {
    const char *path;
    int *descriptor;
    bool writes;
  } files[] = {{huge->options->a, &huge->a_descriptor, false},
               {huge->options->b, &huge->b_descriptor, false},
               {huge->part.path, &huge->c_descriptor, true}};
  huge->result->direct = true;
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    *files[i].descriptor = open_tiles(huge, files[i].path, files[i].writes ? O_RDWR : O_RDONLY);
    if (*files[i].descriptor >= 0) continue;
    g_set_error(error, TG_IO_ERROR, files[i].writes ? TG_IO_ERROR_CANNOT_WRITE : TG_IO_ERROR_CANNOT_READ,
                "%s: cannot %s: %s", files[i].path, files[i].writes ? "write" : "read", g_strerror(errno));
    return false;
  }
  return true;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

/* At most `most`: where the multiple is larger, that is one step. */
static int64_t common_multiple(int64_t a, int64_t b, int64_t most) {
  const int64_t times = a / tg_common_divisor(a, b);
  return times > most / b ? most : times * b;
}

static size_t largest_tile(const Huge *huge) {
  const TgTiling c = tiling_of_c(huge);
  const TgTiling *tilings[] = {tg_tiled_file_tiling(huge->a), tg_tiled_file_tiling(huge->b), &c};
  size_t most = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(tilings); i++)
    most = MAX(most, (size_t)tg_tiling_tile(tilings[i], 0, 0).stored_bytes);
  return most;
}

static int a_buffers(const Huge *huge) {
  return huge->options->sequential ? 1 : 3;
}

/* The program's own memory. In coarse units, since it varies a little: the same command is to have the same plan. */
static double program_bytes(void) {
  const double now = (double)tg_memory_used_bytes() + PACKED_BYTES * (double)tg_blas_threads_most() + OTHER_BYTES;
  return ceil(now / PROGRAM_UNIT_BYTES) * PROGRAM_UNIT_BYTES;
}

/* For one transfer: of some tiles, where there is memory for it. */
static size_t wanted_slot_bytes(const Huge *huge) {
  const double part = 1.0 / 96; /* of the memory, for all */
  const size_t wanted = (size_t)(huge->memory_bytes * part / SLOTS) / TG_TILED_ALIGNMENT * TG_TILED_ALIGNMENT;
  return MAX(largest_tile(huge), MIN(wanted, (size_t)MOST_SLOT_BYTES));
}

static void ask_plan(Huge *huge, size_t slot_bytes) {
  const TgTiling *a = tg_tiled_file_tiling(huge->a), *b = tg_tiled_file_tiling(huge->b);
  const TgTiling c = tiling_of_c(huge);
  const double checksums = 2 * 8 * (double)tg_tiling_count(&c); /* as they are, and as they are in the file */
  huge->slot_bytes = slot_bytes;
  huge->taken_bytes = huge->program_bytes + checksums + SLOTS * (double)huge->slot_bytes;
  huge->plan =
      (TgPanelsJob){.m = a->rows,
                    .n = b->columns,
                    .k = a->columns,
                    .element_bytes = tg_element_bytes(a->type),
                    .memory_bytes = huge->memory_bytes - huge->taken_bytes,
                    .a_buffers = a_buffers(huge) + 1, /* BLAS has the one that it multiplies in its own order, too */
                    .b_buffers = huge->options->sequential ? 1 : 2,
                    .blocks = huge->options->blocks};
  huge->plan.unit =
      (TgProductBlocks){a->tile_rows, common_multiple(a->tile_columns, b->tile_rows, a->columns), b->tile_columns};
}

/* For panels, or for the check afterwards. */
static double least_bytes(const Huge *huge) {
  return fmax(huge->taken_bytes + tg_panels_least_bytes(&huge->plan),
              huge->program_bytes + tg_huge_check_least_bytes(huge->plan.k, tg_tiled_file_tiling(huge->a)->tile_rows) +
                  2 * (double)largest_tile(huge));
}

static bool refuse_memory(const Huge *huge, GError **error) {
  const double mega = 1e6;
  return TG_SIM_FAIL(
      error, TOO_LARGE,
      "%.0fM of memory is not enough: %s need at least %.0fM (%.0fM of it for the program and its requests)",
      huge->memory_bytes / mega, huge->options->blocks.x > 0 ? "these tiles" : "these files",
      ceil(least_bytes(huge) / mega), ceil(huge->taken_bytes / mega));
}

static bool make_plan(Huge *huge, double memory_bytes, GError **error) {
  GError *problem = NULL;
  huge->memory_bytes = memory_bytes;
  ask_plan(huge, wanted_slot_bytes(huge));
  if (least_bytes(huge) > memory_bytes) ask_plan(huge, largest_tile(huge));
  if (least_bytes(huge) > memory_bytes) return refuse_memory(huge, error);
  tg_panels_clear(&huge->panels);
  if (tg_panels_plan(&huge->panels, &huge->plan, &problem)) return true;
  if (!g_error_matches(problem, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE)) {
    g_propagate_error(error, problem);
    return false;
  }
  g_error_free(problem);
  return refuse_memory(huge, error);
}

/* Goes on with the plan of an earlier run, where memory is enough for it: panels that it finished stay whole. */
static bool open_part(Huge *huge, GError **error) {
  const TgTiling c = tiling_of_c(huge);
  TgTiledJob job = {product_of(huge), (uint64_t)huge->memory_bytes};
  if (!tg_unfinished_open(&huge->part, huge->options->c, &c, &job, error)) return false;
  const double planned = (double)job.memory;
  return planned >= huge->memory_bytes || make_plan(huge, planned, NULL) ||
         make_plan(huge, huge->options->memory_bytes, error);
}

/* Bytes in the file of rows or columns of tiles from `begin` to `end`. */
static double strip_bytes(const TgTiling *tiling, bool rows, int64_t begin, int64_t end) {
  const int64_t unit = rows ? tiling->tile_rows : tiling->tile_columns;
  const int64_t across = rows ? tg_tiling_across(tiling) : tg_tiling_down(tiling);
  double bytes = 0;
  for (int64_t i = begin / unit; i * unit < end; i++)
    for (int64_t j = 0; j < across; j++)
      bytes += (double)(rows ? tg_tiling_tile(tiling, i, j) : tg_tiling_tile(tiling, j, i)).stored_bytes;
  return bytes;
}

/* What the panels read and write, counted from the files' tiles. */
static void count_model(Huge *huge) {
  TgHugeResult *result = huge->result;
  const TgTiling *a = tg_tiled_file_tiling(huge->a), *b = tg_tiled_file_tiling(huge->b),
                 *c = tg_tiled_file_tiling(huge->part.file);
  for (int64_t p = 0; p < huge->panels.count; p++) {
    const TgPanel *panel = &huge->panels.panel[p];
    result->model_read_bytes += strip_bytes(a, true, panel->row, panel->row + panel->rows) +
                                strip_bytes(b, false, panel->column, panel->column + panel->columns);
    for (int64_t i = panel->row / c->tile_rows; i * c->tile_rows < panel->row + panel->rows; i++)
      for (int64_t j = panel->column / c->tile_columns; j * c->tile_columns < panel->column + panel->columns; j++)
        result->model_written_bytes += (double)tg_tiling_tile(c, i, j).stored_bytes;
  }
}

static void note_plan(Huge *huge) {
  TgHugeResult *result = huge->result;
  const TgPanels *panels = &huge->panels;
  const TgPanelsJob *plan = &huge->plan;
  result->type = tg_tiled_file_tiling(huge->a)->type;
  result->m = plan->m;
  result->n = plan->n;
  result->k = plan->k;
  result->panels = panels->count;
  result->tiles = tg_tiling_count(tg_tiled_file_tiling(huge->a)) + tg_tiling_count(tg_tiled_file_tiling(huge->b)) +
                  tg_tiling_count(tg_tiled_file_tiling(huge->part.file));
  result->step = MIN(panels->step, plan->k);
  result->chunk = panels->chunk;
  for (int64_t p = 0; p < panels->count; p++) {
    const TgPanel *panel = &panels->panel[p];
    result->largest_rows = MAX(result->largest_rows, panel->rows);
    result->largest_columns = MAX(result->largest_columns, panel->columns);
  }
  const double e = (double)plan->element_bytes, memory = huge->memory_bytes / e;
  result->bound_read_bytes = e * tg_pipeline_bound(plan->m, plan->n, plan->k, memory);
  result->memory_bytes = huge->options->memory_bytes;
  result->buffer_bytes = panels->panel_bytes + panels->a_bytes + panels->b_bytes + SLOTS * (double)huge->slot_bytes;
}

/* --- going on ----------------------------------------------------------------------------------------------------- */

/* Whether every tile of the panel is there, and is what was written. */
static bool is_finished(Huge *huge, const TgPanel *panel, void *room) {
  const TgTiling *c = tg_tiled_file_tiling(huge->part.file);
  for (int64_t i = panel->row / c->tile_rows; i * c->tile_rows < panel->row + panel->rows; i++)
    for (int64_t j = panel->column / c->tile_columns; j * c->tile_columns < panel->column + panel->columns; j++) {
      const TgTile tile = tg_tiling_tile(c, i, j);
      if (!tg_tiled_file_has(huge->part.file, &tile)) return false;
      huge->result->verified_bytes += (double)tile.bytes;
      if (!tg_tiled_file_read(huge->part.file, &tile, room, NULL)) return false;
    }
  return true;
}

/* Leaves the panels that are still to be computed. */
static bool drop_finished(Huge *huge, GError **error) {
  g_autofree void *room = g_try_malloc(largest_tile(huge));
  TgPanels *panels = &huge->panels;
  int64_t left = 0;
  if (!room) return TG_SIM_FAIL(error, TOO_LARGE, "no memory for a tile; use smaller tiles");
  for (int64_t p = 0; p < panels->count; p++) {
    if (!tg_watch_go_on(&huge->options->watch, 0)) return TG_SIM_FAIL(error, STOPPED, "stopped");
    if (!is_finished(huge, &panels->panel[p], room)) panels->panel[left++] = panels->panel[p];
  }
  huge->result->panels_resumed = panels->count - left;
  panels->count = left;
  return true;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static bool stream_panels(Huge *huge, GError **error) {
  const TgHugeOptions *options = huge->options;
  const TgStreamJob job = {.type = huge->result->type,
                           .k = huge->plan.k,
                           .a = {huge->a, huge->a_descriptor},
                           .b = {huge->b, huge->b_descriptor},
                           .c = {huge->part.file, huge->c_descriptor},
                           .panels = &huge->panels,
                           .a_buffers = a_buffers(huge),
                           .b_buffers = (int)huge->plan.b_buffers,
                           .slots = SLOTS,
                           .slot_bytes = huge->slot_bytes,
                           .threads = options->threads,
                           .options = options};
  if (options->begins) options->begins(options->watch.user, tg_stream_chunks(&job));
  return huge->panels.count == 0 || tg_stream_multiply(&job, huge->result, error);
}

static void huge_clear(Huge *huge) {
  const int descriptors[] = {huge->a_descriptor, huge->b_descriptor, huge->c_descriptor};
  for (size_t i = 0; i < G_N_ELEMENTS(descriptors); i++)
    if (descriptors[i] >= 0) close(descriptors[i]);
  tg_tiled_file_free(huge->a);
  tg_tiled_file_free(huge->b);
  tg_unfinished_clear(&huge->part);
  tg_panels_clear(&huge->panels);
}

static bool multiply(Huge *huge, GError **error) {
  if (!open_inputs(huge, error) || !tg_blas_load(error)) return false;
  const TgTiling c = tiling_of_c(huge);
  huge->program_bytes = program_bytes();
  if (!tg_tiling_check(&c, error) || !make_plan(huge, huge->options->memory_bytes, error) || !open_part(huge, error) ||
      !open_all_tiles(huge, error))
    return false;
  note_plan(huge);
  if (!drop_finished(huge, error)) return false;
  count_model(huge);
  if (!stream_panels(huge, error) || !tg_unfinished_finish(&huge->part, error)) return false;
  huge->result->peak_rss_bytes = (double)tg_memory_peak_bytes();
  return true;
}

bool tg_huge_multiply(const TgHugeOptions *options, TgHugeResult *result, GError **error) {
  Huge huge = {.options = options,
               .result = result,
               .a_descriptor = -1,
               .b_descriptor = -1,
               .c_descriptor = -1,
               .part.descriptor = -1};
  *result = (TgHugeResult){0};
  const bool fine = multiply(&huge, error);
  huge_clear(&huge);
  return fine;
}

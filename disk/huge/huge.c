#define _GNU_SOURCE /* O_DIRECT */

#include "huge.h"

#include "blas.h"
#include "checksum.h"
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  SLOTS = 16,                /* transfers under way */
  MOST_SLOT_BYTES = 1 << 20, /* larger ones gain nothing */
  PACKED_BYTES = 1 << 20,    /* of a BLAS thread, for parts of the factors in its own order */
  OTHER_BYTES = 2 << 20      /* stacks, and what the C library keeps */
};

/* A product on its way. */
typedef struct Huge {
  const TgHugeOptions *options;
  TgHugeResult *result;
  TgTiledFile *a, *b, *c;
  int a_descriptor, b_descriptor, c_descriptor; /* for tiles */
  char *part;
  int part_descriptor; /* locked */
  double taken_bytes;  /* of memory, beside the buffers */
  TgPanels panels;
  TgPanelsJob plan;
  size_t slot_bytes;
} Huge;

static bool fail(GError **error, TgIoError code, const char *path, const char *what, const char *why) {
  g_set_error(error, TG_IO_ERROR, code, "%s: cannot %s: %s", path, what, why);
  return false;
}

/* --- memory that is taken ----------------------------------------------------------------------------------------- */

/* A line of /proc/self/status in bytes; 0 where there is none. */
static double status_bytes(const char *key) {
  double kib = 0;
  char line[256];
  FILE *file = fopen("/proc/self/status", "re");
  while (file && fgets(line, sizeof line, file))
    if (g_str_has_prefix(line, key)) kib = g_ascii_strtod(line + strlen(key), NULL);
  if (file) fclose(file);
  return kib * 1024;
}

double tg_huge_peak_rss_bytes(void) {
  return status_bytes("VmHWM:");
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
static uint64_t job_of(const Huge *huge) {
  const uint64_t identity[] = {tg_tiled_file_identity(huge->a), tg_tiled_file_identity(huge->b)};
  return tg_checksum(identity, sizeof identity, 0);
}

/* Whether `path` is still the file that is locked: another run may have finished, and given it its name, in between. */
static bool is_same(const Huge *huge) {
  struct stat named, locked;
  return stat(huge->part, &named) == 0 && fstat(huge->part_descriptor, &locked) == 0 && named.st_dev == locked.st_dev &&
         named.st_ino == locked.st_ino;
}

static bool lock_part(Huge *huge, GError **error) {
  huge->part = g_strconcat(huge->options->c, ".part", NULL);
  do {
    if (huge->part_descriptor >= 0) close(huge->part_descriptor);
    huge->part_descriptor = open(huge->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (huge->part_descriptor < 0) return fail(error, TG_IO_ERROR_CANNOT_WRITE, huge->part, "write", g_strerror(errno));
    if (flock(huge->part_descriptor, LOCK_EX | LOCK_NB) == 0) continue;
    if (errno == EWOULDBLOCK)
      return fail(error, TG_IO_ERROR_CANNOT_WRITE, huge->options->c, "write", "another run is writing it");
    return fail(error, TG_IO_ERROR_CANNOT_WRITE, huge->part, "lock", g_strerror(errno));
  } while (!is_same(huge));
  return true;
}

static bool same_tiling(const TgTiling *one, const TgTiling *other) {
  return one->type == other->type && one->rows == other->rows && one->columns == other->columns &&
         one->tile_rows == other->tile_rows && one->tile_columns == other->tile_columns;
}

/* What was begun for other inputs is not overwritten. */
static bool resume(Huge *huge, const TgTiling *tiling, GError **error) {
  uint64_t job = 0;
  GError *problem = NULL;
  huge->c = tg_tiled_file_resume(huge->part_descriptor, huge->part, &job, &problem);
  if (!huge->c) {
    g_propagate_prefixed_error(error, problem,
                               "cannot go on with an earlier run (remove %s to begin again): ", huge->part);
    return false;
  }
  if (job == job_of(huge) && same_tiling(tiling, tg_tiled_file_tiling(huge->c))) return true;
  return TG_IO_FAIL(
      error, BAD_INPUT,
      "%s is of a run that was begun with other matrices than %s and %s are now: remove it to begin again", huge->part,
      huge->options->a, huge->options->b);
}

static bool begin_part(Huge *huge, GError **error) {
  const TgTiling tiling = tiling_of_c(huge);
  if (!lock_part(huge, error)) return false;
  if (tg_tiled_file_is_begun(huge->part_descriptor)) return resume(huge, &tiling, error);
  huge->c = tg_tiled_file_begin(huge->part_descriptor, huge->part, &tiling, job_of(huge), error);
  if (huge->c) return true;
  unlink(huge->part);
  return false;
}

/* Past the cache where that is wanted and the file system can. */
static int open_tiles(const Huge *huge, const char *path, int flags, bool *direct) {
  int descriptor = -1;
#ifdef O_DIRECT
  if (!huge->options->cached) descriptor = open(path, flags | O_DIRECT | O_CLOEXEC);
#endif
  if (descriptor < 0) {
    *direct = false;
    descriptor = open(path, flags | O_CLOEXEC);
  }
  return descriptor;
}

static bool open_all_tiles(Huge *huge, GError **error) {
  bool direct = true;
  huge->a_descriptor = open_tiles(huge, huge->options->a, O_RDONLY, &direct);
  huge->b_descriptor = open_tiles(huge, huge->options->b, O_RDONLY, &direct);
  huge->c_descriptor = open_tiles(huge, huge->part, O_RDWR, &direct);
  huge->result->direct = direct;
  if (huge->a_descriptor < 0) return fail(error, TG_IO_ERROR_CANNOT_READ, huge->options->a, "read", g_strerror(errno));
  if (huge->b_descriptor < 0) return fail(error, TG_IO_ERROR_CANNOT_READ, huge->options->b, "read", g_strerror(errno));
  return huge->c_descriptor >= 0 || fail(error, TG_IO_ERROR_CANNOT_WRITE, huge->part, "write", g_strerror(errno));
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static int64_t common_multiple(int64_t a, int64_t b) {
  int64_t x = a, y = b;
  while (y) {
    const int64_t rest = x % y;
    x = y;
    y = rest;
  }
  return a / x * b;
}

static size_t largest_tile(const Huge *huge) {
  const TgTiling c = tiling_of_c(huge);
  const TgTiling *tilings[] = {tg_tiled_file_tiling(huge->a), tg_tiled_file_tiling(huge->b), &c};
  size_t most = 0;
  for (size_t i = 0; i < G_N_ELEMENTS(tilings); i++)
    most = MAX(most, (size_t)tg_tiling_tile(tilings[i], 0, 0).stored_bytes);
  return most;
}

static int a_slots(const Huge *huge) {
  return huge->options->sequential ? 1 : 3;
}

static void ask_plan(Huge *huge) {
  const TgTiling *a = tg_tiled_file_tiling(huge->a), *b = tg_tiled_file_tiling(huge->b);
  const TgTiling c = tiling_of_c(huge);
  const double checksums = 2 * 8 * (double)tg_tiling_count(&c); /* as they are, and as they are in the file */
  const double part = 1.0 / 64;                                 /* of the memory, for transfers under way */
  const size_t wanted = (size_t)(huge->options->memory_bytes * part / SLOTS) / TG_TILED_ALIGNMENT * TG_TILED_ALIGNMENT;
  huge->slot_bytes = MAX(largest_tile(huge), MIN(wanted, (size_t)MOST_SLOT_BYTES));
  huge->taken_bytes = status_bytes("VmRSS:") + checksums + PACKED_BYTES * (double)tg_blas_threads_most() + OTHER_BYTES +
                      SLOTS * (double)huge->slot_bytes;
  huge->plan =
      (TgPanelsJob){.m = a->rows,
                    .n = b->columns,
                    .k = a->columns,
                    .element_bytes = tg_element_bytes(a->type),
                    .memory_bytes = huge->options->memory_bytes - huge->taken_bytes,
                    .a_slots = a_slots(huge) + 1, /* BLAS has the one that it multiplies in its own order, too */
                    .b_slots = huge->options->sequential ? 1 : 2,
                    .blocks = huge->options->blocks};
  huge->plan.unit =
      (TgProductBlocks){a->tile_rows, MIN(common_multiple(a->tile_columns, b->tile_rows), a->columns), b->tile_columns};
}

static bool make_plan(Huge *huge, GError **error) {
  const TgTiling c = tiling_of_c(huge);
  GError *problem = NULL;
  if (!tg_tiling_check(&c, error)) return false;
  ask_plan(huge);
  if (tg_panels_plan(&huge->panels, &huge->plan, &problem)) return true;
  if (!g_error_matches(problem, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE)) {
    g_propagate_error(error, problem);
    return false;
  }
  g_error_free(problem);
  const bool own = huge->options->blocks.x > 0; /* the caller's blocks */
  return TG_SIM_FAIL(error, TOO_LARGE,
                     "%.0f bytes of memory are too little: %s need at least %.0f, for panels of C, A and B in addition "
                     "to %.0f for the program and transfers under way",
                     huge->options->memory_bytes, own ? "these tiles" : "these files",
                     huge->taken_bytes + tg_panels_least_bytes(&huge->plan), huge->taken_bytes);
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
                 *c = tg_tiled_file_tiling(huge->c);
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
                  tg_tiling_count(tg_tiled_file_tiling(huge->c));
  result->step = panels->step;
  result->chunk = panels->chunk;
  for (int64_t p = 0; p < panels->count; p++) {
    const TgPanel *panel = &panels->panel[p];
    result->largest_rows = MAX(result->largest_rows, panel->rows);
    result->largest_columns = MAX(result->largest_columns, panel->columns);
  }
  const double e = (double)plan->element_bytes, memory = huge->options->memory_bytes / e;
  result->bound_read_bytes = e * tg_pipeline_bound(plan->m, plan->n, plan->k, memory);
  result->memory_bytes = huge->options->memory_bytes;
  result->buffer_bytes = panels->panel_bytes + panels->a_bytes + panels->b_bytes + SLOTS * (double)huge->slot_bytes;
}

/* --- going on ----------------------------------------------------------------------------------------------------- */

/* Whether every tile of the panel is there, and is what was written. */
static bool is_finished(Huge *huge, const TgPanel *panel, void *room) {
  const TgTiling *c = tg_tiled_file_tiling(huge->c);
  for (int64_t i = panel->row / c->tile_rows; i * c->tile_rows < panel->row + panel->rows; i++)
    for (int64_t j = panel->column / c->tile_columns; j * c->tile_columns < panel->column + panel->columns; j++) {
      const TgTile tile = tg_tiling_tile(c, i, j);
      if (!tg_tiled_file_has(huge->c, &tile)) return false;
      huge->result->verified_bytes += (double)tile.bytes;
      if (!tg_tiled_file_read(huge->c, &tile, room, NULL)) return false;
    }
  return true;
}

/* Leaves the panels that are still to be computed. */
static void drop_finished(Huge *huge) {
  g_autofree void *room = g_malloc(largest_tile(huge));
  TgPanels *panels = &huge->panels;
  int64_t left = 0;
  for (int64_t p = 0; p < panels->count; p++)
    if (!is_finished(huge, &panels->panel[p], room)) panels->panel[left++] = panels->panel[p];
  huge->result->panels_resumed = panels->count - left;
  panels->count = left;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static bool stream_panels(Huge *huge, GError **error) {
  const TgHugeOptions *options = huge->options;
  const TgStreamJob job = {.type = huge->result->type,
                           .k = huge->plan.k,
                           .a = {huge->a, huge->a_descriptor},
                           .b = {huge->b, huge->b_descriptor},
                           .c = {huge->c, huge->c_descriptor},
                           .panels = &huge->panels,
                           .a_slots = a_slots(huge),
                           .b_slots = (int)huge->plan.b_slots,
                           .slots = SLOTS,
                           .slot_bytes = huge->slot_bytes,
                           .threads = options->threads,
                           .watch = &options->watch};
  if (options->begins) options->begins(options->watch.user, tg_stream_chunks(&job));
  return huge->panels.count == 0 || tg_stream_multiply(&job, huge->result, error);
}

static bool sync_folder(const char *path) {
  g_autofree char *folder = g_path_get_dirname(path);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool fine = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  return fine;
}

static bool finish(Huge *huge, GError **error) {
  const char *path = huge->options->c;
  if (!tg_tiled_file_finish(huge->c, error)) return false;
  if (rename(huge->part, path) == 0 && sync_folder(path)) return true;
  return fail(error, TG_IO_ERROR_CANNOT_WRITE, path, "write", g_strerror(errno));
}

static void huge_clear(Huge *huge) {
  const int descriptors[] = {huge->a_descriptor, huge->b_descriptor, huge->c_descriptor, huge->part_descriptor};
  for (size_t i = 0; i < G_N_ELEMENTS(descriptors); i++)
    if (descriptors[i] >= 0) close(descriptors[i]);
  tg_tiled_file_free(huge->a);
  tg_tiled_file_free(huge->b);
  tg_tiled_file_free(huge->c);
  tg_panels_clear(&huge->panels);
  g_free(huge->part);
}

static bool multiply(Huge *huge, GError **error) {
  if (tg_disk_lacks()) return TG_IO_FAIL(error, BAD_INPUT, "no tiled files: %s", tg_disk_lacks());
  if (!open_inputs(huge, error) || !tg_blas_load(error) || !make_plan(huge, error) || !begin_part(huge, error) ||
      !open_all_tiles(huge, error))
    return false;
  note_plan(huge);
  drop_finished(huge);
  count_model(huge);
  if (!stream_panels(huge, error) || !finish(huge, error)) return false;
  huge->result->peak_rss_bytes = tg_huge_peak_rss_bytes();
  return true;
}

bool tg_huge_multiply(const TgHugeOptions *options, TgHugeResult *result, GError **error) {
  Huge huge = {.options = options,
               .result = result,
               .a_descriptor = -1,
               .b_descriptor = -1,
               .c_descriptor = -1,
               .part_descriptor = -1};
  *result = (TgHugeResult){0};
  const bool fine = multiply(&huge, error);
  huge_clear(&huge);
  return fine;
}

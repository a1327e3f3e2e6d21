#include "disk-store.h"

#include "sim-error.h"
#include "tiles.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

static TgDiskBlock *block_at(const TgDiskStore *store, int32_t number) {
  return tg_disk_block(store->program, number);
}

static char *path_of(const TgDiskStore *store, int32_t number) {
  return g_strdup_printf("%s/%016" PRIx64 "-%" PRId32 ".tg", store->folder, store->identity, number);
}

static TgTiling tiling_of(const TgDiskStore *store, int32_t number) {
  const TgDiskBlock *block = block_at(store, number);
  const TgTiling *a = &store->inputs->all.a.tiling, *b = &store->inputs->all.b.tiling;
  return (TgTiling){.type = a->type,
                    .rows = block->rows,
                    .columns = block->columns,
                    .tile_rows = MIN(block->rows, (block->matrix == TG_MATRIX_B ? b : a)->tile_rows),
                    .tile_columns = MIN(block->columns, (block->matrix == TG_MATRIX_A ? a : b)->tile_columns)};
}

static TgStreamFile part_of(const TgStreamFile *whole, const TgDiskBlock *block) {
  return (TgStreamFile){whole->file,   whole->descriptor, whole->tiling, block->row,
                        block->column, block->rows,       block->columns};
}

/* What is known of a block's file before there is one. */
static TgStreamFile no_file(const TgDiskStore *store, int32_t number) {
  const TgDiskBlock *block = block_at(store, number);
  return (TgStreamFile){NULL, -1, tiling_of(store, number), 0, 0, block->rows, block->columns};
}

/* --- the store ---------------------------------------------------------------------------------------------------- */

void tg_disk_store_init(TgDiskStore *store) {
  g_mutex_init(&store->mutex);
  g_cond_init(&store->changed);
  store->direct = store->inputs->direct;
  store->stored = g_new0(TgDiskStored, store->program->blocks->len + 1);
  for (int32_t b = 0; b < (int32_t)store->program->blocks->len; b++) {
    const TgDiskBlock *block = block_at(store, b);
    TgDiskStored *stored = &store->stored[b];
    stored->part.descriptor = -1;
    stored->file = no_file(store, b);
    if (block->kind == TG_DISK_INPUT)
      stored->file = part_of(block->matrix == TG_MATRIX_A ? &store->inputs->all.a : &store->inputs->all.b, block);
    stored->ready = block->kind == TG_DISK_INPUT;
  }
}

void tg_disk_store_use_c(TgDiskStore *store, const TgStreamFile *c) {
  store->c = *c;
  for (int32_t b = 0; b < (int32_t)store->program->blocks->len; b++)
    if (block_at(store, b)->is_final) store->stored[b].file = part_of(c, block_at(store, b));
}

/* Inputs and parts of C have no file of their own. */
static bool has_own_file(const TgDiskStore *store, int32_t number) {
  const TgDiskBlock *block = block_at(store, number);
  return block->kind != TG_DISK_INPUT && !block->is_final;
}

static void close_block(TgDiskStore *store, int32_t number) {
  TgDiskStored *stored = &store->stored[number];
  if (!has_own_file(store, number)) return;
  if (stored->file.descriptor >= 0) close(stored->file.descriptor);
  if (stored->part.file != stored->file.file) tg_tiled_file_free(stored->file.file);
  tg_unfinished_clear(&stored->part);
  stored->part = (TgUnfinished){.descriptor = -1};
  stored->file = no_file(store, number);
}

static void remove_block(TgDiskStore *store, int32_t number) {
  g_autofree char *path = path_of(store, number);
  close_block(store, number);
  if (has_own_file(store, number) && block_at(store, number)->rank == store->rank) unlink(path);
}

void tg_disk_store_clear(TgDiskStore *store, bool finished) {
  if (!store->stored) return;
  for (int32_t b = 0; b < (int32_t)store->program->blocks->len; b++) (finished ? remove_block : close_block)(store, b);
  g_clear_error(&store->problem);
  g_mutex_clear(&store->mutex);
  g_cond_clear(&store->changed);
  g_free(store->stored);
}

/* --- what is there ------------------------------------------------------------------------------------------------ */

static bool open_block(TgDiskStore *store, int32_t number, GError **error) {
  g_autofree char *path = path_of(store, number);
  g_autoptr(TgTiledFile) file = tg_tiled_file_open(path, error);
  const int descriptor = file ? tg_disk_open_tiles(path, store->options->cached, false, &store->direct, error) : -1;
  if (descriptor < 0) return false;
  store->stored[number].file = tg_stream_file(g_steal_pointer(&file), descriptor);
  return true;
}

void tg_disk_store_look(TgDiskStore *store, double *available, TgHugeResult *result) {
  const TgTile largest = tg_tiling_tile(&store->c.tiling, 0, 0);
  char *room = tg_tiles_room((double)largest.stored_bytes);
  for (int32_t b = 0; b < (int32_t)store->program->blocks->len; b++) {
    const TgDiskBlock *block = block_at(store, b);
    if (block->rank != store->rank || block->kind == TG_DISK_INPUT) continue;
    store->stored[b].ready = block->is_final
                                 ? room && tg_tiles_are_complete(&store->stored[b].file, room, &result->verified_bytes)
                                 : open_block(store, b, NULL);
    available[b] = store->stored[b].ready;
  }
  tg_tiles_leave(room);
}

/* --- a block ------------------------------------------------------------------------------------------------------ */

bool tg_disk_store_begin(TgDiskStore *store, int32_t number, GError **error) {
  TgDiskStored *stored = &store->stored[number];
  if (!has_own_file(store, number)) return true;
  g_autofree char *path = path_of(store, number);
  const TgTiling tiling = tiling_of(store, number);
  TgTiledJob job = {store->identity, (uint64_t)store->options->memory_bytes};
  if (!tg_unfinished_open(&stored->part, path, &tiling, &job, error)) return false;
  const int descriptor = tg_disk_open_tiles(stored->part.path, store->options->cached, true, &store->direct, error);
  stored->file = tg_stream_file(stored->part.file, descriptor);
  return descriptor >= 0;
}

bool tg_disk_store_finish(TgDiskStore *store, int32_t number, GError **error) {
  TgDiskStored *stored = &store->stored[number];
  const bool fine = has_own_file(store, number) ? tg_unfinished_finish(&stored->part, error)
                                                : tg_tiled_file_keep(store->c.file, error);
  if (!fine) return false;
  g_mutex_lock(&store->mutex);
  stored->ready = true;
  g_cond_broadcast(&store->changed);
  g_mutex_unlock(&store->mutex);
  return true;
}

bool tg_disk_store_has(TgDiskStore *store, int32_t number) {
  g_mutex_lock(&store->mutex);
  const bool ready = store->stored[number].ready;
  g_mutex_unlock(&store->mutex);
  return ready;
}

static bool is_others(const TgDiskStore *store, int32_t number) {
  return block_at(store, number)->rank != store->rank && has_own_file(store, number);
}

bool tg_disk_store_is_there(TgDiskStore *store, int32_t number, GError **error) {
  if (!is_others(store, number)) return tg_disk_store_has(store, number);
  if (store->stored[number].file.file) return true;
  g_autofree char *path = path_of(store, number);
  return access(path, F_OK) == 0 && open_block(store, number, error); /* it has this name once it is complete */
}

bool tg_disk_store_wait(TgDiskStore *store, int32_t number, GError **error) {
  const struct timespec pause = {0, 1000000};
  GError *problem = NULL;
  while (!tg_disk_store_is_there(store, number, &problem)) {
    if (problem) g_propagate_error(error, problem);
    if (problem || tg_disk_store_is_stopped(store)) return false;
    if (!tg_watch_go_on(&store->options->watch, 0)) return TG_SIM_FAIL(error, STOPPED, "stopped");
    nanosleep(&pause, NULL);
  }
  return true;
}

void tg_disk_store_used(TgDiskStore *store, int32_t number) {
  g_mutex_lock(&store->mutex);
  const bool last = --store->stored[number].uses == 0;
  g_mutex_unlock(&store->mutex);
  if (last && !block_at(store, number)->is_shared) remove_block(store, number);
}

bool tg_disk_store_is_stopped(TgDiskStore *store) {
  g_mutex_lock(&store->mutex);
  const bool stopped = store->stop;
  g_mutex_unlock(&store->mutex);
  return stopped;
}

void tg_disk_store_stop(TgDiskStore *store, GError *problem) {
  g_mutex_lock(&store->mutex);
  if (!store->problem)
    store->problem = problem;
  else
    g_clear_error(&problem);
  store->stop = true;
  g_cond_broadcast(&store->changed);
  g_mutex_unlock(&store->mutex);
}

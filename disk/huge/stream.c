/* Two threads: one transfers tiles, one multiplies. The order of both is fixed:
 *
 *   for each panel of C: for each step of the inner dimension: B's rows of the step; A's rows chunk by chunk
 *
 * Chunks and steps are counted over all panels, so that a counter says what is there: chunk q waits for `a_ready` > q
 * and `b_ready` > its step, and its memory is free for others when `computed` > q. A panel's rows are final, and
 * written, when their chunk of the last step is computed; they are free for the next panel as soon as they are copied
 * to be written. */
#include "stream.h"

#include "blas.h"
#include "disk-queue.h"
#include "trials.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SLOTS = 4 };

typedef enum Operand { OPERAND_A, OPERAND_B, OPERAND_C } Operand;

/* Where the transfers, or the products, are. */
typedef struct Place {
  int64_t panel, step, chunk;      /* step of the panel, chunk of the step */
  int64_t whole_step, whole_chunk; /* counted over all panels */
} Place;

/* A row of tiles on their way. */
typedef struct Slot {
  Operand operand;
  int64_t group; /* chunk (A), step (B) or panel (C), over all panels */
  int64_t down, across, count;
} Slot;

/* What is read together: the tiles of a rectangle, row by row. */
typedef struct Group {
  int64_t row, column, rows, columns; /* of the matrix */
  int64_t down, across;               /* the next tile */
  bool begun;
} Group;

typedef struct Stream {
  const TgStreamJob *job;
  TgHugeResult *result;
  int64_t element_bytes;
  int64_t steps;                     /* of a panel */
  int64_t *first_chunk, *first_step; /* by panel, and one more */
  char *c, *a[MOST_SLOTS], *b[MOST_SLOTS];
  char *area;
  /* Between the threads: */
  GMutex mutex;
  GCond changed;
  int64_t a_ready, b_ready, computed;
  int64_t copied_panels;
  size_t copied_bytes; /* of the one after these */
  bool stop;
  GError *problem;
  /* Of the thread that transfers: */
  TgDiskQueue *queue;
  Slot *slot;
  int *idle; /* numbers of slots that are free */
  int idle_count;
  Place reads;
  bool reads_b;
  Group group, writes;
  int64_t write_panel;
  bool writing;                                     /* some of its tiles, and not all, are begun */
  int64_t a_begun, b_begun;                         /* groups of which all transfers have begun */
  int64_t a_waits[MOST_SLOTS], b_waits[MOST_SLOTS]; /* transfers under way, by part of memory */
  int64_t c_waits;
  double busy_since_s;
  GThread *keeper;
} Stream;

static const TgPanel *panel_at(const Stream *stream, int64_t panel) {
  return &stream->job->panels->panel[panel];
}

static int64_t panel_count(const Stream *stream) {
  return stream->job->panels->count;
}

static int64_t chunks_in(const TgStreamJob *job, int64_t panel) {
  return tg_divide_up(job->panels->panel[panel].rows, job->panels->chunk);
}

static int64_t step_length(const Stream *stream, int64_t step) {
  return MIN(stream->job->panels->step, stream->job->k - step * stream->job->panels->step);
}

int64_t tg_stream_chunks(const TgStreamJob *job) {
  int64_t chunks = 0;
  for (int64_t p = 0; p < job->panels->count; p++)
    chunks += chunks_in(job, p) * tg_divide_up(job->k, job->panels->step);
  return chunks;
}

/* --- between the threads ------------------------------------------------------------------------------------------ */

static void stop_with(Stream *stream, GError *problem) {
  g_mutex_lock(&stream->mutex);
  if (!stream->problem)
    stream->problem = problem;
  else
    g_error_free(problem);
  stream->stop = true;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
}

/* Advances to the next chunk in the order of both threads. */
static void advance(const Stream *stream, Place *place) {
  place->whole_chunk++;
  if (++place->chunk < chunks_in(stream->job, place->panel)) return;
  place->chunk = 0;
  place->whole_step++;
  if (++place->step < stream->steps) return;
  place->step = 0;
  place->panel++;
}

/* Chunks that are computed when a step, counted over all panels, is; it belongs to `panel` or one before. */
static int64_t chunks_until(const Stream *stream, int64_t panel, int64_t whole_step) {
  while (whole_step < stream->first_step[panel]) panel--;
  return stream->first_chunk[panel] + (whole_step - stream->first_step[panel] + 1) * chunks_in(stream->job, panel);
}

/* --- the thread that multiplies ----------------------------------------------------------------------------------- */

static bool can_compute(const Stream *stream, const Place *place, size_t end) {
  const bool is_free = place->step > 0 || stream->copied_panels >= place->panel ||
                       (stream->copied_panels == place->panel - 1 && stream->copied_bytes >= end);
  return is_free && stream->a_ready > place->whole_chunk && stream->b_ready > place->whole_step;
}

static void multiply_chunk(Stream *stream, const Place *place, int64_t row, int64_t rows) {
  const TgStreamJob *job = stream->job;
  const int64_t columns = panel_at(stream, place->panel)->columns, inner = step_length(stream, place->step);
  char *c = stream->c + row * columns * stream->element_bytes;
  const TgBlock left = tg_block_of(stream->a[place->whole_chunk % job->a_slots], rows, inner);
  const TgBlock right = tg_block_of(stream->b[place->whole_step % job->b_slots], inner, columns);
  if (place->step == 0) memset(c, 0, (size_t)(rows * columns * stream->element_bytes));
  if (job->type == TG_F64)
    tg_blas_multiply_add_f64(c, &left, &right);
  else
    tg_blas_multiply_add_f32(c, &left, &right);
}

static bool compute_chunk(Stream *stream, const Place *place) {
  const TgPanel *panel = panel_at(stream, place->panel);
  const int64_t row = place->chunk * stream->job->panels->chunk;
  const int64_t rows = MIN(stream->job->panels->chunk, panel->rows - row);
  const size_t end = (size_t)((row + rows) * panel->columns * stream->element_bytes);
  g_mutex_lock(&stream->mutex);
  while (!stream->stop && !can_compute(stream, place, end)) g_cond_wait(&stream->changed, &stream->mutex);
  const bool stopped = stream->stop;
  g_mutex_unlock(&stream->mutex);
  if (stopped) return false;
  const double begun_s = tg_now_s();
  multiply_chunk(stream, place, row, rows);
  stream->result->compute_s += tg_now_s() - begun_s;
  g_mutex_lock(&stream->mutex);
  stream->computed++;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
  return true;
}

static void compute_all(Stream *stream) {
  Place place = {0};
  while (place.panel < panel_count(stream) && compute_chunk(stream, &place)) {
    advance(stream, &place);
    if (tg_watch_go_on(stream->job->watch, place.whole_chunk)) continue;
    stop_with(stream, g_error_new_literal(TG_SIM_ERROR, TG_SIM_ERROR_STOPPED, "stopped"));
  }
}

/* --- the thread that transfers: rows of tiles --------------------------------------------------------------------- */

static const TgStreamFile *file_of(const Stream *stream, Operand operand) {
  return operand == OPERAND_A ? &stream->job->a : operand == OPERAND_B ? &stream->job->b : &stream->job->c;
}

/* Tiles from the group's next one that a slot has room for, at least one; `*bytes` of the file. */
static int64_t tiles_at_once(const Stream *stream, const TgTiling *tiling, const Group *group, size_t *bytes) {
  int64_t count = 0;
  *bytes = 0;
  while (tiling->tile_columns * (group->across + count) < group->column + group->columns) {
    const TgTile tile = tg_tiling_tile(tiling, group->down, group->across + count);
    if (count > 0 && *bytes + tile.stored_bytes > stream->job->slot_bytes) break;
    *bytes += tile.stored_bytes;
    count++;
  }
  return count;
}

static void begin_group(const TgTiling *tiling, Group *group) {
  group->down = group->row / tiling->tile_rows;
  group->across = group->column / tiling->tile_columns;
  group->begun = true;
}

/* Whether there is another tile, `count` after the last one. */
static bool next_tile(const TgTiling *tiling, Group *group, int64_t count) {
  group->across += count;
  if (group->across * tiling->tile_columns < group->column + group->columns) return true;
  group->across = group->column / tiling->tile_columns;
  group->down++;
  return group->down * tiling->tile_rows < group->row + group->rows;
}

static char *slot_data(const Stream *stream, int number) {
  return stream->area + (size_t)number * stream->job->slot_bytes;
}

static void begin_transfer(Stream *stream, const Slot *what, size_t bytes) {
  const TgStreamFile *file = file_of(stream, what->operand);
  const int number = stream->idle[--stream->idle_count];
  const TgTile first = tg_tiling_tile(tg_tiled_file_tiling(file->file), what->down, what->across);
  const TgDiskTransfer transfer = {.descriptor = file->descriptor,
                                   .writes = what->operand == OPERAND_C,
                                   .data = slot_data(stream, number),
                                   .bytes = bytes,
                                   .offset = first.offset};
  stream->slot[number] = *what;
  if (tg_disk_queue_active(stream->queue) == 0) stream->busy_since_s = tg_now_s();
  tg_disk_queue_begin(stream->queue, number, &transfer);
}

/* Copies between a tile and the matrix around it in memory, whose rows are `stride` elements apart. */
static void copy_tile(const Stream *stream, const TgTile *tile, char *data, char *around, int64_t stride, bool out) {
  const size_t e = (size_t)stream->element_bytes, bytes = (size_t)tile->columns * e;
  for (int64_t row = 0; row < tile->rows; row++) {
    char *inside = data + (size_t)row * bytes, *outside = around + (size_t)(row * stride) * e;
    memcpy(out ? inside : outside, out ? outside : inside, bytes);
  }
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The tiles that are read next. */
static Group group_of(const Stream *stream) {
  const TgPanels *panels = stream->job->panels;
  const Place *place = &stream->reads;
  const TgPanel *panel = panel_at(stream, place->panel);
  const int64_t inner = place->step * panels->step, length = step_length(stream, place->step);
  const int64_t row = place->chunk * panels->chunk;
  if (stream->reads_b) return (Group){.row = inner, .column = panel->column, .rows = length, .columns = panel->columns};
  return (Group){
      .row = panel->row + row, .column = inner, .rows = MIN(panels->chunk, panel->rows - row), .columns = length};
}

/* Whether there is memory for them: what was there is computed. */
static bool has_memory(const Stream *stream, int64_t computed) {
  const Place *place = &stream->reads;
  if (!stream->reads_b) return place->whole_chunk < computed + stream->job->a_slots;
  const int64_t before = place->whole_step - stream->job->b_slots;
  return before < 0 || chunks_until(stream, place->panel, before) <= computed;
}

static bool may_read(const Stream *stream, int64_t computed) {
  const bool alone = stream->job->a_slots == 1; /* nothing overlaps: what is to be written is, before */
  if (stream->reads.panel >= panel_count(stream) || !stream->idle_count) return false;
  if (alone && (stream->c_waits || stream->write_panel < stream->reads.panel)) return false;
  return has_memory(stream, computed);
}

static void begin_read(Stream *stream) {
  const Operand operand = stream->reads_b ? OPERAND_B : OPERAND_A;
  const TgTiling *tiling = tg_tiled_file_tiling(file_of(stream, operand)->file);
  const Place *place = &stream->reads;
  if (!stream->group.begun) {
    stream->group = group_of(stream);
    begin_group(tiling, &stream->group);
  }
  size_t bytes;
  const Slot what = {.operand = operand,
                     .group = stream->reads_b ? place->whole_step : place->whole_chunk,
                     .down = stream->group.down,
                     .across = stream->group.across,
                     .count = tiles_at_once(stream, tiling, &stream->group, &bytes)};
  if (stream->reads_b)
    stream->b_waits[what.group % stream->job->b_slots]++;
  else
    stream->a_waits[what.group % stream->job->a_slots]++;
  begin_transfer(stream, &what, bytes);
  if (next_tile(tiling, &stream->group, what.count)) return;
  stream->group.begun = false;
  if (stream->reads_b) {
    stream->b_begun++;
    stream->reads_b = false;
    return;
  }
  stream->a_begun++;
  advance(stream, &stream->reads);
  stream->reads_b = stream->reads.chunk == 0;
}

/* Where a tile of A or B belongs in memory, and how far apart the rows are there. */
static char *home_of(const Stream *stream, const Slot *slot, const TgTile *tile, int64_t *stride) {
  const TgStreamJob *job = stream->job;
  int64_t panel = MIN(stream->reads.panel, panel_count(stream) - 1), row, column;
  const int64_t *first = slot->operand == OPERAND_B ? stream->first_step : stream->first_chunk;
  while (slot->group < first[panel]) panel--;
  const int64_t index = slot->group - first[panel], chunks = chunks_in(job, panel);
  const int64_t step = slot->operand == OPERAND_B ? index : index / chunks;
  if (slot->operand == OPERAND_B) {
    row = tile->row - step * job->panels->step;
    column = tile->column - panel_at(stream, panel)->column;
    *stride = panel_at(stream, panel)->columns;
    return stream->b[slot->group % job->b_slots] + (row * *stride + column) * stream->element_bytes;
  }
  row = tile->row - panel_at(stream, panel)->row - index % chunks * job->panels->chunk;
  column = tile->column - step * job->panels->step;
  *stride = step_length(stream, step);
  return stream->a[slot->group % job->a_slots] + (row * *stride + column) * stream->element_bytes;
}

static bool take_tiles(const Stream *stream, const Slot *slot, char *data, GError **error) {
  const TgTiledFile *file = file_of(stream, slot->operand)->file;
  for (int64_t i = 0; i < slot->count; i++) {
    const TgTile tile = tg_tiling_tile(tg_tiled_file_tiling(file), slot->down, slot->across + i);
    int64_t stride;
    if (!tg_tiled_file_verify(file, &tile, data, error)) return false;
    char *home = home_of(stream, slot, &tile, &stride);
    copy_tile(stream, &tile, data, home, stride, false);
    data += tile.stored_bytes;
  }
  return true;
}

/* Tells the other thread what is complete, in its order. */
static void publish(Stream *stream) {
  const TgStreamJob *job = stream->job;
  int64_t a = stream->a_ready, b = stream->b_ready;
  while (a < stream->a_begun && stream->a_waits[a % job->a_slots] == 0) a++;
  while (b < stream->b_begun && stream->b_waits[b % job->b_slots] == 0) b++;
  if (a == stream->a_ready && b == stream->b_ready) return;
  g_mutex_lock(&stream->mutex);
  stream->a_ready = a;
  stream->b_ready = b;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static gpointer keep(gpointer data) {
  GError *error = NULL;
  tg_tiled_file_keep(data, &error);
  return error;
}

static bool join_keeper(Stream *stream, GError **error) {
  GError *problem = stream->keeper ? g_thread_join(stream->keeper) : NULL;
  stream->keeper = NULL;
  if (problem) g_propagate_error(error, problem);
  return problem == NULL;
}

/* Rows of the panel that is written which are final. */
static int64_t final_rows(const Stream *stream, int64_t computed) {
  const int64_t panel = stream->write_panel;
  if (panel >= panel_count(stream)) return 0;
  const int64_t last = stream->first_chunk[panel] + (stream->steps - 1) * chunks_in(stream->job, panel);
  return computed <= last ? 0 : MIN((computed - last) * stream->job->panels->chunk, panel_at(stream, panel)->rows);
}

static bool may_write(Stream *stream, int64_t computed) {
  const TgTiling *tiling = tg_tiled_file_tiling(stream->job->c.file);
  if (stream->write_panel >= panel_count(stream) || !stream->idle_count) return false;
  const TgPanel *panel = panel_at(stream, stream->write_panel);
  if (!stream->writes.begun) {
    stream->writes =
        (Group){.row = panel->row, .column = panel->column, .rows = panel->rows, .columns = panel->columns};
    begin_group(tiling, &stream->writes);
  }
  const int64_t end = MIN((stream->writes.down + 1) * tiling->tile_rows - panel->row, panel->rows);
  return end <= final_rows(stream, computed);
}

static void tell_copied(Stream *stream, int64_t rows) {
  const TgPanel *panel = panel_at(stream, stream->write_panel);
  const bool all = rows >= panel->rows;
  g_mutex_lock(&stream->mutex);
  stream->copied_panels += all;
  stream->copied_bytes = all ? 0 : (size_t)(rows * panel->columns * stream->element_bytes);
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
}

/* Fills the slot that is used next. */
static void put_tiles(Stream *stream, const Slot *slot) {
  TgTiledFile *file = stream->job->c.file;
  const TgPanel *panel = panel_at(stream, stream->write_panel);
  char *data = slot_data(stream, stream->idle[stream->idle_count - 1]);
  for (int64_t i = 0; i < slot->count; i++) {
    const TgTile tile = tg_tiling_tile(tg_tiled_file_tiling(file), slot->down, slot->across + i);
    char *home =
        stream->c + ((tile.row - panel->row) * panel->columns + tile.column - panel->column) * stream->element_bytes;
    copy_tile(stream, &tile, data, home, panel->columns, true);
    memset(data + tile.bytes, 0, tile.stored_bytes - tile.bytes);
    tg_tiled_file_note(file, &tile, data);
    data += tile.stored_bytes;
  }
}

/* The checksums of a panel are noted only once those of the one before are kept: see keep(). */
static bool begin_write(Stream *stream, GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(stream->job->c.file);
  size_t bytes;
  const Slot what = {.operand = OPERAND_C,
                     .group = stream->write_panel,
                     .down = stream->writes.down,
                     .across = stream->writes.across,
                     .count = tiles_at_once(stream, tiling, &stream->writes, &bytes)};
  if (!join_keeper(stream, error)) return false;
  put_tiles(stream, &what);
  begin_transfer(stream, &what, bytes);
  stream->c_waits++;
  stream->writing = true;
  const bool more = next_tile(tiling, &stream->writes, what.count);
  const TgPanel *panel = panel_at(stream, stream->write_panel);
  if (!more || stream->writes.down > what.down)
    tell_copied(stream, more ? stream->writes.down * tiling->tile_rows - panel->row : panel->rows);
  if (more) return true;
  stream->writes.begun = stream->writing = false;
  stream->write_panel++;
  return true;
}

/* --- the thread that transfers ------------------------------------------------------------------------------------ */

static bool transfer_failed(const Stream *stream, const Slot *slot, int problem, GError **error) {
  const char *path = tg_tiled_file_path(file_of(stream, slot->operand)->file);
  const bool writes = slot->operand == OPERAND_C;
  g_set_error(error, TG_IO_ERROR, writes ? TG_IO_ERROR_CANNOT_WRITE : TG_IO_ERROR_CANNOT_READ, "%s: cannot %s: %s",
              path, writes ? "write" : "read", problem == ENODATA ? "the file ends too early" : g_strerror(problem));
  return false;
}

static void count_transfer(Stream *stream, const Slot *slot) {
  const TgTiling *tiling = tg_tiled_file_tiling(file_of(stream, slot->operand)->file);
  double *bytes = slot->operand == OPERAND_C ? &stream->result->disk_written_bytes : &stream->result->disk_read_bytes;
  for (int64_t i = 0; i < slot->count; i++)
    *bytes += (double)tg_tiling_tile(tiling, slot->down, slot->across + i).stored_bytes;
}

static bool end_transfer(Stream *stream, GError **error) {
  const TgStreamJob *job = stream->job;
  int problem;
  const int number = tg_disk_queue_wait(stream->queue, &problem);
  const Slot *slot = &stream->slot[number];
  if (tg_disk_queue_active(stream->queue) == 0) stream->result->disk_s += tg_now_s() - stream->busy_since_s;
  if (problem) return transfer_failed(stream, slot, problem, error);
  count_transfer(stream, slot);
  stream->idle[stream->idle_count++] = number;
  if (slot->operand == OPERAND_C) {
    /* All that was begun is written, and of this panel everything was begun. */
    if (--stream->c_waits == 0 && !stream->writing) stream->keeper = g_thread_new("keep", keep, job->c.file);
    return true;
  }
  if (!take_tiles(stream, slot, slot_data(stream, number), error)) return false;
  if (slot->operand == OPERAND_A)
    stream->a_waits[slot->group % job->a_slots]--;
  else
    stream->b_waits[slot->group % job->b_slots]--;
  publish(stream);
  return true;
}

static bool is_done(const Stream *stream) {
  return stream->write_panel >= panel_count(stream) && tg_disk_queue_active(stream->queue) == 0;
}

/* Waits until more is computed than was. */
static void wait_for_products(Stream *stream, int64_t computed) {
  g_mutex_lock(&stream->mutex);
  while (!stream->stop && stream->computed == computed) g_cond_wait(&stream->changed, &stream->mutex);
  g_mutex_unlock(&stream->mutex);
}

static bool transfer_all(Stream *stream, GError **error) {
  while (!is_done(stream)) {
    g_mutex_lock(&stream->mutex);
    const int64_t computed = stream->computed;
    const bool stop = stream->stop;
    g_mutex_unlock(&stream->mutex);
    if (stop) return true;
    while (may_write(stream, computed))
      if (!begin_write(stream, error)) return false;
    while (may_read(stream, computed)) begin_read(stream);
    if (tg_disk_queue_active(stream->queue) == 0)
      wait_for_products(stream, computed);
    else if (!end_transfer(stream, error))
      return false;
  }
  return join_keeper(stream, error);
}

static gpointer transfer_thread(gpointer data) {
  Stream *stream = data;
  GError *error = NULL;
  if (!transfer_all(stream, &error)) stop_with(stream, g_steal_pointer(&error));
  return NULL;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static void *room_for(double bytes, bool *fine) {
  const size_t whole = ((size_t)bytes / TG_TILED_ALIGNMENT + 1) * TG_TILED_ALIGNMENT;
  void *room = aligned_alloc(TG_TILED_ALIGNMENT, whole);
  if (!room) *fine = false;
  return room;
}

static void count_chunks(Stream *stream) {
  const int64_t panels = panel_count(stream);
  stream->steps = tg_divide_up(stream->job->k, stream->job->panels->step);
  stream->first_chunk = g_new0(int64_t, panels + 1);
  stream->first_step = g_new0(int64_t, panels + 1);
  for (int64_t p = 0; p < panels; p++) {
    stream->first_step[p + 1] = stream->first_step[p] + stream->steps;
    stream->first_chunk[p + 1] = stream->first_chunk[p] + stream->steps * chunks_in(stream->job, p);
  }
}

static bool open_stream(Stream *stream, GError **error) {
  const TgStreamJob *job = stream->job;
  const TgPanels *panels = job->panels;
  const double area_bytes = (double)job->slots * (double)job->slot_bytes;
  bool fine = true;
  stream->element_bytes = tg_element_bytes(job->type);
  const double part_bytes = (double)(panels->chunk * panels->step * stream->element_bytes);
  count_chunks(stream);
  stream->c = room_for(panels->panel_bytes, &fine);
  stream->area = room_for(area_bytes, &fine);
  for (int i = 0; i < job->a_slots; i++) stream->a[i] = room_for(part_bytes, &fine);
  for (int i = 0; i < job->b_slots; i++) stream->b[i] = room_for(panels->b_bytes / job->b_slots, &fine);
  if (!fine) return TG_SIM_FAIL(error, TOO_LARGE, "no memory for the panels of C, A and B");
  stream->slot = g_new0(Slot, job->slots);
  stream->idle = g_new0(int, job->slots);
  for (int i = 0; i < job->slots; i++) stream->idle[stream->idle_count++] = i;
  stream->reads_b = true;
  stream->queue = tg_disk_queue_new(job->slots, stream->area, (size_t)area_bytes, job->threads, error);
  return stream->queue != NULL;
}

static void stream_clear(Stream *stream) {
  tg_disk_queue_free(stream->queue);
  join_keeper(stream, NULL);
  free(stream->c);
  free(stream->area);
  for (int i = 0; i < MOST_SLOTS; i++) free(stream->a[i]), free(stream->b[i]);
  g_free(stream->first_chunk);
  g_free(stream->first_step);
  g_free(stream->slot);
  g_free(stream->idle);
  g_mutex_clear(&stream->mutex);
  g_cond_clear(&stream->changed);
}

bool tg_stream_multiply(const TgStreamJob *job, TgHugeResult *result, GError **error) {
  Stream stream = {.job = job, .result = result};
  g_mutex_init(&stream.mutex);
  g_cond_init(&stream.changed);
  if (open_stream(&stream, error)) {
    const double begun_s = tg_now_s();
    g_strlcpy(result->io, tg_disk_queue_name(stream.queue), sizeof result->io);
    GThread *transfers = g_thread_new("transfers", transfer_thread, &stream);
    compute_all(&stream);
    g_thread_join(transfers);
    result->wall_s += tg_now_s() - begun_s;
    if (stream.problem) g_propagate_error(error, stream.problem);
  } else {
    stream.stop = true;
  }
  const bool fine = !stream.stop;
  stream_clear(&stream);
  return fine;
}

/* The thread that transfers tiles: reads what is needed next as soon as there is memory for it, and writes what is
 * final, which comes first. */
#include "stream-private.h"

#include "disk-queue.h"
#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <inttypes.h>
#include <string.h>

typedef enum Operand { OPERAND_A, OPERAND_B, OPERAND_C } Operand;

/* A row of tiles on their way, and where they are part of a matrix in memory, without gaps. */
typedef struct Slot {
  Operand operand;
  const TgStreamFile *file;
  int64_t buffer; /* of A or B */
  int64_t down, across, count;
  char *home;          /* element (row, column) */
  int64_t row, column; /* of the whole matrix */
  int64_t stride;      /* elements of a row */
} Slot;

/* What is read together: the tiles of a rectangle, row by row. */
typedef struct Group {
  int64_t row, column, rows, columns; /* of the matrix */
  int64_t down, across;               /* the next tile */
  bool begun;
} Group;

struct TgTransfers {
  TgStream *stream;
  const TgStreamJob *job;
  char *area; /* the slots' data */
  TgDiskQueue *queue;
  Slot *slot;
  int *idle; /* numbers of slots that are free */
  int idle_count;
  TgStreamPlace reads;
  bool reads_b;
  int64_t factors_there; /* the first so many pairs are available */
  Group group, writes;
  int64_t write_panel;
  bool writing;                                                   /* some of its tiles, and not all, are begun */
  int64_t a_begun, b_begun;                                       /* groups of which all transfers have begun */
  int64_t a_waits[TG_STREAM_BUFFERS], b_waits[TG_STREAM_BUFFERS]; /* transfers under way, by part of memory */
  int64_t c_waits;
  TgHugeSpan a_span[TG_STREAM_BUFFERS], b_span[TG_STREAM_BUFFERS], c_span; /* what is under way there */
  char *addend; /* room for as much of the addend as a slot holds, or NULL */
  double busy_since_s;
  GThread *keeper;
};

/* --- rows of tiles ------------------------------------------------------------------------------------------------ */

/* The step that is read next, and the file. */
static const TgStreamStep *step_read(const TgTransfers *transfers) {
  return &transfers->stream->step[transfers->reads.step];
}

static const TgStreamFile *file_read(const TgTransfers *transfers) {
  const TgStreamFactors *factors = &transfers->job->factors[step_read(transfers)->factors];
  return transfers->reads_b ? &factors->b : &factors->a;
}

/* Tiles from the group's next one that a slot has room for, at least one; `*bytes` of the file. */
static int64_t tiles_at_once(const TgTransfers *transfers, const TgTiling *tiling, const Group *group, size_t *bytes) {
  int64_t count = 0;
  *bytes = 0;
  while (tiling->tile_columns * (group->across + count) < group->column + group->columns) {
    const TgTile tile = tg_tiling_tile(tiling, group->down, group->across + count);
    if (count > 0 && *bytes + tile.stored_bytes > transfers->job->slot_bytes) break;
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

static char *slot_data(const TgTransfers *transfers, int number) {
  return transfers->area + (size_t)number * transfers->job->slot_bytes;
}

static void begin_transfer(TgTransfers *transfers, const Slot *what, size_t bytes) {
  const TgStreamFile *file = what->file;
  const int number = transfers->idle[--transfers->idle_count];
  const TgTile first = tg_tiling_tile(&file->tiling, what->down, what->across);
  const TgDiskTransfer transfer = {.descriptor = file->descriptor,
                                   .writes = what->operand == OPERAND_C,
                                   .data = slot_data(transfers, number),
                                   .bytes = bytes,
                                   .offset = first.offset};
  transfers->slot[number] = *what;
  if (tg_disk_queue_active(transfers->queue) == 0) transfers->busy_since_s = tg_now_s();
  tg_disk_queue_begin(transfers->queue, number, &transfer);
}

/* Copies between a tile and its place in the matrix in memory. */
static void copy_tile(const TgTransfers *transfers, const Slot *slot, const TgTile *tile, char *data, bool out) {
  const int64_t e = transfers->stream->element_bytes, bytes = tile->columns * e;
  char *home = slot->home + ((tile->row - slot->row) * slot->stride + tile->column - slot->column) * e;
  for (int64_t row = 0; row < tile->rows; row++) {
    char *inside = data + row * bytes, *outside = home + row * slot->stride * e;
    memcpy(out ? inside : outside, out ? outside : inside, (size_t)bytes);
  }
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* The tiles that are read next. */
static Group group_of(const TgTransfers *transfers) {
  const TgPanels *panels = transfers->job->panels;
  const TgStreamPlace *place = &transfers->reads;
  const TgPanel *panel = tg_stream_panel(transfers->stream, place->panel);
  const int64_t inner = step_read(transfers)->begin, length = step_read(transfers)->length;
  const int64_t row = place->chunk * panels->chunk;
  const TgStreamFile *file = file_read(transfers);
  if (transfers->reads_b)
    return (Group){
        .row = file->row + inner, .column = file->column + panel->column, .rows = length, .columns = panel->columns};
  return (Group){.row = file->row + panel->row + row,
                 .column = file->column + inner,
                 .rows = MIN(panels->chunk, panel->rows - row),
                 .columns = length};
}

/* Whether their buffer is free: the products that used it are done. */
static bool has_memory(const TgTransfers *transfers, int64_t computed) {
  const TgStreamPlace *place = &transfers->reads;
  if (!transfers->reads_b) return place->whole_chunk < computed + transfers->job->a_buffers;
  const int64_t before = place->whole_step - transfers->job->b_buffers;
  return before < 0 || tg_stream_chunks_until(transfers->stream, place->panel, before) <= computed;
}

static bool may_read(const TgTransfers *transfers, int64_t computed) {
  const bool alone = transfers->job->a_buffers == 1; /* nothing overlaps: write the finished panel first */
  if (transfers->reads.panel >= tg_stream_panels(transfers->stream) || !transfers->idle_count) return false;
  if (alone && (transfers->c_waits || transfers->write_panel < transfers->reads.panel)) return false;
  return has_memory(transfers, computed);
}

/* Sets *there if the factors that are read next are available. False with an error if they never will be. */
static bool ask_factors(TgTransfers *transfers, bool *there, GError **error) {
  const TgStreamJob *job = transfers->job;
  const int64_t number = step_read(transfers)->factors;
  GError *problem = NULL;
  *there = !job->are_there || number < transfers->factors_there;
  if (*there) return true;
  *there = job->are_there(job->are_there_of, number, &problem);
  if (*there) transfers->factors_there = number + 1;
  if (problem) g_propagate_error(error, problem);
  return problem == NULL;
}

static void note_begin(TgTransfers *transfers) {
  const TgStreamPlace *place = &transfers->reads;
  const TgHugeSpan a = {TG_HUGE_READ_A, 0, place->panel, place->step, place->chunk, tg_now_s(), 0};
  const TgHugeSpan b = {TG_HUGE_READ_B, 0, place->panel, place->step, 0, a.begin_s, 0};
  if (transfers->reads_b)
    transfers->b_span[place->whole_step % transfers->job->b_buffers] = b;
  else
    transfers->a_span[place->whole_chunk % transfers->job->a_buffers] = a;
}

/* Of the group that is read, whose rows lie as they do in the matrix, without the columns beside them. */
static Slot slot_of_group(const TgTransfers *transfers, const TgTiling *tiling, size_t *bytes) {
  const TgStreamPlace *place = &transfers->reads;
  const TgStreamJob *job = transfers->job;
  const Group *group = &transfers->group;
  Slot slot = {.operand = transfers->reads_b ? OPERAND_B : OPERAND_A,
               .file = file_read(transfers),
               .buffer = transfers->reads_b ? place->whole_step % job->b_buffers : place->whole_chunk % job->a_buffers,
               .down = group->down,
               .across = group->across,
               .row = group->row,
               .column = group->column,
               .stride = group->columns};
  slot.count = tiles_at_once(transfers, tiling, group, bytes);
  slot.home = transfers->reads_b ? transfers->stream->b[slot.buffer] : transfers->stream->a[slot.buffer];
  return slot;
}

static int64_t *waits_of(TgTransfers *transfers, const Slot *slot) {
  return slot->operand == OPERAND_A ? &transfers->a_waits[slot->buffer] : &transfers->b_waits[slot->buffer];
}

static void end_group(TgTransfers *transfers) {
  transfers->group.begun = false;
  if (transfers->reads_b) {
    transfers->b_begun++;
    transfers->reads_b = false;
    return;
  }
  transfers->a_begun++;
  tg_stream_advance(transfers->stream, &transfers->reads);
  transfers->reads_b = transfers->reads.chunk == 0;
}

static void begin_read(TgTransfers *transfers) {
  const TgTiling *tiling = &file_read(transfers)->tiling;
  size_t bytes;
  if (!transfers->group.begun) {
    transfers->group = group_of(transfers);
    begin_group(tiling, &transfers->group);
    note_begin(transfers);
  }
  const Slot slot = slot_of_group(transfers, tiling, &bytes);
  (*waits_of(transfers, &slot))++;
  begin_transfer(transfers, &slot, bytes);
  if (!next_tile(tiling, &transfers->group, slot.count)) end_group(transfers);
}

static bool take_tiles(const TgTransfers *transfers, const Slot *slot, char *data, GError **error) {
  const TgTiledFile *file = slot->file->file;
  for (int64_t i = 0; i < slot->count; i++) {
    const TgTile tile = tg_tiling_tile(tg_tiled_file_tiling(file), slot->down, slot->across + i);
    if (!tg_tiled_file_verify(file, &tile, data, error)) return false;
    copy_tile(transfers, slot, &tile, data, false);
    data += tile.stored_bytes;
  }
  return true;
}

/* Tells the other thread what is complete, in its order. */
static void publish(TgTransfers *transfers) {
  const TgStreamJob *job = transfers->job;
  int64_t a = transfers->stream->a_ready, b = transfers->stream->b_ready;
  for (; a < transfers->a_begun && transfers->a_waits[a % job->a_buffers] == 0; a++)
    tg_stream_tell(transfers->stream, &transfers->a_span[a % job->a_buffers]);
  for (; b < transfers->b_begun && transfers->b_waits[b % job->b_buffers] == 0; b++)
    tg_stream_tell(transfers->stream, &transfers->b_span[b % job->b_buffers]);
  if (a == transfers->stream->a_ready && b == transfers->stream->b_ready) return;
  g_mutex_lock(&transfers->stream->mutex);
  transfers->stream->a_ready = a;
  transfers->stream->b_ready = b;
  g_cond_broadcast(&transfers->stream->changed);
  g_mutex_unlock(&transfers->stream->mutex);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static gpointer keep(gpointer data) {
  const TgTransfers *transfers = data;
  const TgHugeSpan span = {TG_HUGE_KEEP, 0, transfers->c_span.panel, 0, 0, tg_now_s(), 0};
  GError *error = NULL;
  tg_tiled_file_keep(transfers->job->c.file, &error);
  tg_stream_tell(transfers->stream, &span);
  return error;
}

static bool join_keeper(TgTransfers *transfers, GError **error) {
  GError *problem = transfers->keeper ? g_thread_join(transfers->keeper) : NULL;
  transfers->keeper = NULL;
  if (problem) g_propagate_error(error, problem);
  return problem == NULL;
}

/* Rows of the panel that is written which are final. */
static int64_t final_rows(const TgTransfers *transfers, int64_t computed) {
  const int64_t panel = transfers->write_panel;
  if (panel >= tg_stream_panels(transfers->stream)) return 0;
  const int64_t last = transfers->stream->first_chunk[panel] +
                       (transfers->stream->steps - 1) * tg_stream_chunks_in(transfers->job, panel);
  return computed <= last
             ? 0
             : MIN((computed - last) * transfers->job->panels->chunk, tg_stream_panel(transfers->stream, panel)->rows);
}

static bool may_write(TgTransfers *transfers, int64_t computed) {
  const TgTiling *tiling = &transfers->job->c.tiling;
  if (transfers->write_panel >= tg_stream_panels(transfers->stream) || !transfers->idle_count) return false;
  const TgPanel *panel = tg_stream_panel(transfers->stream, transfers->write_panel);
  if (!transfers->writes.begun) {
    transfers->writes = (Group){.row = transfers->job->c.row + panel->row,
                                .column = transfers->job->c.column + panel->column,
                                .rows = panel->rows,
                                .columns = panel->columns};
    begin_group(tiling, &transfers->writes);
  }
  const int64_t end = MIN((transfers->writes.down + 1) * tiling->tile_rows - transfers->writes.row, panel->rows);
  return end <= final_rows(transfers, computed);
}

static void tell_copied(TgTransfers *transfers, int64_t rows) {
  const TgPanel *panel = tg_stream_panel(transfers->stream, transfers->write_panel);
  const bool all = rows >= panel->rows;
  g_mutex_lock(&transfers->stream->mutex);
  transfers->stream->copied_panels += all;
  transfers->stream->copied_bytes = all ? 0 : (size_t)(rows * panel->columns * transfers->stream->element_bytes);
  g_cond_broadcast(&transfers->stream->changed);
  g_mutex_unlock(&transfers->stream->mutex);
}

/* Locked because the computing thread reads these counters to report progress. */
static void count_bytes(TgTransfers *transfers, bool written, double bytes) {
  TgHugeResult *result = transfers->stream->result;
  g_mutex_lock(&transfers->stream->mutex);
  *(written ? &result->disk_written_bytes : &result->disk_read_bytes) += bytes;
  g_mutex_unlock(&transfers->stream->mutex);
}

/* Adds the tiles in the same place of the addend. */
static bool add_addend(TgTransfers *transfers, const Slot *slot, char *data, GError **error) {
  const TgStreamFile *addend = &transfers->job->addend, *c = &transfers->job->c;
  const TgTiling *there = &addend->tiling, *here = &c->tiling;
  const TgTileRow row = {slot->down - c->row / here->tile_rows + addend->row / there->tile_rows,
                         slot->across - c->column / here->tile_columns + addend->column / there->tile_columns,
                         slot->count};
  if (!tg_tiles_read(addend, &row, transfers->addend, error)) return false;
  count_bytes(transfers, false, (double)tg_tiles_bytes(addend, &row));
  tg_tiles_add(addend, &row, data, transfers->addend);
  return true;
}

/* Fills the slot that is used next. */
static bool put_tiles(TgTransfers *transfers, const Slot *slot, GError **error) {
  TgTiledFile *file = transfers->job->c.file;
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  char *const first = slot_data(transfers, transfers->idle[transfers->idle_count - 1]);
  char *data = first;
  for (int64_t i = 0; i < slot->count; i++) {
    const TgTile tile = tg_tiling_tile(tiling, slot->down, slot->across + i);
    copy_tile(transfers, slot, &tile, data, true);
    memset(data + tile.bytes, 0, tile.stored_bytes - tile.bytes);
    data += tile.stored_bytes;
  }
  if (transfers->addend && !add_addend(transfers, slot, first, error)) return false;
  data = first;
  for (int64_t i = 0; i < slot->count; i++) {
    const TgTile tile = tg_tiling_tile(tiling, slot->down, slot->across + i);
    tg_tiled_file_note(file, &tile, data);
    data += tile.stored_bytes;
  }
  return true;
}

/* The checksums of a panel are noted only once those of the one before are kept: see keep(). */
static bool begin_write(TgTransfers *transfers, GError **error) {
  const TgTiling *tiling = &transfers->job->c.tiling;
  const TgPanel *panel = tg_stream_panel(transfers->stream, transfers->write_panel);
  size_t bytes;
  const Slot what = {.operand = OPERAND_C,
                     .file = &transfers->job->c,
                     .down = transfers->writes.down,
                     .across = transfers->writes.across,
                     .count = tiles_at_once(transfers, tiling, &transfers->writes, &bytes),
                     .home = transfers->stream->c,
                     .row = transfers->writes.row,
                     .column = transfers->writes.column,
                     .stride = panel->columns};
  if (!join_keeper(transfers, error)) return false;
  if (transfers->c_waits == 0)
    transfers->c_span = (TgHugeSpan){TG_HUGE_WRITE_C, 0, transfers->write_panel, 0, 0, tg_now_s(), 0};
  transfers->c_span.panel = transfers->write_panel; /* two panels in immediate succession share one span */
  if (!put_tiles(transfers, &what, error)) return false;
  begin_transfer(transfers, &what, bytes);
  transfers->c_waits++;
  transfers->writing = true;
  const bool more = next_tile(tiling, &transfers->writes, what.count);
  if (!more || transfers->writes.down > what.down)
    tell_copied(transfers, more ? transfers->writes.down * tiling->tile_rows - transfers->writes.row : panel->rows);
  if (more) return true;
  transfers->writes.begun = transfers->writing = false;
  transfers->write_panel++;
  return true;
}

/* --- the thread that transfers ------------------------------------------------------------------------------------ */

static void count_transfer(TgTransfers *transfers, const Slot *slot) {
  const TgTileRow row = {slot->down, slot->across, slot->count};
  count_bytes(transfers, slot->operand == OPERAND_C, (double)tg_tiles_bytes(slot->file, &row));
}

/* No request is under way: the next one belongs to another span, and a panel whose tiles are all written is kept. */
static void end_writes(TgTransfers *transfers) {
  tg_stream_tell(transfers->stream, &transfers->c_span);
  if (!transfers->writing) transfers->keeper = g_thread_new("keep", keep, transfers);
}

static bool end_transfer(TgTransfers *transfers, GError **error) {
  int problem;
  const int number = tg_disk_queue_wait(transfers->queue, &problem);
  const Slot *slot = &transfers->slot[number];
  if (tg_disk_queue_active(transfers->queue) == 0)
    transfers->stream->result->disk_s += tg_now_s() - transfers->busy_since_s;
  if (problem) return tg_tiles_failed(slot->file, slot->operand == OPERAND_C, problem, error);
  count_transfer(transfers, slot);
  transfers->idle[transfers->idle_count++] = number;
  if (slot->operand == OPERAND_C) {
    if (--transfers->c_waits == 0) end_writes(transfers);
    return true;
  }
  if (!take_tiles(transfers, slot, slot_data(transfers, number), error)) return false;
  (*waits_of(transfers, slot))--;
  publish(transfers);
  return true;
}

static bool is_done(const TgTransfers *transfers) {
  return transfers->write_panel >= tg_stream_panels(transfers->stream) && tg_disk_queue_active(transfers->queue) == 0;
}

/* Waits until another chunk is computed; if factors are missing, for a millisecond at most. */
static void wait_for_products(TgTransfers *transfers, int64_t computed, bool for_factors) {
  const gint64 until = g_get_monotonic_time() + G_TIME_SPAN_MILLISECOND;
  g_mutex_lock(&transfers->stream->mutex);
  while (!for_factors && !transfers->stream->stop && transfers->stream->computed == computed)
    g_cond_wait(&transfers->stream->changed, &transfers->stream->mutex);
  if (for_factors) g_cond_wait_until(&transfers->stream->changed, &transfers->stream->mutex, until);
  g_mutex_unlock(&transfers->stream->mutex);
}

/* Begins as many reads as there are memory and factors for. */
static bool begin_reads(TgTransfers *transfers, int64_t computed, bool *for_factors, GError **error) {
  bool there = true;
  while (there && may_read(transfers, computed)) {
    if (!ask_factors(transfers, &there, error)) return false;
    if (there) begin_read(transfers);
  }
  *for_factors = !there;
  return true;
}

static bool transfer_all(TgTransfers *transfers, GError **error) {
  bool for_factors;
  while (!is_done(transfers)) {
    g_mutex_lock(&transfers->stream->mutex);
    const int64_t computed = transfers->stream->computed;
    const bool stop = transfers->stream->stop;
    g_mutex_unlock(&transfers->stream->mutex);
    if (stop) return true;
    while (may_write(transfers, computed))
      if (!begin_write(transfers, error)) return false;
    if (!begin_reads(transfers, computed, &for_factors, error)) return false;
    if (tg_disk_queue_active(transfers->queue) == 0)
      wait_for_products(transfers, computed, for_factors);
    else if (!end_transfer(transfers, error))
      return false;
  }
  return join_keeper(transfers, error);
}

gpointer tg_transfers_run(gpointer data) {
  TgTransfers *transfers = data;
  GError *error = NULL;
  if (!transfer_all(transfers, &error)) tg_stream_stop(transfers->stream, error);
  return NULL;
}

TgTransfers *tg_transfers_new(TgStream *stream, GError **error) {
  const TgStreamJob *job = stream->job;
  const double area_bytes = (double)job->slots * (double)job->slot_bytes;
  TgTransfers *transfers = g_new0(TgTransfers, 1);
  transfers->stream = stream;
  transfers->job = job;
  transfers->slot = g_new0(Slot, job->slots);
  transfers->idle = g_new0(int, job->slots);
  for (int i = 0; i < job->slots; i++) transfers->idle[transfers->idle_count++] = i;
  transfers->reads_b = true;
  transfers->area = tg_tiles_room(area_bytes);
  if (job->addend.file) transfers->addend = tg_tiles_room((double)job->slot_bytes);
  if (transfers->area && (transfers->addend || !job->addend.file))
    transfers->queue = tg_disk_queue_new(job->slots, transfers->area, (size_t)area_bytes, job->threads, error);
  else
    g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, "no memory for transfers under way");
  if (transfers->queue) return transfers;
  tg_transfers_free(transfers);
  return NULL;
}

void tg_transfers_free(TgTransfers *transfers) {
  if (!transfers) return;
  tg_disk_queue_free(transfers->queue);
  join_keeper(transfers, NULL);
  tg_tiles_leave(transfers->area);
  tg_tiles_leave(transfers->addend);
  g_free(transfers->slot);
  g_free(transfers->idle);
  g_free(transfers);
}

const char *tg_transfers_name(const TgTransfers *transfers) {
  return tg_disk_queue_name(transfers->queue);
}

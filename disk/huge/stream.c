#include "stream-private.h"

#include "blas.h"
#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <string.h>

int64_t tg_stream_steps(const TgStreamJob *job) {
  int64_t steps = 0;
  for (int64_t f = 0; f < job->count; f++) steps += tg_divide_up(job->factors[f].a.columns, job->panels->step);
  return steps;
}

int64_t tg_stream_chunks(const TgStreamJob *job) {
  int64_t chunks = 0;
  for (int64_t p = 0; p < job->panels->count; p++) chunks += tg_stream_chunks_in(job, p) * tg_stream_steps(job);
  return chunks;
}

void tg_stream_stop(TgStream *stream, GError *problem) {
  g_mutex_lock(&stream->mutex);
  if (!stream->problem)
    stream->problem = problem;
  else
    g_error_free(problem);
  stream->stop = true;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
}

void tg_stream_tell(TgStream *stream, const TgHugeSpan *span) {
  const TgHugeOptions *options = stream->job->options;
  TgHugeSpan told = *span;
  if (!options->spans) return;
  told.begin_s -= stream->begun_s;
  told.end_s = tg_now_s() - stream->begun_s;
  g_mutex_lock(&stream->telling);
  options->spans(options->spans_to, &told);
  g_mutex_unlock(&stream->telling);
}

/* --- the thread that multiplies ----------------------------------------------------------------------------------- */

static bool can_compute(const TgStream *stream, const TgStreamPlace *place, size_t end) {
  const bool is_free = place->step > 0 || stream->copied_panels >= place->panel ||
                       (stream->copied_panels == place->panel - 1 && stream->copied_bytes >= end);
  return is_free && stream->a_ready > place->whole_chunk && stream->b_ready > place->whole_step;
}

/* The chunk at a place. */
typedef struct Chunk {
  TgStreamPlace place;
  int64_t row, rows, columns, inner; /* within the panel */
  char *c;                           /* its rows of C */
  double begun_s;
  bool under_way; /* on an accelerator */
} Chunk;

static Chunk chunk_at(const TgStream *stream, const TgStreamPlace *place) {
  const TgPanel *panel = tg_stream_panel(stream, place->panel);
  Chunk chunk = {.place = *place, .row = place->chunk * stream->job->panels->chunk, .columns = panel->columns};
  chunk.rows = MIN(stream->job->panels->chunk, panel->rows - chunk.row);
  chunk.inner = stream->step[place->step].length;
  chunk.c = stream->c + chunk.row * chunk.columns * stream->element_bytes;
  return chunk;
}

static void multiply_here(TgStream *stream, const Chunk *chunk) {
  const TgStreamJob *job = stream->job;
  const TgBlock left = tg_block_of(stream->a[chunk->place.whole_chunk % job->a_buffers], chunk->rows, chunk->inner);
  const TgBlock right = tg_block_of(stream->b[chunk->place.whole_step % job->b_buffers], chunk->inner, chunk->columns);
  if (chunk->place.step == 0) memset(chunk->c, 0, (size_t)(chunk->rows * chunk->columns * stream->element_bytes));
  if (job->type == TG_F64)
    tg_blas_multiply_add_f64(chunk->c, &left, &right);
  else
    tg_blas_multiply_add_f32(chunk->c, &left, &right);
}

/* Bytes of the panel up to the end of the chunk's rows. */
static size_t end_of(const TgStream *stream, const Chunk *chunk) {
  return (size_t)((chunk->row + chunk->rows) * chunk->columns * stream->element_bytes);
}

/* Whether everything that the chunk needs is there. */
static bool is_ready(TgStream *stream, const Chunk *chunk) {
  g_mutex_lock(&stream->mutex);
  const bool ready = can_compute(stream, &chunk->place, end_of(stream, chunk));
  g_mutex_unlock(&stream->mutex);
  return ready;
}

static bool wait_for_chunk(TgStream *stream, const Chunk *chunk) {
  g_mutex_lock(&stream->mutex);
  while (!stream->stop && !can_compute(stream, &chunk->place, end_of(stream, chunk)))
    g_cond_wait(&stream->changed, &stream->mutex);
  const bool stopped = stream->stop;
  g_mutex_unlock(&stream->mutex);
  return !stopped;
}

static void tell_computed(TgStream *stream, const Chunk *chunk) {
  const TgStreamPlace *place = &chunk->place;
  tg_stream_tell(stream,
                 &(TgHugeSpan){TG_HUGE_MULTIPLY, 0, place->panel, place->step, place->chunk, chunk->begun_s, 0});
  g_mutex_lock(&stream->mutex);
  stream->computed++;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
}

static bool compute_here(TgStream *stream, Chunk *chunk) {
  if (!wait_for_chunk(stream, chunk)) return false;
  chunk->begun_s = tg_now_s();
  multiply_here(stream, chunk);
  stream->result->compute_s += tg_now_s() - chunk->begun_s;
  tell_computed(stream, chunk);
  return true;
}

/* --- … on an accelerator ------------------------------------------------------------------------------------------ */

static bool device_failed(TgStream *stream, const TgError *error) {
  tg_stream_stop(stream, g_error_new_literal(TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE, error->message));
  return false;
}

/* Waits for the chunk, if it is under way. */
static bool finish_there(TgStream *stream, Chunk *before) {
  TgError error;
  if (!before->under_way) return true;
  before->under_way = false;
  if (!stream->job->options->multiplier->finish(stream->multiplier, before->place.whole_chunk,
                                                &stream->result->compute_s, &error))
    return device_failed(stream, &error);
  tell_computed(stream, before);
  return true;
}

/* Starts the chunk, then waits for the one before. If the chunk is not ready, it waits for the one before first: it may
 * need memory that is in use there. */
static bool compute_there(TgStream *stream, Chunk *chunk, Chunk *before) {
  TgError error;
  const TgStreamJob *job = stream->job;
  const TgStreamPlace *place = &chunk->place;
  if ((!is_ready(stream, chunk) && !finish_there(stream, before)) || !wait_for_chunk(stream, chunk)) return false;
  chunk->begun_s = tg_now_s();
  const TgMultiplierChunk work = {.rows = chunk->rows,
                                  .columns = chunk->columns,
                                  .inner = chunk->inner,
                                  .a = stream->a[place->whole_chunk % job->a_buffers],
                                  .b = stream->b[place->whole_step % job->b_buffers],
                                  .step = place->whole_step,
                                  .c_row = chunk->row,
                                  .first = place->step == 0,
                                  .result = place->step == stream->steps - 1 ? chunk->c : NULL};
  if (!job->options->multiplier->begin(stream->multiplier, place->whole_chunk, &work, &error))
    return device_failed(stream, &error);
  if (!finish_there(stream, before)) return false;
  *before = *chunk;
  before->under_way = true;
  return true;
}

static bool tell_progress(TgStream *stream, const Chunk *chunk, int64_t chunks) {
  const TgHugeOptions *options = stream->job->options;
  TgHugeResult *result = stream->result;
  g_mutex_lock(&stream->mutex);
  const double read_bytes = result->disk_read_bytes, written_bytes = result->disk_written_bytes;
  g_mutex_unlock(&stream->mutex);
  result->flops += 2 * (double)chunk->rows * (double)chunk->columns * (double)chunk->inner;
  if (options->so_far) options->so_far(options->tells, result->flops, read_bytes, written_bytes);
  return tg_watch_go_on(&options->watch, chunks);
}

static void compute_all(TgStream *stream) {
  TgStreamPlace place = {0};
  Chunk before = {0};
  bool goes_on = true;
  while (place.panel < tg_stream_panels(stream) && goes_on) {
    Chunk chunk = chunk_at(stream, &place);
    goes_on = stream->multiplier ? compute_there(stream, &chunk, &before) : compute_here(stream, &chunk);
    tg_stream_advance(stream, &place);
    if (!goes_on || tell_progress(stream, &chunk, place.whole_chunk)) continue;
    tg_stream_stop(stream, g_error_new_literal(TG_SIM_ERROR, TG_SIM_ERROR_STOPPED, "stopped"));
  }
  if (goes_on) finish_there(stream, &before);
}

/* --- both threads ------------------------------------------------------------------------------------------------- */

static void count_chunks(TgStream *stream) {
  const int64_t panels = tg_stream_panels(stream);
  const int64_t longest = stream->job->panels->step;
  stream->steps = 0;
  stream->step = g_new(TgStreamStep, tg_stream_steps(stream->job));
  for (int64_t f = 0; f < stream->job->count; f++) {
    const int64_t all = stream->job->factors[f].a.columns;
    for (int64_t begin = 0; begin < all; begin += longest)
      stream->step[stream->steps++] = (TgStreamStep){f, begin, MIN(longest, all - begin)};
  }
  stream->first_chunk = g_new0(int64_t, panels + 1);
  stream->first_step = g_new0(int64_t, panels + 1);
  for (int64_t p = 0; p < panels; p++) {
    stream->first_step[p + 1] = stream->first_step[p] + stream->steps;
    stream->first_chunk[p + 1] = stream->first_chunk[p] + stream->steps * tg_stream_chunks_in(stream->job, p);
  }
}

static bool take_memory(TgStream *stream, GError **error) {
  const TgStreamJob *job = stream->job;
  const TgPanels *panels = job->panels;
  const double a_bytes = (double)(panels->chunk * panels->step * stream->element_bytes);
  bool fine = (stream->c = tg_tiles_room(panels->panel_bytes)) != NULL;
  for (int i = 0; i < job->a_buffers; i++) fine = (stream->a[i] = tg_tiles_room(a_bytes)) && fine;
  for (int i = 0; i < job->b_buffers; i++)
    fine = (stream->b[i] = tg_tiles_room(panels->b_bytes / job->b_buffers)) && fine;
  return fine || TG_SIM_FAIL(error, TOO_LARGE, "no memory for the panels of C, A and B");
}

/* Opens the accelerator, and registers the host's buffers with it. */
static bool take_device(TgStream *stream, GError **error) {
  const TgStreamJob *job = stream->job;
  const TgMultiplierKind *kind = job->options->multiplier;
  const TgPanels *panels = job->panels;
  const TgMultiplierJob needs = {.element = job->type,
                                 .panel_bytes = (int64_t)panels->panel_bytes,
                                 .a_bytes = panels->chunk * panels->step * stream->element_bytes,
                                 .b_bytes = (int64_t)panels->b_bytes / job->b_buffers,
                                 .device = job->options->device};
  TgError reason;
  if (!kind) return true;
  stream->multiplier = kind->open(&needs, &reason);
  bool fine = stream->multiplier && kind->use(stream->multiplier, stream->c, needs.panel_bytes, &reason);
  for (int i = 0; fine && i < job->a_buffers; i++)
    fine = kind->use(stream->multiplier, stream->a[i], needs.a_bytes, &reason);
  for (int i = 0; fine && i < job->b_buffers; i++)
    fine = kind->use(stream->multiplier, stream->b[i], needs.b_bytes, &reason);
  return fine || TG_SIM_FAIL(error, TOO_LARGE, "%s", reason.message);
}

static void stream_clear(TgStream *stream) {
  if (stream->multiplier) stream->job->options->multiplier->close(stream->multiplier);
  tg_tiles_leave(stream->c);
  for (int i = 0; i < TG_STREAM_BUFFERS; i++) tg_tiles_leave(stream->a[i]), tg_tiles_leave(stream->b[i]);
  g_free(stream->step);
  g_free(stream->first_chunk);
  g_free(stream->first_step);
  g_mutex_clear(&stream->mutex);
  g_mutex_clear(&stream->telling);
  g_cond_clear(&stream->changed);
}

static void run_both(TgStream *stream, TgTransfers *transfers) {
  TgHugeResult *result = stream->result;
  stream->begun_s = tg_now_s();
  g_strlcpy(result->io, tg_transfers_name(transfers), sizeof result->io);
  GThread *thread = g_thread_new("transfers", tg_transfers_run, transfers);
  compute_all(stream);
  g_thread_join(thread);
  result->wall_s += tg_now_s() - stream->begun_s;
}

bool tg_stream_multiply(const TgStreamJob *job, TgHugeResult *result, GError **error) {
  TgStream stream = {.job = job, .result = result, .element_bytes = tg_element_bytes(job->type)};
  g_mutex_init(&stream.mutex);
  g_mutex_init(&stream.telling);
  g_cond_init(&stream.changed);
  count_chunks(&stream);
  TgTransfers *transfers =
      take_memory(&stream, error) && take_device(&stream, error) ? tg_transfers_new(&stream, error) : NULL;
  if (transfers) run_both(&stream, transfers);
  tg_transfers_free(transfers);
  const bool fine = transfers && !stream.stop;
  if (stream.problem) g_propagate_error(error, stream.problem);
  stream_clear(&stream);
  return fine;
}

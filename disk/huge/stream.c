#include "stream-private.h"

#include "blas.h"
#include "sim-error.h"
#include "tiles.h"
#include "trials.h"

#include <string.h>

int64_t tg_stream_chunks(const TgStreamJob *job) {
  int64_t chunks = 0;
  for (int64_t p = 0; p < job->panels->count; p++)
    chunks += tg_stream_chunks_in(job, p) * tg_divide_up(job->k, job->panels->step);
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

static void multiply_chunk(TgStream *stream, const TgStreamPlace *place, int64_t row, int64_t rows) {
  const TgStreamJob *job = stream->job;
  const int64_t columns = tg_stream_panel(stream, place->panel)->columns,
                inner = tg_stream_step_length(stream, place->step);
  char *c = stream->c + row * columns * stream->element_bytes;
  const TgBlock left = tg_block_of(stream->a[place->whole_chunk % job->a_buffers], rows, inner);
  const TgBlock right = tg_block_of(stream->b[place->whole_step % job->b_buffers], inner, columns);
  if (place->step == 0) memset(c, 0, (size_t)(rows * columns * stream->element_bytes));
  if (job->type == TG_F64)
    tg_blas_multiply_add_f64(c, &left, &right);
  else
    tg_blas_multiply_add_f32(c, &left, &right);
}

static bool compute_chunk(TgStream *stream, const TgStreamPlace *place) {
  const TgPanel *panel = tg_stream_panel(stream, place->panel);
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
  tg_stream_tell(stream, &(TgHugeSpan){TG_HUGE_MULTIPLY, place->panel, place->step, place->chunk, begun_s, 0});
  g_mutex_lock(&stream->mutex);
  stream->computed++;
  g_cond_broadcast(&stream->changed);
  g_mutex_unlock(&stream->mutex);
  return true;
}

static void compute_all(TgStream *stream) {
  TgStreamPlace place = {0};
  while (place.panel < tg_stream_panels(stream) && compute_chunk(stream, &place)) {
    tg_stream_advance(stream, &place);
    if (tg_watch_go_on(&stream->job->options->watch, place.whole_chunk)) continue;
    tg_stream_stop(stream, g_error_new_literal(TG_SIM_ERROR, TG_SIM_ERROR_STOPPED, "stopped"));
  }
}

/* --- both threads ------------------------------------------------------------------------------------------------- */

static void count_chunks(TgStream *stream) {
  const int64_t panels = tg_stream_panels(stream);
  stream->steps = tg_divide_up(stream->job->k, stream->job->panels->step);
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

static void stream_clear(TgStream *stream) {
  tg_tiles_leave(stream->c);
  for (int i = 0; i < TG_STREAM_BUFFERS; i++) tg_tiles_leave(stream->a[i]), tg_tiles_leave(stream->b[i]);
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
  TgTransfers *transfers = take_memory(&stream, error) ? tg_transfers_new(&stream, error) : NULL;
  if (transfers) run_both(&stream, transfers);
  tg_transfers_free(transfers);
  const bool fine = transfers && !stream.stop;
  if (stream.problem) g_propagate_error(error, stream.problem);
  stream_clear(&stream);
  return fine;
}

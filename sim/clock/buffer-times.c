#include "buffer-times.h"

#include <glib.h>
#include <string.h>

/* Gives each of the buffers so many times of every node. */
static void lay_out(int *stride, uint32_t buffers, int times, int16_t at[TG_MAX_BUFFERS]) {
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    at[b] = buffers >> b & 1 ? (int16_t)*stride : -1;
    if (at[b] >= 0) *stride += times;
  }
}

void tg_buffer_times_init(TgBufferTimes *buffers, const TgBufferUses *uses, int places, int64_t nodes) {
  *buffers = (TgBufferTimes){.places = places};
  if (places > 0) {
    buffers->uses_sent = uses->sent;
    buffers->uses_renewed = uses->renewed;
    buffers->uses_arrives = uses->arrives;
    buffers->uses_refilled = uses->refilled;
  }
  lay_out(&buffers->stride, buffers->uses_sent, TG_BUFFER_GONE + MAX(places, 1), buffers->sent);
  lay_out(&buffers->stride, buffers->uses_arrives, TG_BUFFER_ARRIVES_TIMES, buffers->arrives);
  lay_out(&buffers->stride, buffers->uses_refilled, TG_BUFFER_READ + places, buffers->refilled);
  if (buffers->stride > 0) buffers->times = g_new0(double, (gsize)nodes *(gsize)buffers->stride);
}

void tg_buffer_times_clear(TgBufferTimes *buffers) {
  g_free(buffers->times);
}

void tg_buffer_times_copy(TgBufferTimes *buffers, int64_t from, int64_t to) {
  if (buffers->stride > 0)
    memcpy(tg_buffer_times_of(buffers, to), tg_buffer_times_of(buffers, from), (gsize)buffers->stride * sizeof(double));
}

void tg_buffer_times_widen(TgBufferTimes *buffers, const int32_t *from, int64_t nodes) {
  if (buffers->stride == 0) return;
  TgBufferTimes wider = *buffers;
  wider.times = g_new(double, (gsize)nodes *(gsize)buffers->stride);
  for (int64_t n = 0; n < nodes; n++)
    memcpy(tg_buffer_times_of(&wider, n), tg_buffer_times_of(buffers, from ? from[n] : 0),
           (gsize)buffers->stride * sizeof(double));
  g_free(buffers->times);
  *buffers = wider;
}

bool tg_buffer_times_flat(const TgBufferTimes *buffers, int64_t nodes) {
  for (int64_t n = 1; buffers->stride > 0 && n < nodes; n++)
    if (memcmp(tg_buffer_times_of(buffers, n), tg_buffer_times_of(buffers, 0),
               (gsize)buffers->stride * sizeof(double)) != 0)
      return false;
  return true;
}

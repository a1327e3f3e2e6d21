#include "results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

TgResults *tg_results_new(const char *experiment, const TgDevice *device) {
  TgResults *results = g_new0(TgResults, 1);
  results->experiment = experiment;
  results->rows = g_array_new(FALSE, TRUE, sizeof(TgResult));
  results->notes = g_ptr_array_new_with_free_func(g_free);
  tg_environment_begin(&results->environment, device);
  return results;
}

void tg_results_free(TgResults *results) {
  tg_environment_clear(&results->environment);
  g_array_unref(results->rows);
  g_ptr_array_unref(results->notes);
  g_free(results);
}

void tg_results_clear(void *results) {
  tg_results_free(results);
}

void tg_results_add(TgResults *results, const TgResult *row) {
  g_array_append_vals(results->rows, row, 1);
}

void tg_results_note(TgResults *results, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(results->notes, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

const TgResult *tg_results_at(const TgResults *results, guint row) {
  return &g_array_index(results->rows, TgResult, row);
}

const TgResult *tg_results_find(const TgResults *results, const char *method, int32_t width, int64_t m, int64_t n,
                                int64_t k) {
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (row->m == m && row->n == n && row->k == k && (width == 0 || row->width == width) && !*row->left_out &&
        strcmp(row->method, method) == 0)
      return row;
  }
  return NULL;
}

const TgResult *tg_results_square(const TgResults *results, const char *method, int32_t width, int64_t n) {
  const TgResult *product = tg_results_find(results, method, width, n, n, n);
  return product ? product : tg_results_find(results, method, width, n, n, 1); /* a transpose has no k */
}

static gint compare_sizes(gconstpointer a, gconstpointer b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

GArray *tg_results_sizes(const TgResults *results) {
  GArray *sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    bool known = row->m != row->n || (row->k != row->n && row->k != 1);
    for (guint s = 0; s < sizes->len; s++) known = known || g_array_index(sizes, int64_t, s) == row->n;
    if (!known) g_array_append_val(sizes, row->n);
  }
  g_array_sort(sizes, compare_sizes);
  return sizes;
}

double tg_result_time_s(const TgResult *row) {
  if (!row || *row->left_out) return NAN;
  const TgMeasurement *time = row->place == TG_ON_GPU ? &row->kernel : &row->call;
  return time->trials ? time->median_s : NAN;
}

double tg_result_whole_s(const TgResult *row) {
  if (!row || *row->left_out || row->repeats > 1) return NAN;
  if (row->place == TG_ON_GPU && !(row->in.trials && row->out.trials)) return NAN;
  const TgMeasurement *call = row->call.trials ? &row->call : &row->kernel;
  return call->trials ? row->prepare.median_s + row->in.median_s + call->median_s + row->out.median_s : NAN;
}

bool tg_results_right(const void *measured, GError **error) {
  const TgResults *results = measured;
  for (guint r = 0; r < results->rows->len; r++) {
    const TgResult *row = tg_results_at(results, r);
    if (*row->left_out || !row->checked || row->right || row->printed) continue;
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG,
                "bench %s: %s at %" PRId64 "x%" PRId64 "x%" PRId64 ": relative error %.2e, at most %.2e is right",
                results->experiment, row->method, row->m, row->n, row->k, row->error, row->limit);
    return false;
  }
  return true;
}

#include "export-run.h"

#include <math.h>

GQuark tg_export_error_quark(void) {
  return g_quark_from_static_string("tg-export-error");
}

enum { LARGEST_SIZE = INT32_MAX };

/* So that the bytes of any one block fit. */
static const int64_t elements_max = INT64_C(1) << 59;

typedef struct Run {
  const TgExportJob *job;
  const TgExportVisitor *visitor;
  TgState *state;
  TgExported counts;
  TgMessage last; /* of this statement; pieces is 0 where there is none */
  bool overflow;
} Run;

static int64_t add(Run *run, int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) run->overflow = true;
  return sum;
}

static int64_t multiply(Run *run, int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) run->overflow = true;
  return product;
}

static void see_message(void *user, const TgMessage *message, TgValueId value) {
  Run *run = user;
  int64_t rows, columns;
  tg_state_value_shape(run->state, value, &rows, &columns);
  int64_t elements = tg_block_begin(rows * columns, message->pieces, message->piece + 1) -
                     tg_block_begin(rows * columns, message->pieces, message->piece);
  const TgMessage *last = &run->last;
  TgExportMessage seen = {
      .message = message,
      .value = value,
      .bytes = elements * tg_element_bytes(run->job->element),
      .joined = last->pieces && last->round == message->round && last->from == message->from && last->to == message->to,
  };
  run->last = *message;
  run->counts.messages++;
  run->counts.sends += !seen.joined;
  run->counts.bytes = add(run, run->counts.bytes, seen.bytes);
  run->visitor->message(run->visitor->user, &seen);
}

static void see_product(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right) {
  Run *run = user;
  int64_t rows, columns, left_rows, left_columns;
  tg_state_value_shape(run->state, result, &rows, &columns);
  tg_state_value_shape(run->state, left, &left_rows, &left_columns);
  int64_t inner = rows ? left_rows * left_columns / rows : 0; /* whether or not the factor is read transposed */
  TgExportProduct seen = {.processor = processor, .result = result, .left = left, .right = right};
  seen.flops = multiply(run, 2 * rows * columns, inner);
  run->counts.products++;
  run->counts.flops = add(run, run->counts.flops, seen.flops);
  run->visitor->product(run->visitor->user, &seen);
}

static bool check_sizes(const TgExportJob *job, GError **error) {
  const int64_t sizes[] = {job->m, job->n, job->k};
  for (int i = 0; i < 3; i++)
    if (sizes[i] < 1 || sizes[i] > LARGEST_SIZE)
      return TG_IO_FAIL(error, BAD_INPUT, "a size of %" G_GINT64_FORMAT ", expected 1 to %d", sizes[i], LARGEST_SIZE);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    int64_t rows, columns;
    tg_schedule_matrix_shape(job->schedule, (TgMatrixName)matrix, job->m, job->n, job->k, &rows, &columns);
    if (columns && rows > elements_max / columns)
      return TG_IO_FAIL(error, TOO_LARGE, "a matrix of more than 2^59 elements, expected smaller sizes");
  }
  if (job->flops_per_s >= 0) return true;
  return TG_IO_FAIL(error, BAD_INPUT, "a rate below 0, expected flops per second");
}

static bool report(const TgError *failure, GError **error) {
  if (failure->cause == TG_CAUSE_MEMORY) return TG_IO_FAIL(error, TOO_LARGE, "%s", failure->message);
  const bool stopped = failure->cause == TG_CAUSE_STOPPED;
  g_set_error_literal(error, TG_EXPORT_ERROR, stopped ? TG_EXPORT_ERROR_STOPPED : TG_EXPORT_ERROR_SCHEDULE,
                      failure->message);
  return false;
}

static bool run_statement(Run *run, TgProgress *progress, TgError *failure, GError **error) {
  const TgExportVisitor *visitor = run->visitor;
  TgWalk ahead = *tg_state_walk(run->state);
  run->last.pieces = 0;
  if (visitor->begin && tg_walk_next(&ahead, NULL) == TG_PROGRESS_MORE && !visitor->begin(visitor->user, &ahead, error))
    return false;
  *progress = tg_state_next(run->state, failure);
  if (*progress == TG_PROGRESS_ERROR) return report(failure, error);
  if (run->overflow) return TG_IO_FAIL(error, TOO_LARGE, "bytes or flops beyond 2^63-1, expected smaller sizes");
  return *progress == TG_PROGRESS_END || visitor->end(visitor->user, error);
}

static bool run_all(Run *run, TgError *failure, GError **error) {
  const TgExportVisitor *visitor = run->visitor;
  TgProgress progress = TG_PROGRESS_MORE;
  tg_state_measure(run->state, run->job->m, run->job->n, run->job->k);
  if (visitor->start && !visitor->start(visitor->user, run->state, error)) return false;
  while (progress == TG_PROGRESS_MORE)
    if (!run_statement(run, &progress, failure, error)) return false;
  return tg_state_finish(run->state, failure) || report(failure, error);
}

bool tg_export_run(const TgExportJob *job, const TgExportVisitor *visitor, TgExported *exported, TgError *failure,
                   GError **error) {
  Run run = {.job = job, .visitor = visitor};
  TgError unasked;
  if (!failure) failure = &unasked;
  *failure = (TgError){.statement = -1, .processor = -1};
  if (!check_sizes(job, error)) return false;
  TgStateHooks hooks = {.user = &run, .message = see_message, .product = see_product, .watch = job->watch};
  run.state = tg_state_new(job->schedule, job->names, job->collective, &hooks, failure);
  if (!run.state) return report(failure, error);
  bool good = run_all(&run, failure, error);
  run.counts.statements = tg_state_counts(run.state)->statements;
  tg_state_free(run.state);
  if (exported) *exported = run.counts;
  return good;
}

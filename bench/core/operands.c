#include "operands.h"

#include "block.h"
#include "blas.h"
#include "counter-random.h"
#include "matrix.h"
#include "product-error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VECTORS = 4, LARGEST_INTEGER = 9, POISON = 0xff, TILE = 32 };

static const struct {
  const char *name;
  int64_t bytes;
} numbers[TG_NUMBERS] = {{"f32", 4}, {"f64", 8}, {"i32", 4}};

const char *tg_number_name(TgNumber number) {
  return numbers[number].name;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

static bool is_flat(const TgOperands *operands) {
  return operands->kind == TG_HISTORIC_TRANSPOSE || operands->kind == TG_HISTORIC_COPY;
}

static int64_t elements_of(const TgOperands *operands, int x) {
  const int64_t m = operands->m, n = operands->n, k = operands->k;
  if (is_flat(operands)) return x == 1 ? 0 : m * n;
  return x == 0 ? m * k : x == 1 ? (operands->kind == TG_HISTORIC_SYMMETRIC ? 0 : k * n) : m * n;
}

static bool is_estimated(const TgOperands *operands) {
  const int64_t most = MAX(operands->m, MAX(operands->n, operands->k));
  return !is_flat(operands) && (operands->estimated || most > TG_OPERANDS_IN_FULL);
}

/* All that the host holds at once: the matrices, and all of them in double precision for a check in full. */
static double host_bytes(const TgOperands *operands) {
  const bool in_full = !is_flat(operands) && !is_estimated(operands);
  double bytes = 0;
  for (int x = 0; x < 3; x++) {
    const double elements = (double)elements_of(operands, x);
    bytes += elements * (double)(numbers[operands->number].bytes + (in_full ? (int64_t)sizeof(double) : 0));
  }
  return bytes;
}

bool tg_operands_have_room(const TgOperands *operands, TgError *error) {
  const double need = host_bytes(operands), available = (double)tg_memory_available_bytes();
  return need <= available ||
         tg_error_set(error, 0, 0, "needs %.0f bytes of the host's memory, but %.0f are available", need, available);
}

static int64_t bytes_of(const TgOperands *operands, int x) {
  return elements_of(operands, x) * numbers[operands->number].bytes;
}

static void draw(const TgOperands *operands, int x) {
  const uint64_t seed = operands->seed * 3 + (uint64_t)x;
  const int64_t count = elements_of(operands, x);
  void *to = operands->host[x];
  for (int64_t i = 0; i < count; i++) {
    const uint64_t index = (uint64_t)i;
    if (operands->number == TG_NUMBER_F32) ((float *)to)[i] = tg_random_uniform_f32(seed, index);
    if (operands->number == TG_NUMBER_F64) ((double *)to)[i] = tg_random_uniform_f64(seed, index);
    if (operands->number == TG_NUMBER_I32)
      ((int32_t *)to)[i] = tg_random_integer(seed, index, -LARGEST_INTEGER, LARGEST_INTEGER);
  }
}

bool tg_operands_open(TgOperands *operands, bool on_device, TgError *error) {
  if (!tg_operands_have_room(operands, error)) return false;
  for (int x = 0; x < 3; x++) {
    operands->bytes[x] = bytes_of(operands, x);
    if (operands->bytes[x] == 0) continue;
    operands->host[x] = g_try_malloc((gsize)operands->bytes[x]);
    if (!operands->host[x])
      return tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " bytes of a matrix", operands->bytes[x]);
    if (x < 2) draw(operands, x);
    if (!on_device) continue;
    operands->device[x] = tg_device_allocate(operands->bytes[x], error);
    if (!operands->device[x]) return false;
    if (x < 2 && !tg_device_copy_in(operands->device[x], operands->host[x], operands->bytes[x], error)) return false;
  }
  return true;
}

void tg_operands_clear(TgOperands *operands) {
  for (int x = 0; x < 3; x++) {
    g_clear_pointer(&operands->host[x], g_free);
    if (operands->device[x]) tg_device_free(operands->device[x]);
    operands->device[x] = NULL;
  }
  g_clear_pointer(&operands->expected, g_free);
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static double element(const TgOperands *operands, const void *x, int64_t i) {
  if (operands->number == TG_NUMBER_F64) return ((const double *)x)[i];
  if (operands->number == TG_NUMBER_F32) return ((const float *)x)[i];
  return ((const int32_t *)x)[i];
}

static double *in_double(const TgOperands *operands, int x, TgError *error) {
  const int64_t count = elements_of(operands, x);
  double *made = g_try_new(double, (gsize)count);
  if (!made) tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " doubles to check with", count);
  for (int64_t i = 0; made && i < count; i++) made[i] = element(operands, operands->host[x], i);
  return made;
}

/* Whole numbers come out exactly: their sums stay below 2^53. */
static bool expect_product(TgOperands *operands, TgError *error) {
  const int64_t m = operands->m, n = operands->n, k = operands->k;
  g_autofree double *a = in_double(operands, 0, error), *b = NULL;
  if (!a) return false;
  TgBlock left = tg_block_of(a, m, k), right = tg_block_transposed(left);
  if (operands->kind == TG_HISTORIC_PRODUCT) {
    if (!(b = in_double(operands, 1, error))) return false;
    right = tg_block_of(b, k, n);
  }
  operands->expected = g_try_new0(double, (gsize)(m * n));
  if (!operands->expected) return tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " doubles", m * n);
  int threads = tg_blas_threads_begin(m, n, k, 0);
  tg_blas_multiply_add_f64(operands->expected, &left, &right);
  tg_blas_threads_end(threads);
  return true;
}

static double full_error(const TgOperands *operands) {
  double wrong = 0, all = 0;
  for (int64_t i = 0; i < operands->m * operands->n; i++) {
    const double difference = element(operands, operands->host[2], i) - operands->expected[i];
    wrong += difference * difference;
    all += operands->expected[i] * operands->expected[i];
  }
  return all > 0 ? sqrt(wrong / all) : sqrt(wrong);
}

static bool is_same(const TgOperands *operands, int64_t from, int64_t to) {
  if (numbers[operands->number].bytes == 8)
    return ((const uint64_t *)operands->host[0])[from] == ((const uint64_t *)operands->host[2])[to];
  return ((const uint32_t *)operands->host[0])[from] == ((const uint32_t *)operands->host[2])[to];
}

/* What is moved has to be what was there, bit for bit. In tiles, whose lines stay in the cache: n = 16384 would take
 * seconds. */
static double moved_error(const TgOperands *operands) {
  const int64_t m = operands->m, n = operands->n;
  const bool copied = operands->kind == TG_HISTORIC_COPY;
  int64_t wrong = 0;
  for (int64_t top = 0; top < m; top += TILE)
    for (int64_t left = 0; left < n; left += TILE)
      for (int64_t i = top; i < MIN(top + TILE, m); i++)
        for (int64_t j = left; j < MIN(left + TILE, n); j++)
          wrong += !is_same(operands, i * n + j, copied ? i * n + j : j * m + i);
  return sqrt((double)wrong / (double)(m * n));
}

/* Whole numbers below 2^24 are numbers of f32, too. */
static void as_f32(const TgOperands *operands, int x) {
  int32_t *whole = operands->host[x];
  for (int64_t i = 0; i < elements_of(operands, x); i++) {
    const float number = (float)whole[i];
    memcpy(&whole[i], &number, sizeof number);
  }
}

static void as_i32(const TgOperands *operands, int x) {
  int32_t *whole = operands->host[x];
  for (int64_t i = 0; i < elements_of(operands, x); i++) {
    float number;
    memcpy(&number, &whole[i], sizeof number);
    whole[i] = (int32_t)number;
  }
}

static bool estimate(TgOperands *operands, double *error_found, TgError *error) {
  const bool whole = operands->number == TG_NUMBER_I32;
  const TgElement type = tg_number_element(operands->number);
  g_autofree void *own = operands->kind == TG_HISTORIC_SYMMETRIC ? g_try_malloc((gsize)operands->bytes[0]) : NULL;
  for (int x = 0; whole && x < 3; x++) as_f32(operands, x);
  if (own)
    tg_number_transpose(operands->number, own, operands->host[0], operands->m, operands->k);
  else if (operands->kind == TG_HISTORIC_SYMMETRIC)
    return tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " bytes", operands->bytes[0]);
  *error_found = tg_product_error(type, operands->host[0], own ? own : operands->host[1], operands->host[2],
                                  operands->m, operands->n, operands->k, VECTORS, operands->seed);
  for (int x = 0; whole && x < 2; x++) as_i32(operands, x);
  return true;
}

static bool find_error(TgOperands *operands, double *error_found, TgError *error) {
  if (is_flat(operands)) {
    *error_found = moved_error(operands);
    return true;
  }
  if (is_estimated(operands)) return estimate(operands, error_found, error);
  if (!operands->expected && !expect_product(operands, error)) return false;
  *error_found = full_error(operands);
  return true;
}

bool tg_operands_poison(TgOperands *operands, TgBenchPlace place, TgError *error) {
  if (place == TG_ON_GPU) return tg_device_fill(operands->device[2], POISON, operands->bytes[2], error);
  memset(operands->host[2], POISON, (size_t)operands->bytes[2]);
  return true;
}

bool tg_operands_check(TgOperands *operands, TgBenchPlace place, TgResult *result, TgError *error) {
  static const double per_term[TG_NUMBERS] = {5e-7, 1e-15, 0};
  if (place == TG_ON_GPU && !tg_device_copy_out(operands->host[2], operands->device[2], operands->bytes[2], error))
    return false;
  if (!find_error(operands, &result->error, error)) return false;
  result->checked = true;
  result->estimated = is_estimated(operands);
  result->limit = is_flat(operands) ? 0 : per_term[operands->number] * sqrt((double)operands->k);
  result->right = result->error <= result->limit;
  return true;
}

TgGemm tg_operands_gemm(const TgOperands *operands) {
  const bool own = operands->kind == TG_HISTORIC_SYMMETRIC;
  return (TgGemm){.element = tg_number_element(operands->number),
                  .transpose_b = own,
                  .m = operands->m,
                  .n = operands->n,
                  .k = operands->k,
                  .a = operands->device[0],
                  .b = operands->device[own ? 0 : 1],
                  .c = operands->device[2],
                  .lda = operands->k,
                  .ldb = own ? operands->k : operands->n,
                  .ldc = operands->n};
}

void tg_number_transpose(TgNumber number, void *to, const void *from, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++) {
      if (numbers[number].bytes == 4)
        ((uint32_t *)to)[j * rows + i] = ((const uint32_t *)from)[i * columns + j];
      else
        ((uint64_t *)to)[j * rows + i] = ((const uint64_t *)from)[i * columns + j];
    }
}

bool tg_operands_transpose_b(const void *what, TgError *error) {
  const TgTransposing *turn = what;
  const TgOperands *operands = turn->operands;
  (void)error;
  tg_number_transpose(operands->number, turn->to, operands->host[1], operands->k, operands->n);
  return true;
}

/* --- copies and counts -------------------------------------------------------------------------------------------- */

bool tg_operands_copy_in(const void *what, TgError *error) {
  const TgOperands *operands = what;
  for (int x = 0; x < 2; x++)
    if (operands->bytes[x] && !tg_device_copy_in(operands->device[x], operands->host[x], operands->bytes[x], error))
      return false;
  return true;
}

bool tg_operands_copy_out(const void *what, TgError *error) {
  const TgOperands *operands = what;
  return tg_device_copy_out(operands->host[2], operands->device[2], operands->bytes[2], error);
}

void tg_operands_count(const TgOperands *operands, TgResult *result) {
  result->type = numbers[operands->number].name;
  result->m = operands->m;
  result->n = operands->n;
  result->k = operands->k;
  result->bytes = (double)(bytes_of(operands, 0) + bytes_of(operands, 1) + bytes_of(operands, 2));
  if (!is_flat(operands)) result->flops = 2 * (double)operands->m * (double)operands->n * (double)operands->k;
}

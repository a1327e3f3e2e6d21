/* Matrices in memory: sizes refused early, conversion, the random fills. */
#include "counter-random.h"
#include "matrix.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

static void test_new_is_zero(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = tg_matrix_new(TG_F32, 3, 5, 0, &error);
  g_assert_no_error(error);
  g_assert_cmpint(matrix->rows, ==, 3);
  g_assert_cmpint(matrix->columns, ==, 5);
  g_assert_cmpuint(tg_matrix_bytes(matrix), ==, 60);
  for (int i = 0; i < 15; i++) g_assert_cmpfloat(matrix->f32[i], ==, 0);
  tg_matrix_set(matrix, 1, 2, 0.5);
  g_assert_cmpfloat(matrix->f32[7], ==, 0.5f);
  g_assert_cmpfloat(tg_matrix_get(matrix, 1, 2), ==, 0.5);
}

typedef struct Refusal {
  TgElement type;
  int64_t rows, columns;
  uint64_t limit_bytes;
  int code;
  const char *message;
} Refusal;

static void test_refusals(void) {
  static const Refusal rows[] = {
      {TG_F64, 0, 4, 0, TG_IO_ERROR_BAD_INPUT, "*0x4*at least 1*"},
      {TG_F64, 4, -1, 0, TG_IO_ERROR_BAD_INPUT, "*4x-1*at least 1*"},
      {TG_F64, INT64_MAX, 3, 0, TG_IO_ERROR_TOO_LARGE, "*overflows*"},
      {TG_F64, INT64_C(1) << 33, INT64_C(1) << 33, 0, TG_IO_ERROR_TOO_LARGE, "*overflows*"},
      {TG_F64, INT64_C(1) << 61, 1, 0, TG_IO_ERROR_TOO_LARGE, "*overflows*"},
      {TG_F32, INT64_C(1) << 30, 1 << 20, 0, TG_IO_ERROR_TOO_LARGE, "*needs 4503599627370496 bytes*the memory*"},
      {TG_F32, 5, 5, 99, TG_IO_ERROR_TOO_LARGE, "*needs 100 bytes; the limit is 99 bytes (set by the caller)"},
  };
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(tg_matrix_new(rows[i].type, rows[i].rows, rows[i].columns, rows[i].limit_bytes, &error));
    g_assert_error(error, TG_IO_ERROR, rows[i].code);
    if (!g_pattern_match_simple(rows[i].message, error->message)) g_error("row %zu: %s", i, error->message);
  }
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) just_fits = tg_matrix_new(TG_F32, 5, 5, 100, &error);
  g_assert_no_error(error);
  g_assert_nonnull(just_fits);
}

static void test_convert(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) wide = tg_matrix_new(TG_F64, 2, 2, 0, NULL);
  const double values[] = {0.1, -INFINITY, NAN, 3e38};
  for (int i = 0; i < 4; i++) wide->f64[i] = values[i];
  g_autoptr(TgMatrix) narrow = tg_matrix_convert(wide, TG_F32, 0, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(narrow->f32[0], ==, 0.1f);
  g_assert_true(isinf(narrow->f32[1]) && narrow->f32[1] < 0 && isnan(narrow->f32[2]));
  g_autoptr(TgMatrix) back = tg_matrix_convert(narrow, TG_F64, 0, &error);
  g_assert_cmpfloat(back->f64[0], ==, (double)0.1f);
  g_autoptr(TgMatrix) same = tg_matrix_convert(narrow, TG_F32, 0, &error);
  g_assert_cmpint(same->type, ==, TG_F32);
  g_assert_cmpmem(same->data, 16, narrow->data, 16);
  wide->f64[3] = 1e39;
  g_assert_null(tg_matrix_convert(wide, TG_F32, 0, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT);
  g_assert_true(g_str_has_prefix(error->message, "element (1, 1), counted from 0, is 9.99"));
}

/* The published sequence of SplitMix64 from the state 0 (as in Vigna's splitmix64.c): our generator entered with a
 * state that the mixing of the seed makes 0, which is seed = -gamma. */
static void test_random_is_splitmix64(void) {
  static const uint64_t published[] = {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4),
                                       UINT64_C(0x06c45d188009454f), UINT64_C(0xf88bb8a8724c81ec)};
  const uint64_t seed = -UINT64_C(0x9e3779b97f4a7c15);
  for (size_t i = 0; i < G_N_ELEMENTS(published); i++) g_assert_cmphex(tg_random_bits(seed, i), ==, published[i]);
}

static void check_uniform(const TgMatrix *matrix) {
  double sum = 0, squares = 0, least = 1, most = -1;
  const double elements = (double)tg_matrix_elements(matrix);
  for (int64_t i = 0; i < matrix->rows; i++) {
    for (int64_t j = 0; j < matrix->columns; j++) {
      const double value = tg_matrix_get(matrix, i, j);
      sum += value;
      squares += value * value;
      least = MIN(least, value);
      most = MAX(most, value);
    }
  }
  g_assert_true(least >= -1 && least < -0.999 && most < 1 && most > 0.999);
  g_assert_cmpfloat_with_epsilon(sum / elements, 0, 0.01);
  g_assert_cmpfloat_with_epsilon(squares / elements, 1.0 / 3, 0.01);
}

static void test_uniform(void) {
  for (TgElement type = TG_F32; type <= TG_F64; type++) {
    g_autoptr(TgMatrix) matrix = tg_matrix_new(type, 300, 200, 0, NULL);
    tg_matrix_fill_uniform(matrix, 7);
    check_uniform(matrix);
    const double alone = type == TG_F32 ? (double)tg_random_uniform_f32(7, 1234) : tg_random_uniform_f64(7, 1234);
    g_assert_cmpfloat(tg_matrix_get(matrix, 6, 34), ==, alone);
    g_autoptr(TgMatrix) other = tg_matrix_new(type, 300, 200, 0, NULL);
    tg_matrix_fill_uniform(other, 8);
    int equal = 0;
    for (int64_t i = 0; i < 200; i++) equal += tg_matrix_get(matrix, 0, i) == tg_matrix_get(other, 0, i);
    g_assert_cmpint(equal, <, 3);
  }
}

static void test_integers(void) {
  g_autoptr(TgMatrix) matrix = tg_matrix_new(TG_F32, 100, 70, 0, NULL);
  tg_matrix_fill_integers(matrix, 1, -3, 3);
  int counts[7] = {0};
  for (int i = 0; i < 7000; i++) {
    const float value = matrix->f32[i];
    g_assert_true(value >= -3 && value <= 3 && value == floorf(value));
    counts[(int)value + 3]++;
  }
  for (int i = 0; i < 7; i++) g_assert_true(counts[i] > 850 && counts[i] < 1150);
  bool low = false, high = false;
  for (uint64_t i = 0; i < 64; i++) {
    low |= tg_random_integer(3, i, INT32_MIN, INT32_MAX) < 0;
    high |= tg_random_integer(3, i, INT32_MIN, INT32_MAX) > 0;
    g_assert_cmpint(tg_random_integer(3, i, 5, 5), ==, 5);
  }
  g_assert_true(low && high);
}

/* Memory that a container allows may be far below what the machine has available, never far above. */
static void test_available_memory(void) {
  const uint64_t bytes = tg_memory_available_bytes();
  g_autofree char *text = NULL, *container = NULL;
  const bool limited =
      g_file_get_contents("/sys/fs/cgroup/memory.max", &container, NULL, NULL) && g_ascii_isdigit(*container);
  if (g_file_get_contents("/proc/meminfo", &text, NULL, NULL)) {
    const char *line = strstr(text, "\nMemAvailable:");
    const uint64_t available = g_ascii_strtoull(line + strlen("\nMemAvailable:"), NULL, 10) * 1024;
    g_assert_cmpuint(bytes, <, 2 * available);
    g_assert_cmpuint(bytes, >, limited ? 0 : available / 2);
  }
  g_assert_cmpuint(bytes, >, UINT64_C(1) << 20);
  g_assert_cmpuint(bytes, <, UINT64_C(1) << 50);
}

/* The limits of the process, which ulimit sets; more than that is not to be had. */
static void test_memory_below_limits(void) {
  static const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
  const uint64_t more = UINT64_C(1) << 30;
  for (size_t r = 0; r < G_N_ELEMENTS(resources); r++) {
    struct rlimit before, limit;
    g_assert_cmpint(getrlimit(resources[r], &before), ==, 0);
    g_autofree char *text = NULL;
    if (before.rlim_cur != RLIM_INFINITY || !g_file_get_contents("/proc/self/status", &text, NULL, NULL)) continue;
    const char *line = strstr(text, resources[r] == RLIMIT_AS ? "VmSize:" : "VmData:");
    limit = before;
    limit.rlim_cur = (rlim_t)(g_ascii_strtoull(line + strlen("VmSize:"), NULL, 10) * 1024 + more);
    g_assert_cmpint(setrlimit(resources[r], &limit), ==, 0);
    const uint64_t bytes = tg_memory_available_bytes();
    g_assert_cmpint(setrlimit(resources[r], &before), ==, 0);
    g_assert_cmpuint(bytes, <=, more);
  }
}

static void test_memory_left(void) {
  g_assert_cmpuint(tg_memory_left_bytes(1), ==, 1);
  g_assert_cmpuint(tg_memory_left_bytes(UINT64_C(1) << 62), <, UINT64_C(1) << 62);
  g_assert_cmpuint(tg_memory_left_bytes(UINT64_C(1) << 62), >, UINT64_C(1) << 61);
  g_assert_cmpuint(tg_memory_left_bytes(0), <, UINT64_C(1) << 50);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/matrix/new-is-zero", test_new_is_zero);
  g_test_add_func("/matrix/refusals", test_refusals);
  g_test_add_func("/matrix/convert", test_convert);
  g_test_add_func("/matrix/random-is-splitmix64", test_random_is_splitmix64);
  g_test_add_func("/matrix/uniform", test_uniform);
  g_test_add_func("/matrix/integers", test_integers);
  g_test_add_func("/matrix/available-memory", test_available_memory);
  g_test_add_func("/matrix/memory-below-limits", test_memory_below_limits);
  g_test_add_func("/matrix/memory-left", test_memory_left);
  return g_test_run();
}

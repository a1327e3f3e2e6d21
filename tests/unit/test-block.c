/* Views and local products, in and out of BLAS. */
#include "blas.h"
#include "block.h"

#include <glib.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { ROOM = 40 };

/** rows x columns somewhere in a ROOM x ROOM matrix, element (i, j) = i * ROOM + j + first, or its transpose. */
static TgBlock view(TgElement element, const void *whole, int64_t rows, int64_t columns, bool transposed) {
  const TgBlock all = tg_block_of(whole, ROOM, ROOM);
  if (!transposed) return tg_block_part(element, &all, 3, 2, rows, columns);
  return tg_block_transposed(tg_block_part(element, &all, 3, 2, columns, rows));
}

static void *filled(TgElement element) {
  void *whole = g_malloc((gsize)(ROOM * ROOM * tg_element_bytes(element)));
  for (int i = 0; i < ROOM * ROOM; i++) {
    const int x = (i * 37) % 23 - 11;
    if (element == TG_F64)
      ((double *)whole)[i] = x;
    else
      ((float *)whole)[i] = (float)x;
  }
  return whole;
}

static void expect_product(TgElement element, const TgBlock *l, const TgBlock *r, bool careful) {
  const gsize bytes = (gsize)(l->rows * r->columns * tg_element_bytes(element));
  g_autofree void *c = g_malloc0(bytes), *low = careful ? g_malloc0(bytes) : NULL;
  const TgBlock result = tg_block_of(c, l->rows, r->columns);
  for (int times = 1; times <= 2; times++) {
    tg_block_multiply_add(element, c, low, l, r);
    for (int64_t i = 0; i < l->rows; i++) {
      for (int64_t j = 0; j < r->columns; j++) {
        double sum = 0;
        for (int64_t x = 0; x < l->columns; x++) sum += tg_block_at(element, l, i, x) * tg_block_at(element, r, x, j);
        g_assert_cmpfloat(tg_block_at(element, &result, i, j), ==, times * sum);
      }
    }
  }
}

/** All four readings, all shapes with rows and columns of one element, parts and whole contiguous blocks. */
static void test_multiply_add(void) {
  static const int64_t extents[] = {1, 2, 3, 5, 16, 33};
  const int64_t count = G_N_ELEMENTS(extents);
  for (int element = 0; element < TG_ELEMENTS; element++) {
    g_autofree void *whole = filled((TgElement)element);
    for (int64_t i = 0; i < count * count * count * 4; i++) {
      const int64_t m = extents[i / 4 % count], n = extents[i / 4 / count % count], k = extents[i / 4 / count / count];
      TgBlock l = view((TgElement)element, whole, m, k, i & 1), r = view((TgElement)element, whole, k, n, i & 2);
      expect_product((TgElement)element, &l, &r, i % 3 == 0);
      l = i & 1 ? tg_block_transposed(tg_block_of(whole, k, m)) : tg_block_of(whole, m, k);
      r = i & 2 ? tg_block_transposed(tg_block_of(whole, n, k)) : tg_block_of(whole, k, n);
      expect_product((TgElement)element, &l, &r, i % 3 == 0);
    }
  }
}

static void test_empty(void) {
  float c[4] = {1, 2, 3, 4};
  const TgBlock none = tg_block_of(c, 2, 0), wide = tg_block_of(c, 0, 2);
  tg_block_multiply_add(TG_F32, c, NULL, &none, &wide);
  g_assert_cmpfloat(c[0] + c[1] + c[2] + c[3], ==, 10);
}

/** A zero factor hides neither NaN nor Inf, in loops and in BLAS. */
static void test_not_a_number(void) {
  static const int64_t extents[] = {2, 32};
  for (int element = 0; element < TG_ELEMENTS; element++) {
    for (gsize e = 0; e < G_N_ELEMENTS(extents); e++) {
      for (int which = 0; which < 8; which++) {
        const int64_t n = extents[e];
        const double odd = which & 1 ? NAN : INFINITY;
        double zeros[32 * 32] = {0}, odds[32 * 32] = {0}, c[32 * 32] = {0}, low[32 * 32] = {0};
        if (element == TG_F64)
          odds[n + 1] = odd;
        else
          ((float *)odds)[n + 1] = (float)odd;
        TgBlock l = tg_block_of(odds, n, n), r = tg_block_of(zeros, n, n);
        if (which & 2) {
          l = r;
          r = tg_block_of(odds, n, n);
        }
        tg_block_multiply_add((TgElement)element, c, which & 4 ? low : NULL, &l, &r);
        const TgBlock result = tg_block_of(c, n, n);
        for (int64_t j = 0; j < n; j++)
          g_assert_true(isnan(tg_block_at((TgElement)element, &result, which & 2 ? j : 1, which & 2 ? 1 : j)));
        g_assert_cmpfloat(tg_block_at((TgElement)element, &result, 0, 0), ==, 0);
      }
    }
  }
}

static void test_add_and_copy(void) {
  double c[6] = {1, 2, 3, 4, 5, 6}, b[6] = {10, 20, 30, 40, 50, 60}, to[8] = {0};
  tg_block_add(TG_F64, c, NULL, b, NULL, 2, 4);
  const double expected[6] = {1, 2, 33, 44, 5, 6};
  g_assert_cmpmem(c, sizeof c, expected, sizeof expected);
  const TgBlock block = tg_block_transposed(tg_block_of(c, 3, 2));
  tg_block_copy(TG_F64, to, 4, &block);
  const double turned[8] = {1, 33, 5, 0, 2, 44, 6, 0};
  g_assert_cmpmem(to, sizeof to, turned, sizeof turned);
}

/** What rounding takes away comes back: 1 + 2^-60 - 1 in doubles, 1 + 2^-40 - 1 in floats. */
static void test_low_parts(void) {
  const double small = 0x1p-60, one = 1, minus = -1;
  double c = 1, low = 0, zero = 0;
  const TgBlock l = tg_block_of(&small, 1, 1), r = tg_block_of(&one, 1, 1);
  tg_block_multiply_add(TG_F64, &c, &low, &l, &r);
  g_assert_cmpfloat(c, ==, 1);
  tg_block_add(TG_F64, &c, &low, &minus, &zero, 0, 1);
  g_assert_cmpfloat(c, ==, small);
  g_assert_cmpfloat(low, ==, 0);
  const float small_f = 0x1p-40f, one_f = 1;
  float minus_f = -1, c_f = 1, low_f = 0, term_low_f = 0x1p-41f;
  const TgBlock l_f = tg_block_of(&small_f, 1, 1), r_f = tg_block_of(&one_f, 1, 1);
  tg_block_multiply_add(TG_F32, &c_f, &low_f, &l_f, &r_f);
  g_assert_cmpfloat(c_f, ==, 1);
  tg_block_add(TG_F32, &c_f, &low_f, &minus_f, &term_low_f, 0, 1);
  g_assert_cmpfloat(c_f, ==, 0x1.8p-40f);
}

static void test_threads(void) {
  g_autofree char *before = tg_blas_description();
  g_assert_cmpuint(strlen(before), >, 5);
  for (int64_t n = 1; n <= 4096; n *= 64) tg_blas_threads_end(tg_blas_threads_begin(n, n, n, 0));
  g_autofree char *after = tg_blas_description();
  g_assert_cmpstr(before, ==, after);
}

static uint64_t address_space_bytes(void) {
  g_autofree char *text = NULL;
  if (!g_file_get_contents("/proc/self/status", &text, NULL, NULL)) return 0;
  return g_ascii_strtoull(strstr(text, "VmSize:") + strlen("VmSize:"), NULL, 10) * 1024;
}

/** Where OpenBLAS does not fit, the address space is left as it was, but for one stack a thread of at most 40 MB. */
static void load_in_little_room(void) {
  const uint64_t most = UINT64_C(48) << 20, before = address_space_bytes();
  struct rlimit limit;
  g_assert_cmpint(getrlimit(RLIMIT_AS, &limit), ==, 0);
  limit.rlim_cur = before + (UINT64_C(250) << 20);
  g_assert_cmpint(setrlimit(RLIMIT_AS, &limit), ==, 0);
  g_autoptr(GError) error = NULL;
  g_assert_false(tg_blas_load(&error));
  g_assert_error(error, TG_SIM_ERROR, TG_SIM_ERROR_TOO_LARGE);
  g_assert_cmpuint(address_space_bytes(), <, before + most);
}

static void test_little_room(void) {
  const uint64_t bytes = address_space_bytes();
  if (bytes == 0 || bytes >> 40) {
    g_test_skip(bytes == 0 ? "there is no /proc/self/status" : "a sanitizer needs the whole address space");
  } else if (g_test_subprocess()) {
    load_in_little_room();
  } else {
    g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed();
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/block/multiply-add", test_multiply_add);
  g_test_add_func("/block/empty", test_empty);
  g_test_add_func("/block/not-a-number", test_not_a_number);
  g_test_add_func("/block/add-and-copy", test_add_and_copy);
  g_test_add_func("/block/low-parts", test_low_parts);
  g_test_add_func("/block/threads", test_threads);
  g_test_add_func("/block/little-room", test_little_room);
  return g_test_run();
}

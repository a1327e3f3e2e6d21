/* The kernels of M·M' and of Dobravec and Bulić on whole numbers, which f32 adds without rounding: every element of
 * what they should compute, as printed too, where that is a product of less. Results begin as NaN, or as what a kernel
 * as printed adds to, and nothing beside them is written. */
#include "historic.h"
#include "mmt-count.h"
#include "mmt-sanity.h"

#include "gpu-case.h"

#include <math.h>
#include <string.h>

enum { POISON = 0xff, GUARD = 256 /* elements */ };

static gint64 largest(void) {
  const char *text = g_getenv("TG_TEST_LARGEST");
  return text ? g_ascii_strtoll(text, NULL, 10) : G_MAXINT64;
}

/* Matrices of whole numbers on both sides; the result with a guard before and behind it. */
typedef struct Problem {
  gint64 m, n, k;
  float *a, *b, *c;
  char *device[3];
} Problem;

static gint64 bytes_of(gint64 elements) {
  return elements * (gint64)sizeof(float);
}

static float *whole_numbers(gint64 count, gint64 factor) {
  float *x = g_new(float, count);
  for (gint64 i = 0; i < count; i++) x[i] = (float)(i * factor % 19 - 9);
  return x;
}

static char *put(const void *from, gint64 bytes) {
  TgError error;
  char *to = tg_device_allocate(bytes, &error);
  if (!to || !tg_device_copy_in(to, from, bytes, &error)) g_error("%s", error.message);
  return to;
}

/* `b` NULL: M·M'. C holds `before`, or NaN where that is one. */
static Problem problem_new(gint64 m, gint64 n, gint64 k, gboolean product, float before) {
  Problem made = {.m = m, .n = n, .k = k, .a = whole_numbers(m * k, 7), .c = g_new(float, m *n + 2 * GUARD)};
  made.b = product ? whole_numbers(k * n, 5) : NULL;
  memset(made.c, POISON, (gsize)bytes_of(m * n + 2 * GUARD));
  for (gint64 i = 0; !isnan(before) && i < m * n; i++) made.c[GUARD + i] = before;
  made.device[0] = put(made.a, bytes_of(m * k));
  made.device[1] = product ? put(made.b, bytes_of(k * n)) : NULL;
  made.device[2] = put(made.c, bytes_of(m * n + 2 * GUARD));
  return made;
}

static void problem_free(Problem *problem) {
  for (int x = 0; x < 3; x++)
    if (problem->device[x]) tg_device_free(problem->device[x]);
  g_free(problem->a);
  g_free(problem->b);
  g_free(problem->c);
}

static void run(Problem *problem, const TgHistoric *kernel, int32_t width) {
  TgError error;
  const TgHistoricRun wanted = {.width = width,
                                .m = problem->m,
                                .n = problem->n,
                                .k = problem->k,
                                .a = problem->device[0],
                                .b = problem->device[1],
                                .c = problem->device[2] + bytes_of(GUARD)};
  const gint64 bytes = bytes_of(problem->m * problem->n + 2 * GUARD);
  if (!tg_historic_start(kernel, &wanted, &error) || !tg_device_wait(&error) ||
      !tg_device_copy_out(problem->c, problem->device[2], bytes, &error))
    g_error("%s, width %d: %s", kernel->name, width, error.message);
}

static gboolean takes(const TgHistoric *kernel, gint64 d, int32_t width) {
  TgHistoricRun wanted = {.width = width, .m = d, .n = d, .k = d};
  TgHistoricShape shape;
  return tg_historic_prepare(kernel, &wanted, &shape, NULL);
}

static gboolean is_poison(float value) {
  guchar bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  for (gsize i = 0; i < sizeof bytes; i++)
    if (bytes[i] != POISON) return FALSE;
  return TRUE;
}

static void check_guards(const Problem *problem) {
  for (gint64 i = 0; i < GUARD; i++)
    g_assert_true(is_poison(problem->c[i]) && is_poison(problem->c[GUARD + problem->m * problem->n + i]));
}

/* Element (i, j) of A·B, or of M·M', over the first `depth` of the inner extent. */
static float expected(const Problem *problem, gint64 i, gint64 j, gint64 depth) {
  float sum = 0;
  for (gint64 l = 0; l < depth; l++)
    sum +=
        problem->a[i * problem->k + l] * (problem->b ? problem->b[l * problem->n + j] : problem->a[j * problem->k + l]);
  return sum;
}

static gint64 count_wrong(const Problem *problem, gint64 depth, float before) {
  gint64 wrong = 0;
  for (gint64 i = 0; i < problem->m; i++)
    for (gint64 j = 0; j < problem->n; j++)
      wrong += !(problem->c[GUARD + i * problem->n + j] == before + expected(problem, i, j, depth));
  return wrong;
}

/* --- M·M' --------------------------------------------------------------------------------------------------------- */

static gboolean is_added(const TgHistoric *kernel) {
  return kernel->printed &&
         (strstr(kernel->name, "v008") || strstr(kernel->name, "v009") || strstr(kernel->name, "cublas"));
}

/* As printed: over all columns but the last tile's, where the width divides d, and added to what R held. */
static void check_mmt(const TgHistoric *kernel, gint64 d, int32_t width) {
  if (!takes(kernel, d, width) || d > largest()) return;
  const float before = is_added(kernel) ? 3 : NAN, added = is_added(kernel) ? 3 : 0;
  Problem problem = problem_new(d, d, d, FALSE, before);
  run(&problem, kernel, width);
  const gint64 depth = width ? tg_mmt_depth(d, width, kernel->printed) : d;
  const gint64 wrong = count_wrong(&problem, depth, added);
  if (wrong != 0) {
    g_test_message("%s, width %d, d = %d: %d elements are wrong", kernel->name, width, (int)d, (int)wrong);
    g_test_fail();
  }
  if (depth != d || added != 0) g_assert_cmpint(count_wrong(&problem, d, 0), >, 0); /* the defect */
  check_guards(&problem);
  problem_free(&problem);
}

static void test_mmt(gconstpointer data) {
  static const gint64 sizes[] = {1, 7, 8, 16, 20, 31, 32, 64, 127, 129, 200, 256};
  static const int32_t widths[] = {4, 8, 16, 32};
  const TgHistoric *kernel = data;
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
    for (gsize w = 0; w < (kernel->widths[0] ? G_N_ELEMENTS(widths) : 1); w++)
      check_mmt(kernel, sizes[s], kernel->widths[0] ? widths[w] : 0);
}

/* The greatest that the stripes have room for. */
static void test_largest_stripe(void) {
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  check_mmt(tg_historic_find("mmt-v008-corrected"), TG_MMT_STRIPE_ROWS, 8);
  check_mmt(tg_historic_find("mmt-v009-corrected"), TG_MMT_STRIPE_ROWS - 1, 8);
  check_mmt(tg_historic_find("mmt-v009-as-printed"), TG_MMT_STRIPE_ROWS, 8);
}

/* The tables of the bench: what the paper's sizes hide, and its printed example. */
static void test_sanity(void) {
  TgDevice device;
  TgError error;
  float dumped[TG_MMT_DUMP * TG_MMT_DUMP];
  if (!gpu_or_skip(&device)) return;
  g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(TgMmtSanity));
  g_assert_true(tg_mmt_sanity_run(MIN(100, largest()), 1, found, &error));
  g_assert_cmpuint(found->len, >, 3 * tg_historic_mmt.count);
  for (guint s = 0; s < found->len; s++) {
    const TgMmtSanity *row = &g_array_index(found, TgMmtSanity, s);
    const TgHistoric *kernel = tg_historic_find(row->kernel);
    const gboolean hidden = row->d % TG_MMT_SANITY_WIDTH != 0 || strstr(row->kernel, "cublas");
    g_assert_cmpint(row->wrong > 0, ==, kernel->printed && !hidden);
    if (!kernel->printed) g_assert_cmpfloat(row->l2, <=, 5e-7 * (double)(row->d * row->d));
  }
  g_assert_true(tg_mmt_dump("mmt-v006-corrected", dumped, &error));
  g_assert_cmpfloat(dumped[0], ==, 91);
  g_assert_cmpfloat(dumped[1], ==, 238);
  g_assert_cmpfloat(dumped[48], ==, 14203);
}

/* --- Dobravec and Bulić ------------------------------------------------------------------------------------------- */

static const gint64 extents[][3] = {{1, 1, 1},    {7, 7, 7},    {127, 127, 127}, {129, 129, 129},
                                    {16, 24, 40}, {33, 47, 20}, {8, 200, 3},     {64, 64, 64}};

static void test_corrected(gconstpointer data) {
  const TgHistoric *kernel = data;
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  for (gsize e = 0; e < G_N_ELEMENTS(extents); e++)
    for (int w = 0; MAX(extents[e][0], extents[e][1]) <= largest() && w < TG_HISTORIC_WIDTHS && kernel->widths[w];
         w++) {
      Problem problem = problem_new(extents[e][0], extents[e][1], extents[e][2], TRUE, NAN);
      run(&problem, kernel, kernel->widths[w]);
      g_assert_cmpint(count_wrong(&problem, problem.k, 0), ==, 0);
      check_guards(&problem);
      problem_free(&problem);
    }
}

/* Whole blocks alone are computed; DS, whose squares read on beyond k, is not a number there unless the width divides
 * k. */
static void check_edges(const char *name, gint64 m, gint64 n, gint64 k, int32_t width) {
  Problem problem = problem_new(m, n, k, TRUE, NAN);
  run(&problem, tg_historic_find(name), width);
  const gboolean lost = strstr(name, "shared") && k % width != 0;
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++) {
      const float found = problem.c[GUARD + i * n + j];
      if (i >= m / width * width || j >= n / width * width)
        g_assert_true(is_poison(found));
      else if (lost)
        g_assert_true(isnan(found) && !is_poison(found));
      else
        g_assert_cmpfloat(found, ==, expected(&problem, i, j, k));
    }
  check_guards(&problem);
  problem_free(&problem);
}

static void test_edges(gconstpointer data) {
  const TgHistoric *kernel = data;
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  check_edges(kernel->name, 20, 20, 20, 8);
  check_edges(kernel->name, 20, 28, 16, 8);
  check_edges(kernel->name, 24, 24, 24, 16); /* the paper's 8n, n = 3 */
  check_edges(kernel->name, 32, 48, 64, 16); /* nothing is lost */
}

/* A matrix smaller than a block: a grid of no blocks, which is refused in words. */
static void test_no_block(void) {
  TgDevice device;
  TgError error;
  if (!gpu_or_skip(&device)) return;
  Problem problem = problem_new(8, 8, 8, TRUE, NAN);
  const TgHistoricRun wanted = {
      .width = 16, .m = 8, .n = 8, .k = 8, .a = problem.device[0], .b = problem.device[1], .c = problem.device[2]};
  g_assert_false(tg_historic_start(tg_historic_find("dobravec-global-as-printed"), &wanted, &error));
  g_assert_nonnull(strstr(error.message, "kernel dobravec-global-as-printed did not start: "));
  g_assert_true(tg_device_wait(&error));
  problem_free(&problem);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (size_t k = 0; k < tg_historic_mmt.count; k++) {
    g_autofree char *path = g_strdup_printf("/gpu/historic-mmt/%s", tg_historic_mmt.kernels[k].name);
    g_test_add_data_func(path, &tg_historic_mmt.kernels[k], test_mmt);
  }
  for (size_t k = 0; k < tg_historic_dobravec.count; k++) {
    const TgHistoric *kernel = &tg_historic_dobravec.kernels[k];
    g_autofree char *path = g_strdup_printf("/gpu/historic-mmt/%s", kernel->name);
    g_test_add_data_func(path, kernel, kernel->printed ? test_edges : test_corrected);
  }
  if (largest() >= TG_MMT_STRIPE_ROWS) g_test_add_func("/gpu/historic-mmt/largest-stripe", test_largest_stripe);
  g_test_add_func("/gpu/historic-mmt/sanity", test_sanity);
  g_test_add_func("/gpu/historic-mmt/no-block", test_no_block);
  return g_test_run();
}

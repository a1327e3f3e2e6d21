/* The kernels of M·M' and of Dobravec and Bulić, walked on the CPU block by block and thread by thread with the loop
 * bounds of the papers' listings: what they compute as printed, and that the tables count the same. */
#include "historic.h"
#include "mmt-count.h"

#include <glib.h>
#include <string.h>

/* What a walk saw. */
typedef struct Seen {
  double adds, reads, stores;
  gint64 *result; /* d x d */
} Seen;

typedef struct Walk {
  gint64 d, width;
  gboolean printed, half, alone;
  const gint64 *m;
} Walk;

static gint64 *counted_matrix(gint64 d) {
  gint64 *m = g_new(gint64, d * d);
  for (gint64 i = 0; i < d * d; i++) m[i] = i * 7 % 11 - 5;
  return m;
}

static gint64 expected(const gint64 *m, gint64 d, gint64 i, gint64 j, gint64 depth) {
  gint64 sum = 0;
  for (gint64 k = 0; k < depth; k++) sum += m[i * d + k] * m[j * d + k];
  return sum;
}

/* Section 2.4: all tiles but the last have `width` columns, the last one d % width; mended, the rest. */
static gint64 columns_of(const Walk *walk, gint64 tile, gint64 tiles) {
  const gint64 rest = walk->d % walk->width;
  if (tile != tiles - 1) return walk->width;
  return walk->printed || rest != 0 ? rest : walk->width;
}

static void walk_thread(const Walk *walk, gint64 x, gint64 y, gint64 down, gint64 along, Seen *seen) {
  const gint64 d = walk->d, width = walk->width, tiles = (d + width - 1) / width;
  const gint64 i = x * width + down, j = y * width + along;
  gint64 sum = 0;
  for (gint64 s = 0; s < tiles; s++) {
    const gboolean column = s * width + along < d;
    seen->reads += i < d && column;
    if (!(walk->alone && x == y)) seen->reads += y * width + down < d && column;
    if (i >= d || j >= d) continue;
    for (gint64 k = 0; k < columns_of(walk, s, tiles); k++) {
      sum += walk->m[i * d + s * width + k] * walk->m[j * d + s * width + k];
      seen->adds++;
    }
  }
  if (i >= d || j >= d) return;
  seen->result[i * d + j] = sum;
  seen->stores++;
  if (!walk->half) return;
  seen->result[j * d + i] = sum;
  seen->stores++;
}

static Seen walk_blocks(const Walk *walk) {
  Seen seen = {.result = g_new0(gint64, walk->d * walk->d)};
  const gint64 tiles = (walk->d + walk->width - 1) / walk->width;
  for (gint64 x = 0; x < tiles; x++)
    for (gint64 y = walk->half ? x : 0; y < tiles; y++)
      for (gint64 t = 0; t < walk->width * walk->width; t++)
        walk_thread(walk, x, y, t % walk->width, t / walk->width, &seen);
  return seen;
}

static TgHistoricShape shape_of(const char *name, gint64 d, gint64 width) {
  TgHistoricRun run = {.width = (int32_t)width, .m = d, .n = d, .k = d};
  TgHistoricShape shape;
  TgError error;
  if (!tg_historic_prepare(tg_historic_find(name), &run, &shape, &error)) g_error("%s", error.message);
  return shape;
}

/* As printed: the product of M without its last `width` columns, where the width divides d. */
static void check_result(const Walk *walk, const Seen *seen) {
  const gint64 d = walk->d;
  const gint64 depth = walk->printed && d % walk->width == 0 ? d - walk->width : d;
  g_assert_cmpint(tg_mmt_depth(d, walk->width, walk->printed), ==, depth);
  for (gint64 i = 0; i < d; i++)
    for (gint64 j = 0; j < d; j++) g_assert_cmpint(seen->result[i * d + j], ==, expected(walk->m, d, i, j, depth));
}

static void check_counts(const char *name, const Walk *walk, const Seen *seen) {
  const TgHistoricShape shape = shape_of(name, walk->d, walk->width);
  g_assert_cmpfloat(shape.flops, ==, 2 * seen->adds);
  g_assert_cmpfloat(shape.read_bytes, ==, 4 * seen->reads);
  g_assert_cmpfloat(shape.written_bytes, ==, 4 * seen->stores);
}

static const gint64 sizes[] = {1, 4, 7, 8, 16, 20, 31, 32, 33, 40};
static const gint64 widths[] = {4, 8, 16, 32};

static void walk_kernel(const char *name, gboolean printed, gboolean half, gboolean alone) {
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
    g_autofree gint64 *m = counted_matrix(sizes[s]);
    for (gsize w = 0; w < G_N_ELEMENTS(widths); w++) {
      const Walk walk = {.d = sizes[s], .width = widths[w], .printed = printed, .half = half, .alone = alone, .m = m};
      Seen seen = walk_blocks(&walk);
      check_result(&walk, &seen);
      check_counts(name, &walk, &seen);
      g_free(seen.result);
    }
  }
}

static void test_tiles(void) {
  walk_kernel("mmt-v003", FALSE, FALSE, FALSE);
  walk_kernel("mmt-v004-corrected", FALSE, FALSE, FALSE);
  walk_kernel("mmt-v004-coalesced", FALSE, FALSE, FALSE);
  walk_kernel("mmt-v004-as-printed", TRUE, FALSE, FALSE);
}

static void test_half(void) {
  walk_kernel("mmt-v005-corrected", FALSE, TRUE, FALSE);
  walk_kernel("mmt-v005-as-printed", TRUE, TRUE, FALSE);
  walk_kernel("mmt-v006-corrected", FALSE, TRUE, TRUE);
  walk_kernel("mmt-v006-as-printed", TRUE, TRUE, TRUE);
  walk_kernel("mmt-v007-coalesced", FALSE, TRUE, FALSE);
}

/* Sections 2.8 and 2.9: a stripe a block, its sums added to what R holds, here 1. */
static void walk_stripes(const char *name, gboolean printed, gint64 d, gint64 width) {
  g_autofree gint64 *m = counted_matrix(d), *r = g_new(gint64, d * d);
  const Walk walk = {.d = d, .width = width, .printed = printed};
  const gint64 stripes = (d + width - 1) / width;
  double adds = 0, atomics = 0;
  for (gint64 i = 0; i < d * d; i++) r[i] = printed;
  for (gint64 stripe = 0; stripe < stripes; stripe++) {
    const gint64 columns = columns_of(&walk, stripe, stripes);
    for (gint64 number = 0; number < d * d; number++) {
      for (gint64 k = stripe * width; k < stripe * width + columns; k++)
        r[number] += m[number / d * d + k] * m[number % d * d + k];
      adds += (double)columns;
      atomics++;
    }
  }
  for (gint64 number = 0; number < d * d; number++)
    g_assert_cmpint(r[number], ==, printed + expected(m, d, number / d, number % d, tg_mmt_depth(d, width, printed)));
  const TgHistoricShape shape = shape_of(name, d, width);
  g_assert_cmpfloat(shape.flops, ==, 2 * adds);
  g_assert_cmpfloat(shape.atomics, ==, atomics);
  g_assert_cmpfloat(shape.read_bytes, ==, 4 * (double)(d * d));
  g_assert_cmpint(shape.grid[1], ==, stripes);
}

static void test_stripes(void) {
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++)
    for (gsize w = 0; w < G_N_ELEMENTS(widths) - 1; w++) { /* 32 would need 128 KB */
      walk_stripes("mmt-v008-as-printed", TRUE, sizes[s], widths[w]);
      walk_stripes("mmt-v008-corrected", FALSE, sizes[s], widths[w]);
      walk_stripes("mmt-v009-corrected", FALSE, sizes[s], widths[w]);
    }
}

/* The sizes of the paper's own sanity table, at the width that it found the best: none shows what is missing. */
static void test_sanity_sizes(void) {
  static const gint64 shown[] = {10, 20, 30, 50, 100, 500}, hidden[] = {8, 16, 64, 1000, 1024, 2000, 5000, 20000};
  for (gsize s = 0; s < G_N_ELEMENTS(shown); s++) g_assert_cmpint(tg_mmt_depth(shown[s], 8, true), ==, shown[s]);
  for (gsize s = 0; s < G_N_ELEMENTS(hidden); s++) g_assert_cmpint(tg_mmt_depth(hidden[s], 8, true), ==, hidden[s] - 8);
}

static void test_triangle(void) {
  g_assert_cmpint(tg_mmt_triangle(1, 8), ==, 1);
  g_assert_cmpint(tg_mmt_triangle(8, 8), ==, 64);
  g_assert_cmpint(tg_mmt_triangle(16, 8), ==, 3 * 64);
  g_assert_cmpint(tg_mmt_triangle(9, 8), ==, 64 + 8 + 1);
  g_assert_cmpfloat_with_epsilon((double)tg_mmt_triangle(20000, 8) / 4e8, 0.5, 3e-4);
}

static void refused(const char *name, gint64 d, const char *words) {
  TgHistoricRun run = {.m = d, .n = d, .k = d};
  TgHistoricShape shape;
  TgError error;
  g_assert_false(tg_historic_prepare(tg_historic_find(name), &run, &shape, &error));
  g_assert_cmpstr(error.message, ==, words);
}

static void test_limits(void) {
  refused("mmt-v002", 7, "kernel mmt-v002 takes m in multiples of its width, 8, not 7");
  refused("mmt-v008-corrected", 1025, "kernel mmt-v008-corrected takes m up to 1024, not 1025");
  refused("mmt-v004-corrected", 46341, "kernel mmt-v004-corrected takes m up to 46340, not 46341");
  g_assert_cmpint((gint64)TG_MMT_MOST * TG_MMT_MOST, <=, G_MAXINT32);
  g_assert_cmpint((TG_MMT_MOST + INT64_C(1)) * (TG_MMT_MOST + 1), >, G_MAXINT32);
}

/* Listing 3: whole blocks alone. */
static double computed_as_printed(gint64 m, gint64 n, gint64 width) {
  double computed = 0;
  for (gint64 i = 0; i < m; i++)
    for (gint64 j = 0; j < n; j++) computed += i / width < m / width && j / width < n / width;
  return computed;
}

static void check_edges(const char *name, gint64 m, gint64 n, gint64 k, gint64 width, double computed) {
  TgHistoricRun run = {.width = (int32_t)width, .m = m, .n = n, .k = k};
  TgHistoricShape shape;
  g_assert_true(tg_historic_prepare(tg_historic_find(name), &run, &shape, NULL));
  g_assert_cmpfloat(shape.written_bytes, ==, 4 * computed);
  const double padded = (double)(shape.grid[0] * shape.grid[1] * width * width);
  g_assert_cmpfloat(strstr(name, "shared") ? padded : computed, ==, shape.flops / 2 / (double)shape.terms);
}

/* 8n for odd n is no multiple of 16: half of the paper's sizes, at its second block. */
static void test_edges(void) {
  static const gint64 extents[][3] = {{8, 8, 8}, {16, 24, 40}, {24, 16, 8}, {33, 47, 20}, {16, 16, 16}, {20, 20, 20}};
  static const gint64 blocks[] = {8, 16};
  for (gsize e = 0; e < G_N_ELEMENTS(extents); e++)
    for (gsize b = 0; b < G_N_ELEMENTS(blocks); b++) {
      const gint64 m = extents[e][0], n = extents[e][1], k = extents[e][2], w = blocks[b];
      check_edges("dobravec-global-as-printed", m, n, k, w, computed_as_printed(m, n, w));
      check_edges("dobravec-global-corrected", m, n, k, w, (double)(m * n));
      check_edges("dobravec-shared-as-printed", m, n, k, w, computed_as_printed(m, n, w));
      check_edges("dobravec-shared-corrected", m, n, k, w, (double)(m * n));
      check_edges("dobravec-shared-run-time", m, n, k, w, (double)(m * n));
    }
  g_assert_cmpfloat(computed_as_printed(792, 792, 16), ==, 784 * 784);
  g_assert_cmpfloat(computed_as_printed(792, 792, 8), ==, 792 * 792);
  g_assert_cmpfloat(computed_as_printed(8, 8, 16), ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/historic-counts/tiles", test_tiles);
  g_test_add_func("/historic-counts/half", test_half);
  g_test_add_func("/historic-counts/stripes", test_stripes);
  g_test_add_func("/historic-counts/sanity-sizes", test_sanity_sizes);
  g_test_add_func("/historic-counts/triangle", test_triangle);
  g_test_add_func("/historic-counts/limits", test_limits);
  g_test_add_func("/historic-counts/edges", test_edges);
  return g_test_run();
}

/* What the papers' tables say without a GPU: of every kernel that it can be run as the paper ran it, and of limits, in
 * words. */
#include "historic.h"

#include <glib.h>
#include <string.h>

typedef void Visit(const TgHistoricPaper *paper, const TgHistoric *kernel);

static void visit_all(Visit *visit) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  for (size_t p = 0; p < count; p++)
    for (size_t k = 0; k < papers[p]->count; k++) visit(papers[p], &papers[p]->kernels[k]);
}

static void check_names(const TgHistoricPaper *paper, const TgHistoric *kernel) {
  g_autofree char *prefix = g_strconcat(paper->name, "-", NULL);
  g_assert_true(g_str_has_prefix(kernel->name, prefix));
  g_assert_true(tg_historic_find(kernel->name) == kernel); /* no name stands twice */
  g_assert_cmpuint(strlen(kernel->where), >, 5);
  g_assert_cmpuint(strlen(kernel->idea), >, 10);
  g_assert_cmpint(kernel->types, >, 0);
  g_assert_cmpint(kernel->types, <, 1 << TG_HISTORIC_TYPES);
}

static void test_names(void) {
  visit_all(check_names);
  g_assert_null(tg_historic_find("oneil"));
  g_assert_null(tg_historic_find(""));
}

/* A kernel as printed says its defect, has a corrected sister of the same name, and can be run where it shows. */
static void check_printed(const TgHistoricPaper *paper, const TgHistoric *kernel) {
  static const char suffix[] = "-as-printed";
  TgHistoricShape shape;
  (void)paper;
  g_assert_cmpint(g_str_has_suffix(kernel->name, suffix), ==, kernel->printed);
  g_assert_cmpint(kernel->defect != NULL, ==, kernel->printed);
  g_assert_cmpint(kernel->corrected != NULL, ==, kernel->printed);
  if (!kernel->printed) return;
  const TgHistoric *corrected = tg_historic_find(kernel->corrected);
  g_autofree char *stem = g_strndup(kernel->name, strlen(kernel->name) - strlen(suffix));
  g_autofree char *sister = g_strconcat(stem, "-corrected", NULL);
  g_assert_cmpstr(kernel->corrected, ==, sister);
  g_assert_true(corrected && !corrected->printed && corrected->kind == kernel->kind);
  g_assert_cmpint(corrected->types & kernel->types, ==, kernel->types);
  const TgHistoricShown *shown = &kernel->shown;
  for (int type = 0; type < TG_HISTORIC_TYPES; type++) {
    if (!(kernel->types >> type & 1)) continue;
    TgHistoricRun run = {.type = type, .width = shown->width, .m = shown->m, .n = shown->n, .k = shown->k};
    TgHistoricRun right = run;
    run.adverse = shown->adverse;
    g_assert_true(tg_historic_prepare(kernel, &run, &shape, NULL));
    g_assert_true(tg_historic_prepare(corrected, &right, &shape, NULL));
  }
}

static void test_printed(void) {
  visit_all(check_printed);
}

/* Some size, every width: a grid, a block, and traffic. */
static void check_shapes(const TgHistoricPaper *paper, const TgHistoric *kernel) {
  (void)paper;
  for (int w = 0; w < TG_HISTORIC_WIDTHS && (w == 0 || kernel->widths[w]); w++) {
    int64_t n = kernel->exactly ? kernel->exactly : MAX(8, kernel->widths[w]);
    if (kernel->most[0]) n = MIN(n, kernel->most[0]);
    const bool flat = kernel->kind == TG_HISTORIC_TRANSPOSE || kernel->kind == TG_HISTORIC_COPY;
    TgHistoricRun run = {.type = kernel->types & 1 ? TG_HISTORIC_F32 : TG_HISTORIC_I32,
                         .width = kernel->widths[w],
                         .m = n,
                         .n = n,
                         .k = flat ? 1 : n};
    TgHistoricShape shape;
    TgError error;
    if (!tg_historic_prepare(kernel, &run, &shape, &error)) g_error("%s", error.message);
    for (int d = 0; d < 3; d++) g_assert_true(shape.grid[d] >= 1 && shape.block[d] >= 1);
    g_assert_cmpint(shape.dynamic_bytes, <=, shape.shared_bytes);
    if (kernel->kind == TG_HISTORIC_NOTHING) continue;
    const double bytes = (double)(n * n) * TG_HISTORIC_ELEMENT_BYTES;
    g_assert_cmpfloat(shape.read_bytes, >=, bytes);
    g_assert_cmpfloat(shape.written_bytes, >=, bytes);
    if (!flat && !kernel->printed)
      g_assert_cmpfloat(shape.flops, >=, (kernel->kind == TG_HISTORIC_SYMMETRIC ? 1.0 : 2.0) * (double)(n * n * n));
  }
}

static void test_shapes(void) {
  visit_all(check_shapes);
}

static void refused(const char *name, TgHistoricRun run, const char *words) {
  TgError error = {.line = -1};
  TgHistoricShape shape;
  g_assert_false(tg_historic_prepare(tg_historic_find(name), &run, &shape, &error));
  g_assert_cmpstr(error.message, ==, words);
  g_assert_cmpint(error.line, ==, 0);
}

static void test_refused(void) {
  refused("oneil-cannon", (TgHistoricRun){.m = 33, .n = 33, .k = 33}, "kernel oneil-cannon takes m up to 32, not 33");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 8, .k = 7},
          "kernel oneil-cannon takes only square matrices, not m, n, k = 8, 8, 7");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 0, .k = 8}, "kernel oneil-cannon: n is 0, expected at least 1");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 8, .k = 8, .width = 8}, "kernel oneil-cannon has no width of 8");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 8, .k = 8, .split = 2},
          "kernel oneil-cannon does not divide k among 2 blocks");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 8, .k = 8, .repeats = 3},
          "kernel oneil-cannon does not repeat itself 3 times");
  refused("oneil-cannon", (TgHistoricRun){.m = 8, .n = 8, .k = 8, .adverse = 1},
          "kernel oneil-cannon has no thread order that shows a defect");
  refused("oneil-dns-cube-as-printed", (TgHistoricRun){.m = 8, .n = 8, .k = 4},
          "kernel oneil-dns-cube-as-printed takes only m, n and k of 8, not k = 4");
  refused("oneil-cannon", (TgHistoricRun){.type = TG_HISTORIC_TYPES, .m = 1, .n = 1, .k = 1},
          "kernel oneil-cannon does not take type 2");
  refused("oneil-cannon-tiles", (TgHistoricRun){.m = 8 << 20, .n = 8, .k = 8},
          "kernel oneil-cannon-tiles would need a grid of 1048576 blocks along y, but a launch takes at most 65535");
}

/* The launches of the paper's tables. */
static void check_launch(const char *name, TgHistoricRun run, int64_t blocks, int threads, int64_t split) {
  TgHistoricShape shape;
  g_assert_true(tg_historic_prepare(tg_historic_find(name), &run, &shape, NULL));
  g_assert_cmpint(shape.grid[0] * shape.grid[1] * shape.grid[2], ==, blocks);
  g_assert_cmpint(shape.block[0] * shape.block[1] * shape.block[2], ==, threads);
  g_assert_cmpint(shape.split, ==, split);
}

static void test_oneil(void) {
  const TgHistoricRun eight = {.m = 8, .n = 8, .k = 8}, sixteen = {.m = 16, .n = 16, .k = 16};
  TgHistoricRun run = eight;
  check_launch("oneil-cannon", eight, 1, 64, 1);
  check_launch("oneil-dns-cube-as-printed", eight, 1, 512, 1);
  check_launch("oneil-dns-cube-corrected", eight, 1, 512, 1);
  check_launch("oneil-dns-planes", eight, 8, 64, 1);
  run.width = 4;
  check_launch("oneil-dns-planes", run, 16, 32, 1);
  run.width = 2;
  check_launch("oneil-dns-planes", run, 32, 16, 1);
  check_launch("oneil-cannon-tiles", sixteen, 8, 64, 2);
  check_launch("oneil-dns-cube-tiles", sixteen, 8, 512, 2);
  check_launch("oneil-dns-planes-tiles", sixteen, 64, 64, 2);
  const TgHistoricRun largest = {.m = 32768, .n = 32768, .k = 32768};
  check_launch("oneil-cannon-tiles", largest, INT64_C(1) << 36, 64, 4096);
  check_launch("oneil-dns-planes-tiles", largest, INT64_C(1) << 39, 64, 4096);
}

/* 5 tiles by 2 blocks: 3 and 2; by 4: 2, 2 and 1, so that a fourth would have nothing. */
static void test_split(void) {
  TgHistoricRun run = {.m = 8, .n = 16, .k = 37, .split = 2};
  TgHistoricShape shape;
  const TgHistoric *kernel = tg_historic_find("oneil-cannon-tiles");
  g_assert_true(tg_historic_prepare(kernel, &run, &shape, NULL));
  g_assert_cmpint(shape.split, ==, 2);
  g_assert_cmpint(shape.rounds, ==, 3);
  g_assert_cmpint(shape.grid[0], ==, 4);
  g_assert_cmpfloat(shape.atomics, ==, 8 * 16 * 2);
  run.split = 4;
  g_assert_true(tg_historic_prepare(kernel, &run, &shape, NULL));
  g_assert_cmpint(shape.split, ==, 3);
  g_assert_cmpint(shape.rounds, ==, 2);
  run.split = 1;
  g_assert_true(tg_historic_prepare(kernel, &run, &shape, NULL));
  g_assert_cmpint(shape.rounds, ==, 5);
  g_assert_cmpfloat(shape.atomics, ==, 0);
  g_assert_cmpfloat(shape.flops, ==, 2 * 8 * 16 * 40); /* padded */
  run.split = 99;
  g_assert_true(tg_historic_prepare(kernel, &run, &shape, NULL));
  g_assert_cmpint(shape.split, ==, 5);
}

static void check_absent(const TgHistoricPaper *paper, const TgHistoric *kernel) {
  TgError error;
  const TgHistoricRun run = {.m = 8, .n = 8, .k = 8};
  (void)paper;
  g_assert_false(tg_historic_built(kernel));
  g_assert_false(tg_historic_start(kernel, &run, &error));
  g_assert_true(g_str_has_suffix(error.message, "cannot run: this build has no CUDA (no nvcc when it was built)"));
}

static void test_absent(void) {
  visit_all(check_absent);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/historic-table/names", test_names);
  g_test_add_func("/historic-table/printed", test_printed);
  g_test_add_func("/historic-table/shapes", test_shapes);
  g_test_add_func("/historic-table/refused", test_refused);
  g_test_add_func("/historic-table/oneil", test_oneil);
  g_test_add_func("/historic-table/split", test_split);
  g_test_add_func("/historic-table/absent", test_absent);
  return g_test_run();
}

/* Every kernel against a product in long double: sizes that divide nothing, transposes, C = and C +=, rows with gaps
 * and rows aligned to nothing, outputs that begin as NaN, and no byte outside C written. */
#include "kernel.h"

#include "gpu-case.h"
#include "product-case.h"

static const gint64 sizes[][3] = {
    {1, 1, 1},      {7, 7, 7},      {127, 127, 127},  {129, 129, 129}, {1000, 37, 513}, {1, 129, 7},
    {129, 1, 127},  {7, 127, 1},    {64, 64, 64},     {128, 128, 128}, {256, 384, 192}, {1200, 300, 70},
    {65, 33, 4100}, {130, 258, 34}, {1280, 1664, 40}, {192, 130, 544}, {900, 600, 258},
};

typedef struct Subject {
  const TgKernel *kernel;
  TgElement element;
} Subject;

static Case *cases[TG_ELEMENTS][G_N_ELEMENTS(sizes)]; /* made when first asked for */

static const Case *case_at(TgElement element, gsize s) {
  if (!cases[element][s]) cases[element][s] = case_new(element, sizes[s][0], sizes[s][1], sizes[s][2]);
  return cases[element][s];
}

/* The same for all, emulations as well. */
static double limit(const Subject *subject, gint64 k) {
  return (subject->element == TG_F64 ? 1e-15 : 5e-7) * sqrt((double)k);
}

typedef struct Run {
  const Case *of;
  gboolean transpose_a, transpose_b, add;
  Layout layout;
  Stored a, b, c;
} Run;

static TgGemm gemm_of(Run *run) {
  const Case *of = run->of;
  run->a = stored_new(of->element, of->a, of->m, of->k, run->transpose_a, run->layout);
  run->b = stored_new(of->element, of->b, of->k, of->n, run->transpose_b, run->layout);
  run->c = stored_new(of->element, run->add ? of->c : NULL, of->m, of->n, FALSE, run->layout);
  return (TgGemm){.element = of->element,
                  .transpose_a = run->transpose_a,
                  .transpose_b = run->transpose_b,
                  .add = run->add,
                  .m = of->m,
                  .n = of->n,
                  .k = of->k,
                  .a = run->a.device + run->a.first,
                  .b = run->b.device + run->b.first,
                  .c = run->c.device + run->c.first,
                  .lda = run->a.row,
                  .ldb = run->b.row,
                  .ldc = run->c.row};
}

static void run_free(Run *run) {
  stored_free(&run->a);
  stored_free(&run->b);
  stored_free(&run->c);
}

/* False where the kernel does not take this product. The workspace begins as NaN, too. */
static gboolean run_kernel(const TgKernel *kernel, int capability, Run *run) {
  TgError error;
  TgGemm gemm = gemm_of(run);
  if (!tg_kernel_takes(kernel, &gemm, capability, &error)) return FALSE;
  gint64 bytes = tg_kernel_workspace(kernel, &gemm);
  gemm.workspace = bytes > 0 ? tg_device_allocate(bytes, &error) : NULL;
  if (bytes > 0 && !(gemm.workspace && tg_device_fill(gemm.workspace, POISON, bytes, &error)))
    g_error("%s", error.message);
  if (!tg_kernel_start(kernel, &gemm, &error) || !tg_device_wait(&error))
    g_error("%s, %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT "x%" G_GINT64_FORMAT ": %s", kernel->name, gemm.m, gemm.n,
            gemm.k, error.message);
  tg_device_free(gemm.workspace);
  stored_fetch(&run->c);
  return TRUE;
}

/* Returns the error as a part of the limit; -1: not taken. */
static double check(const Subject *subject, int capability, Run *run) {
  double part = -1;
  if (run_kernel(subject->kernel, capability, run)) {
    double error = error_of(run->of, &run->c, run->add), most = limit(subject, run->of->k);
    gboolean whole = stored_is_whole(&run->c);
    if (!(error <= most) || !whole) {
      g_test_message("%s %s, m, n, k = %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", %" G_GINT64_FORMAT
                     ", transposed %d %d, add %d, layout %d: error %g, limit %g%s",
                     subject->kernel->name, tg_element_name(subject->element), run->of->m, run->of->n, run->of->k,
                     run->transpose_a, run->transpose_b, run->add, run->layout, error, most,
                     whole ? "" : ", wrote beside C");
      g_test_fail();
    }
    part = error / most;
  }
  run_free(run);
  return part;
}

static bool suits_or_skip(const TgKernel *kernel, const TgDevice *device) {
  if (tg_kernel_suits(kernel, device->capability)) return true;
  g_autofree char *why =
      g_strdup_printf("needs compute capability %.1f%s, this card has %.1f", kernel->capability / 10.0,
                      kernel->newest ? " itself" : "", device->capability / 10.0);
  g_test_skip(why);
  return false;
}

static void test_kernel(gconstpointer data) {
  const Subject *subject = data;
  TgDevice device;
  double most = 0;
  int runs = 0;
  if (!gpu_or_skip(&device)) return;
  if (!suits_or_skip(subject->kernel, &device)) return;
  for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) {
    if (is_left_out(sizes[s])) continue;
    for (int variant = 0; variant < 4 * LAYOUTS; variant++) {
      if (is_passed_over((int)s + variant)) continue;
      Run run = {.of = case_at(subject->element, s),
                 .transpose_a = variant & 1,
                 .transpose_b = variant >> 1 & 1,
                 .add = (variant + (variant >> 2) + (variant >> 1)) & 1,
                 .layout = (Layout)(variant >> 2)};
      double part = check(subject, device.capability, &run);
      most = MAX(most, part);
      runs += part >= 0;
    }
  }
  g_test_message("%d products, at most %.2f of the error allowed", runs, most);
  g_assert_cmpint(runs, >, 0);
}

/* Launches one after another on one workspace, each as soon as the one before lets it begin. */
static void test_in_a_row(gconstpointer data) {
  enum { LAUNCHES = 6, SIZES = 3 };
  const gsize chosen[SIZES] = {is_left_out(sizes[10]) ? 9 : 10, is_left_out(sizes[13]) ? 8 : 13, 3}; /* of sizes */
  const Subject *subject = data;
  TgDevice device;
  TgError error;
  gint64 most = 0;
  Run runs[LAUNCHES];
  TgGemm gemms[LAUNCHES];
  if (!gpu_or_skip(&device) || !suits_or_skip(subject->kernel, &device)) return;
  for (int r = 0; r < LAUNCHES; r++) {
    runs[r] = (Run){.of = case_at(subject->element, chosen[r % SIZES]),
                    .transpose_a = r & 1,
                    .transpose_b = r >> 1 & 1,
                    .layout = (Layout)(r % LAYOUTS)};
    gemms[r] = gemm_of(&runs[r]);
    g_assert_true(tg_kernel_takes(subject->kernel, &gemms[r], device.capability, NULL));
    most = MAX(most, tg_kernel_workspace(subject->kernel, &gemms[r]));
  }
  void *workspace = tg_device_allocate(MAX(most, 1), &error);
  g_assert_nonnull(workspace);
  for (int r = 0; r < LAUNCHES; r++) {
    gemms[r].workspace = workspace;
    if (!tg_kernel_start(subject->kernel, &gemms[r], &error)) g_error("%s: %s", subject->kernel->name, error.message);
  }
  g_assert_true(tg_device_wait(&error));
  for (int r = 0; r < LAUNCHES; r++) {
    stored_fetch(&runs[r].c);
    g_assert_cmpfloat(error_of(runs[r].of, &runs[r].c, FALSE), <=, limit(subject, runs[r].of->k));
    run_free(&runs[r]);
  }
  tg_device_free(workspace);
}

/* More rows, or columns, than 32 times the blocks that a grid may have in its second dimension. */
static void test_long(gconstpointer data) {
  static const gint64 shapes[][3] = {{2100001, 3, 5}, {3, 2100001, 5}};
  const Subject *subject = data;
  TgDevice device;
  if (!gpu_or_skip(&device) || !suits_or_skip(subject->kernel, &device)) return;
  if (is_slowed()) {
    g_test_skip("too large for a tool that slows kernels down");
    return;
  }
  for (gsize s = 0; s < G_N_ELEMENTS(shapes); s++) {
    Case *of = case_new(subject->element, shapes[s][0], shapes[s][1], shapes[s][2]);
    for (int transposed = 0; transposed < 2; transposed++) {
      Run run = {.of = of, .transpose_a = transposed, .transpose_b = transposed, .layout = LAYOUT_TIGHT};
      const double part = check(subject, device.capability, &run);
      g_assert_cmpfloat(part, >=, 0);
    }
    case_free(of);
  }
}

/* What the tests above stand on: a NaN in C, or a byte beside it, does not pass. */
static void test_defects_are_seen(void) {
  TgDevice device;
  if (!gpu_or_skip(&device)) return;
  Run run = {.of = case_at(TG_F32, 2), .layout = LAYOUT_GAPS};
  g_assert_true(run_kernel(tg_kernel_find("naive"), device.capability, &run));
  g_assert_true(error_of(run.of, &run.c, FALSE) <= 5e-7 * sqrt(127));
  g_assert_true(stored_is_whole(&run.c));
  double kept = stored_get(&run.c, 126, 126);
  stored_set(&run.c, 126, 126, NAN);
  g_assert_false(error_of(run.of, &run.c, FALSE) <= 5e-7 * sqrt(127));
  stored_set(&run.c, 126, 126, kept + 1);
  g_assert_false(error_of(run.of, &run.c, FALSE) <= 5e-7 * sqrt(127));
  const gint64 beside[] = {run.c.first - 1, stored_at(&run.c, 3, 127), run.c.bytes - 1};
  for (gsize i = 0; i < G_N_ELEMENTS(beside); i++) {
    run.c.host[beside[i]] = 0;
    g_assert_false(stored_is_whole(&run.c));
    run.c.host[beside[i]] = POISON;
  }
  run_free(&run);
}

/* A grid that no card has: an error in words, and the device goes on. */
static void test_refused_launch(void) {
  TgDevice device;
  TgError error;
  if (!gpu_or_skip(&device)) return;
  TgGemm gemm = {.element = TG_F32, .m = INT64_C(1) << 40, .n = 1 << 20, .k = 1};
  g_assert_false(tg_kernel_start(tg_kernel_find("naive"), &gemm, &error));
  g_assert_cmpstr(error.message, ==, "kernel naive did not start: invalid configuration argument");
  g_assert_true(tg_device_wait(&error));
}

static void add_kernels(Subject *subjects) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t k = 0; k < count; k++) {
    for (int e = 0; e < TG_ELEMENTS; e++) {
      Subject *subject = &subjects[k * TG_ELEMENTS + (size_t)e];
      *subject = (Subject){&kernels[k], (TgElement)e};
      if (!(kernels[k].elements >> e & 1)) continue;
      g_autofree char *path = g_strdup_printf("/gpu/kernels/%s/%s", kernels[k].name, tg_element_name((TgElement)e));
      g_test_add_data_func(path, subject, test_kernel);
      g_autofree char *in_a_row = g_strconcat(path, "/in-a-row", NULL), *is_long = g_strconcat(path, "/long", NULL);
      g_test_add_data_func(in_a_row, subject, test_in_a_row);
      if (e == TG_F32) g_test_add_data_func(is_long, subject, test_long);
    }
  }
}

int main(int argc, char **argv) {
  size_t count;
  g_test_init(&argc, &argv, NULL);
  tg_kernel_list(&count);
  g_autofree Subject *subjects = g_new0(Subject, count * TG_ELEMENTS);
  g_test_add_func("/gpu/kernels/defects-are-seen", test_defects_are_seen);
  g_test_add_func("/gpu/kernels/refused-launch", test_refused_launch);
  add_kernels(subjects);
  int status = g_test_run();
  for (int e = 0; e < TG_ELEMENTS; e++)
    for (gsize s = 0; s < G_N_ELEMENTS(sizes); s++) g_clear_pointer(&cases[e][s], case_free);
  return status;
}

/* The ladder's table without a GPU, and the words of a build without CUDA. */
#include "device.h"
#include "kernel.h"

#include <glib.h>
#include <string.h>

static void test_names(void) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  g_assert_cmpuint(count, >=, 12);
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  for (size_t k = 0; k < count; k++) {
    g_assert_true(g_hash_table_add(seen, (gpointer)kernels[k].name));
    g_assert_true(tg_kernel_find(kernels[k].name) == &kernels[k]);
  }
  g_assert_cmpstr(kernels[0].name, ==, "naive");
  g_assert_null(tg_kernel_find("Naive"));
  g_assert_null(tg_kernel_find(""));
  g_assert_null(tg_kernel_find("naive "));
}

static void test_facts(void) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t k = 0; k < count; k++) {
    g_assert_cmpuint(strlen(kernels[k].idea), >, 10);
    g_assert_cmpuint(strlen(kernels[k].source), >, 5);
    g_assert_cmpint(kernels[k].elements, >, 0);
    g_assert_cmpint(kernels[k].elements, <, 1 << TG_ELEMENTS);
    g_assert_cmpint(kernels[k].capability, >=, 75);
  }
  g_assert_true(tg_kernel_find("cublas")->exact);
  g_assert_false(tg_kernel_find("tensor")->exact);
}

/* A kernel with every limit there is. */
static const TgKernel narrow = {
    .name = "narrow", .idea = "", .source = "", .elements = 1 << TG_F32, .capability = 90, .exact = 1};

static TgGemm taken(void) {
  return (TgGemm){.element = TG_F32,
                  .m = 256,
                  .n = 192,
                  .k = 24,
                  .a = (const void *)64,
                  .b = (const void *)128,
                  .c = (void *)(uintptr_t)256,
                  .lda = 24,
                  .ldb = 192,
                  .ldc = 196};
}

static void refused(const TgKernel *kernel, TgGemm gemm, int capability, const char *words) {
  TgError error = {.line = -1, .column = -1};
  g_assert_false(tg_kernel_takes(kernel, &gemm, capability, &error));
  g_assert_cmpstr(error.message, ==, words);
  g_assert_cmpint(error.line, ==, 0);
  g_assert_cmpint(error.column, ==, 0);
  g_assert_false(tg_kernel_takes(kernel, &gemm, capability, NULL));
}

static void test_takes(void) {
  TgError error;
  TgGemm gemm = taken();
  g_assert_true(tg_kernel_takes(&narrow, &gemm, 90, &error));
  g_assert_true(tg_kernel_takes(&narrow, &gemm, 120, &error));
  gemm.element = TG_F64;
  refused(&narrow, gemm, 90, "kernel narrow does not support f64");
  gemm = taken();
  refused(&narrow, gemm, 89, "kernel narrow needs a card of compute capability 9.0, but this one has 8.9");
  gemm = taken(), gemm.m = INT64_C(1) << 31;
  refused(&narrow, gemm, 90, "kernel narrow takes m up to 2147482623, not 2147483648");
}

/* Any size and any row. */
static void test_takes_all(void) {
  TgGemm gemm = {.element = TG_F64, .transpose_a = 1, .transpose_b = 1, .m = 1, .n = 7, .k = 129};
  gemm.lda = 3, gemm.ldb = 131, gemm.ldc = 9;
  gemm.a = (const void *)(uintptr_t)8;
  g_assert_true(tg_kernel_takes(tg_kernel_find("naive"), &gemm, 75, NULL));
  g_assert_true(tg_kernel_takes(tg_kernel_find("vectors"), &gemm, 75, NULL));
  refused(tg_kernel_find("bulk"), gemm, 90, "kernel bulk does not support f64");
  gemm.element = TG_F32;
  g_assert_true(tg_kernel_suits(tg_kernel_find("tensor"), 90));
  g_assert_false(tg_kernel_suits(tg_kernel_find("tensor"), 89));
  g_assert_false(tg_kernel_suits(tg_kernel_find("tensor"), 100));
  g_assert_true(tg_kernel_suits(tg_kernel_find("bulk"), 100));
  refused(tg_kernel_find("tensor"), gemm, 100,
          "kernel tensor uses instructions of compute capability 9.0 that this card, 10.0, lacks");
  refused(tg_kernel_find("bulk"), gemm, 89, "kernel bulk needs a card of compute capability 9.0, but this one has 8.9");
}

static void test_absent_kernels(void) {
  TgError error;
  TgGemm gemm = taken();
  g_assert_false(tg_kernel_built());
  g_assert_cmpint(tg_kernel_workspace(tg_kernel_find("bulk"), &gemm), ==, 0);
  g_assert_false(tg_kernel_start(tg_kernel_find("bulk"), &gemm, &error));
  g_assert_cmpstr(error.message, ==, "kernel bulk cannot run: this build has no CUDA (no nvcc when it was built)");
}

static void test_absent_device(void) {
  static const char words[] = "this build has no CUDA (no nvcc when it was built)";
  TgError error;
  TgDevice device;
  char bytes[4] = "";
  double seconds;
  g_assert_false(tg_device_open(0, &device, &error));
  g_assert_cmpstr(error.message, ==, words);
  error.message[0] = '\0';
  g_assert_null(tg_device_allocate(4, &error));
  g_assert_cmpstr(error.message, ==, words);
  g_assert_false(tg_device_copy_in(bytes, bytes, 4, &error));
  g_assert_false(tg_device_copy_out(bytes, bytes, 4, &error));
  g_assert_false(tg_device_copy_across(bytes, bytes, 4, &error));
  g_assert_false(tg_device_fill(bytes, 1, 4, &error));
  g_assert_false(tg_device_hold(0, &error));
  g_assert_false(tg_device_wait(&error));
  error.message[0] = '\0';
  g_assert_null(tg_stopwatch_new(&error));
  g_assert_cmpstr(error.message, ==, words);
  g_assert_false(tg_stopwatch_start(NULL, &error));
  g_assert_false(tg_stopwatch_stop(NULL, &seconds, &error));
  tg_stopwatch_free(NULL);
  tg_device_free(NULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/kernel-table/names", test_names);
  g_test_add_func("/kernel-table/facts", test_facts);
  g_test_add_func("/kernel-table/takes", test_takes);
  g_test_add_func("/kernel-table/takes-all", test_takes_all);
  g_test_add_func("/kernel-table/absent-kernels", test_absent_kernels);
  g_test_add_func("/kernel-table/absent-device", test_absent_device);
  return g_test_run();
}

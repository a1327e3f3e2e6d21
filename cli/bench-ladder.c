/* topogemm bench ladder: kernels beside cuBLAS, on one GPU, on the same random matrices. */
#include "bench-ladder.h"

#include "output.h"
#include "problem.h"

#include <math.h>
#include <string.h>

enum { CHECKS = 4 /* vectors that the error is estimated from */ };
static const double longest_s = 2; /* a launch that takes longer is left out */
static const double budget_s = 2;  /* of trials, a kernel and size */

void tg_ladder_clear(TgLadder *ladder) {
  g_clear_pointer(&ladder->sizes, g_array_unref);
  g_clear_pointer(&ladder->kernels, g_ptr_array_unref);
  g_clear_pointer(&ladder->results, g_array_unref);
}

/* --- what to measure ---------------------------------------------------------------------------------------------- */

static TgExit read_sizes(const TgCli *cli, TgLadder *ladder) {
  g_auto(GStrv) words = g_strsplit(cli->options.sizes ? cli->options.sizes : "1024,2048,4096,8192", ",", -1);
  for (char **word = words; *word; word++) {
    int64_t size;
    TgExit status = tg_number_parse(cli, "--sizes", *word, 1, 65536, &size);
    if (status) return status;
    g_array_append_val(ladder->sizes, size);
  }
  return TG_EXIT_DONE;
}

static TgExit read_kernels(const TgCli *cli, TgLadder *ladder) {
  size_t count;
  const TgKernel *all = tg_kernel_list(&count);
  g_auto(GStrv) words = g_strsplit(cli->options.kernels ? cli->options.kernels : "", ",", -1);
  for (size_t k = 0; !*words && k < count; k++) g_ptr_array_add(ladder->kernels, (gpointer)&all[k]);
  for (char **word = words; *word; word++) {
    const TgKernel *kernel = tg_kernel_find(*word);
    if (!kernel)
      return tg_report(cli, TG_EXIT_USAGE, "--kernels %s: no kernel of that name; see `topogemm list kernels`", *word);
    g_ptr_array_add(ladder->kernels, (gpointer)kernel);
  }
  return TG_EXIT_DONE;
}

static TgExit open_ladder(const TgCli *cli, TgLadder *ladder) {
  TgError error = {0};
  int64_t seed = 1;
  *ladder = (TgLadder){.sizes = g_array_new(FALSE, FALSE, sizeof(int64_t)),
                       .kernels = g_ptr_array_new(),
                       .results = g_array_new(FALSE, TRUE, sizeof(TgRung)),
                       .cold = cli->options.cold};
  TgExit status = read_sizes(cli, ladder);
  if (!status) status = read_kernels(cli, ladder);
  if (!status && cli->options.seed) status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &seed);
  if (!status && cli->options.type && !tg_element_parse(cli->options.type, &ladder->element))
    return tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
  ladder->seed = (uint64_t)seed;
  if (!status && !tg_device_open(0, &ladder->device, &error))
    return tg_report(cli, TG_EXIT_MISSING, "bench ladder: %s", error.message);
  return status;
}

/* --- one size ----------------------------------------------------------------------------------------------------- */

/* The matrices of one size, square, on both sides. */
typedef struct TgLadderSize {
  int64_t n, bytes;
  void *host[3], *device[3]; /* a, b, c */
} TgLadderSize;

static void clear_size(TgLadderSize *size) {
  for (int x = 0; x < 3; x++) {
    g_free(size->host[x]);
    tg_device_free(size->device[x]);
  }
}

static void draw(TgElement element, void *matrix, int64_t count, uint64_t seed) {
  for (int64_t i = 0; i < count; i++) {
    uint64_t z = (seed + (uint64_t)i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    double value = (double)(int64_t)((z ^ z >> 31) >> 11) * 0x1p-52 - 1;
    if (element == TG_F64)
      ((double *)matrix)[i] = value;
    else
      ((float *)matrix)[i] = (float)value;
  }
}

static bool open_size(const TgLadder *ladder, int64_t n, TgLadderSize *size, TgError *error) {
  *size = (TgLadderSize){.n = n, .bytes = n * n * tg_element_bytes(ladder->element)};
  for (int x = 0; x < 3; x++) {
    size->host[x] = g_try_malloc((gsize)size->bytes);
    if (!size->host[x])
      return tg_error_set(error, 0, 0, "not enough memory for %" PRId64 " bytes of a matrix", size->bytes);
    size->device[x] = tg_device_allocate(size->bytes, error);
    if (!size->device[x]) return false;
    if (x == 2) continue;
    draw(ladder->element, size->host[x], n * n, ladder->seed << 40 ^ (uint64_t)x << 36);
    if (!tg_device_copy_in(size->device[x], size->host[x], size->bytes, error)) return false;
  }
  return true;
}

/* Poisoned before, so that an element that is not written is found. */
static bool check(const TgLadder *ladder, TgLadderSize *size, const TgGemm *gemm, TgRung *rung, TgError *error) {
  if (!tg_device_fill(size->device[2], 0xff, size->bytes, error) || !tg_kernel_start(rung->kernel, gemm, error) ||
      !tg_device_copy_out(size->host[2], size->device[2], size->bytes, error))
    return false;
  rung->error = tg_product_error(ladder->element, size->host[0], size->host[1], size->host[2], size->n, size->n,
                                 size->n, CHECKS, ladder->seed);
  rung->limit = (ladder->element == TG_F64 ? 1e-15 : 5e-7) * sqrt((double)size->n);
  rung->right = rung->error <= rung->limit;
  return true;
}

static bool measure(const TgLadder *ladder, TgLadderSize *size, TgRung *rung, TgError *error) {
  TgGemm gemm = {.element = (int32_t)ladder->element,
                 .m = size->n,
                 .n = size->n,
                 .k = size->n,
                 .a = size->device[0],
                 .b = size->device[1],
                 .c = size->device[2],
                 .lda = size->n,
                 .ldb = size->n,
                 .ldc = size->n};
  TgError why = {0};
  if (!tg_kernel_takes(rung->kernel, &gemm, ladder->device.capability, &why)) {
    g_strlcpy(rung->left_out, why.message, sizeof rung->left_out);
    return true;
  }
  int64_t space = tg_kernel_workspace(rung->kernel, &gemm);
  if (space > 0 && !(gemm.workspace = tg_device_allocate(space, error))) return false;
  bool fine = check(ladder, size, &gemm, rung, error) &&
              tg_kernel_measure(rung->kernel, &gemm, budget_s, ladder->cold ? 2 * (int64_t)ladder->device.l2_bytes : 0,
                                &rung->time, error);
  tg_device_free(gemm.workspace);
  return fine;
}

/* What the kernel took at the size before, times the ratio of the operations: too long a launch is not begun. */
static bool would_last(const TgLadder *ladder, TgRung *rung) {
  for (guint r = ladder->results->len; r-- > 0;) {
    const TgRung *before = &g_array_index(ladder->results, TgRung, r);
    if (before->kernel != rung->kernel || *before->left_out) continue;
    double ratio = (double)rung->n / (double)before->n, expected = before->time.median_s * ratio * ratio * ratio;
    if (expected <= longest_s) return false;
    g_snprintf(rung->left_out, sizeof rung->left_out, "a launch would take about %.1f s", expected);
    return true;
  }
  return false;
}

static bool measure_size(TgLadder *ladder, int64_t n, TgError *error) {
  TgLadderSize size;
  bool fine = open_size(ladder, n, &size, error);
  for (guint k = 0; fine && k < ladder->kernels->len; k++) {
    TgRung rung = {.kernel = ladder->kernels->pdata[k], .n = n};
    if (!would_last(ladder, &rung)) fine = measure(ladder, &size, &rung, error);
    g_array_append_val(ladder->results, rung);
  }
  clear_size(&size);
  return fine;
}

TgExit tg_bench_ladder(TgCli *cli) {
  g_auto(TgLadder) ladder = {0};
  TgError error = {0};
  TgExit status = open_ladder(cli, &ladder);
  if (status) return status;
  ladder.clock_before_mhz = tg_device_clock_mhz(ladder.device.number);
  for (guint s = 0; s < ladder.sizes->len; s++)
    if (!measure_size(&ladder, g_array_index(ladder.sizes, int64_t, s), &error))
      return tg_report(cli, TG_EXIT_FAILED, "bench ladder: %s", error.message);
  ladder.clock_after_mhz = tg_device_clock_mhz(ladder.device.number);
  return tg_ladder_print(cli, &ladder);
}

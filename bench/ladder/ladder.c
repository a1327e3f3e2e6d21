/* bench ladder: kernels beside cuBLAS, on one GPU, on the same random matrices. */
#include "ladder.h"

#include "operands.h"
#include "trial.h"

#include <math.h>
#include <string.h>

static const double longest_s = 2;  /* a launch that takes longer is left out */
static const double budget_s = 1;   /* of trials, a kernel and size, twice */
static const double hold_s = 50e-6; /* more than a launch takes the host */

static const int64_t usual_sizes[] = {1024, 2048, 4096, 8192}, quick_sizes[] = {256, 512};

TgLadder *tg_ladder_new(void) {
  TgLadder *ladder = g_new0(TgLadder, 1);
  ladder->sizes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  ladder->kernels = g_ptr_array_new();
  ladder->results = g_array_new(FALSE, TRUE, sizeof(TgRung));
  return ladder;
}

void tg_ladder_free(TgLadder *ladder) {
  tg_environment_clear(&ladder->environment);
  g_array_unref(ladder->sizes);
  g_ptr_array_unref(ladder->kernels);
  g_array_unref(ladder->results);
  g_free(ladder);
}

/* --- what to measure ---------------------------------------------------------------------------------------------- */

static void choose_sizes(const TgBenchOptions *options, TgLadder *ladder) {
  if (options->size_count)
    g_array_append_vals(ladder->sizes, options->sizes, (guint)options->size_count);
  else if (options->quick)
    g_array_append_vals(ladder->sizes, quick_sizes, G_N_ELEMENTS(quick_sizes));
  else
    g_array_append_vals(ladder->sizes, usual_sizes, G_N_ELEMENTS(usual_sizes));
}

static bool choose_kernels(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  size_t count;
  const TgKernel *all = tg_kernel_list(&count);
  for (size_t k = 0; !options->kernels && k < count; k++) g_ptr_array_add(ladder->kernels, (gpointer)&all[k]);
  for (char **name = options->kernels; name && *name; name++) {
    const TgKernel *kernel = tg_kernel_find(*name);
    if (kernel) {
      g_ptr_array_add(ladder->kernels, (gpointer)kernel);
      continue;
    }
    g_set_error(
        error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE,
        "--kernels %s: no kernel of the ladder has that name; see `topogemm list kernels` (a paper's kernel is in "
        "its paper's experiment)",
        *name);
    return false;
  }
  return true;
}

static bool open_ladder(const TgBenchOptions *options, TgLadder *ladder, GError **error) {
  TgError why;
  TgDevice device;
  ladder->cold = options->cold;
  ladder->seed = options->seed;
  choose_sizes(options, ladder);
  if (!choose_kernels(options, ladder, error)) return false;
  if (options->type && !tg_element_parse(options->type, &ladder->element)) {
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--type %s: expected f32 or f64", options->type);
    return false;
  }
  if (!tg_device_open(0, &device, &why)) return tg_bench_fail(error, TG_BENCH_ERROR_MISSING, "ladder", why.message);
  tg_environment_begin(&ladder->environment, &device);
  return true;
}

/* --- one size ----------------------------------------------------------------------------------------------------- */

typedef struct TgLaunch {
  const TgKernel *kernel;
  const TgGemm *gemm;
} TgLaunch;

static bool launch(const void *what, TgError *error) {
  const TgLaunch *one = what;
  return tg_kernel_start(one->kernel, one->gemm, error);
}

static TgGemm gemm_of(const TgLadder *ladder, const TgOperands *operands) {
  return (TgGemm){.element = (int32_t)ladder->element,
                  .m = operands->m,
                  .n = operands->n,
                  .k = operands->k,
                  .a = operands->device[0],
                  .b = operands->device[1],
                  .c = operands->device[2],
                  .lda = operands->k,
                  .ldb = operands->n,
                  .ldc = operands->n};
}

/* Poisoned before, so that an element that is not written is found. */
static bool check(TgOperands *operands, const TgLaunch *one, TgRung *rung, TgError *error) {
  TgResult result = {0};
  if (!tg_operands_poison(operands, TG_ON_GPU, error) || !launch(one, error) ||
      !tg_operands_check(operands, TG_ON_GPU, &result, error))
    return false;
  rung->error = result.error;
  rung->limit = result.limit;
  rung->estimated = result.estimated;
  rung->right = result.right;
  return true;
}

static bool measure(const TgLadder *ladder, const TgBenchLimits *limits, TgOperands *operands, TgRung *rung,
                    TgError *error) {
  TgGemm gemm = gemm_of(ladder, operands);
  TgError why = {0};
  if (!tg_kernel_takes(rung->kernel, &gemm, ladder->environment.device.capability, &why)) {
    g_strlcpy(rung->left_out, why.message, sizeof rung->left_out);
    return true;
  }
  int64_t space = tg_kernel_workspace(rung->kernel, &gemm);
  if (space > 0 && !(gemm.workspace = tg_device_allocate(space, error))) return false;
  const TgLaunch one = {rung->kernel, &gemm};
  TgBenchLimits idle = *limits;
  idle.hold_s = 0;
  bool fine = check(operands, &one, rung, error) && tg_trial_on_device(launch, &one, limits, &rung->time, error) &&
              tg_trial_on_device(launch, &one, &idle, &rung->alone, error);
  if (gemm.workspace) tg_device_free(gemm.workspace);
  return fine;
}

/* What the kernel took at the size before, times the ratio of the operations: too long a launch is not begun. */
static double expected_s(const TgLadder *ladder, const TgRung *rung) {
  for (guint r = ladder->results->len; r-- > 0;) {
    const TgRung *before = &g_array_index(ladder->results, TgRung, r);
    if (before->kernel != rung->kernel || *before->left_out) continue;
    double ratio = (double)rung->n / (double)before->n;
    return before->time.median_s * ratio * ratio * ratio;
  }
  return NAN;
}

static bool measure_size(const TgBenchOptions *options, TgLadder *ladder, int64_t n, TgError *error) {
  const TgBenchLimits limits = {.trials = {.budget_s = options->budget_s > 0 ? options->budget_s
                                                       : options->quick      ? 0.1
                                                                             : budget_s,
                                           .least = 3,
                                           .most = 31,
                                           .wanted = options->trials,
                                           .wanted_s = TG_BENCH_WANTED_S,
                                           .warmup = 2},
                                .longest_s = longest_s,
                                .hold_s = hold_s,
                                .flush_bytes = ladder->cold ? 2 * (int64_t)ladder->environment.device.l2_bytes : 0};
  TgOperands operands = {.number = ladder->element == TG_F64 ? TG_NUMBER_F64 : TG_NUMBER_F32,
                         .m = n,
                         .n = n,
                         .k = n,
                         .seed = ladder->seed,
                         .estimated = true};
  TgError no_room;
  const bool room = tg_operands_have_room(&operands, &no_room);
  bool fine = !room || tg_operands_open(&operands, true, error);
  for (guint k = 0; fine && k < ladder->kernels->len; k++) {
    TgRung rung = {.kernel = ladder->kernels->pdata[k], .n = n};
    const int64_t done = ladder->results->len, total = (int64_t)ladder->kernels->len * ladder->sizes->len;
    if (options->progress) options->progress(options->progress_data, done, total);
    if (!room)
      g_strlcpy(rung.left_out, no_room.message, sizeof rung.left_out);
    else if (!tg_trial_is_left_out(&limits, expected_s(ladder, &rung), rung.left_out, sizeof rung.left_out))
      fine = measure(ladder, &limits, &operands, &rung, error);
    g_array_append_val(ladder->results, rung);
  }
  tg_operands_clear(&operands);
  return fine;
}

static void *measure_all(const TgBenchOptions *options, GError **error) {
  g_autoptr(TgLadder) ladder = tg_ladder_new();
  TgError why = {0};
  if (!open_ladder(options, ladder, error)) return NULL;
  for (guint s = 0; s < ladder->sizes->len; s++)
    if (!measure_size(options, ladder, g_array_index(ladder->sizes, int64_t, s), &why)) {
      tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "ladder", why.message);
      return NULL;
    }
  tg_environment_end(&ladder->environment);
  return g_steal_pointer(&ladder);
}

static void clear(void *ladder) {
  tg_ladder_free(ladder);
}

const TgExperiment tg_experiment_ladder = {
    .name = "ladder",
    .summary = "every kernel of the ladder and cuBLAS, on one GPU",
    .details = "Every kernel of `topogemm list kernels`, except those of papers, and cuBLAS, in one run on the same "
               "random matrices: the median of up to 31 launches queued in advance, and of as many on "
               "an idle GPU (alone), which includes the launch overhead. Kernels that would take over two seconds per "
               "launch are skipped and named.",
    .measure = measure_all,
    .clear = clear,
    .print = tg_ladder_print,
    .document = tg_ladder_document,
    .plot = tg_ladder_plot,
    .right = tg_ladder_right,
};

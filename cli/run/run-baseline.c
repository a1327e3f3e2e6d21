/* `run --baseline`: a kernel of the ladder on the same matrices and device; its C is checked, too. */
#include "output.h"
#include "run-baseline.h"

#include "suggestion.h"
#include "trial.h"

#include <string.h>

/** Device memory of the kernel. */
typedef struct TgBaseline {
  TgGemm gemm;
  void *memory[4]; /* A, B, C, workspace */
} TgBaseline;

typedef struct TgBaselineLaunch {
  const TgKernel *kernel;
  const TgGemm *gemm;
} TgBaselineLaunch;

static bool launch(const void *what, TgError *error) {
  const TgBaselineLaunch *one = what;
  return tg_kernel_start(one->kernel, one->gemm, error);
}

static bool load(TgBaseline *baseline, int at, const void *from, int64_t bytes, TgError *error) {
  baseline->memory[at] = tg_device_allocate(bytes, error);
  return baseline->memory[at] && (!from || tg_device_copy_in(baseline->memory[at], from, bytes, error));
}

/* The product, before there is memory. A factor is stored as it was given: m x k, or k x m where the schedule
 * transposes it. */
static TgGemm product_of(const TgRunCommand *run, const TgComputes *computes) {
  const TgExecutorOptions *options = &run->options;
  return (TgGemm){.element = (int32_t)options->element,
                  .transpose_a = computes->left_transposed,
                  .transpose_b = computes->right_transposed,
                  .m = options->m,
                  .n = options->n,
                  .k = options->k,
                  .lda = computes->left_transposed ? options->m : options->k,
                  .ldb = computes->right_transposed ? options->k : options->n,
                  .ldc = options->n};
}

/* C begins as NaN. */
static bool open_baseline(const TgRunCommand *run, const TgComputes *computes, TgBaseline *baseline, TgError *error) {
  const TgExecutorOptions *options = &run->options;
  const int64_t element = (int64_t)tg_element_bytes(options->element);
  const void *const data[] = {run->input.a->data, tg_input_b(&run->input)};
  const bool same = computes->left == computes->right;
  const int64_t workspace = tg_kernel_workspace(run->baseline, &baseline->gemm);
  if (!load(baseline, 0, data[computes->left], options->m * options->k * element, error) ||
      (!same && !load(baseline, 1, data[computes->right], options->k * options->n * element, error)) ||
      !load(baseline, 2, NULL, options->m * options->n * element, error) ||
      !tg_device_fill(baseline->memory[2], 0xff, options->m * options->n * element, error) ||
      (workspace > 0 && !load(baseline, 3, NULL, workspace, error)))
    return false;
  baseline->gemm.a = baseline->memory[0];
  baseline->gemm.b = baseline->memory[same ? 0 : 1];
  baseline->gemm.c = baseline->memory[2];
  baseline->gemm.workspace = baseline->memory[3];
  return true;
}

/* As many trials as the runs have, at least 20 where that is left open. C goes to run->c, which nobody else has yet. */
static bool measure_baseline(TgRunCommand *run, const TgBaseline *baseline, TgError *error) {
  const TgBenchLimits limits = {.trials = {.budget_s = 2,
                                           .least = run->trials ? (int32_t)run->trials : 20,
                                           .most = run->trials ? (int32_t)run->trials : 100,
                                           .warmup = (int32_t)run->warmup},
                                .flush_bytes = run->cold ? 2 * (int64_t)run->environment.device.l2_bytes : 0};
  const TgBaselineLaunch one = {run->baseline, &baseline->gemm};
  return tg_trial_on_device(launch, &one, &limits, &run->baseline_time, error) &&
         tg_device_copy_out(run->c->data, baseline->memory[2], tg_matrix_bytes(run->c), error);
}

/* After many launches, each as soon as the one before let it. */
static TgExit check_beside(const TgCli *cli, const TgRunCommand *run, const TgComputes *computes) {
  GError *error = NULL;
  TgCheck check;
  if (!tg_check_large_product(&check, computes, &run->input.shape, run->input.element, run->input.a->data,
                              tg_input_b(&run->input), run->c->data, 0, &error))
    return tg_report_error(cli, error);
  return check.ok ? TG_EXIT_DONE : tg_report(cli, TG_EXIT_WRONG, "--baseline %s: %s", run->baseline->name, check.text);
}

TgExit tg_run_baseline(const TgCli *cli, TgRunCommand *run) {
  TgError error;
  if (!run->baseline) return TG_EXIT_DONE;
  const TgComputes *computes = &tg_run_entry(run, 0)->algo.schedule.computes;
  const int32_t capability = run->environment.device.capability;
  TgBaseline baseline = {.gemm = product_of(run, computes)};
  if (!tg_kernel_takes(run->baseline, &baseline.gemm, capability, &error))
    return tg_report(cli, tg_kernel_suits(run->baseline, capability) ? TG_EXIT_USAGE : TG_EXIT_MISSING,
                     "--baseline %s: %s", run->baseline->name, error.message);
  const bool fine = open_baseline(run, computes, &baseline, &error) && measure_baseline(run, &baseline, &error);
  for (int at = 0; at < 4; at++) tg_device_free(baseline.memory[at]);
  return fine ? check_beside(cli, run, computes)
              : tg_report(cli, TG_EXIT_FAILED, "--baseline %s: %s", run->baseline->name, error.message);
}

TgExit tg_run_baseline_check(const TgCli *cli, const TgRunCommand *run) {
  const TgAlgo *algo = &tg_run_entry(run, 0)->algo;
  if (!run->baseline || algo->schedule.computes.right != TG_MATRICES) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--baseline %s: %s computes no product", run->baseline->name,
                   tg_algo_name(algo));
}

TgExit tg_run_baseline_option(const TgCli *cli, TgRunCommand *run) {
  const char *name = cli->options.baseline;
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  if (!name) return TG_EXIT_DONE;
  if (!run->kind->on_gpu)
    return tg_report(cli, TG_EXIT_USAGE, "--baseline %s: this kernel needs a GPU, but %s uses none", name,
                     run->kind->name);
  run->baseline = tg_kernel_find(name);
  if (run->baseline) return TG_EXIT_DONE;
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (size_t k = 0; k < count; k++) tg_suggestion_try(&meant, kernels[k].name);
  if (meant.nearest)
    return tg_report(cli, TG_EXIT_USAGE, "--baseline %s: no such kernel; did you mean `%s`?", name, meant.nearest);
  return tg_report(cli, TG_EXIT_USAGE, "--baseline %s: no such kernel; see `topogemm list kernels`", name);
}

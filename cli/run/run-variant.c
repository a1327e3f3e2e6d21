/* Which of an executor's kernels runs: the one that was asked for, the one that `bench shapes` kept, or the executor's
 * own choice. */
#include "run-command.h"

#include "shapes.h"

static const char *const from_names[] = {
    [TG_VARIANT_CHOSEN] = "chosen", [TG_VARIANT_TUNED] = "tuned", [TG_VARIANT_GIVEN] = "given"};

const char *tg_variant_from_name(TgVariantFrom from) {
  return from_names[from];
}

TgExit tg_variant_option(const TgCli *cli, int32_t *variant) {
  int64_t number = 0;
  TgExit status = TG_EXIT_DONE;
  if (cli->options.variant) status = tg_number_parse(cli, "--variant", cli->options.variant, 0, INT32_MAX, &number);
  *variant = (int32_t)number;
  return status;
}

/* A kept variant is that of a schedule of the library with its own parameters and whole collectives, on this card. */
static bool may_be_kept(const TgCli *cli, const TgRunCommand *run, const TgRunEntry *result) {
  return run->kind->on_gpu && !cli->options.no_cache && !cli->options.set && !result->problem.bytes &&
         run->options.collective == TG_COLLECTIVE_WHOLE;
}

static bool find_kept(const TgRunCommand *run, TgRunEntry *result, GError **error) {
  const TgExecutorOptions *options = &run->options;
  const int64_t size[] = {options->m, options->n, options->k};
  char grid[48];
  tg_schedule_grid_text(&result->problem.schedule, grid, sizeof grid);
  g_autofree char *key = tg_shapes_key(run->kind->name, options->element, size, tg_problem_name(&result->problem), grid,
                                       result->transport);
  return tg_shapes_kept_variant(&run->environment.device, key, &result->variant, error);
}

TgExit tg_run_variant(const TgCli *cli, const TgRunCommand *run, TgRunEntry *result) {
  GError *error = NULL;
  result->variant = run->options.variant;
  if (cli->options.variant)
    result->variant_from = result->variant ? TG_VARIANT_GIVEN : TG_VARIANT_CHOSEN;
  else if (may_be_kept(cli, run, result) && find_kept(run, result, &error))
    result->variant_from = TG_VARIANT_TUNED;
  return error ? tg_report_error(cli, error) : TG_EXIT_DONE;
}

TgExecutorOptions tg_run_options(const TgRunCommand *run, const TgRunEntry *result) {
  TgExecutorOptions options = run->options;
  options.variant = result->variant;
  options.transport = result->transport;
  return options;
}

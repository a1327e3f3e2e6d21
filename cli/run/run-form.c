/* Which of an executor's kernels runs: the one that was asked for, the one that `bench shapes` kept, or the executor's
 * own choice. */
#include "run.h"

#include "shapes.h"

static const char *const from_names[] = {
    [TG_FORM_CHOSEN] = "chosen", [TG_FORM_TUNED] = "tuned", [TG_FORM_GIVEN] = "given"};

const char *tg_form_from_name(TgFormFrom from) {
  return from_names[from];
}

TgExit tg_form_option(const TgCli *cli, int32_t *form) {
  int64_t number = 0;
  TgExit status = TG_EXIT_DONE;
  if (cli->options.form) status = tg_number_parse(cli, "--form", cli->options.form, 0, INT32_MAX, &number);
  *form = (int32_t)number;
  return status;
}

/* A kept form is that of a schedule of the library with its own parameters and whole collectives, on this card. */
static bool may_be_kept(const TgCli *cli, const TgRunCommand *run, const TgRunResult *result) {
  return run->row->on_gpu && !cli->options.no_cache && !cli->options.set && !result->problem.bytes &&
         run->options.collective == TG_COLLECTIVE_WHOLE;
}

static bool find_kept(const TgRunCommand *run, TgRunResult *result, GError **error) {
  const TgExecutorOptions *options = &run->options;
  const int64_t size[] = {options->m, options->n, options->k};
  char grid[48];
  tg_schedule_grid_text(&result->problem.schedule, grid, sizeof grid);
  g_autofree char *key =
      tg_shapes_key(run->row->name, options->element, size, tg_problem_name(&result->problem), grid, result->transport);
  return tg_shapes_kept_form(&run->environment.device, key, &result->form, error);
}

TgExit tg_run_form(const TgCli *cli, const TgRunCommand *run, TgRunResult *result) {
  GError *error = NULL;
  result->form = run->options.form;
  if (cli->options.form)
    result->form_from = result->form ? TG_FORM_GIVEN : TG_FORM_CHOSEN;
  else if (may_be_kept(cli, run, result) && find_kept(run, result, &error))
    result->form_from = TG_FORM_TUNED;
  return error ? tg_report_error(cli, error) : TG_EXIT_DONE;
}

TgExecutorOptions tg_run_options(const TgRunCommand *run, const TgRunResult *result) {
  TgExecutorOptions options = run->options;
  options.form = result->form;
  options.transport = result->transport;
  return options;
}

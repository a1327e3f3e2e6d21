/* The page: which schedules stand on it, with their settings. */
#include "draw-page.h"
#include "draw-file.h"
#include "machine-option.h"
#include "output.h"
#include "algo.h"
#include "sim.h"

#include "page.h"
#include "walk.h"

#include <string.h>

enum { SCHEDULES = 4 };

typedef struct TgOnPage {
  TgProblem problem;
  const char *network_text; /* that is named, or the machine's own; NULL: the grid's */
  TgTopology network;
  TgEmbedding embedding;
  TgDrawOptions options;
  char grid[48];
  GPtrArray *set; /* those of --set that it takes */
} TgOnPage;

static void on_page_clear(TgOnPage *one) {
  tg_problem_clear(&one->problem);
  g_clear_pointer(&one->set, g_ptr_array_unref);
}

static TgExit open_network(const TgCli *cli, TgOnPage *one, const TgMachine *machine) {
  TgCli whole = *cli;
  const char *own = tg_machine_own_network(cli, machine, tg_schedule_processors(&one->problem.schedule));
  if (own) whole.options.network = (char *)own;
  one->network_text = whole.options.network;
  return tg_network_option(&whole, &one->problem.schedule, &one->network, &one->embedding);
}

static TgExit open_one(const TgCli *cli, TgOnPage *one, const char *algo, const TgMachine *machine, bool several) {
  g_autofree char *why = NULL;
  TgExit status = tg_sim_bind(cli, &one->problem, algo, 0, several, &why);
  if (!status && why) return tg_report(cli, TG_EXIT_USAGE, "%s: %s", algo, why);
  if (!status) status = open_network(cli, one, machine);
  if (!status) status = tg_collective_option(cli, &one->options.collective);
  if (!status) status = tg_draw_heat_option(cli, &one->options.heat);
  if (status) return status;
  one->options.topology = &one->network;
  one->options.embedding = &one->embedding;
  tg_schedule_grid_text(&one->problem.schedule, one->grid, sizeof one->grid);
  one->set = g_ptr_array_new();
  for (char **text = cli->options.set; text && *text; text++)
    if (tg_sim_takes(&one->problem, *text)) g_ptr_array_add(one->set, *text);
  g_ptr_array_add(one->set, NULL);
  return TG_EXIT_DONE;
}

static TgExit page_options(const TgCli *cli, TgPageOptions *options, TgMachine *machine, char **text) {
  bool given;
  TgElement element = TG_F32;
  TgExit status = tg_machine_text_option(cli, machine, text);
  options->m = options->n = options->k = 4096;
  if (!status) status = tg_sizes_parse(cli, &options->m, &options->n, &options->k, &given);
  if (!status && cli->options.type && !tg_element_parse(cli->options.type, &element))
    status = tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
  options->element_bytes = (int32_t)tg_element_bytes(element);
  options->machine = *text;
  return status;
}

/* One of the steps of the longest. */
static TgExit step_option(const TgCli *cli, const TgOnPage *on, int count, int64_t *step) {
  int64_t last = 0;
  if (!cli->options.step) return TG_EXIT_DONE;
  for (int i = 0; i < count; i++) {
    TgError error = {0};
    const int64_t steps = tg_walk_count_steps(&on[i].problem.schedule, &on[i].problem.names, &error);
    if (steps < 0) return tg_problem_report(cli, &on[i].problem, &error);
    last = MAX(last, steps);
  }
  return tg_number_parse(cli, "--step", cli->options.step, 0, last, step);
}

static TgExit write_page(TgCli *cli, TgOnPage *on, int count, const TgPageOptions *options) {
  TgPageSchedule schedules[SCHEDULES];
  GError *error = NULL;
  for (int i = 0; i < count; i++)
    schedules[i] = (TgPageSchedule){.schedule = &on[i].problem.schedule,
                                    .names = &on[i].problem.names,
                                    .options = &on[i].options,
                                    .text = on[i].problem.source.text,
                                    .length = on[i].problem.source.length,
                                    .grid = on[i].grid,
                                    .network = on[i].network_text,
                                    .embedding = cli->options.embed,
                                    .heat = cli->options.heat,
                                    .set = (const char *const *)on[i].set->pdata};
  g_autoptr(GBytes) file = tg_page_html(schedules, count, options, &error);
  if (!file || !tg_draw_file_write(cli->options.output, file, &error)) return tg_report_error(cli, error);
  if (!cli->options.quiet) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}

TgExit tg_draw_page(TgCli *cli) {
  TgOnPage on[SCHEDULES] = {0};
  TgPageOptions options = {0};
  TgMachine machine;
  g_autofree char *text = NULL;
  g_auto(GStrv) beside = g_strsplit(cli->options.beside ? cli->options.beside : "", ",", -1);
  const int count = 1 + (int)g_strv_length(beside);
  const char *lacks = tg_page_lacks();
  if (lacks) return tg_report(cli, TG_EXIT_MISSING, "-o %s: this build has no page: %s", cli->options.output, lacks);
  if (cli->options.beside && !*cli->options.beside)
    return tg_report(cli, TG_EXIT_USAGE, "--beside: expected the names of schedules");
  if (count > SCHEDULES)
    return tg_report(cli, TG_EXIT_USAGE, "--beside %s: at most %d schedules fit on one page", cli->options.beside,
                     SCHEDULES);
  TgExit status = page_options(cli, &options, &machine, &text);
  for (int i = 0; i < count && !status; i++)
    status = open_one(cli, &on[i], i ? beside[i - 1] : cli->options.arguments[0], &machine, count > 1);
  if (!status) status = step_option(cli, on, count, &options.step);
  if (!status) status = write_page(cli, on, count, &options);
  for (int i = 0; i < count; i++) on_page_clear(&on[i]);
  return status;
}

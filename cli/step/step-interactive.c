/* step --interactive: the steps of a schedule by block names, forward and back, on a terminal or one after another. */
#include "output.h"
#include "step-view.h"
#include "terminal.h"

#include "element.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

enum { PAPER_COLUMNS = 100, PAUSE_MS = 1000 };

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->json || options->quiet)
    return tg_report(cli, TG_EXIT_USAGE, "--interactive goes with neither --json nor --quiet");
  if (options->step) return tg_report(cli, TG_EXIT_USAGE, "give --interactive or --step");
  if (options->blocks || options->messages)
    return tg_report(cli, TG_EXIT_USAGE, "--interactive shows blocks and messages: leave out --blocks and --messages");
  if (options->a || options->b || options->c || options->seed || options->integers)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--interactive shows blocks by their names: leave out --a, --b, --c, --seed and --integers, or "
                     "--interactive");
  return TG_EXIT_DONE;
}

static TgExit take_sizes(const TgCli *cli, TgTourSizes *sizes) {
  const char *type = cli->options.type;
  bool given;
  if (type && strcmp(type, "f32") != 0 && strcmp(type, "f64") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--type: unknown type '%s', expected f32 or f64", type);
  sizes->element_bytes = tg_element_bytes(type && strcmp(type, "f64") == 0 ? TG_F64 : TG_F32);
  return tg_sizes_parse(cli, &sizes->m, &sizes->n, &sizes->k, &given);
}

static TgExit open_view(TgCli *cli, TgStepView *view) {
  GError *error = NULL;
  TgProblem *problem = &view->problem;
  TgExit status = check_options(cli);
  if (!status) status = tg_algo_open(cli, problem);
  if (!status) status = tg_network_option(cli, &problem->schedule, &view->network, &view->embedding);
  if (!status) status = tg_collective_option(cli, &view->options.collective);
  if (!status) status = take_sizes(cli, &view->sizes);
  if (status) return status;
  view->options.topology = &view->network;
  view->options.embedding = &view->embedding;
  view->options.to_the_error = true;
  tg_step_watch_init(view);
  view->options.watch = &view->within_step;
  view->pause_ms = PAUSE_MS;
  view->tour = tg_tour_new(&problem->schedule, &problem->names, &view->options, &view->sizes, &error);
  if (!view->tour) return tg_report_error(cli, error);
  view->tour->watch = &view->between_steps;
  return TG_EXIT_DONE;
}

/* The text of a schedule may lack its final 0. */
static void begin_screen(const TgCli *cli, TgStepView *view, const char *source, bool terminal) {
  const char *depth = g_getenv("COLORTERM"), *name = g_getenv("TERM");
  bool whole = g_strcmp0(depth, "truecolor") == 0 || g_strcmp0(depth, "24bit") == 0;
  bool many = whole || (name && strcmp(name, "linux") != 0);
  view->screen.tour = view->tour;
  view->screen.source = source;
  view->screen.paper.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  view->screen.paper.kind = !terminal                   ? TG_PAPER_PLAIN
                            : !cli->colour_out || !many ? TG_PAPER_ATTRIBUTES
                            : whole                     ? TG_PAPER_TRUE
                                                        : TG_PAPER_256;
}

static char *prompt_text(const TgStepView *view) {
  const char *typed = view->typed ? view->typed->str : "";
  if (view->prompt == TG_PROMPT_GOTO)
    return g_strdup_printf("go to step (0 to %" PRId64 "): %s_", view->tour->frame->steps, typed);
  if (view->prompt == TG_PROMPT_FOLLOW) return g_strdup_printf("follow block (A01; nothing: none): %s_", typed);
  return g_strdup(view->message);
}

static bool show(TgStepView *view) {
  int rows, columns;
  g_autofree char *message = prompt_text(view);
  tg_terminal_size(&rows, &columns);
  view->screen.message = message;
  g_autoptr(GString) text = tg_screen_draw(&view->screen, rows, columns, &view->extent);
  view->screen.message = NULL;
  return tg_terminal_show(text->str);
}

static TgExit by_keys(const TgCli *cli, TgStepView *view) {
  fflush(stdout);
  if (!tg_terminal_enter())
    return tg_report(cli, TG_EXIT_FAILED, "--interactive: the terminal cannot be set: %s", g_strerror(errno));
  while (!view->done && show(view)) tg_step_view_key(view, tg_terminal_key(view->playing ? (int)view->pause_ms : -1));
  tg_terminal_leave();
  return TG_EXIT_DONE;
}

static TgExit one_after_another(TgCli *cli, TgStepView *view) {
  fprintf(stderr, "topogemm: --interactive needs a terminal for its input and output, and not TERM=dumb; all steps "
                  "follow as text\n");
  for (int64_t step = 0; step <= view->tour->frame->steps && !view->error && !tg_output_gone(cli); step++) {
    if (!tg_tour_go(view->tour, step, &view->error)) break;
    g_autoptr(GString) text = tg_screen_draw(&view->screen, 0, PAPER_COLUMNS, NULL);
    tg_print(cli, "%s%s", step ? "\n" : "", text->str);
  }
  return TG_EXIT_DONE;
}

/* Who has seen the schedule fail finds the reason once more where the screen is gone. */
static TgExit finish(TgCli *cli, TgStepView *view) {
  const TgError *failure = view->tour->frame ? view->tour->frame->failure : NULL;
  if (view->error) return tg_report_error(cli, g_steal_pointer(&view->error));
  if (!failure) return TG_EXIT_DONE;
  return tg_report_at(cli, TG_EXIT_WRONG, &view->problem.source, failure->line, 0, failure->message);
}

TgExit tg_step_interactive(TgCli *cli) {
  g_auto(TgStepView) view = {0};
  TgExit status = open_view(cli, &view);
  if (status) return status;
  bool terminal = tg_terminal_usable();
  g_autofree char *source = g_strndup(view.problem.source.text, view.problem.source.length);
  begin_screen(cli, &view, source, terminal);
  status = terminal ? by_keys(cli, &view) : one_after_another(cli, &view);
  return status ? status : finish(cli, &view);
}

/* step --interactive: the steps of a schedule by block names, forward and back, on a terminal or one after another. */
#include "algo.h"
#include "draw-file.h"
#include "output.h"
#include "step.h"
#include "terminal.h"

#include "draw.h"
#include "element.h"
#include "screen.h"

#include <errno.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef enum TgStepPrompt { TG_PROMPT_NONE, TG_PROMPT_GOTO, TG_PROMPT_FOLLOW } TgStepPrompt;

/* Zero it before use. */
typedef struct TgStepView {
  TgAlgo algo;
  TgTopology network;
  TgEmbedding embedding;
  TgFrameOptions options;
  TgTourSizes sizes;
  TgTour *tour;
  TgScreen screen;
  TgScreenExtent extent; /* of the screen drawn last */
  TgBlockName followed;
  TgStepPrompt prompt;
  GString *typed;   /* at the prompt */
  char *message;    /* in the last row until the next key; NULL: none */
  int64_t pause_ms; /* between steps that are played */
  bool playing, done;
  GError *error;                      /* what ended it */
  TgWatch between_steps, within_step; /* of the tour */
  TgWatch until_signal;               /* of other work */
  int64_t at;                         /* step that the tour has come to */
  gint64 begun_us, shown_us;          /* when the work began, and when it was last said how far it is */
  gint64 interrupted_us;              /* when it heard of Ctrl-C; 0: not yet */
} TgStepView;

/* --- long work: Ctrl-C leads back to the screen, other signals end the program ------------------------------------ */

enum { FIRST_US = 500000, AGAIN_US = 100000, PATIENCE_US = 2000000 };

static void show_progress(TgStepView *view) {
  gint64 now = g_get_monotonic_time();
  if (now - view->begun_us < FIRST_US || now - view->shown_us < AGAIN_US) return;
  view->shown_us = now;
  g_autofree char *text = g_strdup_printf("at step %" PRId64 ", Ctrl-C stops", view->at);
  tg_terminal_note(text);
}

static bool until_signal(void *user, int64_t statements) {
  (void)statements;
  show_progress(user);
  return !tg_terminal_ending();
}

static bool between_steps(void *user, int64_t step) {
  TgStepView *view = user;
  view->at = step;
  show_progress(view);
  return !tg_terminal_ending();
}

/* From the middle of a step there is no way back to the one before it, so that Ctrl-C waits for the end of a step.
 * Where that is far away, it ends the program. */
static bool within_step(void *user, int64_t statements) {
  TgStepView *view = user;
  gint64 now = g_get_monotonic_time();
  if (until_signal(view, statements)) return true;
  if (!view->interrupted_us) view->interrupted_us = now;
  return tg_terminal_ending() == SIGINT && now - view->interrupted_us < PATIENCE_US;
}

/* Makes the watches; `view` stays where it is. */
static void step_watch_init(TgStepView *view) {
  view->between_steps = (TgWatch){between_steps, view};
  view->within_step = (TgWatch){within_step, view};
  view->until_signal = (TgWatch){until_signal, view};
}

/* Before each piece of work that may be long. */
static void step_watch_begin(TgStepView *view) {
  view->begun_us = g_get_monotonic_time();
  view->interrupted_us = 0;
  if (view->tour && view->tour->frame) view->at = view->tour->frame->step;
}

/* After it: whether Ctrl-C stopped it, which is then done with. */
static bool step_watch_stopped(void) {
  if (tg_terminal_ending() != SIGINT) return false;
  tg_terminal_go_on();
  return true;
}

/* --- what the keys do --------------------------------------------------------------------------------------------- */

enum { JOURNEY_STEPS = 1000, FASTEST_MS = 62, SLOWEST_MS = 8000 };

static void step_view_clear(TgStepView *view) {
  if (view->tour) tg_tour_free(view->tour);
  g_strfreev(view->screen.journey);
  if (view->typed) g_string_free(view->typed, TRUE);
  g_clear_pointer(&view->message, g_free);
  g_clear_error(&view->error);
  tg_algo_clear(&view->algo);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgStepView, step_view_clear)

static void G_GNUC_PRINTF(2, 3) say(TgStepView *view, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_free(view->message);
  view->message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
}

static int64_t here(const TgStepView *view) {
  return view->tour->frame->step;
}

static void go(TgStepView *view, int64_t step) {
  view->done = !tg_tour_go(view->tour, MIN(step, view->tour->frame->steps), &view->error);
  if (g_error_matches(view->error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED)) tg_terminal_obey();
  if (view->done || !step_watch_stopped()) return;
  say(view, "stopped at step %" PRId64, here(view));
  view->playing = false;
}

static void next(TgStepView *view) {
  const TgFrame *frame = view->tour->frame;
  if (frame->step < frame->steps) {
    go(view, frame->step + 1);
    return;
  }
  say(view, frame->failure ? "the schedule fails here" : "this is the last step");
  view->playing = false;
}

static void back(TgStepView *view) {
  if (here(view) == 0) say(view, "this is the initial placement");
  go(view, MAX(here(view) - 1, 0));
}

static void play(TgStepView *view) {
  view->playing = !view->playing;
  if (view->playing && here(view) == view->tour->frame->steps) go(view, 0);
}

static void change_speed(TgStepView *view, int64_t by) {
  const int64_t pause_ms = by > 0 ? view->pause_ms / 2 : view->pause_ms * 2;
  view->pause_ms = CLAMP(pause_ms, FASTEST_MS, SLOWEST_MS);
  say(view, "%g s a step", (double)view->pause_ms / 1000);
}

static void scroll(TgStepView *view, int64_t by) {
  int64_t most = MAX(view->extent.height - view->extent.shown, 0);
  view->screen.top = CLAMP(view->screen.top + by, 0, most);
}

static void page(TgStepView *view, int64_t by) {
  scroll(view, by * MAX(view->extent.shown - 1, 1));
}

static void sideways(TgStepView *view, int64_t by) {
  int64_t most = MAX(view->extent.columns - view->extent.columns_shown, 0);
  view->screen.left = CLAMP(view->screen.left + by, 0, most);
}

static void zoom(TgStepView *view) {
  view->screen.zoom = view->screen.zoom == TG_ZOOM_AUTO    ? TG_ZOOM_CELLS
                      : view->screen.zoom == TG_ZOOM_CELLS ? TG_ZOOM_MAP
                                                           : TG_ZOOM_AUTO;
  static const char *const names[] = {"cells or map, whichever fits", "cells", "map"};
  view->screen.top = view->screen.left = 0;
  say(view, "%s", names[view->screen.zoom]);
}

static void help(TgStepView *view) {
  view->screen.help = true;
  view->screen.top = 0;
}

static void quit(TgStepView *view) {
  view->done = true;
}

static void unfollow(TgStepView *view) {
  g_strfreev(view->screen.journey);
  view->screen.followed = NULL;
  view->screen.journey = NULL;
}

/* A name that nothing has yet: cannon-3.svg, cannon-3-2.svg … */
static char *free_path(TgStepView *view) {
  const char *name = tg_algo_name(&view->algo);
  char *path = g_strdup_printf("%s-%" PRId64 ".svg", name, here(view));
  for (int more = 2; g_file_test(path, G_FILE_TEST_EXISTS); more++) {
    g_free(path);
    path = g_strdup_printf("%s-%" PRId64 "-%d.svg", name, here(view), more);
  }
  return path;
}

static void save(TgStepView *view) {
  const TgDrawOptions options = {.topology = view->options.topology,
                                 .embedding = view->options.embedding,
                                 .collective = view->options.collective,
                                 .to_the_error = true,
                                 .watch = &view->until_signal};
  g_autoptr(GError) error = NULL;
  g_autofree char *path = free_path(view);
  g_autoptr(GBytes) file = tg_draw_step(&view->algo.schedule, &view->algo.names, &options, here(view), "svg", &error);
  if (file && tg_draw_file_write(path, file, &error))
    say(view, "saved as %s", path);
  else
    say(view, "not saved: %s", error->message);
  step_watch_stopped();
}

static void ask(TgStepView *view, int64_t prompt) {
  view->prompt = (TgStepPrompt)prompt;
  view->playing = false;
  if (!view->typed) view->typed = g_string_new(NULL);
  g_string_truncate(view->typed, 0);
}

static void answer_step(TgStepView *view) {
  gint64 step;
  int64_t steps = view->tour->frame->steps;
  if (g_ascii_string_to_signed(view->typed->str, 10, 0, steps, &step, NULL))
    go(view, step);
  else if (view->typed->len)
    say(view, "there is no step %s: type 0 to %" PRId64, view->typed->str, steps);
}

static void answer_block(TgStepView *view) {
  const TgSchedule *schedule = &view->algo.schedule;
  TgBlockName block;
  unfollow(view);
  if (view->typed->len == 0) return;
  bool read = tg_block_name_read(view->typed->str, &block);
  if (!read || block.row >= schedule->blocks[block.matrix][0] || block.column >= schedule->blocks[block.matrix][1]) {
    say(view, "there is no block %s: type a name such as A01 or A0,12", view->typed->str);
    return;
  }
  TgFrameOptions options = view->options;
  options.watch = &view->until_signal;
  view->followed = block;
  view->screen.followed = &view->followed;
  view->screen.journey = tg_journey(view->tour, &options, &block, view->screen.paper.unicode, JOURNEY_STEPS, NULL);
  if (!step_watch_stopped()) return;
  unfollow(view);
  say(view, "stopped");
}

static void answer(TgStepView *view) {
  TgStepPrompt prompt = view->prompt;
  view->prompt = TG_PROMPT_NONE;
  if (prompt == TG_PROMPT_GOTO)
    answer_step(view);
  else
    answer_block(view);
}

static void type(TgStepView *view, unsigned key) {
  GString *typed = view->typed;
  if (key == TG_KEY_ENTER) answer(view);
  if (key == TG_KEY_ESCAPE) view->prompt = TG_PROMPT_NONE;
  if (key == TG_KEY_ERASE && typed->len)
    g_string_truncate(typed, (gsize)(g_utf8_prev_char(typed->str + typed->len) - typed->str));
  if (key < TG_KEY_RIGHT && typed->len < 32) g_string_append_unichar(typed, key);
}

/* A key does something, or moves by something. */
static const struct {
  unsigned key;
  void (*does)(TgStepView *view);
  void (*moves)(TgStepView *view, int64_t by);
  int64_t by;
} keys[] = {
    {TG_KEY_RIGHT, .does = next},
    {'n', .does = next},
    {TG_KEY_ENTER, .does = next},
    {TG_KEY_LEFT, .does = back},
    {'b', .does = back},
    {TG_KEY_HOME, .moves = go, .by = 0},
    {TG_KEY_END, .moves = go, .by = INT64_MAX},
    {'g', .moves = ask, .by = TG_PROMPT_GOTO},
    {' ', .does = play},
    {'+', .moves = change_speed, .by = 1},
    {'-', .moves = change_speed, .by = -1},
    {'f', .moves = ask, .by = TG_PROMPT_FOLLOW},
    {TG_KEY_ESCAPE, .does = unfollow},
    {'s', .does = save},
    {'z', .does = zoom},
    {'?', .does = help},
    {'h', .does = help},
    {TG_KEY_UP, .moves = scroll, .by = -1},
    {TG_KEY_DOWN, .moves = scroll, .by = 1},
    {TG_KEY_PAGE_UP, .moves = page, .by = -1},
    {TG_KEY_PAGE_DOWN, .moves = page, .by = 1},
    {'<', .moves = sideways, .by = -1},
    {'>', .moves = sideways, .by = 1},
    {'q', .does = quit},
};

static void press(TgStepView *view, unsigned key) {
  for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
    if (keys[k].key != key) continue;
    keys[k].does ? keys[k].does(view) : keys[k].moves(view, keys[k].by);
    return;
  }
}

/* Does what a key of terminal.h asks for, or, on TG_KEY_NONE, plays on. */
static void step_view_key(TgStepView *view, unsigned key) {
  if (key == TG_KEY_RESIZE) return;
  step_watch_begin(view);
  if (key == TG_KEY_NONE) {
    if (view->playing) next(view);
    return;
  }
  g_clear_pointer(&view->message, g_free);
  if (key == TG_KEY_GONE)
    view->done = true;
  else if (view->prompt != TG_PROMPT_NONE)
    type(view, key);
  else if (view->screen.help && key != 'q')
    view->screen.help = false;
  else
    press(view, key);
}

enum { PAPER_COLUMNS = 100, PAUSE_MS = 1000 };

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  if (options->json || options->quiet)
    return tg_report(cli, TG_EXIT_USAGE, "--interactive cannot be combined with --json or --quiet");
  if (options->step) return tg_report(cli, TG_EXIT_USAGE, "give --interactive or --step, not both");
  if (options->blocks || options->messages)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--interactive already shows blocks and messages: leave out --blocks and --messages");
  if (options->a || options->b || options->c || options->seed || options->integers)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--interactive shows blocks by their names: leave out --a, --b, --c, --seed and --integers, or "
                     "--interactive");
  return TG_EXIT_DONE;
}

static TgExit take_sizes(const TgCli *cli, TgTourSizes *sizes) {
  TgElement element;
  bool given;
  const TgExit status = tg_type_option(cli, &element);
  if (status) return status;
  sizes->element_bytes = tg_element_bytes(element);
  return tg_sizes_parse(cli, &sizes->m, &sizes->n, &sizes->k, &given);
}

static TgExit open_view(TgCli *cli, TgStepView *view) {
  GError *error = NULL;
  TgAlgo *algo = &view->algo;
  TgExit status = check_options(cli);
  if (!status) status = tg_algo_open(cli, algo);
  if (!status) status = tg_network_option(cli, cli->options.network, &algo->schedule, &view->network, &view->embedding);
  if (!status) status = tg_collective_option(cli, &view->options.collective);
  if (!status) status = take_sizes(cli, &view->sizes);
  if (status) return status;
  view->options.topology = &view->network;
  view->options.embedding = &view->embedding;
  view->options.to_the_error = true;
  step_watch_init(view);
  view->options.watch = &view->within_step;
  view->pause_ms = PAUSE_MS;
  view->tour = tg_tour_new(&algo->schedule, &algo->names, &view->options, &view->sizes, &error);
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
  if (view->prompt == TG_PROMPT_FOLLOW) return g_strdup_printf("follow block (such as A01; empty: none): %s_", typed);
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
    return tg_report(cli, TG_EXIT_FAILED, "--interactive: cannot set up the terminal: %s", g_strerror(errno));
  while (!view->done && show(view)) step_view_key(view, tg_terminal_key(view->playing ? (int)view->pause_ms : -1));
  tg_terminal_leave();
  return TG_EXIT_DONE;
}

static TgExit one_after_another(TgCli *cli, TgStepView *view) {
  fprintf(stderr, "topogemm: --interactive needs a terminal for input and output, not TERM=dumb; printing all steps as "
                  "text instead\n");
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
  return tg_report_at(cli, TG_EXIT_WRONG, &view->algo.source, failure->line, failure->column, failure->message);
}

TgExit tg_step_interactive(TgCli *cli) {
  g_auto(TgStepView) view = {0};
  TgExit status = open_view(cli, &view);
  if (status) return status;
  bool terminal = tg_terminal_usable();
  g_autofree char *source = g_strndup(view.algo.source.text, view.algo.source.length);
  begin_screen(cli, &view, source, terminal);
  status = terminal ? by_keys(cli, &view) : one_after_another(cli, &view);
  return status ? status : finish(cli, &view);
}

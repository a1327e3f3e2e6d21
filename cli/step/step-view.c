/* What the keys of `step --interactive` do. */
#include "step-view.h"
#include "terminal.h"

#include "draw-file.h"

enum { JOURNEY_STEPS = 1000, FASTEST_MS = 62, SLOWEST_MS = 8000 };

void tg_step_view_clear(TgStepView *view) {
  if (view->tour) tg_tour_free(view->tour);
  g_strfreev(view->screen.journey);
  if (view->typed) g_string_free(view->typed, TRUE);
  g_clear_pointer(&view->message, g_free);
  g_clear_error(&view->error);
  tg_problem_clear(&view->problem);
}

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
  view->done = !tg_tour_go(view->tour, step, &view->error);
  if (g_error_matches(view->error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED)) tg_terminal_obey();
  if (view->done || !tg_step_watch_stopped()) return;
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

static void first(TgStepView *view) {
  go(view, 0);
}

static void last(TgStepView *view) {
  go(view, view->tour->frame->steps);
}

static void play(TgStepView *view) {
  view->playing = !view->playing;
  if (view->playing && here(view) == view->tour->frame->steps) go(view, 0);
}

static void change_pause(TgStepView *view, int64_t pause_ms) {
  view->pause_ms = CLAMP(pause_ms, FASTEST_MS, SLOWEST_MS);
  say(view, "%g s a step", (double)view->pause_ms / 1000);
}

static void faster(TgStepView *view) {
  change_pause(view, view->pause_ms / 2);
}

static void slower(TgStepView *view) {
  change_pause(view, view->pause_ms * 2);
}

static void scroll(TgStepView *view, int64_t by) {
  int64_t most = MAX(view->extent.height - view->extent.shown, 0);
  view->screen.top = CLAMP(view->screen.top + by, 0, most);
}

static void up(TgStepView *view) {
  scroll(view, -1);
}

static void down(TgStepView *view) {
  scroll(view, 1);
}

static void page_up(TgStepView *view) {
  scroll(view, -MAX(view->extent.shown - 1, 1));
}

static void page_down(TgStepView *view) {
  scroll(view, MAX(view->extent.shown - 1, 1));
}

static void sideways(TgStepView *view, int64_t by) {
  int64_t most = MAX(view->extent.columns - view->extent.columns_shown, 0);
  view->screen.left = CLAMP(view->screen.left + by, 0, most);
}

static void to_the_left(TgStepView *view) {
  sideways(view, -1);
}

static void to_the_right(TgStepView *view) {
  sideways(view, 1);
}

static void zoom(TgStepView *view) {
  view->screen.zoom = view->screen.zoom == TG_ZOOM_AUTO    ? TG_ZOOM_CELLS
                      : view->screen.zoom == TG_ZOOM_CELLS ? TG_ZOOM_MAP
                                                           : TG_ZOOM_AUTO;
  static const char *const names[] = {"cells or map, as they fit", "cells", "map"};
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
  const char *name = tg_problem_name(&view->problem);
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
  g_autoptr(GBytes) file =
      tg_draw_step(&view->problem.schedule, &view->problem.names, &options, here(view), "svg", &error);
  if (file && tg_draw_file_write(path, file, &error))
    say(view, "saved as %s", path);
  else
    say(view, "not saved: %s", error->message);
  tg_step_watch_stopped();
}

static void ask(TgStepView *view, TgStepPrompt prompt) {
  view->prompt = prompt;
  view->playing = false;
  if (!view->typed) view->typed = g_string_new(NULL);
  g_string_truncate(view->typed, 0);
}

static void ask_step(TgStepView *view) {
  ask(view, TG_PROMPT_GOTO);
}

static void ask_block(TgStepView *view) {
  ask(view, TG_PROMPT_FOLLOW);
}

static void answer_step(TgStepView *view) {
  gint64 step;
  int64_t steps = view->tour->frame->steps;
  if (g_ascii_string_to_signed(view->typed->str, 10, 0, steps, &step, NULL))
    go(view, step);
  else if (view->typed->len)
    say(view, "there is no step %s: 0 to %" PRId64, view->typed->str, steps);
}

static void answer_block(TgStepView *view) {
  const TgSchedule *schedule = &view->problem.schedule;
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
  if (!tg_step_watch_stopped()) return;
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

static const struct {
  unsigned key;
  void (*does)(TgStepView *view);
} keys[] = {
    {TG_KEY_RIGHT, next},
    {'n', next},
    {TG_KEY_ENTER, next},
    {TG_KEY_LEFT, back},
    {'b', back},
    {TG_KEY_HOME, first},
    {TG_KEY_END, last},
    {'g', ask_step},
    {' ', play},
    {'+', faster},
    {'-', slower},
    {'f', ask_block},
    {TG_KEY_ESCAPE, unfollow},
    {'s', save},
    {'z', zoom},
    {'?', help},
    {'h', help},
    {TG_KEY_UP, up},
    {TG_KEY_DOWN, down},
    {TG_KEY_PAGE_UP, page_up},
    {TG_KEY_PAGE_DOWN, page_down},
    {'<', to_the_left},
    {'>', to_the_right},
    {'q', quit},

};

static void press(TgStepView *view, unsigned key) {
  for (size_t k = 0; k < G_N_ELEMENTS(keys); k++) {
    if (keys[k].key != key) continue;
    keys[k].does(view);
    return;
  }
}

void tg_step_view_key(TgStepView *view, unsigned key) {
  if (key == TG_KEY_RESIZE) return;
  tg_step_watch_begin(view);
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

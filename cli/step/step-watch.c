/* How long work ends in `step --interactive`: Ctrl-C leads back to the screen, other signals end the program. */
#include "step-view.h"
#include "terminal.h"

#include <signal.h>

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

void tg_step_watch_init(TgStepView *view) {
  view->between_steps = (TgWatch){between_steps, view};
  view->within_step = (TgWatch){within_step, view};
  view->until_signal = (TgWatch){until_signal, view};
}

void tg_step_watch_begin(TgStepView *view) {
  view->begun_us = g_get_monotonic_time();
  view->interrupted_us = 0;
  if (view->tour && view->tour->frame) view->at = view->tour->frame->step;
}

bool tg_step_watch_stopped(void) {
  if (tg_terminal_ending() != SIGINT) return false;
  tg_terminal_go_on();
  return true;
}

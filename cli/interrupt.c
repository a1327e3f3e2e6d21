#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { SIGNALS = 3, PATIENCE_S = 5 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* Global, because a signal's handler knows nothing else. */
static volatile sig_atomic_t noted;
static struct sigaction before[SIGNALS];

static void note(int number) {
  if (noted) tg_interrupt_obey();
  noted = number;
  alarm(PATIENCE_S);
}

static void end_at_once(int number) {
  (void)number;
  tg_interrupt_obey();
}

/* Without SA_RESTART, so that what waits comes back if it can. */
void tg_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = note}, late = {.sa_handler = end_at_once};
  sigemptyset(&action.sa_mask);
  sigemptyset(&late.sa_mask);
  sigaction(SIGALRM, &late, NULL);
  for (size_t s = 0; s < SIGNALS; s++) {
    sigaction(signals[s], &action, &before[s]);
    if (before[s].sa_handler == SIG_IGN) sigaction(signals[s], &before[s], NULL);
  }
}

void tg_interrupt_release(void) {
  for (size_t s = 0; s < SIGNALS; s++) sigaction(signals[s], &before[s], NULL);
}

bool tg_interrupted(void) {
  return noted != 0;
}

void tg_interrupt_obey(void) {
  if (!noted) return;
  tg_interrupt_release();
  raise(noted);
}

#include "interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

enum {
  SIGNALS = 7,
  AGAIN_US = 100000, /* between two alarms */
  TOGETHER = 10,     /* alarms after which another signal is a new request, and ends the program at once */
  PATIENCE = 50      /* alarms after which the program ends at once without another signal */
};
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

/* Global, because a signal's handler knows nothing else. */
static volatile sig_atomic_t noted, asked;
static struct sigaction before[SIGNALS];

/* Several signals often come together, for example from a service manager or a shell that ends a process group. The
 * first one starts an orderly stop, and another one shortly after it must not cut that short. */
static void note(int number) {
  if (noted) {
    if (asked >= TOGETHER) tg_interrupt_obey();
    return;
  }
  noted = number;
  setitimer(ITIMER_REAL, &(struct itimerval){.it_interval.tv_usec = AGAIN_US, .it_value.tv_usec = AGAIN_US}, NULL);
}

/* Every write to a terminal that has been stopped waits for it anew: each is brought back. */
static void ask_again(int number) {
  (void)number;
  if (++asked > PATIENCE) tg_interrupt_obey();
}

/* Without SA_RESTART, so that what waits comes back if it can. */
void tg_interrupt_catch(void) {
  struct sigaction action = {.sa_handler = note}, late = {.sa_handler = ask_again};
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

#include "progress.h"
#include "interrupt.h"
#include "output.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_US = 500000, AGAIN_US = 100000 };

/* Columns of the line on the terminal. Global, because a signal handler can reach nothing else. */
static volatile sig_atomic_t columns_shown;

/* "12 s", "3 min 20 s", "2 h 5 min" */
static char *duration(double seconds) {
  int64_t s = (int64_t)(seconds + 0.5);
  if (s < 60) return g_strdup_printf("%" PRId64 " s", s);
  if (s < 3600) return g_strdup_printf("%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
  return g_strdup_printf("%" PRId64 " h %" PRId64 " min", s / 3600, s % 3600 / 60);
}

static char *time_left(const TgProgressLine *line, double elapsed) {
  const double part = line->parts > 0 ? (double)MIN(line->part, line->parts) / (double)line->parts : 0;
  const double done = (double)line->done + part, total = (double)line->total;
  if (done >= total) return g_strdup("finishing");
  const bool known = done > 0 && elapsed / done * (total - done) < 1e9;
  g_autofree char *time = duration(known ? elapsed / done * (total - done) : elapsed);
  return g_strconcat(time, known ? " left" : " so far", NULL);
}

static void show(TgProgressLine *line) {
  gint64 now = g_get_monotonic_time();
  if (!line->shown_at_all || now - line->begun_us < FIRST_US || now - line->shown_us < AGAIN_US) return;
  line->shown_us = now;
  double elapsed = (double)(now - line->begun_us) / 1e6;
  g_autofree char *left = time_left(line, elapsed);
  g_autofree char *what = tg_printable(line->what, "");
  int width =
      fprintf(stderr, "\r%s: %" PRId64 " of %" PRId64 ", %s%s", what, line->done, line->total, left, line->note) - 1;
  if (width < line->width) fprintf(stderr, "%*s", line->width - width, "");
  line->width = MAX(width, line->width);
  columns_shown = line->width;
  fflush(stderr);
}

void tg_progress_at(TgProgressLine *line, int64_t done) {
  line->done = done;
  line->part = 0;
  show(line);
}

void tg_progress_of(void *line, int64_t done, int64_t total) {
  ((TgProgressLine *)line)->total = total;
  tg_progress_at(line, done);
}

static bool shown(void *user, int64_t done) {
  TgProgressLine *line = user;
  if (line->parts == 0) tg_progress_at(line, done);
  line->part = done;
  if (line->parts > 0) show(line);
  return true;
}

void tg_progress_begin(TgProgressLine *line, TgCli *cli, const char *what, int64_t total) {
  *line = (TgProgressLine){.what = what,
                           .total = total,
                           .watch = {.go_on = shown, .user = line},
                           .begun_us = g_get_monotonic_time(),
                           .shown_at_all = !cli->options.quiet && isatty(STDERR_FILENO)};
  cli->progress = line;
}

void tg_progress_announce(TgProgressLine *line, TgCli *cli, const char *what) {
  tg_progress_begin(line, cli, what, 0);
  if (!line->shown_at_all) return;
  line->width = columns_shown = fprintf(stderr, "\r%s", what) - 1;
  fflush(stderr);
}

static bool go_on(void *user, int64_t done) {
  tg_progress_at(user, done);
  return !tg_interrupted();
}

TgWatch tg_progress_watch(TgProgressLine *line) {
  if (!line->watches) tg_interrupt_catch();
  line->watches = true;
  return (TgWatch){.go_on = go_on, .user = line};
}

void tg_progress_clear(TgProgressLine *line) {
  if (!line || !line->width) return;
  fprintf(stderr, "\r%*s\r", line->width, "");
  fflush(stderr);
  line->width = columns_shown = 0;
}

/* A stopped terminal (Ctrl-S) would hold up the end of the program, so its line stays. */
void tg_progress_clear_by_signal(void) {
  enum { ECHO = 2 }; /* "^C" */
  char text[256];
  const size_t length = MIN((size_t)columns_shown + ECHO, sizeof text - 2) + 2;
  struct pollfd terminal = {.fd = STDERR_FILENO, .events = POLLOUT};
  if (columns_shown == 0 || poll(&terminal, 1, 0) != 1 || !(terminal.revents & POLLOUT)) return;
  memset(text, ' ', sizeof text);
  text[0] = text[length - 1] = '\r';
  if (write(STDERR_FILENO, text, length) > 0) columns_shown = 0;
}

void tg_progress_end(TgCli *cli) {
  tg_progress_clear(cli->progress);
  if (cli->progress && cli->progress->watches) tg_interrupt_release();
  cli->progress = NULL;
}

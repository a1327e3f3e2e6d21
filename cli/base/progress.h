/** @file progress.h
 * How far long work is, on standard error and only on a terminal: "verify: 17 of 32, 12 s left". */
#ifndef TG_PROGRESS_H
#define TG_PROGRESS_H

#include "cli.h"

#include "watch.h"

struct TgProgressLine {
  const char *what;
  int64_t total, done;
  int64_t parts, part; /**< of the unit of `total` that is under way; 0 parts: nobody tells them */
  char note[96];       /**< what else there is to say, behind the time; "" nothing */
  TgWatch watch;       /**< for work that a signal may end at once: tells units done, or parts where there are some */
  gint64 begun_us, shown_us;
  int width; /**< columns of the line shown now, 0 where there is none */
  bool shown_at_all;
  bool watches; /**< signals are noted */
};

/** Begins, and makes it the line that errors and text clear away; nothing appears within the first half second, nor
 * with `--quiet` or where standard error is no terminal. */
void tg_progress_begin(TgProgressLine *line, TgCli *cli, const char *what, int64_t total);
/** The same for long work that cannot report its progress: only `what` (printable ASCII) appears, and at once. */
void tg_progress_announce(TgProgressLine *line, TgCli *cli, const char *what);
void tg_progress_at(TgProgressLine *line, int64_t done);
/** The same for work that tells its total, too; `line` is a TgProgressLine. */
void tg_progress_of(void *line, int64_t done, int64_t total);
/** For work that can be stopped: tells the line how far it is, and stops it when a signal is to end the program. From
 * here to tg_progress_end() such signals are noted, see interrupt.h. */
TgWatch tg_progress_watch(TgProgressLine *line);
/** Takes the line away until the next tg_progress_at(). NULL is allowed. */
void tg_progress_clear(TgProgressLine *line);
void tg_progress_end(TgCli *cli);
/** Clears the line, if there is one. May be called by a signal handler that ends the program. */
void tg_progress_clear_by_signal(void);

#endif

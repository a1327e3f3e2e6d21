/** @file report.h
 * Errors in words on standard error, and the exit status that each means. */
#ifndef TG_REPORT_H
#define TG_REPORT_H

#include "cli.h"

/** A text that errors point into. */
typedef struct TgSource {
  const char *name; /**< as errors call it */
  const char *text;
  size_t length;
} TgSource;

/** Says what is wrong and returns `status`. */
TgExit tg_report(const TgCli *cli, TgExit status, const char *format, ...) TG_PRINTF(3, 4);
/** The same for an error of a library, which is freed; its domain and code give the status. */
TgExit tg_report_error(const TgCli *cli, GError *error);
/** That status alone. */
TgExit tg_error_status(const GError *error);
/** The same with `source:line:column:` before it and the line itself, marked, after it. `line` 0 names the source
 * alone; `column` 0 marks the line from its first word to its end. */
TgExit tg_report_at(const TgCli *cli, TgExit status, const TgSource *source, int line, int column, const char *message);

/** Says what is worth knowing of a result that is right all the same; nothing with `--quiet`. */
void tg_report_note(const TgCli *cli, const char *text);

#endif

#include "report.h"
#include "output.h"
#include "progress.h"

#include "bench-error.h"
#include "draw-error.h"
#include "executor.h"
#include "io-error.h"
#include "sim-error.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 100, BEFORE = 60 }; /* bytes of a long line, and how many of them before the mark */

static const char program[] = "topogemm";

static void print_error(const TgCli *cli, const char *place, const char *message) {
  const bool at_place = strcmp(place, program) != 0; /* else the message is all there is */
  g_autofree char *where = cli->where ? g_strconcat(cli->where, ": ", at_place ? place : message, NULL) : NULL;
  if (where && at_place) place = where;
  if (where && !at_place) message = where;
  const char *begin = tg_style_begin(TG_STYLE_BAD, cli->colour_err), *end = tg_style_end(TG_STYLE_BAD, cli->colour_err);
  tg_progress_clear(cli->progress);
  fflush(stdout);
  g_autofree char *shown_place = tg_printable(place, ""), *shown = tg_printable(message, "");
  fprintf(stderr, "%s%s:%s %s\n", begin, shown_place, end, shown);
}

void tg_report_note(const TgCli *cli, const char *text) {
  if (cli->options.quiet) return;
  tg_progress_clear(cli->progress);
  fflush(stdout);
  fprintf(stderr, "topogemm: note: %s\n", text);
}

TgExit tg_report(const TgCli *cli, TgExit status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *message = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  print_error(cli, program, message);
  return status;
}

typedef struct TgMeaning {
  GQuark (*domain)(void);
  int code; /* -1: all others */
  TgExit status;
  const char *hint; /* what to do, where the message does not say so; may be NULL */
} TgMeaning;

static const TgMeaning meanings[] = {
    {tg_io_error_quark, TG_IO_ERROR_CANNOT_READ, TG_EXIT_FAILED, NULL},
    {tg_io_error_quark, TG_IO_ERROR_CANNOT_WRITE, TG_EXIT_FAILED, NULL},
    {tg_io_error_quark, -1, TG_EXIT_USAGE, NULL},
    {tg_sim_error_quark, TG_SIM_ERROR_SCHEDULE, TG_EXIT_WRONG, NULL},
    {tg_sim_error_quark, TG_SIM_ERROR_STOPPED, TG_EXIT_FAILED, NULL},
    {tg_sim_error_quark, TG_SIM_ERROR_MISSING, TG_EXIT_MISSING, NULL},
    {tg_sim_error_quark, -1, TG_EXIT_USAGE, NULL},
    {tg_draw_error_quark, TG_DRAW_ERROR_SCHEDULE, TG_EXIT_WRONG, NULL},
    {tg_draw_error_quark, TG_DRAW_ERROR_MEMORY, TG_EXIT_USAGE, "draw less, or give more with --memory-limit"},
    {tg_draw_error_quark, TG_DRAW_ERROR_PROGRAM, TG_EXIT_MISSING, NULL},
    {tg_draw_error_quark, TG_DRAW_ERROR_RENDER, TG_EXIT_FAILED, NULL},
    {tg_draw_error_quark, -1, TG_EXIT_USAGE, NULL},
    {tg_executor_error_quark, TG_EXECUTOR_ERROR_SCHEDULE, TG_EXIT_WRONG, NULL},
    {tg_executor_error_quark, TG_EXECUTOR_ERROR_DEVICE, TG_EXIT_MISSING, NULL},
    {tg_executor_error_quark, TG_EXECUTOR_ERROR_FAILED, TG_EXIT_FAILED, NULL},
    {tg_executor_error_quark, -1, TG_EXIT_USAGE, NULL},
    {tg_bench_error_quark, TG_BENCH_ERROR_USAGE, TG_EXIT_USAGE, NULL},
    {tg_bench_error_quark, TG_BENCH_ERROR_MISSING, TG_EXIT_MISSING, NULL},
    {tg_bench_error_quark, TG_BENCH_ERROR_WRONG, TG_EXIT_WRONG, NULL},
    {tg_bench_error_quark, -1, TG_EXIT_FAILED, NULL},
    {g_option_error_quark, -1, TG_EXIT_USAGE, NULL},
    {g_key_file_error_quark, -1, TG_EXIT_USAGE, NULL},
};

static const TgMeaning *meaning_of(const GError *error) {
  static const TgMeaning other = {.status = TG_EXIT_FAILED};
  for (size_t i = 0; i < G_N_ELEMENTS(meanings); i++)
    if (error->domain == meanings[i].domain() && (meanings[i].code == -1 || meanings[i].code == error->code))
      return &meanings[i];
  return &other;
}

TgExit tg_error_status(const GError *error) {
  return meaning_of(error)->status;
}

TgExit tg_report_error(const TgCli *cli, GError *error) {
  const TgExit status = tg_error_status(error);
  const char *hint = meaning_of(error)->hint;
  g_autofree char *message = g_strconcat(error->message, hint ? "; " : "", hint, NULL);
  print_error(cli, program, message);
  g_error_free(error);
  return status;
}

static const char *find_line(const TgSource *source, int line, size_t *length) {
  const char *at = source->text, *end = source->text + source->length;
  for (int i = 1; i < line && at < end; i++) {
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    if (!newline) return NULL;
    at = newline + 1;
  }
  const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
  *length = (size_t)((newline ? newline : end) - at);
  return at;
}

/* A line for printing: each unprintable character or invalid byte becomes one character, so that marks below line up.
 */
static char *printable(const char *text, size_t length) {
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);
  GString *clean = g_string_new(NULL);
  for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
    gunichar c = g_utf8_get_char(at);
    g_string_append_unichar(clean, c == '\t' ? ' ' : tg_is_printable(c) ? c : 0xFFFD);
  }
  return g_string_free(clean, FALSE);
}

static void print_marked(const TgCli *cli, int number, const char *text, size_t length, size_t from, size_t marks) {
  size_t skipped = from > BEFORE ? from - BEFORE : 0;
  while (skipped > 0 && skipped < length && ((unsigned char)text[skipped] & 0xC0) == 0x80) skipped--;
  size_t shown = MIN(length - skipped, (size_t)SHOWN);
  while (skipped + shown < length && shown && ((unsigned char)text[skipped + shown] & 0xC0) == 0x80) shown--;
  g_autofree char *line = printable(text + skipped, shown);
  g_autofree char *before = printable(text + skipped, from - skipped);
  const char *more = skipped + shown < length ? "…" : "", *less = skipped ? "…" : "";
  int margin = fprintf(stderr, "%6d | ", number);
  fprintf(stderr, "%s%s%s\n", less, line, more);
  glong left = g_utf8_strlen(line, -1) - g_utf8_strlen(before, -1);
  glong count = CLAMP(left, 1, (glong)marks);
  fprintf(stderr, "%*s| %*s%s^", margin - 2, "", (int)(g_utf8_strlen(before, -1) + (skipped ? 1 : 0)), "",
          tg_style_begin(TG_STYLE_BAD, cli->colour_err));
  while (--count > 0) fputc('~', stderr);
  fprintf(stderr, "%s\n", tg_style_end(TG_STYLE_BAD, cli->colour_err));
}

TgExit tg_report_at(const TgCli *cli, TgExit status, const TgSource *source, int line, int column,
                    const char *message) {
  size_t length = 0;
  const char *text = line > 0 && source->text ? find_line(source, line, &length) : NULL;
  if (!text) {
    g_autofree char *end = line > 0 ? g_strdup_printf("%s:%d:%d", source->name, line, MAX(column, 1)) : NULL;
    print_error(cli, end ? end : source->name, message);
    return status;
  }
  if (length && text[length - 1] == '\r') length--;
  size_t words = 0;
  while (words < length && (text[words] == ' ' || text[words] == '\t')) words++;
  size_t from = column > 0 ? MIN((size_t)column - 1, length) : words;
  g_autofree char *place = g_strdup_printf("%s:%d:%zu", source->name, line, from + 1);
  print_error(cli, place, message);
  if (length) print_marked(cli, line, text, length, from, column > 0 ? 1 : length);
  return status;
}

#include "output.h"
#include "progress.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 100 };

static const char *const escapes[] = {"", "\033[1m", "\033[32m", "\033[1;31m", "\033[2m"};

const char *tg_style_begin(TgStyle style, bool colour) {
  return colour ? escapes[style] : "";
}

const char *tg_style_end(TgStyle style, bool colour) {
  return colour && style != TG_STYLE_PLAIN ? "\033[0m" : "";
}

/* https://no-color.org: set and not empty. */
static bool colour_wanted(int descriptor) {
  const char *no_color = g_getenv("NO_COLOR"), *terminal = g_getenv("TERM");
  if (no_color && *no_color) return false;
  if (g_getenv("OMPI_COMM_WORLD_RANK")) return false; /* mpirun's own terminal: where it writes to is not known */
  return isatty(descriptor) && g_strcmp0(terminal, "dumb") != 0;
}

bool tg_output_init(TgCli *cli) {
  const char *when = cli->options.color ? cli->options.color : "auto";
  bool always = strcmp(when, "always") == 0, automatic = strcmp(when, "auto") == 0;
  cli->colour_out = always || (automatic && colour_wanted(STDOUT_FILENO));
  cli->colour_err = always || (automatic && colour_wanted(STDERR_FILENO));
  return always || automatic || strcmp(when, "never") == 0;
}

static void note_failure(TgCli *cli) {
  if (!cli->output_error) cli->output_error = errno ? errno : EIO;
}

/* Changes text direction, so that the display differs from the text (Unicode Standard Annex 9). */
static bool turns_text(uint32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool tg_is_printable(uint32_t c) {
  return !g_unichar_iscntrl(c) && !turns_text(c) && c != 0xfffe && c != 0xffff;
}

/* Bytes of the character at `at`; 0 where it is one to print as it is. */
static size_t unprintable_bytes(const char *at, const char *kept) {
  if (*at >= ' ' && *at <= '~') return 0;
  const gunichar c = g_utf8_get_char_validated(at, -1);
  if (c == (gunichar)-1 || c == (gunichar)-2) return 1;
  const size_t bytes = (size_t)(g_utf8_next_char(at) - at);
  return !tg_is_printable(c) && !strchr(kept, *at) ? bytes : 0;
}

char *tg_printable(const char *text, const char *kept) {
  GString *shown = g_string_new(NULL);
  while (*text) {
    const char *at = text;
    size_t bytes = 0;
    while (*at && (bytes = unprintable_bytes(at, kept)) == 0) at = g_utf8_next_char(at);
    g_string_append_len(shown, text, at - text);
    for (text = at; bytes > 0; bytes--) g_string_append_printf(shown, "\\x%02x", (unsigned char)*text++);
  }
  return g_string_free(shown, FALSE);
}

void tg_print_bytes(TgCli *cli, const char *bytes, size_t length) {
  if (cli->output_error) return;
  tg_progress_clear(cli->progress);
  errno = 0;
  if (fwrite(bytes, 1, length, stdout) < length) note_failure(cli);
}

static void TG_PRINTF(3, 0) print_list(TgCli *cli, const char *kept, const char *format, va_list arguments) {
  if (cli->output_error) return;
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  g_autofree char *shown = tg_printable(text, kept);
  tg_print_bytes(cli, shown, strlen(shown));
}

void tg_print(TgCli *cli, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_list(cli, "\n", format, arguments);
  va_end(arguments);
}

void tg_print_json(TgCli *cli, TgJson *json) {
  tg_print(cli, "%s", tg_json_text(json, NULL));
}

void tg_print_line(TgCli *cli, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  print_list(cli, "", format, arguments);
  va_end(arguments);
  tg_print_bytes(cli, "\n", 1);
}

void tg_print_styled(TgCli *cli, TgStyle style, const char *format, ...) {
  const char *begin = tg_style_begin(style, cli->colour_out), *end = tg_style_end(style, cli->colour_out);
  va_list arguments;
  va_start(arguments, format);
  tg_print_bytes(cli, begin, strlen(begin));
  print_list(cli, "\n", format, arguments);
  tg_print_bytes(cli, end, strlen(end));
  va_end(arguments);
}

bool tg_output_gone(const TgCli *cli) {
  return cli->output_error == EPIPE;
}

TgExit tg_output_finish(TgCli *cli, TgExit status) {
  errno = 0;
  if (!cli->output_error && fflush(stdout) != 0) note_failure(cli);
  if (!cli->output_error || cli->output_error == EPIPE) return status;
  fprintf(stderr, "topogemm: cannot write to standard output: %s\n", g_strerror(cli->output_error));
  return status == TG_EXIT_DONE ? TG_EXIT_FAILED : status;
}

void tg_table_print(TgCli *cli, const TgTable *table, int indent, bool heading) {
  g_auto(GStrv) lines = tg_table_lines(table);
  for (char **line = lines; *line; line++) {
    tg_print(cli, "%*s", indent, "");
    tg_print_styled(cli, heading && line == lines ? TG_STYLE_HEADING : TG_STYLE_PLAIN, "%s", *line);
    tg_print(cli, "\n");
  }
}

void tg_print_wrapped_within(TgCli *cli, const char *text, int indent, int already, int columns) {
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  int column = already;
  for (char **word = words; *word; word++) {
    int width = (int)g_utf8_strlen(*word, -1);
    if (column > indent && column + 1 + width > columns) {
      tg_print(cli, "\n");
      column = 0;
    }
    int gap = column < indent ? indent - column : word == words || column == indent ? 0 : 1;
    tg_print(cli, "%*s%s", gap, "", *word);
    column += gap + width;
  }
  tg_print(cli, "\n");
}

void tg_print_wrapped(TgCli *cli, const char *text, int indent, int already) {
  tg_print_wrapped_within(cli, text, indent, already, LINE);
}

#include "gnuplot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define SVG "svg dynamic enhanced background rgb 'white' font 'Liberation Sans,13'"
static const TgPlotFormat formats[] = {
    {"gp", SVG, 1, false},
    {"svg", SVG, 1, true},
    {"png", "pngcairo enhanced font 'Liberation Sans,13' fontscale 1.5 linewidth 1.5 pointscale 1.5", 2, true},
    {"pdf", "pdfcairo enhanced font 'Liberation Sans,13' fontscale 0.7 linewidth 1.2 pointscale 0.8", 1.0 / 96, true},
};

static const struct {
  const char *colour;
  int mark[2], dash; /* the second mark is for as many curves again */
} styles[] = {{"#0072B2", {7, 6}, 1},   {"#D55E00", {5, 4}, 2}, {"#009E73", {9, 8}, 4}, {"#CC79A7", {13, 12}, 5},
              {"#E69F00", {11, 10}, 3}, {"#56B4E9", {6, 7}, 1}, {"#000000", {4, 5}, 2}, {"#7F7F7F", {8, 9}, 4}};

const TgPlotFormat *tg_plot_format(const char *path) {
  const char *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  for (size_t i = 0; dot && i < G_N_ELEMENTS(formats); i++)
    if (strcmp(dot + 1, formats[i].suffix) == 0) return &formats[i];
  return NULL;
}

bool tg_plot_possible(const TgPlotFormat *format) {
  g_autofree char *program = format->drawn ? g_find_program_in_path("gnuplot") : NULL;
  return !format->drawn || program;
}

void tg_plot_add_number(GString *script, double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(script, ' ');
  g_string_append(script, isnan(number) ? "NaN" : g_ascii_formatd(digits, sizeof digits, "%.9g", number));
}

void tg_plot_add_styles(GString *script, int count) {
  for (int a = 0; a < count; a++) {
    const gsize s = (gsize)a % G_N_ELEMENTS(styles);
    g_string_append_printf(
        script, "set linetype %d linecolor rgb '%s' linewidth 2 dashtype %d pointtype %d pointsize 0.9\n", a + 1,
        styles[s].colour, styles[s].dash, styles[s].mark[(gsize)a / G_N_ELEMENTS(styles) % 2]);
  }
}

/* gnuplot writes > as it is, and XML has no ]]> in its text. */
char *tg_plot_quoted(const char *text) {
  g_auto(GStrv) ends = g_strsplit(text, "]]>", -1);
  g_autofree char *plain = g_strjoinv("]] >", ends);
  g_auto(GStrv) parts = g_strsplit(plain, "'", -1);
  g_autofree char *doubled = g_strjoinv("''", parts);
  return g_strdup_printf("'%s'", doubled);
}

GString *tg_plot_script_new(const TgPlotFormat *format, double width_px, double height_px) {
  GString *script = g_string_new("#!/usr/bin/env gnuplot\n");
  g_string_append_printf(script, "set terminal %s size ", format->terminal);
  tg_plot_add_number(script, width_px * format->scale);
  g_string_append_c(script, ',');
  tg_plot_add_number(script, height_px * format->scale);
  g_string_append_c(script, '\n');
  return script;
}

/* What gnuplot reads and writes: files without names, of which nothing stays behind however this program ends. */
typedef struct TgPlotFiles {
  FILE *script, *picture, *said;
} TgPlotFiles;

static void close_files(TgPlotFiles *files) {
  if (files->script) fclose(files->script);
  if (files->picture) fclose(files->picture);
  if (files->said) fclose(files->said);
}

static bool fail(GError **error, const char *doing) {
  const int number = errno;
  g_set_error(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "%s: %s", doing, g_strerror(number));
  return false;
}

static bool open_files(TgPlotFiles *files, const char *script, GError **error) {
  *files = (TgPlotFiles){tmpfile(), tmpfile(), tmpfile()};
  if (!files->script || !files->picture || !files->said) return fail(error, "a temporary file for gnuplot");
  if (fputs(script, files->script) == EOF || fflush(files->script) != 0) return fail(error, "gnuplot's script");
  rewind(files->script);
  return true;
}

static bool read_all(FILE *from, char **bytes, gsize *length, GError **error) {
  const long end = fseek(from, 0, SEEK_END) == 0 ? ftell(from) : -1;
  if (end < 0) return fail(error, "what gnuplot drew");
  rewind(from);
  *length = (gsize)end;
  *bytes = g_malloc0(*length + 1);
  if (fread(*bytes, 1, *length, from) == *length) return true;
  g_clear_pointer(bytes, g_free);
  return fail(error, "what gnuplot drew");
}

static bool run_gnuplot(const TgPlotFiles *files, GError **error) {
  const char *const words[] = {"gnuplot", "-", NULL};
  GPid process;
  gsize length;
  int status;
  if (!g_spawn_async_with_fds(NULL, (char **)words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                              &process, fileno(files->script), fileno(files->picture), fileno(files->said), error))
    return false;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return fail(error, "waiting for gnuplot");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  g_autofree char *said = NULL;
  if (read_all(files->said, &said, &length, error))
    g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "gnuplot failed: %s", g_strchomp(said));
  return false;
}

static bool draw(const char *script, char **bytes, gsize *length, GError **error) {
  TgPlotFiles files;
  const bool fine =
      open_files(&files, script, error) && run_gnuplot(&files, error) && read_all(files.picture, bytes, length, error);
  close_files(&files);
  return fine;
}

bool tg_plot_make(const TgPlotFormat *format, TgPlotMaker *make, const void *data, char **bytes, gsize *length,
                  GError **error) {
  g_autofree char *script = make(data, format);
  if (format->drawn) return draw(script, bytes, length, error);
  *length = strlen(script);
  *bytes = g_steal_pointer(&script);
  return true;
}

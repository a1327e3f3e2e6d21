#define _GNU_SOURCE /* O_TMPFILE */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "svg-text.h"

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
  g_autofree char *plain = tg_text_replace(text, "]]>", "]] >");
  g_autofree char *doubled = tg_text_replace(plain, "'", "''");
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

static bool write_all(int file, const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    const ssize_t count = write(file, text, left);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) text += count, left -= (size_t)count;
  }
  return true;
}

/* Open for reading and writing, without a name, so that nothing of it remains however this program ends. Where the file
 * system has no such files, its name is taken away at once. */
static int open_nameless(GError **reason) {
#ifdef O_TMPFILE
  const int nameless = open(g_get_tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (nameless >= 0) return nameless;
#endif
  g_autofree char *path = NULL;
  const int file = g_file_open_tmp("topogemm-XXXXXX", &path, reason);
  if (file >= 0) unlink(path);
  return file;
}

static int open_script(const char *script, GError **error) {
  static const char what[] = "the gnuplot script";
  GError *reason = NULL;
  const int file = open_nameless(&reason);
  if (file < 0) tg_program_no_temporary(what, reason, error);
  if (file < 0) return file;
  if (write_all(file, script) && lseek(file, 0, SEEK_SET) == 0) return file;
  const int number = errno;
  reason = g_error_new(G_FILE_ERROR, (int)g_file_error_from_errno(number), ": %s", g_strerror(number));
  tg_program_no_temporary(what, reason, error);
  close(file);
  return -1;
}

static char *draw(const char *script, gsize *length, GError **error) {
  const int input = open_script(script, error);
  if (input < 0) return NULL;
  GBytes *bytes =
      tg_program_run(&(TgProgram){.words = (const char *const[]){"gnuplot", "-", NULL}, .input = input}, error);
  close(input);
  return bytes ? g_bytes_unref_to_data(bytes, length) : NULL;
}

bool tg_plot_make(const TgPlotFormat *format, TgPlotMaker *make, const void *data, char **bytes, gsize *length,
                  GError **error) {
  g_autofree char *script = make(data, format);
  if (format->drawn) return (*bytes = draw(script, length, error)) != NULL;
  *length = strlen(script);
  *bytes = g_steal_pointer(&script);
  return true;
}

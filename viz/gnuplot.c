#include "gnuplot.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#define SVG "svg enhanced background rgb 'white' font 'Liberation Sans,13'"
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

char *tg_plot_quoted(const char *text) {
  g_auto(GStrv) parts = g_strsplit(text, "'", -1);
  g_autofree char *doubled = g_strjoinv("''", parts);
  return g_strdup_printf("'%s'", doubled);
}

GString *tg_plot_script_new(const TgPlotFormat *format, double width_px, double height_px, const char *output) {
  GString *script = g_string_new("#!/usr/bin/env gnuplot\n");
  g_string_append_printf(script, "set terminal %s size ", format->terminal);
  tg_plot_add_number(script, width_px * format->scale);
  g_string_append_c(script, ',');
  tg_plot_add_number(script, height_px * format->scale);
  g_string_append_c(script, '\n');
  g_autofree char *path = tg_plot_quoted(output ? output : "");
  if (output) g_string_append_printf(script, "set output %s\n", path);
  return script;
}

static bool run_gnuplot(const char *script, GError **error) {
  char *words[] = {(char *)"gnuplot", (char *)script, NULL};
  g_autofree char *said = NULL;
  int status;
  if (!g_spawn_sync(NULL, words, NULL, G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &said,
                    &status, error))
    return false;
  if (status == 0) return true;
  g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "gnuplot failed: %s", g_strchomp(said));
  return false;
}

static bool draw(const TgPlotFormat *format, TgPlotMaker *make, const void *data, char **bytes, gsize *length,
                 GError **error) {
  g_autofree char *folder = g_dir_make_tmp("topogemm-XXXXXX", error);
  if (!folder) return false;
  g_autofree char *script = g_build_filename(folder, "plot.gp", NULL);
  g_autofree char *picture = g_build_filename(folder, "plot", NULL);
  g_autofree char *text = make(data, format, picture);
  bool fine = g_file_set_contents(script, text, -1, error) && run_gnuplot(script, error) &&
              g_file_get_contents(picture, bytes, length, error);
  g_unlink(script);
  g_unlink(picture);
  g_rmdir(folder);
  return fine;
}

bool tg_plot_make(const TgPlotFormat *format, TgPlotMaker *make, const void *data, char **bytes, gsize *length,
                  GError **error) {
  if (format->drawn) return draw(format, make, data, bytes, length, error);
  *bytes = make(data, format, NULL);
  *length = strlen(*bytes);
  return true;
}

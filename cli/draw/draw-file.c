#include "draw-file.h"
#include "output.h"
#include "report.h"

#include "atomic-file.h"

#include <string.h>

/* --- which of draw's options belong to which of its pictures ------------------------------------------------------ */

typedef enum TgKind { STEPS = 1, PAGE = 2, SPACETIME = 4, MEMORY = 8 } TgKind;

static const struct {
  TgKind kind;
  const char *words;
} kinds[] = {
    {STEPS, "pictures of steps"}, {PAGE, "the page, -o FILE.html"}, {SPACETIME, "--spacetime"}, {MEMORY, "--memory"}};

static TgKind kind_of(const TgCli *cli) {
  if (cli->options.spacetime) return SPACETIME;
  if (cli->options.memory) return MEMORY;
  return cli->options.output && g_str_has_suffix(cli->options.output, ".html") ? PAGE : STEPS;
}

/* "--spacetime", "pictures of steps and the page, -o FILE.html" */
static char *users_of(int users) {
  GString *text = g_string_new(NULL);
  for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++)
    if (users & kinds[k].kind)
      g_string_append_printf(text, "%s%s", text->len == 0 ? "" : users >> k == 1 ? " and " : ", ", kinds[k].words);
  return g_string_free(text, FALSE);
}

static TgExit refuse(const TgCli *cli, TgKind kind, const char *name, int users) {
  g_autofree char *words = users_of(users), *here = users_of(kind);
  return tg_report(cli, TG_EXIT_USAGE, "draw: %s is for %s; leave it out for %s", name, words, here);
}

TgExit tg_draw_check_options(const TgCli *cli) {
  const TgOptions *o = &cli->options;
  const struct {
    const char *name;
    bool given;
    int users;
  } rows[] = {
      {"--step", o->step != NULL, STEPS | PAGE},
      {"--all", o->all, STEPS | PAGE},
      {"--heat", o->heat != NULL, STEPS | PAGE},
      {"--beside", o->beside != NULL, PAGE},
      {"a second ALGO", g_strv_length(o->arguments) > 1, SPACETIME | MEMORY},
      {"-n", o->n != NULL, PAGE | SPACETIME | MEMORY},
      {"--size", o->size != NULL, PAGE | SPACETIME | MEMORY},
      {"--type", o->type != NULL, PAGE | SPACETIME | MEMORY},
      {"--machine", o->machine != NULL, PAGE | SPACETIME},
      {"--network", o->network != NULL, STEPS | PAGE | SPACETIME},
      {"--embed", o->embed != NULL, STEPS | PAGE | SPACETIME},
      {"--model", o->model != NULL, SPACETIME},
      {"--overlap", o->overlap != NULL, SPACETIME},
      {"--buffers", o->buffers != NULL, SPACETIME},
      {"--straggler", o->straggler != NULL, SPACETIME},
  };
  const TgKind kind = kind_of(cli);
  if (o->spacetime && o->memory) return tg_report(cli, TG_EXIT_USAGE, "draw: give --spacetime or --memory, not both");
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (rows[i].given && !(rows[i].users & kind)) return refuse(cli, kind, rows[i].name, rows[i].users);
  if (o->step && o->all) return tg_report(cli, TG_EXIT_USAGE, "draw: give --step or --all, not both");
  return TG_EXIT_DONE;
}

TgExit tg_draw_file_format(const TgCli *cli, const char *formats, const char **format) {
  const char *path = cli->options.output, *name = strrchr(path, '/'), *dot = strrchr(name ? name : path, '.');
  g_auto(GStrv) known = g_strsplit(formats, ", ", -1);
  if (!dot || !dot[1])
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a suffix that selects the format, one of %s", path, formats);
  *format = dot + 1;
  if (g_strv_contains((const char *const *)known, *format)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "-o %s: unknown format, expected one of %s", path, formats);
}

TgExit tg_draw_heat_option(const TgCli *cli, TgHeat *heat) {
  if (!cli->options.heat || tg_heat_parse(cli->options.heat, heat)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--heat %s: expected auto, link, received or held", cli->options.heat);
}

bool tg_draw_file_write(const char *path, GBytes *file, GError **error) {
  gsize size;
  const void *bytes = g_bytes_get_data(file, &size);
  return tg_atomic_file_write(path, bytes, size, error);
}

/* The suffixes of what moves are known, but for other pictures. */
static TgExit find_format(const TgCli *cli, const char **format) {
  const char *path = cli->options.output, *what = cli->options.spacetime ? "spacetime" : "memory";
  if (!path) return tg_report(cli, TG_EXIT_USAGE, "draw --%s: expected -o FILE, as in -o %s.svg", what, what);
  if (g_str_has_suffix(path, ".gif") || g_str_has_suffix(path, ".html"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: draw --%s writes one still picture: choose one of %s", path, what,
                     tg_draw_formats());
  return tg_draw_file_format(cli, tg_draw_formats(), format);
}

TgExit tg_draw_chart(TgCli *cli) {
  const char *format = NULL;
  TgExit status = find_format(cli, &format);
  if (status) return status;
  return cli->options.spacetime ? tg_draw_spacetime_chart(cli, format) : tg_draw_memory_chart(cli, format);
}

char *tg_draw_chart_title(const char *what, const char *const *names, int count) {
  GString *text = g_string_new(NULL);
  if (count == 1) g_string_append_printf(text, "%s: %s", names[0], what);
  if (count > 1) g_string_append_printf(text, "%c%s: ", g_ascii_toupper(*what), what + 1);
  for (int i = 0; i < count && count > 1; i++) g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", names[i]);
  return g_string_free(text, FALSE);
}

TgExit tg_draw_chart_write(TgCli *cli, GBytes *file, GError *error) {
  if (!file || !tg_draw_file_write(cli->options.output, file, &error)) return tg_report_error(cli, error);
  if (!cli->options.quiet) tg_print_line(cli, "%s", cli->options.output);
  return TG_EXIT_DONE;
}

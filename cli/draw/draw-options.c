/* Which of draw's options belong to which of its pictures. */
#include "draw-chart.h"
#include "report.h"

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
      {"--straggler", o->straggler != NULL, SPACETIME},
  };
  const TgKind kind = kind_of(cli);
  if (o->spacetime && o->memory) return tg_report(cli, TG_EXIT_USAGE, "draw: give --spacetime or --memory, not both");
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (rows[i].given && !(rows[i].users & kind)) return refuse(cli, kind, rows[i].name, rows[i].users);
  if (o->step && o->all) return tg_report(cli, TG_EXIT_USAGE, "draw: give --step or --all, not both");
  return TG_EXIT_DONE;
}

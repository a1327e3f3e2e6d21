#include "small-grid.h"
#include "output.h"

#include <string.h>

/* Without --grid, every parameter that needs a value gets the first of these that the schedule is made for. From 3 on a
 * neighbour to the left is another one than that to the right; a cube of 4 is hard to read. */
static const int64_t tried[] = {3, 4, 2, 5, 6, 8, 1};

static bool bind_all(TgAlgo *algo, const TgBindings *given, int64_t value, TgBindings *bindings) {
  *bindings = *given;
  for (int p = 0; p < algo->schedule.parameters; p++) {
    const char *name = tg_name(&algo->names, algo->names.parameter[p]);
    bool named = algo->schedule.parameter_kind[p] > TG_PARAMETER_SET;
    for (int i = 0; i < given->count && !named; i++) named = strcmp(given->set[i].name, name) == 0;
    if (!named && !tg_bindings_set(bindings, name, value, NULL)) return false;
  }
  return tg_schedule_bind(&algo->schedule, &algo->names, bindings, NULL);
}

TgExit tg_small_grid(const TgCli *cli, TgAlgo *algo, TgBindings *bindings) {
  TgBindings given = {0};
  TgError error = {0};
  TgExit status = tg_algo_bindings(cli, &given);
  if (status) return status;
  *bindings = given;
  if (tg_schedule_bind(&algo->schedule, &algo->names, bindings, &error)) return TG_EXIT_DONE;
  if (given.dims) return tg_algo_report(cli, algo, &error);
  for (size_t i = 0; i < G_N_ELEMENTS(tried); i++)
    if (bind_all(algo, &given, tried[i], bindings)) return TG_EXIT_DONE;
  return tg_algo_report(cli, algo, &error);
}

int tg_other_small_grids(TgAlgo *algo, const TgBindings *bindings, TgBindings *others, int most) {
  const TgText own = tg_schedule_grid_text(&algo->schedule);
  TgBindings given = {0};
  int count = 0;
  for (int i = 0; i < bindings->count; i++) given.set[given.count++] = bindings->set[i];
  for (size_t i = 0; i < G_N_ELEMENTS(tried) && count < most; i++)
    if (bind_all(algo, &given, tried[i], &others[count]) &&
        strcmp(tg_schedule_grid_text(&algo->schedule).s, own.s) != 0)
      count++;
  return count;
}

static bool is_extent(const TgAlgo *algo, const char *name) {
  for (int p = 0; p < algo->schedule.parameters; p++)
    if (strcmp(tg_name(&algo->names, algo->names.parameter[p]), name) == 0)
      return algo->schedule.parameter_kind[p] == TG_PARAMETER_GRID;
  return false;
}

/* The name of the exercise's file for a shell and `verify`: "./" before a name that `verify` would not take for a path
 * or that looks like an option, and quotes if a character is special to a shell. */
static char *shell_word(const char *output) {
  static const char plain[] = "_-+=.,:/@%";
  const bool path = output[0] != '-' && (strchr(output, '/') || g_str_has_suffix(output, ".sched"));
  g_autofree char *name = g_strconcat(path ? "" : "./", output, NULL), *shown = tg_printable(name, "");
  for (const char *at = shown; *at; at++)
    if ((unsigned char)*at < 0x80 && !g_ascii_isalnum(*at) && !strchr(plain, *at)) return g_shell_quote(shown);
  return g_steal_pointer(&shown);
}

char *tg_verify_command(const TgAlgo *algo, const TgBindings *bindings, const char *output) {
  GString *text = g_string_new(NULL);
  g_autofree char *word = shell_word(output);
  g_string_append_printf(text, "topogemm verify %s --grid %s", word, tg_schedule_grid_text(&algo->schedule).s);
  for (int i = 0; i < bindings->count; i++)
    if (!is_extent(algo, bindings->set[i].name))
      g_string_append_printf(text, " --set %s=%" PRId64, bindings->set[i].name, bindings->set[i].value);
  return g_string_free(text, FALSE);
}

#include "small-grid.h"

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

void tg_other_small_grids(TgAlgo *algo, const TgBindings *bindings, int most, GPtrArray *grids) {
  const TgText own = tg_schedule_grid_text(&algo->schedule);
  TgBindings given = {0}, other;
  for (int i = 0; i < bindings->count; i++) given.set[given.count++] = bindings->set[i];
  for (size_t i = 0; i < G_N_ELEMENTS(tried) && most > 0; i++) {
    if (!bind_all(algo, &given, tried[i], &other)) continue;
    const TgText grid = tg_schedule_grid_text(&algo->schedule);
    if (strcmp(grid.s, own.s) == 0) continue;
    g_ptr_array_add(grids, g_strdup(grid.s));
    most--;
  }
}

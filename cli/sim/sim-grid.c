/* Which grid a schedule gets: of a list, or of a number of processors. */
#include "sim.h"

#include <string.h>

typedef struct TgExtents {
  int32_t extent[TG_MAX_DIMS]; /* 0 beyond the coordinates */
} TgExtents;

/* All grids of `left` processors, from coordinate `axis` on. */
static void split(GArray *grids, int dims, int axis, int64_t left, TgExtents *grid) {
  if (axis == dims - 1) {
    grid->extent[axis] = (int32_t)left;
    g_array_append_val(grids, *grid);
    return;
  }
  for (int64_t e = 1; e <= left; e++) {
    if (left % e) continue;
    grid->extent[axis] = (int32_t)e;
    split(grids, dims, axis + 1, left / e, grid);
  }
}

static int64_t sum_of(const TgExtents *grid) {
  int64_t sum = 0;
  for (int i = 0; i < TG_MAX_DIMS; i++) sum += grid->extent[i];
  return sum;
}

/* The squarest first; of two alike the one that is longer in the first coordinates. */
static int compare_grids(const void *a, const void *b) {
  int64_t of_a = sum_of(a), of_b = sum_of(b);
  if (of_a != of_b) return of_a < of_b ? -1 : 1;
  for (int i = 0; i < TG_MAX_DIMS; i++) {
    int32_t x = ((const TgExtents *)a)->extent[i], y = ((const TgExtents *)b)->extent[i];
    if (x != y) return x > y ? -1 : 1;
  }
  return 0;
}

static char *grid_text(const TgExtents *grid, int dims) {
  GString *text = g_string_new(NULL);
  for (int i = 0; i < dims; i++) g_string_append_printf(text, "%s%d", i ? "x" : "", grid->extent[i]);
  return g_string_free(text, FALSE);
}

static bool bind_to(TgProblem *problem, const TgBindings *given, const char *grid, TgError *error) {
  TgBindings bindings = *given;
  return tg_bindings_grid(&bindings, grid, error) &&
         tg_schedule_bind(&problem->schedule, &problem->names, &bindings, error);
}

static const char *grid_words(const TgProblem *problem) {
  return tg_name(&problem->names, problem->names.grid);
}

static char *refusal(const TgProblem *problem, const TgError *squarest) {
  return *squarest->message ? g_strdup(squarest->message) : g_strdup_printf("its grid is %s", grid_words(problem));
}

static TgExit bind_number(TgProblem *problem, const TgBindings *given, int64_t processors, char **why) {
  g_autoptr(GArray) grids = g_array_new(FALSE, FALSE, sizeof(TgExtents));
  const int dims = problem->schedule.dims;
  TgExtents grid = {{0}};
  TgError error = {0}, squarest = {0};
  split(grids, dims, 0, processors, &grid);
  g_array_sort(grids, compare_grids);
  for (guint g = 0; g < grids->len; g++) {
    g_autofree char *text = grid_text(&g_array_index(grids, TgExtents, g), dims);
    if (bind_to(problem, given, text, &error)) return TG_EXIT_DONE;
    if (problem->schedule.bound == TG_BOUND_UNMET && !*squarest.message) squarest = error;
  }
  *why = refusal(problem, &squarest);
  return TG_EXIT_DONE;
}

/* The one of --grid's grids that has as many extents as the schedule has coordinates. */
static TgExit pick_grid(const TgCli *cli, const TgProblem *problem, char **grid) {
  g_auto(GStrv) grids = g_strsplit(cli->options.grid, ",", -1);
  if (!*grids) return tg_report(cli, TG_EXIT_USAGE, "--grid: expected extents joined by x, as in 4x4");
  for (char **text = grids; *text; text++) {
    TgBindings any = {0};
    TgError error;
    if (!tg_bindings_grid(&any, *text, &error)) return tg_report(cli, TG_EXIT_USAGE, "--grid: %s", error.message);
  }
  for (char **text = grids; *text; text++) {
    g_auto(GStrv) extents = g_strsplit(*text, "x", -1);
    if (g_strv_length(grids) > 1 && (int)g_strv_length(extents) != problem->schedule.dims) continue;
    *grid = g_strdup(*text);
    return TG_EXIT_DONE;
  }
  return tg_report(cli, TG_EXIT_USAGE, "--grid %s: none of these is for %s, whose grid is %s; add one with %d extent%s",
                   cli->options.grid, tg_problem_name(problem), grid_words(problem), problem->schedule.dims,
                   problem->schedule.dims == 1 ? "" : "s");
}

bool tg_sim_takes(const TgProblem *problem, const char *set) {
  const char *sign = strchr(set, '=');
  for (int p = 0; sign && p < problem->schedule.parameters; p++) {
    const char *name = tg_name(&problem->names, problem->names.parameter[p]);
    if (strlen(name) == (size_t)(sign - set) && strncmp(name, set, strlen(name)) == 0) return true;
  }
  return !sign;
}

/* What --set says; without the values that other schedules of the command line have the parameters for. */
static TgExit set_values(const TgCli *cli, const TgProblem *problem, bool several, TgBindings *bindings) {
  TgCli some = *cli;
  g_autoptr(GPtrArray) set = g_ptr_array_new();
  for (char **text = cli->options.set; text && *text; text++)
    if (!several || tg_sim_takes(problem, *text)) g_ptr_array_add(set, *text);
  g_ptr_array_add(set, NULL);
  some.options.set = (char **)set->pdata;
  some.options.grid = NULL;
  return tg_problem_bindings(&some, bindings);
}

TgExit tg_sim_bind(const TgCli *cli, TgProblem *problem, const char *algo, int64_t processors, bool several,
                   char **why) {
  TgBindings bindings = {0};
  TgError error = {0};
  g_autofree char *grid = NULL;
  TgExit status = tg_problem_parse(cli, problem, algo);
  if (!status) status = set_values(cli, problem, several, &bindings);
  if (status) return status;
  if (processors) return bind_number(problem, &bindings, processors, why);
  if (cli->options.grid) status = pick_grid(cli, problem, &grid);
  if (!status && grid && !tg_bindings_grid(&bindings, grid, &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  if (status || tg_schedule_bind(&problem->schedule, &problem->names, &bindings, &error)) return status;
  return tg_problem_report(cli, problem, &error);
}

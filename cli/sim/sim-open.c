/* The options of a prediction. */
#include "executors.h"
#include "machine-option.h"
#include "sim.h"

#include "shape.h"

#include <math.h>
#include <string.h>

/* --- which grid a schedule gets: of a list, or of a number of processors ------------------------------------------ */

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

TgExit tg_sim_bind(const TgCli *cli, TgProblem *problem, const char *algo, int64_t processors, bool several,
                   char **why) {
  TgBindings bindings = {0};
  TgError error = {0};
  g_autofree char *grid = NULL;
  TgExit status = tg_problem_parse(cli, problem, algo);
  for (char **set = cli->options.set; set && *set && !status; set++)
    if (!several || tg_sim_takes(problem, *set)) status = tg_set_option(cli, &bindings, *set);
  if (status) return status;
  if (processors) return bind_number(problem, &bindings, processors, why);
  if (cli->options.grid) status = pick_grid(cli, problem, &grid);
  if (!status && grid && !tg_bindings_grid(&bindings, grid, &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  if (status || tg_schedule_bind(&problem->schedule, &problem->names, &bindings, &error)) return status;
  return tg_problem_report(cli, problem, &error);
}

/* What computes something else is no slower and no faster. */
static TgExit check_computes(const TgCli *cli, const char *command, const TgProblem *problem, TgComputes *computes,
                             char **name) {
  const TgComputes *now = &problem->schedule.computes;
  char first[TG_FORMULA_BYTES], other[TG_FORMULA_BYTES];
  if (!*name) {
    *computes = *now;
    *name = g_strdup(tg_problem_name(problem));
  }
  tg_computes_text(computes, first);
  tg_computes_text(now, other);
  if (strcmp(first, other) == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "%s: %s computes %s, %s computes %s: a table compares times of schedules that compute the same",
                   command, *name, first, tg_problem_name(problem), other);
}

TgExit tg_algorithms_check(const TgCli *cli, const char *command) {
  char **set = cli->options.set, **algo = cli->options.arguments;
  g_autofree char *first = NULL;
  TgComputes computes;
  g_autofree bool *taken = g_new0(bool, set ? g_strv_length(set) + 1 : 1);
  for (; *algo; algo++) {
    g_auto(TgProblem) problem = {0};
    if (strcmp(*algo, "-") == 0)
      return tg_report(cli, TG_EXIT_USAGE,
                       "%s: a schedule on standard input is read once; for tables, put it in a file", command);
    TgExit status = tg_problem_parse(cli, &problem, *algo);
    if (!status) status = check_computes(cli, command, &problem, &computes, &first);
    if (status) return status;
    for (int i = 0; set && set[i]; i++) taken[i] = taken[i] || tg_sim_takes(&problem, set[i]);
  }
  for (int i = 0; set && set[i]; i++)
    if (!taken[i]) return tg_report(cli, TG_EXIT_USAGE, "--set %s: none of the ALGOs has such a parameter", set[i]);
  return TG_EXIT_DONE;
}

/* --- the options -------------------------------------------------------------------------------------------------- */

static TgExit fair_option(const TgCli *cli, TgSimRun *run) {
  const char *text = cli->options.fair;
  if (!text) return TG_EXIT_DONE;
  run->options.fair_equal = strcmp(text, "equal") == 0;
  if (!run->options.fair_equal && strcmp(text, "latency") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--fair %s: expected equal or latency", text);
  if (run->options.model == TG_COST_FLOW) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--fair needs --model flow: in the other models messages do not share links");
}

static TgExit model_option(const TgCli *cli, TgSimRun *run) {
  TgError error = {0};
  if (cli->options.model && !tg_cost_model_parse(cli->options.model, &run->options.model, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--model: %s", error.message);
  return fair_option(cli, run);
}

static TgExit overlap_option(const TgCli *cli, TgSimRun *run) {
  const char *text = cli->options.overlap;
  run->options.overlap = !text || strcmp(text, "on") == 0;
  if (!text || run->options.overlap || strcmp(text, "off") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--overlap %s: expected on or off", text);
}

static TgExit straggler_option(const TgCli *cli, TgSimRun *run) {
  const char *text = cli->options.straggler, *colon = text ? strchr(text, ':') : NULL;
  run->options.straggler = -1;
  if (!text) return TG_EXIT_DONE;
  if (!colon) return tg_report(cli, TG_EXIT_USAGE, "--straggler %s: expected NODE:FACTOR, as in 3:2.5", text);
  g_autofree char *node = g_strndup(text, (gsize)(colon - text));
  TgExit status = tg_number_parse(cli, "--straggler", node, 0, run->network.nodes - 1, &run->options.straggler);
  return status ? status : tg_real_parse(cli, "--straggler", colon + 1, 1, &run->options.straggler_factor);
}

static TgExit random_options(const TgCli *cli, TgSimRun *run) {
  int64_t seed = 1;
  TgExit status = tg_real_parse(cli, "--skew", cli->options.skew, 0, &run->options.skew_s);
  if (!status) status = tg_real_parse(cli, "--jitter", cli->options.jitter, 0, &run->options.jitter);
  if (!status) status = straggler_option(cli, run);
  if (!status && cli->options.seed) status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &seed);
  run->options.seed = (uint64_t)seed;
  return status;
}

static TgExit collective_option(const TgCli *cli, TgSimRun *run) {
  TgExit status = tg_collective_option(cli, &run->options.collective);
  if (run->options.collective == TG_COLLECTIVE_WHOLE) run->options.collective = TG_COLLECTIVE_AUTO;
  return status;
}

/* A kind alone ("mesh", "hypercube") is the network of that kind with a node for each processor. */
static TgExit whole_network(const TgCli *cli, const TgSchedule *schedule, char **text) {
  const char *kind = cli->options.network;
  int64_t processors = tg_schedule_processors(schedule);
  char grid[48];
  tg_schedule_grid_text(schedule, grid, sizeof grid);
  if (strcmp(kind, "torus") == 0 || strcmp(kind, "mesh") == 0) {
    *text = g_strdup_printf("%s:%s", kind, grid);
  } else if (strcmp(kind, "hypercube") == 0) {
    int bits = 0;
    while (INT64_C(1) << bits < processors) bits++;
    if (INT64_C(1) << bits != processors)
      return tg_report(cli, TG_EXIT_USAGE,
                       "--network hypercube: the grid %s has %" PRId64 " processors, no power of two; name the whole "
                       "network, as in hypercube:%d",
                       grid, processors, bits);
    *text = g_strdup_printf("hypercube:%d", bits);
  } else {
    *text = g_strdup_printf("%s:%" PRId64, kind, processors);
  }
  TgTopology network;
  if (tg_topology_parse(&network, *text, NULL)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "--network %s: the grid %s has %" PRId64 " processor%s, and there is no %s of so many nodes", kind,
                   grid, processors, processors == 1 ? "" : "s", kind);
}

static TgExit network_option(const TgCli *cli, TgSimRun *run) {
  static const char *const kinds[] = {"torus", "mesh", "ring", "line", "hypercube", "full", "switch", NULL};
  const TgSchedule *schedule = &run->problem->schedule;
  const char *own = tg_machine_own_network(cli, &run->machine, tg_schedule_processors(schedule));
  const char *name = own ? own : cli->options.network;
  g_autofree char *whole = NULL;
  TgExit status = TG_EXIT_DONE;
  if (name && g_strv_contains(kinds, name)) status = whole_network(cli, schedule, &whole);
  run->own_network = own != NULL;
  if (!status) status = tg_network_option(cli, whole ? whole : name, schedule, &run->network, &run->embedding);
  if (!status) tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  return status;
}

TgExit tg_sim_set_sizes(const TgCli *cli, TgSimRun *run, int64_t m, int64_t n, int64_t k) {
  GError *error = NULL;
  if (!tg_shape_init(&run->shape, &run->problem->schedule.computes, m, n, k, &error))
    return tg_report_error(cli, error);
  return TG_EXIT_DONE;
}

TgExit tg_sim_sizes(const TgCli *cli, TgSimRun *run) {
  int64_t m, n, k;
  bool given;
  TgExit status = tg_sizes_parse(cli, &m, &n, &k, &given);
  if (status) return status;
  if (!given) return tg_report(cli, TG_EXIT_USAGE, "sim: expected the sizes of the matrices, -n or --size");
  return tg_sim_set_sizes(cli, run, m, n, k);
}

static void warn_of_executor(const TgCli *cli, const TgMachine *machine) {
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++)
    if ((*kind)->unlike_sim && machine->executor.given && strcmp((*kind)->name, machine->executor.on) == 0)
      tg_report(cli, TG_EXIT_DONE, "warning: --machine %s was measured on %s, %s, unlike in topogemm compare",
                cli->options.machine, (*kind)->name, (*kind)->unlike_sim);
}

TgExit tg_sim_options(const TgCli *cli, TgSimRun *run) {
  if (cli->options.type && !tg_element_parse(cli->options.type, &run->element))
    return tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
  run->options.element_bytes = tg_element_bytes(run->element);
  TgExit status = tg_machine_option(cli, &run->machine);
  if (!status) warn_of_executor(cli, &run->machine);
  if (!status) status = model_option(cli, run);
  if (!status) status = overlap_option(cli, run);
  if (!status) status = collective_option(cli, run);
  if (!status) status = network_option(cli, run);
  if (!status) status = tg_sim_tiers(cli, run);
  return status ? status : random_options(cli, run);
}

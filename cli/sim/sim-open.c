/* The options of a prediction, and how its errors are reported. */
#include "executors.h"
#include "machine-option.h"
#include "memory-limit.h"
#include "sim-trace.h"
#include "sim.h"

#include <math.h>
#include <string.h>

/* The one of --grid's grids that has as many extents as the schedule has coordinates. */
static TgExit pick_grid(const TgCli *cli, const TgAlgo *algo, char **grid) {
  g_auto(GStrv) grids = g_strsplit(cli->options.grid, ",", -1);
  if (!*grids) return tg_report(cli, TG_EXIT_USAGE, "--grid: expected extents joined by x, as in 4x4");
  for (char **text = grids; *text; text++) {
    TgBindings any = {0};
    TgError error;
    if (!tg_bindings_grid(&any, *text, &error)) return tg_report(cli, TG_EXIT_USAGE, "--grid: %s", error.message);
  }
  for (char **text = grids; *text; text++) {
    g_auto(GStrv) extents = g_strsplit(*text, "x", -1);
    if (g_strv_length(grids) > 1 && (int)g_strv_length(extents) != algo->schedule.dims) continue;
    *grid = g_strdup(*text);
    return TG_EXIT_DONE;
  }
  return tg_report(cli, TG_EXIT_USAGE, "--grid %s: none of these fits %s, whose grid is %s; add one with %d extent%s",
                   cli->options.grid, tg_algo_name(algo), tg_name(&algo->names, algo->names.grid), algo->schedule.dims,
                   algo->schedule.dims == 1 ? "" : "s");
}

bool tg_sim_takes(const TgAlgo *algo, const char *set) {
  const char *sign = strchr(set, '=');
  for (int p = 0; sign && p < algo->schedule.parameters; p++) {
    const char *name = tg_name(&algo->names, algo->names.parameter[p]);
    if (strlen(name) == (size_t)(sign - set) && strncmp(name, set, strlen(name)) == 0) return true;
  }
  return !sign;
}

TgExit tg_sim_bindings(const TgCli *cli, const TgAlgo *algo, bool several, bool grids, TgBindings *bindings) {
  TgError error = {0};
  g_autofree char *grid = NULL;
  TgExit status = TG_EXIT_DONE;
  for (char **set = cli->options.set; set && *set && !status; set++)
    if (!several || tg_sim_takes(algo, *set)) status = tg_set_option(cli, bindings, *set);
  if (!status && grids && cli->options.grid) status = pick_grid(cli, algo, &grid);
  if (status || !grid || tg_bindings_grid(bindings, grid, &error)) return status;
  return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
}

TgExit tg_sim_bind(const TgCli *cli, TgAlgo *algo, const char *name, bool several) {
  TgBindings bindings = {0};
  TgError error = {0};
  TgExit status = tg_algo_parse(cli, algo, name);
  if (!status) status = tg_sim_bindings(cli, algo, several, true, &bindings);
  if (status || tg_schedule_bind(&algo->schedule, &algo->names, &bindings, &error)) return status;
  return tg_algo_report(cli, algo, &error);
}

/* What computes something else is no slower and no faster. */
static TgExit check_computes(const TgCli *cli, const char *command, const TgAlgo *algo, TgComputes *computes,
                             char **name) {
  const TgComputes *now = &algo->schedule.computes;
  if (!*name) {
    *computes = *now;
    *name = g_strdup(tg_algo_name(algo));
  }
  const TgText first = tg_computes_text(computes);
  const TgText other = tg_computes_text(now);
  if (strcmp(first.s, other.s) == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "%s: %s computes %s, but %s computes %s: a table compares schedules that compute the same product",
                   command, *name, first.s, tg_algo_name(algo), other.s);
}

TgExit tg_algorithms_check(const TgCli *cli, const char *command) {
  char **set = cli->options.set, **name = cli->options.arguments;
  g_autofree char *first = NULL;
  TgComputes computes;
  g_autofree bool *taken = g_new0(bool, set ? g_strv_length(set) + 1 : 1);
  for (; *name; name++) {
    g_auto(TgAlgo) algo = {0};
    if (strcmp(*name, "-") == 0)
      return tg_report(cli, TG_EXIT_USAGE,
                       "%s: standard input can be read only once; for a table, put the schedule in a file", command);
    TgExit status = tg_algo_parse(cli, &algo, *name);
    if (!status) status = check_computes(cli, command, &algo, &computes, &first);
    if (status) return status;
    for (int i = 0; set && set[i]; i++) taken[i] = taken[i] || tg_sim_takes(&algo, set[i]);
  }
  for (int i = 0; set && set[i]; i++)
    if (!taken[i]) return tg_report(cli, TG_EXIT_USAGE, "--set %s: none of the ALGOs has this parameter", set[i]);
  return TG_EXIT_DONE;
}

/* --- the options -------------------------------------------------------------------------------------------------- */

static TgExit fair_option(const TgCli *cli, TgCostOptions *cost) {
  const char *text = cli->options.fair;
  if (!text) return TG_EXIT_DONE;
  cost->fair_equal = strcmp(text, "equal") == 0;
  if (!cost->fair_equal && strcmp(text, "latency") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--fair %s: expected equal or latency", text);
  if (cost->model == TG_COST_FLOW) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "--fair needs --model flow: the other models do not divide a link's bandwidth by weight");
}

static TgExit buffers_option(const TgCli *cli, TgCostOptions *cost) {
  int64_t buffers = TG_COST_BUFFERS;
  if (cli->options.buffers && !cost->overlap)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--buffers needs --overlap on: with --overlap off nothing is buffered; leave out one of them");
  const TgExit status = tg_number_parse(cli, "--buffers", cli->options.buffers, 1, TG_COST_MOST_BUFFERS, &buffers);
  cost->buffers = (int32_t)buffers;
  return status;
}

TgExit tg_sim_model(const TgCli *cli, TgCostOptions *cost) {
  TgError error = {0};
  const char *overlap = cli->options.overlap;
  if (cli->options.model && !tg_cost_model_parse(cli->options.model, &cost->model, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--model: %s", error.message);
  const TgExit status = fair_option(cli, cost);
  cost->overlap = !overlap || strcmp(overlap, "on") == 0;
  if (status) return status;
  if (!cost->overlap && strcmp(overlap, "off") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--overlap %s: expected on or off", overlap);
  return buffers_option(cli, cost);
}

static TgExit straggler_option(const TgCli *cli, TgCostOptions *cost) {
  const char *text = cli->options.straggler, *colon = text ? strchr(text, ':') : NULL;
  cost->straggler = -1;
  if (!text) return TG_EXIT_DONE;
  if (!colon) return tg_report(cli, TG_EXIT_USAGE, "--straggler %s: expected NODE:FACTOR, as in 3:2.5", text);
  g_autofree char *node = g_strndup(text, (gsize)(colon - text));
  TgExit status = tg_number_parse(cli, "--straggler node", node, 0, INT32_MAX, &cost->straggler);
  return status ? status : tg_real_parse(cli, "--straggler factor", colon + 1, 1, &cost->straggler_factor);
}

static TgExit random_options(const TgCli *cli, TgCostOptions *cost) {
  TgExit status = tg_real_parse(cli, "--skew", cli->options.skew, 0, &cost->skew_s);
  if (!status) status = tg_real_parse(cli, "--jitter", cli->options.jitter, 0, &cost->jitter);
  if (!status) status = straggler_option(cli, cost);
  return status ? status : tg_seed_option(cli, &cost->seed);
}

static TgExit collective_option(const TgCli *cli, TgCostOptions *cost) {
  TgExit status = tg_collective_option(cli, &cost->collective);
  if (cost->collective == TG_COLLECTIVE_WHOLE) cost->collective = TG_COLLECTIVE_AUTO;
  return status;
}

TgExit tg_sim_settings(const TgCli *cli, TgMachine *machine, TgElement *element, TgCostOptions *cost) {
  TgExit status = tg_type_option(cli, element);
  if (status) return status;
  cost->element_bytes = tg_element_bytes(*element);
  status = tg_machine_option(cli, machine, NULL);
  if (!status) status = tg_sim_model(cli, cost);
  if (!status) status = collective_option(cli, cost);
  if (!status) status = tg_sim_tiers(cli, machine, *element, cost);
  return status ? status : random_options(cli, cost);
}

static TgExit sizes_option(const TgCli *cli, TgEstimate *run) {
  int64_t m, n, k;
  GError *error = NULL;
  const TgExit status = tg_sizes_require(cli, "sim", &m, &n, &k);
  if (status) return status;
  if (tg_shape_init(&run->shape, &run->schedule->computes, m, n, k, &error)) return TG_EXIT_DONE;
  return tg_report_error(cli, error);
}

TgExit tg_sim_open(TgCli *cli, TgSimRun *run, const char *name, bool several) {
  TgEstimate *estimate = &run->estimate;
  TgTierOptions *tiers = &estimate->options.tiers;
  TgEmbeddingKind embedding;
  GError *error = NULL;
  TgExit status = tg_sim_bind(cli, &run->algo, name, several);
  estimate->schedule = &run->algo.schedule;
  estimate->names = &run->algo.names;
  if (!status) status = sizes_option(cli, estimate);
  if (!status) status = tg_sim_settings(cli, &estimate->machine, &estimate->element, &estimate->options);
  if (!status) status = tg_sim_buffers(cli, &run->algo, &tiers->in_memory, &tiers->by_rows);
  if (!status) status = tg_embed_option(cli, &embedding);
  if (status) return status;
  if (tg_schedule_processors(&run->algo.schedule) > 1) tg_executor_warn(cli, &estimate->machine);
  estimate->formula = tg_algo_formula(&run->algo);
  if (tg_estimate_place(estimate, cli->options.network, embedding, &error)) return TG_EXIT_DONE;
  return tg_sim_failed(cli, &run->algo, &estimate->fault, error);
}

/* --- the prediction ----------------------------------------------------------------------------------------------- */

void tg_sim_clear(TgSimRun *run) {
  tg_formula_free((TgFormula *)run->estimate.formula);
  g_free((int32_t *)run->estimate.options.node_group);
  tg_estimate_clear(&run->estimate);
  tg_cost_clear(&run->cost);
  tg_algo_clear(&run->algo);
}

TgExit tg_sim_failed(TgCli *cli, const TgAlgo *algo, const TgEstimateFault *fault, GError *error) {
  g_autoptr(GError) freed = error;
  if (fault->need_bytes > 0) return tg_memory_refuse(cli, fault->need_of, fault->need_bytes);
  if (*fault->failure.message && g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE))
    return tg_algo_report_failure(cli, algo, &fault->failure);
  if (*fault->failure.message) return tg_algo_report(cli, algo, &fault->failure);
  if (g_strcmp0(fault->field, "network") == 0 || g_strcmp0(fault->field, "straggler") == 0)
    return tg_report(cli, TG_EXIT_USAGE, "--%s: %s", fault->field, error->message);
  return tg_report_error(cli, g_steal_pointer(&freed));
}

/* Of the events of a trace: its text, in a buffer that grows by doubling. */
static double trace_bytes(const TgCli *cli, const TgEstimate *run) {
  enum { EVENT_BYTES = 400, EVENTS_AT_ONCE = 8 }; /* of a processor in a statement */
  if (!cli->options.trace) return 0;
  const double statements = (double)tg_walk_count_statements(run->schedule, run->names);
  const double at_work = statements * (double)tg_schedule_processors(run->schedule);
  return fmin(EVENTS_AT_ONCE * at_work, TG_SIM_TRACE_EVENTS) * EVENT_BYTES;
}

TgExit tg_sim_prove(TgCli *cli, TgSimRun *run) {
  TgEstimate *estimate = &run->estimate;
  GError *error = NULL;
  estimate->more_bytes += trace_bytes(cli, estimate);
  estimate->memory_limit_bytes = (double)tg_memory_limit(cli);
  if (tg_estimate_prove(estimate, &error)) return TG_EXIT_DONE;
  return tg_sim_failed(cli, &run->algo, &estimate->fault, error);
}

TgExit tg_sim_predict(TgCli *cli, TgSimRun *run) {
  GError *error = NULL;
  if (tg_estimate_predict(&run->estimate, &run->cost, &error)) return TG_EXIT_DONE;
  return tg_sim_failed(cli, &run->algo, &run->estimate.fault, error);
}

void tg_sim_warn_memory(const TgCli *cli, const TgEstimate *run) {
  const TgEstimateMemory *memory = &run->memory;
  if (memory->fits || run->options.tiers.used) return;
  tg_report(cli, TG_EXIT_DONE,
            "warning: %s on %s does not fit: a node needs %s%s for its blocks but has %s; use more processors or "
            "smaller matrices",
            tg_sim_name(run), tg_schedule_grid_text(run->schedule).s,
            memory->at_least         ? "at least "
            : memory->processors > 1 ? "up to "
                                     : "",
            tg_bytes_text(memory->node_bytes).s, tg_bytes_text(run->machine.processor.memory_bytes).s);
}

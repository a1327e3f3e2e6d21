/* The options of a prediction. */
#include "executors.h"
#include "machine-option.h"
#include "sim.h"

#include <math.h>
#include <string.h>

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
  TgCli whole = *cli;
  g_autofree char *text = NULL;
  TgExit status = TG_EXIT_DONE;
  if (cli->options.network && g_strv_contains(kinds, cli->options.network)) {
    status = whole_network(cli, &run->problem.schedule, &text);
    whole.options.network = text;
  }
  const char *own = tg_machine_own_network(cli, &run->machine, tg_schedule_processors(&run->problem.schedule));
  run->own_network = own != NULL;
  if (own) whole.options.network = (char *)own;
  if (!status) status = tg_network_option(&whole, &run->problem.schedule, &run->network, &run->embedding);
  if (!status) tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  return status;
}

TgExit tg_sim_set_sizes(const TgCli *cli, TgSimRun *run, int64_t m, int64_t n, int64_t k) {
  GError *error = NULL;
  if (!tg_shape_init(&run->shape, &run->problem.schedule.computes, m, n, k, &error)) return tg_report_error(cli, error);
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

/* topogemm plan: which schedule, on which grid. */
#include "machine-option.h"
#include "memory-limit.h"
#include "plan-command.h"
#include "sim.h"

#include "algo-library.h"

#include <math.h>
#include <string.h>

/* About how long a plan may take on one core; it is counted, not measured, so that equal questions get equal answers.
 */
static const double work_s = 4;

static void run_clear(TgPlanRun *run) {
  for (int p = 0; p < run->count; p++) tg_problem_clear(&run->problems[p]);
  g_free(run->problems);
  g_free(run->sources);
  tg_plan_clear(&run->plan);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgPlanRun, run_clear)

static TgExit add_schedule(const TgCli *cli, TgPlanRun *run, const char *algo, bool proved) {
  TgProblem *problem = &run->problems[run->count];
  TgExit status = tg_problem_parse(cli, problem, algo);
  run->sources[run->count] = (TgPlanSource){&problem->schedule, &problem->names, tg_problem_name(problem), proved};
  run->count++;
  return status;
}

static bool is_known(const TgPlanRun *run, const char *name) {
  for (int s = 0; s < run->count; s++)
    if (strcmp(run->sources[s].name, name) == 0) return true;
  return false;
}

/* The library, and then what the command line adds to it. */
static TgExit open_schedules(const TgCli *cli, TgPlanRun *run) {
  size_t library;
  const TgLibraryEntry *entries = tg_library_list(&library);
  guint own = cli->options.arguments ? g_strv_length(cli->options.arguments) : 0;
  run->problems = g_new0(TgProblem, library + own);
  run->sources = g_new0(TgPlanSource, library + own);
  TgExit status = TG_EXIT_DONE;
  for (size_t e = 0; e < library && !status; e++) status = add_schedule(cli, run, entries[e].name, true);
  run->library = run->count;
  for (guint a = 0; a < own && !status; a++) {
    const char *path = cli->options.arguments[a];
    if (tg_library_find(path))
      return tg_report(cli, TG_EXIT_USAGE, "plan takes every schedule of the library anyway; %s is one", path);
    status = add_schedule(cli, run, path, false);
    const char *name = run->sources[run->count - 1].name;
    run->count--;
    bool known = !status && is_known(run, name);
    run->count++;
    if (known)
      return tg_report(cli, TG_EXIT_USAGE, "%s: there is a schedule `%s` already; give it a name of its own", path,
                       name);
  }
  return status;
}

static TgExit sizes_option(const TgCli *cli, TgPlanRequest *request) {
  bool given;
  TgExit status = tg_sizes_parse(cli, &request->m, &request->n, &request->k, &given);
  if (status) return status;
  if (!given) return tg_report(cli, TG_EXIT_USAGE, "plan: expected the sizes of the matrices, -n or --size");
  if (!cli->options.procs) return tg_report(cli, TG_EXIT_USAGE, "plan: expected the number of processors, --procs");
  return tg_number_parse(cli, "--procs", cli->options.procs, 1, TG_MAX_PROCESSORS, &request->processors);
}

static TgExit type_option(const TgCli *cli, TgPlanRun *run) {
  if (cli->options.type && !tg_element_parse(cli->options.type, &run->element))
    return tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
  run->request.element_bytes = tg_element_bytes(run->element);
  return TG_EXIT_DONE;
}

static TgExit fair_option(const TgCli *cli, TgPlanRequest *request) {
  const char *text = cli->options.fair;
  if (!text) return TG_EXIT_DONE;
  request->fair_equal = strcmp(text, "equal") == 0;
  if (!request->fair_equal && strcmp(text, "latency") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--fair %s: expected equal or latency", text);
  if (request->model == TG_COST_FLOW) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--fair needs --model flow: in the other models messages do not share links");
}

static TgExit model_options(const TgCli *cli, TgPlanRequest *request) {
  TgError error = {0};
  const char *overlap = cli->options.overlap;
  if (cli->options.model && !tg_cost_model_parse(cli->options.model, &request->model, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--model: %s", error.message);
  request->overlap = !overlap || strcmp(overlap, "on") == 0;
  if (!request->overlap && strcmp(overlap, "off") != 0)
    return tg_report(cli, TG_EXIT_USAGE, "--overlap %s: expected on or off", overlap);
  return fair_option(cli, request);
}

static TgExit memory_option(const TgCli *cli, TgPlanRun *run) {
  const char *text = cli->options.memory_bytes;
  double *bytes = &run->request.memory_bytes;
  *bytes = run->machine.processor.memory_bytes;
  if (!text || (tg_real_read(text, bytes) && *bytes > 0)) return TG_EXIT_DONE;
  *bytes = INFINITY;
  if (g_ascii_strcasecmp(text, "inf") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--memory %s: expected bytes above 0, as in 16e9, or inf", text);
}

/* True for a kind alone ("mesh"): a network of that kind for each grid. */
static bool takes_kind(const char *text, TgPlanRun *run) {
  for (int kind = 0; text && kind < TG_NETWORK_KINDS && !run->network_kind; kind++) {
    const char *name = tg_network_kind_info(kind)->name;
    if (strcmp(text, name) != 0) continue;
    run->network_kind = name;
    run->request.network_kind = (TgNetworkKind)kind;
  }
  return run->network_kind != NULL;
}

/* The network that is named; else the machine's own, if it has as many nodes as there are processors; else none. */
static TgExit network_option(const TgCli *cli, TgPlanRun *run) {
  TgError error = {0};
  const char *text = cli->options.network;
  if (takes_kind(text, run)) return TG_EXIT_DONE;
  if (text && !tg_topology_parse(&run->network, text, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  run->has_network = text || (*run->machine.network && tg_topology_parse(&run->network, run->machine.network, NULL) &&
                              run->network.nodes == run->request.processors);
  if (run->has_network) tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  run->request.network = run->has_network ? &run->network : NULL;
  return TG_EXIT_DONE;
}

static TgExit open_run(const TgCli *cli, TgPlanRun *run) {
  int64_t top = 10;
  TgExit status = sizes_option(cli, &run->request);
  if (!status) status = type_option(cli, run);
  if (!status) status = tg_machine_option(cli, &run->machine);
  if (!status) status = model_options(cli, &run->request);
  if (!status) status = memory_option(cli, run);
  if (!status) status = network_option(cli, run);
  if (!status && cli->options.top) status = tg_number_parse(cli, "--top", cli->options.top, 1, 1000, &top);
  if (!status) status = open_schedules(cli, run);
  run->request.top = (int)top;
  run->request.machine = &run->machine;
  run->request.work_s = work_s;
  run->request.proof_bytes = (double)tg_memory_limit(cli);
  return status;
}

/* Exit 1: nothing fits. */
static TgExit report_none(const TgCli *cli, const TgPlanRun *run) {
  char need[32], have[32];
  if (run->plan.least_bytes == 0 && run->plan.too_long > 0)
    return tg_report(cli, TG_EXIT_FAILED, "every prediction would take too long; a quicker model is hockney");
  if (run->plan.least_bytes == 0) return tg_report(cli, TG_EXIT_FAILED, "no schedule goes on these processors");
  tg_bytes_text(run->plan.least_bytes, need, sizeof need);
  tg_bytes_text(run->request.memory_bytes, have, sizeof have);
  return tg_report(cli, TG_EXIT_FAILED, "nothing fits in %s a processor; the least that one of them needs is %s", have,
                   need);
}

static TgExit run(TgCli *cli) {
  g_auto(TgPlanRun) run = {.element = TG_F32};
  GError *error = NULL;
  TgExit status = open_run(cli, &run);
  if (status) return status;
  if (!tg_plan(&run.request, run.sources, run.count, &run.plan, &error)) return tg_report_error(cli, error);
  if (cli->options.json)
    tg_plan_print_json(cli, &run);
  else
    tg_plan_print(cli, &run);
  return run.plan.ranked->len ? TG_EXIT_DONE : report_none(cli, &run);
}

static const char *const options[] = {"n",     "size", "type",    "procs", "machine", "network",      "memory:bytes",
                                      "model", "fair", "overlap", "top",   "json",    "memory-limit", NULL};
static const TgExample examples[] = {
    {"plan -n 4096 --procs 64", "the ten fastest plans on the commodity cluster, and why"},
    {"plan --size 16384x1024x4096 --procs 12 --machine tpu-torus --top 3", "rectangular matrices on twelve processors"},
    {"plan -n 8192 --procs 32 --machine h200x32 --overlap off", "on the machine's own two-level network"},
    {"plan -n 1024 --procs 64 --memory 1e6 --json", "with one megabyte of memory for each processor"},
    {NULL, NULL},
};

const TgCommand tg_command_plan = {
    .name = "plan",
    .arguments = "[FILE.sched…]",
    .summary = "rank schedules, grids and parameters by predicted time within a memory limit",
    .details = "Tries every schedule of the library that computes C = A * B, and those in the files named, on every "
               "grid of P or fewer processors that it supports. It varies the parameters (such as the width of "
               "panels), the algorithms for collectives, and the embeddings that make a difference. A lower bound "
               "rules most candidates out quickly; the rest are predicted as `topogemm sim` does.\n"
               "Each line of the ranking is a schedule on a grid, with its best parameters. Lines marked = are ties: "
               "they differ from the first by less than the machine model's residual error. docs/guide/plan.md "
               "explains the method and its limits.",
    .examples = examples,
    .options = options,
    .arguments_min = 0,
    .arguments_max = 64,
    .run = run,
};

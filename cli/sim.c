/* topogemm sim: what a schedule would cost on a machine. */
#include "sim.h"

#include "input-bytes.h"
#include "machine-library.h"
#include "output.h"

#include <math.h>
#include <string.h>

/* Models of the design that this version does not have yet. */
static const char *const later[] = {"store-and-forward", "flow", "loggp", NULL};

void tg_sim_clear(TgSimRun *run) {
  tg_problem_clear(&run->problem);
  tg_cost_clear(&run->cost);
  tg_formula_free(run->formula);
  g_free(run->closed_form_why);
}

static TgExit parse_machine(const TgCli *cli, TgSimRun *run, const TgSource *source) {
  TgError error = {0};
  if (tg_machine_parse(&run->machine, source->text, source->length, &error)) return TG_EXIT_DONE;
  return tg_report_at(cli, TG_EXIT_USAGE, source, error.line, error.column, error.message);
}

static TgExit machine_option(const TgCli *cli, TgSimRun *run) {
  const char *name = cli->options.machine ? cli->options.machine : "commodity-cluster";
  const TgMachineEntry *entry = tg_machine_library_find(name);
  if (entry) {
    g_autofree char *path = g_strdup_printf("machines/%s.machine", name);
    return parse_machine(cli, run, &(TgSource){path, entry->text, entry->length});
  }
  if (!strchr(name, '/') && !g_str_has_suffix(name, ".machine"))
    return tg_report(cli, TG_EXIT_USAGE,
                     "--machine %s: no machine of the library; see `topogemm list machines`, or give a file", name);
  GError *error = NULL;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(name, 1 << 20, &error);
  if (!bytes) return tg_report_error(cli, error);
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return parse_machine(cli, run, &(TgSource){name, text ? text : "", length});
}

static TgExit model_option(const TgCli *cli, TgSimRun *run) {
  TgError error = {0};
  if (!cli->options.model || tg_cost_model_parse(cli->options.model, &run->options.model, &error)) return TG_EXIT_DONE;
  if (g_strv_contains(later, cli->options.model))
    return tg_report(cli, TG_EXIT_MISSING, "--model %s is not in this version, hockney is", cli->options.model);
  return tg_report(cli, TG_EXIT_USAGE, "--model: %s", error.message);
}

static TgExit overlap_option(const TgCli *cli, TgSimRun *run) {
  const char *text = cli->options.overlap;
  run->options.overlap = !text || strcmp(text, "on") == 0;
  if (!text || run->options.overlap || strcmp(text, "off") == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--overlap %s: expected on or off", text);
}

static TgExit real_option(const TgCli *cli, const char *name, const char *text, double least, double *value) {
  char *end = NULL;
  if (!text) return TG_EXIT_DONE;
  *value = g_ascii_strtod(text, &end);
  if (end != text && !*end && isfinite(*value) && *value >= least) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected a number of at least %g", name, text, least);
}

static TgExit straggler_option(const TgCli *cli, TgSimRun *run) {
  const char *text = cli->options.straggler, *colon = text ? strchr(text, ':') : NULL;
  run->options.straggler = -1;
  if (!text) return TG_EXIT_DONE;
  if (!colon) return tg_report(cli, TG_EXIT_USAGE, "--straggler %s: expected NODE:FACTOR, as in 3:2.5", text);
  g_autofree char *node = g_strndup(text, (gsize)(colon - text));
  TgExit status = tg_number_parse(cli, "--straggler", node, 0, run->network.nodes - 1, &run->options.straggler);
  return status ? status : real_option(cli, "--straggler", colon + 1, 1, &run->options.straggler_factor);
}

static TgExit random_options(const TgCli *cli, TgSimRun *run) {
  int64_t seed = 1;
  TgExit status = real_option(cli, "--skew", cli->options.skew, 0, &run->options.skew_s);
  if (!status) status = real_option(cli, "--jitter", cli->options.jitter, 0, &run->options.jitter);
  if (!status) status = straggler_option(cli, run);
  if (!status && cli->options.seed) status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &seed);
  run->options.seed = (uint64_t)seed;
  return status;
}

static TgExit sizes_option(const TgCli *cli, TgSimRun *run) {
  int64_t m, n, k;
  bool given;
  GError *error = NULL;
  TgExit status = tg_sizes_parse(cli, &m, &n, &k, &given);
  if (status) return status;
  if (!given) return tg_report(cli, TG_EXIT_USAGE, "sim: expected the sizes of the matrices, -n or --size");
  if (!tg_shape_init(&run->shape, &run->problem.schedule.computes, m, n, k, &error)) return tg_report_error(cli, error);
  if (cli->options.type && !tg_element_parse(cli->options.type, &run->element))
    return tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
  run->options.element_bytes = tg_element_bytes(run->element);
  return TG_EXIT_DONE;
}

static TgExit collective_option(const TgCli *cli, TgSimRun *run) {
  TgExit status = tg_collective_option(cli, &run->options.collective);
  if (run->options.collective == TG_COLLECTIVE_WHOLE) run->options.collective = TG_COLLECTIVE_AUTO;
  return status;
}

static TgExit open_run(const TgCli *cli, TgSimRun *run) {
  TgEmbedding embedding;
  TgError error = {0};
  TgExit status = tg_problem_open(cli, &run->problem);
  if (!status) status = sizes_option(cli, run);
  if (!status) status = machine_option(cli, run);
  if (!status) status = model_option(cli, run);
  if (!status) status = overlap_option(cli, run);
  if (!status) status = collective_option(cli, run);
  if (!status) status = tg_network_option(cli, &run->problem.schedule, &run->network, &embedding);
  if (!status) status = random_options(cli, run);
  if (status) return status;
  tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  if (cli->options.embed) tg_embedding_kind_parse(&run->embedding, cli->options.embed, &error);
  return TG_EXIT_DONE;
}

static TgExit run(TgCli *cli) {
  g_auto(TgSimRun) sim = {.element = TG_F32, .embedding = TG_ROWMAJOR};
  GError *error = NULL;
  TgError endless = {0};
  TgExit status = open_run(cli, &sim);
  if (status) return status;
  if (!tg_walk_ends(&sim.problem.schedule, &sim.problem.names, &endless))
    return tg_problem_report(cli, &sim.problem, &endless);
  if (!tg_cost_predict(&sim.problem.schedule, &sim.problem.names, &sim.shape, &sim.network, sim.embedding, &sim.machine,
                       &sim.options, &sim.cost, &error))
    return tg_report_error(cli, error);
  tg_sim_closed_form(&sim);
  if (cli->options.json)
    tg_sim_print_json(cli, &sim);
  else
    tg_sim_print(cli, &sim);
  return TG_EXIT_DONE;
}

static const char *const options[] = {"grid",   "set",       "n",     "size",       "type",    "network",
                                      "embed",  "machine",   "model", "collective", "overlap", "skew",
                                      "jitter", "straggler", "seed",  "json",       NULL};
static const TgExample examples[] = {
    {"sim cannon -n 4096 --grid 8x8", "on the commodity cluster, beside the closed form of the literature"},
    {"sim summa -n 4096 --grid 4x4 --collective chain", "broadcasts as pipelined chains"},
    {"sim dns -n 1024 --grid 4x4x4 --network hypercube:6 --machine commodity-cluster", "on another network"},
    {"sim cannon -n 4096 --grid 8x8 --skew 1e-3 --straggler 5:2", "random starts, and one slow node"},
    {NULL, NULL},
};

const TgCommand tg_command_sim = {
    .name = "sim",
    .arguments = "ALGO",
    .summary = "predict the time of a schedule on a machine, step by step",
    .details =
        "Every node has a clock of its own: a transfer begins when sender and receiver have come to it, a product when "
        "its blocks are there, and nothing waits for a step. The model is hockney: a message takes the link's latency, "
        "a time for each hop after the first, and its bytes over the bandwidth; links are never shared. Collectives go "
        "in rounds; "
        "native means auto here, and what travels from one node to another in a round is one message. A machine is a "
        "name of `topogemm list machines` or a file; docs/machines.md has its keys, docs/models.md the equations.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

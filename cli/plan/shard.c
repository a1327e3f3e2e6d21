/* topogemm shard: which schedules do what a sharding asks for. */
#include "algo.h"
#include "machine-option.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "sim.h"

#include "shard.h"
#include "text-units.h"

#include <string.h>

typedef struct TgShardRun {
  TgShardProblem problem;
  TgShardRequest request;
  TgElement element;
  TgMachine machine;
  TgTopology network;
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  int64_t top;
  TgShardPlans plans;
} TgShardRun;

static void run_clear(TgShardRun *run) {
  tg_shard_plans_clear(&run->plans);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgShardRun, run_clear)

/* --- options ------------------------------------------------------------------------------------------------------ */

static TgExit problem_option(const TgCli *cli, TgShardProblem *problem) {
  GError *error = NULL;
  if (!cli->options.mesh) return tg_report(cli, TG_EXIT_USAGE, "shard: expected the mesh, as in --mesh x=4,y=2");
  if (!tg_shard_mesh_parse(problem, cli->options.mesh, &error)) {
    g_prefix_error(&error, "--mesh: ");
    return tg_report_error(cli, error);
  }
  return tg_shard_parse(problem, cli->options.arguments[0], &error) ? TG_EXIT_DONE : tg_report_error(cli, error);
}

static TgExit budget_option(const TgCli *cli, double *budget_s) {
  const char *text = cli->options.budget;
  const double most_s = 1e6;
  *budget_s = 4;
  if (!text || (tg_real_read(text, budget_s) && *budget_s > 0 && *budget_s <= most_s)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--budget %s: expected a number of seconds above 0 and at most %.0f", text,
                   most_s);
}

/* That of the option, else the machine's own, else a torus of the mesh's extents. */
static TgExit network_option(const TgCli *cli, TgShardRun *run) {
  const TgShardProblem *problem = &run->problem;
  TgError error = {0};
  TgEmbedding embedding;
  int64_t processors = 1;
  for (int a = 0; a < problem->axes; a++) processors *= problem->extent[a];
  const char *name = cli->options.network;
  if (!name) name = tg_machine_own_network(&run->machine, processors);
  if (!tg_topology_for_grid(&run->network, name, problem->axes, problem->extent, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  if (!tg_embedding_init(&embedding, TG_ROWMAJOR, problem->axes, problem->extent, &run->network, &error))
    return tg_report(cli, TG_EXIT_USAGE, "the mesh does not fit the network: %s", error.message);
  tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  return TG_EXIT_DONE;
}

static TgExit open_run(const TgCli *cli, TgShardRun *run) {
  TgShardRequest *request = &run->request;
  run->top = 10;
  TgExit status = problem_option(cli, &run->problem);
  if (!status) status = tg_sizes_require(cli, "shard", &request->m, &request->n, &request->k);
  if (!status) status = tg_type_option(cli, &run->element);
  if (!status) status = tg_machine_option(cli, &run->machine, NULL);
  if (!status) status = tg_sim_model(cli, &request->options);
  if (!status) status = network_option(cli, run);
  if (!status) status = budget_option(cli, &request->budget_s);
  if (!status) status = tg_number_parse(cli, "--top", cli->options.top, 1, 1000, &run->top);
  if (status) return status;
  request->element_bytes = (int64_t)tg_element_bytes(run->element);
  request->options.element_bytes = request->element_bytes;
  request->options.straggler = -1;
  request->machine = &run->machine;
  request->network = &run->network;
  request->limit_bytes = (double)tg_memory_limit(cli);
  return TG_EXIT_DONE;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The first plan, or each of the table where the name has a %d for its number. */
static TgExit write_files(TgCli *cli, const TgShardRun *run) {
  const char *path = cli->options.output, *mark = path ? strstr(path, "%d") : NULL;
  const guint count = !path ? 0 : mark ? MIN(run->plans.plan->len, (guint)run->top) : 1;
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  for (guint p = 0; p < count; p++)
    g_ptr_array_add(paths,
                    mark ? g_strdup_printf("%.*s%u%s", (int)(mark - path), path, p + 1, mark + 2) : g_strdup(path));
  g_ptr_array_add(paths, NULL);
  TgExit status = mark ? tg_output_files_distinct(cli, (const char *const *)paths->pdata) : TG_EXIT_DONE;
  for (guint p = 0; p < count && !status; p++) {
    const TgShardPlan *plan = g_ptr_array_index(run->plans.plan, p);
    const char *name = g_ptr_array_index(paths, p);
    status = tg_output_file_write(cli, name, plan->text, strlen(plan->text));
    if (!status && !cli->options.json && !cli->options.quiet) tg_output_files_say(cli, g_strdup_printf("%s\n", name));
  }
  return status;
}

/* --- output ------------------------------------------------------------------------------------------------------- */

static double memory_of(const TgShardRun *run, const TgShardPlan *plan) {
  return (double)plan->proof.counts.words_per_processor_max * (double)run->request.element_bytes;
}

static double received_of(const TgShardRun *run, const TgShardPlan *plan) {
  return (double)plan->proof.words_received_max * (double)run->request.element_bytes;
}

static void write_plan(TgJson *json, const TgShardRun *run, const TgShardPlan *plan) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "mesh_split", plan->split);
  tg_json_member_string(json, "mesh_collectives", plan->collectives);
  tg_json_member_double(json, "predicted_s", plan->cost.time_s);
  tg_json_member_double(json, "compute_s", plan->cost.compute_s);
  tg_json_member_double(json, "communication_s", plan->cost.communication_s);
  tg_json_member_double(json, "bytes_per_processor", memory_of(run, plan));
  tg_json_member_double(json, "bytes_received_max", received_of(run, plan));
  tg_json_member_integer(json, "messages", plan->proof.counts.messages);
  tg_json_member_string(json, "text", plan->text);
  tg_json_end_object(json);
}

static void print_json(TgCli *cli, const TgShardRun *run) {
  const TgShardRequest *request = &run->request;
  g_autofree char *sharding = tg_shard_text(&run->problem);
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "shard");
  tg_json_member_string(json, "sharding", sharding);
  tg_json_key(json, "mesh");
  tg_json_begin_object(json, TG_JSON_ROW);
  for (int a = 0; a < run->problem.axes; a++)
    tg_json_member_integer(json, run->problem.axis[a], run->problem.extent[a]);
  tg_json_end_object(json);
  tg_json_member_integer(json, "m", request->m);
  tg_json_member_integer(json, "n", request->n);
  tg_json_member_integer(json, "k", request->k);
  tg_json_member_string(json, "type", tg_element_name(run->element));
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "model", tg_cost_model_name(request->options.model));
  tg_json_member_bool(json, "overlap", request->options.overlap);
  tg_json_member_integer(json, "considered", run->plans.considered);
  tg_json_member_integer(json, "too_long", run->plans.too_long);
  tg_json_member_integer(json, "too_slow", run->plans.too_slow);
  tg_json_member_integer(json, "too_large", run->plans.too_large);
  tg_json_member_array(json, "ranked", TG_JSON_LINES);
  for (guint p = 0; p < run->plans.plan->len && p < (guint)run->top; p++)
    write_plan(json, run, g_ptr_array_index(run->plans.plan, p));
  tg_json_end_array(json);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

static void add_plan(TgTable *table, const TgShardRun *run, const TgShardPlan *plan, guint number) {
  tg_table_add(table, "%u", number);
  tg_table_add(table, "%s", plan->split);
  tg_table_add(table, "%s", tg_time_text(plan->cost.time_s).s);
  tg_table_add(table, "%s", tg_time_text(plan->cost.compute_s).s);
  tg_table_add(table, "%s", tg_time_text(plan->cost.communication_s).s);
  tg_table_add(table, "%s", tg_bytes_text(received_of(run, plan)).s);
  tg_table_add(table, "%s", tg_bytes_text(memory_of(run, plan)).s);
}

static void print_ranking(TgCli *cli, const TgShardRun *run) {
  g_autoptr(TgTable) table = tg_table_new("rlrrrrr");
  tg_table_add_row(table, "|split|predicted|products|communication|received|memory");
  for (guint p = 0; p < run->plans.plan->len && p < (guint)run->top; p++)
    add_plan(table, run, g_ptr_array_index(run->plans.plan, p), p + 1);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  tg_print(cli, "\n");
  for (guint p = 0; p < run->plans.plan->len && p < (guint)run->top; p++) {
    const TgShardPlan *plan = g_ptr_array_index(run->plans.plan, p);
    tg_print(cli, "  %2u  ", p + 1);
    tg_print_wrapped(cli, plan->collectives, 6, 6);
  }
}

static void print_rest(TgCli *cli, const TgShardRun *run) {
  const TgShardPlans *plans = &run->plans;
  const char *s = plans->considered == 1 ? "" : "s";
  tg_print(cli, "\n%d plan%s; %u proved and predicted at these sizes", plans->considered, s, plans->plan->len);
  if (plans->too_slow) tg_print(cli, "; %d not within --budget", plans->too_slow);
  if (plans->too_large) tg_print(cli, "; %d need more memory than --memory-limit", plans->too_large);
  if (plans->too_long) tg_print(cli, "; %d are beyond the language's limits", plans->too_long);
  tg_print(cli, "\n");
}

static void print_plans(TgCli *cli, const TgShardRun *run) {
  const TgShardRequest *request = &run->request;
  const TgShardPlan *first = g_ptr_array_index(run->plans.plan, 0);
  g_autofree char *sharding = tg_shard_text(&run->problem);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s\n", sharding);
  tg_print(cli, "C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s; machine: %s; network %s; model %s\n",
           request->m, request->n, request->k, tg_element_name(run->element), run->machine.name, run->network_text,
           tg_cost_model_name(request->options.model));
  print_ranking(cli, run);
  print_rest(cli, run);
  if (cli->options.output) return;
  tg_print(cli, "\n");
  tg_print_bytes(cli, first->text, strlen(first->text));
}

static TgExit report_none(const TgCli *cli, const TgShardPlans *plans) {
  if (plans->too_slow)
    return tg_report(cli, TG_EXIT_FAILED,
                     "no plan was proved and predicted within --budget; use a larger one, or a "
                     "smaller mesh");
  if (plans->too_large)
    return tg_report(cli, TG_EXIT_USAGE,
                     "every prediction needs more memory than there is; give more with "
                     "--memory-limit, or plan for a smaller mesh");
  return tg_report(cli, TG_EXIT_USAGE, "the schedule cannot be written: %s", plans->refused.message);
}

static TgExit run(TgCli *cli) {
  g_auto(TgShardRun) run = {.element = TG_F32};
  TgProgressLine line;
  GError *error = NULL;
  const char *output = cli->options.output;
  TgExit status = open_run(cli, &run);
  if (status) return status;
  if (output && !g_str_has_suffix(output, ".sched"))
    return tg_report(cli, TG_EXIT_USAGE, "%s: the name of a schedule's file ends in .sched", output);
  tg_progress_begin(&line, cli, "shard: plans", 0);
  run.request.watch = &line.watch;
  const bool planned = tg_shard_plan(&run.problem, &run.request, &run.plans, &error);
  tg_progress_end(cli);
  if (!planned) return tg_report_error(cli, error);
  if (run.plans.plan->len == 0) return report_none(cli, &run.plans);
  if (cli->options.json)
    print_json(cli, &run);
  else if (!cli->options.quiet)
    print_plans(cli, &run);
  return write_files(cli, &run);
}

static const char *const options[] = {"mesh",         "n",     "size",    "type:calibrate", "machine", "network",
                                      "model",        "fair",  "overlap", "buffers",        "top",     "budget:plan",
                                      "output:shard", "quiet", "json",    "memory-limit",   NULL};
static const TgExample examples[] = {
    {"shard 'A[I:x,K] * B[K,J:y] -> C[I:x,J:y]' --mesh x=4,y=2 -n 4096", "rows over x, columns over y"},
    {"shard 'A[I,K:x] * B[K:x,J] -> C[I,J]' --mesh x=8 --size 512x8192x8192 --machine tpu-torus",
     "a layer whose inner dimension is sharded: the sums must be added up"},
    {"shard 'A(S(0)) * B(S(1)) -> C(S(1))' --mesh x=8 -n 1024 --top 3 -o layer-%d.sched",
     "PyTorch's placements; the three fastest as layer-1.sched to layer-3.sched"},
    {NULL, NULL},
};

const TgCommand tg_command_shard = {
    .name = "shard",
    .arguments = "EXPRESSION",
    .summary = "find, prove and rank schedules for sharded matrices",
    .details =
        "EXPRESSION states how A and B are distributed and how C is wanted, in the notation of JAX's scaling book or "
        "as "
        "DTensor placements. The rows of A[I:x,K:yz] are split over mesh axis x and its columns over axes y and z; it "
        "is "
        "replicated over all other axes. I_x and I_{yz} mean the same. A(Shard(0), Replicate()) lists one placement "
        "for "
        "each mesh axis.\n"
        "For each way to divide the products among the axes, the blocks are brought to where they are needed by the "
        "collectives with which processors receive least. One of A, B and C can also circulate in a ring, which "
        "overlaps "
        "with the products. Every schedule is proved at these sizes and predicted as `topogemm sim` does; all other "
        "commands accept it. docs/guide/shard.md explains the method and its limits.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

/* topogemm plan: which schedule, on which grid. */
#include "algo.h"
#include "executors.h"
#include "machine-option.h"
#include "memory-limit.h"
#include "output.h"
#include "progress.h"
#include "sim.h"

#include "algo-library.h"
#include "element.h"
#include "estimate.h"
#include "plan.h"
#include "text-units.h"

#include <math.h>
#include <string.h>

typedef struct TgPlanRun {
  TgAlgo *algos;         /* of the library, then those of the command line */
  TgPlanSource *sources; /* one each */
  int count, library;
  TgMachine machine;
  TgTopology network;
  bool has_network;         /* else one for each grid … */
  const char *network_kind; /* … of this kind; NULL where none is named, which is a torus */
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  TgElement element;
  TgPlanRequest request;
  TgPlan plan;
} TgPlanRun;

/* --- the document ------------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(request_fields, TG_FIELD(TgPlanRequest, m), TG_FIELD(TgPlanRequest, n), TG_FIELD(TgPlanRequest, k),
               TG_FIELD(TgPlanRequest, element_bytes), TG_FIELD(TgPlanRequest, processors));
TG_FIELD_TABLE(place_fields, TG_FIELD(TgPlanPlace, grid), TG_FIELD(TgPlanPlace, topology),
               TG_FIELD(TgPlanPlace, predicted_s), TG_FIELD(TgPlanPlace, compute_s),
               TG_FIELD(TgPlanPlace, communication_s), TG_FIELD(TgPlanPlace, bytes_per_processor),
               TG_FIELD(TgPlanPlace, why), TG_FIELD(TgPlanPlace, tie), TG_FIELD(TgPlanPlace, certain),
               TG_FIELD(TgPlanPlace, processors), TG_FIELD(TgPlanPlace, messages), TG_FIELD(TgPlanPlace, bytes),
               TG_FIELD(TgPlanPlace, max_link_bytes), TG_FIELD(TgPlanPlace, efficiency), TG_FIELD(TgPlanPlace, balance),
               TG_FIELD(TgPlanPlace, bound_s), TG_FIELD(TgPlanPlace, proved),
               TG_FIELD_AS(TgPlanPlace, rounded, "rounded_up"));
TG_FIELD_TABLE(plan_fields, TG_FIELD(TgPlan, considered), TG_FIELD(TgPlan, predicted), TG_FIELD(TgPlan, pruned),
               TG_FIELD(TgPlan, too_long), TG_FIELD(TgPlan, too_large), TG_FIELD(TgPlan, open),
               TG_FIELD(TgPlan, rounded), TG_FIELD(TgPlan, unseen), TG_FIELD_AS(TgPlan, least_s, "least_possible_s"),
               TG_FIELD(TgPlan, wall_s));

static void write_request(TgJson *json, const TgPlanRun *run) {
  const TgPlanRequest *request = &run->request;
  tg_json_members(json, request_fields, request);
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "topology", run->has_network ? run->network_text : run->network_kind);
  tg_json_member_string(json, "model", tg_cost_model_name(request->model));
  tg_json_member_string(json, "fair",
                        request->model != TG_COST_FLOW ? NULL
                        : request->fair_equal          ? "equal"
                                                       : "latency");
  tg_json_member_bool(json, "overlap", request->overlap);
  tg_sim_write_buffers(json, tg_cost_places(request->overlap, request->buffers));
  tg_json_member_double(json, "memory_limit_bytes", request->memory_bytes);
  tg_json_member_double(json, "residual", run->machine.residual);
  tg_json_member_double(json, "error", tg_machine_error(&run->machine));
}

/* The schedule's own parameters, as `sim` has them: bound again, which has been done before. */
static void write_parameters(TgJson *json, const TgPlanPlace *place) {
  TgSchedule schedule = *place->source->schedule;
  TgBindings parameters = {0};
  if (tg_schedule_bind_values(&schedule, place->source->names, &place->bindings, NULL))
    tg_parameters_of(&schedule, place->source->names, &parameters);
  tg_parameters_write(json, &parameters);
}

static void write_place(TgJson *json, const TgPlanPlace *place) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", place->source->name);
  write_parameters(json, place);
  tg_json_members(json, place_fields, place);
  tg_json_member_string(json, "collective", place->collectives ? tg_collective_name(TG_COLLECTIVE_AUTO) : NULL);
  tg_json_member_string(json, "collective_choice", place->collectives);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)place->embedding));
  tg_json_member_string(json, "memory_from", place->memory_proved ? "proof" : "bound");
  tg_json_end_object(json);
}

static void write_reject(TgJson *json, const TgPlanReject *reject) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "algorithm", reject->source->name);
  tg_json_member_string(json, "grid", reject->grid);
  tg_json_member_string(json, "reason", reject->reason);
  tg_json_member_string(json, "cause", tg_plan_cause_name(reject->cause));
  if (reject->time_s > 0)
    tg_json_member_double(json, reject->cause == TG_PLAN_BEHIND ? "predicted_s" : "bound_s", reject->time_s);
  if (reject->least_bytes > 0) tg_json_member_double(json, "bytes_per_processor", reject->least_bytes);
  tg_json_end_object(json);
}

static void plan_print_json(TgCli *cli, const TgPlanRun *run) {
  const TgPlan *plan = &run->plan;
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "plan");
  write_request(json, run);
  tg_json_member_array(json, "ranked", TG_JSON_LINES);
  for (guint i = 0; i < plan->ranked->len; i++) write_place(json, &g_array_index(plan->ranked, TgPlanPlace, i));
  tg_json_end_array(json);
  tg_json_member_array(json, "rejected", TG_JSON_LINES);
  for (guint i = 0; i < plan->rejected->len; i++) write_reject(json, &g_array_index(plan->rejected, TgPlanReject, i));
  tg_json_end_array(json);
  tg_json_members(json, plan_fields, plan);
  tg_json_member_bool(json, "certain", plan->open == 0 && plan->rounded == 0 && plan->unseen == 0);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

enum { OPEN_SHOWN = 12 };

/* How many of each cause are shown, by TgPlanCause, beside the open ones; --json has all. */
static const guint shown_of[TG_PLAN_CAUSES] = {4, 12, 4, 6, 0, 3, 3, 4, 12};

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static char *network_words(const TgPlanRun *run) {
  const TgNetworkKind kind = run->request.network_kind;
  if (run->has_network) return g_strdup(run->network_text);
  const TgNetworkKindInfo *info = tg_network_kind_info((int)kind);
  return info->is_grid ? g_strdup_printf("a %s of the grid's extents", info->name)
                       : g_strdup_printf("%s, one node for each processor of the grid", info->name);
}

static void print_head(TgCli *cli, const TgPlanRun *run) {
  const TgPlanRequest *request = &run->request;
  g_autofree char *network = network_words(run);
  tg_print(cli, "C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s, on at most %" PRId64 " processor%s%s%s\n",
           request->m, request->n, request->k, tg_element_name(run->element), request->processors,
           plural(request->processors), isinf(request->memory_bytes) ? "" : " with ",
           isinf(request->memory_bytes) ? "" : tg_bytes_text(request->memory_bytes).s);
  tg_print(cli, "machine: %s; network %s; model %s%s, overlap %s\n", run->machine.name, network,
           tg_cost_model_name(request->model), request->fair_equal ? " with equal shares" : "",
           tg_sim_overlap_text(tg_cost_places(request->overlap, request->buffers)).s);
}

/* "b=4, chain, gray": what was chosen beside the grid. */
static char *choices_text(const TgPlanPlace *place, bool embeddings) {
  g_autoptr(GPtrArray) words = g_ptr_array_new();
  if (*place->parameters) g_ptr_array_add(words, place->parameters);
  if (place->collectives) g_ptr_array_add(words, place->collectives);
  if (embeddings) g_ptr_array_add(words, (gpointer)tg_embedding_name((int)place->embedding));
  g_ptr_array_add(words, NULL);
  return g_strjoinv(", ", (char **)words->pdata);
}

static bool differ_in_embedding(const GArray *ranked) {
  for (guint i = 0; i < ranked->len; i++)
    if (g_array_index(ranked, TgPlanPlace, i).embedding != TG_ROWMAJOR) return true;
  return false;
}

static void add_place(TgTable *table, const TgPlanPlace *place, guint number, bool embeddings) {
  g_autofree char *choices = choices_text(place, embeddings);
  tg_table_add(table, "%s%u", place->tie ? "=" : "", number);
  tg_table_add(table, "%s%s", place->source->name, place->proved ? "" : "*");
  tg_table_add(table, "%s", place->grid);
  tg_table_add(table, "%s", choices);
  tg_table_add(table, "%s%s", place->rounded ? "<= " : "", tg_time_text(place->predicted_s).s);
  tg_table_add(table, "%s", tg_time_text(place->compute_s).s);
  tg_table_add(table, "%s", tg_time_text(place->communication_s).s);
  tg_table_add(table, "%s", tg_percent_text(place->efficiency).s);
  tg_table_add(table, "%s%s", place->memory_proved ? "" : "<= ", tg_bytes_text(place->bytes_per_processor).s);
}

static void print_ranking(TgCli *cli, const TgPlan *plan) {
  g_autoptr(TgTable) table = tg_table_new("rlllrrrrr");
  bool embeddings = differ_in_embedding(plan->ranked);
  tg_table_add_row(table, "|algorithm|grid|with|predicted|products|communication|efficiency|memory");
  for (guint i = 0; i < plan->ranked->len; i++)
    add_place(table, &g_array_index(plan->ranked, TgPlanPlace, i), i + 1, embeddings);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  tg_print(cli, "\n");
  for (guint i = 0; i < plan->ranked->len; i++) {
    tg_print(cli, "  %2u  ", i + 1);
    tg_print_wrapped(cli, g_array_index(plan->ranked, TgPlanPlace, i).why, 6, 6);
  }
}

static void print_legend(TgCli *cli, const TgPlanRun *run) {
  bool ties = false, rounded = false, bounds = false, unproved = false;
  for (guint i = 0; i < run->plan.ranked->len; i++) {
    const TgPlanPlace *place = &g_array_index(run->plan.ranked, TgPlanPlace, i);
    ties = ties || place->tie;
    rounded = rounded || place->rounded;
    bounds = bounds || !place->memory_proved;
    unproved = unproved || !place->proved;
  }
  if (ties || rounded || bounds || unproved) tg_print(cli, "\n");
  if (ties)
    tg_print(cli, "  =: tied with the first: the difference is within the error of predictions, %.3g %% either way%s\n",
             100 * tg_machine_error(&run->machine), tg_machine_is_measured(&run->machine) ? "" : " (a guess)");
  if (rounded) tg_print(cli, "  predicted <=: at sizes rounded up to whole blocks\n");
  if (bounds) tg_print(cli, "  memory <=: an upper bound; the other figures are from the prover\n");
  if (unproved) tg_print(cli, "  *: not proved on this grid, because that would take long; use `topogemm verify`\n");
}

static void print_rejected(TgCli *cli, const TgPlan *plan) {
  g_autoptr(TgTable) table = tg_table_new("lll");
  guint shown = 0, open = 0, counts[TG_PLAN_CAUSES] = {0};
  for (guint i = 0; i < plan->rejected->len; i++) {
    const TgPlanReject *reject = &g_array_index(plan->rejected, TgPlanReject, i);
    guint *count = reject->open ? &open : &counts[reject->cause];
    if ((*count)++ >= (reject->open ? OPEN_SHOWN : shown_of[reject->cause])) continue;
    tg_table_add(table, "%s", reject->source->name);
    tg_table_add(table, "%s", *reject->grid ? reject->grid : "-");
    tg_table_add(table, "%s", reject->reason);
    shown++;
  }
  if (!plan->rejected->len) return;
  tg_print(cli, "\nnot %sin the ranking:\n", open ? "predicted, or not " : "");
  tg_table_print(cli, table, 2, false);
  if (shown < plan->rejected->len)
    tg_print(cli, "  … and %u more; --json prints all of them\n", plan->rejected->len - shown);
}

/* How far off place 1 can be at most. */
static void print_doubt(TgCli *cli, const TgPlan *plan) {
  const double best_s = g_array_index(plan->ranked, TgPlanPlace, 0).predicted_s;
  if (!plan->open && !plan->rounded && !plan->unseen) return;
  tg_print(cli, "place 1 is not certain:");
  if (plan->open) tg_print(cli, " %" PRId64 " of the combinations not predicted", plan->open);
  if (plan->open && plan->rounded) tg_print(cli, " and");
  if (plan->rounded) tg_print(cli, " %" PRId64 " predicted only at rounded sizes", plan->rounded);
  if (plan->open || plan->rounded) tg_print(cli, " may be faster%s", plan->unseen ? ", and" : "");
  if (plan->unseen) tg_print(cli, " not all grids of up to %" PRId64 " processors were looked at", plan->unseen);
  const bool time = plan->too_long || plan->rounded || plan->unseen;
  tg_print(cli, "; no plan takes less than %s (%s of place 1); use a larger %s%s%s to narrow this\n",
           tg_time_text(plan->least_s).s, tg_percent_text(plan->least_s / best_s).s, time ? "--budget" : "",
           time && plan->too_large ? " and --memory-limit" : "", time ? "" : "--memory-limit");
}

static void print_counts(TgCli *cli, const TgPlan *plan) {
  tg_print(cli,
           "\n%" PRId64 " combination%s of schedule, grid, parameters and collective; %" PRId64
           " prediction%s; %" PRId64 " ruled out by lower bounds",
           plan->considered, plural(plan->considered), plan->predicted, plural(plan->predicted), plan->pruned);
  if (plan->too_long) tg_print(cli, "; %" PRId64 " not predicted within --budget", plan->too_long);
  if (plan->too_large) tg_print(cli, "; %" PRId64 " not predicted within --memory-limit", plan->too_large);
  tg_print(cli, "\n");
  if (plan->ranked->len) print_doubt(cli, plan);
}

static void plan_print(TgCli *cli, const TgPlanRun *run) {
  const TgPlan *plan = &run->plan;
  print_head(cli, run);
  if (plan->ranked->len) {
    print_ranking(cli, plan);
    print_legend(cli, run);
  }
  print_rejected(cli, plan);
  print_counts(cli, plan);
}

static const double default_budget_s = 4, most_budget_s = 1e6;

static void run_clear(TgPlanRun *run) {
  for (int p = 0; p < run->count; p++) tg_algo_clear(&run->algos[p]);
  g_free(run->algos);
  g_free(run->sources);
  tg_plan_clear(&run->plan);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgPlanRun, run_clear)

static TgExit add_schedule(const TgCli *cli, TgPlanRun *run, const char *name, bool proved) {
  TgAlgo *algo = &run->algos[run->count];
  TgExit status = tg_algo_parse(cli, algo, name);
  run->sources[run->count] = (TgPlanSource){&algo->schedule, &algo->names, tg_algo_name(algo), proved};
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
  run->algos = g_new0(TgAlgo, library + own);
  run->sources = g_new0(TgPlanSource, library + own);
  TgExit status = TG_EXIT_DONE;
  for (size_t e = 0; e < library && !status; e++) status = add_schedule(cli, run, entries[e].name, true);
  run->library = run->count;
  for (guint a = 0; a < own && !status; a++) {
    const char *path = cli->options.arguments[a];
    if (tg_library_find(path))
      return tg_report(cli, TG_EXIT_USAGE, "plan already includes every schedule of the library; leave out %s", path);
    status = add_schedule(cli, run, path, false);
    const char *name = run->sources[run->count - 1].name;
    run->count--;
    bool known = !status && is_known(run, name);
    run->count++;
    if (known)
      return tg_report(cli, TG_EXIT_USAGE, "%s: another schedule is already named `%s`; give this one its own name",
                       path, name);
  }
  return status;
}

static TgExit sizes_option(const TgCli *cli, TgPlanRequest *request) {
  const TgExit status = tg_sizes_require(cli, "plan", &request->m, &request->n, &request->k);
  if (status) return status;
  if (!cli->options.procs) return tg_report(cli, TG_EXIT_USAGE, "plan: expected the number of processors, --procs");
  return tg_number_parse(cli, "--procs", cli->options.procs, 1, TG_MAX_PROCESSORS, &request->processors);
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

static TgExit budget_option(const TgCli *cli, TgPlanRequest *request) {
  const char *text = cli->options.budget;
  request->budget_s = default_budget_s;
  if (!text || (tg_real_read(text, &request->budget_s) && request->budget_s > 0 && request->budget_s <= most_budget_s))
    return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--budget %s: expected a number of seconds above 0 and at most %.0f", text,
                   most_budget_s);
}

/* The network that is named; else the machine's own, if it has a node for each processor; else none. */
static TgExit network_option(const TgCli *cli, TgPlanRun *run) {
  TgError error = {0};
  const int32_t single = 1;
  const char *text = cli->options.network;
  if (text && tg_network_kind_parse(text, &run->request.network_kind)) {
    run->network_kind = text;
    if (tg_topology_of_kind(&run->network, run->request.network_kind, 1, &single, &error)) return TG_EXIT_DONE;
    return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  }
  if (text && !tg_topology_parse(&run->network, text, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  const char *own = text ? NULL : tg_machine_own_network(&run->machine, run->request.processors);
  run->has_network = text || (own && tg_topology_parse(&run->network, own, NULL));
  if (run->has_network) tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  run->request.network = run->has_network ? &run->network : NULL;
  return TG_EXIT_DONE;
}

static TgExit open_run(const TgCli *cli, TgPlanRun *run) {
  int64_t top = 10;
  TgCostOptions cost = {0};
  TgExit status = sizes_option(cli, &run->request);
  if (!status) status = tg_type_option(cli, &run->element);
  if (!status) status = tg_machine_option(cli, &run->machine, NULL);
  if (!status) status = tg_sim_model(cli, &cost);
  if (!status) status = memory_option(cli, run);
  if (!status) status = budget_option(cli, &run->request);
  if (!status) status = network_option(cli, run);
  if (!status) status = tg_number_parse(cli, "--top", cli->options.top, 1, 1000, &top);
  if (!status) status = open_schedules(cli, run);
  run->request.element_bytes = tg_element_bytes(run->element);
  run->request.model = cost.model;
  run->request.overlap = cost.overlap;
  run->request.buffers = cost.buffers;
  run->request.fair_equal = cost.fair_equal;
  run->request.top = (int)top;
  run->request.machine = &run->machine;
  run->request.limit_bytes = (double)tg_memory_limit(cli);
  return status;
}

/* Exit 1: nothing fits; 2: nothing can be predicted, whatever the budget. */
static TgExit report_none(const TgCli *cli, const TgPlanRun *run) {
  const bool unfinished = run->plan.too_long > 0 || run->plan.unseen > 0;
  if (run->plan.full)
    return tg_report(cli, TG_EXIT_USAGE,
                     "the list of grids alone needs more memory than there is; plan for fewer processors, or give more "
                     "with --memory-limit");
  if (run->plan.least_bytes == 0 && run->plan.too_large > 0 && run->plan.too_long == 0)
    return tg_report(cli, TG_EXIT_USAGE,
                     "every prediction needs more memory than there is, or more than predictions may take; plan for a "
                     "smaller network, or give more with --memory-limit");
  if (unfinished)
    return tg_report(cli, TG_EXIT_FAILED, "no prediction finished within --budget %g; use a larger --budget%s",
                     run->request.budget_s,
                     run->request.model == TG_COST_HOCKNEY ? "" : ", or the faster --model hockney");
  if (run->plan.least_bytes == 0)
    return tg_report(cli, TG_EXIT_FAILED, "no schedule supports this number of processors");
  return tg_report(cli, TG_EXIT_FAILED, "nothing fits in %s per processor; every schedule needs at least %s",
                   tg_bytes_text(run->request.memory_bytes).s, tg_bytes_text(run->plan.least_bytes).s);
}

static TgExit run(TgCli *cli) {
  g_auto(TgPlanRun) run = {.element = TG_F32};
  TgProgressLine line;
  GError *error = NULL;
  TgExit status = open_run(cli, &run);
  if (status) return status;
  tg_executor_warn(cli, &run.machine);
  tg_progress_begin(&line, cli, "plan: seconds", (int64_t)ceil(run.request.budget_s));
  run.request.watch = &line.watch;
  const bool planned = tg_plan(&run.request, run.sources, run.count, &run.plan, &error);
  tg_progress_end(cli);
  if (!planned) return tg_report_error(cli, error);
  if (cli->options.json)
    plan_print_json(cli, &run);
  else
    plan_print(cli, &run);
  return run.plan.ranked->len ? TG_EXIT_DONE : report_none(cli, &run);
}

static const char *const options[] = {
    "n",    "size",    "type:calibrate", "procs", "machine",     "network", "memory:bytes", "model",
    "fair", "overlap", "buffers",        "top",   "budget:plan", "json",    "memory-limit", NULL};
static const TgExample examples[] = {
    {"plan -n 4096 --procs 64", "the ten fastest plans on the commodity cluster, with reasons"},
    {"plan --size 16384x1024x4096 --procs 12 --machine tpu-torus --top 3", "rectangular matrices on twelve processors"},
    {"plan -n 8192 --procs 32 --machine h200x32 --overlap off", "on the machine's own two-level network"},
    {"plan -n 1024 --procs 64 --memory 1e6 --json", "with one megabyte of memory for each processor"},
    {NULL, NULL},
};

const TgCommand tg_command_plan = {
    .name = "plan",
    .arguments = "[FILE.sched…]",
    .summary = "rank schedules, grids and parameters by predicted time within a memory limit",
    .details =
        "Tries every schedule of the library that computes C = A * B, and those in the given files, on every "
        "grid of P or fewer processors that it supports. It varies the parameters (such as the width of "
        "panels), the algorithms for collectives, and the embeddings that make a difference. A lower bound "
        "rules most candidates out quickly; the rest are predicted as `topogemm sim` does. If --budget ends before "
        "place 1 is certain, the last line reports how far it can be from the best.\n"
        "Each line of the ranking is a schedule on a grid, with its best parameters. Lines marked = are ties: "
        "the error of predictions on the machine does not separate them from the first. docs/guide/plan.md explains "
        "the method and its limits.",
    .examples = examples,
    .options = options,
    .arguments_min = 0,
    .arguments_max = 64,
    .run = run,
};

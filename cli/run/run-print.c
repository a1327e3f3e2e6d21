/* The documents of `run`, its trace, and what it says to people. */
#include "output.h"
#include "run-command.h"

#include "results.h"
#include "text-units.h"

#include <math.h>
#include <stdlib.h>

/* --- the trace: a process an ALGO --------------------------------------------------------------------------------- */

enum { MOST_SLICES = 100000 };

/* Steps of processors that run ahead of others overlap, so each goes to the first track on which the one before has
 * ended. */
static int64_t track_for(GArray *ends, double begin_s, double end_s) {
  for (guint t = 0; t < ends->len; t++) {
    double *last = &g_array_index(ends, double, t);
    if (*last > begin_s + 1e-12) continue;
    *last = end_s;
    return t;
  }
  g_array_append_val(ends, end_s);
  return (int64_t)ends->len - 1;
}

void tg_run_trace_result(TgTraceFile *file, const TgRunCommand *run, const TgRunEntry *result, int64_t most) {
  g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(double));
  g_autofree char *process = g_strdup_printf("measured: %s on %s, %s%s%s", tg_algo_name(&result->algo),
                                             tg_schedule_grid_text(&result->algo.schedule).s, run->kind->name,
                                             run->transport_count > 1 ? ", " : "",
                                             run->transport_count > 1 ? tg_transport_name(result->transport) : "");
  tg_trace_name(file, "process_name", 0, process);
  for (int64_t s = 0; result->run.steps && s < MIN(result->run.facts.steps, most); s++) {
    const TgRunStep *step = &result->run.steps[s];
    if (step->runs == 0) continue;
    const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step->index},
                                         {.name = "runs", .number = (double)step->runs},
                                         {.name = "busy_s", .number = step->busy_s},
                                         {.name = "waited_s", .number = step->waited_s}};
    tg_trace_slice(file, &(TgTraceSlice){.track = track_for(ends, step->begin_s, step->end_s),
                                         .name = *step->label ? step->label : "step",
                                         .kind = "step",
                                         .start_s = step->begin_s,
                                         .end_s = step->end_s,
                                         .argument = arguments,
                                         .arguments = G_N_ELEMENTS(arguments)});
  }
  for (guint t = 0; t < ends->len; t++) {
    g_autofree char *name = t ? g_strdup_printf("overlapping steps, %u", t) : g_strdup("steps");
    tg_trace_name(file, "thread_name", t, name);
  }
  tg_run_trace_places(file, &result->run, ends->len, most);
}

char *tg_run_trace_left_out(const TgRunCommand *run, int64_t steps) {
  GString *text = g_string_new(NULL);
  int64_t passes = 1, most = 0;
  for (guint r = 0; r < run->results->len; r++) {
    const TgExecutorFacts *facts = &tg_run_entry(run, r)->run.facts;
    passes = MAX(passes, facts->instances * facts->panels);
    most = MAX(most, facts->steps);
  }
  if (passes > 1)
    g_string_append(text, "only the first pass through the schedule, of those over tiles and panels, is included");
  if (steps < most)
    g_string_append_printf(text, "%sonly the first %" PRId64 " of %" PRId64 " steps are included",
                           text->len ? "; " : "", steps, most);
  return g_string_free(text, text->len == 0);
}

TgExit tg_run_trace(TgCli *cli, const TgRunCommand *run) {
  if (!cli->options.trace) return TG_EXIT_DONE;
  const GArray *places = tg_run_entry(run, 0)->run.places;
  const int64_t tracks = (int64_t)run->results->len * (places ? 1 + places->len : 1);
  const int64_t steps = MAX(MOST_SLICES / tracks, 1);
  g_autofree char *missing = tg_run_trace_left_out(run, steps);
  g_auto(TgTraceFile) file = {.process = TG_TRACE_MEASURED};
  tg_trace_begin(&file,
                 (const char *const[]){"device", tg_environment_device(&run->environment), "on", run->kind->name,
                                       "left_out", missing},
                 3);
  for (guint r = 0; r < run->results->len; r++, file.process++)
    tg_run_trace_result(&file, run, tg_run_entry(run, r), steps);
  return tg_trace_end(cli, &file, missing);
}

TG_FIELD_TABLE(instance_fields, TG_FIELD_AS(TgExecutorFacts, instance[0], "m"),
               TG_FIELD_AS(TgExecutorFacts, instance[1], "n"), TG_FIELD_AS(TgExecutorFacts, instance[2], "k"));
TG_FIELD_TABLE(facts_fields, TG_FIELD(TgExecutorFacts, variant), TG_FIELD(TgExecutorFacts, variants),
               TG_FIELD(TgExecutorFacts, processors), TG_FIELD(TgExecutorFacts, instances),
               TG_FIELD(TgExecutorFacts, resident), TG_FIELD(TgExecutorFacts, panels),
               TG_FIELD(TgExecutorFacts, rounds), TG_FIELD(TgExecutorFacts, passes),
               TG_FIELD_GROUP("instance", instance_fields), TG_FIELD(TgExecutorFacts, memory_bytes),
               TG_FIELD(TgExecutorFacts, shared_bytes), TG_FIELD(TgExecutorFacts, instructions),
               TG_FIELD(TgExecutorFacts, waits));
TG_FIELD_TABLE(step_fields, TG_FIELD(TgRunStep, label), TG_FIELD(TgRunStep, index), TG_FIELD(TgRunStep, median_s),
               TG_FIELD(TgRunStep, runs), TG_FIELD(TgRunStep, busy_s), TG_FIELD(TgRunStep, waited_s),
               TG_FIELD_AS(TgRunStep, begin_s, "start_s"), TG_FIELD(TgRunStep, end_s), TG_FIELD(TgRunStep, share));
TG_FIELD_TABLE(check_fields, TG_FIELD(TgCheck, relative_error), TG_FIELD(TgCheck, tolerance),
               TG_FIELD(TgCheck, estimated), TG_FIELD(TgCheck, ok));

/* --- the documents ------------------------------------------------------------------------------------------------ */

static void write_problem(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  tg_algo_write(json, &result->algo.schedule, &result->algo.names);
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_json_member_string(json, "transport", tg_transport_name(result->transport));
  tg_input_write(json, &run->input);
  tg_json_member_string(json, "on", run->kind->name);
  tg_json_member_string(json, "device", tg_environment_device(&run->environment));
  tg_json_member_string(json, "kernel", result->run.kernel);
  tg_json_member_string(json, "variant_from", tg_variant_from_name(result->variant_from));
  tg_json_members(json, facts_fields, &result->run.facts);
}

static void write_times(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  const TgMeasurement *time = &result->run.time;
  tg_json_member_bool(json, "cold", run->cold);
  tg_json_member_integer(json, "trials", time->trials);
  tg_json_member_integer(json, "warmup", time->warmup);
  tg_results_write_measured(json, time);
  tg_json_member_double(json, "transfer_s", result->run.load_s + result->run.gather_s);
  tg_json_member_double(json, "load_s", result->run.load_s);
  tg_json_member_double(json, "gather_s", result->run.gather_s);
  tg_json_member_double(json, "gflops", result->run.flops_per_s * 1e-9);
  if (!run->baseline) return;
  tg_json_member_object(json, "baseline", TG_JSON_ROW);
  tg_json_member_string(json, "kernel", run->baseline->name);
  tg_results_write_measured(json, &run->baseline_time);
  tg_json_member_double(json, "ratio", run->baseline_time.median_s / time->median_s);
  tg_json_end_object(json);
}

static void write_steps(TgJson *json, const TgRunResult *run) {
  const bool timed = run->steps != NULL;
  tg_json_member_integer(json, "step_trials", run->step_trials);
  tg_json_member_double(json, "steps_share", timed ? run->steps_share : NAN);
  tg_json_member_double(json, "steps_s", timed ? run->steps_s : NAN);
  tg_json_member_double(json, "outside_s", timed ? run->outside_s : NAN);
  tg_json_member_double(json, "outside_share", timed ? run->outside_share : NAN);
  tg_json_member_rows(json, "steps", step_fields, run->steps, timed ? (size_t)run->facts.steps : 0, sizeof *run->steps);
  tg_run_write_places(json, run);
}

void tg_run_write_result(TgJson *json, const TgRunCommand *run, const TgRunEntry *result) {
  tg_json_begin_document(json, "run");
  write_problem(json, run, result);
  write_times(json, run, result);
  write_steps(json, &result->run);
  tg_json_members(json, check_fields, &result->run.check);
  if (run->results->len == 1) tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}

bool tg_run_is_right(const TgRunCommand *run) {
  for (guint r = 0; r < run->results->len; r++)
    if (!tg_run_entry(run, r)->run.check.ok) return false;
  return true;
}

void tg_run_write(TgJson *json, const TgRunCommand *run) {
  if (run->results->len == 1) {
    tg_run_write_result(json, run, tg_run_entry(run, 0));
    return;
  }
  tg_json_begin_document(json, "runs");
  tg_json_member_bool(json, "ok", tg_run_is_right(run));
  tg_json_member_array(json, "runs", TG_JSON_LINES);
  for (guint r = 0; r < run->results->len; r++) tg_run_write_result(json, run, tg_run_entry(run, r));
  tg_json_end_array(json);
  tg_environment_write(json, &run->environment);
  tg_json_end_object(json);
}

/* --- for people --------------------------------------------------------------------------------------------------- */

enum { MOST_STEPS = 24 };

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

/* What all ALGOs have in common: ": C = A * B, C 8x8, inner dimension 8, f32". */
static void print_problem(TgCli *cli, const TgRunCommand *run) {
  const TgComputes *computes = &tg_run_entry(run, 0)->algo.schedule.computes;
  const TgShape *shape = &run->input.shape;
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64, tg_computes_text(computes).s, shape->m, shape->n);
  if (computes->right != TG_MATRICES) tg_print(cli, ", inner dimension %" PRId64, shape->k);
  tg_print(cli, ", %s", tg_element_name(run->input.element));
  if (run->options.collective != TG_COLLECTIVE_WHOLE)
    tg_print(cli, ", collectives %s", tg_collective_name(run->options.collective));
  if (run->transport_count == 1 && run->transports[0] != TG_TRANSPORT_COPY)
    tg_print(cli, ", transport %s", tg_transport_name(run->transports[0]));
  if (run->cold) tg_print(cli, ", L2 cache emptied before each run");
  g_autofree char *input = tg_input_text(cli, &run->input);
  tg_print(cli, "\n%s\n\n", input);
}

/* What is read. */
static const char *operands_of(const TgRunEntry *result) {
  const TgComputes *computes = &result->algo.schedule.computes;
  return computes->right == TG_MATRICES || computes->right == computes->left ? computes->left ? "B" : "A" : "A and B";
}

static void add_times(TgTable *table, const TgRunEntry *result) {
  const TgMeasurement *time = &result->run.time;
  const double rate = result->run.flops_per_s;
  g_autofree char *flops = isnan(rate) ? g_strdup("") : g_strdup_printf("; %s", tg_rate_text(rate).s);
  tg_table_add_fact(table, "time", tg_time_text(time->median_s).s, "median of %d run%s after a warm-up of %d%s",
                    time->trials, plural(time->trials), time->warmup, flops);
  tg_table_add_fact(table, "spread", tg_time_text(time->stddev_s).s, "standard deviation; range %s to %s, mean %s",
                    tg_time_text(time->min_s).s, tg_time_text(time->max_s).s, tg_time_text(time->mean_s).s);
  tg_table_add_fact(table, "transfer", tg_time_text(result->run.load_s + result->run.gather_s).s,
                    "not included in the time; %s in: %s, C out: %s", operands_of(result),
                    tg_time_text(result->run.load_s).s, tg_time_text(result->run.gather_s).s);
}

static void add_beside(TgTable *table, const TgRunCommand *run, const TgRunEntry *result) {
  if (!run->baseline) return;
  const TgMeasurement *time = &run->baseline_time;
  tg_table_add_fact(table, "baseline", tg_time_text(time->median_s).s,
                    "%s on the same matrices, median of %d runs; the schedule reaches %.3f of its speed",
                    run->baseline->name, time->trials, time->median_s / result->run.time.median_s);
}

/* Nothing where there is no choice. */
static void add_variant(TgTable *table, const TgRunEntry *result) {
  static const char *const words[] = {[TG_VARIANT_CHOSEN] = "chosen by the executor",
                                      [TG_VARIANT_TUNED] = "the fastest on this card, as measured by bench shapes",
                                      [TG_VARIANT_GIVEN] = "chosen by --variant"};
  if (result->run.facts.variants == 1) return;
  g_autofree char *value = g_strdup_printf("%d of %d", result->run.facts.variant, result->run.facts.variants);
  tg_table_add_fact(table, "variant", value, "%s", words[result->variant_from]);
}

static void add_facts(TgTable *table, const TgRunCommand *run, const TgRunEntry *result) {
  const TgExecutorFacts *facts = &result->run.facts;
  g_autofree char *words =
      facts->shared_bytes ? g_strdup_printf("on the device, and %s of shared memory per block",
                                            tg_bytes_text((double)facts->shared_bytes).s)
                          : g_strdup(run->kind->on_gpu ? "of the device" : "for the matrices and the blocks of a run");
  g_autofree char *processors = g_strdup_printf("%" PRId64, facts->processors);
  tg_table_add_fact(table, "processors", processors, "each is %s", run->kind->processor);
  g_autofree char *at_once = g_strdup_printf("%" PRId64, facts->at_once);
  if (facts->at_once > 1)
    tg_table_add_fact(table, run->kind->job ? "ranks" : "cores", at_once,
                      "that work at the same time, each on its processors in turn");
  add_variant(table, result);
  tg_table_add_fact(table, "memory", tg_bytes_text((double)facts->memory_bytes).s, "%s", words);
  if (facts->instances * facts->panels == 1) return;
  g_autofree char *instances = g_strdup_printf("%" PRId64, facts->instances);
  tg_table_add_fact(table, "instances", instances,
                    "%" PRId64 " x %" PRId64 " elements of C each, at most %" PRId64 " at once; k in %" PRId64
                    " panel%s of %" PRId64,
                    facts->instance[0], facts->instance[1], facts->resident, facts->panels, plural(facts->panels),
                    facts->instance[2]);
  if (facts->passes == facts->rounds * facts->panels) return;
  g_autofree char *passes = g_strdup_printf("%" PRId64, facts->passes);
  tg_table_add_fact(table, "passes", passes,
                    "one after another; the last instances are split along k, so that all processors have work");
}

static bool waits(const TgRunEntry *result) {
  for (int64_t s = 0; s < result->run.facts.steps; s++)
    if (result->run.steps[s].waited_s > 0) return true;
  return false;
}

static void add_share(TgTable *table, double share) {
  tg_table_add(table, "%s", tg_percent_text(share).s);
}

static void add_step(TgTable *table, const TgRunStep *step, bool has_waits) {
  const double times[] = {step->median_s, step->busy_s, step->waited_s};
  tg_table_add(table, "%" PRId64, step->index);
  tg_table_add(table, "%s", step->label);
  tg_table_add(table, "%" PRId64, step->runs);
  for (int t = 0; t < (has_waits ? 3 : 1); t++) tg_table_add_time(table, times[t]);
  add_share(table, step->share);
}

/* A row below the steps. */
static void add_sum(TgTable *table, const char *what, double time_s, double share, bool has_waits) {
  tg_table_add(table, " ");
  tg_table_add(table, "%s", what);
  tg_table_add(table, " ");
  tg_table_add_time(table, time_s);
  for (int t = 0; t < (has_waits ? 2 : 0); t++) tg_table_add(table, " ");
  add_share(table, share);
}

/* A run is held up now in this step, now in that one, so the median of each may hide it. */
static void print_medians(TgCli *cli, const TgRunEntry *result) {
  double sum_s = 0;
  for (int64_t s = 0; s < result->run.facts.steps; s++)
    if (result->run.steps[s].runs > 0) sum_s += result->run.steps[s].median_s;
  if (fabs(sum_s - result->run.steps_s) <= 0.05 * result->run.steps_s) return;
  g_autofree char *words = g_strdup_printf("The step medians add up to %s, not to %s, because different runs were slow "
                                           "in different steps. The shares add up.",
                                           tg_time_text(sum_s).s, tg_time_text(result->run.steps_s).s);
  tg_print_wrapped(cli, words, 2, 0);
}

static void print_steps(TgCli *cli, const TgRunCommand *run, const TgRunEntry *result) {
  static const char *const heads[] = {"step", "label", "runs", "time", "busy", "waited", "share"};
  const bool has_waits = waits(result), has_rest = result->run.outside_share >= 0.0005;
  g_autoptr(TgTable) table = tg_table_new(has_waits ? "rlrrrrr" : "rlrrr");
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++)
    if (has_waits || (h != 4 && h != 5)) tg_table_add(table, "%s", heads[h]);
  for (int64_t s = 0; s < MIN(result->run.facts.steps, MOST_STEPS); s++)
    add_step(table, &result->run.steps[s], has_waits);
  add_sum(table, "all steps", result->run.steps_s, 1 - result->run.outside_share, has_waits);
  if (has_rest) add_sum(table, "outside the steps", result->run.outside_s, result->run.outside_share, has_waits);
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, true);
  if (result->run.facts.steps > MOST_STEPS)
    tg_print(cli, "  … and %" PRId64 " more steps; --json prints all of them\n", result->run.facts.steps - MOST_STEPS);
  g_autofree char *words =
      g_strdup_printf("time: a processor's time in the step%s (median of the runs%s); share: the step's share of a run "
                      "(mean of the runs)%s",
                      has_waits ? ", busy and waiting for others" : "",
                      run->kind->times_apart ? ", measured in separate, slower runs" : "",
                      has_rest ? "; outside the steps: the launch, and work that belongs to no single step" : "");
  tg_print_wrapped(cli, words, 2, 0);
  print_medians(cli, result);
}

static void print_check(TgCli *cli, const TgRunCommand *run, const TgRunEntry *result) {
  const TgCheck *check = &result->run.check;
  tg_print(cli, "\nC compared with %s: relative error ",
           result->algo.schedule.computes.right == TG_MATRICES ? "its source"
           : check->estimated                                  ? "the product, estimated from 8 random vectors"
                                                               : "a product in double precision");
  tg_print_styled(cli, check->ok ? TG_STYLE_GOOD : TG_STYLE_BAD, "%.2g, %s", check->relative_error,
                  check->ok ? "OK" : "failed");
  tg_print(cli, " (Frobenius norm; at most %.2g for %s", check->tolerance, tg_element_name(run->input.element));
  if (check->tolerance > 0) tg_print(cli, " and this k");
  tg_print(cli, ")\n");
}

static void print_environment(TgCli *cli, const TgRunCommand *run) {
  const TgEnvironment *environment = &run->environment;
  tg_print(cli, "executed by %s", tg_environment_device(environment));
  if (environment->has_device)
    tg_print(cli, ", clock %d MHz before and %d after", environment->clock_before_mhz, environment->clock_after_mhz);
  tg_print(cli, "; %s\n", tg_run_entry(run, 0)->run.kernel);
}

static void print_one(TgCli *cli, const TgRunCommand *run) {
  const TgRunEntry *result = tg_run_entry(run, 0);
  g_autoptr(TgTable) table = tg_table_new("lrl");
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on %s, executed on %s", tg_algo_name(&result->algo),
                  tg_schedule_grid_text(&result->algo.schedule).s, run->kind->name);
  print_problem(cli, run);
  add_times(table, result);
  add_beside(table, run, result);
  add_facts(table, run, result);
  tg_table_print(cli, table, 2, false);
  if (result->run.steps) print_steps(cli, run, result);
  print_check(cli, run, result);
}

static int compare_medians(const void *a, const void *b) {
  const TgRunEntry *const *x = a, *const *y = b;
  const double difference = (*x)->run.time.median_s - (*y)->run.time.median_s;
  return (difference > 0) - (difference < 0);
}

static void add_result(TgTable *table, const TgRunCommand *run, const TgRunEntry *result, double fastest_s) {
  const double rate = result->run.flops_per_s;
  tg_table_add(table, "%s", tg_algo_name(&result->algo));
  tg_table_add(table, "%s", tg_schedule_grid_text(&result->algo.schedule).s);
  if (run->transport_count > 1) tg_table_add(table, "%s", tg_transport_name(result->transport));
  tg_table_add_time(table, result->run.time.median_s);
  tg_table_add_time(table, result->run.time.stddev_s);
  tg_table_add(table, "%d", result->run.time.trials);
  tg_table_add(table, isnan(rate) ? "-" : "%.4g", rate * 1e-9);
  tg_table_add_time(table, result->run.load_s + result->run.gather_s);
  tg_table_add(table, "%s", tg_bytes_text((double)result->run.facts.memory_bytes).s);
  tg_table_add(table, "%.1e%s", result->run.check.relative_error, result->run.check.ok ? "" : " WRONG");
  if (result->run.time.median_s > fastest_s)
    tg_table_add(table, "%.2fx", result->run.time.median_s / fastest_s);
  else
    tg_table_add(table, "fastest");
}

/* "variants: cannon 1 of 2, tuned; dns 2 of 2, chosen" */
void tg_run_print_variants(TgCli *cli, const TgRunCommand *run) {
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint r = 0; r < run->results->len; r++) {
    const TgRunEntry *result = tg_run_entry(run, r);
    if (result->run.facts.variants == 1) continue;
    g_string_append_printf(text, "%s%s", text->len ? "; " : "variants: ", tg_algo_name(&result->algo));
    if (run->transport_count > 1) g_string_append_printf(text, " %s", tg_transport_name(result->transport));
    g_string_append_printf(text, " %d of %d, %s", result->run.facts.variant, result->run.facts.variants,
                           tg_variant_from_name(result->variant_from));
  }
  if (text->len) tg_print_wrapped(cli, text->str, 2, 0);
}

static void print_several(TgCli *cli, const TgRunCommand *run) {
  static const char *const heads[] = {"",        "grid",     "transport", "time",  "spread", "runs",
                                      "Gflop/s", "transfer", "memory",    "error", "slower"};
  const bool has_transports = run->transport_count > 1;
  g_autoptr(TgTable) table = tg_table_new(has_transports ? "lllrrrrrrrr" : "llrrrrrrrr");
  g_autofree const TgRunEntry **order = g_new(const TgRunEntry *, run->results->len);
  for (guint r = 0; r < run->results->len; r++) order[r] = tg_run_entry(run, r);
  qsort(order, run->results->len, sizeof *order, compare_medians);
  tg_print_styled(cli, TG_STYLE_HEADING, "executed on %s", run->kind->name);
  print_problem(cli, run);
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++)
    if (has_transports || h != 2) tg_table_add(table, "%s", heads[h]);
  for (guint r = 0; r < run->results->len; r++) add_result(table, run, order[r], order[0]->run.time.median_s);
  tg_table_print(cli, table, 2, true);
  if (run->baseline) {
    g_autofree char *words =
        g_strdup_printf("%s on the same matrices takes %s (median of %d runs)", run->baseline->name,
                        tg_time_text(run->baseline_time.median_s).s, run->baseline_time.trials);
    tg_print_wrapped(cli, words, 2, 0);
  }
  tg_print_wrapped(cli,
                   "time: median of the runs; spread: standard deviation; transfer: A and B in and C out, not included "
                   "in the time; error: relative error of C",
                   2, 0);
  tg_run_print_variants(cli, run);
  tg_print(cli, "\n");
}

void tg_run_print(TgCli *cli, const TgRunCommand *run) {
  run->results->len > 1 ? print_several(cli, run) : print_one(cli, run);
  print_environment(cli, run);
  if (run->results->len == 1)
    tg_run_print_places(cli, &tg_run_entry(run, 0)->algo.schedule, &tg_run_entry(run, 0)->run);
}

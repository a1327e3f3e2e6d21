/* `sim --trace` and `trace`: the prediction as a trace. A track a processor, on it its steps, in these its products and
 * the rest; a flow a message; counters of link loads. Where that would be too many events, rows of the grid instead. */
#include "sim-trace.h"
#include "output.h"

#include "block-text.h"

enum {
  MEASURED = 50000,  /* steps of a run */
  NAMES = 64,        /* of processes and of what has few tracks */
  EVENTS_A_STEP = 3, /* of one track */
};

/* --- what to keep --------------------------------------------------------------------------------------------------*/

static int64_t row_of(const TgSimRun *run) {
  int32_t extents[TG_MAX_COORDINATES];
  if (run->rank) return run->problem.schedule.extent[run->problem.schedule.dims - 1];
  return extents[tg_topology_extents(&run->network, extents) - 1];
}

static int64_t places_of(const TgSimRun *run) {
  return run->rank ? tg_schedule_processors(&run->problem.schedule) : run->network.nodes;
}

/* So many rows to a track that there are not too many tracks, with a slice a step. */
static int64_t rows_each(int64_t places, int64_t row, int64_t steps) {
  int64_t each = row;
  while (each < places && ((places + each - 1) / each > TG_SIM_TRACE_TRACKS ||
                           (places + each - 1) / each > TG_SIM_TRACE_EVENTS / MAX(steps, 1)))
    each *= 2;
  return MIN(each, places);
}

/* Times of single nodes would be too many: kept are those of the rows that can be tracks. */
static void group_nodes(TgSimRun *run, int64_t steps) {
  const int64_t places = places_of(run), each = rows_each(places, row_of(run), steps);
  run->node_group = g_new(int32_t, run->network.nodes);
  for (int64_t n = 0; n < run->network.nodes; n++) {
    const int64_t place = run->rank ? run->rank[n] : n;
    run->node_group[n] = place < 0 ? -1 : (int32_t)(place / each);
  }
  run->places_of_group = each;
  run->options.node_group = run->node_group;
  run->options.node_groups = (places + each - 1) / each;
}

TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *run) {
  TgError error = {0};
  if (!cli->options.trace) return TG_EXIT_DONE;
  const int64_t steps = tg_walk_count_steps(&run->problem.schedule, &run->problem.names, &error);
  if (steps < 0) return tg_problem_report(cli, &run->problem, &error);
  run->options.keep_node_steps = true;
  if (places_of(run) > TG_SIM_TRACE_EVENTS / MAX(steps, 1)) group_nodes(run, steps);
  return TG_EXIT_DONE;
}

/* --- the document --------------------------------------------------------------------------------------------------*/

static void write_names(TgSimTrace *trace) {
  const TgSimRun *run = trace->run;
  char grid[48];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  g_autofree char *process = g_strdup_printf("predicted: %s on %s, %s", tg_problem_name(&run->problem), grid,
                                             tg_cost_model_name(run->options.model));
  tg_trace_name(&trace->file, "process_name", 0, process);
}

static void append_place(GString *text, const TgSimRun *run, int64_t place) {
  char vertex[64];
  if (run->rank) {
    tg_processor_append(text, &run->problem.schedule, place);
  } else {
    tg_sim_vertex_text(run, place, vertex, sizeof vertex);
    g_string_append(text, vertex);
  }
}

static void write_tracks(TgSimTrace *trace) {
  for (int64_t t = 0; t < trace->tracks; t++) {
    const int64_t first = t * trace->each, last = MIN(first + trace->each, trace->places) - 1;
    g_autoptr(GString) name = g_string_new(NULL);
    append_place(name, trace->run, first);
    if (last > first) g_string_append(name, " to ");
    if (last > first) append_place(name, trace->run, last);
    tg_trace_name(&trace->file, "thread_name", first, name->str);
    tg_trace_place(&trace->file, first, t);
  }
}

/* What the file leaves out, in words; NULL where it has all. */
static char *left_out(const TgSimTrace *trace) {
  const TgCost *cost = &trace->run->cost;
  GString *text = g_string_new(NULL);
  int64_t products = 0;
  for (int64_t s = 0; s < cost->trace.steps; s++) products += cost->trace.step[s].products;
  if (trace->each > 1)
    g_string_printf(text,
                    "%" PRId64 " %s (%" PRId64 " of %" PRId64 " rows) share a track, since all would be more than %d "
                    "events: a step lasts there until the first of them enters the next; %" PRId64 " products and the "
                    "loads of single links are left out, %" PRId64 " messages are summed, from track to track in a "
                    "flow, within a track in its step",
                    trace->each, trace->run->rank ? "processors" : "nodes", trace->each / trace->row,
                    trace->places / trace->row, TG_SIM_TRACE_EVENTS, products, cost->messages);
  if (trace->steps < cost->trace.steps)
    g_string_append_printf(text, "%sonly the first %" PRId64 " of %" PRId64 " steps are there", text->len ? "; " : "",
                           trace->steps, cost->trace.steps);
  return g_string_free(text, text->len == 0);
}

/* Likewise, of both. */
static char *left_out_of_both(const TgSimTrace *trace) {
  g_autofree char *predicted = left_out(trace);
  g_autofree char *measured = trace->measured ? tg_run_trace_left_out(trace->measured, MEASURED) : NULL;
  if (!predicted || !measured) return g_strdup(predicted ? predicted : measured);
  return g_strdup_printf("predicted: %s; measured: %s", predicted, measured);
}

static const char how_flows_go[] = "from the sender's step to the receiver's, as soon as both are in it: a prediction "
                                   "has the times of steps, not of messages";

static void begin(const TgCli *cli, TgSimTrace *trace) {
  const TgSimRun *run = trace->run;
  g_autofree char *missing = left_out_of_both(trace), *settings = tg_sim_settings_text(cli, run);
  const TgRunCommand *measured = trace->measured;
  const char *const about[] = {
      "machine",  run->machine.name,
      "network",  run->network_text,
      "settings", settings,
      "proved",   run->proved || trace->each == 1 ? "yes" : "no: that would take longer than the prediction",
      "device",   measured ? tg_environment_device(&measured->environment) : NULL,
      "on",       measured ? measured->kind->name : NULL,
      "flows",    how_flows_go,
      "left_out", missing,
  };
  tg_trace_clear(&trace->file);
  trace->file = (TgTraceFile){.process = TG_TRACE_PREDICTED, .alone = trace->alone};
  trace->flows = 0;
  tg_trace_begin(&trace->file, about, G_N_ELEMENTS(about) / 2);
  write_names(trace);
  write_tracks(trace);
  tg_sim_trace_links_open(trace);
}

/* --- how much of it fits -------------------------------------------------------------------------------------------*/

/* Slices and flows that are certain. */
static bool may_be_whole(const TgSimTrace *trace) {
  const TgCost *cost = &trace->run->cost;
  return trace->kept == 1 && trace->places <= TG_SIM_TRACE_EVENTS / MAX(cost->trace.steps, 1) &&
         cost->messages <= TG_SIM_TRACE_EVENTS / 2;
}

static TgExit write_whole(const TgCli *cli, TgSimTrace *trace) {
  begin(cli, trace);
  const TgExit status = tg_sim_trace_whole(cli, trace);
  if (!status) tg_sim_trace_links_end(trace);
  return status;
}

/* Twice as many rows a track, until it fits; of one track, as many steps as do. */
static TgExit write_rows(const TgCli *cli, TgSimTrace *trace) {
  trace->each = MAX(trace->kept, rows_each(trace->places, trace->row, trace->run->cost.trace.steps));
  for (;; trace->each = MIN(2 * trace->each, trace->places)) {
    trace->tracks = (trace->places + trace->each - 1) / trace->each;
    if (trace->tracks == 1) trace->steps = MIN(trace->steps, (trace->most - NAMES) / EVENTS_A_STEP);
    begin(cli, trace);
    const TgExit status = tg_sim_trace_rows(cli, trace);
    if (!status) tg_sim_trace_links_end(trace);
    if (status || trace->tracks == 1 || tg_sim_trace_fits(trace)) return status;
  }
}

static void write_measured(TgSimTrace *trace) {
  trace->file.process = TG_TRACE_MEASURED;
  tg_run_trace_result(&trace->file, trace->measured, tg_run_entry(trace->measured, 0), MEASURED);
}

static TgSimTrace open_trace(const TgSimRun *run) {
  const int64_t processors = tg_schedule_processors(&run->problem.schedule);
  TgSimTrace trace = {.run = run,
                      .most = TG_SIM_TRACE_EVENTS,
                      .places = places_of(run),
                      .row = row_of(run),
                      .kept = MAX(run->places_of_group, 1),
                      .each = 1,
                      .tracks = places_of(run),
                      .steps = run->cost.trace.steps,
                      .node = g_new(int32_t, processors)};
  for (int64_t p = 0; p < processors; p++) trace.node[p] = (int32_t)tg_embedding_node(&run->embedding, p);
  return trace;
}

static void clear(TgSimTrace *trace) {
  tg_trace_clear(&trace->file);
  g_free(trace->node);
  g_free(trace->link_bytes);
  g_free(trace->link_shown);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSimTrace, clear)

static TgExit write_trace(TgCli *cli, const TgSimRun *run, const TgRunCommand *measured, bool alone) {
  g_auto(TgSimTrace) trace = open_trace(run);
  trace.measured = measured;
  trace.alone = alone;
  if (measured) trace.most -= MIN(tg_run_entry(measured, 0)->run.facts.steps, MEASURED) + NAMES;
  const bool whole = may_be_whole(&trace);
  TgExit status = whole ? write_whole(cli, &trace) : TG_EXIT_DONE;
  if (!status && !(whole && tg_sim_trace_fits(&trace))) status = write_rows(cli, &trace);
  if (!status && measured) write_measured(&trace);
  g_autofree char *missing = left_out_of_both(&trace);
  if (!status && missing) tg_report(cli, TG_EXIT_DONE, "%s: %s", cli->options.trace, missing);
  return status ? status : tg_trace_end(cli, &trace.file, NULL);
}

TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *run) {
  return cli->options.trace ? write_trace(cli, run, NULL, false) : TG_EXIT_DONE;
}

TgExit tg_sim_trace_beside(TgCli *cli, const TgSimRun *run, const TgRunCommand *measured) {
  return write_trace(cli, run, measured, true);
}

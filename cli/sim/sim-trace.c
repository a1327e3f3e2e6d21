/* `sim --trace` and `trace`: the prediction as a trace. A track a processor, on it its steps, in these its products and
 * the rest; a flow a message; counters of link loads. Where that would be too many events, rows of the grid instead. */
#include "sim-trace.h"

#include "block-text.h"
#include "phase.h"

#include <math.h>

/* --- counters: the load of the links, step by step ---------------------------------------------------------------- */

/* Makes room for the loads of single links, where these are few. */
static void sim_trace_links_open(TgSimTrace *trace) {
  const int64_t links = trace->run->network.links;
  g_clear_pointer(&trace->link_bytes, g_free);
  g_clear_pointer(&trace->link_shown, g_free);
  if (trace->each > 1 || links > TG_SIM_TRACE_LINKS) return;
  trace->link_bytes = g_new0(int64_t, links + 1);
  trace->link_shown = g_new0(int64_t, links + 1);
}

void tg_sim_trace_links_add(TgSimTrace *trace, int64_t from, int64_t to, int64_t bytes) {
  TgRoute route;
  TgHop hop;
  if (!trace->link_bytes) return;
  tg_route_begin(&route, &trace->run->network, trace->node[from], trace->node[to]);
  while (tg_route_next(&route, &hop)) trace->link_bytes[hop.link] += bytes;
}

/* The names are those of the busiest links in `sim`. */
static void write_link(TgSimTrace *trace, int64_t number, double at_s) {
  TgLink link;
  tg_topology_link(&trace->run->network, number, &link);
  g_autofree char *name = g_strdup_printf("link %s -> %s", tg_sim_vertex_text(trace->run, link.from).s,
                                          tg_sim_vertex_text(trace->run, link.to).s);
  tg_trace_counter(&trace->file, name, "bytes", at_s, trace->link_bytes[number]);
}

static void write_links(TgSimTrace *trace, double at_s) {
  for (int64_t link = 0; trace->link_bytes && link < trace->run->network.links; link++) {
    if (trace->link_bytes[link] != trace->link_shown[link]) write_link(trace, link, at_s);
    trace->link_shown[link] = trace->link_bytes[link];
    trace->link_bytes[link] = 0;
  }
}

static void write_sums(TgSimTrace *trace, double at_s, int64_t busiest, int64_t all) {
  tg_trace_counter(&trace->file, "busiest link", "bytes", at_s, busiest);
  tg_trace_counter(&trace->file, "all links", "bytes", at_s, all);
}

void tg_sim_trace_links_step(TgSimTrace *trace, int64_t s) {
  const TgCost *cost = trace->run->cost;
  const TgTraceStep *step = &cost->trace.step[s];
  write_sums(trace, step->start_s, cost->step_max_link_bytes[s], step->hop_bytes);
  write_links(trace, step->start_s);
}

/* After the last step nothing is under way. */
static void sim_trace_links_end(TgSimTrace *trace) {
  const TgCost *cost = trace->run->cost;
  const double end_s = trace->steps < cost->trace.steps ? cost->trace.step[trace->steps].start_s : cost->time_s;
  write_sums(trace, end_s, 0, 0);
  write_links(trace, end_s);
}

/* --- rows of the grid --------------------------------------------------------------------------------------------- */

/* Too many events for all of them: rows of the grid are tracks, in each step how long the row is in it, and one flow
 * for all that goes from one row to another. Who sends to whom is read from the model's phases, which follow no block
 * by name. */

/** Messages in a step. */
typedef struct Traffic {
  int64_t messages, bytes;
} Traffic;

typedef struct Rows {
  TgSimTrace *trace;
  TgPhases *phases;
  TgPhase *phase; /* the next one; NULL after the last */
  TgPhaseAt at;
  Traffic *traffic; /* tracks × tracks, row-major: sender, receiver */
  GArray *touched;  /* int64_t: which of these are not 0 */
  TgNodeStep *now;  /* by track: first in, last out, and the most time in products; start_s infinite where nobody is */
  TgNodeStep *next; /* likewise, of the next step */
} Rows;

/* --- times ---------------------------------------------------------------------------------------------------------*/

/* Where the prediction has kept rows alone, a place's times are those of its row. */
static const TgNodeStep *entry_of(const TgSimTrace *trace, int64_t s, int64_t place) {
  const TgEstimate *run = trace->run;
  const int64_t node = tg_sim_trace_node(trace, place);
  const int64_t entry = run->options.node_group ? run->options.node_group[node] : node;
  return &run->cost->node_step[s * run->cost->node_entries + entry];
}

static void read_times(const TgSimTrace *trace, int64_t s, TgNodeStep *times) {
  for (int64_t t = 0; t < trace->tracks; t++) {
    times[t] = (TgNodeStep){.start_s = INFINITY};
    for (int64_t p = t * trace->each; p < MIN((t + 1) * trace->each, trace->places); p += trace->kept) {
      const TgNodeStep *at = entry_of(trace, s, p);
      times[t].start_s = fmin(times[t].start_s, at->start_s);
      times[t].end_s = fmax(times[t].end_s, at->end_s);
      times[t].products_s = fmax(times[t].products_s, at->products_s);
    }
  }
}

/* Places enter a step at different times: on the track it lasts until the first of them enters the next one. */
static double shown_end_s(const Rows *rows, int64_t s, int64_t track) {
  return s + 1 < rows->trace->run->cost->trace.steps ? rows->next[track].start_s : rows->now[track].end_s;
}

/* --- traffic -------------------------------------------------------------------------------------------------------*/

static Traffic *traffic_of(const Rows *rows, int64_t from, int64_t to) {
  return &rows->traffic[from * rows->trace->tracks + to];
}

static void add_phase(Rows *rows) {
  const TgSimTrace *trace = rows->trace;
  const TgPhase *phase = rows->phase;
  for (int64_t m = 0; m < phase->transfers; m++) {
    if (trace->node[phase->from[m]] == trace->node[phase->to[m]]) continue;
    const int64_t pair = tg_sim_trace_place(trace, phase->from[m]) / trace->each * trace->tracks +
                         tg_sim_trace_place(trace, phase->to[m]) / trace->each;
    if (rows->traffic[pair].messages++ == 0) g_array_append_val(rows->touched, pair);
    rows->traffic[pair].bytes += phase->bytes ? phase->bytes[m] : phase->uniform_bytes;
  }
}

static bool next_phase(Rows *rows, GError **error) {
  g_clear_pointer(&rows->phase, tg_phase_release);
  return tg_phases_next(rows->phases, &rows->phase, &rows->at, error) != TG_PROGRESS_ERROR;
}

/* All of the step's phases. */
static bool read_traffic(Rows *rows, int64_t index, GError **error) {
  for (guint t = 0; t < rows->touched->len; t++) rows->traffic[g_array_index(rows->touched, int64_t, t)] = (Traffic){0};
  g_array_set_size(rows->touched, 0);
  while (rows->phase && rows->at.step == index) {
    add_phase(rows);
    if (!next_phase(rows, error)) return false;
  }
  return true;
}

/* --- events --------------------------------------------------------------------------------------------------------*/

static void write_slice(Rows *rows, int64_t s, int64_t track) {
  TgSimTrace *trace = rows->trace;
  const TgTraceStep *step = &trace->run->cost->trace.step[s];
  const Traffic *within = traffic_of(rows, track, track);
  const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step->index},
                                       {.name = "last_out_us", .number = rows->now[track].end_s * 1e6},
                                       {.name = "most_products_us", .number = rows->now[track].products_s * 1e6},
                                       {.name = "messages_within", .number = (double)within->messages},
                                       {.name = "bytes_within", .number = (double)within->bytes}};
  if (isinf(rows->now[track].start_s)) return;
  tg_trace_slice(&trace->file, &(TgTraceSlice){.track = track * trace->each,
                                               .name = tg_sim_trace_label(step),
                                               .kind = "step",
                                               .start_s = rows->now[track].start_s,
                                               .end_s = shown_end_s(rows, s, track),
                                               .argument = arguments,
                                               .arguments = G_N_ELEMENTS(arguments),
                                               .always = true});
}

static void write_flow(Rows *rows, int64_t index, int64_t from, int64_t to) {
  TgSimTrace *trace = rows->trace;
  const Traffic *traffic = traffic_of(rows, from, to);
  const double start_s = rows->now[from].start_s;
  g_autoptr(GString) name = g_string_new(NULL);
  tg_count_append(name, traffic->messages, "message", "messages");
  const TgTraceArgument arguments[] = {{.name = "messages", .number = (double)traffic->messages},
                                       {.name = "bytes", .number = (double)traffic->bytes},
                                       {.name = "step", .number = (double)index}};
  tg_trace_flow(&trace->file, &(TgTraceFlow){.id = ++trace->flows,
                                             .name = name->str,
                                             .kind = "messages",
                                             .from = from * trace->each,
                                             .to = to * trace->each,
                                             .start_s = start_s,
                                             .end_s = fmax(start_s, rows->now[to].start_s),
                                             .argument = arguments,
                                             .arguments = G_N_ELEMENTS(arguments)});
}

static void write_step(Rows *rows, int64_t s) {
  TgSimTrace *trace = rows->trace;
  for (int64_t t = 0; t < trace->tracks; t++) write_slice(rows, s, t);
  for (guint t = 0; t < rows->touched->len && tg_sim_trace_fits(trace); t++) {
    const int64_t pair = g_array_index(rows->touched, int64_t, t);
    const int64_t from = pair / trace->tracks, to = pair % trace->tracks;
    if (from != to) write_flow(rows, trace->run->cost->trace.step[s].index, from, to);
  }
  tg_sim_trace_links_step(trace, s);
}

static bool write_steps(Rows *rows, GError **error) {
  TgSimTrace *trace = rows->trace;
  const TgCost *cost = trace->run->cost;
  if (!next_phase(rows, error)) return false;
  if (trace->steps > 0) read_times(trace, 0, rows->next);
  for (int64_t s = 0; s < trace->steps && tg_sim_trace_fits(trace); s++) {
    memcpy(rows->now, rows->next, (size_t)trace->tracks * sizeof *rows->now);
    if (s + 1 < cost->trace.steps) read_times(trace, s + 1, rows->next);
    if (!read_traffic(rows, cost->trace.step[s].index, error)) return false;
    write_step(rows, s);
  }
  return true;
}

/* Rows and what goes from one to another, of the steps that are to be written; likewise. */
static TgExit sim_trace_rows(const TgCli *cli, TgSimTrace *trace) {
  const TgEstimate *run = trace->run;
  GError *error = NULL;
  Rows rows = {.trace = trace,
               .traffic = g_new0(Traffic, trace->tracks * trace->tracks),
               .touched = g_array_new(FALSE, FALSE, sizeof(int64_t)),
               .now = g_new0(TgNodeStep, trace->tracks),
               .next = g_new0(TgNodeStep, trace->tracks)};
  const TgPhasesOf of = {.schedule = run->cost->schedule,
                         .names = run->names,
                         .shape = &run->shape,
                         .element_bytes = run->options.element_bytes,
                         .collective = (TgCollective)run->cost->collective};
  rows.phases = tg_phases_new(&of, &error);
  const bool done = rows.phases && write_steps(&rows, &error);
  g_clear_pointer(&rows.phase, tg_phase_release);
  g_clear_pointer(&rows.phases, tg_phases_free);
  g_array_unref(rows.touched);
  g_free(rows.traffic);
  g_free(rows.now);
  g_free(rows.next);
  return done ? TG_EXIT_DONE : tg_report_error(cli, error);
}

enum {
  MEASURED = 50000,  /* steps of a run */
  NAMES = 64,        /* of processes and of what has few tracks */
  EVENTS_A_STEP = 3, /* of one track */
};

/* --- what to keep --------------------------------------------------------------------------------------------------*/

static int64_t row_of(const TgEstimate *run) {
  int32_t extents[TG_MAX_COORDINATES];
  if (run->rank) return run->schedule->extent[run->schedule->dims - 1];
  return extents[tg_topology_extents(&run->network, extents) - 1];
}

static int64_t places_of(const TgEstimate *run) {
  return run->rank ? tg_schedule_processors(run->schedule) : run->network.nodes;
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
static void group_nodes(TgEstimate *run, int64_t steps) {
  const int64_t places = places_of(run), each = rows_each(places, row_of(run), steps);
  int32_t *group = g_new(int32_t, run->network.nodes);
  for (int64_t n = 0; n < run->network.nodes; n++) {
    const int64_t place = run->rank ? run->rank[n] : n;
    group[n] = place < 0 ? -1 : (int32_t)(place / each);
  }
  run->options.node_group = group;
  run->options.node_groups = (places + each - 1) / each;
}

TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *sim) {
  TgEstimate *run = &sim->estimate;
  TgError error = {0};
  if (!cli->options.trace) return TG_EXIT_DONE;
  const int64_t steps = tg_walk_count_steps(run->schedule, run->names, &error);
  if (steps < 0) return tg_algo_report(cli, &sim->algo, &error);
  run->options.keep_node_steps = true;
  if (places_of(run) > TG_SIM_TRACE_EVENTS / MAX(steps, 1)) group_nodes(run, steps);
  return TG_EXIT_DONE;
}

/* --- the document --------------------------------------------------------------------------------------------------*/

static void write_names(TgSimTrace *trace) {
  const TgEstimate *run = trace->run;
  g_autofree char *process =
      g_strdup_printf("predicted: %s on %s, %s", tg_sim_name(run), tg_schedule_grid_text(run->schedule).s,
                      tg_cost_model_name(run->options.model));
  tg_trace_name(&trace->file, "process_name", 0, process);
}

static void append_place(GString *text, const TgEstimate *run, int64_t place) {
  if (run->rank) {
    tg_processor_append(text, run->schedule, place);
  } else {
    g_string_append(text, tg_sim_vertex_text(run, place).s);
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
  const TgCost *cost = trace->run->cost;
  GString *text = g_string_new(NULL);
  int64_t products = 0;
  for (int64_t s = 0; s < cost->trace.steps; s++) products += cost->trace.step[s].products;
  if (trace->each > 1)
    g_string_printf(text,
                    "%" PRId64 " %s (%" PRId64 " of %" PRId64
                    " rows) share a track, because separate tracks would need more than %d events: on a shared track, "
                    "a step lasts until the first of them enters the next; %" PRId64
                    " products and the loads of single links are left out; %" PRId64
                    " messages are summed, in one flow between two tracks and in the step within a track",
                    trace->each, trace->run->rank ? "processors" : "nodes", trace->each / trace->row,
                    trace->places / trace->row, TG_SIM_TRACE_EVENTS, products, cost->messages);
  if (trace->steps < cost->trace.steps)
    g_string_append_printf(text, "%sonly the first %" PRId64 " of %" PRId64 " steps are included",
                           text->len ? "; " : "", trace->steps, cost->trace.steps);
  return g_string_free(text, text->len == 0);
}

/* Likewise, of both. */
static char *left_out_of_both(const TgSimTrace *trace) {
  g_autofree char *predicted = left_out(trace);
  g_autofree char *measured = trace->measured ? tg_run_trace_left_out(trace->measured, MEASURED) : NULL;
  if (!predicted || !measured) return g_strdup(predicted ? predicted : measured);
  return g_strdup_printf("predicted: %s; measured: %s", predicted, measured);
}

static const char how_flows_go[] =
    "from the sender's step to the receiver's, once both are in it: a prediction times steps, not messages";

static void begin(const TgCli *cli, TgSimTrace *trace) {
  const TgEstimate *run = trace->run;
  g_autofree char *missing = left_out_of_both(trace), *settings = tg_sim_settings_text(cli, &run->options);
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
  sim_trace_links_open(trace);
}

/* --- how much of it fits -------------------------------------------------------------------------------------------*/

/* Slices and flows that are certain. */
static bool may_be_whole(const TgSimTrace *trace) {
  const TgCost *cost = trace->run->cost;
  return trace->kept == 1 && trace->places <= TG_SIM_TRACE_EVENTS / MAX(cost->trace.steps, 1) &&
         cost->messages <= TG_SIM_TRACE_EVENTS / 2;
}

static TgExit write_whole(const TgCli *cli, TgSimTrace *trace) {
  begin(cli, trace);
  const TgExit status = tg_sim_trace_whole(cli, trace);
  if (!status) sim_trace_links_end(trace);
  return status;
}

/* Twice as many rows a track, until it fits; of one track, as many steps as do. */
static TgExit write_rows(const TgCli *cli, TgSimTrace *trace) {
  trace->each = MAX(trace->kept, rows_each(trace->places, trace->row, trace->run->cost->trace.steps));
  for (;; trace->each = MIN(2 * trace->each, trace->places)) {
    trace->tracks = (trace->places + trace->each - 1) / trace->each;
    if (trace->tracks == 1) trace->steps = MIN(trace->steps, (trace->most - NAMES) / EVENTS_A_STEP);
    begin(cli, trace);
    const TgExit status = sim_trace_rows(cli, trace);
    if (!status) sim_trace_links_end(trace);
    if (status || trace->tracks == 1 || tg_sim_trace_fits(trace)) return status;
  }
}

static void write_measured(TgSimTrace *trace) {
  trace->file.process = TG_TRACE_MEASURED;
  tg_run_trace_result(&trace->file, trace->measured, tg_run_entry(trace->measured, 0), MEASURED);
}

/* How many processors, or nodes where these have several, are one group of the prediction's times. */
static int64_t places_of_group(const TgEstimate *run) {
  int64_t places = 0;
  for (int64_t n = 0; run->options.node_group && n < run->network.nodes; n++) places += run->options.node_group[n] == 0;
  return MAX(places, 1);
}

static TgSimTrace open_trace(const TgSimRun *sim) {
  const TgEstimate *run = &sim->estimate;
  const int64_t processors = tg_schedule_processors(run->schedule);
  TgSimTrace trace = {.run = run,
                      .algo = &sim->algo,
                      .most = TG_SIM_TRACE_EVENTS,
                      .places = places_of(run),
                      .row = row_of(run),
                      .kept = places_of_group(run),
                      .each = 1,
                      .tracks = places_of(run),
                      .steps = run->cost->trace.steps,
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

static TgExit write_trace(TgCli *cli, const TgSimRun *sim, const TgRunCommand *measured, bool alone) {
  g_auto(TgSimTrace) trace = open_trace(sim);
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

TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *sim) {
  return cli->options.trace ? write_trace(cli, sim, NULL, false) : TG_EXIT_DONE;
}

TgExit tg_sim_trace_beside(TgCli *cli, const TgSimRun *sim, const TgRunCommand *measured) {
  return write_trace(cli, sim, measured, true);
}

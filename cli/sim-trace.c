/* `sim --trace`: the prediction as Chrome trace events, which Perfetto and chrome://tracing show: a track a node, on
 * it its steps, and within a step its products and the rest. The format is Google's "Trace Event Format"; times are in
 * microseconds. */
#include "output.h"
#include "sim.h"

#include "atomic-file.h"
#include "json-writer.h"

#include <math.h>

enum {
  PID_PREDICTED = 1, /* 2 is measured */
  MOST_EVENTS = 200000,
  EVENTS_A_STEP = 3,  /* on a track: the step, its products, the rest */
  MOST_KEPT = 1 << 22 /* nodes times steps whose times are kept, 128 MiB */
};

/** Which nodes share a track. */
typedef struct TgTracks {
  int64_t count, nodes_each; /**< of a track; the last may have fewer */
  int64_t steps;             /**< that are written */
  int64_t events;
} TgTracks;

TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *run) {
  TgError error = {0};
  if (!cli->options.trace) return TG_EXIT_DONE;
  if (!g_str_has_suffix(cli->options.trace, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "--trace %s: expected a name that ends in .json", cli->options.trace);
  int64_t steps = tg_walk_count_steps(&run->problem.schedule, &run->problem.names, &error);
  if (steps < 0) return tg_problem_report(cli, &run->problem, &error);
  run->options.keep_node_steps = steps <= MOST_KEPT / run->network.nodes;
  return TG_EXIT_DONE;
}

/* A track a node, or so many rows of the network a track that the events stay few. */
static TgTracks find_tracks(const TgSimRun *run) {
  const TgCost *cost = &run->cost;
  int32_t extents[TG_MAX_COORDINATES];
  const int64_t most = MAX(1, MOST_EVENTS / EVENTS_A_STEP / MAX(cost->trace.steps, 1));
  TgTracks tracks = {
      .count = 1, .nodes_each = cost->nodes, .steps = MIN(cost->trace.steps, MOST_EVENTS / EVENTS_A_STEP)};
  if (!cost->node_step) return tracks;
  tracks.nodes_each = 1;
  int count = tg_topology_extents(&run->network, extents);
  for (int axis = count - 1; axis >= 0 && (cost->nodes + tracks.nodes_each - 1) / tracks.nodes_each > most; axis--)
    tracks.nodes_each = MIN(cost->nodes, tracks.nodes_each * extents[axis]);
  tracks.count = (cost->nodes + tracks.nodes_each - 1) / tracks.nodes_each;
  return tracks;
}

/* A track of one node has its processor's number. */
static int64_t track_of(const TgSimRun *run, const TgTracks *tracks, int64_t node) {
  return tracks->nodes_each == 1 && run->rank ? run->rank[node] : node;
}

static void begin_event(TgJson *json, const char *name, const char *phase, int64_t track) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "name", name);
  tg_json_member_string(json, "ph", phase);
  tg_json_member_integer(json, "pid", PID_PREDICTED);
  tg_json_member_integer(json, "tid", track);
}

static void write_name(TgJson *json, const char *what, int64_t track, const char *name) {
  begin_event(json, what, "M", track);
  tg_json_key(json, "args");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "name", name);
  tg_json_end_object(json);
  tg_json_end_object(json);
}

static void write_names(TgJson *json, const TgSimRun *run, const TgTracks *tracks) {
  char grid[48];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  g_autofree char *process = g_strdup_printf("predicted: %s on %s, %s", tg_problem_name(&run->problem), grid,
                                             tg_cost_model_name(run->options.model));
  write_name(json, "process_name", 0, process);
  for (int64_t t = 0; t < tracks->count; t++) {
    char first[64], last[64];
    const int64_t from = t * tracks->nodes_each, to = MIN(from + tracks->nodes_each, run->cost.nodes) - 1;
    tg_sim_vertex_text(run, from, first, sizeof first);
    tg_sim_vertex_text(run, to, last, sizeof last);
    g_autofree char *name = from == to ? g_strdup(first) : g_strdup_printf("%s to %s", first, last);
    const int64_t track = track_of(run, tracks, from);
    if (track >= 0) write_name(json, "thread_name", track, name);
  }
}

/* A slice; none where it takes no time, or no more than rounding leaves. */
static void write_slice(TgJson *json, TgTracks *tracks, int64_t track, const char *name, const char *kind,
                        double start_s, double end_s, int64_t step) {
  if (!(end_s - start_s > 1e-12 * end_s)) return;
  begin_event(json, name, "X", track);
  tg_json_member_string(json, "cat", kind);
  tg_json_member_double(json, "ts", start_s * 1e6);
  tg_json_member_double(json, "dur", (end_s - start_s) * 1e6);
  tg_json_key(json, "args");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "step", step);
  tg_json_end_object(json);
  tg_json_end_object(json);
  tracks->events++;
}

static const char *name_of(const TgTraceStep *step) {
  return *step->label ? step->label : "step";
}

/* The step of one node, in it the time before its products, these, and the time after them. */
static void write_node(TgJson *json, TgTracks *tracks, const TgSimRun *run, int64_t s, int64_t node) {
  const TgCost *cost = &run->cost;
  const int64_t track = track_of(run, tracks, node);
  const TgTraceStep *step = &cost->trace.step[s];
  const TgNodeStep *at = &cost->node_step[s * cost->nodes + node];
  const double products_s = fmin(fmax(at->products_end_s - at->products_s, at->start_s), at->products_end_s);
  write_slice(json, tracks, track, name_of(step), "step", at->start_s, at->end_s, step->index);
  if (at->products_s > 0) {
    write_slice(json, tracks, track, "communication", "communication", at->start_s, products_s, step->index);
    write_slice(json, tracks, track, "products", "products", products_s, at->products_end_s, step->index);
    write_slice(json, tracks, track, "communication", "communication", at->products_end_s, at->end_s, step->index);
  } else {
    write_slice(json, tracks, track, "communication", "communication", at->start_s, at->end_s, step->index);
  }
}

/* Many nodes on one track: the step lasts until the first of them enters the next one. */
static void write_group(TgJson *json, TgTracks *tracks, const TgSimRun *run, int64_t s, int64_t first) {
  const TgCost *cost = &run->cost;
  const int64_t end = MIN(first + tracks->nodes_each, cost->nodes), nodes = cost->nodes;
  const bool more = s + 1 < cost->trace.steps;
  double start_s = INFINITY, end_s = more ? INFINITY : 0;
  for (int64_t n = first; n < end; n++) {
    if (tg_sim_is_idle(run, n)) continue;
    start_s = fmin(start_s, cost->node_step[s * nodes + n].start_s);
    end_s = more ? fmin(end_s, cost->node_step[(s + 1) * nodes + n].start_s)
                 : fmax(end_s, cost->node_step[s * nodes + n].end_s);
  }
  write_slice(json, tracks, first, name_of(&cost->trace.step[s]), "step", start_s, end_s, cost->trace.step[s].index);
}

static void write_whole(TgJson *json, TgTracks *tracks, const TgCost *cost, int64_t s) {
  const TgTraceStep *step = &cost->trace.step[s];
  const double end_s = s + 1 < cost->trace.steps ? cost->trace.step[s + 1].start_s : step->end_s;
  write_slice(json, tracks, 0, name_of(step), "step", step->start_s, end_s, step->index);
}

static void write_counter(TgJson *json, const char *name, const char *unit, double at_s, int64_t value) {
  begin_event(json, name, "C", 0);
  tg_json_member_double(json, "ts", at_s * 1e6);
  tg_json_key(json, "args");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, unit, value);
  tg_json_end_object(json);
  tg_json_end_object(json);
}

static void write_step(TgJson *json, TgTracks *tracks, const TgSimRun *run, int64_t s) {
  const TgCost *cost = &run->cost;
  write_counter(json, "busiest link", "bytes", cost->trace.step[s].start_s, cost->step_max_link_bytes[s]);
  if (!cost->node_step) write_whole(json, tracks, cost, s);
  for (int64_t t = 0; cost->node_step && t < tracks->count; t++) {
    if (tracks->nodes_each == 1)
      write_node(json, tracks, run, s, t);
    else
      write_group(json, tracks, run, s, t * tracks->nodes_each);
  }
}

/* What the file leaves out, in words; NULL where it has all. */
static char *left_out(const TgSimRun *run, const TgTracks *tracks) {
  GString *text = g_string_new(NULL);
  if (!run->cost.node_step && run->options.keep_node_steps)
    g_string_printf(text, "the model %s keeps no times of single nodes: the steps of all nodes are one track",
                    tg_cost_model_name(run->options.model));
  else if (!run->cost.node_step)
    g_string_printf(text,
                    "%" PRId64 " nodes and %" PRId64 " steps are too many to keep: the steps of all nodes are one "
                    "track",
                    run->cost.nodes, run->cost.trace.steps);
  else if (tracks->nodes_each > 1)
    g_string_printf(text,
                    "%" PRId64 " nodes share a track, to stay below %d events: a step lasts until the first of "
                    "them enters the next; products are left out",
                    tracks->nodes_each, MOST_EVENTS);
  if (tracks->steps < run->cost.trace.steps)
    g_string_append_printf(text, "%sonly the first %" PRId64 " of %" PRId64 " steps are there", text->len ? "; " : "",
                           tracks->steps, run->cost.trace.steps);
  return g_string_free(text, text->len == 0);
}

static void write_events(TgJson *json, const TgSimRun *run, TgTracks *tracks) {
  tg_json_key(json, "traceEvents");
  tg_json_begin_array(json, TG_JSON_LINES);
  write_names(json, run, tracks);
  for (int64_t s = 0; s < tracks->steps; s++) write_step(json, tracks, run, s);
  tg_json_end_array(json);
}

TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *run) {
  if (!cli->options.trace) return TG_EXIT_DONE;
  GError *error = NULL;
  TgTracks tracks = find_tracks(run);
  g_autofree char *missing = left_out(run, &tracks);
  g_autoptr(TgJson) json = tg_json_new();
  gsize length;
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "displayTimeUnit", "ms");
  tg_json_key(json, "otherData");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "machine", run->machine.name);
  tg_json_member_string(json, "network", run->network_text);
  tg_json_member_string(json, "left_out", missing);
  tg_json_end_object(json);
  write_events(json, run, &tracks);
  tg_json_end_object(json);
  const char *text = tg_json_text(json, &length);
  if (!tg_atomic_file_write(cli->options.trace, text, length, &error)) return tg_report_error(cli, error);
  if (cli->options.json) return TG_EXIT_DONE;
  tg_print(cli, "\n%s: %" PRId64 " events; open it in https://ui.perfetto.dev\n", cli->options.trace, tracks.events);
  if (missing) tg_print(cli, "  %s\n", missing);
  return TG_EXIT_DONE;
}

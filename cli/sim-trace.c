/* `sim --trace`: the prediction as a trace: a track a node, on it its steps, and within a step its products and the
 * rest. */
#include "sim.h"
#include "output-files.h"
#include "trace-file.h"

#include <math.h>

enum {
  MOST_EVENTS = 200000,
  EVENTS_A_STEP = 3,  /* on a track: the step, its products, the rest */
  MOST_KEPT = 1 << 22 /* nodes times steps whose times are kept, 128 MiB */
};

/** Which nodes share a track. */
typedef struct TgTracks {
  int64_t count, nodes_each; /**< of a track; the last may have fewer */
  int64_t steps;             /**< that are written */
} TgTracks;

TgExit tg_sim_trace_prepare(const TgCli *cli, TgSimRun *run) {
  TgError error = {0};
  if (!cli->options.trace) return TG_EXIT_DONE;
  const TgExit status = tg_output_files_check(cli);
  if (status) return status;
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

static void write_names(TgTraceFile *file, const TgSimRun *run, const TgTracks *tracks) {
  char grid[48];
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  g_autofree char *process = g_strdup_printf("predicted: %s on %s, %s", tg_problem_name(&run->problem), grid,
                                             tg_cost_model_name(run->options.model));
  tg_trace_name(file, "process_name", 0, process);
  for (int64_t t = 0; t < tracks->count; t++) {
    char first[64], last[64];
    const int64_t from = t * tracks->nodes_each, to = MIN(from + tracks->nodes_each, run->cost.nodes) - 1;
    tg_sim_vertex_text(run, from, first, sizeof first);
    tg_sim_vertex_text(run, to, last, sizeof last);
    g_autofree char *name = from == to ? g_strdup(first) : g_strdup_printf("%s to %s", first, last);
    const int64_t track = track_of(run, tracks, from);
    if (track >= 0) tg_trace_name(file, "thread_name", track, name);
  }
}

static const char *name_of(const TgTraceStep *step) {
  return *step->label ? step->label : "step";
}

static void write_slice(TgTraceFile *file, int64_t track, const char *name, const char *kind, double start_s,
                        double end_s, int64_t step) {
  tg_trace_slice(file, track, name, kind, start_s, end_s, step, NULL, 0);
}

/* The step of one node, in it the time before its products, these, and the time after them. */
static void write_node(TgTraceFile *file, const TgTracks *tracks, const TgSimRun *run, int64_t s, int64_t node) {
  const TgCost *cost = &run->cost;
  const int64_t track = track_of(run, tracks, node);
  const TgTraceStep *step = &cost->trace.step[s];
  const TgNodeStep *at = &cost->node_step[s * cost->nodes + node];
  const double products_s = fmin(fmax(at->products_end_s - at->products_s, at->start_s), at->products_end_s);
  write_slice(file, track, name_of(step), "step", at->start_s, at->end_s, step->index);
  if (at->products_s > 0) {
    write_slice(file, track, "communication", "communication", at->start_s, products_s, step->index);
    write_slice(file, track, "products", "products", products_s, at->products_end_s, step->index);
    write_slice(file, track, "communication", "communication", at->products_end_s, at->end_s, step->index);
  } else {
    write_slice(file, track, "communication", "communication", at->start_s, at->end_s, step->index);
  }
}

/* Many nodes on one track: the step lasts until the first of them enters the next one. */
static void write_group(TgTraceFile *file, const TgTracks *tracks, const TgSimRun *run, int64_t s, int64_t first) {
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
  write_slice(file, first, name_of(&cost->trace.step[s]), "step", start_s, end_s, cost->trace.step[s].index);
}

static void write_whole(TgTraceFile *file, const TgCost *cost, int64_t s) {
  const TgTraceStep *step = &cost->trace.step[s];
  const double end_s = s + 1 < cost->trace.steps ? cost->trace.step[s + 1].start_s : step->end_s;
  write_slice(file, 0, name_of(step), "step", step->start_s, end_s, step->index);
}

static void write_step(TgTraceFile *file, const TgTracks *tracks, const TgSimRun *run, int64_t s) {
  const TgCost *cost = &run->cost;
  tg_trace_counter(file, "busiest link", "bytes", cost->trace.step[s].start_s, cost->step_max_link_bytes[s]);
  if (!cost->node_step) write_whole(file, cost, s);
  for (int64_t t = 0; cost->node_step && t < tracks->count; t++) {
    if (tracks->nodes_each == 1)
      write_node(file, tracks, run, s, t);
    else
      write_group(file, tracks, run, s, t * tracks->nodes_each);
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

TgExit tg_sim_trace_write(TgCli *cli, const TgSimRun *run) {
  if (!cli->options.trace) return TG_EXIT_DONE;
  const TgTracks tracks = find_tracks(run);
  g_autofree char *missing = left_out(run, &tracks);
  g_auto(TgTraceFile) file = {.process = TG_TRACE_PREDICTED};
  tg_trace_begin(
      &file, (const char *const[]){"machine", run->machine.name, "network", run->network_text, "left_out", missing}, 3);
  write_names(&file, run, &tracks);
  for (int64_t s = 0; s < tracks.steps; s++) write_step(&file, &tracks, run, s);
  return tg_trace_end(cli, &file, missing);
}

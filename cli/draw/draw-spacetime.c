/* draw --spacetime: predictions, as `topogemm sim` makes them, as pictures of their processors against time. */
#include "draw-file.h"
#include "memory-limit.h"
#include "progress.h"
#include "report.h"
#include "sim.h"

#include "critical-path.h"
#include "spacetime.h"

enum {
  MOST_KEPT = 1 << 22, /* nodes times steps whose times are kept, 128 MiB */
  MOST_WAITS_S = 10    /* to find out when processors wait */
};

/* A prediction and what the picture shows of it. */
typedef struct TgTimedRun {
  TgSimRun sim;
  TgCriticalPath path;
  TgSpacetimeRun chart;
  int64_t *lane_of; /* by node; -1 where it has no processor */
  int64_t *node_of; /* by lane */
  char *name, *words;
  TgText time;
  char **lane;
  TgSpan *span;
  TgSpacetimeStep *step;
  GArray **waits; /* by lane */
} TgTimedRun;

static void run_clear(TgTimedRun *run) {
  for (int64_t l = 0; run->waits && l < run->chart.lanes; l++) g_clear_pointer(&run->waits[l], g_array_unref);
  g_free(run->waits);
  tg_sim_clear(&run->sim);
  tg_critical_path_clear(&run->path);
  g_free(run->lane_of);
  g_free(run->node_of);
  g_free(run->name);
  g_free(run->words);
  g_strfreev(run->lane);
  g_free(run->span);
  g_free(run->step);
}

/* Also counts the memory that the picture keeps for each node and step, so that too large a picture is refused before
 * the prediction begins. */
static TgExit check_steps(const TgCli *cli, TgSimRun *run) {
  TgEstimate *sim = &run->estimate;
  TgError error = {0};
  int64_t steps = tg_walk_count_steps(sim->schedule, sim->names, &error);
  if (steps < 0) return tg_algo_report(cli, &run->algo, &error);
  sim->options.keep_node_steps = sim->options.explain = true;
  sim->more_bytes = (double)steps * sim->network.nodes * (sizeof(TgSpan) + 1);
  if (steps <= MOST_KEPT / sim->network.nodes) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "draw --spacetime: %d nodes times %" PRId64
                   " steps exceed the %d times that can be kept; use a smaller grid",
                   sim->network.nodes, steps, MOST_KEPT);
}

static TgExit predict(TgCli *cli, TgTimedRun *run, const char *name, bool several) {
  TgEstimate *sim = &run->sim.estimate;
  GError *error = NULL;
  TgExit status = tg_sim_open(cli, &run->sim, name, several);
  if (!status) status = check_steps(cli, &run->sim);
  if (!status) status = tg_sim_prove(cli, &run->sim);
  if (!status) status = tg_sim_predict(cli, &run->sim);
  if (status) return status;
  if (tg_critical_path_find(sim->names, &sim->shape, &sim->network, (TgEmbeddingKind)sim->embedding.kind, &sim->options,
                            sim->cost, &run->path, &error))
    return TG_EXIT_DONE;
  sim->fault = (TgEstimateFault){0};
  if (sim->cost->failure.cause != TG_CAUSE_NONE) sim->fault.failure = sim->cost->failure;
  return tg_sim_failed(cli, &run->sim.algo, &sim->fault, error);
}

/* Processors in the order of the grid, each on its node; nodes where one has several. */
static void find_lanes(TgTimedRun *run) {
  const TgEstimate *sim = &run->sim.estimate;
  const TgSchedule *schedule = sim->schedule;
  const int64_t lanes = sim->rank ? tg_schedule_processors(schedule) : sim->cost->nodes;
  run->lane_of = g_new(int64_t, sim->cost->nodes);
  run->node_of = g_new(int64_t, lanes);
  run->lane = g_new0(char *, lanes + 1);
  for (int64_t n = 0; n < sim->cost->nodes; n++) run->lane_of[n] = -1;
  for (int64_t l = 0; l < lanes; l++) {
    run->node_of[l] = sim->rank ? tg_embedding_node(&sim->embedding, l) : l;
    run->lane_of[run->node_of[l]] = l;
    run->lane[l] = g_strdup(tg_sim_vertex_text(sim, run->node_of[l]).s);
  }
  run->chart.lanes = lanes;
  run->chart.dims = sim->rank ? schedule->dims : 1;
  run->chart.extent[0] = (int32_t)lanes;
  for (int c = 0; sim->rank && c < schedule->dims; c++) run->chart.extent[c] = schedule->extent[c];
}

static void find_spans(TgTimedRun *run) {
  const TgCost *cost = &run->sim.cost;
  const int64_t lanes = run->chart.lanes;
  run->span = g_new(TgSpan, cost->trace.steps * lanes + 1);
  for (int64_t s = 0; s < cost->trace.steps; s++)
    for (int64_t l = 0; l < lanes; l++) {
      const int64_t at = s * cost->nodes + run->node_of[l];
      const TgNodeStep *step = &cost->node_step[at];
      run->span[s * lanes + l] = (TgSpan){.start_s = step->start_s,
                                          .end_s = step->end_s,
                                          .products_end_s = step->products_end_s,
                                          .products_s = tg_node_step_own_s(step),
                                          .ahead_end_s = step->ahead_end_s,
                                          .ahead_s = step->ahead_s,
                                          .talks = run->path.talks[at]};
    }
}

static void find_steps(TgTimedRun *run) {
  const TgTrace *trace = &run->sim.cost.trace;
  run->step = g_new(TgSpacetimeStep, trace->steps + 1);
  for (int64_t s = 0; s < trace->steps; s++) {
    const TgPathStep *path = &run->path.step[s];
    run->step[s] = (TgSpacetimeStep){.label = trace->step[s].label,
                                     .number = trace->step[s].index,
                                     .from = run->lane_of[path->from],
                                     .to = run->lane_of[path->to],
                                     .start_s = path->start_s,
                                     .end_s = path->end_s};
  }
}

/* The waits of each lane that has a row; each takes one more prediction. All or, where that would take too long, none.
 */
static TgExit find_waits(TgCli *cli, TgTimedRun *run) {
  TgEstimate *sim = &run->sim.estimate;
  g_autoptr(GArray) shown = tg_spacetime_shown(&run->chart);
  GError *error = NULL;
  TgProgressLine line;
  bool fine = true;
  run->waits = g_new0(GArray *, run->chart.lanes);
  tg_progress_begin(&line, cli, "draw: waits", shown->len);
  const gint64 until_us = g_get_monotonic_time() + MOST_WAITS_S * G_USEC_PER_SEC;
  bool in_time = true;
  for (guint r = 0; r < shown->len && fine && in_time; r++) {
    const int64_t lane = g_array_index(shown, int64_t, r);
    fine = tg_cost_explain(sim->names, &sim->shape, &sim->network, (TgEmbeddingKind)sim->embedding.kind, &sim->machine,
                           &sim->options, run->node_of[lane], &run->sim.cost, &error);
    if (!fine) break;
    run->waits[lane] = g_array_new(FALSE, FALSE, sizeof(TgSpacetimeWait));
    for (guint w = 0; w < run->sim.cost.waits->len; w++) {
      const TgWait *wait = &g_array_index(run->sim.cost.waits, TgWait, w);
      const TgSpacetimeWait copy = {wait->from_s, wait->to_s};
      g_array_append_val(run->waits[lane], copy);
    }
    tg_progress_at(&line, r + 1);
    in_time = r + 1 == shown->len || g_get_monotonic_time() < until_us;
  }
  tg_progress_end(cli);
  if (in_time) run->chart.waits = run->waits;
  if (fine) return TG_EXIT_DONE;
  sim->fault = (TgEstimateFault){0};
  if (sim->cost->failure.cause != TG_CAUSE_NONE) sim->fault.failure = sim->cost->failure;
  return tg_sim_failed(cli, &run->sim.algo, &sim->fault, error);
}

static char *words_of(const TgTimedRun *run) {
  const TgEstimate *sim = &run->sim.estimate;
  const TgCost *cost = sim->cost;
  const char *embedding = tg_embedding_name(sim->embedding.kind);
  if (cost->trace.steps == 0) return g_strdup_printf("network %s, %s", sim->network_text, embedding);
  g_autofree char *parts = tg_sim_parts_text(cost);
  if (!*parts) return g_strdup_printf("network %s, %s", sim->network_text, embedding);
  return g_strdup_printf("network %s, %s; %s finishes last: %s", sim->network_text, embedding,
                         run->lane[run->lane_of[cost->last_node]], parts);
}

static TgExit open_run(TgCli *cli, TgTimedRun *run, const char *name, bool several) {
  TgExit status = predict(cli, run, name, several);
  if (status) return status;
  run->time = tg_time_text(run->sim.cost.time_s);
  find_lanes(run);
  find_spans(run);
  find_steps(run);
  run->name = g_strdup_printf("%s on %s", tg_algo_display_name(&run->sim.algo),
                              tg_schedule_grid_text(&run->sim.algo.schedule).s);
  run->words = words_of(run);
  run->chart.name = run->name;
  run->chart.words = run->words;
  run->chart.time = run->time.s;
  run->chart.time_s = run->sim.cost.time_s;
  run->chart.steps = run->sim.cost.trace.steps;
  run->chart.lane = (const char *const *)run->lane;
  run->chart.span = run->span;
  run->chart.step = run->step;
  if (run->chart.steps == 0) return TG_EXIT_DONE;
  return find_waits(cli, run);
}

static char *note_of(const TgCli *cli, const TgEstimate *sim) {
  g_autofree char *settings = tg_sim_settings_text(cli, &sim->options);
  return g_strdup_printf("C %" PRId64 "×%" PRId64 ", inner dimension %" PRId64 ", %s; predicted for the machine %s, %s",
                         sim->shape.m, sim->shape.n, sim->shape.k, tg_element_name(sim->element), sim->machine.name,
                         settings);
}

static TgExit draw(TgCli *cli, const TgTimedRun *runs, int count, const char *format) {
  g_autofree TgSpacetimeRun *charts = g_new(TgSpacetimeRun, count);
  g_autofree const char **names = g_new(const char *, count);
  GError *error = NULL;
  for (int r = 0; r < count; r++) {
    charts[r] = runs[r].chart;
    names[r] = runs[r].name;
  }
  g_autofree char *title = tg_draw_chart_title("processors against time", names, count);
  g_autofree char *note = note_of(cli, &runs[0].sim.estimate);
  const TgSpacetime spacetime = {
      .title = title, .note = note, .run = charts, .runs = count, .memory_limit_bytes = tg_memory_limit(cli)};
  g_autoptr(GBytes) file = tg_draw_spacetime(&spacetime, format, &error);
  return tg_draw_chart_write(cli, file, error);
}

TgExit tg_draw_spacetime_chart(TgCli *cli, const char *format) {
  const int count = (int)g_strv_length(cli->options.arguments);
  g_autofree TgTimedRun *runs = g_new0(TgTimedRun, count);
  TgExit status = TG_EXIT_DONE;
  if (!cli->options.n && !cli->options.size)
    return tg_report(cli, TG_EXIT_USAGE,
                     "draw --spacetime: times depend on the sizes of the matrices: give -n or --size");
  for (int r = 0; r < count && !status; r++) status = open_run(cli, &runs[r], cli->options.arguments[r], count > 1);
  if (!status) status = draw(cli, runs, count, format);
  for (int r = 0; r < count; r++) run_clear(&runs[r]);
  return status;
}

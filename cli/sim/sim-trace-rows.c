/* A predicted trace with too many events for all of them: rows of the grid as tracks, in each step how long the row is
 * in it, and one flow for all that goes from one row to another. Who sends to whom is read from the model's phases,
 * which follow no block by name. */
#include "sim-trace.h"

#include "block-text.h"
#include "phase.h"

#include <math.h>

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
  const TgSimRun *run = trace->run;
  const int64_t node = tg_sim_trace_node(trace, place);
  const int64_t entry = run->options.node_group ? run->options.node_group[node] : node;
  return &run->cost.node_step[s * run->cost.node_entries + entry];
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
  return s + 1 < rows->trace->run->cost.trace.steps ? rows->next[track].start_s : rows->now[track].end_s;
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
  const TgTraceStep *step = &trace->run->cost.trace.step[s];
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
    if (from != to) write_flow(rows, trace->run->cost.trace.step[s].index, from, to);
  }
  tg_sim_trace_links_step(trace, s);
}

static bool write_steps(Rows *rows, GError **error) {
  TgSimTrace *trace = rows->trace;
  const TgCost *cost = &trace->run->cost;
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

TgExit tg_sim_trace_rows(const TgCli *cli, TgSimTrace *trace) {
  const TgSimRun *run = trace->run;
  GError *error = NULL;
  Rows rows = {.trace = trace,
               .traffic = g_new0(Traffic, trace->tracks * trace->tracks),
               .touched = g_array_new(FALSE, FALSE, sizeof(int64_t)),
               .now = g_new0(TgNodeStep, trace->tracks),
               .next = g_new0(TgNodeStep, trace->tracks)};
  rows.phases = tg_phases_new(&run->problem.schedule, &run->problem.names, run->options.collective, &run->shape,
                              run->options.element_bytes, &error);
  const bool done = rows.phases && write_steps(&rows, &error);
  g_clear_pointer(&rows.phase, tg_phase_release);
  g_clear_pointer(&rows.phases, tg_phases_free);
  g_array_unref(rows.touched);
  g_free(rows.traffic);
  g_free(rows.now);
  g_free(rows.next);
  return done ? TG_EXIT_DONE : tg_report_error(cli, error);
}

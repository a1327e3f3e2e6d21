/* `run --trace`: the measured steps as a trace: a process an ALGO. Steps of processors that run ahead of others
 * overlap, so each goes to the first track on which the one before has ended. */
#include "run-command.h"

enum { MOST_SLICES = 100000 };

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
  char grid[48];
  g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(double));
  tg_schedule_grid_text(&result->problem.schedule, grid, sizeof grid);
  g_autofree char *process = g_strdup_printf("measured: %s on %s, %s%s%s", tg_problem_name(&result->problem), grid,
                                             run->kind->name, run->transport_count > 1 ? ", " : "",
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
    g_autofree char *name = t ? g_strdup_printf("steps that overlap, %u", t) : g_strdup("steps");
    tg_trace_name(file, "thread_name", t, name);
  }
}

char *tg_run_trace_left_out(const TgRunCommand *run, int64_t steps) {
  GString *text = g_string_new(NULL);
  int64_t passes = 1, most = 0;
  for (guint r = 0; r < run->results->len; r++) {
    const TgExecutorFacts *facts = &tg_run_entry(run, r)->run.facts;
    passes = MAX(passes, facts->instances * facts->panels);
    most = MAX(most, facts->steps);
  }
  if (passes > 1) g_string_append(text, "of the passes through a schedule, over tiles and panels, the first is there");
  if (steps < most)
    g_string_append_printf(text, "%sonly the first %" PRId64 " of %" PRId64 " steps are there", text->len ? "; " : "",
                           steps, most);
  return g_string_free(text, text->len == 0);
}

TgExit tg_run_trace(TgCli *cli, const TgRunCommand *run) {
  if (!cli->options.trace) return TG_EXIT_DONE;
  const int64_t steps = MOST_SLICES / run->results->len;
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

/* Report of `run` on the ranks of a job: host, CPUs and steps of each. */
#include "run-command.h"

#include "output.h"
#include "text-units.h"

TG_FIELD_TABLE(step_fields, TG_FIELD(TgExecutorStep, index), TG_FIELD(TgExecutorStep, busy_s),
               TG_FIELD(TgExecutorStep, waited_s), TG_FIELD_AS(TgExecutorStep, begin_s, "start_s"),
               TG_FIELD(TgExecutorStep, end_s));

static const TgExecutorPlace *place_at(const TgRunResult *run, guint rank) {
  return &g_array_index(run->places, TgExecutorPlace, rank);
}

/* --- the document ------------------------------------------------------------------------------------------------- */

static void write_place(TgJson *json, const TgRunResult *run, guint rank) {
  const TgExecutorPlace *place = place_at(run, rank);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_integer(json, "rank", rank);
  tg_json_member_string(json, "host", place->host);
  tg_json_member_string(json, "cpus", place->cpus);
  tg_json_member_integer(json, "threads", place->threads);
  tg_json_member_integer(json, "first_processor", place->first);
  tg_json_member_integer(json, "processors", place->processors);
  tg_json_member_rows(json, "steps", step_fields, place->steps, place->steps ? (size_t)run->facts.steps : 0,
                      sizeof *place->steps);
  tg_json_end_object(json);
}

void tg_run_write_places(TgJson *json, const TgRunResult *run) {
  const guint count = run->places ? run->places->len : 0;
  tg_json_member_double(json, "clock_error_s", run->clock_error_s);
  tg_json_member_array(json, "ranks", TG_JSON_LINES);
  for (guint rank = 0; rank < count; rank++) write_place(json, run, rank);
  tg_json_end_array(json);
}

/* --- the trace ---------------------------------------------------------------------------------------------------- */

static void trace_step(TgTraceFile *file, int64_t track, const TgExecutorStep *step) {
  const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step->index},
                                       {.name = "busy_s", .number = step->busy_s},
                                       {.name = "waited_s", .number = step->waited_s}};
  tg_trace_slice(file, &(TgTraceSlice){.track = track,
                                       .name = *step->label ? step->label : "step",
                                       .kind = "step of a rank",
                                       .start_s = step->begin_s,
                                       .end_s = step->end_s,
                                       .argument = arguments,
                                       .arguments = G_N_ELEMENTS(arguments)});
}

void tg_run_trace_places(TgTraceFile *file, const TgRunResult *run, int64_t track, int64_t most) {
  for (guint rank = 0; run->places && rank < run->places->len; rank++) {
    const TgExecutorPlace *place = place_at(run, rank);
    if (!place->steps || place->processors == 0) continue;
    g_autofree char *name = g_strdup_printf("rank %u on %s, its last run", rank, place->host);
    tg_trace_name(file, "thread_name", track + rank, name);
    for (int64_t s = 0; s < MIN(run->facts.steps, most); s++)
      if (place->steps[s].runs) trace_step(file, track + rank, &place->steps[s]);
  }
}

/* --- for people --------------------------------------------------------------------------------------------------- */

enum { MOST_HOSTS = 8, MOST_WORDS = 60 /* bytes of the CPUs of a host's ranks */ };

/* "0-3, 8" */
static char *ranks_of(const TgRunResult *run, guint first) {
  GString *text = g_string_new(NULL);
  guint count = 0;
  for (guint begin = first, end; begin < run->places->len; begin = end + 1) {
    for (end = begin; end < run->places->len && place_at(run, end)->first_there == (int32_t)first; end++) count++;
    if (end == begin) continue;
    g_string_append_printf(text, "%s%u", text->len ? ", " : "", begin);
    if (end > begin + 1) g_string_append_printf(text, "-%u", end - 1);
  }
  g_string_prepend(text, count == 1 ? "rank " : "ranks ");
  return g_string_free(text, FALSE);
}

/* "CPUs 0-1" of all of them, or "CPUs 0 | 1" of each. */
static char *cpus_of(const TgRunResult *run, guint first) {
  const char *cpus = place_at(run, first)->cpus;
  g_autoptr(GString) each = g_string_new(NULL);
  bool same = true;
  for (guint r = first; r < run->places->len; r++) {
    const TgExecutorPlace *place = place_at(run, r);
    if (place->first_there != (int32_t)first) continue;
    same = same && strcmp(place->cpus, cpus) == 0;
    g_string_append_printf(each, "%s%s", each->len ? " | " : "", place->cpus);
  }
  if (!*cpus) return g_strdup("CPUs not known");
  if (same) return g_strdup_printf("CPUs %s", cpus);
  if (each->len > MOST_WORDS) {
    g_string_truncate(each, MOST_WORDS);
    g_string_append(each, "…");
  }
  return g_strdup_printf("CPUs %s", each->str);
}

/* "processors (0, 0) to (1, 3)" if their numbers are consecutive; otherwise only the count. */
static char *processors_of(const TgSchedule *schedule, const TgRunResult *run, guint first) {
  int64_t begin = place_at(run, first)->first, end = begin, count = 0;
  for (guint r = first; r < run->places->len; r++) {
    const TgExecutorPlace *place = place_at(run, r);
    if (place->first_there != (int32_t)first) continue;
    if (place->processors) end = place->first + place->processors;
    count += place->processors;
  }
  if (count == 0) return g_strdup("no processors");
  if (count == 1) return g_strdup_printf("processor %s", tg_schedule_processor_text(schedule, begin).s);
  if (count != end - begin) return g_strdup_printf("%" PRId64 " processors", count);
  return g_strdup_printf("processors %s to %s", tg_schedule_processor_text(schedule, begin).s,
                         tg_schedule_processor_text(schedule, end - 1).s);
}

void tg_run_print_places(TgCli *cli, const TgSchedule *schedule, const TgRunResult *run) {
  int hosts = 0;
  for (guint r = 0; run->places && r < run->places->len; r++) {
    if (place_at(run, r)->first_there != (int32_t)r || hosts++ >= MOST_HOSTS) continue;
    g_autofree char *ranks = ranks_of(run, r), *processors = processors_of(schedule, run, r), *cpus = cpus_of(run, r);
    tg_print(cli, "%s on %s: %s; %s\n", ranks, place_at(run, r)->host, processors, cpus);
  }
  if (hosts > MOST_HOSTS)
    tg_print(cli, "… and %d more host%s; --json lists all ranks\n", hosts - MOST_HOSTS,
             hosts - MOST_HOSTS == 1 ? "" : "s");
  if (hosts > 1)
    tg_print(cli, "times in --json and --trace: clocks of other hosts are within %s of rank 0's\n",
             tg_time_text(run->clock_error_s).s);
}

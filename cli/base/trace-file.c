#include "trace-file.h"
#include "output-files.h"
#include "output.h"
#include "report.h"

#include "text-units.h"

#include <math.h>

static const double longest_s = 9e9;

void tg_trace_begin(TgTraceFile *file, const char *const *about, size_t pairs) {
  TgJson *json = file->json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "displayTimeUnit", "ms");
  tg_json_member_object(json, "otherData", TG_JSON_LINES);
  for (size_t p = 0; p < pairs; p++) tg_json_member_string(json, about[2 * p], about[2 * p + 1]);
  tg_json_end_object(json);
  tg_json_member_array(json, "traceEvents", TG_JSON_LINES);
}

static TgExit refuse_time(const TgCli *cli, double time_s) {
  return tg_report(cli, TG_EXIT_USAGE,
                   "%s: a time of %s is longer than a trace can hold, %.0e s (63 bits of nanoseconds); use smaller "
                   "matrices or a faster machine",
                   cli->options.trace, tg_time_text(time_s).s, longest_s);
}

/* A name is one line of what is printed, whatever it holds. */
static char *what_is_there(const TgCli *cli, const TgTraceFile *file, const char *left_out) {
  g_autofree char *name = tg_printable(cli->options.trace, "");
  return g_strdup_printf("%s%s: %" PRId64 " events; open it in https://ui.perfetto.dev\n%s%s%s",
                         file->alone ? "" : "\n", name, file->events, left_out ? "  " : "", left_out ? left_out : "",
                         left_out ? "\n" : "");
}

TgExit tg_trace_end(TgCli *cli, TgTraceFile *file, const char *left_out) {
  size_t length;
  if (file->beyond_s > 0) return refuse_time(cli, file->beyond_s);
  tg_json_end_array(file->json);
  tg_json_end_object(file->json);
  const char *text = tg_json_text(file->json, &length);
  if (!cli->options.json && !cli->options.quiet) tg_output_files_say(cli, what_is_there(cli, file, left_out));
  return tg_output_file_write(cli, cli->options.trace, text, length);
}

void tg_trace_clear(TgTraceFile *file) {
  g_clear_pointer(&file->json, tg_json_free);
}

static void begin_event(TgTraceFile *file, const char *name, const char *phase, int64_t track) {
  tg_json_begin_object(file->json, TG_JSON_ROW);
  tg_json_member_string(file->json, "name", name);
  tg_json_member_string(file->json, "ph", phase);
  tg_json_member_integer(file->json, "pid", file->process);
  tg_json_member_integer(file->json, "tid", track);
  file->events++;
}

static void begin_arguments(TgTraceFile *file) {
  tg_json_key(file->json, "args");
  tg_json_begin_object(file->json, TG_JSON_ROW);
}

static void end_event(TgTraceFile *file) {
  tg_json_end_object(file->json); /* args */
  tg_json_end_object(file->json);
}

static void write_arguments(TgTraceFile *file, const TgTraceArgument *argument, size_t count) {
  begin_arguments(file);
  for (size_t a = 0; a < count; a++)
    if (argument[a].text)
      tg_json_member_string(file->json, argument[a].name, argument[a].text);
    else
      tg_json_member_double(file->json, argument[a].name, argument[a].number);
}

static int64_t nanoseconds(TgTraceFile *file, double seconds) {
  if (seconds <= longest_s) return (int64_t)llround(seconds * 1e9);
  file->beyond_s = seconds;
  return 0;
}

/* Perfetto takes the thousandfold and cuts it off: a double just below would lose its last nanosecond. */
static void write_time(TgTraceFile *file, const char *key, int64_t time_ns) {
  double time_us = (double)time_ns / 1000;
  if ((int64_t)(time_us * 1000) < time_ns) time_us = nextafter(time_us, INFINITY);
  tg_json_member_double(file->json, key, time_us);
}

void tg_trace_name(TgTraceFile *file, const char *what, int64_t track, const char *name) {
  begin_event(file, what, "M", track);
  begin_arguments(file);
  tg_json_member_string(file->json, "name", name);
  end_event(file);
}

void tg_trace_place(TgTraceFile *file, int64_t track, int64_t place) {
  begin_event(file, "thread_sort_index", "M", track);
  begin_arguments(file);
  tg_json_member_integer(file->json, "sort_index", place);
  end_event(file);
}

void tg_trace_slice(TgTraceFile *file, const TgTraceSlice *slice) {
  if (!slice->always && !(slice->end_s - slice->start_s > 1e-12 * slice->end_s)) return;
  const int64_t start_ns = nanoseconds(file, slice->start_s);
  begin_event(file, slice->name, "X", slice->track);
  tg_json_member_string(file->json, "cat", slice->kind);
  write_time(file, "ts", start_ns);
  write_time(file, "dur", nanoseconds(file, slice->end_s) - start_ns);
  write_arguments(file, slice->argument, slice->arguments);
  end_event(file);
}

static void write_flow_end(TgTraceFile *file, const TgTraceFlow *flow, const char *phase, int64_t track, double at_s) {
  begin_event(file, flow->name, phase, track);
  tg_json_member_string(file->json, "cat", flow->kind);
  tg_json_member_integer(file->json, "id", flow->id);
  if (*phase == 'f') tg_json_member_string(file->json, "bp", "e"); /* ends in the slice around it, not at the next */
  write_time(file, "ts", nanoseconds(file, at_s));
  write_arguments(file, flow->argument, flow->arguments);
  end_event(file);
}

void tg_trace_flow(TgTraceFile *file, const TgTraceFlow *flow) {
  write_flow_end(file, flow, "s", flow->from, flow->start_s);
  write_flow_end(file, flow, "f", flow->to, flow->end_s);
}

void tg_trace_counter(TgTraceFile *file, const char *name, const char *unit, double at_s, int64_t value) {
  begin_event(file, name, "C", 0);
  write_time(file, "ts", nanoseconds(file, at_s));
  begin_arguments(file);
  tg_json_member_integer(file->json, unit, value);
  end_event(file);
}

#include "trace-file.h"
#include "output.h"
#include "report.h"

#include "atomic-file.h"

void tg_trace_begin(TgTraceFile *file, const char *const *about, size_t pairs) {
  TgJson *json = file->json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "displayTimeUnit", "ms");
  tg_json_key(json, "otherData");
  tg_json_begin_object(json, TG_JSON_LINES);
  for (size_t p = 0; p < pairs; p++) tg_json_member_string(json, about[2 * p], about[2 * p + 1]);
  tg_json_end_object(json);
  tg_json_key(json, "traceEvents");
  tg_json_begin_array(json, TG_JSON_LINES);
}

TgExit tg_trace_end(TgCli *cli, TgTraceFile *file, const char *left_out) {
  GError *error = NULL;
  size_t length;
  tg_json_end_array(file->json);
  tg_json_end_object(file->json);
  const char *text = tg_json_text(file->json, &length);
  if (!tg_atomic_file_write(cli->options.trace, text, length, &error)) return tg_report_error(cli, error);
  if (cli->options.json || cli->options.quiet) return TG_EXIT_DONE;
  tg_print(cli, "\n%s: %" PRId64 " events; open it in https://ui.perfetto.dev\n", cli->options.trace, file->events);
  if (left_out) tg_print(cli, "  %s\n", left_out);
  return TG_EXIT_DONE;
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
}

static void begin_arguments(TgTraceFile *file) {
  tg_json_key(file->json, "args");
  tg_json_begin_object(file->json, TG_JSON_ROW);
}

static void end_event(TgTraceFile *file) {
  tg_json_end_object(file->json); /* args */
  tg_json_end_object(file->json);
}

void tg_trace_name(TgTraceFile *file, const char *what, int64_t track, const char *name) {
  begin_event(file, what, "M", track);
  begin_arguments(file);
  tg_json_member_string(file->json, "name", name);
  end_event(file);
}

void tg_trace_slice(TgTraceFile *file, int64_t track, const char *name, const char *kind, double start_s, double end_s,
                    int64_t step, const TgTraceNumber *numbers, size_t count) {
  if (!(end_s - start_s > 1e-12 * end_s)) return;
  begin_event(file, name, "X", track);
  tg_json_member_string(file->json, "cat", kind);
  tg_json_member_double(file->json, "ts", start_s * 1e6);
  tg_json_member_double(file->json, "dur", (end_s - start_s) * 1e6);
  begin_arguments(file);
  tg_json_member_integer(file->json, "step", step);
  for (size_t n = 0; n < count; n++) tg_json_member_double(file->json, numbers[n].name, numbers[n].value);
  end_event(file);
  file->events++;
}

void tg_trace_counter(TgTraceFile *file, const char *name, const char *unit, double at_s, int64_t value) {
  begin_event(file, name, "C", 0);
  tg_json_member_double(file->json, "ts", at_s * 1e6);
  begin_arguments(file);
  tg_json_member_integer(file->json, unit, value);
  end_event(file);
}

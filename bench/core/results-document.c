/* The document of results. */
#include "results.h"

#include <math.h>

TG_FIELD_TABLE(times_fields, TG_FIELD(TgMeasurement, trials), TG_FIELD(TgMeasurement, warmup),
               TG_FIELD_AS(TgMeasurement, min_s, "min"), TG_FIELD_AS(TgMeasurement, median_s, "median"), TG_FIELD_AS(TgMeasurement, mean_s, "mean"),
               TG_FIELD_AS(TgMeasurement, max_s, "max"), TG_FIELD_AS(TgMeasurement, stddev_s, "stddev"));
TG_FIELD_TABLE(row_fields, TG_FIELD(TgResult, type), TG_FIELD(TgResult, m), TG_FIELD(TgResult, n),
               TG_FIELD(TgResult, k));
TG_FIELD_TABLE(check_fields, TG_FIELD_AS(TgResult, error, "relative_error"), TG_FIELD_AS(TgResult, limit, "tolerance"),
               TG_FIELD(TgResult, estimated), TG_FIELD_AS(TgResult, right, "ok"));

void tg_results_write_times(TgJson *json, const char *key, const TgMeasurement *times) {
  if (!times->trials) return;
  tg_json_key(json, key);
  tg_json_object(json, TG_JSON_ROW, times_fields, times);
}

void tg_results_write_measured(TgJson *json, const TgMeasurement *times) {
  tg_json_member_double(json, "time_s", times->median_s);
  tg_results_write_times(json, "times", times);
}

static void write_launch(TgJson *json, const TgResult *row) {
  if (row->width) tg_json_member_integer(json, "width", row->width);
  if (row->split) tg_json_member_integer(json, "split", row->split);
  if (row->blocks) tg_json_member_integer(json, "blocks", row->blocks);
  if (row->threads) tg_json_member_integer(json, "threads_per_block", row->threads);
  if (row->repeats > 1) tg_json_member_integer(json, "repeats", row->repeats);
  if (row->printed) tg_json_member_bool(json, "as_printed", true);
}

static void write_rates(TgJson *json, const TgResult *row) {
  const double time_s = tg_result_time_s(row);
  if (row->flops > 0) tg_json_member_double(json, "flops", row->flops);
  if (row->executed_flops > 0) tg_json_member_double(json, "executed_flops", row->executed_flops);
  tg_json_member_double(json, "bytes", row->bytes);
  if (row->asked_bytes > 0) tg_json_member_double(json, "asked_bytes", row->asked_bytes);
  if (row->flops > 0) tg_json_member_double(json, "gflops", row->flops / time_s * 1e-9);
  tg_json_member_double(json, "bytes_per_s", row->bytes / time_s);
}

static void write_row(TgJson *json, const TgResult *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "method", row->method);
  tg_json_member_string(json, "place", row->place == TG_ON_GPU ? "gpu" : "cpu");
  tg_json_members(json, row_fields, row);
  write_launch(json, row);
  if (*row->left_out) {
    tg_json_member_string(json, "left_out", row->left_out);
  } else {
    tg_json_member_double(json, "time_s", tg_result_time_s(row));
    tg_results_write_times(json, "kernel_times", &row->kernel);
    tg_results_write_times(json, "kernel_cold_times", &row->cold);
    tg_results_write_times(json, "call_times", &row->call);
    tg_results_write_times(json, "prepare_times", &row->prepare);
    tg_results_write_times(json, "transfer_in_times", &row->in);
    tg_results_write_times(json, "transfer_out_times", &row->out);
    write_rates(json, row);
    if (row->checked) tg_json_members(json, check_fields, row);
  }
  if (row->has_paper) {
    tg_json_key(json, "paper_times");
    tg_json_object(json, TG_JSON_ROW, times_fields, &row->paper);
  }
  tg_json_end_object(json);
}

TgJson *tg_results_begin(const char *format, const char *experiment, bool ok, uint64_t seed,
                         const TgEnvironment *environment) {
  TgJson *json = tg_json_new();
  tg_json_begin_document(json, format);
  tg_json_member_string(json, "experiment", experiment);
  tg_json_member_bool(json, "ok", ok);
  tg_json_member_integer(json, "seed", (int64_t)seed);
  tg_environment_write(json, environment);
  return json;
}

TgJson *tg_results_open(const TgResults *results, bool ok) {
  TgJson *json = tg_results_begin("bench", results->experiment, ok, results->seed, &results->environment);
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < results->rows->len; r++) write_row(json, tg_results_at(results, r));
  tg_json_end_array(json);
  tg_json_key(json, "notes");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint n = 0; n < results->notes->len; n++) tg_json_string(json, results->notes->pdata[n]);
  tg_json_end_array(json);
  return json;
}

TgJson *tg_results_document(const void *measured) {
  TgJson *json = tg_results_open(measured, tg_results_right(measured, NULL));
  tg_json_end_object(json);
  return json;
}

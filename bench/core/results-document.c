/* Results for other programs. */
#include "results.h"

#include <math.h>

/* From min to stddev. */
static void write_spread(TgJson *json, const TgMeasurement *time) {
  tg_json_member_double(json, "min", time->min_s);
  tg_json_member_double(json, "median", time->median_s);
  tg_json_member_double(json, "mean", time->mean_s);
  tg_json_member_double(json, "max", time->max_s);
  tg_json_member_double(json, "stddev", time->stddev_s);
}

void tg_results_write_measured(TgJson *json, const TgMeasurement *time) {
  tg_json_member_integer(json, "trials", time->trials);
  tg_json_member_integer(json, "warmup", time->warmup);
  tg_json_key(json, "time_s");
  tg_json_begin_object(json, TG_JSON_ROW);
  write_spread(json, time);
  tg_json_end_object(json);
}

void tg_results_write_time(TgJson *json, const char *key, const TgMeasurement *time) {
  if (!time->trials) return;
  tg_json_key(json, key);
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "trials", time->trials);
  tg_json_member_integer(json, "warmup", time->warmup);
  write_spread(json, time);
  tg_json_end_object(json);
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

static void write_check(TgJson *json, const TgResult *row) {
  if (!row->checked) return;
  tg_json_member_double(json, "relative_error", row->error);
  tg_json_member_double(json, "relative_error_limit", row->limit);
  tg_json_member_bool(json, "estimated", row->estimated);
  tg_json_member_bool(json, "ok", row->right);
}

static void write_paper(TgJson *json, const TgMeasurement *paper) {
  tg_json_key(json, "paper_s");
  tg_json_begin_object(json, TG_JSON_ROW);
  if (paper->trials) tg_json_member_integer(json, "trials", paper->trials);
  tg_json_member_double(json, "min", paper->min_s);
  tg_json_member_double(json, "mean", paper->mean_s);
  tg_json_member_double(json, "max", paper->max_s);
  tg_json_member_double(json, "stddev", paper->stddev_s);
  tg_json_end_object(json);
}

static void write_row(TgJson *json, const TgResult *row) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "method", row->method);
  tg_json_member_string(json, "on", row->place == TG_ON_GPU ? "gpu" : "cpu");
  tg_json_member_string(json, "type", row->type);
  tg_json_member_integer(json, "m", row->m);
  tg_json_member_integer(json, "n", row->n);
  tg_json_member_integer(json, "k", row->k);
  write_launch(json, row);
  if (*row->left_out) {
    tg_json_member_string(json, "left_out", row->left_out);
  } else {
    tg_results_write_time(json, "kernel_s", &row->kernel);
    tg_results_write_time(json, "kernel_cold_s", &row->cold);
    tg_results_write_time(json, "call_s", &row->call);
    tg_results_write_time(json, "prepare_s", &row->prepare);
    tg_results_write_time(json, "transfer_in_s", &row->in);
    tg_results_write_time(json, "transfer_out_s", &row->out);
    write_rates(json, row);
    write_check(json, row);
  }
  if (row->has_paper) write_paper(json, &row->paper);
  tg_json_end_object(json);
}

void tg_results_write(TgJson *json, const TgResults *results) {
  tg_json_member_string(json, "experiment", results->experiment);
  tg_json_member_bool(json, "quick", results->quick);
  tg_json_member_integer(json, "seed", (int64_t)results->seed);
  tg_environment_write(json, &results->environment);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < results->rows->len; r++) write_row(json, tg_results_at(results, r));
  tg_json_end_array(json);
  tg_json_key(json, "notes");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint n = 0; n < results->notes->len; n++) tg_json_string(json, results->notes->pdata[n]);
  tg_json_end_array(json);
}

TgJson *tg_results_document(const void *measured) {
  TgJson *json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_results_write(json, measured);
  tg_json_end_object(json);
  return json;
}

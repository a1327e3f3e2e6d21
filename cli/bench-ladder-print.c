/* What `bench ladder` says, to people and to programs. */
#include "bench-ladder.h"

#include "atomic-file.h"
#include "json-writer.h"
#include "output.h"
#include "report.h"

#include <math.h>
#include <string.h>

static const TgRung *rung_at(const TgLadder *ladder, guint r) {
  return &g_array_index(ladder->results, TgRung, r);
}

static double flops_per_s(const TgRung *rung) {
  double n = (double)rung->n;
  return 2 * n * n * n / rung->time.median_s;
}

/* Time of cuBLAS over that of the kernel, in the median; NaN where cuBLAS was not measured. */
static double ratio(const TgLadder *ladder, const TgRung *rung) {
  for (guint r = 0; r < ladder->results->len; r++) {
    const TgRung *other = rung_at(ladder, r);
    if (other->n == rung->n && strcmp(other->kernel->name, "cublas") == 0 && !*other->left_out)
      return other->time.median_s / rung->time.median_s;
  }
  return NAN;
}

/* --- a table ------------------------------------------------------------------------------------------------------ */

static void add_row(TgTable *table, const TgLadder *ladder, const TgRung *rung) {
  tg_table_add(table, "%s%s", rung->kernel->name, rung->kernel->exact ? "" : "*");
  if (*rung->left_out) {
    for (int c = 0; c < 6; c++) tg_table_add(table, "%s", c == 0 ? "-" : "");
    tg_table_add(table, "%s", rung->left_out);
    return;
  }
  double against = ratio(ladder, rung);
  tg_table_add(table, "%.4g", rung->time.median_s * 1e3);
  tg_table_add(table, "%.2g", rung->time.stddev_s * 1e3);
  tg_table_add(table, "%d", rung->time.trials);
  tg_table_add(table, "%.4g", flops_per_s(rung) * 1e-12);
  tg_table_add(table, isnan(against) ? "-" : "%.3f", against);
  tg_table_add(table, "%.1e", rung->error);
  tg_table_add(table, "%s", rung->right ? "" : "WRONG");
}

static void print_size(TgCli *cli, const TgLadder *ladder, int64_t n) {
  static const char *const heads[] = {"kernel", "median, ms", "spread", "trials", "Tflop/s", "of cublas", "error", ""};
  g_autoptr(TgTable) table = tg_table_new("lrrrrrrl");
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++) tg_table_add(table, "%s", heads[h]);
  for (guint r = 0; r < ladder->results->len; r++)
    if (rung_at(ladder, r)->n == n) add_row(table, ladder, rung_at(ladder, r));
  tg_print(cli, "\nm = n = k = %" PRId64 ", %s%s\n", n, tg_element_name(ladder->element),
           ladder->cold ? ", second-level cache empty before each launch" : "");
  tg_table_print(cli, table, 2, true);
}

static void print_table(TgCli *cli, const TgLadder *ladder) {
  const TgDevice *device = &ladder->device;
  bool emulated = false;
  for (guint k = 0; k < ladder->kernels->len; k++)
    emulated = emulated || !((const TgKernel *)ladder->kernels->pdata[k])->exact;
  tg_print(cli, "%s, compute capability %d.%d, %d multiprocessors, clock %d MHz before and %d after\n", device->name,
           device->capability / 10, device->capability % 10, device->processors, ladder->clock_before_mhz,
           ladder->clock_after_mhz);
  for (guint s = 0; s < ladder->sizes->len; s++) print_size(cli, ladder, g_array_index(ladder->sizes, int64_t, s));
  tg_print(
      cli,
      "\n  spread: standard deviation, ms; of cublas: its median over the kernel's; error: relative, of the product\n");
  if (emulated) tg_print(cli, "  *: an emulation of the type; see `topogemm list kernels`\n");
}

/* --- a document --------------------------------------------------------------------------------------------------- */

static void write_environment(TgJson *json, const TgLadder *ladder) {
  const TgDevice *device = &ladder->device;
  tg_json_key(json, "environment");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "version", TG_VERSION);
  tg_json_member_string(json, "device", device->name);
  tg_json_member_double(json, "compute_capability", device->capability / 10.0);
  tg_json_member_integer(json, "multiprocessors", device->processors);
  tg_json_member_integer(json, "clock_max_mhz", device->clock_mhz);
  tg_json_member_integer(json, "clock_mhz_before", ladder->clock_before_mhz);
  tg_json_member_integer(json, "clock_mhz_after", ladder->clock_after_mhz);
  tg_json_member_integer(json, "driver", device->driver);
  tg_json_member_integer(json, "cuda", device->runtime);
  tg_json_end_object(json);
}

static void write_time(TgJson *json, const TgMeasurement *time) {
  tg_json_member_integer(json, "trials", time->trials);
  tg_json_member_integer(json, "warmup", time->warmup);
  tg_json_key(json, "time_s");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_double(json, "min", time->min_s);
  tg_json_member_double(json, "median", time->median_s);
  tg_json_member_double(json, "mean", time->mean_s);
  tg_json_member_double(json, "max", time->max_s);
  tg_json_member_double(json, "stddev", time->stddev_s);
  tg_json_end_object(json);
}

static void write_rung(TgJson *json, const TgLadder *ladder, const TgRung *rung) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "kernel", rung->kernel->name);
  tg_json_member_string(json, "type", tg_element_name(ladder->element));
  tg_json_member_integer(json, "m", rung->n);
  tg_json_member_integer(json, "n", rung->n);
  tg_json_member_integer(json, "k", rung->n);
  tg_json_member_bool(json, "exact", rung->kernel->exact);
  if (*rung->left_out) {
    tg_json_member_string(json, "left_out", rung->left_out);
  } else {
    write_time(json, &rung->time);
    tg_json_member_double(json, "gflops", flops_per_s(rung) * 1e-9);
    tg_json_member_double(json, "ratio_to_cublas", ratio(ladder, rung));
    tg_json_member_double(json, "relative_error", rung->error);
    tg_json_member_double(json, "relative_error_limit", rung->limit);
    tg_json_member_bool(json, "ok", rung->right);
  }
  tg_json_end_object(json);
}

static TgJson *document(const TgLadder *ladder) {
  TgJson *json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_string(json, "experiment", "ladder");
  tg_json_member_bool(json, "cold", ladder->cold);
  tg_json_member_integer(json, "seed", (int64_t)ladder->seed);
  write_environment(json, ladder);
  tg_json_key(json, "results");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint r = 0; r < ladder->results->len; r++) write_rung(json, ladder, rung_at(ladder, r));
  tg_json_end_array(json);
  tg_json_end_object(json);
  return json;
}

TgExit tg_ladder_print(TgCli *cli, const TgLadder *ladder) {
  g_autoptr(TgJson) json = document(ladder);
  GError *error = NULL;
  size_t length;
  const char *text = tg_json_text(json, &length);
  if (cli->options.output && !tg_atomic_file_write(cli->options.output, text, length, &error))
    return tg_report_error(cli, error);
  if (cli->options.json)
    tg_print(cli, "%s", text);
  else
    print_table(cli, ladder);
  for (guint r = 0; r < ladder->results->len; r++)
    if (!*rung_at(ladder, r)->left_out && !rung_at(ladder, r)->right)
      return tg_report(cli, TG_EXIT_WRONG,
                       "bench ladder: %s at %" PRId64 ": relative error %.2e, at most %.2e is right",
                       rung_at(ladder, r)->kernel->name, rung_at(ladder, r)->n, rung_at(ladder, r)->error,
                       rung_at(ladder, r)->limit);
  return TG_EXIT_DONE;
}

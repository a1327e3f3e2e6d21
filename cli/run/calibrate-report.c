/* What `calibrate` says: the machine's file, a table of its samples, and JSON. */
#include "calibrate.h"
#include "output.h"

#include "text-units.h"

#include <math.h>

static const TgCalibrationSample *sample_at(const TgCalibrateCommand *command, guint s) {
  return &g_array_index(command->calibration->samples, TgCalibrationSample, s);
}

/* In words, what the numbers are and are not. */
static char *link_words(const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  if (command->plan.options.transport == TG_TRANSPORT_LOAD)
    return g_strdup("transport load sends nothing: there are no links");
  if (calibration->machine.executor.processors == 1) return g_strdup("one processor sends nothing: there are none");
  if (calibration->no_links) return g_strdup("no move took a time that can be told from nothing");
  if (calibration->hidden)
    return g_strdup("moves always hid behind products: latency_s is no more than what a move takes at most");
  if (calibration->tiled)
    return g_strdup("blocks of this executor have one size: what a move takes is all in latency_s");
  return g_strdup("of one block, with all processors moving one at once");
}

char *tg_calibrate_text(const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  GString *text = g_string_new(NULL);
  g_autofree char *environment = tg_environment_text(&command->environment), *link = link_words(command);
  g_autofree char *machine = tg_machine_text(&calibration->machine);
  g_string_printf(text, "# Measured by topogemm %s on %s.\n", TG_VERSION, environment);
  g_string_append_printf(text, "# Links: %s.\n", link);
  g_string_append_printf(text,
                         "# residual is the error of the fit on its own %u samples, as the root of the mean "
                         "square.\n",
                         calibration->samples->len);
  if (calibration->machine.processor.tile_rows > 0)
    g_string_append(text, "# rate is of products that fill their tiles.\n");
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(command, s);
    g_string_append_printf(text,
                           "# %" PRId64 "x%" PRId64 "x%" PRId64 ", %d products, %" PRId64 " moves: ", sample->probe.m,
                           sample->probe.n, sample->probe.k, sample->probe.products, tg_probe_moves(&sample->probe));
    if (sample->left_out)
      g_string_append_printf(text, "left out: %s\n", sample->left_out);
    else
      g_string_append_printf(text, "%.4g s\n", sample->times.time_s);
  }
  g_string_append(text, machine);
  return g_string_free(text, FALSE);
}

/* --- for people ----------------------------------------------------------------------------------------------------*/

static void add_sample(TgTable *table, const TgCalibrationSample *sample) {
  const double flops = 2 * (double)sample->block[0] * (double)sample->block[1] * (double)sample->block[2];
  char off[32];
  tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, sample->probe.m, sample->probe.n, sample->probe.k);
  tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, sample->block[0], sample->block[1], sample->block[2]);
  tg_table_add(table, "%" PRId64, sample->passes);
  tg_table_add(table, "%d", sample->probe.products);
  tg_table_add(table, "%" PRId64, tg_probe_moves(&sample->probe));
  tg_table_add_time(table, sample->times.time_s);
  tg_table_add_time(table, sample->product_s);
  tg_table_add(table, "%.4g", flops / sample->product_s * 1e-9);
  tg_table_add(table, "%" PRId64, sample->probe.hops ? sample->block_bytes : 0);
  tg_table_add_time(table, sample->move_s);
  tg_percent_text(sample->fitted_s / sample->times.time_s - 1, off, sizeof off);
  tg_table_add(table, "%s", sample->left_out ? "left out" : off);
}

static void print_samples(TgCli *cli, const TgCalibrateCommand *command) {
  static const char *const heads[] = {"C and k",   "product", "passes", "products", "moves",     "run",
                                      "a product", "Gflop/s", "bytes",  "a move",   "fit off by"};
  g_autoptr(TgTable) table = tg_table_new("llrrrrrrrrr");
  for (size_t h = 0; h < G_N_ELEMENTS(heads); h++) tg_table_add(table, "%s", heads[h]);
  for (guint s = 0; s < command->calibration->samples->len; s++)
    if (sample_at(command, s)->times.trials) add_sample(table, sample_at(command, s));
  tg_table_print(cli, table, 2, true);
  for (guint s = 0; s < command->calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(command, s);
    if (!sample->left_out) continue;
    g_autofree char *words = g_strdup_printf("left out: %" PRId64 "x%" PRId64 "x%" PRId64 ": %s", sample->probe.m,
                                             sample->probe.n, sample->probe.k, sample->left_out);
    tg_print_wrapped(cli, words, 2, 0);
  }
}

static void print_numbers(TgCli *cli, const TgCalibrateCommand *command) {
  const TgMachine *machine = &command->calibration->machine;
  const TgMachineExecutor *executor = &machine->executor;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *link = link_words(command);
  g_autofree char *bandwidth = isinf(machine->link.bandwidth_bytes_per_s)
                                   ? g_strdup("inf")
                                   : g_strdup_printf("%.4g GB/s", machine->link.bandwidth_bytes_per_s * 1e-9);
  char residual[32];
  tg_table_add_time_fact(table, "latency", machine->link.latency_s, link);
  tg_table_add_fact(table, "bandwidth", bandwidth, "of one link, one direction");
  if (machine->processor.tile_rows > 0) {
    g_autofree char *tile = g_strdup_printf("%gx%g", machine->processor.tile_rows, machine->processor.tile_columns);
    tg_table_add_fact(table, "tile", tile, "of C at a time; what does not fill its last tiles takes as long");
  }
  tg_table_add_time_fact(table, "launch", executor->launch_s, "overhead of a run, outside its steps");
  tg_table_add_time_fact(table, "round", executor->round_s, "of each round of instances that run at once");
  tg_table_add_time_fact(table, "pass", executor->pass_s, "of each pass through the schedule");
  tg_percent_text(machine->residual, residual, sizeof residual);
  tg_table_add_fact(table, "residual", residual, "of the samples, root of the mean square");
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, false);
}

void tg_calibrate_print(TgCli *cli, const TgCalibrateCommand *command) {
  const TgCalibrationPlan *plan = &command->plan;
  g_autofree char *environment = tg_environment_text(&command->environment);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on a grid of %dx%d", plan->kind->name, plan->rows, plan->columns);
  tg_print(cli, ": transport %s, %s\n%s\n\n", tg_transport_name(plan->options.transport),
           tg_element_name(plan->options.element), environment);
  print_samples(cli, command);
  print_numbers(cli, command);
}

/* --- for programs --------------------------------------------------------------------------------------------------*/

TG_FIELD_TABLE(block_fields, TG_FIELD_AS(TgCalibrationSample, block[0], "m"),
               TG_FIELD_AS(TgCalibrationSample, block[1], "n"), TG_FIELD_AS(TgCalibrationSample, block[2], "k"));
TG_FIELD_TABLE(sample_fields, TG_FIELD(TgCalibrationSample, probe.m), TG_FIELD(TgCalibrationSample, probe.n),
               TG_FIELD(TgCalibrationSample, probe.k), TG_FIELD(TgCalibrationSample, probe.products),
               TG_FIELD(TgCalibrationSample, rounds), TG_FIELD(TgCalibrationSample, passes),
               TG_FIELD_GROUP("block", block_fields), TG_FIELD(TgCalibrationSample, times.trials),
               TG_FIELD(TgCalibrationSample, product_s), TG_FIELD(TgCalibrationSample, move_s),
               TG_FIELD(TgCalibrationSample, fitted_s));

static void write_sample(TgJson *json, const TgCalibrationSample *sample) {
  const bool none = sample->times.trials == 0;
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_members(json, sample_fields, sample);
  tg_json_member_integer(json, "moves", tg_probe_moves(&sample->probe));
  tg_json_member_integer(json, "block_bytes", sample->probe.hops ? sample->block_bytes : 0);
  tg_json_member_double(json, "time_s", none ? NAN : sample->times.time_s);
  tg_json_member_double(json, "multiply_s", none ? NAN : sample->times.multiply_s);
  tg_json_member_double(json, "moves_s", none ? NAN : sample->times.move_s);
  if (sample->left_out) tg_json_member_string(json, "left_out", sample->left_out);
  tg_json_end_object(json);
}

TG_FIELD_TABLE(fit_fields, TG_FIELD(TgMachine, link.latency_s), TG_FIELD(TgMachine, link.bandwidth_bytes_per_s),
               TG_FIELD(TgMachine, executor.launch_s), TG_FIELD(TgMachine, executor.round_s),
               TG_FIELD(TgMachine, executor.pass_s));

TG_FIELD_TABLE(rate_fields, TG_FIELD(TgMachineRate, size), TG_FIELD(TgMachineRate, flops_per_s));

static void write_fit(TgJson *json, const TgMachine *machine) {
  const TgMachineProcessor *processor = &machine->processor;
  tg_json_key(json, "fit");
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_members(json, fit_fields, machine);
  tg_json_member_rows(json, "rate", rate_fields, processor->rate.row, (size_t)processor->rate.rows,
                      sizeof *processor->rate.row);
  tg_json_member_double(json, "flops_per_s", processor->rate.rows ? NAN : processor->flops_per_s);
  tg_json_key(json, "tile");
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_double(json, "rows", fmax(processor->tile_rows, 1));
  tg_json_member_double(json, "columns", fmax(processor->tile_columns, 1));
  tg_json_end_object(json);
  tg_json_end_object(json);
}

void tg_calibrate_write(TgJson *json, const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  const TgCalibrationPlan *plan = &command->plan;
  g_autofree char *grid = g_strdup_printf("%dx%d", plan->rows, plan->columns), *link = link_words(command);
  tg_json_begin_document(json, "calibrate");
  tg_json_member_string(json, "on", plan->kind->name);
  tg_json_member_string(json, "transport", tg_transport_name(plan->options.transport));
  tg_json_member_string(json, "type", tg_element_name(plan->options.element));
  tg_json_member_string(json, "device", tg_environment_device(&command->environment));
  tg_json_member_string(json, "grid", grid);
  tg_json_member_bool(json, "tiled", calibration->tiled);
  tg_json_member_string(json, "link_note", link);
  tg_json_key(json, "samples");
  tg_json_begin_array(json, TG_JSON_LINES);
  for (guint s = 0; s < calibration->samples->len; s++) write_sample(json, sample_at(command, s));
  tg_json_end_array(json);
  write_fit(json, &calibration->machine);
  tg_json_member_double(json, "residual", calibration->machine.residual);
  tg_environment_write(json, &command->environment);
  tg_json_end_object(json);
}

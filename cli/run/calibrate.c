/* topogemm calibrate: measures what an executor's processors and links can do, and writes a machine file. */
#include "calibrate.h"
#include "algo.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"

#include "atomic-file.h"
#include "text-units.h"

#include <math.h>
#include <string.h>

static const TgCalibrationSample *sample_at(const TgCalibrateCommand *command, guint s) {
  return &g_array_index(command->calibration->samples, TgCalibrationSample, s);
}

/* In words, what the numbers are and are not. */
static char *link_words(const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  if (command->plan.options.transport == TG_TRANSPORT_LOAD)
    return g_strdup("transport load sends nothing: there are no links");
  if (calibration->machine.executor.processors == 1) return g_strdup("one processor sends nothing: there are no links");
  if (calibration->no_links) return g_strdup("no move took a measurable time");
  if (calibration->hidden)
    return g_strdup("moves were always hidden behind products: latency_s is an upper bound on the time of a move");
  if (calibration->tiled)
    return g_strdup("this executor's blocks all have one size: latency_s is the whole time of a move");
  return g_strdup_printf("for one block%s, with all processors moving one at the same time%s",
                         calibration->hosts ? " within a host" : "",
                         calibration->mixed ? "; links within and between hosts are fitted as one, because hosts "
                                              "have different numbers of ranks or ranks are not numbered host by host"
                                            : "");
}

/* Free with g_free(). */
static char *bandwidth_words(const TgMachineLink *link) {
  return isinf(link->bandwidth_bytes_per_s) ? g_strdup("inf")
                                            : g_strdup_printf("%.4g GB/s", link->bandwidth_bytes_per_s * 1e-9);
}

/* The machine's file, with what it was measured with in comments. Free with g_free(). */
static char *calibrate_text(const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  GString *text = g_string_new(NULL);
  g_autofree char *environment = tg_environment_text(&command->environment), *link = link_words(command);
  g_autofree char *machine = tg_machine_text(&calibration->machine);
  g_string_printf(text, "# Measured by topogemm %s on %s.\n", TG_VERSION, environment);
  g_string_append_printf(text, "# Links: %s.\n", link);
  if (calibration->hosts)
    g_string_append(text, "# level.1: the link between a host and the others; all ranks of the host share it.\n");
  g_string_append_printf(
      text,
      "# residual is the root-mean-square error of the fit on its %u samples; products of sizes between "
      "others are predicted from the others.\n",
      calibration->samples->len);
  if (calibration->machine.processor.tile_rows > 0)
    g_string_append(text, "# rate is for products that fill their tiles.\n");
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(command, s);
    g_autofree char *fewer = sample->fewer ? g_strdup_printf(", %d at work", sample->fewer) : g_strdup("");
    g_string_append_printf(
        text, "# %" PRId64 "x%" PRId64 "x%" PRId64 ", %d products%s, %" PRId64 " %s: ", sample->probe.m,
        sample->probe.n, sample->probe.k, sample->probe.products, fewer, tg_probe_moves(&sample->probe),
        sample->probe.adds ? "additions"
        : sample->sharing  ? "moves to other hosts"
                           : "moves");
    if (sample->left_out)
      g_string_append_printf(text, "left out: %s\n", sample->left_out);
    else
      g_string_append_printf(text, "%.4g s\n", sample->times.time_s);
  }
  g_string_append(text, machine);
  return g_string_free(text, FALSE);
}

/* --- for people ----------------------------------------------------------------------------------------------------*/

/* Of the block that moves, or is added. */
static int64_t moved_bytes(const TgCalibrationSample *sample) {
  return sample->probe.hops || sample->probe.adds ? sample->block_bytes : 0;
}

static void add_sample(TgTable *table, const TgCalibrationSample *sample) {
  const double flops = 2 * (double)sample->block[0] * (double)sample->block[1] * (double)sample->block[2];
  tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, sample->probe.m, sample->probe.n, sample->probe.k);
  tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, sample->block[0], sample->block[1], sample->block[2]);
  tg_table_add(table, "%" PRId64, sample->passes);
  if (sample->fewer)
    tg_table_add(table, "%d, %d at work", sample->probe.products, sample->fewer);
  else
    tg_table_add(table, "%d", sample->probe.products);
  tg_table_add(table, "%" PRId64 "%s", tg_probe_moves(&sample->probe),
               sample->probe.adds ? " sums"
               : sample->sharing  ? " to hosts"
                                  : "");
  tg_table_add_time(table, sample->times.time_s);
  tg_table_add_time(table, sample->product_s);
  tg_table_add(table, "%.4g", flops / sample->product_s * 1e-9);
  tg_table_add(table, "%" PRId64, moved_bytes(sample));
  tg_table_add_time(table, sample->move_s);
  tg_table_add(table, "%s",
               sample->left_out ? "left out" : tg_percent_text(sample->fitted_s / sample->times.time_s - 1).s);
}

static void print_samples(TgCli *cli, const TgCalibrateCommand *command) {
  g_autoptr(TgTable) table = tg_table_new("llrrrrrrrrr");
  tg_table_add_row(table, "C and k|product|passes|products|moves, sums|run|per product|Gflop/s|bytes|each|fit error");
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

/* "1.6, 5.5, 5.8, 8.1". Free with g_free(). */
static char *rests_text(const TgMachineRests *rests) {
  GString *text = g_string_new(NULL);
  for (int32_t i = 0; i < rests->pieces; i++) g_string_append_printf(text, "%s%.3g", i ? ", " : "", rests->takes[i]);
  return g_string_free(text, FALSE);
}

/* "with 1, 2 of 4 cores or ranks at work, each is 1.8, 1.5 times as fast". Free with g_free(). */
static char *fewer_text(const TgMachineExecutor *executor) {
  const TgMachineFewer *fewer = &executor->fewer_at_once;
  GString *text = g_string_new("with ");
  for (int32_t i = 0; i < fewer->rows; i++) g_string_append_printf(text, "%s%g", i ? ", " : "", fewer->at_once[i]);
  g_string_append_printf(text, " of %g cores or ranks at work, each is ", executor->at_once);
  for (int32_t i = 0; i < fewer->rows; i++) g_string_append_printf(text, "%s%.3g", i ? ", " : "", fewer->speedup[i]);
  g_string_append(text, " times as fast");
  return g_string_free(text, FALSE);
}

static void print_numbers(TgCli *cli, const TgCalibrateCommand *command) {
  const TgMachine *machine = &command->calibration->machine;
  const TgMachineExecutor *executor = &machine->executor;
  g_autoptr(TgTable) table = tg_table_new("lrl");
  g_autofree char *link = link_words(command);
  g_autofree char *bandwidth = bandwidth_words(&machine->link), *between = bandwidth_words(&machine->level[1]);
  tg_table_add_fact(table, "latency", tg_time_text(machine->link.latency_s).s, "%s", link);
  tg_table_add_fact(table, "bandwidth", bandwidth, "of one link, in one direction");
  if (command->calibration->hosts) {
    tg_table_add_fact(table, "to other hosts", tg_time_text(machine->level[1].latency_s).s, "latency of one block");
    tg_table_add_fact(table, "", between, "bandwidth of one host, shared by its ranks");
  }
  if (machine->processor.copy_bytes_per_s > 0) {
    g_autofree char *rate = g_strdup_printf("%.4g GB/s", machine->processor.copy_bytes_per_s * 1e-9);
    tg_table_add_fact(table, "copy", rate, "between processors of one core, after %s",
                      tg_time_text(machine->processor.copy_s).s);
  }
  if (machine->processor.cache_bytes > 0) {
    g_autofree char *rate = g_strdup_printf("%.4g GB/s", machine->processor.miss_bytes_per_s * 1e-9);
    tg_table_add_fact(table, "cache", tg_bytes_text(machine->processor.cache_bytes).s,
                      "of a core; what has left it comes back at %s, of a block at most %s", rate,
                      tg_bytes_text(machine->processor.miss_most_bytes).s);
  }
  if (machine->processor.additions_per_s > 0) {
    g_autofree char *rate = g_strdup_printf("%.4g G/s", machine->processor.additions_per_s * 1e-9);
    tg_table_add_fact(table, "additions", rate, "of elements of a block to those of another");
  }
  const double elements_per_s[] = {machine->processor.a_elements_per_s, machine->processor.b_elements_per_s,
                                   machine->processor.c_elements_per_s};
  const char *thin = "thin products";
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (elements_per_s[matrix] <= 0) continue;
    g_autofree char *rate = g_strdup_printf("%.4g G/s", elements_per_s[matrix] * 1e-9);
    tg_table_add_fact(table, thin, rate, "of the elements of their %c beyond those of cubic products", "ABC"[matrix]);
    thin = "";
  }
  if (machine->processor.rest_rows.pieces > 0) {
    g_autofree char *rows = rests_text(&machine->processor.rest_rows);
    g_autofree char *columns = rests_text(&machine->processor.rest_columns);
    tg_table_add_fact(table, "rests", "", "of 1, 2, 4, … rows take as long as %s rows; of columns, %s", rows, columns);
  }
  if (machine->processor.tile_rows > 0) {
    g_autofree char *tile = g_strdup_printf("%gx%g", machine->processor.tile_rows, machine->processor.tile_columns);
    tg_table_add_fact(table, "tile", tile, "of C at a time; a partly filled tile takes as long as a full one");
  }
  if (executor->fewer_at_once.rows > 0) {
    g_autofree char *fewer = fewer_text(executor);
    tg_table_add_fact(table, "fewer at work", "", "%s", fewer);
  }
  tg_table_add_fact(table, "launch", tg_time_text(executor->launch_s).s, "overhead of a run outside its steps");
  tg_table_add_fact(table, "round", tg_time_text(executor->round_s).s,
                    "overhead of each round of instances that run at once");
  tg_table_add_fact(table, "pass", tg_time_text(executor->pass_s).s, "overhead of each pass through the schedule");
  tg_table_add_fact(table, "residual", tg_percent_text(machine->residual).s, "root-mean-square error over the samples");
  if (machine->spread > 0)
    tg_table_add_fact(table, "spread", tg_percent_text(machine->spread).s,
                      "between repetitions of the same measurement");
  tg_print(cli, "\n");
  tg_table_print(cli, table, 2, false);
}

static void calibrate_print(TgCli *cli, const TgCalibrateCommand *command) {
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
  tg_json_member_integer(json, "moves", sample->probe.adds ? 0 : tg_probe_moves(&sample->probe));
  tg_json_member_integer(json, "sums", sample->probe.adds ? tg_probe_moves(&sample->probe) : 0);
  tg_json_member_integer(json, "block_bytes", moved_bytes(sample));
  tg_json_member_bool(json, "to_other_hosts", sample->sharing > 0);
  tg_json_member_integer(json, "at_once", sample->times.facts.at_once);
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

/* Null where the file has none. */
static double given(double rate) {
  return rate > 0 ? rate : NAN;
}

static void write_rests(TgJson *json, const char *name, const TgMachineRests *rests) {
  tg_json_member_array(json, name, TG_JSON_ROW);
  for (int32_t i = 0; i < rests->pieces; i++) tg_json_double(json, rests->takes[i]);
  tg_json_end_array(json);
}

static void write_fewer(TgJson *json, const TgMachineFewer *fewer) {
  tg_json_member_array(json, "fewer_at_once", TG_JSON_ROW);
  for (int32_t i = 0; i < fewer->rows; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_double(json, "at_once", fewer->at_once[i]);
    tg_json_member_double(json, "speedup", fewer->speedup[i]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

static void write_fit(TgJson *json, const TgCalibration *calibration) {
  const TgMachine *machine = &calibration->machine;
  const TgMachineProcessor *processor = &machine->processor;
  tg_json_member_object(json, "fit", TG_JSON_LINES);
  tg_json_members(json, fit_fields, machine);
  tg_json_member_double(json, "at_once", given(machine->executor.at_once));
  write_fewer(json, &machine->executor.fewer_at_once);
  tg_json_member_integer(json, "hosts", MAX(calibration->hosts, 1));
  tg_json_member_double(json, "hosts_latency_s", calibration->hosts ? machine->level[1].latency_s : NAN);
  tg_json_member_double(json, "hosts_bandwidth_bytes_per_s",
                        calibration->hosts ? machine->level[1].bandwidth_bytes_per_s : NAN);
  tg_json_member_rows(json, "rate", rate_fields, processor->rate.row, (size_t)processor->rate.rows,
                      sizeof *processor->rate.row);
  tg_json_member_rows(json, "deep_rate", rate_fields, processor->deep_rate.row, (size_t)processor->deep_rate.rows,
                      sizeof *processor->deep_rate.row);
  tg_json_member_double(json, "flops_per_s", processor->rate.rows ? NAN : processor->flops_per_s);
  tg_json_member_double(json, "additions_per_s", given(processor->additions_per_s));
  tg_json_member_double(json, "a_elements_per_s", given(processor->a_elements_per_s));
  tg_json_member_double(json, "b_elements_per_s", given(processor->b_elements_per_s));
  tg_json_member_double(json, "c_elements_per_s", given(processor->c_elements_per_s));
  tg_json_member_double(json, "cache_bytes", given(processor->cache_bytes));
  tg_json_member_double(json, "miss_bytes_per_s", given(processor->miss_bytes_per_s));
  tg_json_member_double(json, "miss_most_bytes", given(processor->miss_most_bytes));
  tg_json_member_double(json, "copy_s", processor->copy_bytes_per_s > 0 ? processor->copy_s : NAN);
  tg_json_member_double(json, "copy_bytes_per_s", given(processor->copy_bytes_per_s));
  write_rests(json, "rest_rows", &processor->rest_rows);
  write_rests(json, "rest_columns", &processor->rest_columns);
  tg_json_member_object(json, "tile", TG_JSON_ROW);
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
  tg_json_member_array(json, "samples", TG_JSON_LINES);
  for (guint s = 0; s < calibration->samples->len; s++) write_sample(json, sample_at(command, s));
  tg_json_end_array(json);
  write_fit(json, calibration);
  tg_json_member_double(json, "residual", calibration->machine.residual);
  tg_json_member_double(json, "spread", calibration->machine.spread);
  tg_json_member_double(json, "cpu_waited", calibration->waited);
  tg_environment_write(json, &command->environment);
  tg_json_end_object(json);
}

enum { MOST_SIZE = 65536 };
static const double usual_budget_s = 0.15;

void tg_calibrate_clear(TgCalibrateCommand *command) {
  tg_environment_clear(&command->environment);
  g_clear_pointer(&command->calibration, tg_calibration_free);
}

/* --- what to measure -----------------------------------------------------------------------------------------------*/

/* A row for the last extent, and as many rows as all others together say. Blocks move along rows: a single column is a
 * row. */
static TgExit grid_option(const TgCli *cli, const char *text, TgCalibrationPlan *plan) {
  TgBindings bindings = {0};
  TgError error;
  int64_t rows = 1;
  if (!tg_bindings_grid(&bindings, text, &error)) return tg_report(cli, TG_EXIT_USAGE, "--grid: %s", error.message);
  for (int c = 0; c + 1 < bindings.dims; c++) {
    rows *= bindings.grid[c];
    if (rows > TG_MAX_PROCESSORS)
      return tg_report(cli, TG_EXIT_USAGE, "--grid %s: more than %d processors", text, TG_MAX_PROCESSORS);
  }
  plan->columns = (int32_t)bindings.grid[bindings.dims - 1];
  plan->rows = plan->columns > 1 ? (int32_t)rows : 1;
  if (plan->columns == 1) plan->columns = (int32_t)rows;
  return TG_EXIT_DONE;
}

static TgExit sizes_option(const TgCli *cli, const char *text, TgCalibrationPlan *plan) {
  g_auto(GStrv) words = g_strsplit(text, ",", -1);
  plan->sizes = 0;
  for (char **word = words; *word; word++) {
    int64_t size;
    TgExit status = tg_number_parse(cli, "--sizes", *word, 1, MOST_SIZE, &size);
    if (status) return status;
    if (plan->sizes == TG_CALIBRATION_SIZES)
      return tg_report(cli, TG_EXIT_USAGE, "--sizes: expected at most %d sizes", TG_CALIBRATION_SIZES);
    if (plan->sizes && size <= plan->size[plan->sizes - 1])
      return tg_report(cli, TG_EXIT_USAGE, "--sizes %s: expected the sizes in increasing order", text);
    plan->size[plan->sizes++] = size;
  }
  if (plan->sizes >= 3) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--sizes %s: expected at least 3 sizes, to fit latency and bandwidth", text);
}

TgExit tg_calibrate_options(const TgCli *cli, const char *grid, TgCalibrateCommand *command) {
  const TgOptions *options = &cli->options;
  TgCalibrationPlan *plan = &command->plan;
  plan->kind = command->kind;
  if (!plan->kind->on_gpu) plan->options.memory_limit_bytes = (int64_t)MIN(tg_memory_limit(cli), INT64_MAX);
  if (!plan->kind->sizes)
    return tg_report(cli, TG_EXIT_MISSING, "calibrate: --on %s: not available in this version", plan->kind->name);
  if (!grid) grid = options->grid ? options->grid : command->kind->grid;
  plan->budget_s = usual_budget_s;
  TgExit status = tg_type_option(cli, &plan->options.element);
  if (!status) status = grid_option(cli, grid, plan);
  if (!status) status = sizes_option(cli, options->sizes ? options->sizes : command->kind->sizes, plan);
  return status ? status : tg_real_parse(cli, "--budget", options->budget, 1e-6, &plan->budget_s);
}

/* --- measuring -----------------------------------------------------------------------------------------------------*/

/* As much of a text as there is room for, without what begins a comment. */
static void set_text(char *to, size_t size, const char *text) {
  g_autofree char *clean = g_strdelimit(g_strdup(text), "#\t\r\n", ' ');
  size_t length = MIN(strlen(clean), size - 1);
  while (length > 0 && ((unsigned char)clean[length] & 0xc0) == 0x80) length--;
  clean[length] = '\0';
  g_strlcpy(to, g_strstrip(clean), size);
}

static void name_machine(const TgCalibrateCommand *command) {
  const TgCalibrationPlan *plan = &command->plan;
  TgMachine *machine = &command->calibration->machine;
  const char *device = tg_environment_device(&command->environment);
  const char *type = tg_element_name(plan->options.element), *transport = tg_transport_name(plan->options.transport);
  g_autofree char *name =
      g_strdup_printf("%s %dx%d %s %s on %s", plan->kind->name, plan->rows, plan->columns, transport, type, device);
  g_autofree char *source = g_strdup_printf(
      "measured by topogemm calibrate --on %s --grid %dx%d --transport %s --type %s: least squares over "
      "sizes %" PRId64 " to %" PRId64,
      plan->kind->name, plan->rows, plan->columns, transport, type, plan->size[0], plan->size[plan->sizes - 1]);
  set_text(machine->name, sizeof machine->name, name);
  set_text(machine->source, sizeof machine->source, source);
  set_text(machine->executor.device, sizeof machine->executor.device, device);
  machine->given |= 1 << 0 | 1 << 1;
  machine->executor.given |= 1 << 3;
}

TgExit tg_calibrate_measure(TgCli *cli, TgCalibrateCommand *command) {
  TgProgressLine line;
  GError *error = NULL;
  command->plan.progress = tg_progress_of;
  command->plan.progress_data = &line;
  command->plan.options.watch = &line.watch;
  tg_progress_begin(&line, cli, "calibrate, 10^9 multiply-adds", 1);
  line.parts = INT64_MAX; /* within a sample only its time goes on */
  command->calibration = tg_calibration_new(&command->plan, &error);
  command->plan.options.watch = NULL;
  tg_progress_end(cli);
  if (!command->calibration) {
    g_prefix_error(&error, "calibrate: --on %s, grid %dx%d: ", command->kind->name, command->plan.rows,
                   command->plan.columns);
    return tg_report_error(cli, error);
  }
  tg_environment_end(&command->environment);
  name_machine(command);
  return TG_EXIT_DONE;
}

static TgExit say(TgCli *cli, const TgCalibrateCommand *command) {
  GError *error = NULL;
  g_autofree char *text = calibrate_text(command);
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_calibrate_write(json, command);
    tg_print_json(cli, json);
  } else if (!cli->options.quiet) {
    calibrate_print(cli, command);
  }
  if (!cli->options.output) return TG_EXIT_DONE;
  if (!tg_atomic_file_write(cli->options.output, text, strlen(text), &error)) return tg_report_error(cli, error);
  if (cli->options.json || cli->options.quiet) return TG_EXIT_DONE;
  tg_print(cli, "\n");
  tg_print_line(cli, "%s: use it with `compare --machine` or `sim --machine`", cli->options.output);
  return TG_EXIT_DONE;
}

static const double most_spread = 0.3, most_waited = 0.1, most_residual = 0.9;

static TgExit refuse_noise(const TgCli *cli, const TgCalibrateCommand *command) {
  const TgCalibration *calibration = command->calibration;
  const double spread = calibration->machine.spread;
  if (cli->options.noisy) return TG_EXIT_DONE;
  if (calibration->waited > most_waited) /* not where it is not known */
    return tg_report(cli, TG_EXIT_FAILED,
                     "calibrate: this machine is busy: %.0f %% of the time this program waited for a CPU that others "
                     "had; stop other "
                     "programs and try again, or give --noisy to write the figures all the same",
                     100 * calibration->waited);
  if (calibration->machine.residual > most_residual)
    return tg_report(cli, TG_EXIT_FAILED,
                     "calibrate: the figures do not explain the measurements: they are off by %.0f %% or more; try "
                     "again, or give --noisy to write them all the same",
                     100 * calibration->machine.residual);
  if (spread <= most_spread) return TG_EXIT_DONE;
  return tg_report(
      cli, TG_EXIT_FAILED,
      "calibrate: this machine is busy: the same runs differ by %.0f %% either way, so that no figure can be "
      "relied on; stop other programs and try again, or give --noisy to write them all the same",
      100 * spread);
}

static TgExit run_calibrate(TgCli *cli) {
  g_auto(TgCalibrateCommand) command = {0};
  const char *output = cli->options.output;
  TgExit status = tg_executor_option(cli, "calibrate", &command.kind);
  if (!status && output && !g_str_has_suffix(output, ".machine"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .machine", output);
  if (!status) status = tg_output_files_check(cli);
  if (!status) status = tg_executor_options_check(cli, command.kind);
  if (!status) status = tg_transport_option(cli, command.kind, &command.plan.options.transport);
  if (!status) status = tg_device_options(cli, &command.plan.options);
  if (!status) status = tg_calibrate_options(cli, NULL, &command);
  if (!status)
    status = tg_executor_device(cli, "calibrate", command.kind, command.plan.options.device, &command.environment);
  if (!status) status = tg_calibrate_measure(cli, &command);
  if (!status) status = refuse_noise(cli, &command);
  return status ? status : say(cli, &command);
}

static const char *const options[] = {
    "on",    "grid",   "type:calibrate", "transport",      "sizes:calibrate", "budget:calibrate", "deadline",
    "noisy", "device", "json",           "output:machine", "quiet",           "memory-limit",     NULL};
static const TgExample examples[] = {
    {"calibrate --on cpu -o my.machine", "this CPU's BLAS, for `compare` and `sim`"},
    {"calibrate --on cpu --grid 2x2 --sizes 8,16,32 --json", "a short calibration, as JSON"},
    {"calibrate --on cpu --type f64 --grid 2x2x2 --budget 0.05 -o f64.machine", "8 processors in double precision"},
    {NULL, NULL},
};

const TgCommand tg_command_calibrate = {
    .name = "calibrate",
    .arguments = "",
    .summary = "measure an executor's processors and links, and write a machine file",
    .details = "Executes two kinds of schedules: in one, every processor multiplies; in the other, it also passes a "
               "block on between its products. All processors are busy at the same time, so each figure includes a "
               "processor's share of common resources such as caches and memory. The product rate is a table by size; "
               "latency and bandwidth are least-squares fits over block sizes; the overhead of a run outside its steps "
               "is given separately (docs/reference/calibration.md).\n"
               "Sizes that the executor refuses are skipped and listed with the reason. A machine file is valid for "
               "the executor, transport, element type and device that it was measured with, and for about that number "
               "of processors.",
    .examples = examples,
    .options = options,
    .arguments_min = 0,
    .arguments_max = 0,
    .run = run_calibrate,
};

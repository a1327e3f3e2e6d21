/* What `calibrate` says: the machine file with its comments, tables, and the document. */
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

char *tg_calibrate_text(const TgCalibrateCommand *command) {
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
  if (*command->disk.io)
    g_string_append_printf(
        text,
        "# disk, cache: a file of %.0f bytes, in requests of 1 MiB, 16 at a time, by %s; passes differ by "
        "%.0f %% and %.0f %% either way.\n",
        command->disk.file_bytes, command->disk.io, 100 * command->disk.disk.spread, 100 * command->disk.cache.spread);
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(command, s);
    g_autofree char *fewer =
        sample->fewer ? g_strdup_printf(" on %d cores or ranks only", sample->fewer) : g_strdup("");
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
    tg_table_add(table, "%d (on %d)", sample->probe.products, sample->fewer);
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

/* "1.8, 1.5", or the numbers of cores or ranks that they are for, "1, 2". Free with g_free(). */
static char *fewer_text(const TgMachineFewer *fewer, bool numbers) {
  GString *text = g_string_new(NULL);
  for (int32_t i = 0; i < fewer->rows; i++)
    g_string_append_printf(text, "%s%.3g", i ? ", " : "", numbers ? fewer->row[i].at_once : fewer->row[i].speedup);
  return g_string_free(text, FALSE);
}

/* What products take that are thin, or that do not fill rows, columns or tiles. */
static void add_shapes(TgTable *table, const TgMachineProcessor *processor) {
  const double elements_per_s[] = {processor->a_elements_per_s, processor->b_elements_per_s,
                                   processor->c_elements_per_s};
  const char *thin = "thin products";
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (elements_per_s[matrix] <= 0) continue;
    g_autofree char *rate = g_strdup_printf("%.4g G/s", elements_per_s[matrix] * 1e-9);
    tg_table_add_fact(table, thin, rate, "of the elements of their %c beyond those of cubic products", "ABC"[matrix]);
    thin = "";
  }
  if (processor->rest_rows.pieces > 0) {
    g_autofree char *rows = rests_text(&processor->rest_rows);
    g_autofree char *columns = rests_text(&processor->rest_columns);
    tg_table_add_fact(table, "rests", "", "of 1, 2, 4, … rows take as long as %s rows; of columns, %s", rows, columns);
  }
  if (processor->tile_rows > 0) {
    g_autofree char *tile = g_strdup_printf("%gx%g", processor->tile_rows, processor->tile_columns);
    tg_table_add_fact(table, "tile", tile, "of C at a time; a partly filled tile takes as long as a full one");
  }
}

static void add_disk(TgTable *table, const char *name, const TgDiskRates *rates) {
  g_autofree char *reads = g_strdup_printf("%.4g GB/s", rates->read_bytes_per_s * 1e-9);
  g_autofree char *alone = rates->latency_s > 0
                               ? g_strdup_printf("; a single small read takes %s", tg_time_text(rates->latency_s).s)
                               : g_strdup("");
  tg_table_add_fact(table, name, reads, "read, and %.4g GB/s written%s", rates->write_bytes_per_s * 1e-9, alone);
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
  add_shapes(table, &machine->processor);
  if (executor->speedup_with_fewer.rows > 0) {
    g_autofree char *speedups = fewer_text(&executor->speedup_with_fewer, false);
    g_autofree char *numbers = fewer_text(&executor->speedup_with_fewer, true);
    tg_table_add_fact(table, "fewer at work", "", "%s times as fast with only %s of %g cores or ranks at work",
                      speedups, numbers, executor->at_once);
  }
  if (*command->disk.io) {
    add_disk(table, "disk", &command->disk.disk);
    add_disk(table, "through memory", &command->disk.cache);
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

TG_FIELD_TABLE(speedup_fields, TG_FIELD(TgMachineSpeedup, at_once), TG_FIELD(TgMachineSpeedup, speedup));

/* Null where the file has none. */
static double given(double rate) {
  return rate > 0 ? rate : NAN;
}

static void write_rests(TgJson *json, const char *name, const TgMachineRests *rests) {
  tg_json_member_array(json, name, TG_JSON_ROW);
  for (int32_t i = 0; i < rests->pieces; i++) tg_json_double(json, rests->takes[i]);
  tg_json_end_array(json);
}

static void write_fit(TgJson *json, const TgCalibration *calibration) {
  const TgMachine *machine = &calibration->machine;
  const TgMachineProcessor *processor = &machine->processor;
  const TgMachineFewer *fewer = &machine->executor.speedup_with_fewer;
  tg_json_member_object(json, "fit", TG_JSON_LINES);
  tg_json_members(json, fit_fields, machine);
  tg_json_member_double(json, "at_once", given(machine->executor.at_once));
  tg_json_member_rows(json, "speedup_with_fewer", speedup_fields, fewer->row, (size_t)fewer->rows, sizeof *fewer->row);
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

TG_FIELD_TABLE(rates_fields, TG_FIELD(TgDiskRates, read_bytes_per_s), TG_FIELD(TgDiskRates, write_bytes_per_s),
               TG_FIELD(TgDiskRates, latency_s), TG_FIELD(TgDiskRates, spread));

static void write_disk(TgJson *json, const TgDiskMeasurement *disk) {
  tg_json_member_object(json, "disk", TG_JSON_LINES);
  tg_json_members(json, rates_fields, &disk->disk);
  tg_json_member_object(json, "cache", TG_JSON_ROW);
  tg_json_members(json, rates_fields, &disk->cache);
  tg_json_end_object(json);
  tg_json_member_double(json, "file_bytes", disk->file_bytes);
  tg_json_member_string(json, "io", disk->io);
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
  if (*command->disk.io) write_disk(json, &command->disk);
  tg_json_member_double(json, "residual", calibration->machine.residual);
  tg_json_member_double(json, "spread", calibration->machine.spread);
  tg_json_member_double(json, "cpu_waited", calibration->waited);
  tg_environment_write(json, &command->environment);
  tg_json_end_object(json);
}

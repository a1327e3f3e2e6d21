/* topogemm calibrate: measures what an executor's processors and links can do, and writes a machine file. */
#include "calibrate.h"
#include "algo.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"

#include "atomic-file.h"

#include <math.h>
#include <string.h>

enum { MOST_SIZE = 65536 };
static const double usual_budget_s = 0.15;

void tg_calibrate_clear(TgCalibrateCommand *command) {
  tg_environment_clear(&command->environment);
  g_clear_pointer(&command->calibration, tg_calibration_free);
}

/* --- what to measure -----------------------------------------------------------------------------------------------*/

/* The last extent is the number of columns, the product of the others that of rows. Blocks move along rows, so a single
 * column is measured as a row. */
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

static TgMachineTier tier_of(const TgDiskRates *rates) {
  return (TgMachineTier){.read_bytes_per_s = rates->read_bytes_per_s,
                         .write_bytes_per_s = rates->write_bytes_per_s,
                         .latency_s = rates->latency_s};
}

/* The cache may take all available memory, and so may the blocks of a product whose matrices are on disk. */
static TgExit measure_disk(TgCli *cli, TgCalibrateCommand *command) {
  static const double most_bytes = 1 << 30;
  const double memory_bytes = (double)tg_memory_limit(cli);
  TgProgressLine line;
  GError *error = NULL;
  if (!cli->options.disk) return TG_EXIT_DONE;
  tg_progress_begin(&line, cli, "calibrate, passes over a file", TG_DISK_PASSES);
  const TgWatch watch = tg_progress_watch(&line);
  const bool fine =
      tg_disk_measure(cli->options.disk, fmin(most_bytes, memory_bytes / 4), &watch, &command->disk, &error);
  tg_progress_end(cli);
  if (!fine) {
    g_prefix_error(&error, "calibrate: --disk ");
    return tg_report_error(cli, error);
  }
  const TgMachineTier disk = tier_of(&command->disk.disk), cache = tier_of(&command->disk.cache);
  tg_calibration_add_disk(command->calibration, &disk, &cache, memory_bytes);
  return TG_EXIT_DONE;
}

static TgExit say(TgCli *cli, const TgCalibrateCommand *command) {
  GError *error = NULL;
  g_autofree char *text = tg_calibrate_text(command);
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_calibrate_write(json, command);
    tg_print_json(cli, json);
  } else if (!cli->options.quiet) {
    tg_calibrate_print(cli, command);
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

static TgExit refuse_disk_noise(const TgCli *cli, const TgCalibrateCommand *command) {
  const double spread = fmax(command->disk.disk.spread, command->disk.cache.spread);
  if (cli->options.noisy || spread <= most_spread) return TG_EXIT_DONE;
  return tg_report(
      cli, TG_EXIT_FAILED,
      "calibrate: --disk %s: repeated reads or writes differ by %.0f %% either way; stop other programs and "
      "try again, or give --noisy to write the figures all the same",
      cli->options.disk, 100 * spread);
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
  if (!status) status = measure_disk(cli, &command);
  if (!status) status = refuse_disk_noise(cli, &command);
  return status ? status : say(cli, &command);
}

static const char *const options[] = {
    "on",   "grid",   "type:calibrate", "transport",      "sizes:calibrate", "budget:calibrate", "deadline", "noisy",
    "disk", "device", "json",           "output:machine", "quiet",           "memory-limit",     NULL};
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
               "processor's share of common resources such as caches and memory; on cores and ranks, products are also "
               "measured with fewer at work. The product rate is a table by size; "
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

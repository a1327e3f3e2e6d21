/* topogemm huge: a product of matrices on disk that are larger than memory. */
#include "executors.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "tiled.h"
#include "timeline.h"

#include "check.h"
#include "device.h"
#include "gpu-multiplier.h"
#include "huge.h"
#include "matrix.h"
#include "text-units.h"

#include <math.h>
#include <string.h>

typedef struct TgHugeRun {
  TgAlgo algo;
  TgHugeOptions options;
  TgHugeSchedule schedule;
  TgHugeResult result;
  bool on_ranks;
  const char *transport; /* NULL: one process */
  TgProgressLine line;
  TgTimeline timeline;
  const char *type, *from;
  const char *multiplier; /* NULL: the CPU */
  double relative_error, tolerance, gflops;
  bool pipelined, ok;
} TgHugeRun;

static TgExit require_files(const TgCli *cli, TgHugeOptions *options) {
  const struct {
    const char *option, *path;
  } rows[] = {{"--a", cli->options.a}, {"--b", cli->options.b}, {"--c", cli->options.c}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (!rows[i].path) return tg_report(cli, TG_EXIT_USAGE, "huge: expected %s FILE.tg", rows[i].option);
    if (!tg_tiled_path(rows[i].path))
      return tg_report(cli, TG_EXIT_USAGE,
                       "%s %s: expected a name that ends in .tg; `topogemm convert` converts other formats",
                       rows[i].option, rows[i].path);
  }
  options->a = cli->options.a;
  options->b = cli->options.b;
  options->c = cli->options.c;
  return TG_EXIT_DONE;
}

static TgExit memory_option(const TgCli *cli, TgHugeRun *run) {
  const double part = 0.5; /* of the available memory; ranks divide it later */
  if (cli->options.memory_bytes)
    return tg_memory_size_parse(cli, "--memory", cli->options.memory_bytes, &run->options.memory_bytes);
  if (!run->on_ranks) run->options.memory_bytes = part * (double)tg_memory_available_bytes();
  return TG_EXIT_DONE;
}

static TgExit word_option(const TgCli *cli, const char *option, const char *text, const char *yes, const char *no,
                          bool *value) {
  if (!text) return TG_EXIT_DONE;
  *value = strcmp(text, yes) == 0;
  if (*value || strcmp(text, no) == 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected %s or %s", option, text, yes, no);
}

/* Without --grid: one processor, "1x1". */
static TgExit default_grid(TgCli *cli) {
  g_auto(TgAlgo) algo = {0};
  if (cli->options.grid) return TG_EXIT_DONE;
  const TgExit status = tg_algo_parse(cli, &algo, cli->options.arguments[0]);
  g_autoptr(GString) grid = g_string_new("1");
  for (int d = 1; d < algo.schedule.dims; d++) g_string_append(grid, "x1");
  if (!status) cli->options.grid = g_strdup(grid->str);
  return status;
}

static TgExit check_schedule(const TgCli *cli, const TgHugeRun *run) {
  static const TgComputes product = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  const TgSchedule *schedule = &run->algo.schedule;
  const int64_t processors = tg_schedule_processors(schedule);
  if (memcmp(&schedule->computes, &product, sizeof product) != 0)
    return tg_report(cli, TG_EXIT_USAGE, "huge: %s computes %s; expected a schedule for C = A * B",
                     tg_algo_name(&run->algo), tg_computes_text(&schedule->computes).s);
  if (processors == 1 || run->on_ranks) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "huge: %s on %s has %" PRId64
                   " processors; add --on ranks and start the job with mpirun, or use a grid of one processor",
                   tg_algo_name(&run->algo), tg_schedule_grid_text(schedule).s, processors);
}

static TgExit open_schedule(TgCli *cli, TgHugeRun *run) {
  TgExit status = default_grid(cli);
  if (!status) status = tg_algo_open(cli, &run->algo);
  return status ? status : check_schedule(cli, run);
}

/* Options for the ranks of an MPI job. */
static TgExit rank_options(TgCli *cli, TgHugeRun *run) {
  const double least_deadline_s = 1;
  const TgExecutorKind *kind = NULL;
  const TgOptions *options = &cli->options;
  if (!options->on) {
    const char *only = options->transport    ? "--transport"
                       : options->collective ? "--collective"
                       : options->deadline   ? "--deadline"
                                             : NULL;
    return only ? tg_report(cli, TG_EXIT_USAGE, "huge: %s is for --on ranks", only) : TG_EXIT_DONE;
  }
  TgExit status = tg_executor_option(cli, "huge", &kind);
  if (!status && !kind->begin) status = tg_report(cli, TG_EXIT_USAGE, "huge: --on %s: expected ranks", options->on);
  if (!status) status = tg_transport_option(cli, kind, &run->schedule.transport);
  if (!status) status = tg_collective_option(cli, &run->schedule.collective);
  if (!status)
    status = tg_real_parse(cli, "--deadline", options->deadline, least_deadline_s, &run->schedule.deadline_s);
  run->on_ranks = !status;
  run->transport = tg_transport_name(run->schedule.transport);
  return status;
}

/* Options for multiplying on a GPU. */
static TgExit gpu_options(const TgCli *cli, TgHugeOptions *options) {
  int64_t number = 0;
  TgDevice device;
  TgError error;
  if (!cli->options.gpu_memory)
    return cli->options.device ? tg_report(cli, TG_EXIT_USAGE, "huge: --device is for --gpu-memory") : TG_EXIT_DONE;
  TgExit status = tg_memory_size_parse(cli, "--gpu-memory", cli->options.gpu_memory, &options->device_bytes);
  if (!status) status = tg_number_parse(cli, "--device", cli->options.device, 0, INT16_MAX, &number);
  if (status) return status;
  if (!tg_device_open((int)number, &device, &error))
    return tg_report(cli, TG_EXIT_MISSING, "huge: --gpu-memory: %s", error.message);
  options->multiplier = &tg_gpu_multiplier;
  options->device = (int32_t)number;
  return TG_EXIT_DONE;
}

static TgExit huge_options(TgCli *cli, TgHugeRun *run) {
  TgExit status = rank_options(cli, run);
  if (!status) status = open_schedule(cli, run);
  if (!status) status = require_files(cli, &run->options);
  if (!status) status = memory_option(cli, run);
  if (!status) status = gpu_options(cli, &run->options);
  if (!status) status = tg_tiles_parse(cli, cli->options.tiles, &run->options.blocks);
  if (!status) status = word_option(cli, "--from", cli->options.from, "cache", "disk", &run->options.cached);
  if (!status) status = word_option(cli, "--pipeline", cli->options.pipeline, "off", "on", &run->options.sequential);
  return status;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

static void begins(void *user, int64_t chunks) {
  TgHugeRun *run = user;
  run->line.total = chunks;
}

static void so_far(void *user, double flops, double read_bytes, double written_bytes) {
  TgHugeRun *run = user;
  const double elapsed_s = (double)(g_get_monotonic_time() - run->line.begun_us) / G_USEC_PER_SEC;
  const char *whose = run->on_ranks ? "rank 0: " : "";
  g_snprintf(run->line.note, sizeof run->line.note, ", %s%s, read %s, wrote %s", whose,
             tg_rate_text(flops / elapsed_s).s, tg_bytes_text(read_bytes).s, tg_bytes_text(written_bytes).s);
}

static void take_span(void *to, const TgHugeSpan *span) {
  g_array_append_val((GArray *)to, *span);
}

static bool multiply(TgCli *cli, TgHugeRun *run, GError **error) {
  tg_progress_begin(&run->line, cli, "huge", 1);
  run->options.watch = tg_progress_watch(&run->line);
  run->options.begins = begins;
  run->options.so_far = so_far;
  run->options.tells = run;
  run->options.spans = run->timeline.spans ? take_span : NULL;
  run->options.spans_to = run->timeline.spans;
  run->schedule.schedule = &run->algo.schedule;
  run->schedule.names = &run->algo.names;
  const bool fine = run->on_ranks ? tg_huge_multiply_by(&run->options, &run->schedule, &run->result, error)
                                  : tg_huge_multiply(&run->options, &run->result, error);
  tg_progress_end(cli);
  return fine;
}

static bool check(TgCli *cli, TgHugeRun *run, GError **error) {
  const TgHugeOptions *options = &run->options;
  const uint64_t seed = 1;
  const double program_bytes = run->result.peak_rss_bytes - run->result.buffer_bytes;
  const double memory_bytes = fmax(run->result.memory_bytes - program_bytes, 1);
  tg_progress_begin(&run->line, cli, "check", run->result.tiles);
  const TgWatch watch = tg_progress_watch(&run->line);
  const bool fine =
      tg_huge_check(options->a, options->b, options->c, seed, memory_bytes, &watch, &run->relative_error, error);
  tg_progress_end(cli);
  run->tolerance = tg_check_tolerance(&run->algo.schedule.computes, run->result.type, run->result.k);
  run->ok = fine && run->relative_error <= run->tolerance;
  return fine;
}

static void sum_up(TgHugeRun *run) {
  const TgHugeResult *result = &run->result;
  run->type = tg_element_name(result->type);
  run->from = run->options.cached ? "cache" : "disk";
  run->pipelined = !run->options.sequential;
  run->multiplier = run->options.multiplier ? run->options.multiplier->name : NULL;
  run->gflops = 1e-9 * result->flops / result->wall_s;
  run->result.peak_rss_bytes = fmax(run->result.peak_rss_bytes, (double)tg_memory_peak_bytes());
}

/* --- what is said of it ------------------------------------------------------------------------------------------- */

TG_FIELD_TABLE(huge_fields, TG_FIELD(TgHugeRun, options.a), TG_FIELD(TgHugeRun, options.b),
               TG_FIELD(TgHugeRun, options.c), TG_FIELD(TgHugeRun, result.m), TG_FIELD(TgHugeRun, result.n),
               TG_FIELD(TgHugeRun, result.k), TG_FIELD(TgHugeRun, type),
               TG_FIELD_AS(TgHugeRun, result.ranks, "job_ranks"), TG_FIELD(TgHugeRun, transport),
               TG_FIELD(TgHugeRun, from), TG_FIELD(TgHugeRun, result.direct), TG_FIELD(TgHugeRun, result.io),
               TG_FIELD(TgHugeRun, pipelined), TG_FIELD(TgHugeRun, result.panels),
               TG_FIELD(TgHugeRun, result.panels_resumed), TG_FIELD(TgHugeRun, result.largest_rows),
               TG_FIELD(TgHugeRun, result.largest_columns), TG_FIELD(TgHugeRun, result.step),
               TG_FIELD(TgHugeRun, result.chunk), TG_FIELD(TgHugeRun, result.disk_read_bytes),
               TG_FIELD(TgHugeRun, result.disk_written_bytes), TG_FIELD(TgHugeRun, result.model_read_bytes),
               TG_FIELD(TgHugeRun, result.model_written_bytes), TG_FIELD(TgHugeRun, result.bound_read_bytes),
               TG_FIELD(TgHugeRun, result.sent_bytes), TG_FIELD(TgHugeRun, result.verified_bytes),
               TG_FIELD_AS(TgHugeRun, result.memory_bytes, "memory_limit_bytes"),
               TG_FIELD(TgHugeRun, result.buffer_bytes), TG_FIELD(TgHugeRun, multiplier),
               TG_FIELD_AS(TgHugeRun, options.device_bytes, "gpu_memory_limit_bytes"),
               TG_FIELD_AS(TgHugeRun, result.device_bytes, "gpu_bytes"), TG_FIELD(TgHugeRun, result.peak_rss_bytes),
               TG_FIELD(TgHugeRun, result.wall_s), TG_FIELD(TgHugeRun, result.disk_s),
               TG_FIELD(TgHugeRun, result.compute_s), TG_FIELD(TgHugeRun, gflops), TG_FIELD(TgHugeRun, relative_error),
               TG_FIELD(TgHugeRun, tolerance), TG_FIELD(TgHugeRun, ok));

static void print_document(TgCli *cli, const TgHugeRun *run) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "huge");
  tg_json_member_string(json, "algorithm", tg_algo_name(&run->algo));
  tg_json_member_string(json, "grid", tg_schedule_grid_text(&run->algo.schedule).s);
  tg_json_members(json, huge_fields, run);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

static void print_bytes(TgCli *cli, const TgHugeResult *result) {
  const double c_bytes = (double)result->m * (double)result->n * (double)tg_element_bytes(result->type);
  g_autoptr(TgTable) table = tg_table_new("lrrr");
  tg_table_add_row(table, "disk|actual|planned|lower bound");
  tg_table_add(table, "read");
  tg_table_add(table, "%s", tg_bytes_text(result->disk_read_bytes).s);
  tg_table_add(table, "%s", tg_bytes_text(result->model_read_bytes).s);
  tg_table_add(table, "%s", tg_bytes_text(result->bound_read_bytes).s);
  tg_table_add(table, "written");
  tg_table_add(table, "%s", tg_bytes_text(result->disk_written_bytes).s);
  tg_table_add(table, "%s", tg_bytes_text(result->model_written_bytes).s);
  tg_table_add(table, "%s", tg_bytes_text(c_bytes).s);
  tg_table_print(cli, table, 2, true);
}

static void print_run(TgCli *cli, const TgHugeRun *run) {
  const TgHugeResult *result = &run->result;
  if (run->on_ranks)
    tg_print_line(cli, "%s on %s, %" PRId32 " rank%s", tg_algo_name(&run->algo),
                  tg_schedule_grid_text(&run->algo.schedule).s, result->ranks, result->ranks == 1 ? "" : "s");
  tg_print_line(cli, "%s: C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 ", %s, from %s",
                tg_algo_name(&run->algo), result->m, result->n, result->k, run->type, run->from);
  tg_print(cli, "%" PRId64 " panel%s of C, the largest %" PRId64 "x%" PRId64 ", in steps of %" PRId64 "; %s%s\n\n",
           result->panels, result->panels == 1 ? "" : "s", result->largest_rows, result->largest_columns, result->step,
           result->io, result->direct || run->options.cached ? "" : "; no direct I/O for at least one file");
  if (result->panels_resumed)
    tg_print(cli, "  panels finished by an earlier run: %" PRId64 "\n\n", result->panels_resumed);
  print_bytes(cli, result);
  if (run->on_ranks) tg_print(cli, "\n  sent      %s in messages between ranks\n", tg_bytes_text(result->sent_bytes).s);
  tg_print(cli, "\n  time      %s  %s\n", tg_time_text(result->wall_s).s, tg_rate_text(1e9 * run->gflops).s);
  tg_print(cli, "  products  %s  %s of the time\n", tg_time_text(result->compute_s).s,
           tg_percent_text(result->compute_s / result->wall_s).s);
  tg_print(cli, "  disk      %s  %s of the time, with a request under way\n", tg_time_text(result->disk_s).s,
           tg_percent_text(result->disk_s / result->wall_s).s);
  tg_print(cli, "  memory    %s of %s\n", tg_bytes_text(result->peak_rss_bytes).s,
           tg_bytes_text(result->memory_bytes).s);
  if (run->multiplier)
    tg_print(cli, "  GPU       %s of %s memory; products are computed there\n", tg_bytes_text(result->device_bytes).s,
             tg_bytes_text(run->options.device_bytes).s);
  tg_print(cli, "  check     relative error %.3g (tolerance %.3g)\n", run->relative_error, run->tolerance);
}

static TgExit huge_run_all(TgCli *cli, TgHugeRun *run) {
  GError *error = NULL;
  TgExit status = tg_tiled_built(cli);
  if (!status) status = huge_options(cli, run);
  if (!status) status = tg_output_files_check(cli);
  if (!status) status = tg_timeline_begin(cli, &run->timeline);
  if (status) return status;
  if (!multiply(cli, run, &error)) return tg_tiled_report(cli, error);
  if (run->result.rank > 0) return TG_EXIT_DONE; /* rank 0 checks and reports */
  if (!check(cli, run, &error)) return tg_tiled_report(cli, error);
  sum_up(run);
  if (cli->options.json)
    print_document(cli, run);
  else if (!cli->options.quiet)
    print_run(cli, run);
  run->timeline.algorithm = tg_algo_name(&run->algo);
  run->timeline.from = run->from;
  run->timeline.io = run->result.io;
  run->timeline.ranks = run->result.ranks;
  status = tg_timeline_write(cli, &run->timeline);
  return run->ok ? status : tg_tiled_report_wrong(cli, run->options.c, run->relative_error, run->tolerance);
}

static TgExit huge_run(TgCli *cli) {
  TgHugeRun run = {0};
  const TgExit status = huge_run_all(cli, &run);
  tg_algo_clear(&run.algo);
  tg_timeline_clear(&run.timeline);
  return status;
}

static const TgExample huge_examples[] = {
    {"huge egmm --a A.tg --b B.tg --c C.tg --memory 1G", "multiply two matrices on disk within 1 GB of memory"},
    {"huge egmm --a A.tg --b B.tg --c C.tg --memory 1G --tiles 4096x4096x4096", "with equal panels, as in the paper"},
    {"huge egmm --a A.tg --b B.tg --c C.tg --from cache --pipeline off --json",
     "through the page cache, one thing after another, as a JSON document"},
    {NULL, NULL},
};

const TgCommand tg_command_huge = {
    .name = "huge",
    .arguments = "ALGO",
    .summary = "multiply matrices larger than memory, from disk to disk",
    .details =
        "A and B stream past panels of C that stay in memory until they are complete. Files are tiled (see "
        "`generate` and `convert`). If a run ends early, for whatever reason, the same command resumes it: "
        "complete panels of C are not computed again.\n"
        "With --on ranks, MPI ranks execute any schedule for C = A * B, with its blocks on disk. Each rank multiplies "
        "its own blocks in this way (docs/guide/huge.md).",
    .examples = huge_examples,
    .options = (const char *const[]){"grid:huge",     "set",       "on:huge",    "transport:huge", "collective",
                                     "deadline:huge", "a:huge",    "b:huge",     "c:huge",         "memory:huge",
                                     "gpu-memory",    "device",    "tiles:huge", "from:huge",      "pipeline:huge",
                                     "trace:huge",    "plot:huge", "json",       "quiet",          NULL},
    .arguments_min = 1,
    .arguments_max = 1,
    .ranks_write = true,
    .run = huge_run,
};

/* topogemm export: the expanded schedule for other programs. */
#include "interrupt.h"
#include "memory-limit.h"
#include "output.h"
#include "algo.h"
#include "progress.h"

#include "export-job.h"
#include "shape.h"
#include "text-units.h"

#include <stdio.h>

static const double large_bytes = 1e8;

static TgExit rate_option(const TgCli *cli, double *flops_per_s) {
  const char *text = cli->options.flops_per_s;
  if (!text || (tg_real_read(text, flops_per_s) && *flops_per_s > 0)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--flops-per-s %s: expected a finite number above 0, as in 2e11", text);
}

/* Another program takes no collectives, so that they go in rounds unless the command line says otherwise. */
static TgExit collective_option(const TgCli *cli, TgCollective *collective) {
  TgExit status = tg_collective_option(cli, collective);
  if (!cli->options.collective) *collective = TG_COLLECTIVE_AUTO;
  return status;
}

static TgExit open_job(const TgCli *cli, TgAlgo *algo, TgExportJob *job) {
  TgShape shape;
  GError *error = NULL;
  if (!cli->options.output) return tg_report(cli, TG_EXIT_USAGE, "export: expected -o FILE, as in -o cannon.goal");
  if (!tg_export_path_known(cli->options.output, &error)) return tg_report_error(cli, error);
  TgExit status = tg_sizes_require(cli, "export", &job->m, &job->n, &job->k);
  if (!status) status = tg_algo_open(cli, algo);
  if (!status) status = collective_option(cli, &job->collective);
  if (!status) status = tg_type_option(cli, &job->element);
  if (!status) status = rate_option(cli, &job->flops_per_s);
  if (!status && cli->options.flops_per_s && g_str_has_suffix(cli->options.output, ".json"))
    return tg_report(cli, TG_EXIT_USAGE,
                     "--flops-per-s: a .json file has no times; leave it out, or write a .goal file");
  if (status) return status;
  if (!tg_shape_init(&shape, &algo->schedule.computes, job->m, job->n, job->k, &error))
    return tg_report_error(cli, error);
  job->schedule = &algo->schedule;
  job->names = &algo->names;
  return TG_EXIT_DONE;
}

static void announce_size(const TgCli *cli, const TgExportJob *job) {
  const double bytes = tg_export_size(job, cli->options.output);
  if (cli->options.quiet || bytes < large_bytes) return;
  g_autofree char *path = tg_printable(cli->options.output, "");
  fprintf(stderr, "topogemm: %s: writing about %s\n", path, tg_bytes_text(bytes).s);
}

/* Where a signal stops it, main() ends the program by that signal. */
static bool run_job(TgCli *cli, TgExportJob *job, TgExported *exported, TgError *failure, GError **error) {
  TgProgressLine line;
  announce_size(cli, job);
  tg_progress_begin(&line, cli, "export", tg_export_work(job, cli->options.output));
  const TgWatch watch = tg_progress_watch(&line);
  job->watch = &watch;
  const bool written = tg_export_write(job, cli->options.output, exported, failure, error);
  job->watch = NULL;
  tg_progress_end(cli);
  return written;
}

static TgExit write_job(TgCli *cli, const TgAlgo *algo, TgExportJob *job) {
  TgExported exported;
  TgError failure;
  GError *error = NULL;
  g_autofree char *text = g_strndup(algo->source.text, algo->source.length);
  job->text = text;
  job->memory_limit_bytes = tg_memory_limit(cli);
  if (run_job(cli, job, &exported, &failure, &error)) {
    if (!cli->options.quiet)
      tg_print_line(
          cli,
          "%s: %" PRId64 " messages in %" PRId64 " sends, %" PRId64 " bytes, %" PRId64 " products, %" PRId64 " flops",
          cli->options.output, exported.messages, exported.sends, exported.bytes, exported.products, exported.flops);
    return TG_EXIT_DONE;
  }
  if (tg_interrupted()) {
    g_error_free(error);
    return TG_EXIT_FAILED;
  }
  if (!g_error_matches(error, TG_EXPORT_ERROR, TG_EXPORT_ERROR_SCHEDULE)) return tg_report_error(cli, error);
  g_error_free(error);
  return tg_report_at(cli, TG_EXIT_WRONG, &algo->source, failure.line, failure.column, failure.message);
}

static TgExit run(TgCli *cli) {
  g_auto(TgAlgo) algo = {0};
  TgExportJob job = {0};
  TgExit status = open_job(cli, &algo, &job);
  return status ? status : write_job(cli, &algo, &job);
}

static const char *const options[] = {
    "grid", "set", "n", "size", "type:calibrate", "collective", "flops-per-s", "output", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"export cannon --grid 4x4 -n 1024 -o cannon.goal",
     "for LogGOPSim: sends, receives, products and their dependencies"},
    {"export cannon --grid 4x4 -n 1024 --flops-per-s 2e11 -o cannon.goal", "products at 2e11 flop/s"},
    {"export dns --grid 4x4x4 -n 64 --collective binomial -o dns.json", "every message and product, as versioned JSON"},
    {"export summa --grid 3x3 --size 20x30x40 --type f64 -o summa.goal", "rectangular matrices"},
    {NULL, NULL},
};

const TgCommand tg_command_export = {
    .name = "export",
    .arguments = "ALGO",
    .summary = "write every message and product for other programs, as GOAL or JSON",
    .details = "The suffix of -o selects the format: .goal for LogGOPSim's txt2bin, .json for a document that follows "
               "docs/schema/topogemm-schedule-1.schema.json. The schedule is proved first; if it fails, nothing is "
               "written and the command exits with 3. Collectives are carried out in rounds as with --collective auto; "
               "`native` keeps each as one operation. Bytes are those of the actual blocks, which may differ in size.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

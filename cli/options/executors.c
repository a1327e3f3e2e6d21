#include "executors.h"
#include "algo.h"

#include "executors-cpu.h"
#include "executors-cuda.h"

#include <string.h>

enum { MOST_DEVICES = 1024 };
static const double least_deadline_s = 1e-3, most_deadline_s = 3600;

const TgExecutorKind *const tg_executors[] = {&tg_executor_cpu,
                                              &tg_executor_cores,
                                              &tg_executor_threads,
                                              &tg_executor_clusters,
                                              &tg_executor_blocks,
                                              &tg_executor_ranks,
                                              NULL};
static const char *const planned[] = {"gpus", NULL};

const TgExecutorKind *tg_executor_find(const char *name) {
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++)
    if (strcmp(name, (*kind)->name) == 0) return *kind;
  return NULL;
}

char *tg_executor_names(void) {
  GString *text = g_string_new(NULL);
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++)
    g_string_append_printf(text, "%s%s", text->len ? ", " : "", (*kind)->name);
  return g_string_free(text, FALSE);
}

TgExit tg_executor_begin(TgCli *cli, bool each_writes) {
  const TgExecutorKind *kind = cli->options.on ? tg_executor_find(cli->options.on) : NULL;
  char **const writes[] = {&cli->options.output, &cli->options.c, &cli->options.trace, &cli->options.plot};
  g_autoptr(GError) error = NULL;
  bool first = true;
  if (!kind || !kind->begin) return TG_EXIT_DONE;
  if (!kind->begin(&first, &error)) {
    const bool wrong = g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT);
    return tg_report(cli, wrong ? TG_EXIT_USAGE : TG_EXIT_MISSING, "--on %s: %s", kind->name, error->message);
  }
  for (size_t w = 0; w < G_N_ELEMENTS(writes) && !first && !each_writes; w++) g_clear_pointer(writes[w], g_free);
  return TG_EXIT_DONE;
}

void tg_executor_end(const TgCli *cli, TgExit status) {
  const TgExecutorKind *kind = cli->options.on ? tg_executor_find(cli->options.on) : NULL;
  if (kind && kind->end) kind->end((int)status);
}

TgExit tg_executor_option(const TgCli *cli, const char *command, const TgExecutorKind **kind) {
  const char *name = cli->options.on;
  g_autofree char *here = tg_executor_names();
  if (!name) return tg_report(cli, TG_EXIT_USAGE, "%s: expected --on with an executor: %s", command, here);
  if ((*kind = tg_executor_find(name))) return TG_EXIT_DONE;
  if (g_strv_contains(planned, name))
    return tg_report(cli, TG_EXIT_MISSING, "--on %s: not available in this version, which has %s", name, here);
  return tg_report(cli, TG_EXIT_USAGE, "--on %s: no such executor; expected one of %s%s", name, here,
                   strcmp(name, "disk") == 0 ? "; `calibrate --on cpu --disk FOLDER` measures a disk" : "");
}

TgExit tg_executor_options_check(const TgCli *cli, const TgExecutorKind *kind) {
  const TgOptions *options = &cli->options;
  if (options->deadline && !kind->has_deadline)
    return tg_report(cli, TG_EXIT_USAGE,
                     "--deadline: not for %s, whose processors never wait for one particular processor", kind->name);
  if (options->device && !kind->on_gpu) return tg_report(cli, TG_EXIT_USAGE, "--device: %s uses no GPU", kind->name);
  if (options->cold && !kind->on_gpu)
    return tg_report(cli, TG_EXIT_USAGE, "--cold empties the cache of a GPU, but %s uses none", kind->name);
  if (options->disk && (kind->on_gpu || kind->begin))
    return tg_report(cli, TG_EXIT_USAGE, "--disk does not work with %s; measure the disk with --on cpu or --on cores",
                     kind->name);
  if (options->disk && !g_file_test(options->disk, G_FILE_TEST_IS_DIR))
    return tg_report(cli, TG_EXIT_USAGE, "--disk %s: no such folder", options->disk);
  return TG_EXIT_DONE;
}

void tg_executor_warn(const TgCli *cli, const TgMachine *machine) {
  const TgExecutorKind *kind = machine->executor.given ? tg_executor_find(machine->executor.on) : NULL;
  if (kind && kind->unlike_sim)
    tg_report(cli, TG_EXIT_DONE, "warning: --machine %s was measured on %s, %s, unlike in topogemm compare",
              cli->options.machine, kind->name, kind->unlike_sim);
}

bool tg_executor_has_device(const TgExecutorKind *kind, int32_t number) {
  TgDevice device;
  TgError unused;
  return !kind->on_gpu || tg_device_open(number, &device, &unused);
}

TgExit tg_executor_device(const TgCli *cli, const char *command, const TgExecutorKind *kind, int32_t number,
                          TgEnvironment *environment) {
  TgDevice device;
  TgError error;
  if (kind->on_gpu && !tg_device_open(number, &device, &error))
    return tg_report(cli, TG_EXIT_MISSING, "%s: --on %s: %s", command, kind->name, error.message);
  g_autofree char *job = kind->job ? kind->job() : NULL;
  tg_environment_begin(environment, kind->on_gpu ? &device : NULL, job);
  return TG_EXIT_DONE;
}

TgExit tg_device_options(const TgCli *cli, TgExecutorOptions *options) {
  int64_t device = 0;
  TgExit status = tg_number_parse(cli, "--device", cli->options.device, 0, MOST_DEVICES - 1, &device);
  options->device = (int32_t)device;
  if (!status) status = tg_real_parse(cli, "--deadline", cli->options.deadline, least_deadline_s, &options->deadline_s);
  if (!status && options->deadline_s > most_deadline_s)
    status =
        tg_report(cli, TG_EXIT_USAGE, "--deadline %s: expected at most %g s", cli->options.deadline, most_deadline_s);
  return status;
}

static TgExit find_transport(const TgCli *cli, const TgExecutorKind *kind, const char *text, TgTransport *transport) {
  for (size_t t = 0; t < TG_TRANSPORTS; t++) {
    if (strcmp(text, tg_transport_name((TgTransport)t)) != 0) continue;
    *transport = (TgTransport)t;
    if (kind->transports >> t & 1) return TG_EXIT_DONE;
    return tg_report(cli, TG_EXIT_USAGE, "--transport %s: %s does not support it", text, kind->name);
  }
  return tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected copy, pull, load or message", text);
}

TgExit tg_transport_option(const TgCli *cli, const TgExecutorKind *kind, TgTransport *transport) {
  *transport = TG_TRANSPORT_COPY;
  return cli->options.transport ? find_transport(cli, kind, cli->options.transport, transport) : TG_EXIT_DONE;
}

TgExit tg_transports_option(const TgCli *cli, const TgExecutorKind *kind, TgTransport transports[TG_TRANSPORTS],
                            int32_t *count) {
  g_auto(GStrv) texts = g_strsplit(cli->options.transport ? cli->options.transport : "copy", ",", -1);
  TgExit status = *texts ? TG_EXIT_DONE : find_transport(cli, kind, "", &transports[0]);
  *count = 0;
  for (char **text = texts; *text && !status; text++) {
    if (g_strv_contains((const char *const *)text + 1, *text))
      return tg_report(cli, TG_EXIT_USAGE, "--transport %s: %s is given twice", cli->options.transport, *text);
    status = find_transport(cli, kind, *text, &transports[*count]);
    if (!status) *count += 1;
  }
  return status;
}

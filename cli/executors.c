#include "executors.h"
#include "report.h"
#include "suggest.h"

#include "executor-cpu.h"
#include "executors-cuda.h"

#include <string.h>

static const TgExecutorRow rows[] = {
    {.name = "cpu", .kind = &tg_executor_cpu},
    {.name = "threads", .kind = &tg_executor_threads, .on_gpu = true},
    {.name = "clusters", .kind = &tg_executor_clusters, .on_gpu = true, .has_deadline = true},
    {.name = "blocks", .kind = &tg_executor_blocks, .on_gpu = true, .has_deadline = true},
    {.name = "gpus"},
    {.name = "ranks"},
};

const TgExecutorRow *tg_executor_list(size_t *count) {
  *count = G_N_ELEMENTS(rows);
  return rows;
}

/* "cpu, threads, blocks": those of this version. */
static char *names_here(void) {
  GString *text = g_string_new(NULL);
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++)
    if (rows[r].kind) g_string_append_printf(text, "%s%s", text->len ? ", " : "", rows[r].name);
  return g_string_free(text, FALSE);
}

TgExit tg_executor_option(const TgCli *cli, const char *command, const TgExecutorRow **row) {
  const char *name = cli->options.on, *names[G_N_ELEMENTS(rows) + 1] = {NULL};
  g_autofree char *here = names_here();
  if (!name) return tg_report(cli, TG_EXIT_USAGE, "%s: expected --on and what is to execute it: %s", command, here);
  for (size_t r = 0; r < G_N_ELEMENTS(rows); r++) {
    names[r] = rows[r].name;
    if (strcmp(name, rows[r].name) != 0) continue;
    *row = &rows[r];
    if (rows[r].kind) return TG_EXIT_DONE;
    return tg_report(cli, TG_EXIT_MISSING, "--on %s: not in this version, which has %s", name, here);
  }
  const char *nearest = tg_suggest(name, names);
  if (nearest) return tg_report(cli, TG_EXIT_USAGE, "--on %s: no such executor, did you mean `%s`?", name, nearest);
  return tg_report(cli, TG_EXIT_USAGE, "--on %s: no such executor, expected one of %s", name, here);
}

TgExit tg_transport_option(const TgCli *cli, const TgExecutorRow *row, TgTransport *transport) {
  const char *text = cli->options.transport;
  *transport = TG_TRANSPORT_COPY;
  if (!text) return TG_EXIT_DONE;
  for (size_t t = 0; t < TG_TRANSPORTS; t++) {
    if (strcmp(text, tg_transport_name((TgTransport)t)) != 0) continue;
    *transport = (TgTransport)t;
    if (row->kind->transports >> t & 1) return TG_EXIT_DONE;
    return tg_report(cli, TG_EXIT_USAGE, "--transport %s: %s does not have it", text, row->name);
  }
  return tg_report(cli, TG_EXIT_USAGE, "--transport %s: expected copy, pull or load", text);
}

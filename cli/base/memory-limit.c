/* How much memory a command may take. */
#include "memory-limit.h"
#include "terminal.h"

#include "matrix.h"
#include "temporary-names.h"
#include "text-units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
  char letter;
  double bytes;
} units[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};

/* "4G", "4GB", "4e9" */
static bool read_size(const char *text, double *bytes) {
  g_autofree char *number = g_strdup(text);
  size_t length = strlen(number);
  double unit = 1;
  if (length > 1 && g_ascii_toupper(number[length - 1]) == 'B') number[--length] = '\0';
  for (size_t u = 0; u < G_N_ELEMENTS(units) && length > 1; u++)
    if (g_ascii_toupper(number[length - 1]) == units[u].letter) {
      unit = units[u].bytes;
      number[--length] = '\0';
    }
  if (!tg_real_read(number, bytes)) return false;
  *bytes *= unit;
  return *bytes >= 1 && *bytes < 0x1p63;
}

TgExit tg_memory_size_parse(const TgCli *cli, const char *option, const char *text, double *bytes) {
  if (read_size(text, bytes)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected bytes, as in 4G, 500M or 4e9", option, text);
}

TgExit tg_memory_limit_option(TgCli *cli) {
  double bytes = 0;
  if (!cli->options.memory_limit) return TG_EXIT_DONE;
  const TgExit status = tg_memory_size_parse(cli, "--memory-limit", cli->options.memory_limit, &bytes);
  if (!status) cli->memory_limit_bytes = (uint64_t)bytes;
  return status;
}

uint64_t tg_memory_limit(const TgCli *cli) {
  return tg_memory_left_bytes(cli->memory_limit_bytes);
}

/* Rounded up, so that it is enough: "25G". */
static void limit_text(double bytes, char *text, size_t size) {
  size_t u = 1;
  while (u + 1 < G_N_ELEMENTS(units) && bytes >= 10 * units[u + 1].bytes) u++;
  g_snprintf(text, size, "%.0f%c", ceil(bytes / units[u].bytes), units[u].letter);
}

/* "4 GB are available"; a limit of 0 would mean none, so 1 byte stands for nothing */
static void left_text(const TgCli *cli, uint64_t left, char *text, size_t size) {
  const bool some = left > 1;
  g_snprintf(text, size,
             cli->memory_limit_bytes ? "--memory-limit leaves %s"
             : some                  ? "%s are available"
                                     : "%s is available",
             some ? tg_bytes_text((double)left).s : "nothing");
}

TgExit tg_memory_check(const TgCli *cli, const char *what, double need_bytes) {
  return need_bytes <= (double)tg_memory_limit(cli) ? TG_EXIT_DONE : tg_memory_refuse(cli, what, need_bytes);
}

TgExit tg_memory_refuse(const TgCli *cli, const char *what, double need_bytes) {
  enum { OWN_BYTES = 64 << 20 }; /* the program itself; more where results of earlier schedules are kept */
  const uint64_t most = INT64_MAX, now = most - tg_memory_left_bytes(most);
  const double held = 1.03 * (double)now; /* the next run holds a little more or less */
  char left[64], enough[32];
  left_text(cli, tg_memory_limit(cli), left, sizeof left);
  limit_text(need_bytes + fmax(OWN_BYTES, held), enough, sizeof enough);
  return tg_report(
      cli, TG_EXIT_USAGE,
      "%s needs about %s of memory, but %s; make the problem smaller, or give --memory-limit %s to try anyway", what,
      tg_bytes_text(need_bytes).s, left, enough);
}

TgExit tg_memory_check_proof(const TgCli *cli, const TgAlgo *algo, double more_bytes) {
  g_autofree char *what = g_strdup_printf("%s on %s", tg_algo_name(algo), tg_schedule_grid_text(&algo->schedule).s);
  return tg_memory_check(cli, what, tg_state_need_bytes(&algo->schedule) + more_bytes);
}

uint64_t tg_memory_limit_beside(const TgCli *cli, const TgAlgo *algo, double more_bytes) {
  const double left = (double)tg_memory_limit(cli) - tg_state_need_bytes(&algo->schedule) - more_bytes;
  return left > 1 ? (uint64_t)left : 1;
}

/* --- GLib --------------------------------------------------------------------------------------------------------- */

/* GLib and Pango end the process by a signal where the system refuses memory or a thread. Without memory, nothing here
 * takes any: what a signal may do. */
static void end_without_memory(const char *domain, GLogLevelFlags level, const char *message, gpointer unused) {
  static const char words[] = "topogemm: out of memory; use a smaller grid, smaller matrices or fewer steps\n";
  const bool no_memory = errno == ENOMEM;
  (void)domain, (void)level, (void)unused;
  tg_terminal_leave();
  tg_temporary_names_unlink();
  if (!no_memory) {
    fprintf(stderr, "topogemm: the system refused a resource: %s\n", message ? message : "no reason given");
    _exit(TG_EXIT_FAILED);
  }
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(TG_EXIT_FAILED);
  _exit(TG_EXIT_USAGE);
}

void tg_memory_catch_glib(void) {
  g_log_set_handler("GLib", (GLogLevelFlags)(G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL), end_without_memory, NULL);
}

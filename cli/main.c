/* The command: finds the subcommand, parses its options, runs it, and turns what happened into an exit status. */
#include "executors.h"
#include "interrupt.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "report.h"

#include "suggestion.h"

#include "temporary-names.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Keeps files that are opened later off the numbers of closed standard streams. Opened for reading only, so that
 * writing there is still an error. Returns whether standard input was one of them. */
static bool occupy_closed_streams(void) {
  const bool input_closed = fcntl(STDIN_FILENO, F_GETFD) < 0 && errno == EBADF;
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
    if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDONLY) < 0) break;
  return input_closed;
}

/* A prediction allocates arrays of a node each and frees them, round after round. By default glibc returns their pages
 * every time, and a prediction for 65536 nodes takes up to 1.5 times as long. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

/* Removes temporary files and the progress line, and then lets the signal end the program. */
static void end_by_signal(int number) {
  tg_temporary_names_unlink();
  tg_progress_clear_by_signal();
  signal(number, SIG_DFL);
  raise(number);
}

/* A pipe without a reader and a file beyond `ulimit -f` are failed writes, which are reported as any other. */
static void prepare_signals(void) {
  static const int deadly[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
  struct sigaction action = {.sa_handler = end_by_signal}, old;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
  sigfillset(&action.sa_mask);
  for (size_t s = 0; s < G_N_ELEMENTS(deadly); s++)
    if (sigaction(deadly[s], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(deadly[s], &action, NULL);
}

static TgExit unknown_command(const TgCli *cli, const char *name) {
  if (name[0] == '-')
    return tg_report(cli, TG_EXIT_USAGE, "%s: put the subcommand first, as in `topogemm list`; see `topogemm --help`",
                     name);
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (const TgCommand *const *command = tg_commands; *command; command++) tg_suggestion_try(&meant, (*command)->name);
  tg_suggestion_try(&meant, "help");
  if (meant.nearest)
    return tg_report(cli, TG_EXIT_USAGE, "no subcommand `%s`; did you mean `%s`?", name, meant.nearest);
  return tg_report(cli, TG_EXIT_USAGE, "no subcommand `%s`; see `topogemm --help`", name);
}

static TgExit check_arguments(const TgCli *cli, const TgCommand *command) {
  int count = cli->options.arguments ? (int)g_strv_length(cli->options.arguments) : 0;
  if (count > command->arguments_max)
    return tg_report(cli, TG_EXIT_USAGE, "%s: `%s` is one argument too many; see `topogemm %s --help`", command->name,
                     cli->options.arguments[command->arguments_max], command->name);
  if (count < command->arguments_min)
    return tg_report(cli, TG_EXIT_USAGE, "%s: expected %s; see `topogemm %s --help`", command->name, command->arguments,
                     command->name);
  return TG_EXIT_DONE;
}

/* Drawing takes up to 192 KiB of stack, and SIGSEGV ends a program that takes more than the limit. The kernel checks
 * the limit when the stack grows, so it can still be raised here, up to the hard limit. */
static TgExit check_stack(const TgCli *cli) {
  enum { LEAST = 256 << 10, ENOUGH = 1 << 20 };
  struct rlimit stack;
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= ENOUGH) return TG_EXIT_DONE;
  stack.rlim_cur = MIN(ENOUGH, stack.rlim_max);
  if (setrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur >= LEAST) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE,
                   "the stack is limited to %d KiB, but at least %d KiB are needed; raise the limit (ulimit -s)",
                   (int)(stack.rlim_cur >> 10), LEAST >> 10);
}

/* A wrong product, or one beyond a tolerance, is a result, too. */
static bool has_result(TgExit status) {
  return status == TG_EXIT_DONE || status == TG_EXIT_WRONG || status == TG_EXIT_TOLERANCE;
}

static TgExit commit(TgCli *cli, TgExit status) {
  const TgExit written = tg_output_files_commit(cli);
  return written ? written : status;
}

static TgExit run_command(TgCli *cli, const TgCommand *command, int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  bool parsed = tg_options_parse(&cli->options, command->options, argc, argv, &error);
  bool colour = tg_output_init(cli);
  if (!parsed)
    return tg_report(cli, TG_EXIT_USAGE, "%s: %s; see `topogemm %s --help`", command->name, error->message,
                     command->name);
  if (!colour) return tg_report(cli, TG_EXIT_USAGE, "--color %s: expected auto, always or never", cli->options.color);
  if (cli->options.help) {
    tg_help_print(cli, command);
    return TG_EXIT_DONE;
  }
  TgExit status = tg_executor_begin(cli, command->ranks_write);
  if (!status) status = check_arguments(cli, command);
  cli->command = command;
  if (!status) status = check_stack(cli);
  if (!status) status = tg_output_files_distinct(cli, NULL);
  if (!status) status = tg_memory_limit_option(cli);
  if (!status) status = command->run(cli);
  return has_result(status) ? commit(cli, status) : status;
}

static TgExit help(TgCli *cli, int argc, char **argv) {
  const TgCommand *command = NULL;
  if (argc > 3) return tg_report(cli, TG_EXIT_USAGE, "help: `%s` is one argument too many", argv[3]);
  bool named = argc == 3 && argv[2][0] != '-' && strcmp(argv[2], "help") != 0;
  if (named && !(command = tg_command_find(argv[2]))) return unknown_command(cli, argv[2]);
  tg_help_print(cli, command);
  return TG_EXIT_DONE;
}

static TgExit dispatch(TgCli *cli, int argc, char **argv) {
  tg_output_init(cli);
  if (argc < 2) {
    tg_help_print(cli, NULL);
    return TG_EXIT_DONE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
    return help(cli, argc, argv);
  if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0) {
    tg_version_print(cli);
    return TG_EXIT_DONE;
  }
  const TgCommand *command = tg_command_find(argv[1]);
  return command ? run_command(cli, command, argc - 1, argv + 1) : unknown_command(cli, argv[1]);
}

int main(int argc, char **argv) {
  TgCli cli = {.schedules = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_bytes_unref)};
  cli.input_closed = occupy_closed_streams();
  prepare_signals();
  keep_freed_memory();
  tg_memory_catch_glib();
  setlocale(LC_CTYPE, "");
  TgExit status = dispatch(&cli, argc, argv);
  status = tg_output_finish(&cli, status);
  tg_output_files_clear(&cli);
  tg_executor_end(&cli, status);
  tg_options_clear(&cli.options);
  g_hash_table_unref(cli.schedules);
  tg_interrupt_obey();
  return (int)status;
}

#include "output-files.h"
#include "problem.h"

#include "atomic-file.h"

#include <glib/gstdio.h>
#include <string.h>

/* By name, and where both are there, through links, too. Devices and pipes may be read and written. */
static bool is_same(const char *one, const char *other) {
  GStatBuf first, second;
  g_autofree char *whole = g_canonicalize_filename(one, NULL);
  g_autofree char *other_whole = g_canonicalize_filename(other, NULL);
  if (strcmp(whole, other_whole) == 0) return true;
  return g_stat(one, &first) == 0 && g_stat(other, &second) == 0 && S_ISREG(first.st_mode) &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* `option` has a space after it, or is "" for an argument. */
static TgExit check_input(const TgCli *cli, const char *option, const char *input) {
  const char *const outputs[] = {cli->options.output, cli->options.trace, cli->options.c};
  for (size_t i = 0; i < G_N_ELEMENTS(outputs); i++)
    if (input && outputs[i] && is_same(input, outputs[i]))
      return tg_report(
          cli, TG_EXIT_USAGE,
          "%s%s: this is the file of the output %s, and would be overwritten; give the output another name", option,
          input, outputs[i]);
  return TG_EXIT_DONE;
}

static TgExit check_inputs(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  TgExit status = check_input(cli, "--a ", options->a);
  if (!status) status = check_input(cli, "--b ", options->b);
  if (!status) status = check_input(cli, "--machine ", options->machine);
  for (char **algo = options->arguments; algo && *algo && !status; algo++)
    if (tg_problem_is_path(*algo)) status = check_input(cli, "", *algo);
  return status;
}

TgExit tg_output_files_distinct(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  const char *const names[] = {"-o", "--trace", "--c"};
  const char *const files[] = {options->output, options->trace, options->c};
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
    for (size_t j = 0; j < i; j++)
      if (files[i] && files[j] && is_same(files[i], files[j]))
        return tg_report(cli, TG_EXIT_USAGE, "%s and %s: both would write %s", names[j], names[i], files[i]);
  return check_inputs(cli);
}

static TgExit check_possible(const TgCli *cli) {
  const char *const paths[] = {cli->options.output, cli->options.trace, cli->options.c};
  GError *error = NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(paths); i++)
    if (paths[i] && !tg_atomic_file_check(paths[i], &error)) return tg_report_error(cli, error);
  return TG_EXIT_DONE;
}

TgExit tg_output_files_check(const TgCli *cli) {
  const char *path = cli->options.trace;
  if (path && !g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "--trace %s: expected a name that ends in .json", path);
  return check_possible(cli);
}

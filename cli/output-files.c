#include "output-files.h"
#include "report.h"

#include "atomic-file.h"

#include <string.h>

/* One file for two things would have the last one only. Links are not followed. */
static TgExit check_distinct(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  const char *const names[] = {"-o", "--trace", "--c"};
  const char *const files[] = {options->output, options->trace, options->c};
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++)
    for (size_t j = 0; j < i; j++) {
      if (!files[i] || !files[j]) continue;
      g_autofree char *one = g_canonicalize_filename(files[i], NULL);
      g_autofree char *other = g_canonicalize_filename(files[j], NULL);
      if (strcmp(one, other) == 0)
        return tg_report(cli, TG_EXIT_USAGE, "%s and %s: both would write %s", names[j], names[i], files[i]);
    }
  return TG_EXIT_DONE;
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
  const TgExit distinct = check_distinct(cli);
  if (distinct) return distinct;
  if (path && !g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "--trace %s: expected a name that ends in .json", path);
  return check_possible(cli);
}

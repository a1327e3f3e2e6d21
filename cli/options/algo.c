#include "algo.h"
#include "memory-limit.h"

#include "algo-library.h"
#include "input-bytes.h"
#include "suggestion.h"

#include <string.h>

enum { LIMIT_BYTES = 1 << 20 }; /* of a schedule's text; real ones are below 4 KiB */

void tg_problem_clear(TgProblem *problem) {
  g_clear_pointer(&problem->bytes, g_bytes_unref);
  g_clear_pointer(&problem->path, g_free);
}

static TgExit unknown_name(const TgCli *cli, const char *algo) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgSuggestion meant = tg_suggestion_for(algo, strlen(algo));
  for (size_t i = 0; i < count; i++) tg_suggestion_try(&meant, entries[i].name);
  if (g_file_test(algo, G_FILE_TEST_IS_REGULAR))
    return tg_report(cli, TG_EXIT_USAGE, "no schedule `%s` in the library; for the file here, write ./%s", algo, algo);
  if (meant.nearest)
    return tg_report(cli, TG_EXIT_USAGE, "no schedule `%s` in the library, did you mean `%s`?", algo, meant.nearest);
  return tg_report(
      cli, TG_EXIT_USAGE,
      "no schedule `%s` in the library (see `topogemm list algorithms`; a file's path has a / or ends in .sched)",
      algo);
}

static TgExit read_file(const TgCli *cli, TgProblem *problem, const char *path) {
  GError *error = NULL;
  bool standard_input = strcmp(path, "-") == 0;
  problem->bytes = tg_input_bytes_read(standard_input ? "/dev/stdin" : path, LIMIT_BYTES, &error);
  if (!problem->bytes) return tg_report_error(cli, error);
  problem->path = g_strdup(standard_input ? "<stdin>" : path);
  problem->source.name = problem->path;
  problem->source.text = g_bytes_get_data(problem->bytes, &problem->source.length);
  if (!problem->source.text) problem->source.text = "";
  return TG_EXIT_DONE;
}

bool tg_problem_is_path(const char *algo) {
  return strchr(algo, '/') || g_str_has_suffix(algo, ".sched");
}

TgExit tg_problem_read(const TgCli *cli, TgProblem *problem, const char *algo) {
  if (tg_problem_is_path(algo) || strcmp(algo, "-") == 0) return read_file(cli, problem, algo);
  const TgLibraryEntry *entry = tg_library_find(algo);
  if (!entry) return unknown_name(cli, algo);
  problem->path = g_strdup_printf("algo/%s.sched", entry->name);
  problem->source = (TgSource){problem->path, entry->text, entry->length};
  return TG_EXIT_DONE;
}

TgExit tg_problem_report(const TgCli *cli, const TgProblem *problem, const TgError *error) {
  if (error->line > 0)
    return tg_report_at(cli, TG_EXIT_USAGE, &problem->source, error->line, error->column, error->message);
  return tg_report_at(cli, TG_EXIT_USAGE, &problem->source, 0, 0, error->message);
}

TgExit tg_problem_parse(const TgCli *cli, TgProblem *problem, const char *algo) {
  TgError error = {0};
  TgExit status = tg_problem_read(cli, problem, algo);
  if (status) return status;
  if (tg_schedule_parse(&problem->schedule, &problem->names, problem->source.text, problem->source.length, &error))
    return TG_EXIT_DONE;
  return tg_problem_report(cli, problem, &error);
}

const char *tg_problem_name(const TgProblem *problem) {
  return tg_name(&problem->names, problem->names.title);
}

const char *tg_problem_display_name(const TgProblem *problem) {
  return tg_name(&problem->names, problem->names.display);
}

static TgExit set_option(const TgCli *cli, TgBindings *bindings, const char *text) {
  const char *sign = strchr(text, '=');
  TgError error = {0};
  int64_t value = 0;
  if (!sign || sign == text)
    return tg_report(cli, TG_EXIT_USAGE, "--set %s: expected a parameter and its value, as in --set c=2", text);
  TgExit status = tg_number_parse(cli, "--set", sign + 1, INT64_MIN, INT64_MAX, &value);
  if (status) return status;
  g_autofree char *name = g_strndup(text, (gsize)(sign - text));
  if (tg_bindings_set(bindings, name, value, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--set %s: %s", text, error.message);
}

TgExit tg_problem_bindings(const TgCli *cli, TgBindings *bindings) {
  TgError error = {0};
  const TgOptions *options = &cli->options;
  if (options->grid && !tg_bindings_grid(bindings, options->grid, &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  TgExit status = TG_EXIT_DONE;
  for (char **text = options->set; text && *text && !status; text++) status = set_option(cli, bindings, *text);
  return status;
}

TgExit tg_algo_open(const TgCli *cli, TgProblem *problem) {
  TgBindings bindings = {0};
  TgError error = {0};
  TgExit status = tg_problem_parse(cli, problem, cli->options.arguments[0]);
  if (!status) status = tg_problem_bindings(cli, &bindings);
  if (status) return status;
  if (tg_schedule_bind(&problem->schedule, &problem->names, &bindings, &error))
    return tg_memory_check_proof(cli, problem, 0);
  return tg_problem_report(cli, problem, &error);
}

TgExit tg_problem_report_failure(const TgCli *cli, const TgProblem *problem, const TgError *failure) {
  char grid[48];
  if (failure->cause == TG_CAUSE_MEMORY)
    return tg_report(cli, TG_EXIT_USAGE, "%s: %s", problem->source.name, failure->message);
  tg_schedule_grid_text(&problem->schedule, grid, sizeof grid);
  g_autofree char *message = g_strdup_printf("%s (on %s)", failure->message, grid);
  return tg_report_at(cli, TG_EXIT_WRONG, &problem->source, failure->line, failure->column, message);
}

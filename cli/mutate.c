/* topogemm mutate: an exercise, a schedule with one wrong edit, and the answer beside it. */
#include "output.h"
#include "problem.h"

#include "atomic-file.h"
#include "mutate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without --grid, every parameter that needs a value gets the first of these that the schedule is made for. */
static const int64_t tried[] = {4, 3, 2, 5, 6, 8, 1};

static bool bind_all(TgProblem *problem, const TgBindings *given, int64_t value, TgBindings *bindings) {
  *bindings = *given;
  for (int p = 0; p < problem->schedule.parameters; p++) {
    const char *name = tg_name(&problem->names, problem->names.parameter[p]);
    bool named = problem->schedule.parameter_kind[p] > TG_PARAMETER_SET;
    for (int i = 0; i < given->count && !named; i++) named = strcmp(given->set[i].name, name) == 0;
    if (!named && !tg_bindings_set(bindings, name, value, NULL)) return false;
  }
  return tg_schedule_bind(&problem->schedule, &problem->names, bindings, NULL);
}

static TgExit find_bindings(const TgCli *cli, TgProblem *problem, TgBindings *bindings) {
  TgBindings given = {0};
  TgError error = {0};
  TgExit status = tg_problem_bindings(cli, &given);
  if (status) return status;
  *bindings = given;
  if (tg_schedule_bind(&problem->schedule, &problem->names, bindings, &error)) return TG_EXIT_DONE;
  if (given.dims) return tg_problem_report(cli, problem, &error);
  for (size_t i = 0; i < G_N_ELEMENTS(tried); i++)
    if (bind_all(problem, &given, tried[i], bindings)) return TG_EXIT_DONE;
  return tg_problem_report(cli, problem, &error);
}

/* exercise.sched: exercise.answer */
static char *answer_path(const char *output) {
  const char *name = strrchr(output, '/'), *dot = strrchr(name ? name : output, '.');
  return g_strdup_printf("%.*s.answer", (int)(dot ? (gsize)(dot - output) : strlen(output)), output);
}

static bool is_extent(const TgProblem *problem, const char *name) {
  for (int p = 0; p < problem->schedule.parameters; p++)
    if (strcmp(tg_name(&problem->names, problem->names.parameter[p]), name) == 0)
      return problem->schedule.parameter_kind[p] == TG_PARAMETER_GRID;
  return false;
}

static char *command_text(const TgProblem *problem, const TgBindings *bindings, const char *output) {
  char grid[48];
  tg_schedule_grid_text(&problem->schedule, grid, sizeof grid);
  GString *text = g_string_new(NULL);
  bool path = strchr(output, '/') || g_str_has_suffix(output, ".sched");
  g_string_append_printf(text, "topogemm verify %s%s --grid %s", path ? "" : "./", output, grid);
  for (int i = 0; i < bindings->count; i++)
    if (!is_extent(problem, bindings->set[i].name))
      g_string_append_printf(text, " --set %s=%" PRId64, bindings->set[i].name, bindings->set[i].value);
  return g_string_free(text, FALSE);
}

static char *answer_text(const TgMutation *mutation, const TgProof *proof, const char *command) {
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "Line %d: %s.\n\n", mutation->line, mutation->kind);
  g_string_append_printf(text, "It was:  %s\n", mutation->before);
  g_string_append_printf(text, "It is:   %s\n\n", *mutation->after ? mutation->after : "(gone)");
  g_string_append_printf(text, "%s\nsays: %s\n", command, proof->failure.message);
  return g_string_free(text, FALSE);
}

/* What goes wrong here, the commit says. */
static void put(TgAtomicFile *file, const char *text) {
  if (file) fputs(text, tg_atomic_file_stream(file));
}

static TgExit write_both(TgCli *cli, const char *exercise, const char *answer, const char *command) {
  GError *error = NULL;
  const char *output = cli->options.output;
  g_autofree char *path = answer_path(output);
  g_autoptr(TgAtomicFile) first = tg_atomic_file_begin(path, &error);
  g_autoptr(TgAtomicFile) second = first ? tg_atomic_file_begin(output, &error) : NULL;
  put(first, answer);
  put(second, exercise);
  if (!second || !tg_atomic_file_commit(first, &error) || !tg_atomic_file_commit(second, &error))
    return tg_report_error(cli, error);
  if (!cli->options.quiet)
    tg_print(cli, "%s has one wrong edit; find it, then see %s\n%s rejects it\n", output, path, command);
  return TG_EXIT_DONE;
}

/* The answer, which is beside it, must not overwrite the exercise. */
static TgExit check_output(const TgCli *cli) {
  const char *output = cli->options.output;
  if (!output) return tg_report(cli, TG_EXIT_USAGE, "mutate: expected -o FILE, as in -o exercise.sched");
  if (g_str_has_suffix(output, ".answer"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: the answer takes this name; expected one as in -o exercise.sched",
                     output);
  return TG_EXIT_DONE;
}

static TgExit run(TgCli *cli) {
  g_auto(TgProblem) problem = {0};
  TgBindings bindings;
  TgMutation mutation;
  TgProof proof;
  TgError error = {0};
  int64_t seed = 1;
  TgExit status = check_output(cli);
  if (!status) status = tg_problem_parse(cli, &problem, cli->options.arguments[0]);
  if (!status) status = find_bindings(cli, &problem, &bindings);
  if (!status && cli->options.seed) status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &seed);
  if (status) return status;
  char *exercise =
      tg_mutate_wrong(problem.source.text, problem.source.length, &bindings, (uint64_t)seed, &mutation, &proof, &error);
  if (!exercise) return tg_problem_report(cli, &problem, &error);
  g_autofree char *command = command_text(&problem, &bindings, cli->options.output);
  g_autofree char *answer = answer_text(&mutation, &proof, command);
  status = write_both(cli, exercise, answer, command);
  free(exercise);
  return status;
}

static const char *const options[] = {"seed", "grid", "set", "output", "quiet", NULL};
static const TgExample examples[] = {
    {"mutate cannon --seed 7 -o exercise.sched", "an exercise; the answer is in exercise.answer"},
    {"mutate dns --grid 2x2x2 --seed 3 -o dns-exercise.sched", "one that fails on a small cube"},
    {"mutate summa-panels --grid 4x4 --set b=2 -o panels.sched", "with a parameter"},
    {NULL, NULL},
};

const TgCommand tg_command_mutate = {
    .name = "mutate",
    .arguments = "ALGO",
    .summary = "make an exercise: a copy with one wrong edit, and the answer",
    .details =
        "The same seed gives the same exercise. `topogemm verify` rejects it at the grid that is printed; without "
        "--grid, a small one is chosen.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

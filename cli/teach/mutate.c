/* topogemm mutate: an exercise, a schedule with one wrong edit, and the answer beside it. */
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"
#include "small-grid.h"

#include "mutate.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* exercise.sched: exercise.answer */
static char *answer_path(const char *output) {
  const char *name = strrchr(output, '/'), *dot = strrchr(name ? name : output, '.');
  return g_strdup_printf("%.*s.answer", (int)(dot ? (gsize)(dot - output) : strlen(output)), output);
}

static bool is_extent(const TgAlgo *algo, const char *name) {
  for (int p = 0; p < algo->schedule.parameters; p++)
    if (strcmp(tg_name(&algo->names, algo->names.parameter[p]), name) == 0)
      return algo->schedule.parameter_kind[p] == TG_PARAMETER_GRID;
  return false;
}

/* The name of the exercise's file for a shell and `verify`: "./" before a name that `verify` would not take for a path
 * or that looks like an option, and quotes if a character is special to a shell. */
static char *shell_word(const char *output) {
  static const char plain[] = "_-+=.,:/@%";
  const bool path = output[0] != '-' && (strchr(output, '/') || g_str_has_suffix(output, ".sched"));
  g_autofree char *name = g_strconcat(path ? "" : "./", output, NULL), *shown = tg_printable(name, "");
  for (const char *at = shown; *at; at++)
    if ((unsigned char)*at < 0x80 && !g_ascii_isalnum(*at) && !strchr(plain, *at)) return g_shell_quote(shown);
  return g_steal_pointer(&shown);
}

static char *command_text(const TgAlgo *algo, const TgBindings *bindings, const char *output) {
  GString *text = g_string_new(NULL);
  g_autofree char *word = shell_word(output);
  g_string_append_printf(text, "topogemm verify %s --grid %s", word, tg_schedule_grid_text(&algo->schedule).s);
  for (int i = 0; i < bindings->count; i++)
    if (!is_extent(algo, bindings->set[i].name))
      g_string_append_printf(text, " --set %s=%" PRId64, bindings->set[i].name, bindings->set[i].value);
  return g_string_free(text, FALSE);
}

/* An answer is known by its first line, which names the exercise. */
static char *answer_title(const char *output) {
  g_autofree char *name = g_path_get_basename(output), *shown = tg_printable(name, "");
  return g_strdup_printf("The answer to %s, written by topogemm mutate.\n", shown);
}

static char *answer_text(const char *title, const TgMutation *mutation, const TgProof *proof, const char *command) {
  GString *text = g_string_new(title);
  g_string_append_printf(text, "\nLine %d: %s.\n\n", mutation->line, mutation->kind);
  g_string_append_printf(text, "It was:  %s\n", mutation->before);
  g_string_append_printf(text, "It is:   %s\n\n", *mutation->after ? mutation->after : "(removed)");
  g_string_append_printf(text,
                         "%s\n"
                         "reports: %s\n",
                         command, proof->failure.message);
  return g_string_free(text, FALSE);
}

static TgExit write_both(TgCli *cli, const char *exercise, const char *answer, const char *command) {
  const char *output = cli->options.output;
  g_autofree char *path = answer_path(output), *name = tg_printable(output, ""), *answer_name = tg_printable(path, "");
  TgExit status = tg_output_file_write(cli, path, answer, strlen(answer));
  if (!status) status = tg_output_file_write(cli, output, exercise, strlen(exercise));
  if (!cli->options.quiet)
    tg_output_files_say(cli, g_strdup_printf("%s has one wrong edit; find it, then see %s\n%s rejects it\n", name,
                                             answer_name, command));
  return status;
}

/* Whether `path` is free, or an answer that this command wrote to the same exercise before. */
static bool is_replaceable(const char *path, const char *title) {
  GStatBuf status;
  if (g_lstat(path, &status) != 0) return true;
  const size_t length = strlen(title);
  g_autofree char *start = g_malloc0(length + 1);
  FILE *file = g_stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rbe") : NULL;
  if (!file) return false;
  const bool ours = fread(start, 1, length, file) == length && memcmp(start, title, length) == 0;
  fclose(file);
  return ours;
}

/* The answer is written beside the exercise, under a name that the command line does not say. */
static TgExit check_answer(const TgCli *cli, const char *output) {
  g_autofree char *path = answer_path(output), *title = answer_title(output);
  const TgExit status = tg_output_files_distinct(cli, (const char *const[]){path, NULL});
  if (status || is_replaceable(path, title)) return status;
  return tg_report(cli, TG_EXIT_USAGE,
                   "%s exists and was not written by an earlier `mutate -o %s`; move it, or give -o another name", path,
                   output);
}

static TgExit check_output(const TgCli *cli) {
  const char *output = cli->options.output;
  GStatBuf status;
  if (!output) return tg_report(cli, TG_EXIT_USAGE, "mutate: expected -o FILE, as in -o exercise.sched");
  if (!*output || strcmp(output, "-") == 0 || g_str_has_suffix(output, ".answer"))
    return tg_report(
        cli, TG_EXIT_USAGE,
        "-o %s: expected a file name, as in -o exercise.sched; the answer goes to a second file, exercise.answer",
        output);
  if (g_stat(output, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a file; the answer goes to a second file in the same folder",
                     output);
  return check_answer(cli, output);
}

/* The total of the progress line counts two proofs: of the schedule, and of an edit, which takes about as long. */
static char *make_exercise(TgCli *cli, const TgAlgo *algo, const TgBindings *bindings, uint64_t seed,
                           TgMutation *mutation, TgProof *proof, TgError *error) {
  TgProgressLine line;
  tg_progress_begin(&line, cli, "mutate", 2 * tg_walk_count_statements(&algo->schedule, &algo->names));
  char *exercise = tg_mutate_wrong(algo->source.text, algo->source.length, bindings, seed, TG_MUTATION_ANY, &line.watch,
                                   mutation, proof, error);
  tg_progress_end(cli);
  return exercise;
}

static TgExit run(TgCli *cli) {
  g_auto(TgAlgo) algo = {0};
  TgBindings bindings;
  TgMutation mutation;
  TgProof proof;
  TgError error = {0};
  uint64_t seed;
  TgExit status = check_output(cli);
  if (!status) status = tg_algo_parse(cli, &algo, cli->options.arguments[0]);
  if (!status) status = tg_small_grid(cli, &algo, &bindings);
  if (!status) status = tg_memory_check_proof(cli, &algo, 0);
  if (!status) status = tg_seed_option(cli, &seed);
  if (status) return status;
  char *exercise = make_exercise(cli, &algo, &bindings, seed, &mutation, &proof, &error);
  if (!exercise) return tg_algo_report(cli, &algo, &error);
  g_autofree char *command = command_text(&algo, &bindings, cli->options.output);
  g_autofree char *title = answer_title(cli->options.output);
  g_autofree char *answer = answer_text(title, &mutation, &proof, command);
  g_autofree char *text = g_strconcat(exercise, g_str_has_suffix(exercise, "\n") ? "" : "\n", NULL);
  free(exercise);
  status = write_both(cli, text, answer, command);
  return status;
}

static const char *const options[] = {"seed", "grid", "set", "output", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"mutate cannon --seed 7 -o exercise.sched", "an exercise; the answer is in exercise.answer"},
    {"mutate dns --grid 2x2x2 --seed 3 -o dns-exercise.sched", "one that fails on a small cube"},
    {"mutate summa-panels --grid 4x4 --set b=2 -o panels.sched", "with a parameter"},
    {NULL, NULL},
};

const TgCommand tg_command_mutate = {
    .name = "mutate",
    .arguments = "ALGO",
    .summary = "make an exercise: a copy of a schedule with one wrong edit, and the answer",
    .details =
        "The same seed gives the same exercise. `topogemm verify` rejects it on the given grid (default: a small grid, "
        "which is printed).\n"
        "The answer goes to a second file: -o exercise.sched also writes exercise.answer. It replaces an earlier "
        "answer to the same exercise. If another file has that name, it is kept and the command exits with 2.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

/* topogemm exercise: handouts with one wrong edit each, and the answers apart. */
#include "answer.h"
#include "interrupt.h"
#include "machine-option.h"
#include "memory-limit.h"
#include "output.h"
#include "progress.h"
#include "small-grid.h"

#include "atomic-file.h"
#include "counter-random.h"
#include "disguise.h"
#include "mutate.h"
#include "page.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000, OTHER_GRIDS = 2, TRIES = 200 };

typedef struct TgExercises {
  TgCli *cli;
  TgAlgo source;
  TgBindings bindings; /* of the source */
  int64_t level, count, done;
  uint64_t seed;
  GHashTable *edits; /* numbers of the edits so far */
  bool repeats;      /* some exercises have the same edit, since no other was found */
  TgMachine machine;
  char *machine_text, *handout, *answers; /* folders */
  GPtrArray *made;                        /* paths of files and folders that were not there before, in this order */
} TgExercises;

/* One of them. */
typedef struct TgExercise {
  char name[32];
  TgAlgo right, wrong;
  TgBindings bindings;
  TgMutation mutation;
  TgProof proof;
} TgExercise;

static void exercise_clear(TgExercise *one) {
  tg_algo_clear(&one->right);
  tg_algo_clear(&one->wrong);
}

/* Parses and takes a text from malloc(). */
static bool take_text(TgAlgo *algo, char *text, const char *name, TgError *error) {
  algo->bytes = g_bytes_new_with_free_func(text, strlen(text), free, text);
  algo->source = (TgSource){.name = name, .text = text, .length = strlen(text)};
  return tg_schedule_parse(&algo->schedule, &algo->names, text, strlen(text), error);
}

/* The source's parameters have other names in its disguise, in the same order. */
static bool carry_bindings(const TgExercises *all, TgExercise *one, TgError *error) {
  const TgSchedule *schedule = &all->source.schedule;
  one->bindings = (TgBindings){0};
  if (!tg_bindings_grid(&one->bindings, tg_schedule_grid_text(schedule).s, error)) return false;
  for (int i = 0; i < all->bindings.count; i++)
    for (int p = 0; p < schedule->parameters; p++)
      if (schedule->parameter_kind[p] != TG_PARAMETER_GRID &&
          strcmp(all->bindings.set[i].name, tg_name(&all->source.names, all->source.names.parameter[p])) == 0 &&
          !tg_bindings_set(&one->bindings, tg_name(&one->right.names, one->right.names.parameter[p]),
                           all->bindings.set[i].value, error))
        return false;
  return tg_schedule_bind(&one->right.schedule, &one->right.names, &one->bindings, error);
}

static bool make_named(const TgExercises *all, TgExercise *one, uint64_t seed, const TgWatch *watch, TgError *error) {
  const TgSource *source = &all->source.source;
  char *right = tg_disguise(source->text, source->length, one->name, seed, error);
  if (!right || !take_text(&one->right, right, one->name, error) || !carry_bindings(all, one, error)) return false;
  char *wrong = tg_mutate_wrong(right, strlen(right), &one->bindings, seed, (TgMutationLevel)all->level, watch,
                                &one->mutation, &one->proof, error);
  return wrong && take_text(&one->wrong, wrong, one->name, error) &&
         tg_schedule_bind(&one->wrong.schedule, &one->wrong.names, &one->bindings, error);
}

/* The name is a hash of the text and the index of the exercise, so that it does not reveal the seed: anyone who knows
 * the seed can generate the answer. */
static bool make(const TgExercises *all, TgExercise *one, uint64_t seed, const TgWatch *watch, TgError *error) {
  TgExercise unnamed = {.name = "exercise"};
  const bool made = make_named(all, &unnamed, seed, watch, error);
  if (made) {
    g_autofree char *text = g_strdup_printf("%" PRId64 " %s", all->done, unnamed.wrong.source.text);
    g_autofree char *number = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    g_snprintf(one->name, sizeof one->name, "exercise-%.8s", number);
  }
  exercise_clear(&unnamed);
  return made && make_named(all, one, seed, watch, error);
}

/* Of all but the parameters that are extents: "b=2". */
static GPtrArray *set_of(const TgBindings *bindings) {
  GPtrArray *set = g_ptr_array_new_with_free_func(g_free);
  for (int i = 0; i < bindings->count; i++)
    g_ptr_array_add(set, g_strdup_printf("%s=%" PRId64, bindings->set[i].name, bindings->set[i].value));
  g_ptr_array_add(set, NULL);
  return set;
}

static TgExit write_file(const TgExercises *all, const char *folder, const char *name, const char *suffix,
                         const char *bytes, size_t size) {
  g_autofree char *file = g_strconcat(name, suffix, NULL), *path = g_build_filename(folder, file, NULL);
  GError *error = NULL;
  const bool is_new = !g_file_test(path, G_FILE_TEST_EXISTS);
  if (!tg_atomic_file_write(path, bytes, size, &error)) return tg_report_error(all->cli, error);
  if (is_new) g_ptr_array_add(all->made, g_strdup(path));
  return TG_EXIT_DONE;
}

static const char task[] = "One line of this schedule is wrong, missing or there twice. Find and repair it. The lines "
                           "down to the last `place` are right; leave them as they are.";

static TgExit write_page(const TgExercises *all, const TgExercise *one) {
  g_autoptr(GPtrArray) set = set_of(&one->bindings);
  const TgText grid = tg_schedule_grid_text(&one->wrong.schedule);
  TgTopology network;
  TgEmbedding embedding;
  GError *error = NULL;
  TgExit status = tg_network_option(all->cli, NULL, &one->wrong.schedule, &network, &embedding);
  if (status) return status;
  const TgDrawOptions options = {.topology = &network, .embedding = &embedding};
  const TgPageSchedule schedule = {.schedule = &one->wrong.schedule,
                                   .names = &one->wrong.names,
                                   .options = &options,
                                   .text = one->wrong.source.text,
                                   .length = one->wrong.source.length,
                                   .grid = grid.s,
                                   .set = (const char *const *)set->pdata,
                                   .task = task};
  const TgPageOptions page = {.m = 4096,
                              .n = 4096,
                              .k = 4096,
                              .element_bytes = (int32_t)tg_element_bytes(TG_F32),
                              .machine = all->machine_text};
  g_autoptr(GBytes) file = tg_page_html(&schedule, 1, &page, &error);
  if (!file) return tg_report_error(all->cli, error);
  gsize size;
  const char *bytes = g_bytes_get_data(file, &size);
  return write_file(all, all->handout, one->name, ".html", bytes, size);
}

static GPtrArray *grids_of(TgExercise *one) {
  GPtrArray *grids = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(grids, g_strdup(tg_schedule_grid_text(&one->wrong.schedule).s));
  tg_other_small_grids(&one->right, &one->bindings, OTHER_GRIDS, grids);
  g_ptr_array_add(grids, NULL);
  return grids;
}

/* What students may have in their hands is not replaced by another exercise of the same name. */
static TgExit check_free(const TgExercises *all, const char *name, const char *answer) {
  g_autofree char *file = g_strconcat(name, ".answer", NULL), *path = g_build_filename(all->answers, file, NULL);
  g_autofree char *old = NULL;
  if (!g_file_get_contents(path, &old, NULL, NULL) || strcmp(old, answer) == 0) return TG_EXIT_DONE;
  return tg_report(all->cli, TG_EXIT_USAGE,
                   "%s answers another exercise; choose another --seed, or another folder with -o", path);
}

static TgExit write_answer(const TgExercises *all, TgExercise *one, uint64_t seed) {
  g_autoptr(GPtrArray) grids = grids_of(one), set = set_of(&one->bindings);
  const TgAnswer answer = {.name = one->name, .grids = (char **)grids->pdata, .set = (char **)set->pdata};
  const char *after = one->mutation.after;
  const bool twice = strcmp(one->mutation.before, after) == 0;
  g_autofree char *is = *after ? g_strconcat(after, twice ? " (twice)" : "", NULL) : g_strdup("(removed)");
  const TgAnswerFacts facts = {.algorithm = tg_algo_name(&all->source),
                               .seed = seed,
                               .level = (int)all->level,
                               .line = one->mutation.line,
                               .kind = one->mutation.kind,
                               .was = one->mutation.before,
                               .is = is,
                               .reports = one->proof.failure.message};
  g_autofree char *text = tg_answer_text(&answer, &facts);
  TgExit status = check_free(all, one->name, text);
  if (!status) status = write_file(all, all->answers, one->name, ".answer", text, strlen(text));
  if (!status)
    status = write_file(all, all->answers, one->name, ".sched", one->right.source.text, one->right.source.length);
  return status;
}

/* The answer first, which refuses what would replace another exercise. */
static TgExit write_one(const TgExercises *all, TgExercise *one, uint64_t seed) {
  TgExit status = write_answer(all, one, seed);
  if (!status)
    status = write_file(all, all->handout, one->name, ".sched", one->wrong.source.text, one->wrong.source.length);
  return status ? status : write_page(all, one);
}

static bool go_on(void *user, int64_t done) {
  (void)user;
  (void)done;
  return !tg_interrupted();
}

/* Makes an exercise whose edit is new in this call, if one of the next seeds gives one. Advances `seed` to the seed
 * used. */
static TgExit make_another(TgExercises *all, TgExercise *one, uint64_t *seed, const TgWatch *watch) {
  TgError error = {0};
  for (int tries = all->repeats ? TRIES : 1;; tries++, ++*seed) {
    exercise_clear(one);
    *one = (TgExercise){0};
    if (!make(all, one, *seed, watch, &error))
      return tg_report(all->cli, TG_EXIT_USAGE, "%s, seed %" PRIu64 ": %s", tg_algo_name(&all->source), *seed,
                       error.message);
    if (g_hash_table_add(all->edits, GINT_TO_POINTER(one->mutation.edit)) || tries >= TRIES) break;
  }
  all->repeats = g_hash_table_size(all->edits) < all->done + 1;
  return TG_EXIT_DONE;
}

static TgExit make_all(TgExercises *all) {
  TgProgressLine line;
  TgExit status = TG_EXIT_DONE;
  uint64_t seed = all->seed;
  tg_progress_begin(&line, all->cli, "exercise", all->count);
  tg_progress_watch(&line);
  const TgWatch watch = {.go_on = go_on};
  for (; all->done < all->count && !status; all->done++, seed++) {
    TgExercise *one = g_new0(TgExercise, 1);
    tg_progress_at(&line, all->done);
    status = make_another(all, one, &seed, &watch);
    if (!status) status = write_one(all, one, seed);
    exercise_clear(one);
    g_free(one);
  }
  tg_progress_end(all->cli);
  return status;
}

static TgExit make_folder(const TgExercises *all, const char *path) {
  if (g_file_test(path, G_FILE_TEST_IS_DIR)) return TG_EXIT_DONE;
  if (g_mkdir(path, 0777) != 0) return tg_report(all->cli, TG_EXIT_FAILED, "%s: %s", path, g_strerror(errno));
  g_ptr_array_add(all->made, g_strdup(path));
  return TG_EXIT_DONE;
}

static TgExit make_folders(const TgExercises *all) {
  TgExit status = make_folder(all, all->cli->options.output);
  if (!status) status = make_folder(all, all->handout);
  return status ? status : make_folder(all, all->answers);
}

/* All exercises, or none. */
static void unmake(const TgExercises *all) {
  for (guint i = all->made->len; i-- > 0;) g_remove(g_ptr_array_index(all->made, i));
}

static TgExit take_options(TgExercises *all) {
  TgCli *cli = all->cli;
  const char *lacks = tg_page_lacks();
  all->level = all->count = 1;
  if (lacks)
    return tg_report(cli, TG_EXIT_MISSING, "exercise: this build cannot write pages: %s; `mutate` writes texts alone",
                     lacks);
  if (!cli->options.output || !*cli->options.output)
    return tg_report(cli, TG_EXIT_USAGE, "exercise: expected -o FOLDER, as in -o exercises");
  TgExit status = tg_number_parse(cli, "--level", cli->options.level, 1, 3, &all->level);
  if (!status) status = tg_number_parse(cli, "--count", cli->options.count, 1, MOST, &all->count);
  if (!status) status = tg_seed_option(cli, &all->seed);
  if (!status) status = tg_machine_option(cli, &all->machine, &all->machine_text);
  if (!status) status = tg_algo_parse(cli, &all->source, cli->options.arguments[0]);
  if (!status) status = tg_small_grid(cli, &all->source, &all->bindings);
  if (!status) status = tg_memory_check_proof(cli, &all->source, 0);
  if (status) return status;
  all->handout = g_build_filename(cli->options.output, "handout", NULL);
  all->answers = g_build_filename(cli->options.output, "answers", NULL);
  return make_folders(all);
}

static TgExit run(TgCli *cli) {
  TgExercises *all = g_new0(TgExercises, 1);
  all->cli = cli;
  all->made = g_ptr_array_new_with_free_func(g_free);
  all->edits = g_hash_table_new(NULL, NULL);
  TgExit status = take_options(all);
  if (!status) status = make_all(all);
  if (status) unmake(all);
  if (!status && !cli->options.quiet) {
    g_autofree char *handout = tg_printable(all->handout, ""), *answers = tg_printable(all->answers, "");
    tg_print_line(cli, "for students: %s", handout);
    tg_print_line(cli, "for you:      %s", answers);
    if (all->repeats)
      tg_print_line(
          cli, "only %u different edits for %" PRId64 " exercises; for more variety, use several schedules or levels",
          g_hash_table_size(all->edits), all->count);
  }
  g_ptr_array_unref(all->made);
  g_hash_table_unref(all->edits);
  tg_algo_clear(&all->source);
  g_free(all->machine_text);
  g_free(all->handout);
  g_free(all->answers);
  g_free(all);
  return status;
}

static const char *const options[] = {"level",           "count", "seed",         "grid", "set",
                                      "output:exercise", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"exercise dns --level 2 --seed 7 -o exercises", "a page and a text for students, and the answer"},
    {"exercise cannon --count 10 -o exercises", "10 exercises with different edits"},
    {"grade handed-in exercises/answers", "prove what the students hand in"},
    {NULL, NULL},
};

const TgCommand tg_command_exercise = {
    .name = "exercise",
    .arguments = "ALGO",
    .summary = "make exercises, each with one wrong line, and a folder of answers",
    .details =
        "Writes FOLDER/handout for students and FOLDER/answers for you. An exercise is a schedule with one wrong edit: "
        "a page, which proves the text while it is edited, and a .sched file. Citation, notes and comments are removed "
        "and names are changed, so that a comparison with the library's text does not reveal the edit. The first line "
        "has the exercise's name, by which `grade` knows it.\n"
        "Level 1: the message of the failed proof quotes the wrong line. Level 2: it quotes another line, where the "
        "error shows. Level 3: it quotes no line, since every statement can be executed, but the result is wrong.\n"
        "The same seed gives the same exercise and the same answer to everybody: choose one that students cannot "
        "guess. With --count, each exercise uses the next seed that gives a new edit. If 200 seeds give none, "
        "edits are repeated.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run,
};

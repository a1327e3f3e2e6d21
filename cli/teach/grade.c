/* topogemm grade: proves what students hand in. */
#include "grade.h"
#include "interrupt.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"

#include <glib/gstdio.h>
#include <string.h>

enum { MOST_BYTES = 65536, MOST_TIMES = 1000, MOST_DEPTH = 16 };

static void submission_free(TgSubmission *one) {
  g_free(one->file);
  g_free(one->message);
  g_free(one);
}

/* --- the files ---------------------------------------------------------------------------------------------------- */

/* Where submissions are looked for. */
typedef struct TgSearch {
  const char *root;
  char *answers; /* a folder that is left out */
  GPtrArray *files;
  int64_t others; /* what is no schedule, or a link */
} TgSearch;

static bool find_files(TgSearch *search, const char *within, int depth, GError **error);

/* Links are not followed: they can lead in circles, and out of the folder. */
static bool add_file(TgSearch *search, const char *inside, int depth, GError **error) {
  g_autofree char *path = g_canonicalize_filename(inside, search->root);
  GStatBuf status;
  if (g_lstat(path, &status) != 0) return true; /* gone again */
  if (S_ISDIR(status.st_mode) && depth > 0 && strcmp(path, search->answers) != 0)
    return find_files(search, inside, depth - 1, error);
  g_autofree char *name = g_path_get_basename(inside), *small = g_ascii_strdown(name, -1);
  if (g_str_has_prefix(name, "._") || strcmp(path, search->answers) == 0) return true; /* ._: from macOS's archives */
  if (S_ISREG(status.st_mode) && (g_str_has_suffix(small, ".sched") || g_str_has_suffix(small, ".sched.txt")))
    g_ptr_array_add(search->files, g_strdup(inside));
  else
    search->others++;
  return true;
}

static bool find_files(TgSearch *search, const char *within, int depth, GError **error) {
  g_autofree char *path = g_build_filename(search->root, within, NULL);
  g_autoptr(GDir) folder = g_dir_open(path, 0, error);
  bool found = folder != NULL;
  for (const char *name = found ? g_dir_read_name(folder) : NULL; name && found; name = g_dir_read_name(folder)) {
    g_autofree char *inside = *within ? g_build_filename(within, name, NULL) : g_strdup(name);
    found = add_file(search, inside, depth, error);
  }
  return found;
}

static int compare(gconstpointer a, gconstpointer b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* NULL and `error` where a folder cannot be read. */
static GPtrArray *files_of(const char *root, const char *answers, int64_t *others, GError **error) {
  g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *whole = g_canonicalize_filename(root, NULL), *left_out = g_canonicalize_filename(answers, NULL);
  TgSearch search = {.root = whole, .answers = left_out, .files = files};
  if (!find_files(&search, "", MOST_DEPTH, error)) return NULL;
  *others = search.others;
  g_ptr_array_sort(files, compare);
  return g_steal_pointer(&files);
}

/* --- the proof ---------------------------------------------------------------------------------------------------- */

/* A submission, or the answer, with its text. */
typedef struct TgWork {
  TgSchedule schedule;
  TgScheduleNames names;
} TgWork;

typedef struct TgLimit {
  int64_t most;
  bool passed;
} TgLimit;

static bool go_on(void *user, int64_t done) {
  TgLimit *limit = user;
  limit->passed = done > limit->most;
  return !limit->passed && !tg_interrupted();
}

/* The text of a failure: "line 9: …". */
static char *failure_text(const char *grid, const TgError *error) {
  g_autofree char *place = error->line ? g_strdup_printf("line %d: ", error->line) : g_strdup("");
  return g_strdup_printf("%s%s%s%s", grid ? grid : "", grid ? ": " : "", place, error->message);
}

typedef struct BlockPlace {
  int64_t matrix, row, column, processor;
} BlockPlace;

static int compare_places(gconstpointer a, gconstpointer b) {
  return memcmp(a, b, sizeof(BlockPlace));
}

/* Where each block is placed, in one order. */
static GArray *places_of(const TgWork *work) {
  GArray *places = g_array_new(FALSE, FALSE, sizeof(BlockPlace));
  TgPlacing placing;
  TgPlaced block;
  tg_placing_init(&placing, &work->schedule);
  while (tg_placing_next(&placing, &work->names, &block, NULL) == 1) {
    const BlockPlace place = {block.matrix, block.row, block.column, block.processor};
    g_array_append_val(places, place);
  }
  g_array_sort(places, compare_places);
  return places;
}

/* The blocks must begin and end in the same places; both are bound. NULL where it is the same problem. */
static const char *other_problem(const TgWork *work, const TgWork *answer) {
  if (memcmp(&work->schedule.computes, &answer->schedule.computes, sizeof work->schedule.computes) != 0)
    return "it computes something else than the exercise; restore what the handout has above `place`";
  g_autoptr(GArray) mine = places_of(work), its = places_of(answer);
  return mine->len == its->len && memcmp(mine->data, its->data, mine->len * sizeof(BlockPlace)) == 0
             ? NULL
             : "A, B or C is not placed as in the exercise; restore its `place` lines";
}

/* Why it is wrong on this grid; NULL where it is right. */
static char *wrong_on(const TgCli *cli, TgWork *work, TgWork *answer, const TgBindings *bindings, const char *grid) {
  TgError error = {0};
  TgProof proof;
  int64_t m, n, k;
  if (!tg_schedule_bind(&answer->schedule, &answer->names, bindings, &error) ||
      !tg_schedule_bind(&work->schedule, &work->names, bindings, &error))
    return failure_text(grid, &error);
  const char *other = other_problem(work, answer);
  if (other) return g_strdup(other);
  if (tg_state_need_bytes(&work->schedule) > (double)tg_memory_limit(cli))
    return g_strdup_printf("%s: the proof needs more memory than is available", grid);
  TgLimit limit = {.most = MOST_TIMES * (tg_walk_count_statements(&answer->schedule, &answer->names) + 1)};
  tg_proof_sizes(&work->schedule, &m, &n, &k);
  const TgWatch watch = {.go_on = go_on, .user = &limit};
  if (tg_prove_watched(&work->schedule, &work->names, TG_COLLECTIVE_WHOLE, m, n, k, &watch, &proof)) return NULL;
  if (limit.passed)
    return g_strdup_printf("%s: it executes more than %d times as many statements as the answer", grid, MOST_TIMES);
  return failure_text(grid, &proof.failure);
}

static char *wrong_at_all(const TgCli *cli, const TgAnswer *answer, const char *text, gsize length) {
  g_autofree TgWork *work = g_new0(TgWork, 1), *right = g_new0(TgWork, 1);
  TgError error = {0};
  char *wrong = NULL;
  if (!tg_schedule_parse(&work->schedule, &work->names, text, length, &error)) return failure_text(NULL, &error);
  if (!tg_schedule_parse(&right->schedule, &right->names, answer->solution, strlen(answer->solution), &error))
    return g_strdup_printf("%s.sched among the answers: %s", answer->name, error.message);
  for (char **grid = answer->grids; *grid && !wrong; grid++) {
    TgBindings bindings;
    wrong = tg_answer_bindings(answer, *grid, &bindings, &error) ? wrong_on(cli, work, right, &bindings, *grid)
                                                                 : g_strdup(error.message);
  }
  return wrong;
}

/* Some editors call UTF-16 "Unicode"; a byte order mark identifies it. */
static void take_utf16(char **text, gsize *length) {
  if (*length < 2 || (memcmp(*text, "\xff\xfe", 2) != 0 && memcmp(*text, "\xfe\xff", 2) != 0)) return;
  gsize size = 0;
  char *converted = g_convert(*text, (gssize)*length, "UTF-8", "UTF-16", NULL, &size, NULL);
  if (!converted) return;
  g_free(*text);
  *text = converted;
  *length = size;
}

static TgSubmission *judge(const TgGrades *grades, const char *folder, const char *file) {
  TgSubmission *one = g_new0(TgSubmission, 1);
  g_autofree char *path = g_build_filename(folder, file, NULL), *text = NULL;
  GStatBuf status;
  gsize length = 0;
  GError *error = NULL;
  static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which some editors write */
  one->file = g_strdup(file);
  one->differs = -1;
  if (g_stat(path, &status) == 0 && status.st_size > MOST_BYTES) {
    one->message = g_strdup_printf("the file has more than %d bytes", MOST_BYTES);
    return one;
  }
  if (!g_file_get_contents(path, &text, &length, &error)) {
    one->message = g_strdup(error->message);
    g_error_free(error);
    return one;
  }
  if (g_str_has_prefix(text, mark)) memmove(text, text + strlen(mark), length -= strlen(mark));
  text[length] = '\0';
  take_utf16(&text, &length);
  g_autofree char *title = tg_answer_title(text);
  one->answer = tg_answer_find(grades->answers, title);
  if (!one->answer) {
    one->message = *title ? g_strdup_printf("no exercise is called %s; the text must begin as the handout does", title)
                          : g_strdup("no line `schedule NAME`; copy the first line of the handout");
    return one;
  }
  one->exercise = one->answer->name;
  one->differs = tg_answer_lines_differ(one->answer, text);
  one->message = wrong_at_all(grades->cli, one->answer, text, length);
  one->right = !one->message;
  return one;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static bool judge_all(TgGrades *grades, const char *folder, const GPtrArray *files) {
  TgProgressLine line;
  tg_progress_begin(&line, grades->cli, "grade", files->len);
  tg_progress_watch(&line);
  for (guint i = 0; i < files->len && !tg_interrupted(); i++) {
    TgSubmission *one = judge(grades, folder, g_ptr_array_index(files, i));
    grades->right += one->right;
    g_ptr_array_add(grades->submissions, one);
    tg_progress_at(&line, i + 1);
  }
  tg_progress_end(grades->cli);
  return !tg_interrupted();
}

static TgExit write_files(const TgGrades *grades) {
  TgCli *cli = grades->cli;
  TgExit status = TG_EXIT_DONE;
  if (cli->options.output) {
    g_autofree char *text = tg_grades_csv(grades);
    status = tg_output_file_write(cli, cli->options.output, text, strlen(text));
  }
  if (!status && cli->options.gradescope) {
    g_autofree char *text = tg_grades_gradescope(grades);
    status = tg_output_file_write(cli, cli->options.gradescope, text, strlen(text));
  }
  return status;
}

static TgExit grade_all(TgGrades *grades) {
  TgCli *cli = grades->cli;
  const char *folder = cli->options.arguments[0], *answers = cli->options.arguments[1];
  GError *error = NULL;
  TgExit status = tg_answers_read(cli, answers, grades->answers);
  if (status) return status;
  g_autoptr(GPtrArray) files = files_of(folder, answers, &grades->others, &error);
  if (!files) return tg_report_error(cli, error);
  if (!files->len && !cli->options.gradescope)
    return tg_report(cli, TG_EXIT_USAGE,
                     "%s: no .sched file in this folder, nor in those in it (links are not followed)", folder);
  if (!judge_all(grades, folder, files)) return TG_EXIT_FAILED;
  status = write_files(grades);
  if (status) return status;
  tg_grades_print(grades);
  return files->len && grades->right == files->len ? TG_EXIT_DONE : TG_EXIT_WRONG;
}

static TgExit run(TgCli *cli) {
  TgGrades grades = {.cli = cli};
  const char *output = cli->options.output;
  if (output && !g_str_has_suffix(output, ".csv"))
    return tg_report(cli, TG_EXIT_USAGE, "-o %s: expected a name that ends in .csv", output);
  grades.answers = g_ptr_array_new_with_free_func((GDestroyNotify)tg_answer_free);
  grades.submissions = g_ptr_array_new_with_free_func((GDestroyNotify)submission_free);
  const TgExit status = grade_all(&grades);
  g_ptr_array_unref(grades.submissions);
  g_ptr_array_unref(grades.answers);
  return status;
}

static const char *const options[] = {"output:grade", "gradescope", "json", "quiet", "memory-limit", NULL};
static const TgExample examples[] = {
    {"grade handed-in exercises/answers", "a table: which are right, and why the others are not"},
    {"grade handed-in exercises/answers -o grades.csv", "the table as a file for a spreadsheet"},
    {"grade submission answers --gradescope results.json", "as an autograder of Gradescope"},
    {NULL, NULL},
};

const TgCommand tg_command_grade = {
    .name = "grade",
    .arguments = "FOLDER ANSWERS",
    .summary = "prove the schedules that students hand in",
    .details =
        "Reads every .sched file in FOLDER and the folders in it. The first line of a file names its exercise; ANSWERS "
        "is the folder `answers` that `exercise` wrote. A submission is right if the proof accepts it on the "
        "exercise's grid and on up to two other small grids, with blocks of A, B and C placed as in the exercise. It "
        "need not be the same as the answer.\n"
        "Exits with 0 if all are right and with 3 if any is wrong or, with --gradescope, if there is none.",
    .examples = examples,
    .options = options,
    .arguments_min = 2,
    .arguments_max = 2,
    .run = run,
};

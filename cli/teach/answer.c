#include "answer.h"

#include <string.h>

static const char suffix[] = ".answer";

void tg_answer_free(TgAnswer *answer) {
  if (!answer) return;
  g_free(answer->name);
  g_strfreev(answer->grids);
  g_strfreev(answer->set);
  g_free(answer->solution);
  g_free(answer);
}

char *tg_answer_text(const TgAnswer *answer, const TgAnswerFacts *facts) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *title = g_strdup_printf(" The answer to %s. The right schedule is in %s.sched, in the same folder.",
                                           answer->name, answer->name);
  g_key_file_set_string(file, "exercise", "algorithm", facts->algorithm);
  g_key_file_set_integer(file, "exercise", "level", facts->level);
  g_key_file_set_uint64(file, "exercise", "seed", facts->seed);
  g_key_file_set_string_list(file, "exercise", "grids", (const char *const *)answer->grids,
                             g_strv_length(answer->grids));
  g_key_file_set_string_list(file, "exercise", "set", (const char *const *)answer->set, g_strv_length(answer->set));
  g_key_file_set_integer(file, "edit", "line", facts->line);
  g_key_file_set_string(file, "edit", "kind", facts->kind);
  g_key_file_set_string(file, "edit", "was", facts->was);
  g_key_file_set_string(file, "edit", "is", facts->is);
  g_key_file_set_string(file, "edit", "reports", facts->reports);
  g_key_file_set_comment(file, NULL, NULL, title, NULL);
  return g_key_file_to_data(file, NULL, NULL);
}

static bool read_all(TgAnswer *answer, const char *path, const char *schedule, GError **error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  return g_key_file_load_from_file(file, path, G_KEY_FILE_NONE, error) &&
         (answer->grids = g_key_file_get_string_list(file, "exercise", "grids", NULL, error)) &&
         (answer->set = g_key_file_get_string_list(file, "exercise", "set", NULL, error)) &&
         g_file_get_contents(schedule, &answer->solution, NULL, error);
}

bool tg_answer_bindings(const TgAnswer *answer, const char *grid, TgBindings *bindings, TgError *error) {
  *bindings = (TgBindings){0};
  if (!tg_bindings_grid(bindings, grid, error)) return false;
  for (char **set = answer->set; *set; set++)
    if (!tg_bindings_parse(bindings, *set, error)) return false;
  return true;
}

static bool add_answer(GPtrArray *answers, const char *folder, const char *file, GError **error) {
  g_autoptr(TgAnswer) answer = g_new0(TgAnswer, 1);
  answer->name = g_strndup(file, strlen(file) - strlen(suffix));
  g_autofree char *path = g_build_filename(folder, file, NULL), *name = g_strconcat(answer->name, ".sched", NULL);
  g_autofree char *schedule = g_build_filename(folder, name, NULL);
  if (!read_all(answer, path, schedule, error)) {
    if (error && *error) g_prefix_error(error, "%s: ", path);
    return false;
  }
  g_ptr_array_add(answers, g_steal_pointer(&answer));
  return true;
}

/* Whether the answer's schedule is right on its grids. A file that somebody damaged would cost students their points.
 */
static bool prove_answer(const TgAnswer *answer, const char *grid, TgAlgo *algo, TgError *error) {
  TgBindings bindings;
  TgProof proof;
  int64_t m, n, k;
  if (!tg_answer_bindings(answer, grid, &bindings, error) ||
      !tg_schedule_bind(&algo->schedule, &algo->names, &bindings, error))
    return false;
  tg_proof_sizes(&algo->schedule, &m, &n, &k);
  if (tg_prove(&algo->schedule, &algo->names, TG_COLLECTIVE_WHOLE, m, n, k, &proof)) return true;
  *error = proof.failure;
  return false;
}

static TgExit check_answer(const TgCli *cli, const char *folder, const TgAnswer *answer) {
  g_autofree TgAlgo *algo = g_new0(TgAlgo, 1);
  g_autofree char *file = g_strconcat(answer->name, suffix, NULL), *path = g_build_filename(folder, file, NULL);
  TgError error = {0};
  if (!tg_schedule_parse(&algo->schedule, &algo->names, answer->solution, strlen(answer->solution), &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s/%s.sched: line %d: %s", folder, answer->name, error.line, error.message);
  if (!*answer->grids)
    return tg_report(cli, TG_EXIT_USAGE, "%s: the key `grids` is empty; run `topogemm exercise` again", path);
  for (char **grid = answer->grids; *grid; grid++)
    if (!prove_answer(answer, *grid, algo, &error))
      return tg_report(cli, TG_EXIT_USAGE, "%s: the answer is wrong on grid `%s`: %s", path, *grid, error.message);
  return TG_EXIT_DONE;
}

static const TgAnswer *find_named(const GPtrArray *answers, const char *name, size_t length) {
  for (guint i = 0; i < answers->len; i++) {
    const TgAnswer *answer = g_ptr_array_index(answers, i);
    if (strlen(answer->name) == length && strncmp(answer->name, name, length) == 0) return answer;
  }
  return NULL;
}

/* A schedule whose answer was deleted. */
static TgExit check_alone(const TgCli *cli, const char *folder, const GPtrArray *answers) {
  static const char ending[] = ".sched";
  g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
  for (const char *file = dir ? g_dir_read_name(dir) : NULL; file; file = g_dir_read_name(dir))
    if (g_str_has_suffix(file, ending) && !find_named(answers, file, strlen(file) - strlen(ending)))
      return tg_report(cli, TG_EXIT_USAGE, "%s: %s is here, but %.*s%s is missing", folder, file,
                       (int)(strlen(file) - strlen(ending)), file, suffix);
  return TG_EXIT_DONE;
}

TgExit tg_answers_read(const TgCli *cli, const char *folder, GPtrArray *answers) {
  GError *error = NULL;
  g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
  for (const char *file = dir ? g_dir_read_name(dir) : NULL; file && !error; file = g_dir_read_name(dir))
    if (g_str_has_suffix(file, suffix)) add_answer(answers, folder, file, &error);
  if (error) return tg_report_error(cli, error);
  for (guint i = 0; i < answers->len; i++) {
    const TgExit status = check_answer(cli, folder, g_ptr_array_index(answers, i));
    if (status) return status;
  }
  if (answers->len) {
    const TgExit status = check_alone(cli, folder, answers);
    if (status) return status;
  }
  return answers->len ? TG_EXIT_DONE
                      : tg_report(cli, TG_EXIT_USAGE,
                                  "%s: no answers here; give the folder `answers` that `exercise` wrote", folder);
}

/* --- what is handed in ----------------------------------------------------------------------------------------- */

const TgAnswer *tg_answer_find(const GPtrArray *answers, const char *name) {
  return find_named(answers, name, strlen(name));
}

char *tg_answer_title(const char *text) {
  static const char word[] = "schedule";
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    const char *at = g_strchug(*line);
    if (strncmp(at, word, strlen(word)) != 0 || !g_ascii_isspace(at[strlen(word)])) continue;
    at += strlen(word);
    at += strspn(at, " \t");
    return g_strndup(at, strcspn(at, " \t\r\"#"));
  }
  return g_strdup("");
}

/* Lines without comments and with single spaces; empty ones are left out. */
static GPtrArray *plain_lines(const char *text) {
  GPtrArray *plain = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (char **line = lines; *line; line++) {
    (*line)[strcspn(*line, "#\r")] = '\0';
    g_auto(GStrv) words = g_strsplit_set(*line, " \t", -1);
    GString *joined = g_string_new(NULL);
    for (char **each = words; *each; each++)
      if (**each) g_string_append_printf(joined, "%s%s", joined->len ? " " : "", *each);
    char *finished = g_string_free(joined, FALSE);
    if (*finished)
      g_ptr_array_add(plain, finished);
    else
      g_free(finished);
  }
  return plain;
}

/* The number of lines minus the length of the longest common subsequence. */
int32_t tg_answer_lines_differ(const TgAnswer *answer, const char *text) {
  g_autoptr(GPtrArray) a = plain_lines(text), b = plain_lines(answer->solution);
  g_autofree guint *common = g_new0(guint, b->len + 1);
  for (guint i = 0; i < a->len; i++)
    for (guint j = 0, corner = 0; j < b->len; j++) {
      const guint above = common[j + 1];
      const bool same = strcmp(g_ptr_array_index(a, i), g_ptr_array_index(b, j)) == 0;
      common[j + 1] = same ? corner + 1 : MAX(above, common[j]);
      corner = above;
    }
  return (int32_t)(MAX(a->len, b->len) - common[b->len]);
}

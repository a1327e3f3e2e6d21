#include "grade.h"
#include "output.h"

#include <string.h>

static const TgSubmission *submission(const TgGrades *grades, guint i) {
  return g_ptr_array_index(grades->submissions, i);
}

/* Why it is wrong, or how near it is to the answer. */
static char *words_of(const TgSubmission *one) {
  if (!one->right) return g_strdup(one->message);
  if (one->differs == 0) return g_strdup("same as the answer");
  return g_strdup_printf("%d line%s from the answer", one->differs, one->differs == 1 ? " differs" : "s differ");
}

static void print_document(const TgGrades *grades) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "grade");
  tg_json_member_bool(json, "ok", grades->submissions->len > 0 && grades->right == grades->submissions->len);
  tg_json_member_integer(json, "right", grades->right);
  tg_json_member_integer(json, "wrong", (int64_t)grades->submissions->len - grades->right);
  tg_json_member_array(json, "submissions", TG_JSON_LINES);
  for (guint i = 0; i < grades->submissions->len; i++) {
    const TgSubmission *one = submission(grades, i);
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "file", one->file);
    tg_json_member_string(json, "exercise", one->exercise);
    tg_json_member_bool(json, "ok", one->right);
    if (one->differs < 0)
      tg_json_member_null(json, "differs");
    else
      tg_json_member_integer(json, "differs", one->differs);
    tg_json_member_string(json, "message", one->message);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  tg_json_end_object(json);
  tg_print_json(grades->cli, json);
}

void tg_grades_print(const TgGrades *grades) {
  TgCli *cli = grades->cli;
  if (cli->options.json) {
    print_document(grades);
    return;
  }
  if (cli->options.quiet) return;
  g_autoptr(TgTable) table = tg_table_new("llll");
  tg_table_add_row(table, "submission|exercise|result|");
  for (guint i = 0; i < grades->submissions->len; i++) {
    const TgSubmission *one = submission(grades, i);
    g_autofree char *words = words_of(one);
    g_autofree char *file = tg_printable(one->file, "");
    tg_table_add(table, "%s", file);
    tg_table_add(table, "%s", one->exercise ? one->exercise : "-");
    tg_table_add(table, "%s", one->right ? "right" : "wrong");
    tg_table_add(table, "%s", words);
  }
  tg_table_print(cli, table, 0, true);
  tg_print_line(cli, "%" PRId64 " right, %" PRId64 " wrong", grades->right,
                (int64_t)grades->submissions->len - grades->right);
  if (grades->others > 0)
    tg_print_line(cli, "not graded: %" PRId64 " other file%s (links, and names that do not end in .sched)",
                  grades->others, grades->others == 1 ? "" : "s");
}

/* A field as RFC 4180 has it. A spreadsheet would take what begins with one of these characters for a formula. */
static void add_field(GString *csv, const char *field, char end) {
  g_autofree char *text = g_strconcat(*field && strchr("=+-@", *field) ? "'" : "", field, NULL);
  if (strpbrk(text, ",\"\r\n")) {
    g_auto(GStrv) parts = g_strsplit(text, "\"", -1);
    g_autofree char *doubled = g_strjoinv("\"\"", parts);
    g_string_append_printf(csv, "\"%s\"%c", doubled, end);
  } else
    g_string_append_printf(csv, "%s%c", text, end);
}

char *tg_grades_csv(const TgGrades *grades) {
  GString *csv = g_string_new("file,exercise,right,differs,message\n");
  for (guint i = 0; i < grades->submissions->len; i++) {
    const TgSubmission *one = submission(grades, i);
    g_autofree char *differs = one->differs < 0 ? g_strdup("") : g_strdup_printf("%d", one->differs);
    add_field(csv, one->file, ',');
    add_field(csv, one->exercise ? one->exercise : "", ',');
    add_field(csv, one->right ? "1" : "0", ',');
    add_field(csv, differs, ',');
    add_field(csv, one->message ? one->message : "", '\n');
  }
  return g_string_free(csv, FALSE);
}

static void add_test(TgJson *json, const char *name, bool right, int most, const char *output) {
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_string(json, "name", name);
  tg_json_member_string(json, "status", right ? "passed" : "failed");
  tg_json_member_integer(json, "score", right ? most : 0);
  tg_json_member_integer(json, "max_score", most);
  tg_json_member_string(json, "output", output);
  tg_json_end_object(json);
}

/* The submission that an exercise is graded by: the first right one, or the first. */
static guint counted(const TgGrades *grades, guint i) {
  const TgAnswer *answer = submission(grades, i)->answer;
  guint first = grades->submissions->len;
  if (!answer) return i;
  for (guint j = 0; j < grades->submissions->len; j++) {
    if (submission(grades, j)->answer != answer) continue;
    if (submission(grades, j)->right) return j;
    first = MIN(first, j);
  }
  return first;
}

char *tg_grades_gradescope(const TgGrades *grades) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_array(json, "tests", TG_JSON_LINES);
  if (!grades->submissions->len) add_test(json, "a schedule", false, 1, "No file that ends in .sched was handed in.");
  for (guint i = 0; i < grades->submissions->len; i++) {
    const TgSubmission *one = submission(grades, i), *counts = submission(grades, counted(grades, i));
    g_autofree char *words = words_of(one);
    g_autofree char *other =
        counts == one ? g_strdup("") : g_strdup_printf("\n(the same exercise as %s, which counts)", counts->file);
    g_autofree char *output = g_strconcat(words, other, NULL);
    add_test(json, one->file, one->right, counts == one, output);
  }
  tg_json_end_array(json);
  tg_json_end_object(json);
  return g_strdup(tg_json_text(json, NULL));
}

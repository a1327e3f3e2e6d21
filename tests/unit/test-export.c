/* Exports: their counts compared with the proof's and the walker's, sizes, rates, and what is refused. The formats
 * themselves are checked by tests/golden/export-goal.py and export-json.py. */
#include "export-goal.h"
#include "export-json.h"
#include "prove.h"

#include "../schedule-text.h"
#include "test-folder.h"

#include <math.h>

static const char *const grids[] = {"2x2x2", "4x4x4", "3x2x4", "4x4x2", "3x3", "4x4",
                                    "2x3",   "1x1",   "1x1x1", "2",     "5",   "8"};

static char *export_text(const TgExportJob *job, TgExported *exported, TgError *failure, gboolean json,
                         GError **error) {
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  g_assert_nonnull(stream);
  gboolean good = (json ? tg_export_json : tg_export_goal)(job, stream, exported, failure, error);
  g_assert_cmpint(fclose(stream), ==, 0);
  if (good) return text;
  free(text);
  return NULL;
}

static int64_t count_of(const char *text, const char *words) {
  int64_t count = 0;
  while ((text = strstr(text, words))) {
    count++;
    text += strlen(words);
  }
  return count;
}

/* Messages and sends by the walker alone, which knows nothing of what slots hold. */
static void count_walked(const Bound *bound, TgCollective collective, int64_t *messages, int64_t *sends) {
  TgWalk walk;
  *messages = *sends = 0;
  tg_walk_init(&walk, &bound->schedule, &bound->names);
  while (tg_walk_next(&walk, NULL) == TG_PROGRESS_MORE) {
    TgMessages walked;
    TgMessage message, last = {.from = -1};
    tg_messages_init(&walked, &walk, collective);
    while (tg_messages_next(&walked, &message, NULL) == TG_PROGRESS_MORE) {
      if (message.from == message.to) continue;
      *messages += 1;
      *sends += message.from != last.from || message.to != last.to || message.round != last.round;
      last = message;
    }
  }
}

static void check_counts(const Bound *bound, const TgExported *exported, TgCollective collective,
                         const TgProof *proof) {
  int64_t messages, sends;
  count_walked(bound, collective, &messages, &sends);
  g_assert_cmpint(exported->messages, ==, messages);
  g_assert_cmpint(exported->sends, ==, sends);
  g_assert_cmpint(exported->messages, ==, proof->counts.messages);
  g_assert_cmpint(exported->products, ==, proof->counts.products);
  g_assert_cmpint(exported->statements, ==, proof->counts.statements);
  g_assert_cmpint(exported->bytes, ==, 8 * proof->words_received);
}

static void check_texts(const TgExportJob *job, const TgExported *exported) {
  g_autoptr(GError) error = NULL;
  TgExported again;
  char *goal = export_text(job, &again, NULL, FALSE, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(&again, sizeof again, exported, sizeof *exported);
  g_assert_cmpint(count_of(goal, ": send "), ==, exported->sends);
  g_assert_cmpint(count_of(goal, ": recv "), ==, exported->sends);
  g_assert_cmpint(count_of(goal, "\nrank "), ==, tg_schedule_processors(job->schedule));
  free(goal);
}

/* Every schedule of the library, at every grid above that it is made for, in every form of its collectives. */
static void test_library(void) {
  size_t count, exports = 0;
  const TgLibraryEntry *entry = tg_library_list(&count);
  g_autofree Bound *bound = g_new0(Bound, 1);
  for (size_t e = 0; e < count; e++) {
    size_t before = exports;
    for (size_t g = 0; g < G_N_ELEMENTS(grids); g++) {
      if (!bound_from(bound, entry[e].text, grids[g], NULL)) continue;
      for (int c = 0; c < TG_COLLECTIVES; c++, exports++) {
        g_autoptr(GError) error = NULL;
        TgExportJob job = {
            &bound->schedule, &bound->names, entry[e].text, (TgCollective)c, 11, 5, 7, TG_F64, 0, NULL, 0};
        TgExported exported;
        TgProof proof;
        char *json = export_text(&job, &exported, NULL, TRUE, &error);
        g_assert_no_error(error);
        g_assert_cmpint(count_of(json, "{\"from\": "), ==, exported.messages);
        free(json);
        g_assert_true(tg_prove(job.schedule, job.names, job.collective, 11, 5, 7, &proof));
        check_counts(bound, &exported, job.collective, &proof);
        check_texts(&job, &exported);
      }
    }
    g_assert_cmpint(exports, >, before); /* otherwise a grid is missing above */
  }
}

static TgExportJob cannon_job(Bound *bound, const char *grid) {
  g_assert_true(bound_from_library(bound, "cannon", grid, NULL));
  return (TgExportJob){.schedule = &bound->schedule,
                       .names = &bound->names,
                       .text = tg_library_find("cannon")->text,
                       .m = 4,
                       .n = 4,
                       .k = 4};
}

static void assert_refused(const TgExportJob *job, GQuark domain, int code, const char *words) {
  for (int json = 0; json < 2; json++) {
    g_autoptr(GError) error = NULL;
    g_assert_null(export_text(job, NULL, NULL, json, &error));
    g_assert_error(error, domain, code);
    if (!strstr(error->message, words)) g_error("`%s` lacks `%s`", error->message, words);
  }
}

static void test_sizes(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  TgExportJob job = cannon_job(bound, "2x2");
  job.m = 0;
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "a size of 0, expected 1 to 2147483647");
  job.m = INT64_C(1) << 31;
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "a size of 2147483648");
  job.m = job.k = INT32_MAX;
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE, "more than 2^59 elements");
  job.k = 1 << 28;
  job.n = 1 << 28; /* each block fits, 2^31·2^28·2^28 flops do not */
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE, "beyond 2^63-1");
}

/* The first calc of the text, in ns. */
static int64_t first_calc(const TgExportJob *job) {
  g_autoptr(GError) error = NULL;
  char *text = export_text(job, NULL, NULL, FALSE, &error);
  g_assert_no_error(error);
  int64_t duration_ns = g_ascii_strtoll(strstr(text, ": calc ") + strlen(": calc "), NULL, 10);
  free(text);
  return duration_ns;
}

static void test_rate(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  TgExportJob job = cannon_job(bound, "1x1");
  job.m = 1000;
  g_assert_cmpint(first_calc(&job), ==, 32000);
  job.flops_per_s = 3e9;
  g_assert_cmpint(first_calc(&job), ==, 10667);
  job.flops_per_s = 1e12;
  g_assert_cmpint(first_calc(&job), ==, 32);
  job.flops_per_s = INFINITY;
  g_assert_cmpint(first_calc(&job), ==, 0);
  job.flops_per_s = 1e-9;
  g_autoptr(GError) error = NULL;
  g_assert_null(export_text(&job, NULL, NULL, FALSE, &error));
  g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_TOO_LARGE);
  job.flops_per_s = -1;
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "a rate below 0");
  job.flops_per_s = NAN;
  assert_refused(&job, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT, "a rate below 0");
}

/* A factor that is read transposed has its inner extent in its rows. */
static void test_transposed_factor(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  const char *text =
      "schedule t\ngrid i:q, j:q\ncomputes C = A' * B\nplace A(i,j), B(i,j), C(i,j) on (i,j)\nC = A' * B\n";
  g_assert_true(bound_from(bound, text, "1x1", NULL));
  TgExportJob job = {&bound->schedule, &bound->names, text, TG_COLLECTIVE_AUTO, 2, 3, 5, TG_F32, 0, NULL, 0};
  g_assert_cmpint(first_calc(&job), ==, 60);
}

/* Two moves, two broadcasts of two rounds each, the product, a reduction of two rounds: tags up to 8. */
static void test_tags(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  g_autoptr(GError) error = NULL;
  g_assert_true(bound_from_library(bound, "dns", "4x4x4", NULL));
  TgExportJob job = {&bound->schedule, &bound->names, "", TG_COLLECTIVE_BINOMIAL, 8, 8, 8, TG_F32, 0, NULL, 0};
  char *text = export_text(&job, NULL, NULL, FALSE, &error);
  g_assert_no_error(error);
  const int64_t sends[] = {12, 12, 16, 32, 16, 32, 0, 32, 16, 0};
  for (size_t tag = 0; tag < G_N_ELEMENTS(sends); tag++) {
    g_autofree char *words = g_strdup_printf(" tag %zu\n", tag);
    g_assert_cmpint(count_of(text, words), ==, 2 * sends[tag]);
  }
  free(text);
}

/* Blocks that are empty travel all the same, in GOAL as one byte. */
static void test_empty_blocks(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  g_autoptr(GError) error = NULL;
  TgExportJob job = cannon_job(bound, "4x4");
  TgExported exported;
  job.m = job.n = job.k = 1;
  char *text = export_text(&job, &exported, NULL, FALSE, &error);
  g_assert_no_error(error);
  g_assert_cmpint(exported.messages, ==, 120);
  g_assert_cmpint(count_of(text, ": send 1b to ") + exported.bytes / 4, ==, 120);
  g_assert_cmpint(count_of(text, ": send 4b to ") * 4, ==, exported.bytes);
  g_assert_cmpint(count_of(text, " 0b "), ==, 0);
  free(text);
}

#define GRID "schedule t\ngrid i:q, j:q\nplace A(i,j), B(i,j), C(i,j) on (i,j)\n"

static const struct {
  const char *what, *text;
  TgCause cause;
  int64_t step;
  int line;
} failures[] = {
    {"mismatch", GRID "step \"multiply\"\n  C += A * B\n", TG_CAUSE_INNER_MISMATCH, 1, 5},
    {"empty-read", GRID "move A to (i, j-i)\nmove B to (i-j, j)\nmove D to (i, j)\n", TG_CAUSE_EMPTY_READ, 3, 6},
    {"never-computed", GRID "move A to (i, j+1)\n", TG_CAUSE_FINAL_MISSING, 1, 0},
    {"expression", GRID "move A to (i, j/(i-1))\n", TG_CAUSE_EXPRESSION, 1, 4},
    {"repeat", GRID "move A to (i, j)\nrepeat s in 0-1\n  move A to (i, j)\n", TG_CAUSE_EXPRESSION, 1, 0},
    {"two-placed", "schedule t\ngrid i:q, j:q\nplace A(i,j), C(i,j) on (i,j)\nplace B(i,j) on (i,j) as A\nC += A * A\n",
     TG_CAUSE_WRITTEN_TWICE, 0, 0},
};

/* What is wrong is said as the proof says it, and nothing is left of the file. */
static void test_failures(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autofree Bound *bound = g_new0(Bound, 1);
  for (size_t f = 0; f < G_N_ELEMENTS(failures); f++) {
    g_assert_true(bound_from(bound, failures[f].text, "3x3", NULL));
    TgExportJob job = {
        &bound->schedule, &bound->names, failures[f].text, TG_COLLECTIVE_AUTO, 3, 3, 3, TG_F32, 0, NULL, 0};
    TgProof proof;
    g_assert_false(tg_prove(job.schedule, job.names, job.collective, 3, 3, 3, &proof));
    for (int json = 0; json < 2; json++) {
      g_autoptr(GError) error = NULL;
      g_autofree char *path = g_build_filename(folder->path, json ? "x.json" : "x.goal", NULL);
      TgError failure;
      g_assert_false(tg_export_write(&job, path, NULL, &failure, &error));
      g_assert_error(error, TG_EXPORT_ERROR, TG_EXPORT_ERROR_SCHEDULE);
      g_assert_cmpstr(error->message, ==, proof.failure.message);
      g_assert_cmpint(failure.cause, ==, failures[f].cause);
      g_assert_cmpint(failure.step, ==, failures[f].step);
      g_assert_cmpint(failure.line, ==, proof.failure.line);
      if (failures[f].line) g_assert_cmpint(failure.line, ==, failures[f].line);
      g_assert_cmpint(folder_count_files(folder), ==, 0);
    }
  }
}

static void test_paths(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  TgExportJob job = cannon_job(bound, "2x2");
  const struct {
    const char *path;
    TgIoError code;
  } rows[] = {{"x.txt", TG_IO_ERROR_BAD_INPUT},
              {"goal", TG_IO_ERROR_BAD_INPUT},
              {"/nonexistent/x.goal", TG_IO_ERROR_CANNOT_WRITE}};
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GError) error = NULL;
    g_assert_false(tg_export_write(&job, rows[i].path, NULL, NULL, &error));
    g_assert_error(error, TG_IO_ERROR, (int)rows[i].code);
    g_assert_true(g_str_has_prefix(error->message, rows[i].path));
    g_assert_cmpint(tg_export_path_known(rows[i].path, NULL), ==, rows[i].code == TG_IO_ERROR_CANNOT_WRITE);
  }
}

/* A disk that is full stops the writing, also of what does not wait in memory until the end. */
static void test_full_disk(void) {
  g_autofree Bound *bound = g_new0(Bound, 1);
  TgExportJob job = cannon_job(bound, "12x12");
  for (int json = 0; json < 2; json++) {
    g_autoptr(GError) error = NULL;
    FILE *full = fopen("/dev/full", "w");
    g_assert_nonnull(full);
    g_assert_false((json ? tg_export_json : tg_export_goal)(&job, full, NULL, NULL, &error));
    g_assert_error(error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE);
    fclose(full);
  }
}

typedef struct Watched {
  int64_t most, last;
} Watched;

static bool go_on(void *user, int64_t done) {
  Watched *watched = user;
  g_assert_cmpint(watched->last, <=, done);
  g_assert_cmpint(watched->last, <=, watched->most); /* not asked again */
  watched->last = done;
  return done <= watched->most;
}

/* Told how much is done; wherever it is stopped, nothing is left of the file, nor of one that was there. */
static void test_watched(Folder *folder, gconstpointer unused) {
  (void)unused;
  static const char *const names[] = {"x.goal", "x.json"};
  g_autofree Bound *bound = g_new0(Bound, 1);
  TgExportJob job = cannon_job(bound, "4x4");
  g_assert_cmpint(tg_export_work(&job, "x.txt"), ==, 0);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *path = g_build_filename(folder->path, names[i], NULL);
    const int64_t work = tg_export_work(&job, path);
    g_assert_cmpint(work, ==, i ? 14 : 28);
    for (int64_t most = 0; most <= work; most++) {
      Watched watched = {.most = most};
      g_autoptr(GError) error = NULL;
      job.watch = &(TgWatch){go_on, &watched};
      const gboolean written = tg_export_write(&job, path, NULL, NULL, &error);
      g_assert_cmpint(written, ==, watched.last <= most);
      g_assert_cmpint(watched.last, ==, MIN(most + 1, work - 1));
      if (!written) g_assert_error(error, TG_EXPORT_ERROR, TG_EXPORT_ERROR_STOPPED);
      g_assert_cmpint(folder_count_files(folder), ==, written);
      if (written) g_remove(path);
    }
  }
}

/* What is said of the size before the schedule is run is right to a third, where the rows are most of the file. */
static void test_estimate(void) {
  static const char *const large[] = {"4x4x4", "8x8x4", "12x12", "8x4", "64", "9x3"};
  size_t count, checked = 0;
  const TgLibraryEntry *entry = tg_library_list(&count);
  g_autofree Bound *bound = g_new0(Bound, 1);
  g_assert_cmpfloat(tg_export_size(NULL, "x.txt"), ==, 0);
  for (size_t e = 0; e < count; e++)
    for (size_t g = 0; g < G_N_ELEMENTS(large); g++) {
      if (!bound_from(bound, entry[e].text, large[g], NULL)) continue;
      for (int json = 0; json < 2; json++) {
        g_autoptr(GError) error = NULL;
        TgExportJob job = {&bound->schedule, &bound->names, "", TG_COLLECTIVE_AUTO, 300, 200, 100, TG_F64, 0, NULL, 0};
        char *text = export_text(&job, NULL, NULL, json, &error);
        g_assert_no_error(error);
        const double size = (double)strlen(text), ratio = tg_export_size(&job, json ? "x.json" : "x.goal") / size;
        g_test_message("%s on %s, %s: %.0f bytes, ratio %.2f", entry[e].name, large[g], json ? "json" : "goal", size,
                       ratio);
        if (size > 1e5 && (ratio < 2.0 / 3 || ratio > 4.0 / 3)) g_test_fail();
        checked += size > 1e5;
        free(text);
      }
    }
  g_assert_cmpint(checked, >, count);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/export/library", test_library);
  g_test_add_func("/export/sizes", test_sizes);
  g_test_add_func("/export/rate", test_rate);
  g_test_add_func("/export/transposed-factor", test_transposed_factor);
  g_test_add_func("/export/tags", test_tags);
  g_test_add_func("/export/empty-blocks", test_empty_blocks);
  ADD_WITH_FOLDER("/export/failures", test_failures);
  ADD_WITH_FOLDER("/export/watched", test_watched);
  g_test_add_func("/export/estimate", test_estimate);
  g_test_add_func("/export/paths", test_paths);
  g_test_add_func("/export/full-disk", test_full_disk);
  return g_test_run();
}

/* Whole runs as pictures: what is measured of them, that every mark is there and inside the canvas, and that no text
 * covers other text. */
#include "../frames-of.h"
#include "memory.h"
#include "prove.h"
#include "scene-private.h"
#include "spacetime.h"
#include "text-width.h"

#include <math.h>

typedef struct Box {
  double left, right, top, bottom;
  const char *text;
} Box;

/* What a mark covers; of text, from the foot of the digits to the top of the capitals. */
static Box box_of(const TgMark *mark) {
  double width = mark->width, height = mark->height;
  if (mark->text) width = MAX(width, tg_text_width(mark->text, mark->size) * (mark->bold ? 1.05 : 1));
  if (mark->text) height = MAX(height, mark->size * 0.74);
  return (Box){mark->x - width / 2, mark->x + width / 2, mark->y - height / 2, mark->y + height / 2, mark->text};
}

static void check_scene(const TgScene *scene) {
  g_autoptr(GArray) texts = g_array_new(FALSE, FALSE, sizeof(Box));
  g_autoptr(GHashTable) ids = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint m = 0; m < scene->marks->len; m++) {
    const TgMark *mark = &g_array_index(scene->marks, TgMark, m);
    Box box = box_of(mark);
    if (!g_hash_table_add(ids, (gpointer)mark->id)) g_test_message("twice: %s", mark->id), g_test_fail();
    if (box.left < 0 || box.top < 0 || box.right > scene->width || box.bottom > scene->height)
      g_test_message("'%s' leaves '%s'", mark->text ? mark->text : mark->id, scene->title), g_test_fail();
    if (mark->text) g_array_append_val(texts, box);
  }
  for (guint i = 0; i < texts->len; i++)
    for (guint j = i + 1; j < texts->len; j++) {
      const Box *a = &g_array_index(texts, Box, i), *b = &g_array_index(texts, Box, j);
      if (a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom)
        g_test_message("'%s' covers '%s' in '%s'", a->text, b->text, scene->title), g_test_fail();
    }
}

static const TgMark *find_mark(const TgScene *scene, const char *id) {
  for (guint m = 0; m < scene->marks->len; m++)
    if (g_str_equal(g_array_index(scene->marks, TgMark, m).id, id)) return &g_array_index(scene->marks, TgMark, m);
  return NULL;
}

/* --- memory --------------------------------------------------------------------------------------------------- */

static const char *const library[][2] = {
    {"agarwal3d", "2x3x2"}, {"allgather", "3x3"},         {"berntsen", "2x2x2"},
    {"cannon", "3x3"},      {"cannon-gray", "4x4"},       {"cannon25d", "4x4x2"},
    {"cosma", "2x3x2"},     {"cube3d", "2x2x2"},          {"dimma", "2x3"},
    {"dns", "2x2x2"},       {"dns-rounds", "2x2x2"},      {"fox", "3x3"},
    {"mmt", "4"},           {"mod-pegmm", "4"},           {"pegmm", "4"},
    {"ring", "4"},          {"allgather-gemm", "4"},      {"gemm-reducescatter", "4"},
    {"summa", "3x3"},       {"transpose", "4x4"},         {"summa-panels", "2x3"},
    {"egmm", "4"},          {"allgather-gemm-both", "4"}, {"gemm-reducescatter-both", "4"},
};

static void measure(TgMemory *memory, Bound *bound, const char *name, const char *grid, gint64 n) {
  GError *error = NULL;
  g_assert_true(bound_from_library(bound, name, grid, NULL));
  tg_memory_measure(memory, &bound->schedule, &bound->names, TG_COLLECTIVE_WHOLE, n, n, n, NULL, &error);
  g_assert_no_error(error);
}

/* The peak is the proof's, in blocks and in words, and what the fullest processor holds adds up. */
static void test_peaks(void) {
  gsize count;
  tg_library_list(&count);
  if (count != G_N_ELEMENTS(library)) g_error("the library has %zu schedules; give each a row here", count);
  for (gsize r = 0; r < G_N_ELEMENTS(library); r++) {
    Bound bound;
    TgMemory memory;
    TgProof proof;
    TgError error;
    g_test_message("%s", library[r][0]);
    measure(&memory, &bound, library[r][0], library[r][1], 37);
    g_assert_true(tg_prove(&bound.schedule, &bound.names, TG_COLLECTIVE_WHOLE, 37, 37, 37, &proof));
    const gint64 peaks[] = {proof.counts.blocks_per_processor_max, proof.counts.words_per_processor_max};
    g_assert_cmpint(memory.steps, ==, tg_walk_count_steps(&bound.schedule, &bound.names, &error));
    for (int u = 0; u < TG_MEMORY_UNITS; u++) {
      g_assert_cmpint(memory.step[memory.peak_step[u]].level[u].largest, ==, peaks[u]);
      for (gint64 s = 0; s <= memory.steps; s++) {
        const TgMemoryLevel *level = &memory.step[s].level[u];
        g_assert_cmpint(level->of[0] + level->of[1] + level->of[2], ==, level->largest);
        g_assert_cmpfloat((double)level->least, <=, level->mean);
        g_assert_cmpfloat(level->mean, <=, (double)level->largest);
      }
    }
    tg_memory_clear(&memory);
  }
}

/* A ring by hand: A and B stay at one block each, and every step adds a block of C. */
static void test_ring(void) {
  Bound bound;
  TgMemory memory;
  measure(&memory, &bound, "ring", "4", 8);
  g_assert_cmpint(memory.steps, ==, 4);
  g_assert_cmpfloat(memory.once_words, ==, 3 * 64 / 4.0);
  for (gint64 s = 0; s <= 4; s++) {
    const TgMemoryLevel *level = &memory.step[s].level[TG_MEMORY_BLOCKS];
    g_assert_cmpint(level->of[TG_MATRIX_A], ==, 1);
    g_assert_cmpint(level->of[TG_MATRIX_B], ==, 1);
    g_assert_cmpint(level->of[TG_MATRIX_C], ==, s);
    g_assert_cmpint(level->least, ==, 2 + s);
  }
  g_assert_cmpint(memory.peak_step[TG_MEMORY_BLOCKS], ==, 4);
  g_assert_cmpstr(memory.step[0].label, ==, "initial placement");
  g_assert_cmpstr(memory.step[4].label, ==, "multiply and pass on");
  tg_memory_clear(&memory);
}

/* One schedule and two, in blocks and in bytes. */
static void test_memory_scenes(void) {
  for (gsize r = 0; r < G_N_ELEMENTS(library); r++) {
    Bound bound;
    TgMemory memory;
    measure(&memory, &bound, library[r][0], library[r][1], 37);
    const TgMemoryRun run = {
        .name = library[r][0], .peak = "3 blocks", .who = "(0, 1)", .words = "w", .memory = &memory};
    const TgMemoryRun runs[] = {run, run};
    for (int bytes = 0; bytes <= 8; bytes += 4) {
      const TgMemoryChart chart = {
          .title = "title", .note = "note", .run = runs, .runs = bytes == 4 ? 1 : 2, .element_bytes = bytes};
      g_autoptr(TgScene) scene = tg_memory_scene(&chart);
      check_scene(scene);
      g_assert_nonnull(find_mark(scene, "peak-1"));
      g_assert_true((find_mark(scene, "peak-2") != NULL) == (chart.runs == 2));
      for (gint64 s = 0; s <= memory.steps; s++) {
        g_autofree char *mean = g_strdup_printf("mean-1-%" G_GINT64_FORMAT, s);
        g_assert_nonnull(find_mark(scene, mean));
      }
    }
    tg_memory_clear(&memory);
  }
}

/* --- processors against time ---------------------------------------------------------------------------------- */

/* A made-up run: each lane multiplies for a part of each step, and every third lane has no message in it. */
typedef struct Made {
  TgSpacetimeRun run;
  TgSpan *span;
  TgSpacetimeStep *step;
  char **lane;
} Made;

static void make(Made *made, gint64 lanes, gint64 steps) {
  made->span = g_new0(TgSpan, lanes * steps);
  made->step = g_new0(TgSpacetimeStep, steps);
  made->lane = g_new0(char *, lanes + 1);
  for (gint64 l = 0; l < lanes; l++) made->lane[l] = g_strdup_printf("(%d, %d)", (int)l / 8, (int)l % 8);
  for (gint64 s = 0; s < steps; s++) {
    made->step[s] = (TgSpacetimeStep){"multiply and shift",  s + 1, s % lanes, (s + 1) % lanes, 1e-3 * (double)s,
                                      1e-3 * (double)(s + 1)};
    for (gint64 l = 0; l < lanes; l++) {
      double start = 1e-3 * (double)s;
      made->span[s * lanes + l] =
          (TgSpan){start, start + 1e-3, start + 5e-4, 3e-4, start + 9e-4, s % 2 ? 1e-4 : 0, l % 3 != 0};
    }
  }
  made->run = (TgSpacetimeRun){.name = "made",
                               .time = "t",
                               .words = "w",
                               .time_s = 1e-3 * (double)steps,
                               .lanes = lanes,
                               .steps = steps,
                               .dims = 2,
                               .extent = {(int32_t)(lanes / 8), 8},
                               .lane = (const char *const *)made->lane,
                               .span = made->span,
                               .step = made->step};
}

static void unmake(Made *made) {
  g_free(made->span);
  g_free(made->step);
  g_strfreev(made->lane);
}

/* From 8 processors to 1024, of few steps and of many, alone and on one axis. */
static void test_spacetime_scenes(void) {
  static const gint64 rows[][2] = {{8, 1}, {16, 5}, {32, 40}, {64, 4}, {128, 7}, {1024, 33}, {16, 1000}};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++) {
    Made made;
    make(&made, rows[r][0], rows[r][1]);
    const TgSpacetimeRun runs[] = {made.run, made.run};
    for (int count = 1; count <= 2; count++) {
      g_autoptr(TgScene) scene =
          tg_spacetime_scene(&(TgSpacetime){.title = "title", .note = "note", .run = runs, .runs = count});
      check_scene(scene);
      g_assert_cmpint(scene->height, <=, 1000 * count);
      g_assert_nonnull(find_mark(scene, "path-1-1"));
      g_assert_nonnull(find_mark(scene, "products-1-1-1"));
      g_assert_true((find_mark(scene, "run-2") != NULL) == (count == 2));
    }
    unmake(&made);
  }
}

/* Bars stand where the axis puts them: products from 0.2 to 0.5 of the only step, the chain over all of it. */
static void test_spacetime_places(void) {
  Made made;
  make(&made, 8, 1);
  made.step[0].to = 0;
  g_autoptr(TgScene) scene =
      tg_spacetime_scene(&(TgSpacetime){.title = "title", .note = "note", .run = &made.run, .runs = 1});
  const TgMark *path = find_mark(scene, "path-1-1"), *bar = find_mark(scene, "products-1-1-1"),
               *after = find_mark(scene, "communication-1-1-1-after");
  g_assert_nonnull(path && bar && after ? bar : NULL);
  const double left = path->x - path->width / 2, width = path->width;
  g_assert_cmpfloat_with_epsilon((bar->x - left) / width, 0.35, 0.005);
  g_assert_cmpfloat_with_epsilon(bar->width / width, 0.3, 0.005);
  g_assert_cmpfloat_with_epsilon((after->x - left) / width, 0.75, 0.005);
  g_assert_cmpfloat_with_epsilon(after->height / bar->height, 0.5, 1e-9);
  g_assert_null(find_mark(scene, "communication-1-0-1")); /* lane 0 has no message */
  unmake(&made);
}

/* Waiting lies over the communication where it happens: lane 1 from 0.6 to 0.8 of its step. */
static void test_spacetime_waits(void) {
  Made made;
  make(&made, 8, 1);
  const TgSpacetimeWait wait = {6e-4, 8e-4};
  g_autoptr(GArray) of_one = g_array_new(FALSE, FALSE, sizeof wait);
  GArray *waits[8] = {[1] = g_array_append_val(of_one, wait)};
  made.run.waits = waits;
  made.step[0].to = 0;
  g_autoptr(TgScene) scene =
      tg_spacetime_scene(&(TgSpacetime){.title = "title", .note = "note", .run = &made.run, .runs = 1});
  const TgMark *path = find_mark(scene, "path-1-1"), *bar = find_mark(scene, "waiting-1-1-0"),
               *after = find_mark(scene, "communication-1-1-1-after");
  g_assert_nonnull(path && bar && after ? bar : NULL);
  g_assert_cmpfloat_with_epsilon((bar->x - path->x) / path->width, 0.7 - 0.5, 0.005);
  g_assert_cmpfloat_with_epsilon(bar->width / path->width, 0.2, 0.005);
  g_assert_cmpfloat(bar->height, ==, after->height);
  g_assert_null(find_mark(scene, "waiting-1-2-0"));
  unmake(&made);
}

/* 1000 steps, five drawn as one: what is waited in them is at their end. */
static void test_spacetime_merged_waits(void) {
  Made made;
  make(&made, 8, 1000);
  const TgSpacetimeWait wait[] = {{2e-4, 4e-4}, {1.1e-3, 2e-3}, {5e-3, 5.6e-3}};
  g_autoptr(GArray) of_one = g_array_new(FALSE, FALSE, sizeof wait[0]);
  GArray *waits[8] = {[1] = g_array_append_vals(of_one, wait, G_N_ELEMENTS(wait))};
  made.run.waits = waits;
  g_autoptr(TgScene) scene =
      tg_spacetime_scene(&(TgSpacetime){.title = "title", .note = "note", .run = &made.run, .runs = 1});
  const TgMark *first = find_mark(scene, "waiting-1-1-1"), *second = find_mark(scene, "waiting-1-1-6");
  const TgMark *end = find_mark(scene, "step-1-6");
  g_assert_nonnull(first && second && end ? first : NULL);
  g_assert_cmpfloat_with_epsilon(first->width / second->width, 1.1 / 0.6, 0.3); /* but for the lines around them */
  g_assert_cmpfloat_with_epsilon(first->x + first->width / 2, end->x - end->width / 2, 0.2);
  g_assert_null(find_mark(scene, "waiting-1-1-11"));
  unmake(&made);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/charts/memory/peaks", test_peaks);
  g_test_add_func("/charts/memory/ring", test_ring);
  g_test_add_func("/charts/memory/scenes", test_memory_scenes);
  g_test_add_func("/charts/spacetime/scenes", test_spacetime_scenes);
  g_test_add_func("/charts/spacetime/places", test_spacetime_places);
  g_test_add_func("/charts/spacetime/waits", test_spacetime_waits);
  g_test_add_func("/charts/spacetime/merged-waits", test_spacetime_merged_waits);
  return g_test_run();
}

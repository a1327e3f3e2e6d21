/* Caches as the system describes them, and walks down a column: against a cache that is played line by line. */
#include "cache.h"

#include <glib/gstdio.h>
#include <string.h>

/* Of an AMD EPYC of the third generation: 32 KB and 512 KB. */
static const TgCache l1 = {.level = 1, .ways = 8, .sets = 64, .line_bytes = 64};
static const TgCache l2 = {.level = 2, .ways = 8, .sets = 1024, .line_bytes = 64};

static TgCacheWalk walk_of(const TgCache *cache, int64_t n, int64_t row) {
  return tg_cache_walk(cache, n, row * 4);
}

static void check_walk(TgCacheWalk walk, int64_t lines, int64_t sets, int64_t fullest, int64_t overfull) {
  g_assert_cmpint(walk.lines, ==, lines);
  g_assert_cmpint(walk.sets, ==, sets);
  g_assert_cmpint(walk.fullest, ==, fullest);
  g_assert_cmpint(walk.overfull, ==, overfull);
}

static void test_walks(void) {
  check_walk(walk_of(&l1, 1024, 1024), 1024, 1, 1024, 1024); /* rows of 64 lines: one set */
  check_walk(walk_of(&l2, 1024, 1024), 1024, 16, 64, 1024);  /* 16 sets of 8 ways, 128 lines */
  check_walk(walk_of(&l2, 1024, 1040), 1024, 1024, 1, 0);    /* 65 lines: all sets */
  check_walk(walk_of(&l2, 1536, 1536), 1536, 32, 48, 1536);  /* 96 lines */
  check_walk(walk_of(&l2, 1536, 1552), 1536, 1024, 2, 0);    /* 97 */
  check_walk(walk_of(&l1, 1008, 1008), 1008, 64, 16, 1008);  /* more lines than the cache has */
  check_walk(walk_of(&l2, 1008, 1008), 1008, 1008, 1, 0);    /* 63 lines */
  check_walk(walk_of(&l2, 1024, 1152), 1024, 128, 8, 0);     /* exactly full */
  check_walk(walk_of(&l2, 1, 1024), 1, 1, 1, 0);
  check_walk(tg_cache_walk(&l1, 64, 4), 4, 4, 1, 0); /* rows shorter than a line */
  check_walk(tg_cache_walk(&l1, 0, 4), 0, 0, 0, 0);
}

/* The least recently used line goes. Returns how many lines of a second walk are not there. */
static int64_t play(const TgCache *cache, int64_t rows, int64_t row_bytes) {
  g_autofree int64_t *held = g_new(int64_t, cache->sets * cache->ways); /* the youngest of a set first */
  int64_t missed = 0;
  for (int64_t i = 0; i < cache->sets * cache->ways; i++) held[i] = -1;
  for (int pass = 0; pass < 2; pass++)
    for (int64_t row = 0; row < rows; row++) {
      const int64_t line = row * row_bytes / cache->line_bytes;
      int64_t *set = held + line % cache->sets * cache->ways;
      int at = 0;
      while (at < cache->ways - 1 && set[at] != line) at++;
      missed += pass == 1 && set[at] != line;
      memmove(set + 1, set, (size_t)at * sizeof *set);
      set[0] = line;
    }
  return missed;
}

static void test_played(void) {
  static const int64_t rows[] = {1, 100, 512, 513, 992, 1000, 1024, 1040, 1056, 1088, 1152, 1280, 1536, 1552, 2048};
  static const TgCache small = {.level = 1, .ways = 3, .sets = 5, .line_bytes = 16};
  const TgCache *const caches[] = {&l1, &l2, &small};
  for (gsize c = 0; c < G_N_ELEMENTS(caches); c++)
    for (gsize r = 0; r < G_N_ELEMENTS(rows); r++)
      for (int64_t n = 1; n < 2000; n += 331)
        g_assert_cmpint(walk_of(caches[c], n, MAX(rows[r], 16)).overfull, ==, play(caches[c], n, MAX(rows[r], 16) * 4));
}

static const char *const names[] = {"type", "level", "ways_of_associativity", "number_of_sets", "coherency_line_size"};

static void put(const char *folder, int index, const char *name, const char *text) {
  g_autofree char *path = g_strdup_printf("%s/index%d", folder, index);
  g_autofree char *file = g_build_filename(path, name, NULL);
  g_mkdir_with_parents(path, 0700);
  g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

static void put_cache(const char *folder, int index, const char *const words[5]) {
  for (int w = 0; w < 5; w++) put(folder, index, names[w], words[w]);
}

static void drop_cache(const char *folder, int index) {
  g_autofree char *path = g_strdup_printf("%s/index%d", folder, index);
  for (int w = 0; w < 5; w++) {
    g_autofree char *file = g_build_filename(path, names[w], NULL);
    g_unlink(file);
  }
  g_rmdir(path);
}

/* Instructions have a cache of their own; the levels come in any order; one without ways is no use. */
static void test_read(void) {
  g_autofree char *folder = g_dir_make_tmp("topogemm-test-XXXXXX", NULL);
  TgCache caches[TG_CACHES];
  put_cache(folder, 0, (const char *[]){"Unified\n", "2\n", "8\n", "1024\n", "64\n"});
  put_cache(folder, 1, (const char *[]){"Instruction\n", "1\n", "8\n", "64\n", "64\n"});
  put_cache(folder, 2, (const char *[]){"Data\n", "1\n", "12\n", "64\n", "64\n"});
  put_cache(folder, 3, (const char *[]){"Unified\n", "4\n", "0\n", "64\n", "64\n"});
  g_assert_cmpint(tg_cache_read(folder, caches), ==, 2);
  g_assert_cmpint(caches[0].level, ==, 1);
  g_assert_cmpint(caches[0].ways, ==, 12);
  g_assert_cmpint(caches[1].level, ==, 2);
  g_assert_cmpint(caches[1].sets, ==, 1024);
  g_assert_cmpint(caches[1].line_bytes, ==, 64);
  for (int index = 0; index < 4; index++) drop_cache(folder, index);
  g_assert_cmpint(g_rmdir(folder), ==, 0);
  g_assert_cmpint(tg_cache_read("/no/such/folder", caches), ==, 0);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cache/walks", test_walks);
  g_test_add_func("/cache/played", test_played);
  g_test_add_func("/cache/read", test_read);
  return g_test_run();
}

#include "cache.h"

/* The number or word in a file of the folder; NULL where there is none. */
static char *word_in(const char *folder, int index, const char *name) {
  char *text = NULL;
  g_autofree char *path = g_strdup_printf("%s/index%d/%s", folder, index, name);
  if (!g_file_get_contents(path, &text, NULL, NULL)) return NULL;
  return g_strstrip(text);
}

static int64_t number_in(const char *folder, int index, const char *name) {
  g_autofree char *word = word_in(folder, index, name);
  return word ? g_ascii_strtoll(word, NULL, 10) : 0;
}

/* False where there is no entry of that number. A cache without its sets or ways is no use. */
static bool read_entry(const char *folder, int index, TgCache *cache, bool *usable) {
  g_autofree char *type = word_in(folder, index, "type");
  if (!type) return false;
  *cache = (TgCache){.level = (int32_t)number_in(folder, index, "level"),
                     .ways = (int32_t)number_in(folder, index, "ways_of_associativity"),
                     .sets = number_in(folder, index, "number_of_sets"),
                     .line_bytes = number_in(folder, index, "coherency_line_size")};
  *usable = !g_str_equal(type, "Instruction") && cache->level > 0 && cache->ways > 0 && cache->sets > 0 &&
            cache->line_bytes > 0;
  return true;
}

int tg_cache_read(const char *folder, TgCache caches[TG_CACHES]) {
  int count = 0;
  bool usable = false;
  TgCache cache;
  for (int index = 0; count < TG_CACHES && read_entry(folder, index, &cache, &usable); index++) {
    if (!usable) continue;
    int at = count++;
    for (; at > 0 && caches[at - 1].level > cache.level; at--) caches[at] = caches[at - 1];
    caches[at] = cache;
  }
  return count;
}

TgCacheWalk tg_cache_walk(const TgCache *cache, int64_t rows, int64_t row_bytes) {
  g_autofree int64_t *held = g_new0(int64_t, cache->sets);
  TgCacheWalk walk = {0};
  int64_t last = -1;
  for (int64_t row = 0; row < rows; row++) {
    const int64_t line = row * row_bytes / cache->line_bytes;
    if (line == last) continue;
    last = line;
    walk.lines++;
    held[line % cache->sets]++;
  }
  for (int64_t set = 0; set < cache->sets; set++) {
    walk.sets += held[set] > 0;
    walk.fullest = MAX(walk.fullest, held[set]);
    if (held[set] > cache->ways) walk.overfull += held[set];
  }
  return walk;
}

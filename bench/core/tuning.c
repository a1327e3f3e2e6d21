#include "tuning.h"

#include "atomic-file.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { WORDS = 4 };

/* Not g_get_user_cache_dir(), which prints warnings where there is no home folder. */
char *tg_tuning_path(void) {
  const char *cache = g_getenv("XDG_CACHE_HOME"), *home = g_getenv("HOME");
  if (cache && g_path_is_absolute(cache)) return g_build_filename(cache, "topogemm", "tuning.ini", NULL);
  return home && *home ? g_build_filename(home, ".cache", "topogemm", "tuning.ini", NULL) : NULL;
}

/* The driver compiles, and so may a figure be another with the next one. */
static char *section_of(const TgDevice *device) {
  char *name = g_strdup_printf("%s, driver %d, CUDA %d", device->name, device->driver, device->runtime);
  return g_strdelimit(name, "[]\n", ' ');
}

static bool fail_read(const char *path, const char *why, GError **error) {
  return TG_BENCH_FAIL(error, FAILED, "%s cannot be read: %s; remove it, or use --no-cache", path, why);
}

/* A file that is not there is an empty one. */
static bool load(GKeyFile *file, const char *path, GError **error) {
  g_autoptr(GError) why = NULL;
  if (g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, &why) ||
      g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return true;
  return fail_read(path, why->message, error);
}

static bool read_value(const char *value, TgTuned *tuned) {
  g_auto(GStrv) words = g_strsplit(value, " ", -1);
  gint64 width, split;
  char *end;
  if (g_strv_length(words) != WORDS || strlen(words[0]) >= sizeof tuned->kernel) return false;
  g_strlcpy(tuned->kernel, words[0], sizeof tuned->kernel);
  tuned->seconds = g_ascii_strtod(words[3], &end);
  if (!g_ascii_string_to_signed(words[1], 10, 0, G_MAXINT32, &width, NULL) ||
      !g_ascii_string_to_signed(words[2], 10, 0, G_MAXINT32, &split, NULL) || *end || !isfinite(tuned->seconds))
    return false;
  tuned->width = (int32_t)width;
  tuned->split = (int32_t)split;
  return true;
}

bool tg_tuning_find(const TgDevice *device, const char *key, TgTuned *tuned, GError **error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *path = tg_tuning_path(), *section = section_of(device);
  *tuned = (TgTuned){0};
  if (!path) return true;
  if (!load(file, path, error)) return false;
  g_autofree char *value = g_key_file_get_string(file, section, key, NULL);
  if (!value || read_value(value, tuned)) return true;
  g_autofree char *why = g_strdup_printf("`%s = %s` is not KERNEL WIDTH SPLIT SECONDS", key, value);
  return fail_read(path, why, error);
}

bool tg_tuning_keep(const TgDevice *device, const char *key, const TgTuned *tuned, GError **error) {
  g_autoptr(GKeyFile) file = g_key_file_new();
  g_autofree char *path = tg_tuning_path(), *section = section_of(device);
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL;
  char seconds[G_ASCII_DTOSTR_BUF_SIZE];
  if (!path)
    return TG_BENCH_FAIL(error, FAILED,
                         "no cache folder: set HOME or XDG_CACHE_HOME, or use --no-cache to store nothing");
  if (!load(file, path, error)) return false;
  if (g_mkdir_with_parents(folder, 0700) != 0)
    return TG_BENCH_FAIL(error, FAILED, "%s cannot be made: %s; use --no-cache to store nothing", folder,
                         g_strerror(errno));
  g_ascii_formatd(seconds, sizeof seconds, "%.6g", tuned->seconds);
  g_autofree char *value = g_strdup_printf("%s %d %d %s", tuned->kernel, tuned->width, tuned->split, seconds);
  g_key_file_set_string(file, section, key, value);
  gsize length;
  g_autofree char *text = g_key_file_to_data(file, &length, NULL);
  return tg_atomic_file_write(path, text, length, error);
}

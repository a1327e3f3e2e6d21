/** @file cache-folder.h
 * For tests: a cache folder of their own, for what is kept about a machine. GLib looks for the user's only once, and
 * its own way to isolate tests leaks. */
#ifndef TG_TEST_CACHE_FOLDER_H
#define TG_TEST_CACHE_FOLDER_H

#include "tuning.h"

#include <glib/gstdio.h>

/** Before anything asks for the cache folder. */
static inline char *cache_folder_begin(void) {
  char *folder = g_dir_make_tmp("topogemm-cache-XXXXXX", NULL);
  g_assert_nonnull(folder);
  g_setenv("XDG_CACHE_HOME", folder, TRUE);
  return folder;
}

static inline void cache_folder_end(char *folder) {
  g_autofree char *file = tg_tuning_path(), *inner = g_path_get_dirname(file);
  g_unlink(file);
  g_rmdir(inner);
  g_rmdir(folder);
  g_free(folder);
}

#endif

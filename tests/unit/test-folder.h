/* A new folder for each test, removed with what the test left in it. */
#ifndef TG_TEST_FOLDER_H
#define TG_TEST_FOLDER_H

#include <glib.h>
#include <glib/gstdio.h>

typedef struct Folder {
  char *path;
  char *target; /* a file in it, not yet there */
} Folder;

static inline void folder_set_up(Folder *folder, gconstpointer unused) {
  (void)unused;
  folder->path = g_dir_make_tmp("topogemm-test-XXXXXX", NULL);
  g_assert_nonnull(folder->path);
  folder->target = g_build_filename(folder->path, "target", NULL);
}

static inline int folder_count_files(const Folder *folder) {
  g_autoptr(GDir) files = g_dir_open(folder->path, 0, NULL);
  int count = 0;
  while (g_dir_read_name(files)) count++;
  return count;
}

static inline void folder_tear_down(Folder *folder, gconstpointer unused) {
  (void)unused;
  g_autoptr(GDir) files = g_dir_open(folder->path, 0, NULL);
  for (const char *name = g_dir_read_name(files); name; name = g_dir_read_name(files)) {
    g_autofree char *path = g_build_filename(folder->path, name, NULL);
    g_unlink(path);
  }
  g_rmdir(folder->path);
  g_free(folder->target);
  g_free(folder->path);
}

static inline void assert_content(const char *path, const char *expected) {
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  g_file_get_contents(path, &text, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(text, ==, expected);
}

#define ADD_WITH_FOLDER(name, function) g_test_add(name, Folder, NULL, folder_set_up, function, folder_tear_down)

#endif

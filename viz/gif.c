#include "gif.h"

#include <glib/gstdio.h>

/* ImageMagick 7 is called magick, 6 convert. */
static char *find_program(GError **error) {
  static const char *const names[] = {"magick", "convert"};
  for (gsize n = 0; n < G_N_ELEMENTS(names); n++) {
    char *path = g_find_program_in_path(names[n]);
    if (path != NULL) return path;
  }
  g_set_error_literal(
      error, TG_DRAW_ERROR, TG_DRAW_ERROR_PROGRAM,
      "a GIF needs ImageMagick (magick or convert), which is not installed: install the package imagemagick, "
      "or draw an animated .svg instead");
  return NULL;
}

gboolean tg_gif_available(GError **error) {
  g_autofree char *program = find_program(error);
  return program != NULL;
}

/* Writes the files into `folder`; the arguments of the program that name them are added to `arguments`. */
static gboolean write_files(const char *folder, GPtrArray *files, GPtrArray *arguments, GError **error) {
  for (guint f = 0; f < files->len; f++) {
    char *path = g_strdup_printf("%s/%06u.png", folder, f);
    g_ptr_array_add(arguments, path);
    gsize length;
    const char *data = g_bytes_get_data(g_ptr_array_index(files, f), &length);
    if (!g_file_set_contents(path, data, (gssize)length, error)) return FALSE;
  }
  return TRUE;
}

static gboolean run(char **arguments, GError **error) {
  g_autofree char *complaint = NULL;
  int status;
  if (!g_spawn_sync(NULL, arguments, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &complaint, &status, error))
    return FALSE;
  if (g_spawn_check_wait_status(status, NULL)) return TRUE;
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_RENDER, "%s could not join the frames to a GIF: %s", arguments[0],
              *g_strstrip(complaint) ? complaint : "it does not say why");
  return FALSE;
}

static GBytes *join_in(const char *folder, GPtrArray *files, double seconds, GPtrArray *arguments, GError **error) {
  g_ptr_array_add(arguments, find_program(error));
  if (g_ptr_array_index(arguments, 0) == NULL) return NULL;
  g_ptr_array_add(arguments, g_strdup("-delay"));
  g_ptr_array_add(arguments, g_strdup_printf("%d", (int)(seconds * 100 + 0.5)));
  g_ptr_array_add(arguments, g_strdup("-loop"));
  g_ptr_array_add(arguments, g_strdup("0"));
  if (!write_files(folder, files, arguments, error)) return NULL;
  char *result = g_strdup_printf("%s/all.gif", folder);
  g_ptr_array_add(arguments, g_strdup("+dither"));
  g_ptr_array_add(arguments, g_strdup("-layers"));
  g_ptr_array_add(arguments, g_strdup("optimize"));
  g_ptr_array_add(arguments, result);
  g_ptr_array_add(arguments, NULL);
  char *data;
  gsize length;
  if (!run((char **)arguments->pdata, error) || !g_file_get_contents(result, &data, &length, error)) return NULL;
  return g_bytes_new_take(data, length);
}

static void remove_folder(const char *folder) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  for (const char *name; dir != NULL && (name = g_dir_read_name(dir)) != NULL;) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_remove(path);
  }
  if (dir != NULL) g_dir_close(dir);
  g_rmdir(folder);
}

GBytes *tg_gif_join(GPtrArray *files, double seconds, GError **error) {
  g_autofree char *folder = g_dir_make_tmp("topogemm-XXXXXX", error);
  if (folder == NULL) return NULL;
  g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(g_free);
  GBytes *gif = join_in(folder, files, seconds, arguments, error);
  remove_folder(folder);
  return gif;
}

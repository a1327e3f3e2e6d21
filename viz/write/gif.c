#include "gif.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "program.h"

/* ImageMagick 7 is called magick, 6 convert. */
static char *find_program(GError **error) {
  static const char *const names[] = {"magick", "convert"};
  for (gsize n = 0; n < G_N_ELEMENTS(names); n++) {
    g_autofree char *path = g_find_program_in_path(names[n]);
    if (path != NULL) return g_canonicalize_filename(path, NULL);
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

/* Writes the files into `folder`; the arguments of the program that name them are added to `words`. */
static gboolean write_files(const char *folder, GPtrArray *files, GPtrArray *words, const TgWatch *watch,
                            GError **error) {
  for (guint f = 0; f < files->len; f++) {
    char *name = g_strdup_printf("%06u.png", f);
    g_ptr_array_add(words, name);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    gsize length;
    const char *data = g_bytes_get_data(g_ptr_array_index(files, f), &length);
    if (!tg_watch_go_on(watch, files->len)) {
      g_set_error_literal(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STOPPED, "stopped");
      return FALSE;
    }
    if (!g_file_set_contents(path, data, (gssize)length, error)) return FALSE;
  }
  return TRUE;
}

static void add_words(GPtrArray *words, const char *const *more) {
  for (; *more != NULL; more++) g_ptr_array_add(words, g_strdup(*more));
}

/* ImageMagick takes %, [ and : in names for something else: it sees no name but those of the frames. */
static GBytes *join_in(const char *folder, GPtrArray *files, double seconds, const TgWatch *watch, GError **error) {
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_autofree char *path = find_program(error), *delay = g_strdup_printf("%d", (int)(seconds * 100 + 0.5));
  if (path == NULL) return NULL;
  add_words(words, (const char *const[]){path, "-delay", delay, "-loop", "0", NULL});
  if (!write_files(folder, files, words, watch, error)) return NULL;
  add_words(words, (const char *const[]){"+dither", "-layers", "optimize", "gif:-", NULL});
  g_ptr_array_add(words, NULL);
  const TgProgram program = {
      .words = (const char *const *)words->pdata, .folder = folder, .input = -1, .watch = watch, .done = files->len};
  GBytes *gif = tg_program_run(&program, error);
  if (gif == NULL) g_prefix_error_literal(error, "cannot join the frames into a GIF: ");
  return gif;
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

GBytes *tg_gif_join(GPtrArray *files, double seconds, const TgWatch *watch, GError **error) {
  g_autofree char *folder = g_dir_make_tmp("topogemm-XXXXXX", error);
  if (folder == NULL) return NULL;
  GBytes *gif = join_in(folder, files, seconds, watch, error);
  remove_folder(folder);
  return gif;
}

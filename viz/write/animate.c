#include "animate.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "draw-error.h"
#include "program.h"
#include "render.h"
#include "svg-text.h"
#include "watch.h"

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

/* True where ImageMagick is installed; else an error that names its package. */
static gboolean gif_available(GError **error) {
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

/* Joins PNG files (GBytes) to an endless GIF that shows each for `seconds`; `watch` is told the number of files. */
static GBytes *gif_join(GPtrArray *files, double seconds, const TgWatch *watch, GError **error) {
  g_autofree char *folder = g_dir_make_tmp("topogemm-XXXXXX", error);
  if (folder == NULL) return NULL;
  GBytes *gif = join_in(folder, files, seconds, watch, error);
  remove_folder(folder);
  return gif;
}

/* One row a format. */
typedef struct TgAnimationKind {
  const char *suffix, *frame_format;
  GBytes *(*finish)(TgAnimation *animation, const TgWatch *watch, GError **error);
} TgAnimationKind;

struct TgAnimation {
  const TgAnimationKind *kind;
  double seconds;
  GPtrArray *files;                 /* GBytes */
  uint64_t limit_bytes, file_bytes; /* file_bytes: of all files so far */
  double width, height;
  char *title;
};

/* Every step is a group that is visible in its turn. Programs without style-sheet animation, and readers who want no
 * motion, see the first; the pointer over the picture stops it (WCAG 2.2, 2.2.2). */
static void append_style(GString *svg, guint steps, double seconds) {
  char part[G_ASCII_DTOSTR_BUF_SIZE], number[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_formatd(part, sizeof part, "%.4f", 100.0 / steps);
  g_ascii_formatd(number, sizeof number, "%.3f", seconds * steps);
  g_string_append_printf(svg,
                         "<style>\n@keyframes turn { 0%% { visibility: visible } %s%% { visibility: hidden } 100%% { "
                         "visibility: hidden } }\n"
                         ".step { visibility: hidden; animation: turn %ss step-end infinite }\n"
                         "#step-0 { visibility: visible }\n"
                         "svg:hover .step { animation-play-state: paused }\n",
                         part, number);
  for (guint s = 1; s < steps; s++) {
    g_ascii_formatd(number, sizeof number, "%.3f", seconds * s);
    g_string_append_printf(svg, "#step-%u { animation-delay: %ss }\n", s, number);
  }
  g_string_append(svg, "@media (prefers-reduced-motion: reduce) { .step { animation: none } }\n</style>\n");
}

/* Ids are unique in the file: those of a step begin with it. */
static void append_step(GString *svg, guint step, GBytes *file) {
  static const char id[] = " id=\"";
  g_autofree char *text = g_strndup(g_bytes_get_data(file, NULL), g_bytes_get_size(file));
  g_autofree char *body = tg_svg_body(text);
  g_string_append_printf(svg, "<g id=\"step-%u\" class=\"step\">\n", step);
  const char *at = body;
  for (const char *found; (found = strstr(at, id)) != NULL; at = found + sizeof id - 1) {
    g_string_append_len(svg, at, found - at);
    g_string_append_printf(svg, "%sstep-%u-", id, step);
  }
  g_string_append(svg, at);
  g_string_append(svg, "</g>\n");
}

static GBytes *finish_svg(TgAnimation *animation, const TgWatch *watch, GError **error) {
  (void)watch, (void)error;
  GString *svg = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_autofree char *words = g_strdup_printf("%u pictures in turn", animation->files->len);
  tg_svg_open(svg, animation->width, animation->height, animation->title, words);
  append_style(svg, animation->files->len, animation->seconds);
  for (guint s = 0; s < animation->files->len; s++) append_step(svg, s, g_ptr_array_index(animation->files, s));
  g_string_append(svg, "</svg>\n");
  return g_string_free_to_bytes(svg);
}

static GBytes *finish_gif(TgAnimation *animation, const TgWatch *watch, GError **error) {
  return gif_join(animation->files, animation->seconds, watch, error);
}

static const TgAnimationKind kinds[] = {{"svg", "svg", finish_svg}, {"gif", TG_RENDER_SCREEN_PNG, finish_gif}};

static const TgAnimationKind *find_kind(const char *format, GError **error) {
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
    if (g_ascii_strcasecmp(kinds[k].suffix, format) == 0) return &kinds[k];
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT, "'%s' is no format of a moving picture: use svg or gif",
              format);
  return NULL;
}

TgAnimation *tg_animation_new(const char *format, double seconds, uint64_t limit_bytes, GError **error) {
  const TgAnimationKind *kind = find_kind(format, error);
  if (kind == NULL || (kind->finish == finish_gif && !gif_available(error))) return NULL;
  TgAnimation *animation = g_new0(TgAnimation, 1);
  animation->kind = kind;
  animation->seconds = seconds;
  animation->limit_bytes = limit_bytes;
  animation->files = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  return animation;
}

void tg_animation_free(TgAnimation *animation) {
  g_ptr_array_unref(animation->files);
  g_free(animation->title);
  g_free(animation);
}

/* The files, and all of them once more in one that grows by doubling. */
static gboolean has_room(const TgAnimation *animation, GError **error) {
  enum { COPIES = 4 };
  if (!animation->limit_bytes || animation->file_bytes <= animation->limit_bytes / COPIES) return TRUE;
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_MEMORY,
              "the first %u steps of the moving picture have %.0f MB already, which to join takes %d times as much "
              "memory, and %.0f MB are available",
              animation->files->len, (double)animation->file_bytes / 1e6, COPIES, (double)animation->limit_bytes / 1e6);
  return FALSE;
}

gboolean tg_animation_add(TgAnimation *animation, const TgScene *scene, GError **error) {
  GBytes *file = tg_render(scene, animation->kind->frame_format, animation->limit_bytes, error);
  if (file == NULL) return FALSE;
  g_ptr_array_add(animation->files, file);
  animation->file_bytes += g_bytes_get_size(file);
  animation->width = tg_scene_width(scene);
  animation->height = tg_scene_height(scene);
  if (animation->title == NULL) animation->title = g_strdup(tg_scene_title(scene));
  return has_room(animation, error);
}

GBytes *tg_animation_finish(TgAnimation *animation, const TgWatch *watch, GError **error) {
  return animation->kind->finish(animation, watch, error);
}

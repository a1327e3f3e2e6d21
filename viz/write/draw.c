#include "draw.h"

#include <glib/gstdio.h>

#include "frame-private.h"
#include "picture.h"
#include "program.h"
#include "render.h"
#include "svg-text.h"

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

static const char gif_frames[] = "the frames of the GIF";

/* Writes the files into `folder`; the arguments of the program that name them are added to `words`. */
static gboolean write_files(const char *folder, GPtrArray *files, GPtrArray *words, const TgWatch *watch,
                            GError **error) {
  GError *reason = NULL;
  for (guint f = 0; f < files->len; f++) {
    char *name = g_strdup_printf("%06u.png", f);
    g_ptr_array_add(words, name);
    g_autofree char *path = g_build_filename(folder, name, NULL);
    gsize length;
    const char *data = g_bytes_get_data(g_ptr_array_index(files, f), &length);
    if (!tg_watch_go_on(watch, files->len)) return TG_DRAW_FAIL(error, STOPPED, "stopped");
    if (!g_file_set_contents(path, data, (gssize)length, &reason))
      return tg_program_no_temporary(gif_frames, reason, error);
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
  GError *reason = NULL;
  g_autofree char *folder = g_dir_make_tmp("topogemm-XXXXXX", &reason);
  if (folder == NULL) tg_program_no_temporary(gif_frames, reason, error);
  if (folder == NULL) return NULL;
  GBytes *gif = join_in(folder, files, seconds, watch, error);
  remove_folder(folder);
  return gif;
}

typedef struct TgAnimation TgAnimation;

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
  TgSceneSize size;
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
  g_autofree char *text = g_strndup(g_bytes_get_data(file, NULL), g_bytes_get_size(file));
  g_autofree char *body = tg_svg_body(text), *id = g_strdup_printf(" id=\"step-%u-", step);
  g_autofree char *renamed = tg_text_replace(body, " id=\"", id);
  g_string_append_printf(svg, "<g id=\"step-%u\" class=\"step\">\n%s</g>\n", step, renamed);
}

static GBytes *finish_svg(TgAnimation *animation, const TgWatch *watch, GError **error) {
  (void)watch, (void)error;
  GString *svg = g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  g_autofree char *words = g_strdup_printf("%u pictures in turn", animation->files->len);
  tg_svg_open(svg, animation->size.width, animation->size.height, animation->title, words);
  append_style(svg, animation->files->len, animation->seconds);
  for (guint s = 0; s < animation->files->len; s++) append_step(svg, s, g_ptr_array_index(animation->files, s));
  g_string_append(svg, "</svg>\n");
  return g_string_free_to_bytes(svg);
}

static GBytes *finish_gif(TgAnimation *animation, const TgWatch *watch, GError **error) {
  return gif_join(animation->files, animation->seconds, watch, error);
}

/* Every step is on an overlay of its own. */
static GBytes *finish_tikz(TgAnimation *animation, const TgWatch *watch, GError **error) {
  (void)watch, (void)error;
  GString *tikz = g_string_new("% For a frame of beamer: \\only shows one step on each overlay.\n");
  tg_scene_tikz_open(tikz, animation->size.width, animation->size.height, animation->title);
  for (guint s = 0; s < animation->files->len; s++) {
    GBytes *file = g_ptr_array_index(animation->files, s);
    g_string_append_printf(tikz, "\\only<%u>{\n", s + 1);
    g_string_append_len(tikz, g_bytes_get_data(file, NULL), (gssize)g_bytes_get_size(file));
    g_string_append(tikz, "}\n");
  }
  tg_scene_tikz_close(tikz);
  return g_string_free_to_bytes(tikz);
}

static const TgAnimationKind kinds[] = {
    {"svg", "svg", finish_svg}, {"gif", TG_RENDER_SCREEN_PNG, finish_gif}, {"tex", TG_RENDER_TIKZ_BODY, finish_tikz}};

static const TgAnimationKind *find_kind(const char *format, GError **error) {
  for (gsize k = 0; k < G_N_ELEMENTS(kinds); k++)
    if (g_ascii_strcasecmp(kinds[k].suffix, format) == 0) return &kinds[k];
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT, "'%s' is not an animation format: use svg, gif or tex",
              format);
  return NULL;
}

/** `format` is "svg", "gif" or "tex"; each scene is shown for `seconds`. No more than `limit_bytes` are taken (0: no
 * limit).
 */
static TgAnimation *animation_new(const char *format, double seconds, uint64_t limit_bytes, GError **error) {
  const TgAnimationKind *kind = find_kind(format, error);
  g_autofree char *program = kind && kind->finish == finish_gif ? find_program(error) : NULL;
  if (kind == NULL || (kind->finish == finish_gif && program == NULL)) return NULL;
  TgAnimation *animation = g_new0(TgAnimation, 1);
  animation->kind = kind;
  animation->seconds = seconds;
  animation->limit_bytes = limit_bytes;
  animation->files = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  return animation;
}

static void animation_free(TgAnimation *animation) {
  g_ptr_array_unref(animation->files);
  g_free(animation->title);
  g_free(animation);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgAnimation, animation_free)

/* The files, and all of them once more in one that grows by doubling. */
static gboolean has_room(const TgAnimation *animation, GError **error) {
  enum { COPIES = 4 };
  if (!animation->limit_bytes || animation->file_bytes <= animation->limit_bytes / COPIES) return TRUE;
  return TG_DRAW_FAIL(error, MEMORY,
                      "the first %u steps of the animation already take %.0f MB; joining them needs %d times as much "
                      "memory, but %.0f MB are available",
                      animation->files->len, (double)animation->file_bytes / 1e6, COPIES,
                      (double)animation->limit_bytes / 1e6);
}

/** Adds the next scene; all have the same size. */
static gboolean animation_add(TgAnimation *animation, const TgScene *scene, GError **error) {
  GBytes *file = tg_render(scene, animation->kind->frame_format, animation->limit_bytes, error);
  if (file == NULL) return FALSE;
  g_ptr_array_add(animation->files, file);
  animation->file_bytes += g_bytes_get_size(file);
  animation->size = tg_scene_size(scene);
  if (animation->title == NULL) animation->title = g_strdup(tg_scene_title(scene));
  return has_room(animation, error);
}

/* What is drawn so far, also while the schedule runs on to the next step. */
typedef struct Drawn {
  const TgWatch *watch;
  int64_t steps;
  int64_t before, statements; /**< of runs that are over, and of the one under way */
} Drawn;

static bool go_on(void *user, int64_t statements) {
  const Drawn *drawn = user;
  (void)statements;
  return tg_watch_go_on(drawn->watch, drawn->steps);
}

/* The schedule runs twice: to survey all steps, and to the one that is drawn. */
static bool go_on_to_step(void *user, int64_t statements) {
  Drawn *drawn = user;
  if (statements < drawn->statements) drawn->before += drawn->statements;
  drawn->statements = statements;
  return tg_watch_go_on(drawn->watch, drawn->before + statements);
}

static TgFrames *frames_of(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                           const TgWatch *watch, GError **error) {
  TgFrameOptions frame_options = {.topology = options->topology,
                                  .embedding = options->embedding,
                                  .collective = options->collective,
                                  .to_the_error = options->to_the_error,
                                  .watch = watch};
  return tg_frames_new(schedule, names, &frame_options, error);
}

double tg_draw_need_bytes(const TgSchedule *schedule, const TgDrawOptions *options) {
  enum { PROCESSOR = 16, LINK = 24, SLOT = 3 * sizeof(int32_t) }; /* see tg_frames_new(); a slot of the run itself */
  const double processors = (double)tg_schedule_processors(schedule);
  const double links = options->topology ? (double)options->topology->links : 0;
  const bool detail = processors <= TG_FRAME_DETAIL_PROCESSORS;
  const double slots = detail ? MIN(tg_state_need_bytes(schedule) / SLOT, TG_FRAME_DETAIL_SLOTS) : 0;
  return processors * PROCESSOR + links * LINK + slots * sizeof(TgFrameSlot);
}

const char *tg_draw_formats(void) {
  return tg_render_formats();
}

/* The frame of a step; where the schedule fails before, there is none. */
static const TgFrame *seek(TgFrames *frames, const TgDrawOptions *options, int64_t step, GError **error) {
  GError *own = NULL;
  const TgFrame *frame = tg_frames_seek(frames, step, &own);
  if (frame && frame->failure && options->failure) *options->failure = *frame->failure;
  if (!frame && !own) {
    const TgFrame *last = tg_frames_seek(frames, tg_frames_steps(frames), &own);
    if (last && last->failure && options->failure) *options->failure = *last->failure;
    if (last && last->failure) tg_frame_set_failure(&own, last->failure);
  }
  if (own) g_propagate_error(error, own);
  return frame;
}

static void note_digits(const TgScene *scene, const TgDrawOptions *options, const char *format) {
  if (options->plain_digits && tg_render_has_plain_digits(scene, format)) *options->plain_digits = true;
}

static GBytes *draw_frame(const TgFrame *frame, const TgDrawOptions *options, const TgRoom *room, const char *format,
                          GError **error) {
  g_autoptr(TgScene) scene = tg_picture_new(frame, options->heat, room);
  note_digits(scene, options, format);
  return tg_render(scene, format, options->memory_limit_bytes, error);
}

GBytes *tg_draw_step(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                     int64_t step, const char *format, GError **error) {
  if (!tg_render_knows(format, error)) return NULL;
  Drawn drawn = {.watch = options->watch};
  g_autoptr(TgFrames) frames = frames_of(schedule, names, options, &(TgWatch){go_on_to_step, &drawn}, error);
  const TgFrame *frame = frames ? seek(frames, options, step, error) : NULL;
  if (frame == NULL) return NULL;
  return draw_frame(frame, options, NULL, format, error);
}

/* The room for every frame, so that nothing jumps from one to the next. */
static gboolean measure_all(TgFrames *frames, const TgDrawOptions *options, TgRoom *room, GError **error) {
  *room = (TgRoom){0};
  for (int64_t step = 0; step <= tg_frames_steps(frames); step++) {
    const TgFrame *frame = seek(frames, options, step, error);
    if (frame == NULL) return FALSE;
    const TgRoom own = tg_picture_measure(frame, options->heat);
    tg_room_grow(room, &own);
  }
  return TRUE;
}

gboolean tg_draw_all(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                     const char *format, TgDrawSink sink, gpointer user, GError **error) {
  if (!tg_render_knows(format, error)) return FALSE;
  Drawn drawn = {.watch = options->watch};
  g_autoptr(TgFrames) frames = frames_of(schedule, names, options, &(TgWatch){go_on, &drawn}, error);
  TgRoom room;
  if (frames == NULL || !measure_all(frames, options, &room, error)) return FALSE;
  for (int64_t step = 0; step <= tg_frames_steps(frames); step++) {
    drawn.steps = step;
    const TgFrame *frame = seek(frames, options, step, error);
    g_autoptr(GBytes) file = frame ? draw_frame(frame, options, &room, format, error) : NULL;
    if (file == NULL || !sink(step, tg_frames_steps(frames), file, user, error)) return FALSE;
  }
  return TRUE;
}

const char *tg_draw_animation_formats(void) {
  return "svg, gif, tex";
}

static gboolean add_all(TgFrames *frames, const TgDrawOptions *options, const char *format, TgAnimation *animation,
                        Drawn *drawn, GError **error) {
  TgRoom room;
  if (!measure_all(frames, options, &room, error)) return FALSE;
  for (int64_t step = 0; step <= tg_frames_steps(frames); step++) {
    const TgFrame *frame = seek(frames, options, step, error);
    if (frame == NULL) return FALSE;
    g_autoptr(TgScene) scene = tg_picture_new(frame, options->heat, &room);
    note_digits(scene, options, format);
    if (!animation_add(animation, scene, error)) return FALSE;
    drawn->steps = step + 1;
  }
  return TRUE;
}

GBytes *tg_draw_animation(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                          const char *format, GError **error) {
  double seconds = options->seconds_per_step > 0 ? options->seconds_per_step : 2;
  g_autoptr(TgAnimation) animation = animation_new(format, seconds, options->memory_limit_bytes, error);
  if (animation == NULL) return NULL;
  Drawn drawn = {.watch = options->watch};
  g_autoptr(TgFrames) frames = frames_of(schedule, names, options, &(TgWatch){go_on, &drawn}, error);
  if (frames == NULL || !add_all(frames, options, format, animation, &drawn, error)) return NULL;
  return animation->kind->finish(animation, options->watch, error);
}

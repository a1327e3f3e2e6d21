#include "draw.h"

#include "animate.h"
#include "frame-private.h"
#include "picture.h"
#include "render.h"

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

static gboolean check_format(const char *format, GError **error) {
  if (tg_render_knows(format)) return TRUE;
  g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_FORMAT, "unknown picture format '%s': use one of %s", format,
              tg_draw_formats());
  return FALSE;
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
  if (!check_format(format, error)) return NULL;
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
  if (!check_format(format, error)) return FALSE;
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
  return "svg, gif";
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
    if (!tg_animation_add(animation, scene, error)) return FALSE;
    drawn->steps = step + 1;
  }
  return TRUE;
}

GBytes *tg_draw_animation(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                          const char *format, GError **error) {
  double seconds = options->seconds_per_step > 0 ? options->seconds_per_step : 2;
  g_autoptr(TgAnimation) animation = tg_animation_new(format, seconds, options->memory_limit_bytes, error);
  if (animation == NULL) return NULL;
  Drawn drawn = {.watch = options->watch};
  g_autoptr(TgFrames) frames = frames_of(schedule, names, options, &(TgWatch){go_on, &drawn}, error);
  if (frames == NULL || !add_all(frames, options, format, animation, &drawn, error)) return NULL;
  return tg_animation_finish(animation, options->watch, error);
}

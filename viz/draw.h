/** @file draw.h
 * Pictures of a schedule, step by step, as the bytes of files. What a step looks like follows from the grid, the
 * network and the messages: cells with all slots up to 8×8, small cells up to 32×32, heat maps beyond. */
#ifndef TG_DRAW_H
#define TG_DRAW_H

#include <glib.h>

#include "collective.h"
#include "draw-error.h"
#include "embedding.h"
#include "schedule.h"
#include "state.h"
#include "topology.h"

G_BEGIN_DECLS

/** What a heat map shows. */
typedef enum TgHeat {
  TG_HEAT_AUTO,     /**< link load where there are messages and a network, else blocks held */
  TG_HEAT_LINK,     /**< blocks over the busiest link that leaves the processor's node in the step */
  TG_HEAT_RECEIVED, /**< blocks received in the step */
  TG_HEAT_HELD      /**< blocks held as the step ends */
} TgHeat;

/** Reads "auto", "link", "received" or "held"; false, with `heat` as it was, for anything else. */
bool tg_heat_parse(const char *text, TgHeat *heat);

typedef struct TgDrawOptions {
  const TgTopology *topology;   /**< NULL: no link loads; the grid is drawn as a torus */
  const TgEmbedding *embedding; /**< of the grid on it; NULL: processor p on node p */
  TgCollective collective;      /**< TG_COLLECTIVE_WHOLE draws them whole, others round by round */
  TgHeat heat;
  bool to_the_error; /**< as in TgFrameOptions: the step in which a wrong schedule fails is drawn as far as it went */
  TgError *failure;  /**< with `to_the_error`: set where a step that is drawn fails; may be NULL */
  double seconds_per_step; /**< of animations; 0: 2 s */
  bool *plain_digits; /**< set where a picture has A01 for A₀₁, for want of a font with these digits; may be NULL */
  const TgWatch *watch;        /**< told the steps that are drawn, of all and the initial placement; for one step, the
                                  statements run: all of them, then those up to the step; NULL: nobody */
  uint64_t memory_limit_bytes; /**< that drawing may take in addition to the run; 0: no limit */
} TgDrawOptions;

/** Bytes that the frames of a bound schedule take in addition to a run on names (tg_state_need_bytes()), about. */
double tg_draw_need_bytes(const TgSchedule *schedule, const TgDrawOptions *options);

/** Suffixes of still pictures, "dot, svg, png, pdf, tex", and of animations, "svg, gif, tex"; for messages and help. */
const char *tg_draw_formats(void);
const char *tg_draw_animation_formats(void);

/** One step, 0 being the initial placement. `format` is a suffix ("svg"). The schedule is bound. What draws fails with
 * TG_DRAW_ERROR_STOPPED where the watch stops it. */
GBytes *tg_draw_step(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                     int64_t step, const char *format, GError **error);

/** Takes the file of a step, of `steps` + 1 of them. Returns FALSE with `error` set to stop. */
typedef gboolean (*TgDrawSink)(int64_t step, int64_t steps, GBytes *file, gpointer user, GError **error);

/** All steps, each as its own file, in order, on canvases of one size with everything in the same places. */
gboolean tg_draw_all(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                     const char *format, TgDrawSink sink, gpointer user, GError **error);

/** All steps as one moving picture: "svg" (self-contained, by style sheet, still where the reader wants no motion),
 * "gif" (needs ImageMagick), or "tex" (TikZ, with a step on each overlay of a beamer frame). */
GBytes *tg_draw_animation(const TgSchedule *schedule, const TgScheduleNames *names, const TgDrawOptions *options,
                          const char *format, GError **error);

G_END_DECLS

#endif

/** @file gif.h
 * Pictures joined to a GIF by ImageMagick. Private to viz/. */
#ifndef TG_GIF_H
#define TG_GIF_H

#include <glib.h>

#include "draw-error.h"
#include "watch.h"

/** True where ImageMagick is installed; else an error that names its package. */
gboolean tg_gif_available(GError **error);
/** Joins PNG files (GBytes) to an endless GIF that shows each for `seconds`; `watch` is told the number of files. */
GBytes *tg_gif_join(GPtrArray *files, double seconds, const TgWatch *watch, GError **error);

#endif

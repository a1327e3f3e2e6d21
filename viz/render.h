/** @file render.h
 * Scenes as files: DOT and TikZ text, and through libgvc SVG, PNG and PDF. */
#ifndef TG_RENDER_H
#define TG_RENDER_H

#include <glib.h>
#include <stdint.h>

#include "draw-error.h"
#include "scene.h"

G_BEGIN_DECLS

/** PNG at the 96 dots per inch of a screen, for the frames of a GIF; PNG files have 144. Not offered to users. */
#define TG_RENDER_SCREEN_PNG "png at 96 dpi"
/** What stands in a `tikzpicture`, for the overlays of a frame. Not offered to users. */
#define TG_RENDER_TIKZ_BODY "tikz body"

/** The formats of a still picture, "dot, svg, png, pdf, tex"; for messages. */
const char *tg_render_formats(void);
/** True where `format` ("svg") is one of them; else FORMAT. */
gboolean tg_render_knows(const char *format, GError **error);

/** True where the file of this format has A01 for A₀₁, because it is made of letters of this machine, whose fonts lack
 * these digits. Of a GIF, too, which is made of PNGs. */
gboolean tg_render_has_plain_digits(const TgScene *scene, const char *format);

/** Whether there is memory for a picture of this size: no more than `limit_bytes` (0: no limit), and address space,
 * which libgvc and what it loads take without asking whether they get it. Errors, with need and limit: MEMORY, TOO_BIG.
 */
gboolean tg_render_has_room(const TgSceneSize *size, const char *format, uint64_t limit_bytes, GError **error);

/** The bytes of a file, where tg_render_has_room(). What libgvc complains of becomes part of `error`, and is an error:
 * nothing is printed. */
GBytes *tg_render(const TgScene *scene, const char *format, uint64_t limit_bytes, GError **error);

G_END_DECLS

#endif

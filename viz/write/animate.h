/** @file animate.h
 * Scenes one after another as one moving picture. Private to viz/. */
#ifndef TG_ANIMATE_H
#define TG_ANIMATE_H

#include <glib.h>
#include <stdint.h>

#include "draw-error.h"
#include "scene.h"
#include "watch.h"

typedef struct TgAnimation TgAnimation;

/** `format` is "svg" or "gif"; each scene is shown for `seconds`. No more than `limit_bytes` are taken (0: no limit).
 */
TgAnimation *tg_animation_new(const char *format, double seconds, uint64_t limit_bytes, GError **error);
void tg_animation_free(TgAnimation *animation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgAnimation, tg_animation_free)

/** Adds the next scene; all have the same size. */
gboolean tg_animation_add(TgAnimation *animation, const TgScene *scene, GError **error);
/** The bytes of the file; `watch` is told the number of scenes, and may be NULL. */
GBytes *tg_animation_finish(TgAnimation *animation, const TgWatch *watch, GError **error);

#endif

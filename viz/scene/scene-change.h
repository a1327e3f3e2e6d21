/** @file scene-change.h
 * How the SVG of one scene is made from that of another: what the page's script asks for, because most of a picture
 * stays from step to step and a browser's time goes into what does not. */
#ifndef TG_SCENE_CHANGE_H
#define TG_SCENE_CHANGE_H

#include "scene.h"

/** Before every record. */
#define TG_SCENE_RECORD "\x1e"
/** Before every field but a record's first. */
#define TG_SCENE_FIELD "\x1f"

/** The groups of `now`, in their order, as records:
 *
 *     !WIDTH HEIGHT    first, where the canvas is of another size
 *     @TITLE           next, where the title is another
 *     =FIRST,COUNT     groups of `before` that look as they did, by their number there
 *     ~NUMBER          a group of `before` that looks different; the fields tell how, each a letter and a value:
 *         f s w the colour, the border's colour and width of its outline,
 *         d y z k and a digit: the words, place, size and colour of its line of that number
 *     <g …>…</g>       a new one
 *
 * No group of `before` is named twice; those that are not are no more. `names` gets what one cannot see of those that
 * are not new:
 *
 *     ~NUMBER          a group of `now`, with i its id and t its title
 *
 * Values are plain text; every id has `prefix` in front. Free with g_string_free(). */
GString *tg_scene_change(const TgScene *before, const TgScene *now, const char *prefix, GString *names);

#endif

/** @file picture.h
 * A frame as a scene. Private to viz/. */
#ifndef TG_PICTURE_H
#define TG_PICTURE_H

#include "caption.h"
#include "draw.h"
#include "frame.h"
#include "scene.h"

/** The room that the picture of this frame takes. */
TgRoom tg_picture_measure(const TgFrame *frame, TgHeat heat);

/** The picture of a frame, in the room that all pictures of a series have in common; NULL: its own. */
TgScene *tg_picture_new(const TgFrame *frame, TgHeat heat, const TgRoom *room);

/** The same without the words round it, for a page that has its own; how the picture is to be read is its description.
 */
TgScene *tg_picture_bare(const TgFrame *frame, TgHeat heat);

/** The words: "Cannon on a 4×4 torus — step 2 of 5: multiply and shift", and the line below the picture. Free with
 * g_free(). */
char *tg_picture_title(const TgFrame *frame);
char *tg_picture_totals(const TgFrame *frame);

#endif

/** @file picture.h
 * A frame as a scene. Private to viz/. */
#ifndef TG_PICTURE_H
#define TG_PICTURE_H

#include "draw.h"
#include "frame.h"
#include "scene.h"

/** The size that the picture of this frame takes. */
void tg_picture_measure(const TgFrame *frame, TgHeat heat, double *width, double *height);

/** The picture of a frame. With `width` and `height` larger than it needs it stands in the middle; 0 where they do not
 * matter. */
TgScene *tg_picture_new(const TgFrame *frame, TgHeat heat, double width, double height);

#endif

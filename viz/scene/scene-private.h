/** @file scene-private.h
 * What a scene holds. Private to scene*.c. */
#ifndef TG_SCENE_PRIVATE_H
#define TG_SCENE_PRIVATE_H

#include "scene.h"

/* As Pango reads a font: families, then the style. Each letter comes from the first that has it: the digits of A₀₁,
 * which Liberation Sans 1 lacks, from DejaVu Sans. No HTML labels for bold text: libgvc loses memory with each. */
#define TG_SCENE_FONT "Liberation Sans,Arial,Helvetica,DejaVu Sans,sans-serif"
#define TG_SCENE_BOLD " Bold"

/* What most boxes have, so that it is written once. */
#define TG_SCENE_LINE "#4d4d4d"
#define TG_SCENE_PEN 0.8

struct TgScene {
  GStringChunk *strings; /* all strings of marks and strokes */
  GArray *marks;         /* TgMark */
  GArray *strokes;       /* TgStroke; point[0] is the scene's, and point[1] follows it there */
  double width, height;
  const char *title, *description;
};

enum { TG_HEAD_POINTS = 10 }; /* length of an arrowhead of scale 1 */

/** Heads grow with the pen, but take no more than two thirds of a short arrow. */
double tg_stroke_head_scale(const TgStroke *stroke);

/** A mark in SVG: its colours, `none` where it has none, and the width of its border. */
const char *tg_scene_fill(const TgMark *mark);
const char *tg_scene_border(const TgMark *mark);
double tg_scene_pen(const TgMark *mark);
/** Base of a line of its text. Lines are 1.2 sizes apart, their middle on the mark's centre: as libgvc places them. */
double tg_scene_line_y(const TgMark *mark, int line);

/** Appends a number with a decimal point, whatever the locale, and at most two places: finer than any screen. */
void tg_scene_append_number(GString *string, double value);

#endif

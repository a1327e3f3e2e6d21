/** @file scene.h
 * A picture as a list of marks at fixed places: boxes, circles, lines of text, and strokes with arrowheads. What is
 * drawn is decided before this and how it is written after it. Coordinates are points (1/72 inch) from the upper left
 * corner, y downwards.
 *
 * Every mark becomes a Graphviz node with a fixed place and every stroke an edge with its own spline, so that nothing
 * is laid out again (engine nop2). Slots are separate nodes, not cells of an HTML table: each then has its own
 * id in the SVG, and libgvc loses 18 to 71 KiB a picture with HTML tables. */
#ifndef TG_SCENE_H
#define TG_SCENE_H

#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef enum TgOutline { TG_OUTLINE_TEXT, TG_OUTLINE_BOX, TG_OUTLINE_ROUNDED, TG_OUTLINE_CIRCLE } TgOutline;

/** A box, a circle or a line of text. Strings may be NULL where they are not needed. */
typedef struct TgMark {
  TgOutline shape;
  const char *id;    /**< unique in the scene; NULL: numbered */
  const char *title; /**< what it is, in words: read aloud and shown under the pointer */
  double x, y;       /**< centre */
  double width, height;
  const char *fill; /**< colour; NULL: none */
  const char *line; /**< colour of the border; NULL: none */
  double pen;       /**< width of the border in points; 0: 1 */
  bool dashed;      /**< the border */
  const char *text; /**< one line, or several with \n, centred */
  double size;      /**< of the text, points */
  bool bold;
  const char *ink; /**< colour of the text */
} TgMark;

/** A point. */
typedef struct TgPoint {
  double x, y;
} TgPoint;

/** Where a stroke ends. */
typedef enum TgHead { TG_HEAD_NONE, TG_HEAD_ARROW } TgHead;

/** A line or arrow of one or two pieces, each a chain of cubic Béziers: 3n + 1 points. */
typedef struct TgStroke {
  const char *id, *title;
  const char *from, *to; /**< ids of the marks that it joins */
  const TgPoint *point[2];
  int points[2]; /**< 0 for the second piece where there is one only */
  TgHead head;   /**< at the end of each piece */
  const char *colour;
  const char *style; /**< Graphviz style: solid, dashed, dotted */
  double pen;        /**< points */
  const char *label; /**< a number on it, in the stroke's group; NULL: none. Its colour: ink; its centre: label_at */
  const char *ink;
  TgPoint label_at;
  double label_size; /**< points */
} TgStroke;

typedef struct TgScene TgScene;

TgScene *tg_scene_new(void);
void tg_scene_free(TgScene *scene);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgScene, tg_scene_free)

/** Adds a copy. Marks lie over strokes; of two of a kind the later lies over the earlier. */
void tg_scene_mark(TgScene *scene, const TgMark *mark);
void tg_scene_stroke(TgScene *scene, const TgStroke *stroke);

/** Gives the stroke added last a label. */
void tg_scene_label_stroke(TgScene *scene, TgPoint at, double size, const char *ink, const char *text);

/** A line of text centred at (x, y). */
void tg_scene_text(TgScene *scene, double x, double y, double size, const char *ink, const char *text);
/** One in bold, which may have an id. */
void tg_scene_bold(TgScene *scene, const char *id, double x, double y, double size, const char *text);
/** A box without text around its centre, or between two corners. */
void tg_scene_box_at(TgScene *scene, const char *id, const char *title, TgPoint centre, double width, double height,
                     const char *fill, const char *line, double pen);
void tg_scene_box(TgScene *scene, const char *id, const char *title, TgPoint a, TgPoint b, const char *fill,
                  const char *line, double pen);
/** Gives the mark added last a text; NULL: none. */
void tg_scene_label_mark(TgScene *scene, double size, const char *ink, const char *text);
/** A way from a to b as a cubic Bézier: straight, but that its control points are moved by `aside`. */
void tg_bezier(TgPoint point[4], TgPoint a, TgPoint b, TgPoint aside);
/** A straight line without an arrowhead between two marks; `style` as in TgStroke. */
void tg_scene_line(TgScene *scene, const char *id, const char *from, const char *to, TgPoint a, TgPoint b,
                   const char *colour, const char *style, double pen);

/** The picture's size in points, its title and, in a sentence or two, what it shows. */
void tg_scene_set_canvas(TgScene *scene, double width, double height);
void tg_scene_describe(TgScene *scene, const char *title, const char *description);

const char *tg_scene_title(const TgScene *scene);
const char *tg_scene_description(const TgScene *scene);
/** The titles of those marks and strokes that have one, by their ids, both the scene's. Free with g_hash_table_unref().
 */
GHashTable *tg_scene_titles(const TgScene *scene);

/** What it consists of: marks, those of them with words, and strokes. */
typedef struct TgSceneSize {
  double marks, texts, strokes;
  double width, height; /**< points */
} TgSceneSize;

TgSceneSize tg_scene_size(const TgScene *scene);

/** The scene as a Graphviz graph for the engine nop2. Free with g_string_free(). */
GString *tg_scene_dot(const TgScene *scene);

/** The scene for LaTeX, as a `tikzpicture`. Free with g_string_free(). */
GString *tg_scene_tikz(const TgScene *scene);
/** One scene's marks and strokes alone, and what comes before and after those of all in one picture. */
GString *tg_scene_tikz_body(const TgScene *scene);
void tg_scene_tikz_open(GString *tikz, double width, double height, const char *title);
void tg_scene_tikz_close(GString *tikz);

/** The scene as SVG without Graphviz: what the page draws with. Marks and strokes have the ids, titles and colours that
 * they have in the files that Graphviz writes. `<svg …>`, closed. Everything with an id is a group `<g id=…
 * class="node|edge">` with its words in `<title>`. Every id gets `prefix` in front, so that several pictures fit
 * in one page. Free with g_string_free(). */
GString *tg_scene_svg(const TgScene *scene, const char *prefix);

/** Append one such group, a line. */
void tg_scene_svg_mark(GString *svg, const TgMark *mark, const char *prefix);
void tg_scene_svg_stroke(GString *svg, const TgStroke *stroke, const char *prefix);

G_END_DECLS

#endif

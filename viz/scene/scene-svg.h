/** @file scene-svg.h
 * A scene as SVG without Graphviz: what the page draws with. Marks and strokes have the ids, titles and colours that
 * they have in the files that Graphviz writes. */
#ifndef TG_SCENE_SVG_H
#define TG_SCENE_SVG_H

#include "scene.h"

/** `<svg …>`, closed. Everything with an id is a group `<g id=… class="node|edge">` with its words in `<title>`. Every
 * id gets `prefix` in front, so that several pictures may stand in one page. Free with g_string_free(). */
GString *tg_scene_svg(const TgScene *scene, const char *prefix);

/** Append one such group, a line; `point` are the stroke's own. */
void tg_scene_svg_mark(GString *svg, const TgMark *mark, const char *prefix);
void tg_scene_svg_stroke(GString *svg, const TgStroke *stroke, const TgPoint *point, const char *prefix);

#endif

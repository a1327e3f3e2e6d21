/** @file svg-text.h
 * What libgvc writes as SVG, made fit for a page. Private to viz/. */
#ifndef TG_SVG_TEXT_H
#define TG_SVG_TEXT_H

#include <glib.h>

#include "scene.h"

/** libgvc's SVG without its comments, its document type (an address on the network) and its escaped hyphens, with the
 * scene's title and description, and with the titles of the marks and strokes. */
GString *tg_svg_finish(const TgScene *scene, const char *svg, gsize length);

/** The part between <svg …> and </svg> of a finished SVG. */
char *tg_svg_body(const char *svg);

/** A copy of `text` with every `from` replaced; free with g_free(). */
char *tg_text_replace(const char *text, const char *from, const char *to);
/** Appends `<name>text</name>` and a line end. */
void tg_svg_element(GString *svg, const char *name, const char *text);
/** Appends `<svg …>` of a size in points with title and description, left open. */
void tg_svg_open(GString *svg, double width, double height, const char *title, const char *description);

#endif

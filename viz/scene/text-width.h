/** @file text-width.h
 * How wide a line of Liberation Sans is, to leave room for it. The metrics are those of Helvetica, which the font
 * shares, so that pictures have the same layout where the font is missing. */
#ifndef TG_TEXT_WIDTH_H
#define TG_TEXT_WIDTH_H

#include <glib.h>

/** Width of one line of UTF-8 in points. */
double tg_text_width(const char *text, double size);

/** Breaks `text` at spaces into lines no wider than `width` and about equally wide; a word
 * that is wider has its own line. Free with g_strfreev().
 */
char **tg_text_wrap(const char *text, double size, double width);

#endif

/** @file draw-error.h
 * The errors of the pictures. */
#ifndef TG_DRAW_ERROR_H
#define TG_DRAW_ERROR_H

#include <glib.h>

G_BEGIN_DECLS

#define TG_DRAW_ERROR (tg_draw_error_quark())

typedef enum TgDrawError {
  TG_DRAW_ERROR_FORMAT,   /**< no such file format, or not for this kind of picture */
  TG_DRAW_ERROR_STEP,     /**< the schedule has no such step */
  TG_DRAW_ERROR_SCHEDULE, /**< the schedule fails when it is run: the message names step and processor */
  TG_DRAW_ERROR_NETWORK,  /**< the grid does not go onto the network */
  TG_DRAW_ERROR_TOO_BIG,  /**< more than can be drawn */
  TG_DRAW_ERROR_MEMORY,   /**< more than memory, or the limit, holds */
  TG_DRAW_ERROR_PROGRAM,  /**< a helper program or font is not installed: the message names its package */
  TG_DRAW_ERROR_RENDER,   /**< Graphviz, the helper program or the file system refused: the message tells what */
  TG_DRAW_ERROR_STOPPED   /**< by the watch */
} TgDrawError;

GQuark tg_draw_error_quark(void);
/** Sets the error and is false: `return TG_DRAW_FAIL(error, FORMAT, "no format %s", name);` */
#define TG_DRAW_FAIL(error, code, ...) (g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_##code, __VA_ARGS__), FALSE)

G_END_DECLS

#endif

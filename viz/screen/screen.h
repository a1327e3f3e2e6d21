/** @file screen.h
 * One step of a schedule as a text screen: what it does, the grid of processors with their blocks, products and
 * messages, and how far C is. A function of its arguments alone: no terminal is asked or written to here. */
#ifndef TG_SCREEN_H
#define TG_SCREEN_H

#include "paper.h"
#include "tour.h"

G_BEGIN_DECLS

/** What of the grid is drawn. */
typedef enum TgScreenZoom {
  TG_ZOOM_AUTO, /**< cells where a fair part of them fits, else the map */
  TG_ZOOM_CELLS,
  TG_ZOOM_MAP /**< two signs a processor: how far its sum is, and blocks that it receives */
} TgScreenZoom;

typedef struct TgScreen {
  const TgTour *tour; /**< the step, and what came before */
  TgPaper paper;
  TgScreenZoom zoom;
  int64_t top, left;           /**< scrolled: first row of the grid's picture, first column of its processors */
  const TgBlockName *followed; /**< NULL: none */
  char **journey;              /**< with `followed`: what becomes of it in each step; may be NULL */
  const char *source;          /**< text of the schedule, to show lines of */
  const char *message;         /**< in place of the keys; NULL: none */
  bool help;                   /**< the keys' meaning, in place of the grid */
} TgScreen;

/** Where the picture of the grid can be scrolled to; filled by tg_screen_draw(). */
typedef struct TgScreenExtent {
  int64_t height;  /**< rows of the whole picture of the grid */
  int64_t shown;   /**< rows of it on the screen */
  int64_t columns; /**< of processors */
  int64_t columns_shown;
} TgScreenExtent;

/** The screen as rows of text, each ended by a newline, none wider than `columns`; at most `rows` of them, or as many
 * as there are where `rows` is 0. `extent` may be NULL. Free with g_string_free(). */
GString *tg_screen_draw(const TgScreen *screen, int rows, int columns, TgScreenExtent *extent);

G_END_DECLS

#endif

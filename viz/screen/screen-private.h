/** @file screen-private.h
 * The parts of a screen. Private to viz/screen/. */
#ifndef TG_SCREEN_PRIVATE_H
#define TG_SCREEN_PRIVATE_H

#include "screen.h"

/** The grid as it lies on the screen: planes below one another, each of rows and columns. */
typedef struct TgScreenGrid {
  int64_t planes, rows, columns;
  int row_axis, column_axis; /**< coordinates; -1 where there is no such one */
} TgScreenGrid;

TgScreenGrid tg_screen_grid(const TgSchedule *schedule);
/** "i=2"; on planes "k=1" or "k=1, l=0". */
void tg_screen_axis_text(GString *text, const TgScreen *screen, int axis, int64_t value);
void tg_screen_plane_text(GString *text, const TgScreen *screen, const TgScreenGrid *grid, int64_t plane);
/** The processor at a place. */
int64_t tg_screen_processor(const TgScreenGrid *grid, int64_t plane, int64_t row, int64_t column);

/** True where the step fails on this processor. */
bool tg_cell_failed(const TgScreen *screen, int64_t processor);

/** A bar of four signs for `part` of `whole`. */
void tg_screen_bar(GString *text, const TgPaper *paper, int64_t part, int64_t whole, int signs);

/** What is drawn of the grid: columns of processors side by side. */
typedef struct TgScreenPart {
  const TgScreen *screen;
  TgScreenGrid grid;
  int64_t left, across; /**< of the processors: the first column, and how many */
  int columns;          /**< of the screen */
  int label, pitch;     /**< columns of the screen before the first processor, and from each to the next */
  int indent, width;    /**< left free before a processor's words where there is room, and for these; 0: any */
  int every;            /**< how many columns of processors have one head */
  GArray *rows;
} TgScreenPart;

/** Adds a row of processors. */
typedef void TgScreenAddRow(const TgScreenPart *part, int64_t plane, int64_t row);
/** Scrolls the part and adds its rows: of each plane a line of heads, and the rows of processors. */
void tg_screen_planes(TgScreenPart *part, TgScreenAddRow *add_row, TgScreenExtent *extent);

/** The grid's picture: as many columns of processors from `screen->left` on as fit. */
GArray *tg_screen_cells(const TgScreen *screen, int columns, TgScreenExtent *extent);
/** Columns of processors that cells of a readable width leave room for. */
int64_t tg_screen_cells_across(const TgScreen *screen, int columns);

#endif

/** @file screen-private.h
 * The parts of a screen. Private to viz/screen/. */
#ifndef TG_SCREEN_PRIVATE_H
#define TG_SCREEN_PRIVATE_H

#include "screen.h"

/** A screen's parts as arrays of TgRow. */
GArray *tg_rows_new(void);
/** Appends an empty row, to be filled before the next call. */
TgRow *tg_rows_add(GArray *rows);

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

/** What stands in a cell, by kind. */
typedef enum TgCellPart { TG_CELL_WORK, TG_CELL_HOLDS, TG_CELL_OUT, TG_CELL_IN, TG_CELL_PARTS } TgCellPart;

/** Appends the words (TgWord) of one part of a processor's cell. */
void tg_cell_words(GArray *words, const TgScreen *screen, int64_t processor, TgCellPart part);
/** Appends what a processor sends, and where to; and what it gets. */
void tg_cell_out(GArray *words, const TgScreen *screen, int64_t processor);
void tg_cell_in(GArray *words, const TgScreen *screen, int64_t processor);
/** The look of a block, with the flags that it deserves. */
unsigned tg_cell_look(const TgScreen *screen, const TgBlockName *block);
/** True where the step fails on this processor. */
bool tg_cell_failed(const TgScreen *screen, int64_t processor);

/** A bar of four signs for `part` of `whole`. */
void tg_screen_bar(GString *text, const TgPaper *paper, int64_t part, int64_t whole, int signs);

/** The grid's picture: as many columns of processors from `screen->left` on as fit. */
GArray *tg_screen_cells(const TgScreen *screen, int columns, TgScreenExtent *extent);
GArray *tg_screen_map(const TgScreen *screen, int columns, TgScreenExtent *extent);
/** Columns of processors that cells of a readable width leave room for. */
int64_t tg_screen_cells_across(const TgScreen *screen, int columns);

/** Title, label, note, what fails, and the lines that run; or, of a followed block, its journey in `rows` rows. */
GArray *tg_screen_head(const TgScreen *screen, int rows, int columns);
/** Counts, and how far C is. */
GArray *tg_screen_foot(const TgScreen *screen, int columns);
/** What the keys do. */
GArray *tg_screen_help(const TgScreen *screen, int columns);

#endif

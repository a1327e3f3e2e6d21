/** @file cell.h
 * A processor as a small table: its name, its slots coloured by matrix, the product it forms. Private to viz/. */
#ifndef TG_CELL_H
#define TG_CELL_H

#include "frame.h"
#include "scene.h"

enum { TG_CELL_ITEMS = 48 };

/** The position of a slot in the cell. */
typedef struct TgCellItem {
  uint8_t buffer;
  int32_t index;              /**< -1: all of an array in one place */
  double x, y, width, height; /**< centre from the cell's centre, points */
} TgCellItem;

/** How every processor of a picture is drawn: the same in all steps. */
typedef struct TgCellLayout {
  double width, height;
  double header;  /**< height of the line with the name; 0: none */
  double product; /**< height of the line with the product; 0: none */
  double name_size, caption_size, block_size, next_size, product_size; /**< text sizes; 0: left out */
  int items;
  TgCellItem item[TG_CELL_ITEMS];
} TgCellLayout;

/** Name, slots with what comes next, and, where the schedule multiplies, the product: grids up to 8×8. */
void tg_cell_layout_full(TgCellLayout *layout, const TgFrame *frame);
/** Name and slots side by side: hypercubes. */
void tg_cell_layout_mini(TgCellLayout *layout, const TgFrame *frame);
/** Slots above one another: grids up to 32×32. */
void tg_cell_layout_small(TgCellLayout *layout, const TgFrame *frame);

/** Draws `processor` at `centre` under `name`. Its outline has the id "p-1-2", its slots "p-1-2-A", of arrays
 * "p-1-2-C-3". */
void tg_cell_draw(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, int64_t processor, TgPoint centre,
                  const char *name);

/** Whether the step's failure is about this buffer of the processor where it fails. */
bool tg_cell_blames(const TgFrame *frame, int buffer);

/** True where what the slot shows came or began in this step. */
bool tg_slot_fresh(const TgFrame *frame, const TgFrameSlot *slot);

#endif

#include "cell.h"

#include "text-width.h"

/* Slots of one row of a cell. */
typedef struct Row {
  int first, count;
  double height;
} Row;

typedef struct Plan {
  TgCellLayout *layout;
  Row row[TG_CELL_ITEMS];
  int rows;
  double unit; /* least width of a slot */
} Plan;

static void add_item(Plan *plan, int buffer, int32_t index) {
  if (plan->layout->items == TG_CELL_ITEMS) return;
  plan->layout->item[plan->layout->items++] = (TgCellItem){.buffer = (uint8_t)buffer, .index = index};
  plan->row[plan->rows - 1].count++;
}

static void add_row(Plan *plan, double height) {
  if (plan->rows < TG_CELL_ITEMS) plan->rows++;
  plan->row[plan->rows - 1] = (Row){.first = plan->layout->items, .height = height};
}

static int count_scalars(const TgFrame *frame) {
  int count = 0;
  for (int b = 0; b < frame->schedule->buffers; b++) count += frame->length[b] == 1;
  return count;
}

/* Single slots, at most `per_row` beside one another; up to four are never broken. */
static void add_scalars(Plan *plan, const TgFrame *frame, int per_row, double height) {
  int scalars = count_scalars(frame), in_row = 0;
  if (scalars <= 4 && per_row > 1) per_row = 4;
  for (int b = 0; b < frame->schedule->buffers; b++) {
    if (frame->length[b] != 1) continue;
    if (in_row++ % per_row == 0) add_row(plan, height);
    add_item(plan, b, 0);
  }
}

/* An array of up to `most` slots in one or two rows; a longer one as a whole. */
static void add_array(Plan *plan, int buffer, int32_t length, int most, double height) {
  int per_row = length <= 4 ? length : (length + 1) / 2;
  bool whole = length > most || plan->layout->items + length > TG_CELL_ITEMS;
  for (int32_t index = 0; !whole && index < length; index++) {
    if (index % per_row == 0) add_row(plan, height);
    add_item(plan, buffer, index);
  }
  if (!whole) return;
  add_row(plan, height);
  add_item(plan, buffer, -1);
}

static void add_arrays(Plan *plan, const TgFrame *frame, int most, double height) {
  for (int b = 0; b < frame->schedule->buffers; b++)
    if (frame->length[b] > 1) add_array(plan, b, frame->length[b], most, height);
}

static void place_row(TgCellLayout *layout, const Row *row, double top) {
  for (int i = 0; i < row->count; i++) {
    TgCellItem *item = &layout->item[row->first + i];
    item->width = layout->width / row->count;
    item->height = row->height;
    item->x = -layout->width / 2 + item->width * (i + 0.5);
    item->y = top + row->height / 2;
  }
}

/* Every row is as wide as the cell. */
static void place_items(Plan *plan, double least_width) {
  TgCellLayout *layout = plan->layout;
  layout->width = least_width;
  layout->height = layout->header + layout->product;
  for (int r = 0; r < plan->rows; r++) {
    layout->width = MAX(layout->width, plan->row[r].count * plan->unit);
    layout->height += plan->row[r].height;
  }
  double top = -layout->height / 2 + layout->header;
  for (int r = 0; r < plan->rows; r++) {
    place_row(layout, &plan->row[r], top);
    top += plan->row[r].height;
  }
}

/* Something is put into a slot of another name. */
static bool changes_names(const TgSchedule *schedule) {
  for (int i = 0; i < schedule->statements; i++) {
    const TgStatement *statement = &schedule->statement[i];
    if (statement->op >= TG_OP_MOVE && statement->op != TG_OP_MULTIPLY && statement->op != TG_OP_ZERO &&
        statement->source.buffer != statement->target.buffer)
      return true;
  }
  return false;
}

/* Slots need their names where a name is not that of the matrix, or where there are several. */
static bool needs_captions(const TgFrame *frame) {
  static const char *const usual[] = {"A", "B", "C"};
  for (int b = 0; b < frame->schedule->buffers; b++) {
    const char *name = tg_name(frame->names, frame->names->buffer[b]);
    bool known = false;
    for (gsize u = 0; u < G_N_ELEMENTS(usual); u++) known |= g_str_equal(name, usual[u]);
    if (frame->length[b] > 1 || (frame->length[b] == 1 && !known)) return true;
  }
  return changes_names(frame->schedule);
}

static bool multiplies(const TgSchedule *schedule) {
  for (int i = 0; i < schedule->statements; i++)
    if (schedule->statement[i].op == TG_OP_MULTIPLY) return true;
  return false;
}

void tg_cell_layout_full(TgCellLayout *layout, const TgFrame *frame) {
  Plan plan = {.layout = layout, .unit = 42};
  bool captions = needs_captions(frame);
  *layout = (TgCellLayout){.header = 20,
                           .product = multiplies(frame->schedule) ? 21 : 0,
                           .name_size = 12,
                           .caption_size = captions ? 8 : 0,
                           .block_size = 15,
                           .next_size = 9.5,
                           .product_size = 12};
  add_scalars(&plan, frame, 3, captions ? 50 : 44);
  add_arrays(&plan, frame, 8, 42);
  place_items(&plan, 132);
}

void tg_cell_layout_mini(TgCellLayout *layout, const TgFrame *frame) {
  Plan plan = {.layout = layout, .unit = 28};
  *layout = (TgCellLayout){.header = 13, .name_size = 9, .block_size = 11};
  add_scalars(&plan, frame, 4, 19);
  add_arrays(&plan, frame, 1, 19);
  place_items(&plan, 56);
}

void tg_cell_layout_small(TgCellLayout *layout, const TgFrame *frame) {
  Plan plan = {.layout = layout, .unit = 38};
  *layout = (TgCellLayout){.block_size = 10};
  add_scalars(&plan, frame, 1, 14);
  add_arrays(&plan, frame, 1, 14);
  place_items(&plan, 38);
}

double tg_fitting_size(const char *text, double size, double width) {
  double needed = tg_text_width(text, size);
  return needed > width ? size * width / needed : size;
}

#include "cell.h"

#include "text-width.h"

/* Slots of one row of a cell. */
typedef struct Row {
  int first, count;
  double height;
} Row;

typedef struct Plan {
  TgCellForm *form;
  Row row[TG_CELL_ITEMS];
  int rows;
  double unit; /* least width of a slot */
} Plan;

static void add_item(Plan *plan, int buffer, int32_t index) {
  if (plan->form->items == TG_CELL_ITEMS) return;
  plan->form->item[plan->form->items++] = (TgCellItem){.buffer = (uint8_t)buffer, .index = index};
  plan->row[plan->rows - 1].count++;
}

static void add_row(Plan *plan, double height) {
  if (plan->rows < TG_CELL_ITEMS) plan->rows++;
  plan->row[plan->rows - 1] = (Row){.first = plan->form->items, .height = height};
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
  bool whole = length > most || plan->form->items + length > TG_CELL_ITEMS;
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

static void place_row(TgCellForm *form, const Row *row, double top) {
  for (int i = 0; i < row->count; i++) {
    TgCellItem *item = &form->item[row->first + i];
    item->width = form->width / row->count;
    item->height = row->height;
    item->x = -form->width / 2 + item->width * (i + 0.5);
    item->y = top + row->height / 2;
  }
}

/* Every row is as wide as the cell. */
static void place_items(Plan *plan, double least_width) {
  TgCellForm *form = plan->form;
  form->width = least_width;
  form->height = form->header + form->product;
  for (int r = 0; r < plan->rows; r++) {
    form->width = MAX(form->width, plan->row[r].count * plan->unit);
    form->height += plan->row[r].height;
  }
  double top = -form->height / 2 + form->header;
  for (int r = 0; r < plan->rows; r++) {
    place_row(form, &plan->row[r], top);
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

void tg_cell_form_full(TgCellForm *form, const TgFrame *frame) {
  Plan plan = {.form = form, .unit = 42};
  bool captions = needs_captions(frame);
  *form = (TgCellForm){.header = 20,
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

void tg_cell_form_mini(TgCellForm *form, const TgFrame *frame) {
  Plan plan = {.form = form, .unit = 28};
  *form = (TgCellForm){.header = 13, .name_size = 9, .block_size = 11};
  add_scalars(&plan, frame, 4, 19);
  add_arrays(&plan, frame, 1, 19);
  place_items(&plan, 56);
}

void tg_cell_form_small(TgCellForm *form, const TgFrame *frame) {
  Plan plan = {.form = form, .unit = 38};
  *form = (TgCellForm){.block_size = 10};
  add_scalars(&plan, frame, 1, 14);
  add_arrays(&plan, frame, 1, 14);
  place_items(&plan, 38);
}

double tg_fitting_size(const char *text, double size, double width) {
  double needed = tg_text_width(text, size);
  return needed > width ? size * width / needed : size;
}

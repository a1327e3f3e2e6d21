#include "cell.h"

#include "palette.h"
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

/* Single slots, at most `per_row` in a row; up to four are never broken. */
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
    if (!tg_op_traits(statement->op)->is_block && statement->op != TG_OP_MULTIPLY && statement->op != TG_OP_ZERO &&
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

/* The largest text size up to `size` in which `text` fits into `width`. */
static double fitting_size(const char *text, double size, double width) {
  double needed = tg_text_width(text, size);
  return needed > width ? size * width / needed : size;
}

bool tg_slot_fresh(const TgFrame *frame, const TgFrameSlot *slot) {
  const TgBlockName *shown = tg_frame_slot_shown(slot);
  if (frame->step == 0 || shown->kind == TG_VALUE_EMPTY) return false;
  return shown->terms != slot->before.terms || shown->twice != slot->before.twice ||
         !tg_block_name_same(shown, &slot->before);
}

/* What a slot looks like. */
typedef struct SlotLook {
  const char *fill, *line, *ink, *soft;
} SlotLook;

static SlotLook look_of(const TgBlockName *block, bool fresh) {
  if (block->kind == TG_VALUE_EMPTY) return (SlotLook){"white", TG_COLOUR_IDLE, TG_COLOUR_INK_SOFT, TG_COLOUR_INK_SOFT};
  const TgMatrixStyle *style = &tg_matrix_style[block->matrix];
  if (fresh) return (SlotLook){style->ink, TG_COLOUR_LINE, "white", "white"};
  return (SlotLook){style->tint, TG_COLOUR_LINE, style->ink, style->ink};
}

static void append_slot_id(GString *id, const TgFrame *frame, int64_t processor, const TgCellItem *item) {
  tg_processor_id_append(id, frame->schedule, processor);
  g_string_append_printf(id, "-%s", tg_name(frame->names, frame->names->buffer[item->buffer]));
  if (item->index >= 0 && frame->length[item->buffer] > 1) g_string_append_printf(id, "-%d", item->index);
}

static void append_slot_name(GString *text, const TgFrame *frame, const TgCellItem *item) {
  g_string_append(text, tg_name(frame->names, frame->names->buffer[item->buffer]));
  if (item->index >= 0 && frame->length[item->buffer] > 1) g_string_append_printf(text, "[%d]", item->index);
}

/* What the slot holds when the step ends, if that is something else; of a sum, how far it has come. */
static void append_next(GString *text, const TgFrame *frame, const TgFrameSlot *slot) {
  const TgBlockName *shown = tg_frame_slot_shown(slot);
  if (shown->kind == TG_VALUE_EMPTY) return;
  if (!tg_block_name_same(shown, &slot->after)) {
    g_string_append(text, "→ ");
    if (slot->after.kind == TG_VALUE_EMPTY) g_string_append(text, "–");
    tg_block_name_append(text, &slot->after);
  } else if (shown->kind == TG_VALUE_SUM && frame->schedule->inner > 1) {
    g_string_append_printf(text, "%d/%d%s", slot->after.terms, frame->schedule->inner,
                           slot->after.twice ? " twice" : "");
  }
}

static void append_slot_title(GString *title, const TgFrame *frame, int64_t processor, const TgCellItem *item,
                              const TgFrameSlot *slot) {
  tg_processor_append(title, frame->schedule, processor);
  g_string_append(title, ", slot ");
  append_slot_name(title, frame, item);
  g_string_append(title, ": ");
  const TgBlockName *shown = tg_frame_slot_shown(slot);
  tg_block_name_append(title, shown);
  if (shown->kind == TG_VALUE_EMPTY) g_string_append(title, "empty");
  if (!tg_block_name_same(shown, &slot->after)) g_string_append(title, slot->after.kind ? ", then " : ", then empty");
  if (!tg_block_name_same(shown, &slot->after)) tg_block_name_append(title, &slot->after);
  if (slot->after.kind == TG_VALUE_SUM)
    g_string_append_printf(title, ", %d of %d terms%s", slot->after.terms, frame->schedule->inner,
                           slot->after.twice ? ", one of them twice" : "");
}

/* The slot's name: above what it holds where names are needed, and alone where it holds nothing. */
static void draw_caption(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, const TgCellItem *item,
                         TgPoint at, const SlotLook *look, bool empty) {
  if (layout->caption_size <= 0 && !(empty && layout->next_size > 0)) return;
  g_autoptr(GString) name = g_string_new(NULL);
  append_slot_name(name, frame, item);
  if (layout->caption_size > 0)
    tg_scene_text(scene, at.x, at.y - item->height / 2 + 7, layout->caption_size, look->soft, name->str);
  else
    tg_scene_text(scene, at.x, at.y, layout->block_size, TG_COLOUR_INK_FAINT, name->str);
}

/* A block that arrives is new here, too. */
static void draw_next(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, const TgCellItem *item,
                      TgPoint at, const TgFrameSlot *slot, const char *ink) {
  g_autoptr(GString) next = g_string_new(NULL);
  if (layout->next_size > 0) append_next(next, frame, slot);
  if (next->len == 0) return;
  const double size = fitting_size(next->str, layout->next_size, item->width - 2), y = at.y + item->height / 2 - 7;
  const bool arrives = slot->after.kind != TG_VALUE_EMPTY && !tg_block_name_same(tg_frame_slot_shown(slot), &slot->after);
  if (!arrives) {
    tg_scene_text(scene, at.x, y - 1, size, ink, next->str);
    return;
  }
  const char *strong = tg_matrix_style[slot->after.matrix].ink;
  tg_scene_box_at(scene, NULL, NULL, (TgPoint){at.x, y}, item->width - 1, 13, strong, strong, 0.3);
  tg_scene_label_mark(scene, size, "white", next->str);
}

static void draw_box(TgScene *scene, const TgCellLayout *layout, const TgCellItem *item, TgPoint at,
                     const SlotLook *look, const char *id, const char *title, const char *text) {
  tg_scene_box_at(scene, id, title, at, item->width, item->height, look->fill, look->line, 0.8);
  tg_scene_label_mark(scene, fitting_size(text, layout->block_size, item->width - 3), look->ink, text);
}

static void draw_slot(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, const TgCellItem *item,
                      int64_t processor, TgPoint at) {
  const TgFrameSlot *slot = tg_frame_slot(frame, processor, item->buffer, item->index);
  const TgBlockName *shown = tg_frame_slot_shown(slot);
  SlotLook look = look_of(shown, tg_slot_fresh(frame, slot));
  g_autoptr(GString) id = g_string_new(NULL), title = g_string_new(NULL), text = g_string_new(NULL);
  append_slot_id(id, frame, processor, item);
  append_slot_title(title, frame, processor, item, slot);
  tg_block_name_append(text, shown);
  draw_box(scene, layout, item, at, &look, id->str, title->str, text->str);
  draw_caption(scene, frame, layout, item, at, &look, shown->kind == TG_VALUE_EMPTY);
  draw_next(scene, frame, layout, item, at, slot, look.soft);
}

/* An array in one box: how many of its slots are filled, in the colour of the first filled one. */
static void draw_array(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, const TgCellItem *item,
                       int64_t processor, TgPoint at) {
  int32_t filled = 0;
  TgBlockName first = {.kind = TG_VALUE_EMPTY};
  for (int32_t index = 0; index < frame->length[item->buffer]; index++) {
    const TgFrameSlot *slot = tg_frame_slot(frame, processor, item->buffer, index);
    if (slot->after.kind != TG_VALUE_EMPTY && filled++ == 0) first = slot->after;
  }
  SlotLook look = look_of(&first, false);
  g_autoptr(GString) id = g_string_new(NULL), text = g_string_new(NULL), title = g_string_new(NULL);
  append_slot_id(id, frame, processor, item);
  tg_processor_append(title, frame->schedule, processor);
  g_string_append_printf(title, ", array %s: %d of %d slots filled as the step ends",
                         tg_name(frame->names, frame->names->buffer[item->buffer]), filled,
                         frame->length[item->buffer]);
  g_string_append_printf(text, layout->caption_size > 0 ? "%d of %d" : "%d/%d", filled, frame->length[item->buffer]);
  draw_box(scene, layout, item, at, &look, id->str, title->str, text->str);
  draw_caption(scene, frame, layout, item, at, &look, filled == 0);
}

/* "C₀₁ += A₀₂ B₂₁"; of several products only their number, with the sum they go to if it is one. */
static void append_products(GString *text, const TgFrame *frame, int64_t processor) {
  const TgFrameProduct *first = NULL;
  int64_t count = 0;
  bool same = true;
  for (int64_t p = 0; p < frame->products; p++) {
    const TgFrameProduct *product = &frame->product[p];
    if (product->processor != processor) continue;
    if (count++ == 0) first = product;
    same = same && tg_block_name_same(&first->result, &product->result);
  }
  if (first == NULL) return;
  if (same) tg_block_name_append(text, &first->result);
  if (same) g_string_append(text, first->replace ? " = " : " += ");
  if (count > 1) {
    tg_count_append(text, count, "product", "products");
    return;
  }
  tg_factor_append(text, &first->left, first->left_transposed);
  g_string_append_c(text, ' ');
  tg_factor_append(text, &first->right, first->right_transposed);
}

static void draw_product(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, int64_t processor,
                         TgPoint centre) {
  g_autoptr(GString) text = g_string_new(NULL), id = g_string_new(NULL);
  append_products(text, frame, processor);
  tg_processor_id_append(id, frame->schedule, processor);
  g_string_append(id, "-product");
  centre.y += (layout->height - layout->product) / 2;
  tg_scene_box_at(scene, id->str, NULL, centre, layout->width, layout->product, "white", NULL, 0);
  tg_scene_label_mark(scene, fitting_size(text->str, layout->product_size, layout->width - 6), TG_COLOUR_INK,
                      text->str);
}

static void draw_header(TgScene *scene, const TgCellLayout *layout, TgPoint centre, const char *name) {
  centre.y -= (layout->height - layout->header) / 2;
  tg_scene_box_at(scene, NULL, NULL, centre, layout->width, layout->header, TG_COLOUR_HEADER, TG_COLOUR_LINE, 0.8);
  tg_scene_label_mark(scene, layout->name_size, TG_COLOUR_INK, name);
}

/* The buffers, a bit each, that the failure is about: the factors that do not belong together, the sum or block that is
 * written twice, or what is wrong in the end. */
static uint32_t blamed_buffers(const TgFrame *frame) {
  const TgError *failure = frame->failure;
  uint32_t buffers = 0;
  if (failure->statement < 0) {
    for (int p = 0; p < frame->schedule->placements; p++)
      if (frame->schedule->placement[p].matrix == TG_MATRIX_C)
        buffers |= UINT32_C(1) << frame->schedule->placement[p].buffer;
    return buffers;
  }
  const TgStatement *statement = &frame->schedule->statement[failure->statement];
  const bool writes = failure->cause == TG_CAUSE_WRITTEN_TWICE || failure->cause == TG_CAUSE_WRONG_SUM;
  if (writes) return UINT32_C(1) << statement->target.buffer;
  buffers = UINT32_C(1) << statement->source.buffer;
  return statement->op == TG_OP_MULTIPLY ? buffers | UINT32_C(1) << statement->other.buffer : buffers;
}

bool tg_cell_blames(const TgFrame *frame, int buffer) {
  const TgError *failure = frame->failure;
  if (!failure || !(blamed_buffers(frame) >> buffer & 1)) return false;
  if (failure->cause != TG_CAUSE_EMPTY_READ || frame->length[buffer] > 1) return true;
  return failure->processor >= 0 && tg_frame_slot(frame, failure->processor, buffer, 0)->after.kind == TG_VALUE_EMPTY;
}

static void outline_blamed(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, TgPoint centre) {
  for (int i = 0; i < layout->items; i++) {
    const TgCellItem *item = &layout->item[i];
    const bool one_of_several =
        item->index >= 0 && frame->length[item->buffer] > 1; /* it is not known which is meant */
    if (one_of_several || !tg_cell_blames(frame, item->buffer)) continue;
    const TgPoint at = {centre.x + item->x, centre.y + item->y};
    tg_scene_box_at(scene, NULL, "the proof fails here", at, item->width - 4, item->height - 4, NULL, TG_COLOUR_WRONG,
                    3);
  }
}

/* Over all else, so that pale slots do not eat it. */
static void draw_outline(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, int64_t processor,
                         TgPoint centre, const char *name) {
  g_autoptr(GString) id = g_string_new(NULL);
  const bool fails = frame->failure && frame->failure->processor == processor;
  tg_processor_id_append(id, frame->schedule, processor);
  tg_scene_box_at(scene, id->str, name, centre, layout->width, layout->height, NULL,
                  fails ? TG_COLOUR_WRONG : TG_COLOUR_LINE, fails ? 5 : 1.2);
  if (fails) outline_blamed(scene, frame, layout, centre);
}

void tg_cell_draw(TgScene *scene, const TgFrame *frame, const TgCellLayout *layout, int64_t processor, TgPoint centre,
                  const char *name) {
  if (layout->header > 0) draw_header(scene, layout, centre, name);
  for (int i = 0; i < layout->items; i++) {
    const TgCellItem *item = &layout->item[i];
    TgPoint at = {centre.x + item->x, centre.y + item->y};
    if (item->index < 0)
      draw_array(scene, frame, layout, item, processor, at);
    else
      draw_slot(scene, frame, layout, item, processor, at);
  }
  if (layout->product > 0) draw_product(scene, frame, layout, processor, centre);
  draw_outline(scene, frame, layout, processor, centre, name);
}

/* The grid in cells. */
#include <stdlib.h>

#include "screen-private.h"

enum { PRODUCTS = 3, HELD = 12 }; /* shown of one processor; the rest is counted */

/* The look of a block, with the flags that it deserves. */
static unsigned cell_look(const TgScreen *screen, const TgBlockName *block) {
  unsigned look = block->kind == TG_VALUE_ZERO || block->kind == TG_VALUE_EMPTY ? TG_LOOK_FAINT
                                                                                : TG_LOOK_A + (unsigned)block->matrix;
  bool followed = screen->followed && tg_block_name_follows(block, screen->followed);
  return look | (followed ? TG_LOOK_FOLLOWED : 0u);
}

bool tg_cell_failed(const TgScreen *screen, int64_t processor) {
  const TgError *failure = screen->tour->frame->failure;
  return failure && failure->processor == processor;
}

/* Eighths of a sign: how far a sum is shows at a glance, and a step always moves the bar of up to 32 terms. */
void tg_screen_bar(GString *text, const TgPaper *paper, int64_t part, int64_t whole, int signs) {
  int64_t fine = whole > 0 ? part * 8 * signs / whole : 0;
  for (int s = 0; s < signs; s++, fine -= 8) {
    if (paper->unicode)
      g_string_append_unichar(text, fine >= 8 ? 0x2588 : fine > 0 ? 0x2590 - (gunichar)fine : 0x2591);
    else
      g_string_append_c(text, fine >= 8 ? '#' : fine > 0 ? '+' : '.');
  }
}

static void add_block(GArray *words, const TgScreen *screen, const TgBlockName *block, unsigned flags, bool joined) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_paper_block(&screen->paper, text, block);
  tg_word_add(words, cell_look(screen, block) | flags, joined, text->str);
}

/* "C₀₁ ██░░" */
static void add_sum(GArray *words, const TgScreen *screen, const TgBlockName *block) {
  g_autoptr(GString) bar = g_string_new(" ");
  int inner = screen->tour->schedule->inner;
  add_block(words, screen, block, 0, false);
  if (block->kind != TG_VALUE_SUM) return;
  tg_screen_bar(bar, &screen->paper, block->terms, inner, MIN(inner, 4));
  tg_word_add(words, TG_LOOK_C, true, bar->str);
}

static void add_more(GArray *words, int64_t more) {
  g_autofree char *text = g_strdup_printf("+%" G_GINT64_FORMAT, more);
  if (more > 0) tg_word_add(words, TG_LOOK_FAINT, false, text);
}

/* --- messages: "A₀₁←" to the neighbour on the left, "A₀₁→j=*" to all along a line, "2:A₀₁↓" in the second round of the
 * step, "got A₀₂ B₁₂" ------------------------------------------------------------------------------------------ */

enum { SHOWN = 6 }; /* messages of one cell; the rest is counted */

/* A block that goes to several along a line is one thing to say. */
static bool is_same(const TgFrameMessage *a, const TgFrameMessage *b) {
  return a->execution == b->execution && a->round == b->round && a->piece == b->piece &&
         tg_block_name_same(&a->block, &b->block);
}

/* How many get what the processor's message at `at` of its list carries; 0 where an earlier one of them tells it. */
static int64_t receivers(const TgTour *tour, int64_t processor, int64_t at) {
  const TgTourLists *lists = &tour->sent;
  const TgFrameMessage *all = tour->frame->message;
  int64_t count = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    if (!is_same(&all[lists->number[at]], &all[lists->number[m]])) continue;
    if (m < at) return 0;
    count++;
  }
  return count;
}

static const char *arrow(bool unicode, int direction) {
  static const char *const arrows[2][4] = {{"<", ">", "^", "v"}, {"←", "→", "↑", "↓"}};
  return arrows[unicode][direction];
}

/* The shorter way, round the edge where that is it. */
static int64_t offset(int64_t from, int64_t to, int64_t extent) {
  int64_t way = to - from;
  return 2 * llabs(way) > extent ? way - (way > 0 ? extent : -extent) : way;
}

static void append_where(GString *text, const TgScreen *screen, const TgFrameMessage *message) {
  const TgSchedule *schedule = screen->tour->schedule;
  const TgScreenGrid grid = tg_screen_grid(schedule);
  int64_t from[TG_MAX_DIMS], to[TG_MAX_DIMS];
  int axis = tg_frame_message_axis(schedule, message, from, to);
  if (axis >= 0 && (axis == grid.row_axis || axis == grid.column_axis)) {
    int64_t way = offset(from[axis], to[axis], schedule->extent[axis]);
    g_string_append(text, arrow(screen->paper.unicode, (axis == grid.row_axis) * 2 + (way > 0)));
    if (llabs(way) > 1) g_string_append_printf(text, "%" G_GINT64_FORMAT, (int64_t)llabs(way));
    return;
  }
  g_string_append(text, arrow(screen->paper.unicode, 1));
  if (axis >= 0)
    tg_screen_axis_text(text, screen, axis, to[axis]);
  else
    tg_paper_processor(text, schedule, message->to);
}

static void append_line(GString *text, const TgScreen *screen, const TgFrameMessage *message, int64_t count) {
  const TgTour *tour = screen->tour;
  g_string_append(text, arrow(screen->paper.unicode, 1));
  if (tg_op_traits(message->op)->is_collective && count == tour->schedule->extent[message->axis] - 1)
    g_string_append_printf(text, "%s=*", tg_name(tour->names, tour->names->axis[message->axis]));
  else
    g_string_append_printf(text, "%" G_GINT64_FORMAT " others", count);
}

/* With the round before it, "2:A₀₁", where there are several and `rounds` asks for them. */
static void add_message(GArray *words, const TgScreen *screen, const TgFrameMessage *message, bool rounds,
                        unsigned flags) {
  g_autoptr(GString) text = g_string_new(message->add && flags ? "+" : "");
  if (rounds && screen->tour->rounds > 1) g_string_append_printf(text, "%" G_GINT32_FORMAT ":", message->round + 1);
  tg_paper_block(&screen->paper, text, &message->block);
  tg_word_add(words, cell_look(screen, &message->block) | flags, false, text->str);
}

/* What a processor sends, and where to. */
static void add_sent(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->sent;
  int64_t shown = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    const TgFrameMessage *message = &screen->tour->frame->message[lists->number[m]];
    int64_t count = receivers(screen->tour, processor, m);
    if (count == 0 || ++shown > SHOWN) continue;
    g_autoptr(GString) where = g_string_new(NULL);
    add_message(words, screen, message, true, 0);
    if (count > 1)
      append_line(where, screen, message, count);
    else
      append_where(where, screen, message);
    tg_word_add(words, cell_look(screen, &message->block) & ~(unsigned)TG_LOOK_FOLLOWED, true, where->str);
  }
  add_more(words, shown - SHOWN);
}

/* A block in pieces, or one from each of several senders that is added, is told once. */
static bool came_before(const TgTour *tour, int64_t processor, int64_t at) {
  const TgTourLists *lists = &tour->received;
  const TgFrameMessage *all = tour->frame->message;
  for (int64_t m = lists->begin[processor]; m < at; m++)
    if (tg_block_name_same(&all[lists->number[m]].block, &all[lists->number[at]].block)) return true;
  return false;
}

static void add_received(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->received;
  int64_t shown = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    if (came_before(screen->tour, processor, m) || ++shown > SHOWN) continue;
    if (shown == 1) tg_word_add(words, TG_LOOK_FAINT, false, "got");
    add_message(words, screen, &screen->tour->frame->message[lists->number[m]], false, TG_LOOK_NEW);
  }
  add_more(words, shown - SHOWN);
}

/* --- the product, and what else it holds ---------------------------------------------------------------------- */

static void add_products(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->multiplied;
  int64_t count = 0;
  for (int64_t p = lists->begin[processor]; p < lists->begin[processor + 1]; p++) {
    const TgFrameProduct *product = &screen->tour->frame->product[lists->number[p]];
    if (++count > PRODUCTS) break;
    add_block(words, screen, &product->left, 0, false);
    tg_word_add(words, TG_LOOK_FAINT, true, screen->paper.unicode ? "·" : "*");
    add_block(words, screen, &product->right, 0, true);
  }
  add_more(words, lists->begin[processor + 1] - lists->begin[processor] - PRODUCTS);
}

/* What a slot stands for in the picture of a step: as the pictures of draw have it. */
static const TgBlockName *shown(const TgFrameSlot *slot) {
  const TgBlockName *block = tg_frame_slot_shown(slot);
  return slot->after.kind == TG_VALUE_SUM && slot->before.kind == TG_VALUE_EMPTY ? &slot->after : block;
}

static bool came(const TgTour *tour, int64_t processor, const TgFrameSlot *slot) {
  const TgTourLists *lists = &tour->received;
  if (slot->before.kind != TG_VALUE_EMPTY) return false;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++)
    if (tg_block_name_same(&tour->frame->message[lists->number[m]].block, &slot->after)) return true;
  return false;
}

/* Whether a product of the processor reads the block; with `sums`, whether one adds to it. */
static bool multiplied(const TgTour *tour, int64_t processor, const TgBlockName *block, bool sums) {
  const TgTourLists *lists = &tour->multiplied;
  for (int64_t p = lists->begin[processor]; p < lists->begin[processor + 1]; p++) {
    const TgFrameProduct *product = &tour->frame->product[lists->number[p]];
    if (sums ? tg_block_name_same(&product->result, block)
             : tg_block_name_same(&product->left, block) || tg_block_name_same(&product->right, block))
      return true;
  }
  return false;
}

/* A block is named once, however many slots hold it. */
static bool is_first(const TgFrameSlot *slots, int32_t at) {
  for (int32_t s = 0; s < at; s++)
    if (tg_block_name_same(shown(&slots[s]), shown(&slots[at]))) return false;
  return true;
}

/* Sums that the step adds to stand with the product, all else apart. */
static void add_slots(GArray *words, const TgScreen *screen, int64_t processor, bool sums) {
  const TgFrame *frame = screen->tour->frame;
  const TgFrameSlot *slots = &frame->slot[processor * frame->slots];
  int64_t count = 0;
  for (int32_t s = 0; s < frame->slots; s++) {
    const TgBlockName *block = shown(&slots[s]);
    if (block->kind == TG_VALUE_EMPTY || !is_first(slots, s) || came(screen->tour, processor, &slots[s])) continue;
    if (multiplied(screen->tour, processor, block, true) != sums || multiplied(screen->tour, processor, block, false))
      continue;
    if (++count <= HELD) add_sum(words, screen, block);
  }
  add_more(words, count - HELD);
}

static void add_work(GArray *words, const TgScreen *screen, int64_t processor) {
  if (tg_cell_failed(screen, processor)) tg_word_add(words, TG_LOOK_BAD, false, screen->paper.unicode ? "✗" : "!!");
  add_products(words, screen, processor);
  add_slots(words, screen, processor, true);
}

static void add_held(GArray *words, const TgScreen *screen, int64_t processor) {
  add_slots(words, screen, processor, false);
}

/* The parts of a processor's cell, each of words (TgWord). */
typedef void AddPart(GArray *words, const TgScreen *screen, int64_t processor);
static AddPart *const parts[] = {add_work, add_held, add_sent, add_received};

/* --- the grid ------------------------------------------------------------------------------------------------- */

enum { LABEL = 5, WIDEST = 26, NARROWEST = 8, ROOMY = 17 };

TgScreenGrid tg_screen_grid(const TgSchedule *schedule) {
  TgScreenGrid grid = {.planes = 1, .rows = 1, .columns = schedule->extent[0], .row_axis = -1, .column_axis = 0};
  if (schedule->dims > 1) {
    grid.rows = schedule->extent[0];
    grid.columns = schedule->extent[1];
    grid.row_axis = 0;
    grid.column_axis = 1;
  }
  for (int c = 2; c < schedule->dims; c++) grid.planes *= schedule->extent[c];
  return grid;
}

void tg_screen_axis_text(GString *text, const TgScreen *screen, int axis, int64_t value) {
  const TgScheduleNames *names = screen->tour->names;
  g_string_append_printf(text, "%s=%" G_GINT64_FORMAT, tg_name(names, names->axis[axis]), value);
}

void tg_screen_plane_text(GString *text, const TgScreen *screen, const TgScreenGrid *grid, int64_t plane) {
  const TgSchedule *schedule = screen->tour->schedule;
  int64_t below = grid->planes;
  for (int c = 2; c < schedule->dims; c++) {
    below /= schedule->extent[c];
    if (c > 2) g_string_append(text, ", ");
    tg_screen_axis_text(text, screen, c, plane / below % schedule->extent[c]);
  }
}

/* Coordinates are row-major, so those of the planes are the fastest. */
int64_t tg_screen_processor(const TgScreenGrid *grid, int64_t plane, int64_t row, int64_t column) {
  return (row * grid->columns + column) * grid->planes + plane;
}

/* A product's name has to fit: "A₀₁·B₁₂", "A31,31·B31,31". */
static int narrowest(const TgSchedule *schedule) {
  int digits = 1;
  for (int m = 0; m < TG_MATRICES; m++)
    for (int c = 0; c < 2; c++)
      for (int32_t most = schedule->blocks[m][c] - 1, d = 1; most > 0; most /= 10, d++) digits = MAX(digits, d);
  return digits == 1 ? NARROWEST : 2 * (2 + 2 * digits) + 1;
}

/* Pieces of the width: all columns where they fit, else as many of a comfortable width as there is room for. */
int64_t tg_screen_cells_across(const TgScreen *screen, int columns) {
  const TgScreenGrid grid = tg_screen_grid(screen->tour->schedule);
  int least = narrowest(screen->tour->schedule);
  int64_t fit = MAX((columns - LABEL) / (least + 1), 1);
  return fit >= grid.columns ? grid.columns : MAX((columns - LABEL) / (MAX(least, 16) + 1), 1);
}

/* The line over a plane: its name, and where columns of processors are. */
static void add_heads(const TgScreenPart *part, int64_t plane) {
  const TgPaper *paper = &part->screen->paper;
  g_autoptr(GString) text = g_string_new(NULL);
  TgRow *row = tg_rows_add(part->rows);
  if (part->grid.planes > 1) tg_screen_plane_text(text, part->screen, &part->grid, plane);
  tg_row_add(row, paper, TG_LOOK_TITLE, part->label - 1, text->str);
  for (int64_t c = 0; c < part->across; c += part->every) {
    g_string_truncate(text, 0);
    tg_screen_axis_text(text, part->screen, part->grid.column_axis, part->left + c);
    tg_row_pad(row, part->label + part->indent + (int)c * part->pitch);
    tg_row_add(row, paper, TG_LOOK_FAINT, part->width ? part->width : part->columns - row->width, text->str);
  }
}

void tg_screen_planes(TgScreenPart *part, TgScreenAddRow *add_row, TgScreenExtent *extent) {
  part->left = CLAMP(part->screen->left, 0, part->grid.columns - part->across);
  for (int64_t plane = 0; plane < part->grid.planes; plane++) {
    add_heads(part, plane);
    for (int64_t row = 0; row < part->grid.rows; row++) add_row(part, plane, row);
  }
  extent->columns = part->grid.columns;
  extent->columns_shown = part->across;
}

/* One part of the cells of a row of processors: as high as the highest of them. */
static void add_part(const TgScreenPart *cells, GArray *const *part, const char *label) {
  const TgPaper *paper = &cells->screen->paper;
  guint height = 0;
  for (int64_t c = 0; c < cells->across; c++) height = MAX(height, part[c]->len);
  for (guint h = 0; h < height; h++) {
    TgRow *row = tg_rows_add(cells->rows);
    if (h == 0) tg_row_add(row, paper, TG_LOOK_FAINT, LABEL - 1, label);
    for (int64_t c = 0; c < cells->across; c++) {
      tg_row_pad(row, LABEL - 1 + (int)c * cells->pitch);
      tg_row_add(row, paper, TG_LOOK_FAINT, 1, paper->unicode ? "│" : "|");
      if (h >= part[c]->len) continue;
      tg_row_pad(row, row->width + cells->indent);
      const TgRow *piece = &g_array_index(part[c], TgRow, h);
      g_string_append(row->text, piece->text->str);
      row->width += piece->width;
    }
  }
}

static GArray *part_of(const TgScreenPart *cells, int64_t processor, AddPart *part) {
  g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(TgWord));
  part(words, cells->screen, processor);
  return tg_words_wrap(words, &cells->screen->paper, cells->width);
}

static void add_processors(const TgScreenPart *cells, int64_t plane, int64_t row) {
  g_autofree GArray **part = g_new0(GArray *, cells->across);
  g_autoptr(GString) label = g_string_new(NULL);
  if (cells->grid.row_axis >= 0) tg_screen_axis_text(label, cells->screen, cells->grid.row_axis, row);
  for (gsize kind = 0; kind < G_N_ELEMENTS(parts); kind++) {
    guint before = cells->rows->len;
    for (int64_t c = 0; c < cells->across; c++)
      part[c] = part_of(cells, tg_screen_processor(&cells->grid, plane, row, cells->left + c), parts[kind]);
    add_part(cells, part, label->str);
    if (cells->rows->len > before) g_string_truncate(label, 0);
    for (int64_t c = 0; c < cells->across; c++) g_array_unref(part[c]);
  }
}

GArray *tg_screen_cells(const TgScreen *screen, int columns, TgScreenExtent *extent) {
  TgScreenPart cells = {.screen = screen,
                        .grid = tg_screen_grid(screen->tour->schedule),
                        .columns = columns,
                        .label = LABEL,
                        .every = 1,
                        .rows = tg_rows_new()};
  cells.across = tg_screen_cells_across(screen, columns);
  cells.pitch = CLAMP((int)((columns - LABEL + 1) / cells.across), 2, WIDEST + 1);
  cells.indent = cells.pitch > ROOMY;
  cells.width = cells.pitch - 1 - cells.indent;
  tg_screen_planes(&cells, add_processors, extent);
  return cells.rows;
}

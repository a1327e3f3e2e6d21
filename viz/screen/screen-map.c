/* The grid as a map, one or two signs a processor, where cells would show too few of them. */
#include "screen-private.h"

enum { LABEL = 6 };

/* The largest share that a sum on the processor has of its terms, in eighths; -1 where it holds none. */
static int eighths(const TgScreen *screen, int64_t processor) {
  const TgFrame *frame = screen->tour->frame;
  int most = -1;
  for (int32_t s = 0; frame->detail && s < frame->slots; s++) {
    const TgBlockName *block = &frame->slot[processor * frame->slots + s].after;
    if (block->kind == TG_VALUE_SUM) most = MAX(most, block->terms * 8 / MAX(screen->tour->schedule->inner, 1));
  }
  return most;
}

static bool is_followed(const TgScreen *screen, int64_t processor) {
  const TgFrame *frame = screen->tour->frame;
  for (int32_t s = 0; screen->followed && frame->detail && s < frame->slots; s++)
    if (tg_block_name_follows(&frame->slot[processor * frame->slots + s].after, screen->followed)) return true;
  return false;
}

/* Where there is no room for two signs, the second one stands in while there is no sum. */
static void add_tile(TgRow *row, const TgScreen *screen, int64_t processor, bool tight) {
  const TgPaper *paper = &screen->paper;
  g_autoptr(GString) text = g_string_new(NULL);
  int share = eighths(screen, processor), got = screen->tour->frame->received[processor];
  unsigned flags = is_followed(screen, processor) ? TG_LOOK_FOLLOWED : 0;
  if (tg_cell_failed(screen, processor)) {
    tg_row_add(row, paper, TG_LOOK_BAD, 1, paper->unicode ? "✗" : "!");
    return;
  }
  g_autofree char *digit = g_strdup_printf(got > 9 ? "+" : got > 0 ? "%d" : " ", got);
  if (tight && share < 0 && got > 0)
    g_string_append(text, digit);
  else if (share >= 0 && paper->unicode)
    g_string_append_unichar(text, share == 0 ? 0x2581 : 0x2580 + (gunichar)share);
  else
    g_string_append_c(text, share < 0 ? '.' : (char)('0' + share));
  tg_row_add(row, paper, (share < 0 ? TG_LOOK_FAINT : TG_LOOK_C) | flags, 1, text->str);
  if (!tight) tg_row_add(row, paper, TG_LOOK_FAINT | flags, 1, digit);
}

/* The part of the grid that is drawn, and columns of the screen for a processor. */
typedef struct Window {
  const TgScreen *screen;
  TgScreenGrid grid;
  int64_t left, across;
  int width, columns;
  GArray *rows;
} Window;

static void add_heads(const Window *window, int64_t plane) {
  const TgScreen *screen = window->screen;
  g_autoptr(GString) text = g_string_new(NULL);
  TgRow *row = tg_rows_add(window->rows);
  if (window->grid.planes > 1) tg_screen_plane_text(text, screen, &window->grid, plane);
  tg_row_add(row, &screen->paper, TG_LOOK_TITLE, LABEL - 1, text->str);
  for (int64_t c = 0; c < window->across; c += 8) {
    g_string_truncate(text, 0);
    tg_screen_axis_text(text, screen, window->grid.column_axis, window->left + c);
    tg_row_pad(row, LABEL + (int)c * window->width);
    tg_row_add(row, &screen->paper, TG_LOOK_FAINT, window->columns - row->width, text->str);
  }
}

static void add_row(const Window *window, int64_t plane, int64_t at) {
  const TgScreen *screen = window->screen;
  g_autoptr(GString) text = g_string_new(NULL);
  TgRow *row = tg_rows_add(window->rows);
  if (window->grid.row_axis >= 0) tg_screen_axis_text(text, screen, window->grid.row_axis, at);
  tg_row_add(row, &screen->paper, TG_LOOK_FAINT, LABEL - 1, text->str);
  for (int64_t c = 0; c < window->across; c++) {
    tg_row_pad(row, LABEL + (int)c * window->width);
    add_tile(row, screen, tg_screen_processor(&window->grid, plane, at, window->left + c), window->width == 2);
  }
}

static const char *legend(const TgScreen *screen) {
  if (!screen->tour->frame->detail) return "a digit: blocks that the processor receives";
  return screen->paper.unicode ? "▁▄█: how far its sum of C is; a digit: blocks it receives; z: cells"
                               : "first digit: eighths of its sum of C; second: blocks it receives; z: cells";
}

GArray *tg_screen_map(const TgScreen *screen, int columns, TgScreenExtent *extent) {
  Window window = {.screen = screen, .grid = tg_screen_grid(screen->tour->schedule), .columns = columns};
  int room = MAX(columns - LABEL, 2);
  window.width = window.grid.columns * 3 - 1 <= room ? 3 : 2;
  window.across = CLAMP((room + 1) / window.width, 1, window.grid.columns);
  window.left = CLAMP(screen->left, 0, window.grid.columns - window.across);
  window.rows = tg_rows_new();
  tg_row_add(tg_rows_add(window.rows), &screen->paper, TG_LOOK_FAINT, columns, legend(screen));
  for (int64_t plane = 0; plane < window.grid.planes; plane++) {
    add_heads(&window, plane);
    for (int64_t row = 0; row < window.grid.rows; row++) add_row(&window, plane, row);
  }
  extent->columns = window.grid.columns;
  extent->columns_shown = window.across;
  return window.rows;
}

#include "screen-private.h"

enum { HEAD = 7 }; /* rows above the grid where there is room, so that it stands still from step to step */

static const char keys[] = "n next  b back  g goto  space play  f follow  s save  ? help  q quit";

/* Cells while they show a quarter of the processors; about three rows are a row of processors. */
static bool wants_map(const TgScreen *screen, int rows, int columns) {
  const TgScreenGrid grid = tg_screen_grid(screen->tour->schedule);
  if (!screen->tour->frame->detail || screen->zoom == TG_ZOOM_MAP) return true;
  if (screen->zoom == TG_ZOOM_CELLS) return false;
  int64_t high = rows > 0 ? rows / 3 : grid.rows * grid.planes;
  return tg_screen_cells_across(screen, columns) * high * 8 < grid.rows * grid.planes * grid.columns;
}

static void append_rows(GString *text, const GArray *rows, int64_t first, int64_t count) {
  for (int64_t r = first; r < first + count && r < rows->len; r++) {
    g_string_append(text, g_array_index(rows, TgRow, r).text->str);
    g_string_append_c(text, '\n');
  }
}

static void append_keys(GString *text, const TgScreen *screen, const TgScreenExtent *extent, int64_t top, int columns) {
  TgRow row = tg_row_new();
  if (screen->message) {
    tg_row_add(&row, &screen->paper, TG_LOOK_TITLE, columns, screen->message);
  } else {
    g_autofree char *where = extent->shown < extent->height
                                 ? g_strdup_printf("%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "/%" G_GINT64_FORMAT,
                                                   top + 1, top + extent->shown, extent->height)
                                 : g_strdup("");
    int room = columns - tg_text_columns(where) - (*where != 0);
    tg_row_add(&row, &screen->paper, TG_LOOK_FAINT, room, keys);
    if (*where) tg_row_pad(&row, room + 1);
    tg_row_add(&row, &screen->paper, TG_LOOK_FAINT, columns - row.width, where);
  }
  g_string_append(text, row.text->str);
  tg_row_clear(&row);
}

/* Everything in its order, nothing cut: for paper, not for a terminal. */
static GString *draw_all(const TgScreen *screen, int columns, TgScreenExtent *extent) {
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) head = tg_screen_head(screen, G_MAXINT, columns);
  g_autoptr(GArray) foot = tg_screen_foot(screen, columns);
  g_autoptr(GArray) grid =
      wants_map(screen, 0, columns) ? tg_screen_map(screen, columns, extent) : tg_screen_cells(screen, columns, extent);
  extent->height = extent->shown = grid->len;
  append_rows(text, head, 0, head->len);
  append_rows(text, grid, 0, grid->len);
  append_rows(text, foot, 0, foot->len);
  return text;
}

/* The grid gets what head, foot and the line of keys leave, and the journey what the grid leaves, at least six rows. */
static GString *draw_screen(const TgScreen *screen, int rows, int columns, TgScreenExtent *extent) {
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) foot = tg_screen_foot(screen, columns);
  g_autoptr(GArray) grid = screen->help                       ? tg_screen_help(screen, columns)
                           : wants_map(screen, rows, columns) ? tg_screen_map(screen, columns, extent)
                                                              : tg_screen_cells(screen, columns, extent);
  int64_t left = (int64_t)rows - 1 - foot->len;
  g_autoptr(GArray) head = tg_screen_head(screen, (int)CLAMP(left - 1 - grid->len, 6, rows), columns);
  while (!screen->help && head->len < HEAD && left - head->len > grid->len) tg_rows_add(head);
  int64_t above = CLAMP((int64_t)head->len, 0, MAX(left - 4, MIN(rows - 1, 1))), room = MAX(left - above, 0);
  int64_t top = CLAMP(screen->top, 0, MAX((int64_t)grid->len - room, 0));
  extent->height = grid->len;
  extent->shown = MIN(room, (int64_t)grid->len);
  append_rows(text, head, 0, above);
  append_rows(text, grid, top, room);
  for (int64_t r = grid->len; r < room; r++) g_string_append_c(text, '\n');
  append_rows(text, foot, 0, MAX(rows - 1 - above - room, 0));
  append_keys(text, screen, extent, top, columns);
  g_string_append_c(text, '\n');
  return text;
}

GString *tg_screen_draw(const TgScreen *screen, int rows, int columns, TgScreenExtent *extent) {
  TgScreenExtent own = {0};
  TgScreenExtent *filled = extent ? extent : &own;
  *filled = own;
  columns = MAX(columns, 1);
  return rows > 0 ? draw_screen(screen, rows, columns, filled) : draw_all(screen, columns, filled);
}

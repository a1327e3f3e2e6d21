/* The grid in cells. */
#include "screen-private.h"

enum { LABEL = 5, WIDEST = 26, NARROWEST = 8, ROOMY = 17 };

GArray *tg_rows_new(void) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(TgRow));
  g_array_set_clear_func(rows, (GDestroyNotify)(void (*)(void))tg_row_clear);
  return rows;
}

TgRow *tg_rows_add(GArray *rows) {
  TgRow row = tg_row_new();
  g_array_append_val(rows, row);
  return &g_array_index(rows, TgRow, rows->len - 1);
}

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

typedef struct Cells {
  const TgScreen *screen;
  TgScreenGrid grid;
  int64_t left, across;
  int width;  /**< of a cell … */
  int indent; /**< … and how much of it is left free before its words, where there is room */
  GArray *rows;
} Cells;

static void add_heads(const Cells *cells, int64_t plane) {
  const TgPaper *paper = &cells->screen->paper;
  g_autoptr(GString) text = g_string_new(NULL);
  TgRow *row = tg_rows_add(cells->rows);
  if (cells->grid.planes > 1) tg_screen_plane_text(text, cells->screen, &cells->grid, plane);
  tg_row_add(row, paper, TG_LOOK_TITLE, LABEL - 1, text->str);
  for (int64_t c = 0; c < cells->across; c++) {
    g_string_truncate(text, 0);
    tg_screen_axis_text(text, cells->screen, cells->grid.column_axis, cells->left + c);
    tg_row_pad(row, LABEL + cells->indent + (int)c * (cells->width + 1));
    tg_row_add(row, paper, TG_LOOK_FAINT, cells->width - cells->indent, text->str);
  }
}

/* One part of the cells of a row of processors: as high as the highest of them. */
static void add_part(const Cells *cells, GArray *const *part, const char *label) {
  const TgPaper *paper = &cells->screen->paper;
  guint height = 0;
  for (int64_t c = 0; c < cells->across; c++) height = MAX(height, part[c]->len);
  for (guint h = 0; h < height; h++) {
    TgRow *row = tg_rows_add(cells->rows);
    if (h == 0) tg_row_add(row, paper, TG_LOOK_FAINT, LABEL - 1, label);
    for (int64_t c = 0; c < cells->across; c++) {
      tg_row_pad(row, LABEL - 1 + (int)c * (cells->width + 1));
      tg_row_add(row, paper, TG_LOOK_FAINT, 1, paper->unicode ? "│" : "|");
      if (h >= part[c]->len) continue;
      tg_row_pad(row, row->width + cells->indent);
      const TgRow *piece = &g_array_index(part[c], TgRow, h);
      g_string_append(row->text, piece->text->str);
      row->width += piece->width;
    }
  }
}

static GArray *part_of(const Cells *cells, int64_t processor, TgCellPart part) {
  g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(TgWord));
  tg_cell_words(words, cells->screen, processor, part);
  return tg_words_wrap(words, &cells->screen->paper, cells->width - cells->indent);
}

static void add_processors(const Cells *cells, int64_t plane, int64_t row) {
  g_autofree GArray **part = g_new0(GArray *, cells->across);
  g_autoptr(GString) label = g_string_new(NULL);
  if (cells->grid.row_axis >= 0) tg_screen_axis_text(label, cells->screen, cells->grid.row_axis, row);
  for (int kind = 0; kind < TG_CELL_PARTS; kind++) {
    guint before = cells->rows->len;
    for (int64_t c = 0; c < cells->across; c++)
      part[c] = part_of(cells, tg_screen_processor(&cells->grid, plane, row, cells->left + c), (TgCellPart)kind);
    add_part(cells, part, label->str);
    if (cells->rows->len > before) g_string_truncate(label, 0);
    for (int64_t c = 0; c < cells->across; c++) g_array_unref(part[c]);
  }
}

GArray *tg_screen_cells(const TgScreen *screen, int columns, TgScreenExtent *extent) {
  Cells cells = {.screen = screen, .grid = tg_screen_grid(screen->tour->schedule), .rows = tg_rows_new()};
  cells.across = tg_screen_cells_across(screen, columns);
  cells.left = CLAMP(screen->left, 0, cells.grid.columns - cells.across);
  cells.width = CLAMP((int)((columns - LABEL + 1) / cells.across) - 1, 1, WIDEST);
  cells.indent = cells.width >= ROOMY;
  for (int64_t plane = 0; plane < cells.grid.planes; plane++) {
    add_heads(&cells, plane);
    for (int64_t row = 0; row < cells.grid.rows; row++) add_processors(&cells, plane, row);
  }
  extent->columns = cells.grid.columns;
  extent->columns_shown = cells.across;
  return cells.rows;
}

#include "screen-private.h"

#include <string.h>

static GArray *screen_map(const TgScreen *screen, int columns, TgScreenExtent *extent);

/* --- above the grid: the step in words, the lines that run, what fails; or the journey of a block ------------- */

enum { RUNNING = 4 }; /* lines of the schedule that are shown */

static void add_title(GArray *rows, const TgScreen *screen, int columns) {
  const TgTour *tour = screen->tour;
  TgRow *row = tg_rows_add(rows);
  g_autofree char *step =
      g_strdup_printf("step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, tour->frame->step, tour->frame->steps);
  int room = columns - tg_text_columns(step) - 1;
  tg_row_printf(row, &screen->paper, TG_LOOK_TITLE, room, "%s on %s", tg_name(tour->names, tour->names->title),
                tg_schedule_grid_text(tour->schedule).s);
  tg_row_pad(row, MAX(room, 0) + 1);
  tg_row_add(row, &screen->paper, TG_LOOK_TITLE, columns - row->width, step);
}

static void add_text(GArray *rows, const TgScreen *screen, unsigned look, int columns, const char *text) {
  g_auto(GStrv) lines = tg_text_rows(text, columns);
  for (char **line = lines; *line; line++) tg_row_add(tg_rows_add(rows), &screen->paper, look, columns, *line);
}

static void add_words(GArray *rows, const TgScreen *screen, int columns) {
  const TgFrame *frame = screen->tour->frame;
  const char *label = frame->step == 0 ? "initial placement" : frame->label;
  if (*label) tg_row_add(tg_rows_add(rows), &screen->paper, TG_LOOK_TITLE, columns, label);
  add_text(rows, screen, TG_LOOK_PLAIN, columns, frame->note);
}

static void add_failure(GArray *rows, const TgScreen *screen, int columns) {
  const TgError *failure = screen->tour->frame->failure;
  if (!failure) return;
  const char *sign = screen->paper.unicode ? "✗" : "!!";
  g_autofree char *text = failure->line > 0 ? g_strdup_printf("%s line %d: %s", sign, failure->line, failure->message)
                                            : g_strdup_printf("%s %s", sign, failure->message);
  add_text(rows, screen, TG_LOOK_BAD, columns, text);
}

/* The line as it stands in the schedule's text, without its indentation. */
static char *source_line(const TgScreen *screen, const TgStatement *statement, int number) {
  const char *at = screen->source;
  for (int line = 1; at && line < statement->line; line++) at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  if (!at) return g_strdup(tg_name(screen->tour->names, screen->tour->names->source[number]));
  return g_strchug(g_strndup(at, strcspn(at, "\r\n")));
}

static void add_running(GArray *rows, const TgScreen *screen, int columns) {
  const TgTour *tour = screen->tour;
  const TgError *failure = tour->frame->failure;
  uint64_t running = tour->frame->step > 0 ? tg_tour_totals(tour)->statements : 0;
  int shown = 0;
  for (int s = 0; s < tour->schedule->statements; s++) {
    const TgStatement *statement = &tour->schedule->statement[s];
    if (!(running >> s & 1) || ++shown > RUNNING) continue;
    g_autofree char *line = source_line(screen, statement, s);
    TgRow *row = tg_rows_add(rows);
    bool bad = failure && failure->line == statement->line;
    tg_row_printf(row, &screen->paper, TG_LOOK_FAINT, columns, "%4d ", statement->line);
    tg_row_add(row, &screen->paper, bad ? TG_LOOK_BAD : TG_LOOK_PLAIN, columns - row->width, line);
  }
  if (shown > RUNNING)
    tg_row_printf(tg_rows_add(rows), &screen->paper, TG_LOOK_FAINT, columns, "     and %d more lines", shown - RUNNING);
}

/* So many rows of the journey, about the step in the middle. */
static void add_journey(GArray *rows, const TgScreen *screen, int most, int columns) {
  g_autoptr(GString) name = g_string_new(NULL);
  int steps = (int)g_strv_length(screen->journey), here = (int)screen->tour->frame->step;
  int first = CLAMP(here - (most - 2) / 2, 0, MAX(steps - (most - 1), 0));
  TgRow *row = tg_rows_add(rows);
  tg_row_add(row, &screen->paper, TG_LOOK_PLAIN, columns, "following ");
  tg_paper_block(&screen->paper, name, screen->followed);
  tg_row_add(row, &screen->paper, TG_LOOK_A + screen->followed->matrix + (unsigned)TG_LOOK_FOLLOWED,
             columns - row->width, name->str);
  for (int s = first; s < MIN(steps, first + most - 1); s++) {
    row = tg_rows_add(rows);
    const char *sign = s != here ? " " : screen->paper.unicode ? "▸" : ">";
    tg_row_printf(row, &screen->paper, s == here ? TG_LOOK_TITLE : TG_LOOK_PLAIN, columns, "%s%3d  %s", sign, s,
                  screen->journey[s]);
  }
}

/* Title, label, note, what fails, and the lines that run; or, of a followed block, its journey in `rows` rows. */
static GArray *screen_head(const TgScreen *screen, int rows, int columns) {
  GArray *head = tg_rows_new();
  bool journey = screen->followed && screen->journey;
  add_title(head, screen, columns);
  if (screen->help) return head;
  if (!journey) add_words(head, screen, columns);
  add_failure(head, screen, columns);
  if (journey)
    add_journey(head, screen, MAX(rows, 3), columns);
  else
    add_running(head, screen, columns);
  return head;
}

/* --- below the grid: counts, how far C is, and what the keys do --------------------------------------------- */

/* With nouns, or the numbers in the same order without them. */
static void append_counts(GString *text, const TgScreen *screen, const TgTourStep *counts, bool nouns) {
  bool sized = screen->tour->sizes.m > 0 && screen->tour->frame->detail;
  if (nouns) {
    tg_count_append(text, counts->products, "product", "products");
    g_string_append(text, ", ");
    tg_count_append(text, counts->messages, "message", "messages");
  } else {
    g_string_append_printf(text, "%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT, counts->products, counts->messages);
  }
  if (sized) g_string_append_printf(text, ", %" G_GINT64_FORMAT "%s", counts->bytes, nouns ? " B" : "");
}

static GString *counts_text(const TgScreen *screen, bool nouns) {
  const TgTourStep alone = tg_tour_step_alone(screen->tour);
  GString *text = g_string_new("here ");
  append_counts(text, screen, &alone, true);
  if (screen->tour->rounds > 1) g_string_append_printf(text, " in %" G_GINT32_FORMAT " rounds", screen->tour->rounds);
  g_string_append(text, screen->paper.unicode ? " · so far " : "; so far ");
  append_counts(text, screen, tg_tour_totals(screen->tour), nouns);
  return text;
}

static void add_counts(GArray *rows, const TgScreen *screen, int columns) {
  g_autoptr(GString) text = counts_text(screen, true);
  g_autoptr(GString) shorter = counts_text(screen, false);
  tg_row_add(tg_rows_add(rows), &screen->paper, TG_LOOK_PLAIN, columns,
             tg_text_columns(text->str) <= columns ? text->str : shorter->str);
}

static void add_sums(GArray *rows, const TgScreen *screen, int columns) {
  TgTourSums sums;
  if (!tg_tour_sums(screen->tour, &sums)) return;
  g_autoptr(GString) bar = g_string_new(NULL);
  TgRow *row = tg_rows_add(rows);
  tg_screen_bar(bar, &screen->paper, sums.terms, sums.of_terms, 12);
  tg_row_add(row, &screen->paper, TG_LOOK_C, columns, "C ");
  tg_row_add(row, &screen->paper, TG_LOOK_C, columns - row->width, bar->str);
  tg_row_printf(row, &screen->paper, TG_LOOK_PLAIN, columns - row->width,
                " %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " products in place, %" G_GINT64_FORMAT
                " of %" G_GINT64_FORMAT " blocks complete",
                sums.terms, sums.of_terms, sums.complete, sums.blocks);
}

/* Counts, and how far C is. */
static GArray *screen_foot(const TgScreen *screen, int columns) {
  GArray *rows = tg_rows_new();
  add_counts(rows, screen, columns);
  add_sums(rows, screen, columns);
  return rows;
}

static const struct {
  const char *keys, *does, *unicode; /* `unicode`: the keys, where they are a sample with other signs then */
} meaning[] = {
    {"right, n, Enter", "the next step", NULL},
    {"left, b", "one step back", NULL},
    {"Home, End", "the first and the last step", NULL},
    {"g", "go to a step: type its number", NULL},
    {"space, + and -", "play and pause; faster and slower", NULL},
    {"f", "follow a block: type A01 or A0,12; empty: none", NULL},
    {"up, down, PgUp, PgDn", "scroll the grid; < and > sideways", NULL},
    {"z", "cells, the map of the whole grid, or what fits", NULL},
    {"s", "save the step's picture as SVG", NULL},
    {"q, Ctrl-C", "quit", NULL},
    {NULL, NULL, NULL},
    {"A01*B11 C01 ##..", "multiplies A01 by B11; C01 has 2 of its 4 terms", "A₀₁·B₁₁ C₀₁ ██░░"},
    {"A01< B11^2", "A01 leaves to the left, B11 goes up by 2", "A₀₁← B₁₁↑2"},
    {"A00>j=*", "A00 goes to all others along j", "A₀₀→j=*"},
    {"got A02 B21", "arrived in this step", "got A₀₂ B₂₁"},
};

/* What the keys do. */
static GArray *screen_help(const TgScreen *screen, int columns) {
  GArray *rows = tg_rows_new();
  for (gsize k = 0; k < G_N_ELEMENTS(meaning); k++) {
    TgRow *row = tg_rows_add(rows);
    if (!meaning[k].keys) continue;
    tg_row_printf(row, &screen->paper, TG_LOOK_TITLE, columns, "  %s",
                  screen->paper.unicode && meaning[k].unicode ? meaning[k].unicode : meaning[k].keys);
    tg_row_pad(row, MIN(columns, 26));
    tg_row_add(row, &screen->paper, TG_LOOK_PLAIN, columns - row->width, meaning[k].does);
  }
  return rows;
}

/* --- the screen ----------------------------------------------------------------------------------------------- */

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
  g_autoptr(GArray) head = screen_head(screen, G_MAXINT, columns);
  g_autoptr(GArray) foot = screen_foot(screen, columns);
  g_autoptr(GArray) grid =
      wants_map(screen, 0, columns) ? screen_map(screen, columns, extent) : tg_screen_cells(screen, columns, extent);
  extent->height = extent->shown = grid->len;
  append_rows(text, head, 0, head->len);
  append_rows(text, grid, 0, grid->len);
  append_rows(text, foot, 0, foot->len);
  return text;
}

/* The grid gets what head, foot and the line of keys leave, and the journey what the grid leaves, at least six rows. */
static GString *draw_screen(const TgScreen *screen, int rows, int columns, TgScreenExtent *extent) {
  GString *text = g_string_new(NULL);
  g_autoptr(GArray) foot = screen_foot(screen, columns);
  g_autoptr(GArray) grid = screen->help                       ? screen_help(screen, columns)
                           : wants_map(screen, rows, columns) ? screen_map(screen, columns, extent)
                                                              : tg_screen_cells(screen, columns, extent);
  int64_t left = (int64_t)rows - 1 - foot->len;
  g_autoptr(GArray) head = screen_head(screen, (int)CLAMP(left - 1 - grid->len, 6, rows), columns);
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

/* The grid as a map, one or two signs a processor, where cells would show too few of them. */

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

static void add_row(const TgScreenPart *part, int64_t plane, int64_t at) {
  const TgScreen *screen = part->screen;
  g_autoptr(GString) text = g_string_new(NULL);
  TgRow *row = tg_rows_add(part->rows);
  if (part->grid.row_axis >= 0) tg_screen_axis_text(text, screen, part->grid.row_axis, at);
  tg_row_add(row, &screen->paper, TG_LOOK_FAINT, LABEL - 1, text->str);
  for (int64_t c = 0; c < part->across; c++) {
    tg_row_pad(row, LABEL + (int)c * part->pitch);
    add_tile(row, screen, tg_screen_processor(&part->grid, plane, at, part->left + c), part->pitch == 2);
  }
}

static const char *legend(const TgScreen *screen) {
  if (!screen->tour->frame->detail) return "a digit: blocks that the processor receives";
  return screen->paper.unicode ? "▁▄█: how complete its sum of C is; a digit: blocks it receives; z: cells"
                               : "first digit: eighths of its sum of C; second: blocks it receives; z: cells";
}

static GArray *screen_map(const TgScreen *screen, int columns, TgScreenExtent *extent) {
  TgScreenPart part = {.screen = screen,
                       .grid = tg_screen_grid(screen->tour->schedule),
                       .columns = columns,
                       .label = LABEL,
                       .every = 8,
                       .rows = tg_rows_new()};
  int room = MAX(columns - LABEL, 2);
  part.pitch = part.grid.columns * 3 - 1 <= room ? 3 : 2;
  part.across = CLAMP((room + 1) / part.pitch, 1, part.grid.columns);
  tg_row_add(tg_rows_add(part.rows), &screen->paper, TG_LOOK_FAINT, columns, legend(screen));
  tg_screen_planes(&part, add_row, extent);
  return part.rows;
}

/* What stands above the grid: the step in words, the lines that run, what fails; or the journey of a block. */
#include "screen-private.h"

#include <string.h>

enum { RUNNING = 4 }; /* lines of the schedule that are shown */

static void add_title(GArray *rows, const TgScreen *screen, int columns) {
  const TgTour *tour = screen->tour;
  char grid[48];
  TgRow *row = tg_rows_add(rows);
  g_autofree char *step =
      g_strdup_printf("step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, tour->frame->step, tour->frame->steps);
  int room = columns - tg_text_columns(step) - 1;
  tg_schedule_grid_text(tour->schedule, grid, sizeof grid);
  tg_row_printf(row, &screen->paper, TG_LOOK_TITLE, room, "%s on %s", tg_name(tour->names, tour->names->title), grid);
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

GArray *tg_screen_head(const TgScreen *screen, int rows, int columns) {
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

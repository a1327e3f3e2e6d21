/* What stands below the grid: counts, how far C is, and what the keys do. */
#include "screen-private.h"

/* With nouns, or the numbers in the same order without them. */
static void append_counts(GString *text, const TgScreen *screen, const TgTourStep *counts, bool nouns) {
  bool sized = screen->tour->sizes.m > 0 && screen->tour->frame->detail;
  g_string_append_printf(text, "%" G_GINT64_FORMAT "%s, %" G_GINT64_FORMAT "%s", counts->products,
                         !nouns                  ? ""
                         : counts->products == 1 ? " product"
                                                 : " products",
                         counts->messages,
                         !nouns                  ? ""
                         : counts->messages == 1 ? " message"
                                                 : " messages");
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

GArray *tg_screen_foot(const TgScreen *screen, int columns) {
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
    {"f", "follow a block: type A01 or A0,12; nothing ends it", NULL},
    {"up, down, PgUp, PgDn", "scroll the grid; < and > sideways", NULL},
    {"z", "cells, the map of the whole grid, or what fits", NULL},
    {"s", "save the step's picture as SVG", NULL},
    {"q, Ctrl-C", "quit", NULL},
    {NULL, NULL, NULL},
    {"A01*B11 C01 ##..", "multiplies A01 by B11; C01 has 2 of its 4 terms", "A₀₁·B₁₁ C₀₁ ██░░"},
    {"A01< B11^2", "A01 leaves to the left, B11 goes up by 2", "A₀₁← B₁₁↑2"},
    {"A00>j=*", "A00 goes to all others along j", "A₀₀→j=*"},
    {"got A02 B21", "came in this step", "got A₀₂ B₂₁"},
};

GArray *tg_screen_help(const TgScreen *screen, int columns) {
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

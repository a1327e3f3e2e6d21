/* Which lanes share a row, and which of them it shows. */
#include "spacetime-private.h"

enum {
  MOST_SHARED_ROWS = 48, /* where lanes share rows: whole lines of the grid matter more than many rows */
  MOST_STEPS = 240       /* drawn; of more, several are drawn as one */
};

/* Whole lines, planes … of the grid, and of the last of these a part that divides it. */
static int64_t lanes_each(const TgSpacetimeRun *run) {
  int64_t each = 1;
  if (run->lanes <= TG_SPACETIME_ROWS) return 1;
  for (int axis = run->dims - 1; axis >= 0; each *= run->extent[axis--])
    for (int32_t part = 1; part <= run->extent[axis]; part++)
      if (run->extent[axis] % part == 0 && run->lanes <= each * part * MOST_SHARED_ROWS) return each * part;
  return run->lanes;
}

static double busy_s(const TgSpacetimeRun *run, int64_t lane) {
  double seconds = 0;
  for (int64_t s = 0; s < run->steps; s++) {
    const TgSpan *span = &run->span[s * run->lanes + lane];
    seconds += span->talks ? span->end_s - span->start_s : span->products_s;
  }
  return seconds;
}

/* Times that are the same but for rounding are a tie, which the first lane wins. */
static int64_t busiest(const TgSpacetimeRun *run, int64_t first, int64_t end) {
  int64_t best = first;
  double most = busy_s(run, first);
  for (int64_t lane = first + 1; lane < end; lane++) {
    double busy = busy_s(run, lane);
    if (busy > most + 1e-9 * run->time_s) best = lane, most = busy;
  }
  return best;
}

static double row_height(int64_t rows) {
  return rows <= 16 ? 22 : rows <= 32 ? 15 : rows <= 48 ? 12 : 10;
}

void tg_spacetime_panel_init(TgSpacetimePanel *panel, const TgSpacetimeRun *run, int number) {
  *panel = (TgSpacetimePanel){.run = run, .number = number, .each = lanes_each(run)};
  panel->rows = (run->lanes + panel->each - 1) / panel->each;
  panel->merged = (run->steps + MOST_STEPS - 1) / MOST_STEPS;
  panel->row = row_height(panel->rows);
  panel->bar = panel->row * 0.74;
  panel->shown = g_new(int64_t, panel->rows);
  for (int64_t row = 0; row < panel->rows; row++)
    panel->shown[row] = busiest(run, row * panel->each, MIN((row + 1) * panel->each, run->lanes));
}

void tg_spacetime_panel_clear(TgSpacetimePanel *panel) {
  g_free(panel->shown);
}

char *tg_spacetime_row_name(const TgSpacetimePanel *panel, int64_t row) {
  int64_t first = row * panel->each, last = MIN(first + panel->each, panel->run->lanes) - 1;
  if (first == last) return g_strdup(panel->run->lane[first]);
  return g_strdup_printf("%s to %s", panel->run->lane[first], panel->run->lane[last]);
}

int64_t tg_spacetime_named_rows(const TgSpacetimePanel *panel) {
  return panel->row >= 12 ? 1 : 2;
}

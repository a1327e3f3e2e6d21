/* The tables of a sweep. */
#include "output.h"
#include "sweep.h"

#include <math.h>
#include <string.h>

static void print_head(TgCli *cli, const TgSweep *sweep) {
  tg_print(cli, "machine: %s; %s, %s", sweep->machine, sweep->settings, sweep->element);
  if (!isnan(sweep->efficiency))
    tg_print(cli, "; the least n with an efficiency of %g, of those that make blocks of one size", sweep->efficiency);
  tg_print(cli, "\n\n");
}

static void add_percent(TgTable *table, double ratio) {
  char text[32];
  tg_percent_text(ratio, text, sizeof text);
  tg_table_add(table, "%s", text);
}

static void add_time(TgTable *table, double seconds) {
  char text[32];
  tg_time_text(seconds, text, sizeof text);
  tg_table_add(table, "%s", text);
}

static void add_memory(TgTable *table, const TgSweepCell *cell) {
  char text[32];
  tg_bytes_text(cell->memory.node_bytes, text, sizeof text);
  tg_table_add(table, "%s%s%s", cell->memory.at_least ? ">= " : "", text, cell->memory.fits ? "" : " !");
}

static gint compare_cells(gconstpointer a, gconstpointer b, gpointer user) {
  const TgSweepCell *cells = user;
  int x = *(const int *)a, y = *(const int *)b;
  if (!cells[x].skipped != !cells[y].skipped) return cells[x].skipped ? 1 : -1;
  if (!cells[x].skipped && cells[x].time_s != cells[y].time_s) return cells[x].time_s < cells[y].time_s ? -1 : 1;
  return x - y;
}

/* One point: a row for each ALGO, fastest first. */
static void print_one(TgCli *cli, const TgSweep *sweep) {
  static const char *const heads[] = {"",           "grid",     "network",      "time",   "communication",
                                      "efficiency", "messages", "busiest link", "memory", "slower"};
  const TgSweepPoint *point = tg_sweep_point(sweep, 0);
  g_autoptr(TgTable) table = tg_table_new("lllrrrrrrr");
  g_autofree int *order = g_new(int, sweep->algorithms);
  for (int a = 0; a < sweep->algorithms; a++) order[a] = a;
  g_qsort_with_data(order, sweep->algorithms, sizeof *order, compare_cells, sweep->cell);
  for (size_t i = 0; i < G_N_ELEMENTS(heads); i++) tg_table_add(table, "%s", heads[i]);
  for (int i = 0; i < sweep->algorithms; i++) {
    const TgSweepCell *cell = &sweep->cell[order[i]];
    if (cell->skipped) continue;
    tg_table_add(table, "%s", sweep->algorithm[order[i]]);
    tg_table_add(table, "%s", cell->grid);
    tg_table_add(table, "%s", cell->network);
    add_time(table, cell->time_s);
    add_time(table, cell->communication_s);
    add_percent(table, cell->efficiency);
    tg_table_add(table, "%" PRId64, cell->messages);
    tg_table_add(table, "%" PRId64, cell->max_link_bytes);
    add_memory(table, cell);
    if (tg_sweep_ties(sweep, 0, order[i], order[0]))
      tg_table_add(table, "%s", "fastest");
    else
      tg_table_add(table, "%.2fx", cell->time_s / sweep->cell[order[0]].time_s);
  }
  tg_print(cli, "C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 "\n", point->m, point->n, point->k);
  tg_table_print(cli, table, 2, true);
}

static void add_winners(TgTable *table, const TgSweep *sweep, guint point) {
  const int winner = tg_sweep_winner(sweep, point, -1);
  g_autoptr(GString) names = g_string_new(NULL);
  for (int a = 0; winner >= 0 && a < sweep->algorithms; a++)
    if (tg_sweep_ties(sweep, point, a, winner))
      g_string_append_printf(names, "%s%s", names->len ? ", " : "", sweep->algorithm[a]);
  tg_table_add(table, "%s", names->len ? names->str : "-");
}

static void add_size(TgTable *table, const TgSweepPoint *point) {
  if (point->m == point->n && point->k == point->n)
    tg_table_add(table, "%" PRId64, point->n);
  else
    tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, point->m, point->n, point->k);
}

static void add_cell(TgTable *table, const TgSweep *sweep, const TgSweepCell *cell) {
  if (cell->skipped) {
    tg_table_add(table, "-");
    tg_table_add(table, "-");
    return;
  }
  char text[32];
  tg_time_text(cell->time_s, text, sizeof text);
  if (!isnan(sweep->efficiency)) tg_table_add(table, "%" PRId64, cell->n);
  tg_table_add(table, "%s%s", text, cell->memory.fits ? "" : "!");
  if (!isnan(sweep->efficiency)) return;
  add_percent(table, cell->efficiency);
}

static char *columns(const TgSweep *sweep, bool sizes) {
  GString *align = g_string_new(NULL);
  if (sizes) g_string_append_c(align, 'r');
  if (sweep->p->len) g_string_append_c(align, 'r');
  for (int a = 0; a < sweep->algorithms; a++) g_string_append(align, "rr");
  if (sweep->algorithms > 1) g_string_append_c(align, 'l');
  return g_string_free(align, FALSE);
}

static void print_many(TgCli *cli, const TgSweep *sweep) {
  const bool found = !isnan(sweep->efficiency), sizes = !found;
  g_autofree char *align = columns(sweep, sizes);
  g_autoptr(TgTable) table = tg_table_new(align);
  if (sizes) tg_table_add(table, "n");
  if (sweep->p->len) tg_table_add(table, "p");
  for (int a = 0; a < sweep->algorithms; a++) {
    tg_table_add(table, "%s%s", sweep->algorithm[a], found ? " n" : "");
    tg_table_add(table, "%s", found ? "time" : "eff.");
  }
  if (sweep->algorithms > 1) tg_table_add(table, found ? "least n" : "fastest");
  for (guint i = 0; i < sweep->points->len; i++) {
    const TgSweepPoint *point = tg_sweep_point(sweep, i);
    if (sizes) add_size(table, point);
    if (sweep->p->len) tg_table_add(table, "%" PRId64, point->p);
    for (int a = 0; a < sweep->algorithms; a++) add_cell(table, sweep, tg_sweep_cell(sweep, i, a));
    if (sweep->algorithms > 1) add_winners(table, sweep, i);
  }
  tg_table_print(cli, table, 2, true);
  if (!found) tg_print(cli, "  eff.: efficiency, the time of one processor over p times the predicted time\n");
}

/* "dns has no grid of 16 or 256 processors: its grid is i:q, j:q, k:q" */
static void print_no_grid(TgCli *cli, const TgSweep *sweep, int algorithm) {
  g_autoptr(GString) numbers = g_string_new(NULL);
  const char *why = NULL;
  int64_t last = 0;
  for (guint i = 0; i < sweep->points->len; i++) {
    const TgSweepCell *cell = tg_sweep_cell(sweep, i, algorithm);
    const int64_t p = tg_sweep_point(sweep, i)->p;
    if (!cell->no_grid || p == last) continue;
    if (last) g_string_append_printf(numbers, "%s%" PRId64, numbers->len ? ", " : "", last);
    if (!why) why = cell->no_grid;
    last = p;
  }
  if (!why) return;
  g_autofree char *text =
      g_strdup_printf("%s has no grid of %s%s%" PRId64 " processors: %s", sweep->algorithm[algorithm], numbers->str,
                      numbers->len ? " or " : "", last, why);
  tg_print_wrapped(cli, text, 2, 0);
}

/* Reasons for dashes, each once. */
static void print_skipped(TgCli *cli, const TgSweep *sweep) {
  const gsize cells = (gsize)sweep->points->len * (gsize)sweep->algorithms;
  for (int a = 0; a < sweep->algorithms; a++) print_no_grid(cli, sweep, a);
  for (gsize i = 0; i < cells; i++)
    if (sweep->cell[i].skipped && !sweep->cell[i].no_grid) tg_print_wrapped(cli, sweep->cell[i].skipped, 2, 0);
}

static void print_marks(TgCli *cli, const TgSweep *sweep) {
  const gsize cells = (gsize)sweep->points->len * (gsize)sweep->algorithms;
  gsize full = 0, unproved = 0;
  for (gsize i = 0; i < cells; i++) {
    const TgSweepCell *cell = &sweep->cell[i];
    full += !cell->skipped && !cell->memory.fits;
    unproved += !cell->skipped && !cell->proved;
  }
  if (full) tg_print(cli, "  !: does not fit in the memory of a node\n");
  if (unproved)
    tg_print(cli,
             "  %zu of %zu prediction%s %s of schedules too large to prove first; `topogemm verify` has the proof\n",
             unproved, cells, cells == 1 ? "" : "s", unproved == 1 ? "is" : "are");
}

void tg_sweep_print(TgCli *cli, const TgSweep *sweep) {
  print_head(cli, sweep);
  if (sweep->points->len == 1 && isnan(sweep->efficiency))
    print_one(cli, sweep);
  else
    print_many(cli, sweep);
  print_skipped(cli, sweep);
  print_marks(cli, sweep);
}

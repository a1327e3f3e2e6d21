/* The tables of a sweep, and in words who wins where. */
#include "output.h"
#include "sweep.h"

#include <math.h>

/* What is compared: the time, or the size that an efficiency needs. */
static double measure(const TgSweep *sweep, guint point, int algorithm) {
  const TgSweepCell *cell = tg_sweep_cell(sweep, point, algorithm);
  if (cell->skipped) return NAN;
  return isnan(sweep->efficiency) ? cell->time_s : (double)cell->n;
}

bool tg_sweep_ties(const TgSweep *sweep, guint point, int algorithm, int winner) {
  double best = measure(sweep, point, winner), here = measure(sweep, point, algorithm);
  return here <= best * (1 + sweep->tie);
}

int tg_sweep_winner(const TgSweep *sweep, guint point, int before) {
  int winner = -1;
  for (int a = 0; a < sweep->algorithms; a++) {
    double here = measure(sweep, point, a);
    if (!isnan(here) && (winner < 0 || here < measure(sweep, point, winner))) winner = a;
  }
  if (winner >= 0 && before >= 0 && tg_sweep_ties(sweep, point, before, winner)) return before;
  return winner;
}

static int64_t along(const TgSweep *sweep, guint point) {
  return sweep->along_n ? tg_sweep_point(sweep, point)->n : tg_sweep_point(sweep, point)->p;
}

/* Where two times meet between two points, as straight lines in logarithms. */
static double meeting(const TgSweep *sweep, guint from, guint to, int before, int after) {
  double first = log(measure(sweep, from, before) / measure(sweep, from, after));
  double second = log(measure(sweep, to, before) / measure(sweep, to, after));
  double x = log((double)along(sweep, from)), y = log((double)along(sweep, to));
  if (isnan(first) || isnan(second) || first > 0 || second < 0 || first == second) return NAN;
  return exp(x + (y - x) * first / (first - second));
}

/* The points of one line: `count` of them, `stride` apart. */
typedef struct TgLineOfPoints {
  guint first, stride, count;
} TgLineOfPoints;

static guint lines_of(const TgSweep *sweep, TgLineOfPoints *line) {
  const guint sizes = MAX(sweep->n->len, 1), numbers = MAX(sweep->p->len, 1);
  *line = sweep->along_n ? (TgLineOfPoints){0, 1, sizes} : (TgLineOfPoints){0, sizes, numbers};
  return sweep->along_n ? numbers : sizes;
}

static int64_t fixed_of(const TgSweep *sweep, guint point) {
  if (sweep->along_n) return sweep->p->len ? tg_sweep_point(sweep, point)->p : 0;
  return sweep->n->len ? tg_sweep_point(sweep, point)->n : 0;
}

static void find_on_line(TgSweep *sweep, const TgLineOfPoints *line) {
  int winner = -1;
  guint last = 0;
  for (guint i = 0; i < line->count; i++) {
    const guint point = line->first + i * line->stride;
    const int now = tg_sweep_winner(sweep, point, winner);
    if (now < 0) continue;
    if (winner >= 0 && now != winner) {
      TgCrossover crossover = {.fixed = fixed_of(sweep, point),
                               .before = winner,
                               .after = now,
                               .last = along(sweep, last),
                               .at = along(sweep, point),
                               .near = meeting(sweep, last, point, winner, now)};
      g_array_append_val(sweep->crossovers, crossover);
    }
    winner = now;
    last = point;
  }
}

void tg_sweep_find_crossovers(TgSweep *sweep) {
  TgLineOfPoints line;
  const guint lines = lines_of(sweep, &line);
  if (sweep->algorithms < 2 || line.count < 2) return;
  for (guint l = 0; l < lines; l++) {
    line.first = l * (sweep->along_n ? line.count : 1);
    find_on_line(sweep, &line);
  }
}

/* To two digits: the curve between two points is a guess. */
static double rounded(double value) {
  double unit = pow(10, floor(log10(value)) - 1);
  return round(value / unit) * unit;
}

/* Points of a line from `from` on, before `to`, that one ALGO has won. */
typedef struct TgStretchOfPoints {
  const TgLineOfPoints *line;
  guint from, to;
} TgStretchOfPoints;

/* At how many of the points the ALGO is as good as the best one; `where`, unless NULL, gets them. */
static guint count_ties(const TgSweep *sweep, const TgStretchOfPoints *points, int algorithm, GString *where) {
  guint count = 0;
  for (guint i = points->from; i < points->to; i++) {
    const guint point = points->line->first + i * points->line->stride;
    const int best = tg_sweep_winner(sweep, point, -1);
    if (best < 0 || !tg_sweep_ties(sweep, point, algorithm, best)) continue;
    if (where) g_string_append_printf(where, "%s%" PRId64, count ? ", " : "", along(sweep, point));
    count++;
  }
  return count;
}

/* " (summa ties at n = 64, 128)": ALGOs that are as good as the winner at some of the points; with `all`, at all of
 * them, too. */
static void append_ties(GString *text, const TgSweep *sweep, const TgStretchOfPoints *points, int winner, bool all) {
  const guint count = count_ties(sweep, points, winner, NULL);
  bool opened = false;
  for (int a = 0; a < sweep->algorithms; a++) {
    g_autoptr(GString) where = g_string_new(NULL);
    const guint ties = a == winner ? 0 : count_ties(sweep, points, a, where);
    if (ties == 0 || (ties == count && !all)) continue;
    g_string_append_printf(text, "%s%s ties at %s = %s", opened ? "; " : " (", sweep->algorithm[a],
                           sweep->along_n ? "n" : "p", where->str);
    opened = true;
  }
  if (opened) g_string_append_c(text, ')');
}

/* "cannon is the fastest", "cannon and summa tie". */
static void append_winners(GString *text, const TgSweep *sweep, const TgStretchOfPoints *points, int winner) {
  const guint count = count_ties(sweep, points, winner, NULL);
  int names = 0;
  for (int a = 0; a < sweep->algorithms; a++)
    if (count_ties(sweep, points, a, NULL) == count)
      g_string_append_printf(text, "%s%s", names++ ? " and " : "", sweep->algorithm[a]);
  const bool sizes = !isnan(sweep->efficiency);
  g_string_append(text, names > 1 ? (sizes ? " need the same n" : " tie")
                        : sizes   ? " needs the least n"
                                  : " is the fastest");
}

/* The number of points of the line before the value, or all. */
static guint points_before(const TgSweep *sweep, const TgLineOfPoints *line, int64_t value) {
  guint i = 0;
  while (i < line->count && along(sweep, line->first + i * line->stride) < value) i++;
  return i;
}

/* Where the points end before crossover `next` of those before `end`. */
static guint end_of(const TgSweep *sweep, const TgLineOfPoints *line, guint next, guint end) {
  if (next == end) return line->count;
  return points_before(sweep, line, g_array_index(sweep->crossovers, TgCrossover, next).at);
}

static void append_crossover(GString *text, const TgSweep *sweep, const TgCrossover *crossover) {
  const char *name = sweep->along_n ? "n" : "p";
  g_string_append_printf(text, "%s beats %s from %s = %" PRId64 " on", sweep->algorithm[crossover->after],
                         sweep->algorithm[crossover->before], name, crossover->at);
  if (!isnan(crossover->near)) g_string_append_printf(text, " (they meet near %.0f)", rounded(crossover->near));
}

/* "p = 64: cannon is the fastest up to n = 2048; dns beats cannon from n = 4096 on (they meet near 2900)" */
static void print_line(TgCli *cli, const TgSweep *sweep, const TgLineOfPoints *line, guint *next) {
  const char *name = sweep->along_n ? "n" : "p";
  const int64_t fixed = fixed_of(sweep, line->first);
  g_autoptr(GString) text = g_string_new(NULL);
  int winner = -1;
  guint first = 0;
  for (; winner < 0 && first < line->count; first++)
    winner = tg_sweep_winner(sweep, line->first + first * line->stride, -1);
  if (winner < 0) return;
  if (fixed) g_string_append_printf(text, "%s = %" PRId64 ": ", sweep->along_n ? "p" : "n", fixed);
  const guint from = *next;
  guint end = from;
  while (end < sweep->crossovers->len && g_array_index(sweep->crossovers, TgCrossover, end).fixed == fixed) end++;
  TgStretchOfPoints points = {.line = line, .to = end_of(sweep, line, from, end)};
  append_winners(text, sweep, &points, winner);
  if (end > from)
    g_string_append_printf(text, " up to %s = %" PRId64, name,
                           g_array_index(sweep->crossovers, TgCrossover, from).last);
  else
    g_string_append_printf(text, " at every %s", name);
  append_ties(text, sweep, &points, winner, false);
  for (; *next < end; ++*next) {
    const TgCrossover *crossover = &g_array_index(sweep->crossovers, TgCrossover, *next);
    points = (TgStretchOfPoints){line, points.to, end_of(sweep, line, *next + 1, end)};
    g_string_append(text, "; ");
    append_crossover(text, sweep, crossover);
    append_ties(text, sweep, &points, crossover->after, true);
  }
  tg_print_wrapped(cli, text->str, 2, 0);
}

/* The exponent x of work ~ p^x between the first and the last p that have an n. */
static void print_growth(TgCli *cli, const TgSweep *sweep, int algorithm) {
  const TgSweepCell *first = NULL, *last = NULL;
  for (guint i = 0; i < sweep->points->len; i++) {
    const TgSweepCell *cell = tg_sweep_cell(sweep, i, algorithm);
    if (cell->skipped) continue;
    if (!first) first = cell;
    last = cell;
  }
  if (!first || first->processors == last->processors) return;
  double exponent =
      3 * log((double)last->n / (double)first->n) / log((double)last->processors / (double)first->processors);
  g_autofree char *growth = sweep->isoefficiency[algorithm]
                                ? g_strdup_printf("; its closed form is %s", sweep->isoefficiency[algorithm])
                                : g_strdup("");
  g_autofree char *text =
      g_strdup_printf("%s: from p = %" PRId64 " to %" PRId64 " the work 2·n³ grows as p^%.2f%s",
                      sweep->algorithm[algorithm], first->processors, last->processors, exponent, growth);
  tg_print_wrapped(cli, text, 2, 0);
}

/* In words: crossovers, and how the work grows with p. */
static void print_words(TgCli *cli, const TgSweep *sweep) {
  TgLineOfPoints line;
  const guint lines = lines_of(sweep, &line);
  guint next = 0;
  bool several = sweep->algorithms > 1 && line.count > 1;
  if (several || !isnan(sweep->efficiency)) tg_print(cli, "\n");
  for (guint l = 0; several && l < lines; l++) {
    line.first = l * (sweep->along_n ? line.count : 1);
    print_line(cli, sweep, &line, &next);
  }
  for (int a = 0; !isnan(sweep->efficiency) && a < sweep->algorithms; a++) print_growth(cli, sweep, a);
}

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
  const TgSweepPoint *point = tg_sweep_point(sweep, 0);
  g_autoptr(TgTable) table = tg_table_new("lllrrrrrrr");
  g_autofree int *order = g_new(int, sweep->algorithms);
  for (int a = 0; a < sweep->algorithms; a++) order[a] = a;
  g_qsort_with_data(order, sweep->algorithms, sizeof *order, compare_cells, sweep->cell);
  tg_table_add_row(table, "|grid|network|time|communication|efficiency|messages|busiest link|memory|slower");
  for (int i = 0; i < sweep->algorithms; i++) {
    const TgSweepCell *cell = &sweep->cell[order[i]];
    if (cell->skipped) continue;
    tg_table_add(table, "%s", sweep->algorithm[order[i]]);
    tg_table_add(table, "%s", cell->grid);
    tg_table_add(table, "%s", cell->network);
    tg_table_add_time(table, cell->time_s);
    tg_table_add_time(table, cell->communication_s);
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
  print_words(cli, sweep);
}

/* The tables of a command, and in words who wins where. */
#include "output.h"
#include "sweep-command.h"

#include <math.h>

/* To two digits: the curve between two points is a guess. */
static double rounded(double value) {
  double unit = pow(10, floor(log10(value)) - 1);
  return round(value / unit) * unit;
}

/* Points of a line from `from` on, before `to`, that one ALGO has won. */
typedef struct TgStretchOfPoints {
  const TgSweepLine *line;
  guint from, to;
} TgStretchOfPoints;

/* At how many of the points the ALGO is as good as the best one; `where`, unless NULL, gets them. */
static guint count_ties(const TgSweepCommand *command, const TgStretchOfPoints *points, int algorithm, GString *where) {
  guint count = 0;
  for (guint i = points->from; i < points->to; i++) {
    const guint point = points->line->first + i * points->line->stride;
    const int best = tg_sweep_winner(&command->sweep, point, -1);
    if (best < 0 || !tg_sweep_ties(&command->sweep, point, algorithm, best)) continue;
    if (where) g_string_append_printf(where, "%s%" PRId64, count ? ", " : "", tg_sweep_along(&command->sweep, point));
    count++;
  }
  return count;
}

/* " (summa ties at n = 64, 128)": ALGOs that are as good as the winner at some of the points; with `all`, at all of
 * them, too. */
static void append_ties(GString *text, const TgSweepCommand *command, const TgStretchOfPoints *points, int winner,
                        bool all) {
  const guint count = count_ties(command, points, winner, NULL);
  bool opened = false;
  for (int a = 0; a < command->sweep.sources; a++) {
    g_autoptr(GString) where = g_string_new(NULL);
    const guint ties = a == winner ? 0 : count_ties(command, points, a, where);
    if (ties == 0 || (ties == count && !all)) continue;
    g_string_append_printf(text, "%s%s ties at %s = %s", opened ? "; " : " (", command->name[a],
                           command->sweep.along_n ? "n" : "p", where->str);
    opened = true;
  }
  if (opened) g_string_append_c(text, ')');
}

/* "cannon is the fastest", "cannon and summa tie". */
static void append_winners(GString *text, const TgSweepCommand *command, const TgStretchOfPoints *points, int winner) {
  const guint count = count_ties(command, points, winner, NULL);
  int names = 0;
  for (int a = 0; a < command->sweep.sources; a++)
    if (count_ties(command, points, a, NULL) == count)
      g_string_append_printf(text, "%s%s", names++ ? " and " : "", command->name[a]);
  const bool sizes = !isnan(command->sweep.efficiency);
  g_string_append(text, names > 1 ? (sizes ? " need the same n" : " tie")
                        : sizes   ? " needs the smallest n"
                                  : " is the fastest");
}

/* The number of points of the line before the value, or all. */
static guint points_before(const TgSweepCommand *command, const TgSweepLine *line, int64_t value) {
  guint i = 0;
  while (i < line->count && tg_sweep_along(&command->sweep, line->first + i * line->stride) < value) i++;
  return i;
}

/* Where the points end before crossover `next` of those before `end`. */
static guint end_of(const TgSweepCommand *command, const TgSweepLine *line, guint next, guint end) {
  if (next == end) return line->count;
  return points_before(command, line, g_array_index(command->sweep.crossovers, TgCrossover, next).at);
}

static void append_crossover(GString *text, const TgSweepCommand *command, const TgCrossover *crossover) {
  const char *name = command->sweep.along_n ? "n" : "p";
  g_string_append_printf(text, "%s beats %s from %s = %" PRId64 " on", command->name[crossover->after],
                         command->name[crossover->before], name, crossover->at);
  if (!isnan(crossover->near)) g_string_append_printf(text, " (they meet near %.0f)", rounded(crossover->near));
}

/* "p = 64: cannon is the fastest up to n = 2048; dns beats cannon from n = 4096 on (they meet near 2900)" */
static void print_line(TgCli *cli, const TgSweepCommand *command, const TgSweepLine *line, guint *next) {
  const char *name = command->sweep.along_n ? "n" : "p";
  const int64_t fixed = line->fixed;
  g_autoptr(GString) text = g_string_new(NULL);
  int winner = -1;
  guint first = 0;
  for (; winner < 0 && first < line->count; first++)
    winner = tg_sweep_winner(&command->sweep, line->first + first * line->stride, -1);
  if (winner < 0) return;
  if (fixed) g_string_append_printf(text, "%s = %" PRId64 ": ", command->sweep.along_n ? "p" : "n", fixed);
  const guint from = *next;
  guint end = from;
  while (end < command->sweep.crossovers->len &&
         g_array_index(command->sweep.crossovers, TgCrossover, end).fixed == fixed)
    end++;
  TgStretchOfPoints points = {.line = line, .to = end_of(command, line, from, end)};
  append_winners(text, command, &points, winner);
  if (end > from)
    g_string_append_printf(text, " up to %s = %" PRId64, name,
                           g_array_index(command->sweep.crossovers, TgCrossover, from).last);
  else
    g_string_append_printf(text, " at every %s", name);
  append_ties(text, command, &points, winner, false);
  for (; *next < end; ++*next) {
    const TgCrossover *crossover = &g_array_index(command->sweep.crossovers, TgCrossover, *next);
    points = (TgStretchOfPoints){line, points.to, end_of(command, line, *next + 1, end)};
    g_string_append(text, "; ");
    append_crossover(text, command, crossover);
    append_ties(text, command, &points, crossover->after, true);
  }
  tg_print_wrapped(cli, text->str, 2, 0);
}

/* How the work grows between the first and the last p that have an n. */
static void print_growth(TgCli *cli, const TgSweepCommand *command, int algorithm) {
  int64_t ends[2];
  const double exponent = tg_sweep_growth(&command->sweep, algorithm, ends);
  const TgFormula *formula = command->source[algorithm].formula;
  const char *closed = formula ? tg_formula_text(formula, TG_FORMULA_ISOEFFICIENCY) : NULL;
  if (isnan(exponent)) return;
  g_autofree char *text = g_strdup_printf("%s: from p = %" PRId64 " to %" PRId64 " the work 2·n³ grows as p^%.2f%s%s",
                                          command->name[algorithm], ends[0], ends[1], exponent,
                                          closed ? "; its closed form is " : "", closed ? closed : "");
  tg_print_wrapped(cli, text, 2, 0);
}

/* In words: crossovers, and how the work grows with p. */
static void print_words(TgCli *cli, const TgSweepCommand *command) {
  guint next = 0;
  const bool several = command->sweep.sources > 1 && tg_sweep_line(&command->sweep, 0).count > 1;
  if (several || !isnan(command->sweep.efficiency)) tg_print(cli, "\n");
  for (guint l = 0; several && l < tg_sweep_lines(&command->sweep); l++) {
    const TgSweepLine line = tg_sweep_line(&command->sweep, l);
    print_line(cli, command, &line, &next);
  }
  for (int a = 0; !isnan(command->sweep.efficiency) && a < command->sweep.sources; a++) print_growth(cli, command, a);
}

static void print_head(TgCli *cli, const TgSweepCommand *command) {
  tg_print(cli, "machine: %s; %s, %s", command->request.machine.name, command->settings,
           tg_element_name(command->request.element));
  if (!isnan(command->sweep.efficiency))
    tg_print(cli, "; the smallest n with an efficiency of %g, among those that divide into equal blocks",
             command->sweep.efficiency);
  tg_print(cli, "\n\n");
}

static void add_percent(TgTable *table, double ratio) {
  tg_table_add(table, "%s", tg_percent_text(ratio).s);
}

static void add_memory(TgTable *table, const TgSweepCell *cell) {
  tg_table_add(table, "%s%s%s", cell->memory.at_least ? ">= " : "", tg_bytes_text(cell->memory.node_bytes).s,
               cell->memory.fits ? "" : " !");
}

/* One point: a row for each ALGO, fastest first. */
static void print_one(TgCli *cli, const TgSweepCommand *command) {
  const TgSweepPoint *point = tg_sweep_point(&command->sweep, 0);
  g_autoptr(TgTable) table = tg_table_new("lllrrrrrrr");
  g_autofree int *order = g_new(int, command->sweep.sources);
  tg_sweep_rank(&command->sweep, 0, order);
  tg_table_add_row(table, "|grid|network|time|communication|efficiency|messages|busiest link|memory|slower");
  for (int i = 0; i < command->sweep.sources; i++) {
    const TgSweepCell *cell = &command->sweep.cell[order[i]];
    if (cell->skipped) continue;
    tg_table_add(table, "%s", command->name[order[i]]);
    tg_table_add(table, "%s", cell->grid);
    tg_table_add(table, "%s", cell->network);
    tg_table_add_time(table, cell->time_s);
    tg_table_add_time(table, cell->communication_s);
    add_percent(table, cell->efficiency);
    tg_table_add(table, "%" PRId64, cell->messages);
    tg_table_add(table, "%" PRId64, cell->max_link_bytes);
    add_memory(table, cell);
    if (tg_sweep_ties(&command->sweep, 0, order[i], order[0]))
      tg_table_add(table, "%s", "fastest");
    else
      tg_table_add(table, "%.2fx", cell->time_s / command->sweep.cell[order[0]].time_s);
  }
  tg_print(cli, "C %" PRId64 "x%" PRId64 ", inner dimension %" PRId64 "\n", point->m, point->n, point->k);
  tg_table_print(cli, table, 2, true);
}

static void add_winners(TgTable *table, const TgSweepCommand *command, guint point) {
  const int winner = tg_sweep_winner(&command->sweep, point, -1);
  g_autoptr(GString) names = g_string_new(NULL);
  for (int a = 0; winner >= 0 && a < command->sweep.sources; a++)
    if (tg_sweep_ties(&command->sweep, point, a, winner))
      g_string_append_printf(names, "%s%s", names->len ? ", " : "", command->name[a]);
  tg_table_add(table, "%s", names->len ? names->str : "-");
}

static void add_size(TgTable *table, const TgSweepPoint *point) {
  if (point->m == point->n && point->k == point->n)
    tg_table_add(table, "%" PRId64, point->n);
  else
    tg_table_add(table, "%" PRId64 "x%" PRId64 "x%" PRId64, point->m, point->n, point->k);
}

static void add_cell(TgTable *table, const TgSweepCommand *command, const TgSweepCell *cell) {
  if (cell->skipped) {
    tg_table_add(table, "-");
    tg_table_add(table, "-");
    return;
  }
  if (!isnan(command->sweep.efficiency)) tg_table_add(table, "%" PRId64, cell->n);
  tg_table_add(table, "%s%s", tg_time_text(cell->time_s).s, cell->memory.fits ? "" : "!");
  if (!isnan(command->sweep.efficiency)) return;
  add_percent(table, cell->efficiency);
}

static char *columns(const TgSweepCommand *command, bool sizes) {
  GString *align = g_string_new(NULL);
  if (sizes) g_string_append_c(align, 'r');
  if (command->sweep.p->len) g_string_append_c(align, 'r');
  for (int a = 0; a < command->sweep.sources; a++) g_string_append(align, "rr");
  if (command->sweep.sources > 1) g_string_append_c(align, 'l');
  return g_string_free(align, FALSE);
}

static void print_many(TgCli *cli, const TgSweepCommand *command) {
  const bool found = !isnan(command->sweep.efficiency), sizes = !found;
  g_autofree char *align = columns(command, sizes);
  g_autoptr(TgTable) table = tg_table_new(align);
  if (sizes) tg_table_add(table, "n");
  if (command->sweep.p->len) tg_table_add(table, "p");
  for (int a = 0; a < command->sweep.sources; a++) {
    tg_table_add(table, "%s%s", command->name[a], found ? " n" : "");
    tg_table_add(table, "%s", found ? "time" : "eff.");
  }
  if (command->sweep.sources > 1) tg_table_add(table, found ? "smallest n" : "fastest");
  for (guint i = 0; i < command->sweep.points->len; i++) {
    const TgSweepPoint *point = tg_sweep_point(&command->sweep, i);
    if (sizes) add_size(table, point);
    if (command->sweep.p->len) tg_table_add(table, "%" PRId64, point->p);
    for (int a = 0; a < command->sweep.sources; a++) add_cell(table, command, tg_sweep_cell(&command->sweep, i, a));
    if (command->sweep.sources > 1) add_winners(table, command, i);
  }
  tg_table_print(cli, table, 2, true);
  if (!found) tg_print(cli, "  eff.: efficiency, the time on one processor divided by p times the predicted time\n");
}

/* "dns has no grid of 16 or 256 processors: its grid is i:q, j:q, k:q" */
static void print_no_grid(TgCli *cli, const TgSweepCommand *command, int algorithm) {
  g_autoptr(GString) numbers = g_string_new(NULL);
  const char *why = NULL;
  int64_t last = 0;
  for (guint i = 0; i < command->sweep.points->len; i++) {
    const TgSweepCell *cell = tg_sweep_cell(&command->sweep, i, algorithm);
    const int64_t p = tg_sweep_point(&command->sweep, i)->p;
    if (!cell->no_grid || p == last) continue;
    if (last) g_string_append_printf(numbers, "%s%" PRId64, numbers->len ? ", " : "", last);
    if (!why) why = cell->no_grid;
    last = p;
  }
  if (!why) return;
  g_autofree char *text = g_strdup_printf("%s has no grid of %s%s%" PRId64 " processors: %s", command->name[algorithm],
                                          numbers->str, numbers->len ? " or " : "", last, why);
  tg_print_wrapped(cli, text, 2, 0);
}

/* Reasons for dashes, each once. */
static void print_skipped(TgCli *cli, const TgSweepCommand *command) {
  const gsize cells = (gsize)command->sweep.points->len * (gsize)command->sweep.sources;
  for (int a = 0; a < command->sweep.sources; a++) print_no_grid(cli, command, a);
  for (gsize i = 0; i < cells; i++)
    if (command->sweep.cell[i].skipped && !command->sweep.cell[i].no_grid)
      tg_print_wrapped(cli, command->sweep.cell[i].skipped, 2, 0);
}

static void print_marks(TgCli *cli, const TgSweepCommand *command) {
  const gsize cells = (gsize)command->sweep.points->len * (gsize)command->sweep.sources;
  gsize full = 0, unproved = 0;
  for (gsize i = 0; i < cells; i++) {
    const TgSweepCell *cell = &command->sweep.cell[i];
    full += !cell->skipped && !cell->memory.fits;
    unproved += !cell->skipped && !cell->proved;
  }
  if (full) tg_print(cli, "  !: does not fit in the memory of a node\n");
  if (unproved)
    tg_print(cli,
             "  %zu of %zu prediction%s %s of schedules too large to prove first; prove them with `topogemm verify`\n",
             unproved, cells, cells == 1 ? "" : "s", unproved == 1 ? "is" : "are");
}

void tg_sweep_print(TgCli *cli, const TgSweepCommand *command) {
  print_head(cli, command);
  if (command->sweep.points->len == 1 && isnan(command->sweep.efficiency))
    print_one(cli, command);
  else
    print_many(cli, command);
  print_skipped(cli, command);
  print_marks(cli, command);
  print_words(cli, command);
}

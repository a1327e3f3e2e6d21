/* Who wins where, and what that says in words. */
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

void tg_sweep_print_words(TgCli *cli, const TgSweep *sweep) {
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

/* Predictions of several schedules at several points. */
#include "sweep.h"

#include "prove.h"

#include <inttypes.h>
#include <math.h>

/* --- which grid a schedule gets of a number of processors --------------------------------------------------------- */

typedef struct TgExtents {
  int32_t extent[TG_MAX_DIMS]; /* 0 beyond the coordinates */
} TgExtents;

/* All grids of `left` processors, from coordinate `axis` on. */
static void split(GArray *grids, int dims, int axis, int64_t left, TgExtents *grid) {
  if (axis >= TG_MAX_DIMS) return; /* never, but a compiler cannot know */
  if (axis == dims - 1) {
    grid->extent[axis] = (int32_t)left;
    g_array_append_val(grids, *grid);
    return;
  }
  for (int64_t e = 1; e <= left; e++) {
    if (left % e) continue;
    grid->extent[axis] = (int32_t)e;
    split(grids, dims, axis + 1, left / e, grid);
  }
}

static int64_t sum_of(const TgExtents *grid) {
  int64_t sum = 0;
  for (int i = 0; i < TG_MAX_DIMS; i++) sum += grid->extent[i];
  return sum;
}

/* The squarest first; of two alike the one that is longer in the first coordinates. */
static int compare_grids(const void *a, const void *b) {
  int64_t of_a = sum_of(a), of_b = sum_of(b);
  if (of_a != of_b) return of_a < of_b ? -1 : 1;
  for (int i = 0; i < TG_MAX_DIMS; i++) {
    int32_t x = ((const TgExtents *)a)->extent[i], y = ((const TgExtents *)b)->extent[i];
    if (x != y) return x > y ? -1 : 1;
  }
  return 0;
}

bool tg_sweep_bind(TgSchedule *schedule, const TgScheduleNames *names, const TgBindings *parameters, int64_t processors,
                   char **why) {
  g_autoptr(GArray) grids = g_array_new(FALSE, FALSE, sizeof(TgExtents));
  const int dims = schedule->dims;
  TgExtents grid = {{0}};
  TgError error = {0}, squarest = {0};
  split(grids, dims, 0, processors, &grid);
  g_array_sort(grids, compare_grids);
  for (guint g = 0; g < grids->len; g++) {
    TgBindings bindings = *parameters;
    bindings.dims = dims;
    for (int i = 0; i < dims; i++) bindings.grid[i] = g_array_index(grids, TgExtents, g).extent[i];
    if (tg_schedule_bind(schedule, names, &bindings, &error)) return true;
    if (schedule->bound == TG_BOUND_UNMET && !*squarest.message) squarest = error;
  }
  *why =
      *squarest.message ? g_strdup(squarest.message) : g_strdup_printf("its grid is %s", tg_name(names, names->grid));
  return false;
}

/* --- the size that holds an efficiency ---------------------------------------------------------------------------- */

static const int64_t most_n = INT64_C(1) << 28; /* nobody's matrices; 2^59 elements are the limit of a shape */

typedef struct TgSearch {
  TgEstimate *estimate;
  double efficiency;
  int64_t unit; /* sizes are multiples of it, so that blocks are alike */
  int64_t workers;
  GError *error;
} TgSearch;

/* Whether `units` suffice; false with `error` set where a prediction fails. */
static bool suffices(TgSearch *search, int64_t units) {
  TgEstimate *estimate = search->estimate;
  TgShape shape;
  TgCost cost = {0};
  const int64_t n = units * search->unit;
  if (!tg_shape_init(&shape, &estimate->schedule->computes, n, n, n, &search->error) ||
      !tg_estimate_cost(estimate, &shape, &estimate->options, &cost, &search->error)) {
    estimate->fault = (TgEstimateFault){0};
    if (cost.failure.cause != TG_CAUSE_NONE) estimate->fault.failure = cost.failure;
    return false;
  }
  const double serial_s = tg_estimate_serial_s(estimate, &shape);
  const bool enough = serial_s >= search->efficiency * (double)search->workers * cost.time_s;
  tg_cost_clear(&cost);
  return enough;
}

/* The least number of units that suffice, found by doubling and halving; more than `most` where none does. */
static int64_t least_units(TgSearch *search, int64_t most) {
  int64_t enough = 1, less = 0;
  while (enough <= most && !suffices(search, enough) && !search->error) {
    less = enough;
    enough *= 2;
  }
  while (!search->error && enough <= most && enough - less > 1) {
    const int64_t middle = less + (enough - less) / 2;
    *(suffices(search, middle) ? &enough : &less) = middle;
  }
  return enough;
}

/* Finds the least n at which the efficiency is reached, of the n that make all blocks alike: multiples of the numbers
 * of blocks. That of n less one such step is below it. `*reason` says why there is none, which is no error. */
static bool find_size(TgEstimate *estimate, double efficiency, int64_t *n, char **reason, GError **error) {
  const TgSchedule *schedule = estimate->schedule;
  const char *name = tg_name(estimate->names, estimate->names->title);
  const int64_t processors = tg_schedule_processors(schedule);
  TgSearch search = {
      .estimate = estimate, .efficiency = efficiency, .workers = MIN(processors, estimate->network.nodes)};
  TgShape shape;
  TgError endless = {0};
  tg_proof_sizes(schedule, &shape.m, &search.unit, &shape.k);
  if (!tg_walk_ends(schedule, estimate->names, &endless)) {
    estimate->fault = (TgEstimateFault){.failure = endless};
    return TG_SIM_FAIL(error, BAD_INPUT, "%s", endless.message);
  }
  shape.m = shape.n = shape.k = 1;
  if (isnan(tg_estimate_serial_s(estimate, &shape))) {
    *reason = g_strdup_printf("%s has no efficiency: its products take no time on %s", name, estimate->machine.name);
    return true;
  }
  const int64_t units = least_units(&search, most_n / search.unit);
  if (search.error) {
    g_propagate_error(error, search.error);
    return false;
  }
  if (units * search.unit > most_n)
    *reason = g_strdup_printf("%s on %" PRId64 " processors stays below an efficiency of %.15g up to n = %" PRId64, name,
                              processors, efficiency, units / 2 * search.unit);
  *n = units * search.unit;
  return true;
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

void tg_sweep_clear(TgSweep *sweep) {
  const gsize cells = sweep->points ? (gsize)sweep->points->len * (gsize)sweep->sources : 0;
  for (gsize i = 0; sweep->cell && i < cells; i++) {
    g_free(sweep->cell[i].skipped);
    g_free(sweep->cell[i].no_grid);
    if (sweep->cell[i].parameters) g_rc_box_release(sweep->cell[i].parameters);
  }
  g_free(sweep->cell);
  GArray *arrays[] = {sweep->n, sweep->p, sweep->points, sweep->crossovers};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++)
    if (arrays[i]) g_array_unref(arrays[i]);
  *sweep = (TgSweep){0};
}

static void take(TgEstimate *estimate, TgSweepCell *cell) {
  const TgCost *cost = estimate->cost;
  tg_estimate_closed_form(estimate);
  g_strlcpy(cell->grid, tg_schedule_grid_text(estimate->schedule).s, sizeof cell->grid);
  g_strlcpy(cell->network, estimate->network_text, sizeof cell->network);
  cell->n = estimate->shape.n;
  cell->processors = tg_schedule_processors(estimate->schedule);
  cell->time_s = cost->time_s;
  cell->compute_s = cost->compute_s;
  cell->communication_s = cost->communication_s;
  cell->efficiency = estimate->efficiency;
  cell->closed_form_s = estimate->closed_form_s;
  cell->messages = cost->messages;
  cell->bytes = cost->bytes;
  cell->max_link_bytes = cost->max_link_bytes;
  cell->memory = estimate->memory;
  cell->proved = estimate->proved;
}

static bool fill_cell(TgEstimate *estimate, double efficiency, TgSweepPoint point, TgSweepCell *cell, GError **error) {
  TgCost cost = {0};
  if (!isnan(efficiency)) {
    if (!find_size(estimate, efficiency, &point.n, &cell->skipped, error)) return false;
    if (cell->skipped) return true;
    point.m = point.k = point.n;
  }
  if (!tg_shape_init(&estimate->shape, &estimate->schedule->computes, point.m, point.n, point.k, error)) {
    estimate->fault = (TgEstimateFault){0};
    return false;
  }
  const bool fine = tg_estimate_prove(estimate, error) && tg_estimate_predict(estimate, &cost, error);
  if (fine) take(estimate, cell);
  tg_cost_clear(&cost);
  return fine;
}

/* Under way: all sizes of one source on p processors, which stand one after another from point `first` on. */
typedef struct TgSeries {
  const TgSweepRequest *request;
  const TgSweepSource *source;
  TgSweep *sweep;
  TgSchedule bound;
  TgBindings *parameters;
  TgEstimate estimate;
  TgWatch watch;
  int64_t done; /* of the sweep's predictions */
} TgSeries;

static void skip(const TgSeries *series, TgSweepCell *cell, int64_t p, const char *why) {
  const TgScheduleNames *names = series->source->names;
  cell->no_grid = g_strdup(why);
  cell->skipped = g_strdup_printf("%s has no grid of %" PRId64 " processors: %s", tg_name(names, names->title), p, why);
}

/* A prediction tells its statements. */
static bool goes_on(void *user, int64_t statements) {
  const TgSeries *series = user;
  (void)statements;
  return tg_watch_go_on(series->request->watch, series->done);
}

/* Binds to p processors, or as the source says where p is 0; `*why` as in tg_sweep_bind(). */
static bool open_series(TgSeries *series, int64_t p, char **why, GError **error) {
  const TgSweepRequest *request = series->request;
  const TgSweepSource *source = series->source;
  TgEstimate *estimate = &series->estimate;
  TgError failure = {0};
  series->bound = *source->schedule;
  *estimate = (TgEstimate){.schedule = &series->bound,
                           .names = source->names,
                           .formula = source->formula,
                           .machine = request->machine,
                           .element = request->element,
                           .options = request->options,
                           .memory_limit_bytes = request->memory_limit_bytes};
  series->watch = (TgWatch){goes_on, series};
  estimate->options.watch = &series->watch;
  estimate->options.tiers.in_memory = source->in_memory;
  estimate->options.tiers.by_rows = source->by_rows;
  if (p && !tg_sweep_bind(&series->bound, source->names, &source->bindings, p, why)) return true;
  if (!p && !tg_schedule_bind(&series->bound, source->names, &source->bindings, &failure)) {
    estimate->fault = (TgEstimateFault){.failure = failure};
    return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure.message);
  }
  tg_parameters_of(&series->bound, source->names, series->parameters);
  return tg_estimate_place(estimate, request->network, request->embedding, error);
}

static bool fill_series(TgSeries *series, int source, guint first, guint count, GError **error) {
  TgSweep *sweep = series->sweep;
  const int64_t p = tg_sweep_point(sweep, first)->p;
  g_autofree char *why = NULL;
  bool fine = open_series(series, p, &why, error);
  for (guint i = first; i < first + count && fine; i++) {
    TgSweepCell *cell = tg_sweep_cell(sweep, i, source);
    series->done = (int64_t)first * sweep->sources + (int64_t)source * count + i - first;
    if (why)
      skip(series, cell, p, why);
    else
      fine = fill_cell(&series->estimate, sweep->efficiency, *tg_sweep_point(sweep, i), cell, error);
    if (!why) cell->parameters = g_rc_box_acquire(series->parameters);
  }
  sweep->failed = source;
  sweep->bound = series->bound;
  sweep->fault = series->estimate.fault;
  tg_estimate_clear(&series->estimate);
  return fine;
}

/* --- who wins where ----------------------------------------------------------------------------------------------- */

/* What is compared: the time, or the size that an efficiency needs. */
static double measure(const TgSweep *sweep, guint point, int source) {
  const TgSweepCell *cell = tg_sweep_cell(sweep, point, source);
  if (cell->skipped) return NAN;
  return isnan(sweep->efficiency) ? cell->time_s : (double)cell->n;
}

bool tg_sweep_ties(const TgSweep *sweep, guint point, int source, int winner) {
  return measure(sweep, point, source) <= measure(sweep, point, winner) * (1 + sweep->tie);
}

int tg_sweep_winner(const TgSweep *sweep, guint point, int before) {
  int winner = -1;
  for (int s = 0; s < sweep->sources; s++) {
    double here = measure(sweep, point, s);
    if (!isnan(here) && (winner < 0 || here < measure(sweep, point, winner))) winner = s;
  }
  if (winner >= 0 && before >= 0 && tg_sweep_ties(sweep, point, before, winner)) return before;
  return winner;
}

static gint compare_cells(gconstpointer a, gconstpointer b, gpointer user) {
  const TgSweepCell *cells = user;
  int x = *(const int *)a, y = *(const int *)b;
  if (!cells[x].skipped != !cells[y].skipped) return cells[x].skipped ? 1 : -1;
  if (!cells[x].skipped && cells[x].time_s != cells[y].time_s) return cells[x].time_s < cells[y].time_s ? -1 : 1;
  return x - y;
}

void tg_sweep_rank(const TgSweep *sweep, guint point, int *order) {
  for (int s = 0; s < sweep->sources; s++) order[s] = s;
  g_qsort_with_data(order, sweep->sources, sizeof *order, compare_cells, tg_sweep_cell(sweep, point, 0));
}

int64_t tg_sweep_along(const TgSweep *sweep, guint point) {
  return sweep->along_n ? tg_sweep_point(sweep, point)->n : tg_sweep_point(sweep, point)->p;
}

guint tg_sweep_lines(const TgSweep *sweep) {
  return MAX(sweep->along_n ? sweep->p->len : sweep->n->len, 1);
}

TgSweepLine tg_sweep_line(const TgSweep *sweep, guint line) {
  const guint sizes = MAX(sweep->n->len, 1), numbers = MAX(sweep->p->len, 1);
  const GArray *other = sweep->along_n ? sweep->p : sweep->n;
  const int64_t fixed = other->len ? g_array_index(other, int64_t, line) : 0;
  return sweep->along_n ? (TgSweepLine){fixed, line * sizes, 1, sizes} : (TgSweepLine){fixed, line, sizes, numbers};
}

double tg_sweep_growth(const TgSweep *sweep, int source, int64_t ends[2]) {
  const TgSweepCell *first = NULL, *last = NULL;
  for (guint i = 0; i < sweep->points->len; i++) {
    const TgSweepCell *cell = tg_sweep_cell(sweep, i, source);
    if (cell->skipped) continue;
    if (!first) first = cell;
    last = cell;
  }
  if (!first || first->processors == last->processors) return NAN;
  ends[0] = first->processors;
  ends[1] = last->processors;
  return 3 * log((double)last->n / (double)first->n) / log((double)last->processors / (double)first->processors);
}

/* Where two times meet between two points, as straight lines in logarithms. */
static double meeting(const TgSweep *sweep, guint from, guint to, int before, int after) {
  double first = log(measure(sweep, from, before) / measure(sweep, from, after));
  double second = log(measure(sweep, to, before) / measure(sweep, to, after));
  double x = log((double)tg_sweep_along(sweep, from)), y = log((double)tg_sweep_along(sweep, to));
  if (isnan(first) || isnan(second) || first > 0 || second < 0 || first == second) return NAN;
  return exp(x + (y - x) * first / (first - second));
}

static void find_crossovers(TgSweep *sweep, const TgSweepLine *line) {
  int winner = -1;
  guint last = 0;
  for (guint i = 0; i < line->count; i++) {
    const guint point = line->first + i * line->stride;
    const int now = tg_sweep_winner(sweep, point, winner);
    if (now < 0) continue;
    if (winner >= 0 && now != winner) {
      TgCrossover crossover = {.fixed = line->fixed,
                               .before = winner,
                               .after = now,
                               .last = tg_sweep_along(sweep, last),
                               .at = tg_sweep_along(sweep, point),
                               .near = meeting(sweep, last, point, winner, now)};
      g_array_append_val(sweep->crossovers, crossover);
    }
    winner = now;
    last = point;
  }
}

/* --- all of it ------------------------------------------------------------------------------------------------------
 */

static GArray *values_of(GArray *values) {
  return values ? g_array_ref(values) : g_array_new(FALSE, FALSE, sizeof(int64_t));
}

static void make_points(const TgSweepRequest *request, TgSweep *sweep) {
  const bool found = !isnan(sweep->efficiency);
  for (guint p = 0; p < MAX(sweep->p->len, 1); p++)
    for (guint n = 0; n < MAX(sweep->n->len, 1); n++) {
      TgSweepPoint point = {0};
      if (!found) point = (TgSweepPoint){.m = request->size[0], .n = request->size[1], .k = request->size[2]};
      if (sweep->p->len) point.p = g_array_index(sweep->p, int64_t, p);
      if (sweep->n->len) point.m = point.n = point.k = g_array_index(sweep->n, int64_t, n);
      g_array_append_val(sweep->points, point);
    }
}

static bool check_values(const TgSweep *sweep, GError **error) {
  const GArray *const all[] = {sweep->n, sweep->p};
  bool fine = isnan(sweep->efficiency) || (sweep->efficiency < 1 && sweep->efficiency > 0 && !sweep->n->len);
  for (gsize a = 0; a < G_N_ELEMENTS(all); a++)
    for (guint i = 0; i < all[a]->len; i++) {
      const int64_t value = g_array_index(all[a], int64_t, i);
      fine = fine && value > (i ? g_array_index(all[a], int64_t, i - 1) : 0);
      fine = fine && value <= (a ? TG_MAX_PROCESSORS : INT32_MAX);
    }
  return fine || TG_SIM_FAIL(error, BAD_INPUT,
                             "a sweep has ascending values, n from 1 to 2^31-1 and p up to the most processors, or "
                             "instead of n an efficiency between 0 and 1");
}

bool tg_sweep(const TgSweepRequest *request, const TgSweepSource *sources, int count, TgSweep *sweep, GError **error) {
  bool fine = true;
  *sweep = (TgSweep){.n = values_of(request->n),
                     .p = values_of(request->p),
                     .efficiency = request->efficiency != 0 ? request->efficiency : NAN,
                     .sources = count,
                     .points = g_array_new(FALSE, FALSE, sizeof(TgSweepPoint)),
                     .crossovers = g_array_new(FALSE, FALSE, sizeof(TgCrossover)),
                     .along_n = request->n && request->n->len > 1,
                     .tie = fmax(request->machine.residual, 1e-9)};
  if (!check_values(sweep, error)) return false;
  make_points(request, sweep);
  const guint sizes = MAX(sweep->n->len, 1);
  sweep->cell = g_new0(TgSweepCell, (gsize)sweep->points->len * (gsize)count);
  for (guint first = 0; first < sweep->points->len && fine; first += sizes)
    for (int s = 0; s < count && fine; s++) {
      TgSeries series = {
          .request = request, .source = &sources[s], .sweep = sweep, .parameters = g_rc_box_new0(TgBindings)};
      fine = fill_series(&series, s, first, sizes, error);
      g_rc_box_release(series.parameters);
    }
  for (guint l = 0; fine && l < tg_sweep_lines(sweep); l++) {
    const TgSweepLine line = tg_sweep_line(sweep, l);
    find_crossovers(sweep, &line);
  }
  return fine;
}

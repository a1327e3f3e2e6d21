/* Predictions of several ALGOs at several points. */
#include "sweep.h"
#include "output.h"
#include "progress.h"

#include "prove.h"
#include "sum.h"

#include <math.h>
#include <string.h>

/* --- what --sweep says: `n=512..16384:x2,p=16,64,256` ------------------------------------------------------------- */

static const char expected[] = "expected n or p with values, as in n=512..16384:x2,p=16,64,256";

static TgExit add_value(const TgCli *cli, GArray *values, int64_t value) {
  if (values->len == TG_SWEEP_VALUES)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: more than %d values, expected at most that many", TG_SWEEP_VALUES);
  g_array_append_val(values, value);
  return TG_EXIT_DONE;
}

/* ":x2" multiplies, ":+512" adds; without, it doubles. */
static TgExit read_stride(const TgCli *cli, const char *part, const char *text, int64_t *factor, int64_t *summand) {
  *factor = 2;
  *summand = 0;
  if (!text) return TG_EXIT_DONE;
  if (text[0] == 'x') return tg_number_parse(cli, "--sweep", text + 1, 2, INT32_MAX, factor);
  *factor = 1;
  if (text[0] == '+') return tg_number_parse(cli, "--sweep", text + 1, 1, INT32_MAX, summand);
  return tg_report(cli, TG_EXIT_USAGE,
                   "--sweep: `%s` in `%s`, expected x and a factor or + and a step, as in "
                   "512..16384:x2 or 512..4096:+512",
                   text, part);
}

static TgExit add_range(const TgCli *cli, GArray *values, const char *part, int64_t most) {
  g_auto(GStrv) halves = g_strsplit(part, ":", 2);
  g_auto(GStrv) ends = g_strsplit(halves[0] ? halves[0] : "", "..", 2);
  int64_t first = 0, last = 0, factor, summand;
  if (!ends[0] || !*ends[0] || (ends[1] && !*ends[1]))
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` is no value and no range, %s", part, expected);
  if (halves[1] && !ends[1])
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s`: a step goes with a range, as in 512..16384:%s", part,
                     halves[1]);
  TgExit status = tg_number_parse(cli, "--sweep", ends[0], 1, most, &first);
  last = first;
  if (!status && ends[1]) status = tg_number_parse(cli, "--sweep", ends[1], 1, most, &last);
  if (!status && last < first)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: the range %s is empty: its end is less than its beginning", part);
  if (!status) status = read_stride(cli, part, halves[1], &factor, &summand);
  for (int64_t value = first; !status && value <= last; value = value * factor + summand)
    status = add_value(cli, values, value);
  return status;
}

static gint compare_values(gconstpointer a, gconstpointer b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Ascending, each once. */
static void settle(GArray *values) {
  g_array_sort(values, compare_values);
  for (guint i = values->len; i-- > 1;)
    if (g_array_index(values, int64_t, i) == g_array_index(values, int64_t, i - 1)) g_array_remove_index(values, i);
}

static TgExit find_variable(const TgCli *cli, TgSweep *sweep, const char *part, GArray **values) {
  const char *sign = strchr(part, '=');
  if (!sign) return TG_EXIT_DONE;
  g_autofree char *name = g_strndup(part, (gsize)(sign - part));
  *values = strcmp(name, "n") == 0 ? sweep->n : strcmp(name, "p") == 0 ? sweep->p : NULL;
  if (!*values) return tg_report(cli, TG_EXIT_USAGE, "--sweep: nothing called `%s`, %s", name, expected);
  if ((*values)->len) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s is given twice", name);
  return TG_EXIT_DONE;
}

/* Reads --sweep into `n` and `p`. */
static TgExit sweep_read(const TgCli *cli, TgSweep *sweep) {
  GArray *values = NULL;
  TgExit status = TG_EXIT_DONE;
  if (!cli->options.sweep) return status;
  g_auto(GStrv) parts = g_strsplit(cli->options.sweep, ",", -1);
  for (char **part = parts; *part && !status; part++) {
    const char *sign = strchr(*part, '=');
    status = find_variable(cli, sweep, *part, &values);
    if (!status && !values)
      return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` has no name before it, %s", *part, expected);
    if (!status)
      status = add_range(cli, values, sign ? sign + 1 : *part, values == sweep->p ? TG_MAX_PROCESSORS : INT32_MAX);
  }
  if (!*parts) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s", expected);
  settle(sweep->n);
  settle(sweep->p);
  if (!status && (int64_t)MAX(sweep->n->len, 1) * MAX(sweep->p->len, 1) > TG_SWEEP_POINTS)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: more than %d points, expected at most that many", TG_SWEEP_POINTS);
  return status;
}

/* --- the size that holds an efficiency ---------------------------------------------------------------------------- */

static const int64_t most_n = INT64_C(1) << 28; /* nobody's matrices; 2^59 elements are the limit of a shape */

typedef struct TgSearch {
  const TgSimRun *run;
  double efficiency;
  int64_t unit; /* sizes are multiples of it, so that blocks are alike */
  int64_t workers;
  GError *error;
  TgError failure; /* … of the schedule, where it is that */
} TgSearch;

/* Whether `units` suffice; false with `error` set where a prediction fails. */
static bool suffices(TgSearch *search, int64_t units) {
  TgShape shape;
  TgCost cost = {0};
  const int64_t n = units * search->unit;
  if (!tg_shape_init(&shape, &search->run->problem->schedule.computes, n, n, n, &search->error) ||
      !tg_sim_cost(search->run, &shape, &search->run->options, &cost, &search->error)) {
    search->failure = cost.failure;
    return false;
  }
  const double serial_s = tg_sim_serial_s(search->run, &shape);
  const bool enough = serial_s >= search->efficiency * (double)search->workers * cost.time_s;
  tg_cost_clear(&cost);
  return enough;
}

/* Finds the least n at which the run's efficiency is `efficiency`, of the n that make all blocks alike: multiples of
 * the numbers of blocks. That of n less one such step is below it. `*reason` says why there is none, which is no error.
 */
static TgExit sweep_find_size(const TgCli *cli, const TgSimRun *run, double efficiency, int64_t *n, char **reason) {
  TgSearch search = {.run = run, .efficiency = efficiency};
  TgShape shape;
  TgError endless = {0};
  const int64_t processors = tg_schedule_processors(&run->problem->schedule);
  search.workers = MIN(processors, run->network.nodes);
  tg_proof_sizes(&run->problem->schedule, &shape.m, &search.unit, &shape.k);
  if (!tg_walk_ends(&run->problem->schedule, &run->problem->names, &endless))
    return tg_problem_report(cli, run->problem, &endless);
  shape.m = shape.n = shape.k = 1;
  if (isnan(tg_sim_serial_s(run, &shape))) {
    *reason = g_strdup_printf("%s has no efficiency: its products take no time on %s", tg_problem_name(run->problem),
                              run->machine.name);
    return TG_EXIT_DONE;
  }
  int64_t enough = 1, less = 0;
  while (enough * search.unit <= most_n && !suffices(&search, enough) && !search.error) {
    less = enough;
    enough *= 2;
  }
  if (search.error) return tg_sim_failed(cli, run, &search.failure, search.error);
  if (enough * search.unit > most_n) {
    *reason = g_strdup_printf("%s on %" PRId64 " processors stays below an efficiency of %g up to n = %" PRId64,
                              tg_problem_name(run->problem), processors, efficiency, less * search.unit);
    return TG_EXIT_DONE;
  }
  while (!search.error && enough - less > 1) {
    const int64_t middle = less + (enough - less) / 2;
    *(suffices(&search, middle) ? &enough : &less) = middle;
  }
  *n = enough * search.unit;
  if (search.error) return tg_sim_failed(cli, run, &search.failure, search.error);
  return TG_EXIT_DONE;
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void clear_sweep(TgSweep *sweep) {
  const gsize cells = sweep->points ? (gsize)sweep->points->len * (gsize)sweep->algorithms : 0;
  for (gsize i = 0; sweep->cell && i < cells; i++) {
    g_free(sweep->cell[i].skipped);
    g_free(sweep->cell[i].no_grid);
    if (sweep->cell[i].parameters) g_rc_box_release(sweep->cell[i].parameters);
  }
  for (int a = 0; sweep->isoefficiency && a < sweep->algorithms; a++) g_free(sweep->isoefficiency[a]);
  g_free(sweep->cell);
  g_free(sweep->settings);
  g_free(sweep->isoefficiency);
  g_strfreev(sweep->algorithm);
  GArray *arrays[] = {sweep->n, sweep->p, sweep->points, sweep->crossovers};
  for (gsize i = 0; i < G_N_ELEMENTS(arrays); i++)
    if (arrays[i]) g_array_unref(arrays[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSweep, clear_sweep)

/* Where the command line or the machine names a network, or an embedding. */
static void add_network(GString *text, const TgCli *cli, const TgSimRun *run) {
  const char *network = cli->options.network, *embed = cli->options.embed, *own = run->machine.network;
  if (network)
    g_string_append_printf(text, "network %s", network);
  else if (*own)
    g_string_append_printf(text, "network %s where it has a node for each processor, else a torus", own);
  else if (embed)
    g_string_append(text, "network a torus of the grid");
  if (embed) g_string_append_printf(text, ", %s", embed);
  if (text->len) g_string_append(text, "; ");
}

static void note_settings(TgSweep *sweep, const TgCli *cli, const TgSimRun *run) {
  if (sweep->settings) return;
  GString *text = g_string_new(NULL);
  g_autofree char *settings = tg_sim_settings_text(cli, run);
  add_network(text, cli, run);
  g_string_append(text, settings);
  for (char **set = cli->options.set; set && *set; set++) g_string_append_printf(text, ", %s", *set);
  sweep->settings = g_string_free(text, FALSE);
  sweep->options = run->options;
  g_strlcpy(sweep->machine, run->machine.name, sizeof sweep->machine);
  sweep->element = tg_element_name(run->element);
  sweep->model = tg_cost_model_name(run->options.model);
  sweep->tie = fmax(run->machine.residual, 1e-9);
}

/* Blocks all of one size hold words in proportion to the square of n; otherwise the proof counts anew. */
static TgExit find_memory(const TgCli *cli, TgSimRun *run, int64_t n, int64_t *proved_n) {
  int64_t m, unit, k;
  tg_proof_sizes(&run->problem->schedule, &m, &unit, &k);
  const bool square = m == unit && k == unit && run->shape.m == n && run->shape.k == n;
  if (!*proved_n || !square || n % unit || *proved_n % unit) {
    *proved_n = square ? n : 0;
    return tg_sim_prove(cli, run);
  }
  const int64_t was = *proved_n / unit, now = n / unit;
  *proved_n = n;
  return tg_sim_set_words(cli, run, tg_sum_times(run->memory.words / (was * was), now * now));
}

static void take(TgSimRun *run, TgSweepCell *cell) {
  const TgCost *cost = run->cost;
  g_clear_pointer(&run->formula, tg_formula_free);
  g_clear_pointer(&run->closed_form_why, g_free);
  tg_sim_closed_form(run);
  tg_schedule_grid_text(&run->problem->schedule, cell->grid, sizeof cell->grid);
  g_strlcpy(cell->network, run->network_text, sizeof cell->network);
  cell->n = run->shape.n;
  cell->processors = tg_schedule_processors(&run->problem->schedule);
  cell->time_s = cost->time_s;
  cell->compute_s = cost->compute_s;
  cell->communication_s = cost->communication_s;
  cell->efficiency = run->efficiency;
  cell->closed_form_s = run->closed_form_s;
  cell->messages = cost->messages;
  cell->bytes = cost->bytes;
  cell->max_link_bytes = cost->max_link_bytes;
  cell->memory = run->memory;
  cell->proved = run->proved;
}

/** One ALGO with one number of processors, at one size after another. */
typedef struct TgSeries {
  TgProblem problem;
  TgCost cost;
  TgSimRun run;
  int64_t proved_n;
  TgBindings *parameters;
} TgSeries;

static TgExit fill_cell(const TgCli *cli, const TgSweep *sweep, TgSeries *series, TgSweepPoint point,
                        TgSweepCell *cell) {
  TgSimRun *run = &series->run;
  TgExit status = TG_EXIT_DONE;
  if (!isnan(sweep->efficiency)) {
    status = sweep_find_size(cli, run, sweep->efficiency, &point.n, &cell->skipped);
    point.m = point.k = point.n;
  }
  if (status || cell->skipped) return status;
  status = tg_sim_set_sizes(cli, run, point.m, point.n, point.k);
  if (!status) status = find_memory(cli, run, point.n, &series->proved_n);
  tg_cost_clear(&series->cost);
  if (!status) status = tg_sim_predict(cli, run, &series->cost);
  if (!status) take(run, cell);
  if (!status) cell->parameters = g_rc_box_acquire(series->parameters);
  return status;
}

static void skip(const TgSweep *sweep, TgSweepCell *cell, int algorithm, int64_t p, const char *why) {
  cell->no_grid = g_strdup(why);
  cell->skipped = g_strdup_printf("%s has no grid of %" PRId64 " processors: %s", sweep->algorithm[algorithm], p, why);
}

/* All sizes of one ALGO on p processors. They stand one after another from `first` on. */
static TgExit fill_series(TgCli *cli, TgSweep *sweep, int algorithm, guint first, guint count) {
  TgSeries series = {.run.element = TG_F32, .parameters = g_rc_box_new0(TgBindings)};
  TgSimRun *run = &series.run;
  run->problem = &series.problem;
  g_autofree char *why = NULL;
  TgExit status = tg_sim_bind(cli, &series.problem, cli->options.arguments[algorithm], tg_sweep_point(sweep, first)->p,
                              sweep->algorithms > 1, &why);
  if (!status && !sweep->algorithm[algorithm]) sweep->algorithm[algorithm] = g_strdup(tg_problem_name(run->problem));
  if (!status && !why) status = tg_sim_options(cli, run);
  if (!status && !why) tg_parameters_of(&run->problem->schedule, &run->problem->names, series.parameters);
  if (!status && !why) note_settings(sweep, cli, run);
  for (guint i = first; i < first + count && !status; i++) {
    TgSweepCell *cell = tg_sweep_cell(sweep, i, algorithm);
    if (why) skip(sweep, cell, algorithm, tg_sweep_point(sweep, i)->p, why);
    if (!why) status = fill_cell(cli, sweep, &series, *tg_sweep_point(sweep, i), cell);
    if (!cli->progress) continue;
    tg_progress_at(cli->progress, (int64_t)first * sweep->algorithms + (int64_t)algorithm * count + i - first);
  }
  if (!status && run->formula && !sweep->isoefficiency[algorithm])
    sweep->isoefficiency[algorithm] = g_strdup(tg_formula_text(run->formula, TG_FORMULA_ISOEFFICIENCY));
  g_rc_box_release(series.parameters);
  tg_sim_clear(run);
  tg_cost_clear(&series.cost);
  tg_problem_clear(&series.problem);
  return status;
}

static TgExit fill(TgCli *cli, TgSweep *sweep) {
  TgProgressLine line;
  TgExit status = TG_EXIT_DONE;
  const guint sizes = MAX(sweep->n->len, 1);
  sweep->cell = g_new0(TgSweepCell, (gsize)sweep->points->len * (gsize)sweep->algorithms);
  tg_progress_begin(&line, cli, "sim", (int64_t)sweep->points->len * sweep->algorithms);
  for (guint first = 0; first < sweep->points->len && !status; first += sizes)
    for (int a = 0; a < sweep->algorithms && !status; a++) status = fill_series(cli, sweep, a, first, sizes);
  tg_progress_end(cli);
  return status;
}

static TgExit efficiency_option(const TgCli *cli, TgSweep *sweep) {
  const char *text = cli->options.efficiency;
  sweep->efficiency = NAN;
  if (!text) return TG_EXIT_DONE;
  if (!tg_real_read(text, &sweep->efficiency) || sweep->efficiency <= 0 || sweep->efficiency >= 1)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency %s: expected a number between 0 and 1, as in 0.8", text);
  if (sweep->n->len || cli->options.n || cli->options.size)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency finds n: leave out -n, --size and --sweep n=…");
  if (!sweep->p->len)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency: expected --sweep p=… with it, as in --sweep p=16,64,256");
  return TG_EXIT_DONE;
}

/* Options that one prediction alone has. */
static TgExit check_options(const TgCli *cli, const TgSweep *sweep) {
  const TgOptions *options = &cli->options;
  if (options->formula || options->symbols || options->trace)
    return tg_report(cli, TG_EXIT_USAGE, "--%s is for one ALGO without --sweep",
                     options->trace     ? "trace"
                     : options->formula ? "formula"
                                        : "symbols");
  if (sweep->n->len && (options->n || options->size))
    return tg_report(cli, TG_EXIT_USAGE, "-n, --size and --sweep n=…: give one of them");
  if (sweep->p->len && options->grid)
    return tg_report(cli, TG_EXIT_USAGE, "--grid and --sweep p=…: give one of them; p finds the grid");
  return TG_EXIT_DONE;
}

static TgExit make_points(const TgCli *cli, TgSweep *sweep) {
  TgSweepPoint size = {0};
  bool given = sweep->n->len || !isnan(sweep->efficiency);
  TgExit status = given ? TG_EXIT_DONE : tg_sizes_parse(cli, &size.m, &size.n, &size.k, &given);
  if (status) return status;
  if (!given)
    return tg_report(cli, TG_EXIT_USAGE, "sim: expected the sizes of the matrices: -n, --size or --sweep n=…");
  sweep->points = g_array_new(FALSE, FALSE, sizeof(TgSweepPoint));
  for (guint p = 0; p < MAX(sweep->p->len, 1); p++)
    for (guint n = 0; n < MAX(sweep->n->len, 1); n++) {
      TgSweepPoint point = size;
      if (sweep->p->len) point.p = g_array_index(sweep->p, int64_t, p);
      if (sweep->n->len) point.m = point.n = point.k = g_array_index(sweep->n, int64_t, n);
      g_array_append_val(sweep->points, point);
    }
  return TG_EXIT_DONE;
}

static TgExit open_sweep(const TgCli *cli, TgSweep *sweep) {
  sweep->n = g_array_new(FALSE, FALSE, sizeof(int64_t));
  sweep->p = g_array_new(FALSE, FALSE, sizeof(int64_t));
  sweep->crossovers = g_array_new(FALSE, FALSE, sizeof(TgCrossover));
  sweep->algorithms = (int)g_strv_length(cli->options.arguments);
  sweep->algorithm = g_new0(char *, (gsize)sweep->algorithms + 1);
  sweep->isoefficiency = g_new0(char *, (gsize)sweep->algorithms + 1);
  TgExit status = sweep_read(cli, sweep);
  if (!status) status = efficiency_option(cli, sweep);
  if (!status) status = check_options(cli, sweep);
  if (!status) status = tg_algorithms_check(cli, "sim");
  if (!status) status = make_points(cli, sweep);
  sweep->along_n = sweep->n->len > 1;
  return status ? status : tg_sweep_file_check(cli, sweep);
}

/* No ALGO has any of these numbers of processors. */
static TgExit check_found(const TgCli *cli, const TgSweep *sweep) {
  const gsize cells = (gsize)sweep->points->len * (gsize)sweep->algorithms;
  for (gsize i = 0; i < cells; i++)
    if (!sweep->cell[i].skipped) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--sweep: nothing to predict: %s", sweep->cell[0].skipped);
}

/* A logarithmic axis has no 0. */
static TgExit check_times(const TgCli *cli, const TgSweep *sweep) {
  const gsize cells = (gsize)sweep->points->len * (gsize)sweep->algorithms;
  if (!cli->options.output || !tg_sweep_is_drawn(cli->options.output)) return TG_EXIT_DONE;
  for (gsize i = 0; i < cells; i++)
    if (!sweep->cell[i].skipped && sweep->cell[i].time_s > 0) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "-o %s: nothing to draw: every predicted time is 0 on %s", cli->options.output,
                   sweep->machine);
}

TgExit tg_sweep(TgCli *cli) {
  g_auto(TgSweep) sweep = {0};
  TgExit status = open_sweep(cli, &sweep);
  if (!status) status = fill(cli, &sweep);
  if (!status) status = check_found(cli, &sweep);
  if (!status) status = check_times(cli, &sweep);
  if (status) return status;
  tg_sweep_find_crossovers(&sweep);
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_sweep_write(json, &sweep);
    tg_print_json(cli, json);
  } else {
    tg_sweep_print(cli, &sweep);
  }
  return tg_sweep_file_write(cli, &sweep);
}

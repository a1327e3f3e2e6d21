/* How the combinations of a size are measured, and in which order. */
#include <math.h>
#include <string.h>

#include "algo-library.h"
#include "check.h"
#include "matrix.h"
#include "product-error.h"
#include "shapes.h"
#include "trial.h"

/* A schedule on a grid of an executor. */
typedef struct Case {
  size_t place;
  const char *schedule_name;
  TgSchedule schedule;
  TgScheduleNames names;
  char grid[TG_SHAPES_GRID_BYTES];
  int32_t variants;
  uint64_t tried[TG_TRANSPORTS]; /* bit variant */
  double best_s;
  TgTransport best_transport;
} Case;

/* A size under way. */
typedef struct Sweep {
  TgShapes *shapes;
  const TgShapesPlan *plan;
  TgMatrix *a, *b, *c;
  TgProductAction *action;
  GPtrArray *cases; /* Case */
  double *best_s;   /* of each executor, the fastest right one so far */
  double end_s;
  int64_t done, total;
} Sweep;

/* --- which schedules run on which grids, by their own grids and requirements ---------------------------------------
 */

static bool is_product(const TgSchedule *schedule) {
  const TgComputes *computes = &schedule->computes;
  return computes->left == TG_MATRIX_A && computes->right == TG_MATRIX_B && !computes->left_transposed &&
         !computes->right_transposed;
}

static bool parse(const TgLibraryEntry *entry, TgSchedule *schedule, TgScheduleNames *names) {
  TgError unused;
  return tg_schedule_parse(schedule, names, entry->text, entry->length, &unused) && is_product(schedule);
}

static bool is_schedule(const char *name) {
  g_autofree TgSchedule *schedule = g_new(TgSchedule, 1);
  g_autofree TgScheduleNames *names = g_new(TgScheduleNames, 1);
  const TgLibraryEntry *entry = tg_library_find(name);
  return entry && parse(entry, schedule, names);
}

static bool is_place(const TgShapesPlace *places, size_t count, const char *name) {
  for (size_t p = 0; p < count; p++)
    if (strcmp(places[p].kind->name, name) == 0) return true;
  return false;
}

bool tg_shapes_names_check(const TgShapesPlace *places, size_t count, char **names, GError **error) {
  for (char **name = names; name && *name; name++) {
    if (is_place(places, count, *name) || is_schedule(*name)) continue;
    return TG_BENCH_FAIL(
        error, USAGE,
        "--kernels %s: bench shapes takes executors (%s%s%s) and schedules of the library that compute "
        "C = A * B",
        *name, places[0].kind->name, count > 1 ? ", " : "", count > 1 ? places[1].kind->name : "");
  }
  return true;
}

/* Where executors are named, these; where schedules are, these. */
static bool is_wanted(const TgShapesPlan *plan, bool of_place, const char *name) {
  bool any = false;
  for (char **given = plan->options->kernels; given && *given; given++) {
    if (is_place(plan->places, plan->place_count, *given) != of_place) continue;
    if (strcmp(*given, name) == 0) return true;
    any = true;
  }
  return !any;
}

static bool bind(Case *one, const char *grid) {
  TgBindings bindings = {0};
  TgError unused;
  if (!tg_bindings_grid(&bindings, grid, &unused) || bindings.dims != one->schedule.dims) return false;
  return tg_schedule_bind(&one->schedule, &one->names, &bindings, &unused);
}

/* On one processor every schedule is the same product: one is tried. */
static bool is_new(const Sweep *sweep, const Case *one) {
  if (tg_schedule_processors(&one->schedule) > 1) return true;
  for (guint c = 0; c < sweep->cases->len; c++) {
    const Case *other = sweep->cases->pdata[c];
    if (other->place == one->place && tg_schedule_processors(&other->schedule) == 1) return false;
  }
  return true;
}

static void add_cases(Sweep *sweep, size_t place, const char *grid) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t e = 0; e < count; e++) {
    g_autofree Case *one = g_new0(Case, 1);
    *one = (Case){.place = place, .schedule_name = entries[e].name, .best_s = INFINITY};
    if (!is_wanted(sweep->plan, false, one->schedule_name) || !parse(&entries[e], &one->schedule, &one->names) ||
        !bind(one, grid) || !is_new(sweep, one))
      continue;
    g_strlcpy(one->grid, tg_schedule_grid_text(&one->schedule).s, sizeof one->grid);
    g_ptr_array_add(sweep->cases, g_steal_pointer(&one));
  }
}

static void find_cases(Sweep *sweep) {
  const TgShapesPlan *plan = sweep->plan;
  for (size_t p = 0; p < plan->place_count; p++) {
    if (!is_wanted(plan, true, plan->places[p].kind->name)) continue;
    g_auto(GStrv) grids = g_strsplit(plan->places[p].grids, " ", -1);
    for (char **grid = grids; *grid; grid++) add_cases(sweep, p, *grid);
  }
}

enum { LEAST_TRIALS = 3, MOST_TRIALS = 20 };
static const double hopeless = 3; /* times as long as the best of the executor: no more trials, no other variants */

/* --- one of them -------------------------------------------------------------------------------------------------- */

static const TgExecutorKind *kind_of(const Sweep *sweep, const Case *one) {
  return sweep->plan->places[one->place].kind;
}

static TgShapesRow row_of(const Sweep *sweep, const Case *one, TgTransport transport, int32_t variant) {
  TgShapesRow row = {.on = kind_of(sweep, one)->name,
                     .schedule = one->schedule_name,
                     .transport = transport,
                     .variant = variant,
                     .variants = one->variants,
                     .chosen = variant == 0,
                     .n = sweep->plan->n,
                     .processors = tg_schedule_processors(&one->schedule)};
  g_strlcpy(row.grid, one->grid, sizeof row.grid);
  return row;
}

static void leave_out(Sweep *sweep, TgShapesRow *row, const char *why) {
  g_strlcpy(row->left_out, why, sizeof row->left_out);
  g_array_append_vals(sweep->shapes->rows, row, 1);
}

static bool check(Sweep *sweep, const Case *one, TgExecutor *executor, TgShapesRow *row, GError **error) {
  memset(sweep->c->data, 0xff, tg_matrix_bytes(sweep->c)); /* an element that is not written is NaN */
  if (!tg_executor_gather(executor, sweep->c->data, error)) return false;
  row->error = tg_product_action_error(sweep->action, sweep->c->data);
  row->limit = tg_check_tolerance(&one->schedule.computes, sweep->shapes->element, row->n);
  row->right = row->error <= row->limit;
  return true;
}

/** What runs in trials, and what went wrong. */
typedef struct TgRunning {
  TgExecutor *executor;
  GError **error;
} TgRunning;

static bool run_once(void *data, int32_t trial, int32_t trials, double *seconds) {
  const TgRunning *running = data;
  (void)trial;
  (void)trials;
  return tg_executor_run(running->executor, seconds, running->error);
}

/* The first run warms up and is checked; where it is hopeless it is the only one. */
static bool run_trials(Sweep *sweep, const Case *one, TgExecutor *executor, TgShapesRow *row, GError **error) {
  const TgTrialLimits limits = {
      .warmup = 1, .budget_s = sweep->plan->budget_s, .least = LEAST_TRIALS, .most = MOST_TRIALS};
  TgRunning running = {executor, error};
  double once_s;
  if (!run_once(&running, 0, 1, &once_s) || !check(sweep, one, executor, row, error)) return false;
  if (once_s > hopeless * sweep->best_s[one->place]) {
    row->time = tg_measurement_of(&once_s, 1, 0);
    return true;
  }
  const bool fine = tg_trials(&limits, run_once, &running, &row->time, NULL);
  row->time.warmup++;
  return fine;
}

static bool run(Sweep *sweep, const Case *one, TgExecutor *executor, TgShapesRow *row, GError **error) {
  return tg_executor_load(executor, sweep->a->data, sweep->b->data, error) &&
         run_trials(sweep, one, executor, row, error);
}

static TgExecutorOptions options_of(const Sweep *sweep, TgTransport transport, int32_t variant) {
  const int64_t n = sweep->plan->n;
  return (TgExecutorOptions){.m = n,
                             .n = n,
                             .k = n,
                             .element = sweep->shapes->element,
                             .transport = transport,
                             .variant = variant,
                             .no_times = true,
                             .poison = true};
}

static void take_facts(Case *one, const TgExecutorFacts *facts, TgShapesRow *row) {
  row->variant = facts->variant;
  row->variants = one->variants = facts->variants;
  row->instances = facts->instances;
  row->resident = facts->resident;
  row->tile[0] = facts->tile[0];
  row->tile[1] = facts->tile[1];
  memcpy(row->instance, facts->instance, sizeof row->instance);
  one->tried[row->transport] |= UINT64_C(1) << facts->variant;
}

/* What an executor refuses is left out in its own words; a device that fails ends all. */
static bool is_refusal(const GError *why) {
  return g_error_matches(why, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE) ||
         g_error_matches(why, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_BAD_INPUT);
}

static bool fail(const TgShapesRow *row, GError *why, GError **error) {
  g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_FAILED,
              "bench shapes: %s on %s, executed on %s, %s, variant %d: %s", row->schedule, row->grid, row->on,
              tg_transport_name(row->transport), row->variant, why->message);
  g_error_free(why);
  return false;
}

static bool measure_open(Sweep *sweep, Case *one, TgExecutor *executor, TgShapesRow *row, GError **error) {
  GError *why = NULL;
  take_facts(one, tg_executor_facts(executor), row);
  tg_executor_take_times(executor, false);
  if (!run(sweep, one, executor, row, &why)) return fail(row, why, error);
  if (row->right) {
    if (row->time.median_s < one->best_s) one->best_transport = row->transport;
    one->best_s = fmin(one->best_s, row->time.median_s);
    sweep->best_s[one->place] = fmin(sweep->best_s[one->place], row->time.median_s);
  }
  g_array_append_vals(sweep->shapes->rows, row, 1);
  return true;
}

static bool measure(Sweep *sweep, Case *one, TgTransport transport, int32_t variant, GError **error) {
  const TgBenchOptions *bench = sweep->plan->options;
  TgShapesRow row = row_of(sweep, one, transport, variant);
  GError *why = NULL;
  if (bench->progress) bench->progress(bench->progress_data, sweep->done, sweep->total);
  sweep->done++;
  if (tg_now_s() > sweep->end_s) {
    leave_out(sweep, &row, "the time for this size ran out");
    return true;
  }
  const TgExecutorOptions options = options_of(sweep, transport, variant);
  g_autoptr(TgExecutor) executor = tg_executor_open(kind_of(sweep, one), &one->schedule, &one->names, &options, &why);
  if (executor) return measure_open(sweep, one, executor, &row, error);
  if (!is_refusal(why)) return fail(&row, why, error);
  leave_out(sweep, &row, why->message);
  g_error_free(why);
  return true;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static bool has_transport(const Sweep *sweep, const Case *one, int transport) {
  return kind_of(sweep, one)->transports >> transport & 1;
}

static int first_transport(const Sweep *sweep, const Case *one) {
  int transport = 0;
  while (!has_transport(sweep, one, transport)) transport++;
  return transport;
}

/* In the executor's own variant: with the first transport, or with all others. */
static bool measure_own(Sweep *sweep, bool first, GError **error) {
  for (guint c = 0; c < sweep->cases->len; c++) {
    Case *one = sweep->cases->pdata[c];
    for (int t = 0; t < TG_TRANSPORTS; t++)
      if (has_transport(sweep, one, t) && (t == first_transport(sweep, one)) == first &&
          !measure(sweep, one, (TgTransport)t, 0, error))
        return false;
  }
  return true;
}

static gint by_best(gconstpointer a, gconstpointer b) {
  const Case *const *x = a, *const *y = b;
  return ((*x)->best_s > (*y)->best_s) - ((*x)->best_s < (*y)->best_s);
}

/* Why no other variant is tried; NULL: they are. */
static const char *why_none(const Sweep *sweep, const Case *one) {
  if (isinf(one->best_s)) return "the C of the executor's own variant is not the product";
  if (one->best_s > hopeless * sweep->best_s[one->place])
    return "its own variant takes over 3 times as long as the executor's fastest";
  return NULL;
}

/* Where the executor's own variant has not run, no other one is tried; the row of its own variant has the reason. */
static bool measure_variants(Sweep *sweep, Case *one, int transport, GError **error) {
  for (int32_t variant = 1; one->tried[transport] && variant <= one->variants; variant++) {
    if (one->tried[transport] >> variant & 1) continue;
    const char *why = why_none(sweep, one);
    if (why) {
      TgShapesRow row = row_of(sweep, one, (TgTransport)transport, variant);
      leave_out(sweep, &row, why);
    } else if (!measure(sweep, one, (TgTransport)transport, variant, error)) {
      return false;
    }
  }
  return true;
}

/* With the transport that was the faster one, or with the others. */
static bool measure_round(Sweep *sweep, bool fastest, GError **error) {
  for (guint c = 0; c < sweep->cases->len; c++) {
    Case *one = sweep->cases->pdata[c];
    const int best = (int)one->best_transport; /* another variant may be faster with another one */
    for (int t = 0; t < TG_TRANSPORTS; t++)
      if ((t == best) == fastest && !measure_variants(sweep, one, t, error)) return false;
  }
  return true;
}

static bool measure_others(Sweep *sweep, GError **error) {
  g_ptr_array_sort(sweep->cases, by_best);
  for (guint c = 0; c < sweep->cases->len; c++) {
    const Case *one = sweep->cases->pdata[c];
    for (int t = 0; t < TG_TRANSPORTS; t++)
      for (int32_t variant = 1; one->tried[t] && variant <= one->variants; variant++)
        sweep->total += !(one->tried[t] >> variant & 1);
  }
  return measure_round(sweep, true, error) && measure_round(sweep, false, error);
}

static TgMatrix *matrix_new(const Sweep *sweep, uint64_t stream, GError **error) {
  const int64_t n = sweep->plan->n;
  TgMatrix *matrix = tg_matrix_new(sweep->shapes->element, n, n, 0, error);
  if (matrix) tg_matrix_fill_uniform(matrix, sweep->plan->options->seed * 2 + stream);
  return matrix;
}

static bool open_sweep(Sweep *sweep, GError **error) {
  GError *why = NULL;
  const TgShapesPlan *plan = sweep->plan;
  sweep->best_s = g_new(double, plan->place_count);
  for (size_t p = 0; p < plan->place_count; p++) sweep->best_s[p] = INFINITY;
  sweep->a = matrix_new(sweep, 0, &why);
  if (!why) sweep->b = matrix_new(sweep, 1, &why);
  if (!why) sweep->c = matrix_new(sweep, 0, &why);
  if (why) {
    tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "shapes", why->message);
    g_error_free(why);
    return false;
  }
  const TgProductFactor a = {.data = sweep->a->data, .rows = plan->n, .columns = plan->n};
  const TgProductFactor b = {.data = sweep->b->data, .rows = plan->n, .columns = plan->n};
  sweep->action = tg_product_action_new(sweep->shapes->element, &a, &b, TG_PRODUCT_VECTORS,
                                        plan->options->seed + 20 /* not that of the matrices */);
  return sweep->action || tg_bench_fail(error, TG_BENCH_ERROR_FAILED, "shapes", "out of memory for the check");
}

static void clear_sweep(Sweep *sweep) {
  g_clear_pointer(&sweep->a, tg_matrix_free);
  g_clear_pointer(&sweep->b, tg_matrix_free);
  g_clear_pointer(&sweep->c, tg_matrix_free);
  tg_product_action_free(sweep->action);
  g_ptr_array_unref(sweep->cases);
  g_free(sweep->best_s);
}

static void count_own(Sweep *sweep) {
  for (guint c = 0; c < sweep->cases->len; c++)
    for (int t = 0; t < TG_TRANSPORTS; t++) sweep->total += has_transport(sweep, sweep->cases->pdata[c], t);
}

bool tg_shapes_sweep(TgShapes *shapes, const TgShapesPlan *plan, GError **error) {
  Sweep sweep = {.shapes = shapes,
                 .plan = plan,
                 .cases = g_ptr_array_new_with_free_func(g_free),
                 .end_s = tg_now_s() + plan->longest_s};
  bool fine = open_sweep(&sweep, error);
  find_cases(&sweep);
  count_own(&sweep);
  fine = fine && measure_own(&sweep, true, error) && measure_own(&sweep, false, error) && measure_others(&sweep, error);
  clear_sweep(&sweep);
  return fine;
}

/* bench shapes: what it measures at which sizes, and what is the best of it. */
#include "shapes.h"

#include "executors-cuda.h"
#include "suite.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

static const double budget_s = 0.03, quick_budget_s = 0.005; /* of trials, a combination */
static const double longest_s = 80, quick_longest_s = 20;    /* of a size */
enum { USUAL_SIZE = 4096, QUICK_SIZE = 512 };

/* Executors with several variants. Clusters have up to 16 processors; blocks as many as are resident: about as many as
 * a large card has multiprocessors, fewer, and several of them on each. */
static const TgShapesPlace places[] = {
    {&tg_executor_clusters, "1x1 1x2 2x1 2x2 2x4 4x2 4x4 2x2x2 4 8"},
    {&tg_executor_blocks, "8x8 11x12 16x16 8x8x8 128"},
};

static void free_shapes(void *own) {
  const TgShapes *shapes = own;
  g_array_unref(shapes->rows);
  g_array_unref(shapes->kept);
  g_free(own);
}

TgShapes *tg_shapes_begin(TgResults *results, TgElement element) {
  TgShapes *shapes = results->own = g_new0(TgShapes, 1);
  results->free_own = free_shapes;
  *shapes = (TgShapes){.device = &results->environment.device,
                       .element = element,
                       .rows = g_array_new(FALSE, TRUE, sizeof(TgShapesRow)),
                       .kept = g_array_new(FALSE, TRUE, sizeof(TgShapesRow))};
  return shapes;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool is_of(const TgShapesRow *row, int64_t n, const char *on, const char *schedule, const char *grid,
                  TgTransport transport) {
  return row->n == n && strcmp(row->on, on) == 0 && (!schedule || strcmp(row->schedule, schedule) == 0) &&
         (!grid || strcmp(row->grid, grid) == 0) && (transport == TG_TRANSPORTS || row->transport == transport);
}

static bool is_like(const TgShapesRow *row, const TgShapesRow *like) {
  return is_of(row, like->n, like->on, like->schedule, like->grid, like->transport);
}

const TgShapesRow *tg_shapes_best(const TgShapes *shapes, int64_t n, const char *on, const char *schedule,
                                  const char *grid, TgTransport transport) {
  const TgShapesRow *best = NULL;
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (!row->right || !is_of(row, n, on, schedule, grid, transport)) continue;
    if (!best || row->time.median_s < best->time.median_s) best = row;
  }
  return best;
}

const TgShapesRow *tg_shapes_own(const TgShapes *shapes, const TgShapesRow *row) {
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *own = tg_shapes_at(shapes, r);
    if (own->chosen && own->right && is_like(own, row)) return own;
  }
  return NULL;
}

const TgShapesRow *tg_shapes_of_kept(const TgShapes *shapes, const TgShapesRow *kept) {
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->right && row->variant == kept->variant && is_like(row, kept)) return row;
  }
  return NULL;
}

guint tg_shapes_variants(const TgShapes *shapes, const TgShapesRow *of) {
  guint count = 0;
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    count += row->right && is_like(row, of);
  }
  return count;
}

double tg_shapes_own_ratio(const TgShapes *shapes, int64_t n, const char *on, guint *combinations) {
  double sum = 0;
  *combinations = 0;
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *own = tg_shapes_at(shapes, r);
    if (!own->chosen || !own->right || own->n != n || strcmp(own->on, on) != 0 || tg_shapes_variants(shapes, own) < 2)
      continue;
    const TgShapesRow *best = tg_shapes_best(shapes, n, on, own->schedule, own->grid, own->transport);
    sum += log(own->time.median_s / best->time.median_s);
    (*combinations)++;
  }
  return *combinations ? exp(sum / *combinations) : NAN;
}

static bool right(const TgResults *results, GError **error) {
  const TgShapes *shapes = results->own;
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->right || !row->time.trials) continue;
    return TG_BENCH_FAIL(
        error, WRONG,
        "bench shapes: %s on %s, executed on %s, %s, variant %d, n = %lld: C is not the product: relative error "
        "%.2g, at most %.2g is right",
        row->schedule, row->grid, row->on, tg_transport_name(row->transport), row->variant, (long long)row->n,
        row->error, row->limit);
  }
  return true;
}

/* --- measuring ---------------------------------------------------------------------------------------------------- */

static bool measure_size(TgShapes *shapes, const TgShapesPlan *plan, GError **error) {
  const TgBenchOptions *options = plan->options;
  const bool keeps = !options->no_cache && !options->kernels && !options->quick;
  for (size_t p = 0; !options->no_cache && p < plan->place_count; p++)
    if (!tg_shapes_read_kept(shapes, plan->places[p].kind->name, plan->n, error)) return false;
  if (!tg_shapes_sweep(shapes, plan, error)) return false;
  for (size_t p = 0; keeps && p < plan->place_count; p++)
    if (!tg_shapes_keep(shapes, plan->n, plan->places[p].kind->name, error)) return false;
  return true;
}

static TgResults *measure(const TgBenchOptions *options, GError **error) {
  const int64_t usual = options->quick ? QUICK_SIZE : USUAL_SIZE;
  TgNumber number;
  TgShapesPlan plan = {.places = places,
                       .place_count = G_N_ELEMENTS(places),
                       .budget_s = options->quick ? quick_budget_s : budget_s,
                       .longest_s = options->quick ? quick_longest_s : longest_s,
                       .options = options};
  if (options->trials) {
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE,
                "--trials: bench shapes runs as many trials as fit its budget, for hundreds of combinations");
    return NULL;
  }
  if (!tg_suite_number(options, TG_NUMBER_F64, &number, error) ||
      !tg_shapes_names_check(places, G_N_ELEMENTS(places), options->kernels, error))
    return NULL;
  g_autoptr(TgResults) results = tg_suite_results("shapes", options, error);
  if (!results) return NULL;
  TgShapes *shapes = tg_shapes_begin(results, tg_number_element(number));
  if (!options->no_cache) results->cache_path = tg_tuning_path();
  if (options->budget_s > 0) plan.budget_s = options->budget_s;
  for (size_t s = 0; s < MAX(options->size_count, 1); s++) {
    plan.n = options->size_count ? options->sizes[s] : usual;
    if (!measure_size(shapes, &plan, error)) return NULL;
  }
  tg_environment_end(&results->environment);
  return g_steal_pointer(&results);
}

const TgExperiment tg_experiment_shapes = {
    .name = "shapes",
    .summary = "the fastest kernel variants of clusters and blocks, by grid, transport and schedule",
    .details = "Finds the fastest kernel variant of the executors `clusters` and `blocks`; variants differ in tiles "
               "and slots. Measures each on grids of several shapes, with each transport and every schedule of the "
               "library that it supports, at n = 4096, beginning with the executor's own choice. A schedule over 3 "
               "times slower than the fastest gets one trial and no other variants; what does not fit in 80 s per size "
               "is skipped. --kernels selects executors and schedules by name. The best variant of each schedule, grid "
               "and transport is stored in ~/.cache/topogemm/tuning.ini for this GPU and driver (not with --quick, "
               "--kernels or --no-cache); `run` and `compare` use it. --type f32 or f64.",
    .format = "bench-shapes",
    .measure = measure,
    .print = tg_shapes_print,
    .write = tg_shapes_write,
    .plot = tg_shapes_plot,
    .right = right,
};

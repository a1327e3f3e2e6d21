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

TgShapes *tg_shapes_new(TgResults *results, TgElement element) {
  TgShapes *shapes = g_new0(TgShapes, 1);
  shapes->results = results;
  shapes->element = element;
  shapes->rows = g_array_new(FALSE, TRUE, sizeof(TgShapesRow));
  shapes->kept = g_array_new(FALSE, TRUE, sizeof(TgShapesKept));
  return shapes;
}

void tg_shapes_free(TgShapes *shapes) {
  for (guint k = 0; k < shapes->kept->len; k++) {
    TgShapesKept *kept = &g_array_index(shapes->kept, TgShapesKept, k);
    g_free(kept->schedule);
    g_free(kept->grid);
  }
  if (shapes->results) tg_results_free(shapes->results);
  g_array_unref(shapes->rows);
  g_array_unref(shapes->kept);
  g_free(shapes->cache_path);
  g_free(shapes);
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool is_of(const TgShapesRow *row, int64_t n, const char *on, const char *schedule, const char *grid,
                  TgTransport transport) {
  return row->n == n && strcmp(row->on, on) == 0 && (!schedule || strcmp(row->schedule, schedule) == 0) &&
         (!grid || strcmp(row->grid, grid) == 0) && (transport == TG_TRANSPORTS || row->transport == transport);
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
    if (own->chosen && own->right && is_of(own, row->n, row->on, row->schedule, row->grid, row->transport)) return own;
  }
  return NULL;
}

const TgShapesRow *tg_shapes_of_kept(const TgShapes *shapes, const TgShapesKept *kept) {
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->right && row->variant == kept->variant &&
        is_of(row, kept->n, kept->on, kept->schedule, kept->grid, kept->transport))
      return row;
  }
  return NULL;
}

guint tg_shapes_variants(const TgShapes *shapes, const TgShapesRow *of) {
  guint count = 0;
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    count += row->right && is_of(row, of->n, of->on, of->schedule, of->grid, of->transport);
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

bool tg_shapes_right(const void *measured, GError **error) {
  const TgShapes *shapes = measured;
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

static TgShapes *open_shapes(const TgBenchOptions *options, TgElement element, GError **error) {
  TgResults *results = tg_suite_results("shapes", options, error);
  TgShapes *shapes = results ? tg_shapes_new(results, element) : NULL;
  if (shapes && !options->no_cache) shapes->cache_path = tg_tuning_path();
  return shapes;
}

static void *measure(const TgBenchOptions *options, GError **error) {
  const int64_t usual = options->quick ? QUICK_SIZE : USUAL_SIZE;
  TgElement element = TG_F32;
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
  if (options->type && !tg_element_parse(options->type, &element)) {
    g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE, "--type %s: expected f32 or f64", options->type);
    return NULL;
  }
  if (!tg_shapes_names_check(places, G_N_ELEMENTS(places), options->kernels, error)) return NULL;
  g_autoptr(TgShapes) shapes = open_shapes(options, element, error);
  if (!shapes) return NULL;
  if (options->budget_s > 0) plan.budget_s = options->budget_s;
  for (size_t s = 0; s < MAX(options->size_count, 1); s++) {
    plan.n = options->size_count ? options->sizes[s] : usual;
    if (!measure_size(shapes, &plan, error)) return NULL;
  }
  tg_environment_end(&shapes->results->environment);
  return g_steal_pointer(&shapes);
}

static void clear(void *shapes) {
  tg_shapes_free(shapes);
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
    .measure = measure,
    .clear = clear,
    .print = tg_shapes_print,
    .document = tg_shapes_document,
    .plot = tg_shapes_plot,
    .right = tg_shapes_right,
};

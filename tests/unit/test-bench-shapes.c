/* bench shapes without a GPU: the sweep on an executor whose times are known, what is the best of it, what is kept and
 * found again, and what is said. */
#include "bench-case.h"
#include "cache-folder.h"
#include "fake-executor.h"
#include "product-error.h"
#include "shapes.h"

#include "counter-random.h"

/* --- an executor whose products are right --------------------------------------------------------------------------
 */

static struct {
  const float *a, *b;
  int32_t wrong_variant; /* leaves an element of C out */
  double copy_s;         /* a run takes longer where blocks are copied */
  int64_t opened, gathered;
} known;

static bool known_load(TgExecutor *executor, const void *a, const void *b, GError **error) {
  (void)executor, (void)error;
  known.a = a;
  known.b = b;
  return true;
}

static bool known_run(TgExecutor *executor, double *seconds, GError **error) {
  if (!fake_run(executor, seconds, error)) return false;
  if (executor->options.transport == TG_TRANSPORT_COPY) *seconds += known.copy_s;
  return true;
}

static bool known_gather(TgExecutor *executor, void *c, GError **error) {
  const int64_t n = executor->options.n;
  float *to = c;
  (void)error;
  known.gathered++;
  for (int64_t i = 0; i < n * n; i++) {
    if (executor->facts.variant == known.wrong_variant && i == n + 1) continue;
    to[i] = 0;
    for (int64_t k = 0; k < n; k++) to[i] += known.a[i / n * n + k] * known.b[k * n + i % n];
  }
  return true;
}

static TgExecutor *known_open(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, GError **error);

static const TgExecutorKind known_kind = {.name = "known",
                                          .transports = 1 << TG_TRANSPORT_COPY | 1 << TG_TRANSPORT_PULL,
                                          .open = known_open,
                                          .load = known_load,
                                          .run = known_run,
                                          .gather = known_gather,
                                          .close = fake_close};

static TgExecutor *known_open(const TgSchedule *schedule, const TgScheduleNames *names,
                              const TgExecutorOptions *options, GError **error) {
  TgExecutor *executor = fake_open(schedule, names, options, error);
  g_assert_true(options->poison);
  if (executor) executor->kind = &known_kind;
  known.opened++;
  return executor;
}

/* --- sweeps ------------------------------------------------------------------------------------------------------- */

enum { N = 32 };

/* Passes take a millisecond. At n = 32, instances of 4 x 4 elements a processor, two of them at once: 2x2 is 8 rounds
 * of 4, 2 and 8 panels in variants 1 to 3, and 4x4 is 2 rounds of 2, 1 and 4 panels. */
static void reset(void) {
  memset(&fake, 0, sizeof fake);
  memset(&known, 0, sizeof known);
  fake_kind.traits.overlaps = true;
  fake.depth[0] = 4;
  fake.depth[1] = 8;
  fake.depth[2] = 2;
  fake.tile = 4;
  fake.resident = 2;
  fake.pass_s = 1e-3;
  fake.flops_per_s = fake.bandwidth_bytes_per_s = 1e30;
}

static TgResults *sweep_of(const char *grids, const char *kernels, double longest_s, GError **error) {
  const TgShapesPlace place = {&known_kind, grids};
  g_auto(GStrv) names = kernels ? g_strsplit(kernels, ",", -1) : NULL;
  const TgBenchOptions options = {.kernels = names, .seed = 1};
  const TgShapesPlan plan = {&place, 1, N, 1e-9, longest_s, &options};
  g_autoptr(TgResults) results = results_on_card("shapes");
  results->environment.device.driver = 13000;
  return tg_shapes_sweep(tg_shapes_begin(results, TG_F32), &plan, error) ? g_steal_pointer(&results) : NULL;
}

static TgResults *swept(const char *grids, const char *kernels) {
  GError *error = NULL;
  TgResults *results = sweep_of(grids, kernels, 1000, &error);
  g_assert_no_error(error);
  return results;
}

static const TgShapesRow *row_at(const TgShapes *shapes, const char *schedule, const char *grid, TgTransport transport,
                                 int32_t variant) {
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->variant == variant && row->transport == transport && g_str_equal(row->schedule, schedule) &&
        g_str_equal(row->grid, grid))
      return row;
  }
  g_error("no row of %s on %s, variant %d", schedule, grid, variant);
}

static void test_sweep(void) {
  reset();
  g_autoptr(TgResults) results = swept("2x2 4x4", "cannon,summa");
  TgShapes *shapes = results->own;
  g_assert_cmpuint(shapes->rows->len, ==, 2 * 2 * 2 * 3); /* schedules, grids, transports, variants: each once */
  const TgShapesRow *row = row_at(shapes, "cannon", "4x4", TG_TRANSPORT_PULL, 2);
  g_assert_cmpfloat_with_epsilon(row->time.median_s, 2e-3, 1e-9);
  g_assert_cmpint(row->time.trials, ==, 3);
  g_assert_true(row->right && !row->chosen);
  g_assert_cmpfloat(row->limit, >, 0);
  g_assert_cmpfloat(row->error, <, row->limit);
  g_assert_cmpint(row->variants, ==, 3);
  g_assert_cmpint(row->processors, ==, 16);
  g_assert_cmpint(row->instance[2], ==, 32);
  row = row_at(shapes, "cannon", "4x4", TG_TRANSPORT_COPY, 1);
  g_assert_true(row->chosen);
  g_assert_cmpfloat_with_epsilon(row->time.median_s, 4e-3, 1e-9);
  /* Variant 3 takes 8 ms, the best then is 2. */
  row = row_at(shapes, "cannon", "4x4", TG_TRANSPORT_COPY, 3);
  g_assert_cmpint(row->time.trials, ==, 1);
  g_assert_true(row->right);
  /* 2x2 takes 32 ms, and when its turn for other variants comes the best takes 4. */
  row = row_at(shapes, "summa", "2x2", TG_TRANSPORT_PULL, 2);
  g_assert_cmpint(row->time.trials, ==, 0);
  g_assert_cmpstr(row->left_out, ==, "its own variant takes over 3 times as long as the executor's fastest");
  g_assert_cmpint(known.opened, ==, 2 * 2 * 2 + 2 * 2 * 2); /* the own variants, and two others on 4x4 */
  g_assert_cmpint(known.gathered, ==, known.opened);        /* each is checked once */
  g_assert_true(tg_experiment_right(&tg_experiment_shapes, results, NULL));
}

/* All schedules that bind at the grid and compute C = A * B, without a name; on one processor one of them. */
static void test_cases(void) {
  reset();
  fake.depth[1] = 0;
  static const struct {
    const char *grid, *kernels;
    guint schedules;
  } cases[] = {{"1x1", NULL, 1}, {"2x2x2", NULL, 7}, {"3x2", NULL, 2 /* those that take oblongs */}, {"2x2", "dns", 0}};
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++) {
    g_autoptr(TgResults) results = swept(cases[c].grid, cases[c].kernels);
    const TgShapes *shapes = results->own;
    g_assert_cmpuint(shapes->rows->len, ==, 2 * cases[c].schedules); /* transports */
  }
}

static void test_names(void) {
  const TgShapesPlace places[] = {{&known_kind, "2x2"}, {&fake_kind, "2x2"}};
  char *good[] = {(char *)"fake", (char *)"cannon", (char *)"dns", NULL};
  char *unknown[] = {(char *)"cannon", (char *)"canon", NULL}, *no_product[] = {(char *)"transpose", NULL};
  GError *error = NULL;
  g_assert_true(tg_shapes_names_check(places, 2, NULL, NULL));
  g_assert_true(tg_shapes_names_check(places, 2, good, NULL));
  g_assert_false(tg_shapes_names_check(places, 2, no_product, NULL));
  g_assert_false(tg_shapes_names_check(places, 2, unknown, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_USAGE);
  g_assert_nonnull(strstr(error->message, "--kernels canon: bench shapes takes executors (known, fake)"));
  g_clear_error(&error);
  reset();
  g_autoptr(TgResults) other = swept("2x2", "known,summa");
  g_assert_cmpstr(tg_shapes_at(other->own, 0)->schedule, ==, "summa");
}

static void test_wrong(void) {
  GError *error = NULL;
  reset();
  known.wrong_variant = 2;
  g_autoptr(TgResults) results = swept("4x4", "cannon");
  TgShapes *shapes = results->own;
  const TgShapesRow *row = row_at(shapes, "cannon", "4x4", TG_TRANSPORT_COPY, 2);
  g_assert_false(row->right);
  g_assert_true(isnan(row->error)); /* what is not written is NaN */
  g_assert_cmpint(tg_shapes_best(shapes, N, "known", NULL, NULL, TG_TRANSPORTS)->variant, ==, 1);
  /* Nor does a wrong one make others hopeless: variant 3 takes 8 ms, the best right one 4, variant 2 took 2. */
  g_assert_cmpint(row_at(shapes, "cannon", "4x4", TG_TRANSPORT_COPY, 3)->time.trials, ==, 3);
  g_assert_false(tg_experiment_right(&tg_experiment_shapes, results, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_WRONG);
  g_assert_nonnull(strstr(error->message, "cannon on 4x4, executed on known, copy, variant 2, n = 32"));
  g_clear_error(&error);
  g_autofree char *text = page_of(tg_experiment_shapes.print, results);
  expect_parts(
      text, (const char *const[]){"WRONG, so not among the best: known cannon 4x4 copy 2; known cannon 4x4 pull 2\n"},
      1);
  reset();
  known.wrong_variant = 1; /* the executor's own */
  g_autoptr(TgResults) other = swept("4x4", "cannon");
  const TgShapes *none = other->own;
  row = row_at(none, "cannon", "4x4", TG_TRANSPORT_COPY, 2);
  g_assert_cmpstr(row->left_out, ==, "the C of the executor's own variant is not the product");
  g_assert_cmpuint(none->rows->len, ==, 6);
}

static void test_refused(void) {
  GError *error = NULL;
  reset();
  fake.most = 16;
  g_autoptr(TgResults) results = swept("4x4", "cannon");
  TgShapes *shapes = results->own;
  g_assert_cmpuint(shapes->rows->len, ==, 2);
  g_assert_cmpstr(tg_shapes_at(shapes, 0)->left_out, ==, "k is more than 16");
  g_assert_cmpint(tg_shapes_at(shapes, 0)->variant, ==, 0);
  g_assert_null(tg_shapes_best(shapes, N, "known", NULL, NULL, TG_TRANSPORTS));
  g_assert_true(tg_experiment_right(&tg_experiment_shapes, results, NULL));
  reset();
  fake.fails_at = 3;
  g_assert_null(sweep_of("4x4", "cannon", 1000, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_FAILED);
  g_assert_cmpstr(error->message, ==,
                  "bench shapes: cannon on 4x4, executed on known, copy, variant 1: the device is lost");
  g_clear_error(&error);
}

/* With the faster transport first: what there is no time for is what matters least. */
static void test_order(void) {
  reset();
  known.copy_s = 1e-3;
  g_autoptr(TgResults) results = swept("4x4", "cannon");
  TgShapes *shapes = results->own;
  static const struct {
    TgTransport transport;
    int32_t variant;
  } order[] = {{TG_TRANSPORT_COPY, 1}, {TG_TRANSPORT_PULL, 1}, {TG_TRANSPORT_PULL, 2},
               {TG_TRANSPORT_PULL, 3}, {TG_TRANSPORT_COPY, 2}, {TG_TRANSPORT_COPY, 3}};
  g_assert_cmpuint(shapes->rows->len, ==, G_N_ELEMENTS(order));
  for (guint r = 0; r < G_N_ELEMENTS(order); r++) {
    g_assert_cmpint(tg_shapes_at(shapes, r)->transport, ==, (int)order[r].transport);
    g_assert_cmpint(tg_shapes_at(shapes, r)->variant, ==, order[r].variant);
  }
}

static void test_time_is_up(void) {
  reset();
  g_autoptr(TgResults) results = sweep_of("4x4", "cannon", -1, NULL);
  TgShapes *shapes = results->own;
  g_assert_cmpint(known.opened, ==, 0);
  g_assert_cmpuint(shapes->rows->len, ==, 2);
  g_assert_cmpstr(tg_shapes_at(shapes, 1)->left_out, ==, "the time for this size ran out");
}

/* --- the best, and what is kept ------------------------------------------------------------------------------------
 */

static void test_judge(void) {
  guint combinations;
  reset();
  g_autoptr(TgResults) results = swept("2x2 4x4", "cannon,summa");
  TgShapes *shapes = results->own;
  const TgShapesRow *best = tg_shapes_best(shapes, N, "known", NULL, NULL, TG_TRANSPORTS);
  g_assert_cmpstr(best->grid, ==, "4x4");
  g_assert_cmpint(best->variant, ==, 2);
  g_assert_cmpint(tg_shapes_own(shapes, best)->variant, ==, 1);
  best = tg_shapes_best(shapes, N, "known", "summa", "2x2", TG_TRANSPORT_PULL);
  g_assert_true(best == tg_shapes_own(shapes, best));
  g_assert_null(tg_shapes_best(shapes, N + 1, "known", NULL, NULL, TG_TRANSPORTS));
  g_assert_null(tg_shapes_best(shapes, N, "fake", NULL, NULL, TG_TRANSPORTS));
  g_assert_cmpfloat_with_epsilon(tg_shapes_own_ratio(shapes, N, "known", &combinations), 2, 1e-6);
  g_assert_cmpuint(combinations, ==, 4); /* on 2x2 there was no choice */
}

static void test_keep(void) {
  static const int64_t size[] = {N, N, N};
  GError *error = NULL;
  int32_t variant = 0;
  reset();
  g_autoptr(TgResults) results = swept("2x2 4x4", "cannon,summa");
  TgShapes *shapes = results->own;
  const TgDevice *device = shapes->device;
  g_autofree char *key = tg_shapes_key("known", TG_F32, size, "summa", "4x4", TG_TRANSPORT_PULL);
  g_autofree char *other = tg_shapes_key("known", TG_F32, size, "summa", "2x2", TG_TRANSPORT_PULL);
  g_autofree char *all = tg_shapes_key("known", TG_F32, size, NULL, NULL, TG_TRANSPORT_COPY);
  g_assert_cmpstr(key, ==, "known f32 32x32x32 summa 4x4 pull");
  g_assert_cmpstr(all, ==, "known f32 32x32x32");
  g_assert_true(tg_shapes_read_kept(shapes, "known", N, &error)); /* nothing is kept yet */
  g_assert_cmpuint(shapes->kept->len, ==, 0);
  g_assert_true(tg_shapes_keep(shapes, N, "known", &error));
  g_assert_no_error(error);
  g_assert_true(tg_shapes_kept_variant(device, key, &variant, &error));
  g_assert_cmpint(variant, ==, 2);
  g_assert_false(tg_shapes_kept_variant(device, other, &variant, &error)); /* where there was no choice */
  g_assert_no_error(error);
  g_assert_true(tg_shapes_read_kept(shapes, "known", N, &error));
  const TgShapesRow *kept = &g_array_index(shapes->kept, TgShapesRow, 0);
  g_assert_cmpstr(kept->grid, ==, "4x4");
  g_assert_cmpint(kept->variant, ==, 2);
  g_assert_true(tg_shapes_of_kept(shapes, kept) == tg_shapes_best(shapes, N, "known", NULL, NULL, TG_TRANSPORTS));
  g_assert_false(tg_shapes_kept_variant(device, all, &variant, &error)); /* a shape is no variant */
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_FAILED);
  g_assert_true(g_str_has_suffix(error->message, "is not a variant; remove it, or use --no-cache"));
  g_clear_error(&error);
  TgTuned damaged = {.kernel = "cannon:4x4", .width = 1};
  g_assert_true(tg_tuning_keep(device, all, &damaged, NULL));
  g_assert_false(tg_shapes_read_kept(shapes, "known", N, &error));
  g_assert_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_FAILED);
  g_clear_error(&error);
}

/* --- words -------------------------------------------------------------------------------------------------------- */

static void test_words(void) {
  static const char *const parts[] = {
      "a card",
      " n executor schedule grid transport variant tile time Gflop/s of the best\n",
      " 32 known best cannon 4x4 copy 2 of 3 0x0 2 ms 0.03277 1.00\n",
      " kept summa 2x2 pull 1 of 3 0x0 32 ms 0.002048 16.00\n",
      " kept summa 3x3 pull 7 - - - -\n",
      "known, n = 32: the best of each grid\n",
      " cannon 4x4 copy 2 of 3 0x0 2 ms 0.03277 1.00 2.00\n",
      " cannon 2x2 copy 1 of 3 0x0 32 ms 0.002048 16.00 1.00\n",
      "known, n = 32: the best of each schedule\n",
      "chooses takes 2.000 times as long as the best one, in\n",
      "the geometric mean over 4 combinations of schedule",
      "left out, its own variant takes over 3 times as long as the executor's fastest: known cannon 2x2\n copy 2; ",
      "known summa 2x2 pull 3\n",
  };
  static const char *const members[] = {
      "\"experiment\": \"shapes\"",
      "{\"on\": \"known\", \"algorithm\": \"cannon\", \"grid\": \"4x4\", \"transport\": \"copy\", \"variant\": 2, "
      "\"variants\": 3, \"chosen\": false, \"type\": \"f32\", \"m\": 32, \"n\": 32, \"k\": 32, \"processors\": 16, "
      "\"instances\": 4, ",
      "\"left_out\": \"its own variant takes over",
      "{\"n\": 32, \"best\": {\"on\": \"known\", \"algorithm\": \"cannon\", \"grid\": \"4x4\", \"transport\": "
      "\"copy\", "
      "\"variant\": 2, \"time_s\": ",
      "\"compared_with_own_variant\": 4, \"own_variant_ratio\": ",
      "\"kept\": {\"algorithm\": \"summa\", \"grid\": \"2x2\", \"transport\": \"pull\", \"variant\": 1, \"time_s\": ",
  };
  static const char *const curves[] = {"title 'cannon'", "title 'summa'", "known, n = 32"};
  reset();
  g_autoptr(TgResults) results = swept("2x2 4x4", "cannon,summa");
  TgShapes *shapes = results->own;
  const TgShapesRow kept[] = {
      {.on = "known", .n = N, .schedule = "summa", .grid = "2x2", .transport = TG_TRANSPORT_PULL, .variant = 1},
      {.on = "known", .n = N, .schedule = "summa", .grid = "3x3", .transport = TG_TRANSPORT_PULL, .variant = 7}};
  g_array_append_vals(shapes->kept, kept, 2);
  g_autofree char *text = page_of(tg_experiment_shapes.print, results);
  g_autoptr(TgJson) json = tg_experiment_document(&tg_experiment_shapes, results);
  g_autofree char *script = tg_experiment_shapes.plot(results, tg_plot_format("x.gp"));
  expect_parts(text, parts, G_N_ELEMENTS(parts));
  expect_parts(tg_json_text(json, NULL), members, G_N_ELEMENTS(members));
  expect_parts(script, curves, G_N_ELEMENTS(curves));
}

/* --- the check ---------------------------------------------------------------------------------------------------- */

static void test_action(void) {
  enum { ROWS = 20 };
  double a[ROWS * ROWS], b[ROWS * ROWS], c[ROWS * ROWS];
  double norm = 0;
  for (int i = 0; i < ROWS * ROWS; i++) {
    a[i] = tg_random_uniform_f64(1, (uint64_t)i);
    b[i] = tg_random_uniform_f64(2, (uint64_t)i);
  }
  for (int i = 0; i < ROWS * ROWS; i++) {
    c[i] = 0;
    for (int k = 0; k < ROWS; k++) c[i] += a[i / ROWS * ROWS + k] * b[k * ROWS + i % ROWS];
    norm += c[i] * c[i];
  }
  const TgProductFactor left = {.data = a, .rows = ROWS, .columns = ROWS};
  const TgProductFactor right = {.data = b, .rows = ROWS, .columns = ROWS};
  TgProductAction *action = tg_product_action_new(TG_F64, &left, &right, TG_PRODUCT_VECTORS, 3);
  g_assert_cmpfloat(tg_product_action_error(action, c), <, 1e-14);
  c[7] += 0.5; /* one element: every vector of signs sees just this much */
  g_assert_cmpfloat_with_epsilon(tg_product_action_error(action, c), 0.5 / sqrt(norm), 0.2 * 0.5 / sqrt(norm));
  c[7] = NAN;
  g_assert_true(isnan(tg_product_action_error(action, c)));
  tg_product_action_free(action);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  char *folder = cache_folder_begin();
  g_test_add_func("/bench/shapes/sweep", test_sweep);
  g_test_add_func("/bench/shapes/cases", test_cases);
  g_test_add_func("/bench/shapes/names", test_names);
  g_test_add_func("/bench/shapes/wrong", test_wrong);
  g_test_add_func("/bench/shapes/refused", test_refused);
  g_test_add_func("/bench/shapes/order", test_order);
  g_test_add_func("/bench/shapes/time-is-up", test_time_is_up);
  g_test_add_func("/bench/shapes/judge", test_judge);
  g_test_add_func("/bench/shapes/keep", test_keep);
  g_test_add_func("/bench/shapes/words", test_words);
  g_test_add_func("/bench/shapes/action", test_action);
  int status = g_test_run();
  cache_folder_end(folder);
  return status;
}

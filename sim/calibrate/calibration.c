/* The runs of a calibration. */
#include "calibration-private.h"
#include "cpu-time.h"
#include "measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
  MOST_PRODUCTS = 64, /* of a processor: on the CPU more of small blocks … */
  ENOUGH = 1 << 21, /* … up to so many multiply-adds of a core: how a run begins, cold, is then a small part of it */
  THIN = 8,         /* columns of a product with moves around it */
  REST_PIECES = 4,  /* of rests: 1, 2, 4 and 8 rows, as no kernel takes more than 16 at a time … */
  REST_SIZES = 3,   /* … measured at so many sizes … */
  LEAST_REST_SIZE = 48, /* … at which a row is no more than 2 % */
  MOST_HOPS = 5, /* numbers of hops that are tried where moves run beside products, each about twice the one before … */
  FEW_HOPS = 3,           /* … and elsewhere */
  USUAL_HOPS = 3,         /* the fewest; on the CPU more of small blocks … */
  ENOUGH_BYTES = 1 << 20, /* … up to so many of a core … */
  MOST_SMALL_HOPS = 31,   /* … or to so many hops */
  LARGER = 8,             /* times the side of the largest block: messages, up to some ten megabytes */
  SIDE = 128,             /* elements of a processor's block, more than an instance has along k */
  MOST_VARIANTS = 8
};
static const int64_t most_bytes = INT64_C(1) << 30; /* of copies of A that a run without moves needs */

static void clear_sample(gpointer data) {
  g_free(((TgCalibrationSample *)data)->left_out);
}

void tg_calibration_free(TgCalibration *calibration) {
  if (!calibration) return;
  g_array_unref(calibration->samples);
  g_free(calibration);
}

/* The first number of hops from `hops` on with which every block comes by once. */
static int32_t next_hops(int32_t hops, int32_t columns) {
  while (tg_common_divisor(hops, columns) != 1) hops++;
  return hops;
}

static void add(TgCalibration *calibration, int32_t variant, TgProbe probe) {
  probe.variant = variant;
  const TgCalibrationSample sample = {.probe = probe, .product_s = NAN, .move_s = NAN, .fitted_s = NAN};
  g_array_append_val(calibration->samples, sample);
}

static TgCalibrationSample *add_sample(TgCalibration *calibration, const TgCalibrationPlan *plan, TgProbe probe) {
  add(calibration, plan->options.variant, probe);
  return sample_at(calibration, calibration->samples->len - 1);
}

/** What the processors of a probe are. */
typedef struct Grid {
  int32_t rows, columns;
  int64_t turns; /* of those that share a core, one after another: a run is so much longer anyway */
} Grid;

/* At least `least`. */
static int32_t products_of(const TgCalibrationPlan *plan, Grid grid, int32_t least, int64_t m, int64_t n, int64_t k) {
  if (plan->kind->on_gpu) return least;
  return (int32_t)CLAMP(ENOUGH / grid.turns / (m * n * k), least, MOST_PRODUCTS);
}

static TgProbe blocks_of(Grid grid, int32_t products, int64_t m, int64_t n, int64_t k) {
  return tg_calibration_products(grid.rows, grid.columns, products, m, n, k);
}

static void add_products(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid, bool far) {
  for (int i = 0; i < plan->sizes; i++) {
    const int64_t s = plan->size[i];
    const int32_t products = far ? PRODUCTS : products_of(plan, grid, PRODUCTS, s, s, s);
    add_sample(calibration, plan, blocks_of(grid, products, s, s, s))->far = far;
  }
}

/* Products of few rows. Those of few columns are beside moves, those of few inner elements beside additions. */
static void add_few_rows(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid) {
  for (int i = 0; i < plan->sizes && !plan->kind->on_gpu; i++) {
    const int64_t s = plan->size[i];
    const int32_t products = products_of(plan, grid, 1, THIN, s, s);
    add_sample(calibration, plan, blocks_of(grid, products, THIN, s, s))->few_rows = true;
  }
}

/* Products while only 1, 2, 4, … cores or ranks are at work. */
static void add_fewer(TgCalibration *calibration, const TgCalibrationPlan *plan, const TgExecutorFacts *facts) {
  for (int32_t places = 1; places < facts->at_once; places *= 2)
    for (int i = 0; i < plan->sizes; i++) {
      const int64_t s = plan->size[i];
      const Grid grid = {1, places, 1};
      add_sample(calibration, plan, blocks_of(grid, products_of(plan, grid, PRODUCTS, s, s, s), s, s, s))->fewer =
          places;
    }
}

/* Of about the same sizes as the cubic ones, and of rows and columns that a kernel takes whole. */
static void add_deep(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid) {
  const int64_t whole = INT64_C(1) << REST_PIECES;
  int64_t last = 0;
  for (int i = 0; i < plan->sizes && !plan->kind->on_gpu; i++) {
    const int64_t s = (plan->size[i] / 2 + whole - 1) / whole * whole, k = TG_MACHINE_DEEP * s;
    if (s != last)
      add_sample(calibration, plan, blocks_of(grid, products_of(plan, grid, 1, s, s, k), s, s, k))->deep = true;
    last = s;
  }
}

/* Of sizes that a kernel takes whole: products of 1, 2, 4 and 8 rows more, and of as many columns more. */
static void add_rests(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid) {
  int sizes = 0;
  for (int i = 0; i < plan->sizes && !plan->kind->on_gpu && sizes < REST_SIZES; i++) {
    const int64_t s = plan->size[i], whole = INT64_C(1) << REST_PIECES;
    if (s % whole || s < LEAST_REST_SIZE) continue;
    sizes++;
    const int32_t products = products_of(plan, grid, PRODUCTS, s, s, s);
    for (int32_t piece = 1; piece < whole; piece *= 2) {
      add_sample(calibration, plan, blocks_of(grid, products, s + piece, s, s))->rest = piece;
      add_sample(calibration, plan, blocks_of(grid, products, s, s + piece, s))->rest = -piece;
    }
  }
}

/* Blocks that move, or are added, belong to thin products, so that moving or adding them is much of the time. */
static void add_additions(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid) {
  for (int i = 0; i < plan->sizes && !plan->kind->on_gpu; i++) {
    const int64_t s = plan->size[i];
    TgProbe probe = blocks_of(grid, products_of(plan, grid, PRODUCTS, s, s, THIN), s, s, THIN);
    probe.adds = true;
    add_sample(calibration, plan, probe);
  }
}

/* Where a block is read in place, passing it on again costs nothing more. */
static int32_t usual_hops(const TgExecutorKind *kind, const TgExecutorOptions *options, int64_t turns, int32_t ring,
                          int64_t size) {
  const int64_t bytes = turns * size * size * tg_element_bytes(options->element);
  if (options->transport == TG_TRANSPORT_PULL) return 1;
  if (kind->on_gpu) return next_hops(USUAL_HOPS, ring);
  return next_hops((int32_t)CLAMP(ENOUGH_BYTES / bytes, USUAL_HOPS, MOST_SMALL_HOPS), ring);
}

TgProbe tg_calibration_moves(const TgExecutorKind *kind, const TgExecutorOptions *options, int32_t places,
                             int64_t size) {
  TgProbe probe = tg_calibration_products(1, places, places, size, THIN, size);
  probe.hops = usual_hops(kind, options, 1, places, size);
  return probe;
}

/** Direction of the moves. */
typedef enum Way {
  WAY_ACROSS, /* along rows: to other cores, or where there are several hosts, within one */
  WAY_NEAR,   /* along rows, on one core */
  WAY_HOSTS   /* along columns, to other hosts */
} Way;

static void add_move(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid, int64_t size, Way way) {
  const bool down = way == WAY_HOSTS;
  const int32_t ring = down ? grid.rows : grid.columns;
  TgProbe probe = down ? blocks_of(grid, ring, THIN, size, size) : blocks_of(grid, ring, size, THIN, size);
  if (ring == 1) return;
  probe.hops = usual_hops(plan->kind, &plan->options, grid.turns, ring, size);
  probe.down = down;
  TgCalibrationSample *sample = add_sample(calibration, plan, probe);
  sample->near = way == WAY_NEAR;
  sample->sharing = down ? grid.columns : 0;
}

/* The protocol of a message depends on its size, so that there are smaller and larger ones than products have. */
static void add_moves(TgCalibration *calibration, const TgCalibrationPlan *plan, Grid grid, Way way) {
  const bool messages = plan->kind->traits.messages && way != WAY_NEAR;
  const int64_t least = plan->size[0], most = plan->size[plan->sizes - 1];
  for (int64_t size = 1; messages && size < least; size *= 2) add_move(calibration, plan, grid, size, way);
  for (int i = 0; i < plan->sizes; i++) add_move(calibration, plan, grid, plan->size[i], way);
  for (int64_t size = 2 * most; messages && size <= LARGER * most; size *= 2)
    add_move(calibration, plan, grid, size, way);
}

/* One row per host, one column per place on it. Empty if hosts have different numbers of places, only one each, or
 * places are not numbered host by host: links are then not distinguished. */
static Grid by_hosts(const TgExecutorFacts *facts) {
  const int32_t places = (int32_t)facts->at_once;
  int32_t each = 0;
  while (facts->host && each < places && facts->host[each] == 0) each++;
  if (each < 2 || each == places || places % each) return (Grid){0};
  for (int32_t place = 0; place < places; place++)
    if (facts->host[place] != place / each * each) return (Grid){0};
  return (Grid){places / each, each, 1};
}

/* Whether some of the places share a host, and some do not. */
static bool has_both_links(const TgExecutorFacts *facts) {
  bool shared = false, apart = false;
  for (int32_t place = 0; facts->host && place < facts->at_once; place++) {
    shared = shared || facts->host[place] != place;
    apart = apart || facts->host[place] != facts->host[0];
  }
  return shared && apart;
}

/* Between places that work at the same time. */
static void add_links(TgCalibration *calibration, const TgCalibrationPlan *plan, const TgExecutorFacts *facts,
                      Grid apart) {
  const Grid hosts = by_hosts(facts);
  calibration->hosts = hosts.rows;
  calibration->mixed = !hosts.rows && has_both_links(facts);
  add_moves(calibration, plan, hosts.rows ? hosts : apart, WAY_ACROSS);
  if (hosts.rows) add_moves(calibration, plan, hosts, WAY_HOSTS);
}

/* Where processors share cores: one processor a core, whose blocks stay in its cache, and whose moves all go to another
 * core; rows of processors on one core, whose moves all stay there; and products on the grid that is asked for, whose
 * blocks may not stay in the cache. */
static void add_shares(TgCalibration *calibration, const TgCalibrationPlan *plan, const TgExecutorFacts *facts) {
  const int32_t cores = (int32_t)facts->at_once;
  const Grid apart = {1, cores, 1}, on_one_core = {cores, PRODUCTS, PRODUCTS};
  add_products(calibration, plan, apart, false);
  add_rests(calibration, plan, apart);
  add_few_rows(calibration, plan, apart);
  add_deep(calibration, plan, apart);
  add_additions(calibration, plan, apart);
  add_links(calibration, plan, facts, apart);
  if (plan->options.transport != TG_TRANSPORT_PULL) add_moves(calibration, plan, on_one_core, WAY_NEAR);
  add_products(calibration, plan, (Grid){plan->rows, plan->columns, tg_executor_turns(facts)}, true);
}

static void add_all(TgCalibration *calibration, const TgCalibrationPlan *plan, const TgExecutorFacts *facts) {
  const Grid grid = {plan->rows, plan->columns, tg_executor_turns(facts)};
  if (facts->at_once > 1 && facts->processors > facts->at_once) {
    add_shares(calibration, plan, facts);
    return;
  }
  add_products(calibration, plan, grid, false);
  add_rests(calibration, plan, grid);
  add_few_rows(calibration, plan, grid);
  add_deep(calibration, plan, grid);
  add_additions(calibration, plan, grid);
  add_links(calibration, plan, facts, grid);
}

/* So many instances, about as many down as across. Along k whole panels, of products alone and with moves: these have
 * as many blocks along k as there are columns. */
static TgProbe tiles(const TgCalibrationPlan *plan, const TgExecutorFacts *facts, int32_t hops, int64_t instances,
                     int64_t k) {
  int64_t down = (int64_t)sqrt((double)instances);
  while (down > 1 && instances % down) down--;
  down = MAX(down, 1);
  const int64_t panel = facts->instance[2] * plan->columns;
  return (TgProbe){.rows = plan->rows,
                   .columns = plan->columns,
                   .products = hops ? plan->columns : PRODUCTS,
                   .hops = hops,
                   .m = facts->instance[0] * down,
                   .n = facts->instance[1] * (instances / down),
                   .k = panel * MAX(k / panel, 1)};
}

static void add_tiles(TgCalibration *calibration, const TgCalibrationPlan *plan, const TgExecutorFacts *facts,
                      int32_t variant) {
  for (int64_t rounds = 1; rounds <= 2; rounds++)
    for (int i = 0; i < plan->sizes; i++)
      add(calibration, variant, tiles(plan, facts, 0, rounds * facts->resident, plan->size[i]));
  int32_t hops = 0;
  const int most = plan->columns == 1 || plan->options.transport == TG_TRANSPORT_LOAD ? 0
                   : plan->kind->traits.overlaps                                      ? MOST_HOPS
                                                                                      : FEW_HOPS;
  for (int h = 0; h < most; h++) {
    hops = next_hops(2 * hops + 1, plan->columns);
    add(calibration, variant, tiles(plan, facts, hops, facts->resident, plan->size[plan->sizes - 1]));
  }
}

static bool find_facts(const TgCalibrationPlan *plan, int32_t variant, int64_t side, TgExecutorFacts *facts,
                       GError **error) {
  const TgProbe probe = {.rows = plan->rows,
                         .columns = plan->columns,
                         .products = PRODUCTS,
                         .m = (int64_t)plan->rows * side,
                         .n = (int64_t)plan->columns * side,
                         .k = PRODUCTS * side,
                         .variant = variant};
  return tg_probe_facts(plan->kind, &plan->options, &probe, facts, error);
}

/* Whether the executor tiles problems around a schedule is seen at one that would be more than one instance. Where that
 * has no room, there are no tiles: then it is the smallest that has to have some. */
static bool choose(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  TgExecutorFacts facts, more;
  const int32_t asked = plan->options.variant;
  if (find_facts(plan, asked, SIDE, &facts, NULL))
    calibration->tiled = facts.instance[2] < PRODUCTS * SIDE;
  else if (!find_facts(plan, asked, plan->size[0], &facts, error))
    return false;
  if (!calibration->tiled) {
    add_all(calibration, plan, &facts);
    add_fewer(calibration, plan, &facts); /* last: there are many, and the fits use a limited number of samples */
    return true;
  }
  /* Each variant that has tiles of its own: which one runs depends on the schedule, or is asked for. */
  int32_t variant = 1;
  for (int64_t last = 0;
       variant <= MOST_VARIANTS && find_facts(plan, variant, SIDE, &more, NULL) && more.instance[2] != last;
       variant++) {
    last = more.instance[2];
    add_tiles(calibration, plan, &more, variant);
  }
  if (variant == 1) add_tiles(calibration, plan, &facts, asked);
  return true;
}

static void set_sizes(TgCalibrationSample *sample, const TgCalibrationPlan *plan) {
  const TgExecutorFacts *facts = &sample->times.facts;
  sample->rounds = facts->rounds;
  sample->passes = facts->passes;
  sample->block[0] = MAX(facts->instance[0] / sample->probe.rows, 1);
  sample->block[1] = MAX(facts->instance[1] / sample->probe.columns, 1);
  sample->block[2] = MAX(facts->instance[2] / sample->probe.products, 1);
  const int across = sample->probe.adds ? 1 : 2, down = sample->probe.down ? 1 : 0;
  sample->block_bytes = sample->block[down] * sample->block[across] * tg_element_bytes(plan->options.element);
}

/* Time of moves that have none of their own: what products with them take longer than without. */
static double compare_with_none(const TgCalibrationSample *sample, const TgCalibrationPlan *plan, GError **error) {
  TgProbe none = sample->probe;
  TgProbeTimes times;
  const int64_t copies = (int64_t)none.rows * none.columns * none.products;
  none.hops = 0;
  none.down = false;
  if (sample->block_bytes > most_bytes / copies) {
    g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE,
                "the comparison, its products without moves, needs more than %" PRId64 " bytes", most_bytes);
    return NAN;
  }
  if (!tg_probe_run(plan->kind, &plan->options, &none, plan->budget_s, &times, error)) return NAN;
  return sample->times.multiply_s - times.multiply_s;
}

/* What follows from the times of its runs. */
static bool finish(TgCalibrationSample *sample, const TgCalibrationPlan *plan, GError **error) {
  const TgProbeTimes *times = &sample->times;
  set_sizes(sample, plan);
  const double turns = (double)tg_executor_turns(&times->facts);
  sample->product_s = times->multiply_s / (turns * (double)(sample->passes * sample->probe.products));
  if (!sample->probe.hops && !sample->probe.adds) return true;
  if (plan->kind->traits.overlaps) return true;
  const double moves = turns * (double)(sample->passes * tg_probe_moves(&sample->probe));
  sample->move_s = (isnan(times->move_s) ? compare_with_none(sample, plan, error) : times->move_s) / moves;
  return !isnan(sample->move_s);
}

static bool is_lost(const GError *error) {
  return g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED) ||
         g_error_matches(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_DEVICE);
}

/* What the progress counts: 10^9 multiply-adds, of which no sample has fewer. */
static int64_t work(const TgCalibrationSample *sample) {
  const TgProbe *probe = &sample->probe;
  return 1 + (int64_t)fmin((double)probe->m * (double)probe->n * (double)probe->k / 1e9, 1e12);
}

static int64_t work_of_all(const TgCalibration *calibration) {
  int64_t sum = 0;
  for (guint s = 0; s < calibration->samples->len; s++) sum += work(sample_at(calibration, s));
  return sum;
}

/* What fails is left out, if it is a size that the executor refuses; a device that fails ends it all. */
static bool leave_out(TgCalibrationSample *sample, GError *reason, GError **error) {
  if (is_lost(reason)) {
    g_propagate_error(error, reason);
    return false;
  }
  sample->left_out = g_strdup(reason->message);
  sample->too_large = g_error_matches(reason, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_TOO_LARGE);
  g_error_free(reason);
  return true;
}

/* How often all is measured, one round after another: what changes from minute to minute is then in the rounds. */
static int rounds_of(const TgCalibrationPlan *plan) {
  return plan->kind->on_gpu ? 1 : TG_CALIBRATION_ROUNDS;
}

static bool measure_round(TgCalibration *calibration, const TgCalibrationPlan *plan, int round, GError **error) {
  const int rounds = rounds_of(plan);
  const int64_t total = work_of_all(calibration);
  int64_t done = round * total;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    GError *reason = NULL;
    if (plan->progress) plan->progress(plan->progress_data, done, rounds * total);
    done += work(sample);
    if (sample->left_out || tg_probe_run(plan->kind, &plan->options, &sample->probe, plan->budget_s / rounds,
                                         &sample->round[round], &reason))
      continue;
    if (!leave_out(sample, reason, error)) return false;
  }
  return true;
}

static int by_time(const void *a, const void *b) {
  const double one = ((const TgProbeTimes *)a)->time_s, other = ((const TgProbeTimes *)b)->time_s;
  return (one > other) - (one < other);
}

/* What disturbs a machine for a while makes rounds longer, never shorter: the second shortest counts, so that of five
 * rounds three may be disturbed. Half of what lies between the shortest and the longest is a sample's spread; that of
 * the machine is the median of all samples'. */
static bool take_rounds(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  const int rounds = rounds_of(plan);
  g_autofree double *spread = g_new0(double, MAX(calibration->samples->len, 1));
  int32_t count = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    GError *reason = NULL;
    if (sample->left_out) continue;
    qsort(sample->round, (size_t)rounds, sizeof *sample->round, by_time);
    sample->times = sample->round[rounds > 1];
    spread[count++] = (sample->round[rounds - 1].time_s - sample->round[0].time_s) / 2 / sample->times.time_s;
    if (!finish(sample, plan, &reason) && !leave_out(sample, reason, error)) return false;
  }
  if (count) calibration->spread = tg_measurement_of(spread, count, 0).median_s;
  return true;
}

static bool measure_all(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  const TgCpuTime begin = tg_cpu_time();
  for (int round = 0; round < rounds_of(plan); round++)
    if (!measure_round(calibration, plan, round, error)) return false;
  calibration->waited = tg_executor_is_alone(plan->kind) ? tg_cpu_waited_since(&begin) : NAN;
  return take_rounds(calibration, plan, error);
}

TgCalibration *tg_calibration_new(const TgCalibrationPlan *plan, GError **error) {
  g_autoptr(TgCalibration) calibration = g_new0(TgCalibration, 1);
  calibration->samples = g_array_new(FALSE, TRUE, sizeof(TgCalibrationSample));
  g_array_set_clear_func(calibration->samples, clear_sample);
  if (!choose(calibration, plan, error) || !measure_all(calibration, plan, error) ||
      !tg_calibration_fit(calibration, plan, error))
    return NULL;
  return g_steal_pointer(&calibration);
}

/* --- the disk ----------------------------------------------------------------------------------------------------- */

static void give_tier(TgMachine *machine, TgTierKind kind, const TgMachineTier *measured) {
  TgMachineTier *tier = &machine->tier[kind];
  tier->read_bytes_per_s = measured->read_bytes_per_s;
  tier->write_bytes_per_s = measured->write_bytes_per_s;
  tier->latency_s = measured->latency_s;
  tier->capacity_bytes = INFINITY;
  tg_machine_give(machine, &tier->read_bytes_per_s);
  tg_machine_give(machine, &tier->write_bytes_per_s);
  tg_machine_give(machine, &tier->latency_s);
}

void tg_calibration_add_disk(TgCalibration *calibration, const TgMachineTier *disk, const TgMachineTier *cache,
                             double memory_bytes) {
  TgMachine *machine = &calibration->machine;
  give_tier(machine, TG_TIER_DISK, disk);
  give_tier(machine, TG_TIER_CACHE, cache);
  machine->tier[TG_TIER_CACHE].capacity_bytes = machine->processor.memory_bytes = memory_bytes;
  tg_machine_give(machine, &machine->tier[TG_TIER_CACHE].capacity_bytes);
  tg_machine_give(machine, &machine->processor.memory_bytes);
}

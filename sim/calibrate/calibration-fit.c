/* A machine's numbers from the samples of a calibration. */
#include "calibration-private.h"
#include "least-squares.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 128, ROUNDS = 4 };
static const double bound = 1.1; /* times the product alone: from there on moves make the time */

/* Of whole tiles: those of what is beyond the block are executed, too. */
static double flops_of(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return 2 * tg_machine_tiled_elements(&calibration->machine, sample->block[0], sample->block[1]) *
         (double)sample->block[2];
}

/* The advice follows from the reason for which the last sample was left out. */
static bool too_few(const TgCalibration *calibration, const TgCalibrationPlan *plan, const char *what, int found,
                    int needed, GError **error) {
  const TgCalibrationSample *last = NULL;
  for (guint s = 0; s < calibration->samples->len; s++)
    if (sample_at(calibration, s)->left_out) last = sample_at(calibration, s);
  const bool large = last && last->too_large, limited = large && plan->options.memory_limit_bytes > 0;
  g_set_error(error, TG_EXECUTOR_ERROR, large ? TG_EXECUTOR_ERROR_TOO_LARGE : TG_EXECUTOR_ERROR_FAILED,
              "only %d sample%s of %s, but the fit needs %d: %s%s%s", found, found == 1 ? "" : "s", what, needed,
              limited ? "use smaller sizes, or a larger --memory-limit"
              : large ? "use smaller sizes"
              : last  ? "give more sizes, or different ones"
                      : "give more sizes",
              last ? "; the last one was left out: " : "", last ? last->left_out : "");
  return false;
}

/* --- products ------------------------------------------------------------------------------------------------------*/

/* That of products alone, whose rates are meant; one schedule on one grid is multiplied in the same tiles at all sizes.
 * Where problems are tiled around the schedule, blocks are whole tiles as they are. */
static void find_tile(TgCalibration *calibration) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    const int32_t *tile = sample->times.facts.tile;
    if (calibration->tiled || sample->left_out || !has_products_alone(sample) || (tile[0] <= 1 && tile[1] <= 1))
      continue;
    processor->tile_rows = tile[0];
    processor->tile_columns = tile[1];
    processor->given |= 1 << 3 | 1 << 4;
  }
}

static double size_of(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return cbrt(flops_of(calibration, sample) / 2);
}

static bool is_same(double size, double other) {
  return fabs(size - other) < 1e-3 * other;
}

/* The rate whose times have the least relative errors, of all products of one size. */
static double rate_at(const TgCalibration *calibration, double size) {
  double sum = 0, squares = 0, flops = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->left_out || !has_products_alone(sample) || !is_same(size_of(calibration, sample), size)) continue;
    sum += 1 / sample->product_s;
    squares += 1 / (sample->product_s * sample->product_s);
    flops = flops_of(calibration, sample);
  }
  return flops * squares / sum;
}

/* In its place, so that sizes increase. */
static void add_rate(const TgCalibration *calibration, TgMachineRates *rates, double size) {
  int32_t place = rates->rows;
  for (int32_t r = 0; r < rates->rows; r++)
    if (is_same(rates->row[r].size, size)) return;
  if (rates->rows == TG_MACHINE_RATES) return;
  for (; place > 0 && rates->row[place - 1].size > size; place--) rates->row[place] = rates->row[place - 1];
  rates->row[place] = (TgMachineRate){.size = size, .flops_per_s = rate_at(calibration, size)};
  rates->rows++;
}

static bool fit_products(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->left_out && !(sample->product_s > 0))
      sample->left_out = g_strdup("its products took no measurable time");
  }
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->left_out && has_products_alone(sample))
      add_rate(calibration, &processor->rate, size_of(calibration, sample));
  }
  if (processor->rate.rows == 0) return too_few(calibration, plan, "products", 0, 1, error);
  processor->given |= 1 << 1;
  return true;
}

/* What a rest of so many rows (below 0: columns) takes, the mean over sizes; 0 where none was measured. */
static double rest_takes(const TgCalibration *calibration, int32_t rest) {
  double sum = 0;
  int samples = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->rest != rest || sample->left_out || !(sample->product_s > 0)) continue;
    const double side = (double)sample->block[2];
    const double flops_per_s =
        tg_machine_flops_per_s(&calibration->machine, sample->block[0], sample->block[1], sample->block[2]);
    const double beside_s =
        tg_machine_beside_s(&calibration->machine, sample->block[0], sample->block[1], sample->block[2]);
    sum += (sample->product_s - beside_s) * flops_per_s / (2 * side * side) - side;
    samples++;
  }
  return samples ? sum / samples : 0;
}

static void fit_rests(TgCalibration *calibration) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  TgMachineRests rests[2] = {{0}, {0}};
  processor->rest_rows = processor->rest_columns = rests[0]; /* the rate is that of whole rows and columns */
  for (int side = 0; side < 2; side++)
    for (int32_t piece = 1; rests[side].pieces < TG_MACHINE_RESTS; piece *= 2) {
      const double takes = rest_takes(calibration, side == 0 ? piece : -piece);
      if (!(takes > 0)) break;
      rests[side].takes[rests[side].pieces++] = takes;
    }
  if (rests[0].pieces == 0 || rests[0].pieces != rests[1].pieces) return;
  processor->rest_rows = rests[0];
  processor->rest_columns = rests[1];
  processor->given |= 1 << 14 | 1 << 15;
}

/* Whether the sample shows the time of a thin product: not where products and moves run at once, or a problem is tiled.
 */
static bool is_thin(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return !calibration->tiled && !has_products_alone(sample) && !sample->far && !sample->left_out &&
         (sample->few_rows || !isnan(sample->times.move_s)) && sample->product_s > 0;
}

static double product_s(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return tg_machine_product_s(&calibration->machine, sample->block[0], sample->block[1], sample->block[2]);
}

/* What thin products take longer than cubic ones of as many operations goes by the elements that their blocks have
 * more: the rates with the least relative errors, of those of few rows, few columns (beside moves) and few inner
 * elements (beside additions). */
static void fit_thin_products(TgCalibration *calibration) {
  double term[TG_MATRICES * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[TG_MATRICES] = {0};
  TgMachineProcessor *processor = &calibration->machine.processor;
  double *const rate[] = {&processor->a_elements_per_s, &processor->b_elements_per_s, &processor->c_elements_per_s};
  int rows = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) *rate[matrix] = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!is_thin(calibration, sample)) continue;
    tg_machine_thin_elements(sample->block[0], sample->block[1], sample->block[2], &term[TG_MATRICES * rows]);
    y[rows] = sample->product_s - product_s(calibration, sample);
    weight[rows++] = 1 / sample->product_s;
  }
  if (rows > 0) tg_least_squares(term, y, weight, rows, TG_MATRICES, value);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    if (value[matrix] <= 0) continue;
    *rate[matrix] = 1 / value[matrix];
    processor->given |= 1 << (11 + matrix);
  }
}

/* --- links ---------------------------------------------------------------------------------------------------------*/

static void set_link(TgCalibration *calibration, double latency_s, double s_per_byte) {
  calibration->machine.link.latency_s = latency_s;
  calibration->machine.link.bandwidth_bytes_per_s = s_per_byte > 0 ? 1 / s_per_byte : INFINITY;
}

/** What moves of one kind take, by bytes. */
typedef struct Moves {
  int tried, used, unmeasurable;
  double latency_s, s_per_byte;
} Moves;

static Moves measure_moves(const TgCalibration *calibration, bool near) {
  double term[2 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[2] = {0};
  Moves moves = {0};
  for (guint s = 0; s < calibration->samples->len && moves.used < MOST_SAMPLES; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->probe.hops == 0 || sample->near != near) continue;
    moves.tried++;
    if (sample->left_out) continue;
    if (!(sample->move_s > 0)) {
      sample->left_out = g_strdup("the products took no longer with moves than without");
      sample->move_s = NAN;
      moves.unmeasurable++;
      continue;
    }
    term[2 * moves.used] = 1;
    term[2 * moves.used + 1] = (double)sample->block_bytes;
    y[moves.used] = sample->move_s;
    weight[moves.used++] = 1 / sample->move_s;
  }
  if (moves.used) tg_least_squares(term, y, weight, moves.used, 2, value);
  moves.latency_s = value[0];
  moves.s_per_byte = value[1];
  return moves;
}

/* Moves that take a time of their own. Where blocks have one size only, all of it is latency. */
static bool fit_moves(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  const Moves moves = measure_moves(calibration, false);
  calibration->no_links = moves.tried == 0 || (moves.used < LEAST_SAMPLES && moves.unmeasurable > 0);
  if (calibration->no_links) return true;
  if (moves.used < LEAST_SAMPLES && !(calibration->tiled && moves.used > 0))
    return too_few(calibration, plan, "moves", moves.used, LEAST_SAMPLES, error);
  set_link(calibration, moves.latency_s, moves.s_per_byte);
  return true;
}

/* Moves between processors of one core. */
static void fit_copies(TgCalibration *calibration) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  const Moves moves = measure_moves(calibration, true);
  if (moves.used < LEAST_SAMPLES || moves.s_per_byte <= 0) return;
  processor->copy_s = moves.latency_s;
  processor->copy_bytes_per_s = 1 / moves.s_per_byte;
  processor->given |= 1 << 8 | 1 << 9;
}

/* Moves beside products: the time of a pass against their number and bytes, where they are what it takes. Where they
 * never are, all that is known is that a move of the largest block takes no longer than the pass had room for. */
static void fit_hidden_moves(TgCalibration *calibration) {
  double term[3 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[3], room_s = INFINITY;
  int64_t largest = 0;
  int rows = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->left_out || sample->probe.hops == 0) continue;
    const double pass_s = sample->product_s * sample->probe.products;
    const double moves = (double)tg_probe_moves(&sample->probe);
    if (sample->block_bytes > largest) room_s = INFINITY;
    largest = MAX(largest, sample->block_bytes);
    if (sample->block_bytes == largest) room_s = fmin(room_s, pass_s / moves);
    if (pass_s < bound * product_s(calibration, sample) * sample->probe.products) continue;
    const double terms[] = {moves, moves * (double)sample->block_bytes, 1};
    memcpy(&term[3 * rows], terms, sizeof terms);
    y[rows] = pass_s;
    weight[rows++] = 1 / pass_s;
  }
  calibration->no_links = largest == 0;
  calibration->hidden = rows == 0 && !calibration->no_links;
  if (calibration->hidden) set_link(calibration, room_s, 0);
  if (rows == 0) return;
  tg_least_squares(term, y, weight, rows, 3, value);
  set_link(calibration, value[0], value[1]);
}

/* --- additions -----------------------------------------------------------------------------------------------------*/

/* The rate whose times have the least relative errors, of all sizes. */
static void fit_additions(TgCalibration *calibration) {
  double sum = 0, squares = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->probe.adds || sample->left_out) continue;
    if (!(sample->move_s > 0)) {
      sample->left_out = g_strdup("its additions took no measurable time");
      sample->move_s = NAN;
      continue;
    }
    const double s_per_element = sample->move_s / (double)(sample->block[0] * sample->block[1]);
    sum += 1 / s_per_element;
    squares += 1 / (s_per_element * s_per_element);
  }
  if (sum == 0) return;
  calibration->machine.processor.additions_per_s = squares / sum;
  calibration->machine.processor.given |= 1 << 5;
}

/* --- blocks that do not stay in the cache
 * ---------------------------------------------------------------------------*/

static const double least_cache_bytes = 64e3, most_cache_bytes = 4e9;

static double bytes_of(const TgCalibrationPlan *plan, double elements) {
  return elements * (double)tg_element_bytes(plan->options.element);
}

/* What a core reads and writes from one use of a factor to the next: all blocks of a run. */
static double between_bytes(const TgCalibrationSample *sample, const TgCalibrationPlan *plan) {
  const double m = (double)sample->block[0], n = (double)sample->block[1], k = (double)sample->block[2];
  const double products = (double)tg_executor_turns(&sample->times.facts) * sample->probe.products;
  return products * bytes_of(plan, m * k + k * n + m * n);
}

/* Of a product's factors; its sum is used again sooner. */
static double factor_bytes(const TgCalibrationSample *sample, const TgCalibrationPlan *plan) {
  const double m = (double)sample->block[0], n = (double)sample->block[1], k = (double)sample->block[2];
  return bytes_of(plan, m * k + k * n);
}

/* The time of a byte from far, of a cache of so many bytes, with which the far samples' times have the least relative
 * errors; and the sum of their squares. */
static double miss_s_per_byte(TgCalibration *calibration, const TgCalibrationPlan *plan, double cache_bytes,
                              double *squares) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  double with = 0, all = 0, near = 0;
  processor->cache_bytes = cache_bytes;
  processor->miss_bytes_per_s = 1;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->far || sample->left_out) continue;
    const double missed_bytes =
        tg_machine_miss_s(&calibration->machine, between_bytes(sample, plan), factor_bytes(sample, plan));
    const double part = missed_bytes / sample->product_s, left = 1 - product_s(calibration, sample) / sample->product_s;
    with += part * left;
    all += part * part;
    near += left * left;
  }
  const double s_per_byte = all > 0 ? fmax(with / all, 0) : 0;
  *squares = near - 2 * s_per_byte * with + s_per_byte * s_per_byte * all;
  return s_per_byte;
}

/* Products on the grid that was asked for against those with little memory: of all sizes of a cache, the one that fits
 * best. Where a cache makes no difference, there is none in the file. */
static void fit_far(TgCalibration *calibration, const TgCalibrationPlan *plan) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  double best_bytes = 0, best_s = 0, least = INFINITY;
  for (double bytes = least_cache_bytes; bytes < most_cache_bytes; bytes *= 1.1) {
    double squares;
    const double s_per_byte = miss_s_per_byte(calibration, plan, bytes, &squares);
    if (s_per_byte == 0 || squares >= least * (1 - 1e-9)) continue;
    least = squares;
    best_bytes = bytes;
    best_s = s_per_byte;
  }
  processor->cache_bytes = best_bytes;
  processor->miss_bytes_per_s = best_s > 0 ? 1 / best_s : 0;
  if (best_s > 0) processor->given |= 1 << 6 | 1 << 7;
}

static double far_s(const TgCalibration *calibration, const TgCalibrationPlan *plan,
                    const TgCalibrationSample *sample) {
  const double bytes = factor_bytes(sample, plan);
  return sample->times.facts.at_once ? tg_machine_miss_s(&calibration->machine, between_bytes(sample, plan), bytes) : 0;
}

/* --- the rest of a run ---------------------------------------------------------------------------------------------*/

static double steps_s(const TgCalibrationSample *sample) {
  return sample->times.multiply_s + (isnan(sample->times.move_s) ? 0 : sample->times.move_s);
}

/* What a run takes beside its steps. Where nothing is tiled, rounds and passes are always 1: all of it is the launch.
 */
static void fit_rest(TgCalibration *calibration) {
  double term[3 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[3] = {0};
  TgMachineExecutor *executor = &calibration->machine.executor;
  int rows = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->times.trials == 0) continue;
    const double terms[] = {1, (double)sample->rounds, (double)sample->passes};
    memcpy(&term[3 * rows], terms, sizeof terms);
    y[rows] = sample->times.time_s - steps_s(sample);
    weight[rows++] = 1 / sample->times.time_s;
  }
  if (rows > 0) tg_least_squares(term, y, weight, rows, 3, value);
  executor->launch_s = value[0];
  executor->round_s = value[1];
  executor->pass_s = value[2];
}

static double fitted_pass_s(const TgCalibration *calibration, const TgCalibrationPlan *plan,
                            const TgCalibrationSample *sample) {
  const TgMachineLink *link = &calibration->machine.link;
  const TgMachineProcessor *processor = &calibration->machine.processor;
  const double turns = (double)tg_executor_turns(&sample->times.facts);
  const double move_s = sample->probe.adds
                            ? tg_machine_sum_s(&calibration->machine, (double)(sample->block[0] * sample->block[1]))
                        : sample->near ? processor->copy_s + (double)sample->block_bytes / processor->copy_bytes_per_s
                                       : link->latency_s + (double)sample->block_bytes / link->bandwidth_bytes_per_s;
  const double moves_s = (double)tg_probe_moves(&sample->probe) * move_s;
  const double products_s =
      (product_s(calibration, sample) + far_s(calibration, plan, sample)) * sample->probe.products;
  if (plan->kind->traits.overlaps) return fmax(products_s, moves_s);
  if (sample->far) return turns * products_s;
  /* If the time of thin products is not known, it is the measured one: such samples are there for their moves. */
  const bool own = !has_products_alone(sample) && !sample->rest && !calibration->tiled && !is_thin(calibration, sample);
  return turns * ((own ? sample->product_s * sample->probe.products : products_s) + moves_s);
}

/* The rate of a size by those on either side of it alone; 0 for the first and the last. */
static double rate_without(const TgMachineRates *rates, double size) {
  for (int32_t r = 1; r + 1 < rates->rows; r++) {
    const TgMachineRate *row = &rates->row[r];
    if (!is_same(row->size, size)) continue;
    const double part = (row->size - row[-1].size) / (row[1].size - row[-1].size);
    return row[-1].flops_per_s + part * (row[1].flops_per_s - row[-1].flops_per_s);
  }
  return 0;
}

/* The run's time by the numbers found; of products, of a size between others, by those of the others: the table has no
 * row for the sizes that will be asked for. */
static double held_out_s(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  const TgMachineRates *rates = &calibration->machine.processor.rate;
  const double size = size_of(calibration, sample);
  const double without = has_products_alone(sample) ? rate_without(rates, size) : 0;
  if (without == 0) return sample->fitted_s;
  double with = 0;
  for (int32_t r = 0; r < rates->rows; r++)
    if (is_same(rates->row[r].size, size)) with = rates->row[r].flops_per_s;
  return sample->fitted_s + sample->times.multiply_s * (with / without - 1);
}

/* The relative error of the fit, as the root of its mean square. */
static double fit_samples(TgCalibration *calibration, const TgCalibrationPlan *plan) {
  const TgMachineExecutor *executor = &calibration->machine.executor;
  double squares = 0;
  int used = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->times.trials == 0) continue;
    sample->fitted_s = executor->launch_s + (double)sample->rounds * executor->round_s +
                       (double)sample->passes * (executor->pass_s + fitted_pass_s(calibration, plan, sample));
    if (sample->left_out) continue;
    squares += pow(held_out_s(calibration, sample) / sample->times.time_s - 1, 2);
    used++;
  }
  return used ? sqrt(squares / used) : 0;
}

/* Four digits say all that was measured, and a file with them can be read. */
static double rounded(double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  return number < 1e-12 ? 0 : g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.4g", number), NULL);
}

static void round_all(TgMachine *machine) {
  double *const numbers[] = {&machine->link.latency_s,
                             &machine->link.bandwidth_bytes_per_s,
                             &machine->processor.additions_per_s,
                             &machine->processor.cache_bytes,
                             &machine->processor.miss_bytes_per_s,
                             &machine->processor.copy_s,
                             &machine->processor.copy_bytes_per_s,
                             &machine->processor.a_elements_per_s,
                             &machine->processor.b_elements_per_s,
                             &machine->processor.c_elements_per_s,
                             &machine->executor.launch_s,
                             &machine->executor.round_s,
                             &machine->executor.pass_s};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) *numbers[i] = rounded(*numbers[i]);
  for (int i = 0; i < TG_MACHINE_RESTS; i++) {
    machine->processor.rest_rows.takes[i] = rounded(machine->processor.rest_rows.takes[i]);
    machine->processor.rest_columns.takes[i] = rounded(machine->processor.rest_columns.takes[i]);
  }
  for (int32_t r = 0; r < machine->processor.rate.rows; r++) {
    machine->processor.rate.row[r].size = rounded(machine->processor.rate.row[r].size);
    machine->processor.rate.row[r].flops_per_s = rounded(machine->processor.rate.row[r].flops_per_s);
  }
}

static void name_all(TgCalibration *calibration, const TgCalibrationPlan *plan) {
  TgMachine *machine = &calibration->machine;
  TgMachineExecutor *executor = &machine->executor;
  g_strlcpy(executor->on, plan->kind->name, sizeof executor->on);
  g_strlcpy(executor->transport, tg_transport_name(plan->options.transport), sizeof executor->transport);
  g_strlcpy(executor->type, tg_element_name(plan->options.element), sizeof executor->type);
  executor->processors = (double)plan->rows * plan->columns;
  machine->port.ports = plan->kind->traits.fetches ? TG_PORTS_FETCH : TG_PORTS_ONE;
  machine->given = 1 << 3;
  machine->link.given = 1 << 0 | 1 << 2;
  machine->port.given = 1 << 0;
  executor->given = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7;
}

bool tg_calibration_fit(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  calibration->machine = (TgMachine){.processor.memory_bytes = INFINITY};
  for (int t = 0; t < TG_TIER_KINDS; t++) calibration->machine.tier[t].capacity_bytes = INFINITY;
  set_link(calibration, 0, 0);
  find_tile(calibration);
  if (!fit_products(calibration, plan, error)) return false;
  for (int again = 0; again < ROUNDS; again++) { /* the blocks of rests are a little thin, and of thin products rests */
    fit_rests(calibration);
    if (!plan->kind->traits.overlaps) fit_thin_products(calibration);
  }
  if (plan->kind->traits.overlaps)
    fit_hidden_moves(calibration);
  else if (!fit_moves(calibration, plan, error))
    return false;
  fit_copies(calibration);
  fit_additions(calibration);
  fit_far(calibration, plan);
  fit_rest(calibration);
  round_all(&calibration->machine);
  name_all(calibration, plan);
  calibration->machine.residual = fmin(rounded(fit_samples(calibration, plan)), 0.99);
  calibration->machine.spread = fmin(rounded(calibration->spread), 0.99);
  if (plan->kind->on_gpu) return true;
  calibration->machine.given |= 1 << 4;
  return true;
}

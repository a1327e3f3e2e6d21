/* A machine's numbers from the samples of a calibration. */
#include "calibration.h"

#include "least-squares.h"

#include <math.h>
#include <string.h>

enum { LEAST_SAMPLES = 3, MOST_SAMPLES = 64 };
static const double bound = 1.1; /* times the product alone: from there on moves make the time */

static TgCalibrationSample *sample_at(const TgCalibration *calibration, guint s) {
  return &g_array_index(calibration->samples, TgCalibrationSample, s);
}

/* Of whole tiles: those of what is beyond the block are executed, too. */
static double flops_of(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return 2 * tg_machine_tiled_elements(&calibration->machine, sample->block[0], sample->block[1]) *
         (double)sample->block[2];
}

static bool too_few(const TgCalibration *calibration, const char *what, int found, int needed, GError **error) {
  const char *why = "";
  for (guint s = 0; s < calibration->samples->len; s++)
    if (sample_at(calibration, s)->left_out) why = sample_at(calibration, s)->left_out;
  g_set_error(error, TG_EXECUTOR_ERROR, TG_EXECUTOR_ERROR_FAILED,
              "only %d sample%s of %s, the fit needs %d: give more sizes%s%s", found, found == 1 ? "" : "s", what,
              needed, *why ? ", or others; the last one left out: " : "", why);
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
    if (calibration->tiled || sample->left_out || sample->probe.hops || (tile[0] <= 1 && tile[1] <= 1)) continue;
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
    if (sample->left_out || sample->probe.hops || !is_same(size_of(calibration, sample), size)) continue;
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

static bool fit_products(TgCalibration *calibration, GError **error) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->left_out && !(sample->product_s > 0))
      sample->left_out = g_strdup("its products took no time that could be measured");
  }
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->left_out && !sample->probe.hops) add_rate(calibration, &processor->rate, size_of(calibration, sample));
  }
  if (processor->rate.rows == 0) return too_few(calibration, "products", 0, 1, error);
  processor->given |= 1 << 1;
  return true;
}

static double product_s(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return tg_machine_product_s(&calibration->machine, sample->block[0], sample->block[1], sample->block[2]);
}

/* --- links ---------------------------------------------------------------------------------------------------------*/

static void set_link(TgCalibration *calibration, double latency_s, double s_per_byte) {
  calibration->machine.link.latency_s = latency_s;
  calibration->machine.link.bandwidth_bytes_per_s = s_per_byte > 0 ? 1 / s_per_byte : INFINITY;
}

/* Moves that take a time of their own, by bytes. Where blocks have one size only, all of it is latency. */
static bool fit_moves(TgCalibration *calibration, GError **error) {
  double term[2 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[2];
  int rows = 0, tried = 0, unmeasurable = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->probe.hops == 0) continue;
    tried++;
    if (sample->left_out) continue;
    if (!(sample->move_s > 0)) {
      sample->left_out = g_strdup("with its moves the products took no longer than without");
      unmeasurable++;
      continue;
    }
    term[2 * rows] = 1;
    term[2 * rows + 1] = (double)sample->block_bytes;
    y[rows] = sample->move_s;
    weight[rows++] = 1 / sample->move_s;
  }
  calibration->no_links = tried == 0 || (rows < LEAST_SAMPLES && unmeasurable > 0);
  if (calibration->no_links) return true;
  if (rows < LEAST_SAMPLES && !(calibration->tiled && rows > 0))
    return too_few(calibration, "moves", rows, LEAST_SAMPLES, error);
  tg_least_squares(term, y, weight, rows, 2, value);
  set_link(calibration, value[0], value[1]);
  return true;
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
  const double turns = plan->kind->traits.takes_turns ? (double)sample->times.facts.processors : 1;
  const double moves_s = (double)tg_probe_moves(&sample->probe) *
                         (link->latency_s + (double)sample->block_bytes / link->bandwidth_bytes_per_s);
  const double products_s = product_s(calibration, sample) * sample->probe.products;
  if (plan->kind->traits.overlaps) return fmax(products_s, moves_s);
  /* Thin products have a rate of their own, and are there for their moves. */
  const double own_s =
      sample->probe.hops && !calibration->tiled ? sample->product_s * sample->probe.products : products_s;
  return turns * (own_s + moves_s);
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
    squares += pow(sample->fitted_s / sample->times.time_s - 1, 2);
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
  double *const numbers[] = {&machine->link.latency_s, &machine->link.bandwidth_bytes_per_s,
                             &machine->executor.launch_s, &machine->executor.round_s, &machine->executor.pass_s};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) *numbers[i] = rounded(*numbers[i]);
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
  if (!fit_products(calibration, error)) return false;
  if (plan->kind->traits.overlaps)
    fit_hidden_moves(calibration);
  else if (!fit_moves(calibration, error))
    return false;
  fit_rest(calibration);
  round_all(&calibration->machine);
  name_all(calibration, plan);
  calibration->machine.residual = fmin(rounded(fit_samples(calibration, plan)), 0.99);
  return true;
}

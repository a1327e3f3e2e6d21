/* The times of products from the samples of a calibration: the rate by size, what rows and columns left over take, and
 * the rates of thin products. */
#include "calibration-private.h"
#include "least-squares.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 4 };

/* Of whole tiles: those of what is beyond the block are executed, too. */
static double flops_of(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return 2 * tg_machine_tiled_elements(&calibration->machine, sample->block[0], sample->block[1]) *
         (double)sample->block[2];
}

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
    tg_machine_give(&calibration->machine, &processor->tile_rows);
    tg_machine_give(&calibration->machine, &processor->tile_columns);
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

/* In its place, so that sizes increase; none twice. */
static void add_rate(TgMachineRates *rates, double size, double flops_per_s) {
  int32_t place = rates->rows;
  for (int32_t r = 0; r < rates->rows; r++)
    if (is_same(rates->row[r].size, size)) return;
  if (rates->rows == TG_MACHINE_RATES) return;
  for (; place > 0 && rates->row[place - 1].size > size; place--) rates->row[place] = rates->row[place - 1];
  rates->row[place] = (TgMachineRate){.size = size, .flops_per_s = flops_per_s};
  rates->rows++;
}

static bool fit_rates(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->left_out && !(sample->product_s > 0))
      sample->left_out = g_strdup("its products took no measurable time");
  }
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    const double size = size_of(calibration, sample);
    if (!sample->left_out && has_products_alone(sample)) add_rate(&processor->rate, size, rate_at(calibration, size));
  }
  if (processor->rate.rows == 0) return tg_calibration_too_few(calibration, plan, "products", 0, 1, error);
  tg_machine_give(&calibration->machine, &processor->rate);
  return true;
}

/* What a rest of so many rows (below 0: columns) takes, the mean over sizes, and at least as long as these among
 * others; 0 where none was measured. */
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
  return samples ? fmax(sum / samples, abs(rest)) : 0;
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
}

bool tg_calibration_is_thin(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  return !calibration->tiled && !has_products_alone(sample) && !sample->far && !sample->left_out &&
         (sample->few_rows || !isnan(sample->times.move_s)) && sample->product_s > 0;
}

double tg_calibration_product_s(const TgCalibration *calibration, const TgCalibrationSample *sample) {
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
    if (!tg_calibration_is_thin(calibration, sample)) continue;
    tg_machine_thin_elements(sample->block[0], sample->block[1], sample->block[2], &term[TG_MATRICES * rows]);
    y[rows] = sample->product_s - tg_calibration_product_s(calibration, sample);
    weight[rows++] = 1 / sample->product_s;
  }
  if (rows > 0) tg_least_squares(term, y, weight, rows, TG_MATRICES, value);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    if (value[matrix] > 0) *rate[matrix] = 1 / value[matrix];
}

/* What is left of the times of deep products beside what their elements take. */
static void fit_deep_products(TgCalibration *calibration) {
  TgMachineRates *deep = &calibration->machine.processor.deep_rate;
  deep->rows = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->deep || sample->left_out) continue;
    const double beside_s =
        tg_machine_beside_s(&calibration->machine, sample->block[0], sample->block[1], sample->block[2]);
    if (beside_s < sample->product_s)
      add_rate(deep, size_of(calibration, sample), flops_of(calibration, sample) / (sample->product_s - beside_s));
  }
}

/* Of what was fitted again and again, what the last time found. */
static void give_products(TgMachine *machine) {
  TgMachineProcessor *processor = &machine->processor;
  if (processor->deep_rate.rows > 0) tg_machine_give(machine, &processor->deep_rate);
  const double *const rate[] = {&processor->a_elements_per_s, &processor->b_elements_per_s,
                                &processor->c_elements_per_s};
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    if (*rate[matrix] > 0) tg_machine_give(machine, rate[matrix]);
  if (processor->rest_rows.pieces == 0) return;
  tg_machine_give(machine, &processor->rest_rows);
  tg_machine_give(machine, &processor->rest_columns);
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

double tg_calibration_held_out_s(const TgCalibration *calibration, const TgCalibrationSample *sample) {
  const TgMachineProcessor *processor = &calibration->machine.processor;
  const TgMachineRates *rates = sample->deep ? &processor->deep_rate : &processor->rate;
  const double size = size_of(calibration, sample);
  const double without = has_products_alone(sample) || sample->deep ? rate_without(rates, size) : 0;
  if (without == 0) return sample->fitted_s;
  double with = 0;
  for (int32_t r = 0; r < rates->rows; r++)
    if (is_same(rates->row[r].size, size)) with = rates->row[r].flops_per_s;
  return sample->fitted_s + sample->times.multiply_s * (with / without - 1);
}

bool tg_calibration_fit_products(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  find_tile(calibration);
  if (!fit_rates(calibration, plan, error)) return false;
  for (int again = 0; again < ROUNDS; again++) { /* the blocks of rests are a little thin, and of thin products rests */
    fit_rests(calibration);
    if (!plan->kind->traits.overlaps) fit_thin_products(calibration);
    fit_deep_products(calibration);
  }
  give_products(&calibration->machine);
  return true;
}

/* A machine's numbers from the samples of a calibration. */
#include "calibration-private.h"
#include "least-squares.h"

#include <math.h>
#include <string.h>

/* The advice follows from the reason for which the last sample was left out. */
bool tg_calibration_too_few(const TgCalibration *calibration, const TgCalibrationPlan *plan, const char *what,
                            int found, int needed, GError **error) {
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

/* Four digits say all that was measured, and a file with them can be read. */
static double rounded(double number) {
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  return number < 1e-12 ? 0 : g_ascii_strtod(g_ascii_formatd(digits, sizeof digits, "%.4g", number), NULL);
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
  tg_machine_give(&calibration->machine, &calibration->machine.processor.additions_per_s);
}

/* --- blocks that do not stay in the cache
 * ---------------------------------------------------------------------------*/

static const double least_cache_bytes = 64e3, most_cache_bytes = 4e9;

static double bytes_of(const TgCalibrationPlan *plan, double elements) {
  return elements * (double)tg_element_bytes(plan->options.element);
}

/* What a core uses from one use of a factor to the next: all blocks of a run, and the sum of a processor's products
 * once. */
static double between_bytes(const TgCalibrationSample *sample, const TgCalibrationPlan *plan) {
  const double m = (double)sample->block[0], n = (double)sample->block[1], k = (double)sample->block[2];
  const double turns = (double)tg_executor_turns(&sample->times.facts);
  return turns * bytes_of(plan, sample->probe.products * (m * k + k * n) + m * n);
}

/* Of a product's factors; its sum is used again sooner. */
static double factors_miss_s(const TgCalibration *calibration, const TgCalibrationPlan *plan,
                             const TgCalibrationSample *sample) {
  const double m = (double)sample->block[0], n = (double)sample->block[1], k = (double)sample->block[2];
  const double between = between_bytes(sample, plan);
  return tg_machine_miss_s(&calibration->machine, between, bytes_of(plan, m * k)) +
         tg_machine_miss_s(&calibration->machine, between, bytes_of(plan, k * n));
}

/* The time of a byte from far, of a cache of so many bytes, and at most so many of a block, with which the far samples'
 * times have the least relative errors; and the sum of their squares. */
static double miss_s_per_byte(TgCalibration *calibration, const TgCalibrationPlan *plan, double cache_bytes,
                              double most_bytes, double *squares) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  double with = 0, all = 0, near = 0;
  processor->cache_bytes = cache_bytes;
  processor->miss_most_bytes = most_bytes;
  processor->miss_bytes_per_s = 1;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (!sample->far || sample->left_out) continue;
    const double missed_bytes = factors_miss_s(calibration, plan, sample);
    const double part = missed_bytes / sample->product_s,
                 left = 1 - tg_calibration_product_s(calibration, sample) / sample->product_s;
    with += part * left;
    all += part * part;
    near += left * left;
  }
  const double s_per_byte = all > 0 ? fmax(with / all, 0) : 0;
  *squares = near - 2 * s_per_byte * with + s_per_byte * s_per_byte * all;
  return s_per_byte;
}

/** What the far samples say. */
typedef struct Misses {
  double cache_bytes, most_bytes, s_per_byte;
  double squares; /**< of the relative errors that are left */
} Misses;

/* Of all sizes of a cache, the one that fits best. */
static void try_most(TgCalibration *calibration, const TgCalibrationPlan *plan, double most_bytes, Misses *best) {
  for (double bytes = least_cache_bytes; bytes < most_cache_bytes; bytes *= 1.1) {
    double squares;
    const double s_per_byte = miss_s_per_byte(calibration, plan, bytes, most_bytes, &squares);
    if (s_per_byte > 0 && squares < best->squares * (1 - 1e-9))
      *best = (Misses){bytes, most_bytes, s_per_byte, squares};
  }
}

/* Products on the grid that was asked for against those with little memory. What a block costs grows up to the size of
 * one of them: of larger blocks than were measured, no more than of these. Where a cache makes no difference, there is
 * none in the file. */
static void fit_far(TgCalibration *calibration, const TgCalibrationPlan *plan) {
  TgMachineProcessor *processor = &calibration->machine.processor;
  Misses best = {.squares = INFINITY};
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    const double factor = (double)sample->block[0] * (double)sample->block[2];
    if (sample->far && !sample->left_out) try_most(calibration, plan, bytes_of(plan, factor), &best);
  }
  processor->cache_bytes = best.cache_bytes;
  processor->miss_most_bytes = best.most_bytes;
  processor->miss_bytes_per_s = best.s_per_byte > 0 ? 1 / best.s_per_byte : 0;
  if (best.s_per_byte == 0) return;
  tg_machine_give(&calibration->machine, &processor->cache_bytes);
  tg_machine_give(&calibration->machine, &processor->miss_bytes_per_s);
  tg_machine_give(&calibration->machine, &processor->miss_most_bytes);
}

static double far_s(const TgCalibration *calibration, const TgCalibrationPlan *plan,
                    const TgCalibrationSample *sample) {
  return sample->times.facts.at_once ? factors_miss_s(calibration, plan, sample) : 0;
}

/* --- fewer at work -------------------------------------------------------------------------------------------------*/

/* The speedup that fits the products' times best, by least squares of relative errors over all sizes; 0 without
 * samples. */
static double speedup_of(const TgCalibration *calibration, int32_t places) {
  double sum = 0, squares = 0;
  for (guint s = 0; s < calibration->samples->len; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->fewer != places || sample->left_out) continue;
    const double part = tg_calibration_product_s(calibration, sample) / sample->product_s;
    sum += part;
    squares += part * part;
  }
  return sum > 0 ? squares / sum : 0;
}

static void fit_fewer(TgCalibration *calibration) {
  TgMachineFewer *fewer = &calibration->machine.executor.speedup_with_fewer;
  for (int32_t places = 1, power = 0; power < TG_MACHINE_FEWER; power++, places *= 2) {
    const double speedup = rounded(speedup_of(calibration, places));
    if (speedup == 0) continue;
    fewer->row[fewer->rows++] = (TgMachineSpeedup){places, speedup};
  }
  if (fewer->rows) tg_machine_give(&calibration->machine, fewer);
}

/* --- the rest of a run ---------------------------------------------------------------------------------------------*/

static double steps_s(const TgCalibrationSample *sample) {
  return sample->times.multiply_s + (isnan(sample->times.move_s) ? 0 : sample->times.move_s);
}

/* On a GPU: what a run takes beside its steps. Where nothing is tiled, rounds and passes are always 1: all of it is the
 * launch. */
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

/* On the CPU: a run ends with its last thread, but its steps are means over all threads. The longer they are, the
 * further apart threads end, so a run takes a multiple of its steps, and the launch is what is left for runs without
 * any. */
static void fit_launch(TgCalibration *calibration) {
  double term[2 * MOST_SAMPLES], y[MOST_SAMPLES], weight[MOST_SAMPLES], value[2] = {0};
  int rows = 0;
  for (guint s = 0; s < calibration->samples->len && rows < MOST_SAMPLES; s++) {
    const TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->times.trials == 0) continue;
    term[2 * rows] = 1;
    term[2 * rows + 1] = steps_s(sample);
    y[rows] = sample->times.time_s;
    weight[rows++] = 1 / sample->times.time_s;
  }
  if (rows > 0) tg_least_squares(term, y, weight, rows, 2, value);
  calibration->machine.executor.launch_s = value[0];
}

/* Products and moves last until the last thread has ended: so that a sample's parts add up to the time of its run. */
static void stretch_steps(TgCalibration *calibration) {
  for (guint s = 0; s < calibration->samples->len; s++) {
    TgCalibrationSample *sample = sample_at(calibration, s);
    if (sample->times.trials == 0 || !(steps_s(sample) > 0)) continue;
    const double in_steps_s = sample->times.time_s - calibration->machine.executor.launch_s;
    const double stretch = fmax(in_steps_s / steps_s(sample), 1);
    sample->product_s *= stretch;
    sample->move_s *= stretch;
  }
}

static double fitted_pass_s(const TgCalibration *calibration, const TgCalibrationPlan *plan,
                            const TgCalibrationSample *sample) {
  const TgMachineProcessor *processor = &calibration->machine.processor;
  const double turns = (double)tg_executor_turns(&sample->times.facts);
  const double bytes = (double)sample->block_bytes;
  const double move_s = sample->probe.adds
                            ? tg_machine_sum_s(&calibration->machine, (double)(sample->block[0] * sample->block[1]))
                        : sample->near    ? processor->copy_s + bytes / processor->copy_bytes_per_s
                        : sample->sharing ? tg_link_shared_s(&calibration->machine.level[1], bytes, sample->sharing)
                                          : tg_link_s(&calibration->machine.link, bytes);
  const double moves_s = (double)tg_probe_moves(&sample->probe) * move_s;
  const double products_s =
      (tg_calibration_product_s(calibration, sample) + far_s(calibration, plan, sample)) * sample->probe.products;
  if (plan->kind->traits.overlaps) return fmax(products_s, moves_s);
  if (sample->far) return turns * products_s;
  if (sample->fewer) return products_s / tg_machine_speedup(&calibration->machine, sample->fewer);
  /* If the time of thin products is not known, it is the measured one: such samples are there for their moves. */
  const bool own = !has_products_alone(sample) && !sample->rest && !calibration->tiled &&
                   !tg_calibration_is_thin(calibration, sample);
  return turns * ((own ? sample->product_s * sample->probe.products : products_s) + moves_s);
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
    squares += pow(tg_calibration_held_out_s(calibration, sample) / sample->times.time_s - 1, 2);
    used++;
  }
  return used ? sqrt(squares / used) : 0;
}

static void round_link(TgMachineLink *link) {
  link->latency_s = rounded(link->latency_s);
  link->bandwidth_bytes_per_s = rounded(link->bandwidth_bytes_per_s);
  for (int32_t r = 0; r < link->protocols.rows; r++) {
    link->protocols.row[r].latency_s = rounded(link->protocols.row[r].latency_s);
    link->protocols.row[r].bandwidth_bytes_per_s = rounded(link->protocols.row[r].bandwidth_bytes_per_s);
  }
}

static void round_rates(TgMachineRates *rates) {
  for (int32_t r = 0; r < rates->rows; r++) {
    rates->row[r].size = rounded(rates->row[r].size);
    rates->row[r].flops_per_s = rounded(rates->row[r].flops_per_s);
  }
}

static void round_all(TgMachine *machine) {
  double *const numbers[] = {
      &machine->processor.additions_per_s,  &machine->processor.cache_bytes,      &machine->processor.miss_bytes_per_s,
      &machine->processor.miss_most_bytes,  &machine->processor.copy_s,           &machine->processor.copy_bytes_per_s,
      &machine->processor.a_elements_per_s, &machine->processor.b_elements_per_s, &machine->processor.c_elements_per_s,
      &machine->executor.launch_s,          &machine->executor.round_s,           &machine->executor.pass_s};
  for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) *numbers[i] = rounded(*numbers[i]);
  for (int i = 0; i < TG_MACHINE_RESTS; i++) {
    machine->processor.rest_rows.takes[i] = rounded(machine->processor.rest_rows.takes[i]);
    machine->processor.rest_columns.takes[i] = rounded(machine->processor.rest_columns.takes[i]);
  }
  round_link(&machine->link);
  round_link(&machine->level[1]);
  round_rates(&machine->processor.rate);
  round_rates(&machine->processor.deep_rate);
}

static void name_all(TgCalibration *calibration, const TgCalibrationPlan *plan) {
  TgMachine *machine = &calibration->machine;
  TgMachineExecutor *executor = &machine->executor;
  g_strlcpy(executor->on, plan->kind->name, sizeof executor->on);
  g_strlcpy(executor->transport, tg_transport_name(plan->options.transport), sizeof executor->transport);
  g_strlcpy(executor->type, tg_element_name(plan->options.element), sizeof executor->type);
  executor->processors = (double)plan->rows * plan->columns;
  for (guint s = 0; s < calibration->samples->len; s++)
    executor->at_once = fmax(executor->at_once, (double)sample_at(calibration, s)->times.facts.at_once);
  machine->port.ports = plan->kind->traits.fetches ? TG_PORTS_FETCH : TG_PORTS_ONE;
  const void *const fields[] = {&machine->residual,
                                &machine->link.latency_s,
                                &machine->link.bandwidth_bytes_per_s,
                                &machine->port.ports,
                                executor->on,
                                executor->transport,
                                executor->type,
                                &executor->processors,
                                &executor->launch_s,
                                &executor->round_s,
                                &executor->pass_s};
  for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) tg_machine_give(machine, fields[i]);
  if (executor->at_once > 0) tg_machine_give(machine, &executor->at_once);
}

bool tg_calibration_fit(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error) {
  calibration->machine = (TgMachine){.processor.memory_bytes = INFINITY};
  for (int t = 0; t < TG_TIER_KINDS; t++) calibration->machine.tier[t].capacity_bytes = INFINITY;
  if (plan->kind->on_gpu) {
    fit_rest(calibration);
  } else {
    fit_launch(calibration);
    stretch_steps(calibration);
  }
  if (!tg_calibration_fit_products(calibration, plan, error)) return false;
  if (!tg_calibration_fit_links(calibration, plan, error)) return false;
  fit_additions(calibration);
  fit_far(calibration, plan);
  round_all(&calibration->machine);
  name_all(calibration, plan);
  fit_fewer(calibration);
  calibration->machine.residual = fmin(rounded(fit_samples(calibration, plan)), 0.99);
  calibration->machine.spread = fmin(rounded(calibration->spread), 0.99);
  if (!plan->kind->on_gpu) tg_machine_give(&calibration->machine, &calibration->machine.spread);
  return true;
}

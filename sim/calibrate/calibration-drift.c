/* Whether a machine is still as it was when it was calibrated. */
#include "calibration-private.h"

#include <math.h>

enum {
  USUAL_SIZE = 144, /* of a product: long enough to time, and the BLAS does not take more threads for it yet */
  MOVED_SIZE = 48   /* of a block that moves: it is in the cache of who had it */
};
static const double budget_s = 0.05;

/* The calibrated size nearest to the usual one. */
static int64_t size_of(const TgMachineRates *rates) {
  double best = 0;
  for (int32_t r = 0; r < rates->rows; r++) {
    const double size = rates->row[r].size;
    if (best == 0 || fabs(log(size / USUAL_SIZE)) < fabs(log(best / USUAL_SIZE))) best = size;
  }
  return (int64_t)best;
}

static TgProbe products_of(int64_t columns, int64_t size) {
  return tg_calibration_products(1, (int32_t)columns, PRODUCTS, size, size, size);
}

/* As many processors as work at once where there are at least as many as were calibrated. */
static bool find_facts(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options,
                       TgExecutorFacts *facts) {
  const int64_t size = size_of(&machine->processor.rate);
  const TgProbe probe = products_of((int64_t)fmax(machine->executor.processors, 1), size);
  return size >= 1 && tg_probe_facts(kind, options, &probe, facts, NULL);
}

static double products_drift(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options,
                             int64_t places) {
  const TgProbe probe = products_of(places, size_of(&machine->processor.rate));
  TgProbeTimes times;
  if (!tg_probe_run(kind, options, &probe, budget_s, &times, NULL)) return NAN;
  const double products = PRODUCTS * (double)tg_executor_turns(&times.facts);
  TgMachine at_work = *machine;
  tg_machine_set_at_once(&at_work, (double)times.facts.at_once);
  const double product_s = tg_machine_product_s(&at_work, probe.m, probe.m, probe.m);
  return times.time_s / (machine->executor.launch_s + products * product_s);
}

static double moves_drift(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options,
                          int32_t places) {
  const TgProbe probe = tg_calibration_moves(kind, options, places, MOVED_SIZE);
  TgProbeTimes times;
  if (!tg_probe_run(kind, options, &probe, budget_s, &times, NULL) || !(times.move_s > 0)) return 1;
  const double bytes = (double)(MOVED_SIZE * MOVED_SIZE * tg_element_bytes(options->element));
  const double drift =
      times.move_s / (double)(times.facts.passes * tg_probe_moves(&probe)) / tg_link_s(&machine->link, bytes);
  return fabs(log(drift)) > log1p(tg_machine_error(machine)) ? drift : 1;
}

TgDrift tg_calibration_drift(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options) {
  const TgExecutorOptions own = {.element = options->element,
                                 .transport = options->transport,
                                 .device = options->device,
                                 .deadline_s = options->deadline_s,
                                 .memory_limit_bytes = options->memory_limit_bytes};
  TgExecutorFacts facts;
  TgDrift drift = {NAN, 1};
  if (kind->on_gpu || !tg_machine_is_measured(machine) || !find_facts(machine, kind, &own, &facts)) return drift;
  const int64_t places = MIN(facts.at_once, facts.processors);
  drift.products = products_drift(machine, kind, &own, places);
  if (places > 1 && !facts.host) drift.moves = moves_drift(machine, kind, &own, (int32_t)places);
  return drift;
}

void tg_calibration_apply_drift(TgMachine *machine, TgDrift drift) {
  tg_machine_scale_rates(machine, 1 / drift.products);
  tg_machine_stretch_link(&machine->link, drift.moves);
}

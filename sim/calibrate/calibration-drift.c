/* Whether a machine is still as it was when it was calibrated. */
#include "calibration-private.h"

#include <math.h>

enum { USUAL_SIZE = 144 /* of a product: long enough to time, and the BLAS does not take more threads for it yet */ };
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

static TgProbe probe_of(int64_t columns, int64_t size) {
  return tg_calibration_products(1, (int32_t)columns, PRODUCTS, size, size, size);
}

/* As many processors as work at once where there are at least as many as were calibrated. */
static bool find_probe(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options,
                       TgProbe *probe) {
  const int64_t size = size_of(&machine->processor.rate);
  TgExecutorFacts facts;
  *probe = probe_of((int64_t)fmax(machine->executor.processors, 1), size);
  if (size < 1 || !tg_probe_facts(kind, options, probe, &facts, NULL)) return false;
  *probe = probe_of(MIN(facts.at_once, facts.processors), size);
  return true;
}

double tg_calibration_drift(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options) {
  TgExecutorOptions own = {.element = options->element,
                           .transport = options->transport,
                           .device = options->device,
                           .deadline_s = options->deadline_s,
                           .memory_limit_bytes = options->memory_limit_bytes};
  TgProbe probe;
  TgProbeTimes times;
  if (kind->on_gpu || !tg_machine_is_measured(machine) || !find_probe(machine, kind, &own, &probe) ||
      !tg_probe_run(kind, &own, &probe, budget_s, &times, NULL))
    return NAN;
  const double products = PRODUCTS * (double)tg_executor_turns(&times.facts);
  TgMachine at_work = *machine;
  tg_machine_set_at_once(&at_work, (double)times.facts.at_once);
  const double product_s = tg_machine_product_s(&at_work, probe.m, probe.m, probe.m);
  return times.time_s / (machine->executor.launch_s + products * product_s);
}

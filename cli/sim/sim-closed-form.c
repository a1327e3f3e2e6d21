/* The literature's closed form beside a prediction. */
#include "sim.h"

#include "algo-library.h"
#include "phase.h"

#include <math.h>

static bool set_values(const TgSimRun *run, TgFormulaValues *values, GError **error) {
  TgMachineLink link = tg_machine_link(&run->machine, &run->network, 0, 0);
  const TgProductSize product = tg_largest_product(&run->problem.schedule, &run->shape);
  const double flops_per_s = tg_machine_flops_per_s(&run->machine, product.m, product.n, product.k);
  return tg_formula_values_schedule(values, &run->problem.schedule, &run->problem.names, error) &&
         tg_formula_values_sizes(values, run->shape.m, run->shape.n, run->shape.k, error) &&
         tg_formula_values_machine(values, link.latency_s, 1 / link.bandwidth_bytes_per_s, link.per_hop_s,
                                   tg_element_bytes(run->element), flops_per_s, error);
}

static bool evaluate(TgSimRun *run, GError **error) {
  TgFormulaValues values = {0};
  double communication_s, compute_s;
  if (!set_values(run, &values, error) || !tg_formula_check(run->formula, &values, error)) return false;
  if (!tg_formula_evaluate(run->formula, TG_FORMULA_COMMUNICATION, &values, &communication_s, error)) return false;
  if (!tg_formula_evaluate(run->formula, TG_FORMULA_COMPUTE, &values, &compute_s, error)) return false;
  run->closed_form_communication_s = communication_s;
  run->closed_form_compute_s = compute_s;
  run->closed_form_s = communication_s + compute_s;
  return true;
}

void tg_sim_closed_form(TgSimRun *run) {
  g_autoptr(GError) error = NULL;
  const TgLibraryEntry *entry = tg_library_formula(tg_problem_name(&run->problem));
  run->closed_form_s = run->closed_form_communication_s = run->closed_form_compute_s = NAN;
  /* A file that only bears a library schedule's name is another schedule. */
  if (!entry || run->problem.bytes) return;
  run->formula = tg_formula_parse(entry->text, entry->length, &error);
  if (!run->formula || !evaluate(run, &error)) run->closed_form_why = g_strdup(error->message);
}

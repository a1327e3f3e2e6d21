/* The planner: what holds for every place that it ranks: its prediction, its proof, bounds that are none too high. */
#include "plan-case.h"
#include "prove.h"

static void check_place(const Fixture *f, const TgPlanPlace *at) {
  TgSchedule schedule = *at->source->schedule;
  TgShape shape;
  TgTopology network;
  TgProof proof;
  TgCost cost;
  const TgPlanRequest *request = &f->request;
  const TgCostOptions options = {.model = request->model,
                                 .collective = at->collective,
                                 .overlap = request->overlap,
                                 .straggler = -1,
                                 .element_bytes = 4};
  g_assert_true(tg_schedule_bind(&schedule, at->source->names, &at->bindings, NULL));
  g_assert_true(
      tg_prove(&schedule, at->source->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k, &proof));
  const double bytes = 4.0 * (double)proof.counts.words_per_processor_max;
  g_assert_cmpfloat(at->memory_bound_bytes, >=, bytes);
  if (at->memory_proved)
    g_assert_cmpfloat(at->bytes_per_processor, ==, bytes);
  else
    g_assert_cmpfloat(at->bytes_per_processor, >=, bytes);
  g_assert_cmpint(at->processors, <=, request->processors);
  g_assert_true(tg_topology_parse(&network, at->topology, NULL));
  g_assert_true(tg_shape_init(&shape, &schedule.computes, request->m, request->n, request->k, NULL));
  g_assert_true(tg_cost_predict(&schedule, at->source->names, &shape, &network, at->embedding, request->machine,
                                &options, &cost, NULL));
  if (!at->rounded) g_assert_cmpfloat_with_epsilon(at->predicted_s, cost.time_s, 1e-12 * cost.time_s);
  if (at->bound_s > cost.time_s)
    g_error("%s on %s (%s): bound %.17g, predicted %.17g", at->source->name, at->grid, at->parameters, at->bound_s,
            cost.time_s);
  tg_cost_clear(&cost);
}

static void check_all(gint64 n, gint64 processors, const char *machine, TgCostModel model, bool overlap) {
  Fixture *f = fixture(n, processors, machine);
  add_library(f);
  f->request.model = model;
  f->request.overlap = overlap;
  plan(f);
  g_assert_cmpuint(f->plan.ranked->len, >, 0);
  for (guint i = 0; i < f->plan.ranked->len; i++) {
    check_place(f, place(f, i));
    if (i) g_assert_cmpfloat(place(f, i)->predicted_s, >=, place(f, i - 1)->predicted_s * (1 - 1e-12));
    g_assert_cmpuint(strlen(place(f, i)->why), >, 0);
  }
  fixture_free(f);
}

static void test_every_place(void) {
  static const char *const machines[] = {"", "[port]\nports = all\n"};
  static const gint64 sizes[] = {7, 24}, processors[] = {7, 12, 27};
  for (gsize machine = 0; machine < G_N_ELEMENTS(machines); machine++)
    for (gsize n = 0; n < G_N_ELEMENTS(sizes); n++)
      for (gsize p = 0; p < G_N_ELEMENTS(processors); p++)
        for (int overlap = 0; overlap < 2; overlap++)
          check_all(sizes[n], processors[p], machines[machine], TG_COST_HOCKNEY, overlap);
}

static void test_every_model(void) {
  for (int model = 0; model < TG_COST_MODELS; model++) check_all(24, 16, "", (TgCostModel)model, true);
}

static void check_pruning(gint64 n, gint64 processors, bool overlap) {
  Fixture *all = fixture(n, processors, NULL), *few = fixture(n, processors, NULL);
  add_library(all);
  add_library(few);
  few->request.top = 3;
  few->request.overlap = all->request.overlap = overlap;
  plan(all);
  plan(few);
  g_assert_cmpint(few->plan.pruned, >, 0);
  g_assert_cmpint(all->plan.pruned, ==, 0);
  for (guint i = 0; i < 3; i++)
    assert_place(few, i, place(all, i)->source->name, place(all, i)->grid, place(all, i)->predicted_s);
  fixture_free(all);
  fixture_free(few);
}

/* The first places are the same, whether or not bounds rule out the rest. */
static void test_pruning(void) {
  static const gint64 sizes[] = {24, 96};
  for (gsize n = 0; n < G_N_ELEMENTS(sizes); n++)
    for (gint64 processors = 9; processors <= 16; processors += 7)
      for (int overlap = 0; overlap < 2; overlap++) check_pruning(sizes[n], processors, overlap);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan/every-place", test_every_place);
  g_test_add_func("/plan/every-model", test_every_model);
  g_test_add_func("/plan/pruning", test_pruning);
  return g_test_run();
}

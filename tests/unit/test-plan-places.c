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
                                 .collective = TG_COLLECTIVE_AUTO,
                                 .overlap = request->overlap,
                                 .straggler = -1,
                                 .element_bytes = 4};
  g_assert_true(tg_schedule_bind(&schedule, at->source->names, &at->bindings, NULL));
  g_assert_true(
      tg_prove(&schedule, at->source->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k, &proof));
  const double bytes = 4.0 * (double)proof.counts.words_per_processor_max + at->places_bytes;
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

static void check_ranking(Fixture *f) {
  plan(f);
  g_assert_cmpuint(f->plan.ranked->len, >, 0);
  for (guint i = 0; i < f->plan.ranked->len; i++) {
    check_place(f, place(f, i));
    if (i) g_assert_cmpfloat(place(f, i)->predicted_s, >=, place(f, i - 1)->predicted_s * (1 - 1e-12));
    g_assert_cmpuint(strlen(place(f, i)->why), >, 0);
  }
}

static void check_all(gint64 n, gint64 processors, const char *machine, TgCostModel model, bool overlap) {
  Fixture *f = fixture(n, processors, machine);
  add_library(f);
  f->request.model = model;
  f->request.overlap = overlap;
  check_ranking(f);
  fixture_free(f);
}

static void test_every_place(void) {
  static const char *const machines[] = {"", "[port]\nports = all\n"};
  static const gint64 sizes[] = {7, 24}, processors[] = {7, 12, 27};
  int number = 0;
  for (gsize machine = 0; machine < G_N_ELEMENTS(machines); machine++)
    for (gsize n = 0; n < G_N_ELEMENTS(sizes); n++)
      for (gsize p = 0; p < G_N_ELEMENTS(processors); p++)
        for (int overlap = 0; overlap < 2; overlap++)
          if (number++ % EACH_OF == 0) check_all(sizes[n], processors[p], machines[machine], TG_COST_HOCKNEY, overlap);
}

static const char *const every_port[] = {"",
                                         "[port]\nports = all\n",
                                         "[port]\noverhead_s = 3\ngap_s = 2\n",
                                         "[port]\nports = all\noverhead_s = 3\ngap_s = 2\n",
                                         "[port]\noverhead_s = 3\ngap_s = 2\nreceives = arrival\n",
                                         "[port]\nports = all\noverhead_s = 3\nreceives = arrival\n"};

static void test_every_model(void) {
  static const gint64 sizes[] = {7, 24}, processors[] = {6, 9};
  int number = 0;
  for (int model = 0; model < TG_COST_MODELS; model++)
    for (gsize port = 0; port < G_N_ELEMENTS(every_port); port++)
      for (int overlap = 0; overlap < 2; overlap++)
        for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++)
          if (number++ % EACH_OF == 0)
            check_all(sizes[i], processors[i], every_port[port], (TgCostModel)model, overlap);
}

/* Three send to one at once, which holds up senders that wait for their messages, and in `loggp` only the receiver:
 * first processor 0, then processor 1, to which 0 sends nothing. */
static void test_many_to_one(void) {
  static const char text[] = "schedule fan\n"
                             "grid i:p\n"
                             "place A(0,i) on (i)\n"
                             "place B(i,0) on (i)\n"
                             "place C(0,0) on (0)\n"
                             "repeat s in 4\n"
                             "  T = A * B\n"
                             "  add T to (0) into D[s]\n"
                             "repeat s in 4\n"
                             "  T = A * B\n"
                             "  add T to ((i+3)/4) into E[s]\n"
                             "copy D[0] into C where i == 0\n";
  for (int model = 0; model < TG_COST_MODELS; model++)
    for (gsize port = 0; port < G_N_ELEMENTS(every_port); port++) {
      Fixture *f = fixture(24, 4, every_port[port]);
      f->machine.processor.flops_per_s = 1e6;
      f->request.model = (TgCostModel)model;
      add_text(f, text, strlen(text), true);
      check_ranking(f);
      fixture_free(f);
    }
}

/* Along a line of all processors: a root deals out, all get all, a root collects. */
static void test_lines(void) {
  static const char deal[] = "schedule deal\n"
                             "grid i:p\n"
                             "place A(i,0) on (0) as S[i]\n"
                             "place B(0,0) on (0)\n"
                             "place C(i,0) on (i)\n"
                             "scatter S along i from 0 into A\n"
                             "broadcast B along i from 0\n"
                             "C = A * B\n";
  static const char share[] = "schedule share\n"
                              "grid i:p\n"
                              "place A(i,0) on (i)\n"
                              "place B(0,i) on (i) as P\n"
                              "place C(i,t) on (i) as C[t] for t in p\n"
                              "allgather P along i into B\n"
                              "repeat s in p\n"
                              "  C[s] = A * B[s]\n";
  static const char collect[] = "schedule collect\n"
                                "grid i:p\n"
                                "place A(i,0) on (i)\n"
                                "place B(0,0) on (i)\n"
                                "place C(i,0) on (0) as D[i]\n"
                                "C = A * B\n"
                                "gather C along i to 0 into D\n";
  static const struct {
    const char *text;
    gint64 n, k;
  } cases[] = {{deal, 1, 40}, {deal, 40, 1}, {share, 40, 1}, {share, 400, 1}, {collect, 1, 1}, {collect, 40, 1}};
  static const TgCostModel models[] = {TG_COST_HOCKNEY, TG_COST_LOGGP};
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c++)
    for (gsize port = 0; port < G_N_ELEMENTS(every_port); port++)
      for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
        Fixture *f = fixture(40, 40, every_port[port]);
        f->request.n = cases[c].n;
        f->request.k = cases[c].k;
        f->machine.processor.flops_per_s = 1e9;
        f->request.model = models[m];
        add_text(f, cases[c].text, strlen(cases[c].text), true);
        check_ranking(f);
        fixture_free(f);
      }
}

/* Links of several levels: what bounds the other models there bounds these, too, and rules out no better place. */
static void test_levels(void) {
  static const char *const networks[] = {"full:4*full:4", "ring:4*full:4"};
  static const char *const schedules[] = {"cannon", "summa", "cube3d", "cosma"};
  static const TgCostModel models[] = {TG_COST_FORWARD, TG_COST_FLOW};
  for (gsize network = 0; network < G_N_ELEMENTS(networks); network += EACH_OF)
    for (gsize model = 0; model < G_N_ELEMENTS(models); model++) {
      TgError error;
      Fixture *all = fixture(24, 16, NULL), *one = fixture(24, 16, NULL);
      Fixture *const both[] = {all, one};
      one->request.top = 1;
      for (gsize f = 0; f < G_N_ELEMENTS(both); f++) {
        g_assert_true(tg_topology_parse(&both[f]->network, networks[network], &error));
        both[f]->request.network = &both[f]->network;
        both[f]->request.model = models[model];
        for (gsize s = 0; s < G_N_ELEMENTS(schedules); s++) add(both[f], schedules[s]);
      }
      check_ranking(all);
      plan(one);
      g_assert_cmpint(one->plan.pruned, >, 0);
      assert_place(one, 0, place(all, 0)->source->name, place(all, 0)->grid, place(all, 0)->predicted_s);
      fixture_free(all);
      fixture_free(one);
    }
}

/* With as much memory as a place holds by its proof, it is still there: no bound on memory is too high. `text`: a
 * schedule, or NULL for the library. */
static void check_memory(const char *text, gint64 size, gint64 columns, gint64 processors) {
  Fixture *all = fixture(size, processors, NULL), *some = fixture(size, processors, NULL);
  Fixture *const both[] = {all, some};
  for (gsize f = 0; f < G_N_ELEMENTS(both); f++) {
    both[f]->request.n = columns;
    if (text)
      add_text(both[f], text, strlen(text), true);
    else
      add_library(both[f]);
  }
  plan(all);
  g_assert_cmpuint(all->plan.ranked->len, >, 0);
  for (guint i = 0; i < all->plan.ranked->len; i += EACH_OF) {
    const TgPlanPlace *at = place(all, i);
    TgSchedule schedule = *at->source->schedule;
    TgProof proof;
    g_assert_true(tg_schedule_bind(&schedule, at->source->names, &at->bindings, NULL));
    g_assert_true(tg_prove(&schedule, at->source->names, TG_COLLECTIVE_WHOLE, size, columns, size, &proof));
    some->request.memory_bytes = 4.0 * (double)proof.counts.words_per_processor_max + at->places_bytes;
    plan(some);
    const TgPlanPlace *again = place(some, number_of(some, at->source->name, at->grid));
    g_assert_cmpfloat_with_epsilon(again->predicted_s, at->predicted_s, 1e-12 * at->predicted_s);
  }
  fixture_free(all);
  fixture_free(some);
}

/* In the first schedule the slots that are filled depend on the processor, and the one with most slots has no blocks;
 * in the second they are empty sums. */
static void test_memory(void) {
  check_memory("schedule slots\ngrid i:p\nrequire p == 2\nplace A(0,0) on (0)\nplace B(0,0), C(0,0) on (1)\n"
               "broadcast A along i from 0 into X\nrepeat s in 8\n  copy X into S[s*(1-i)]\nC += X * B where i == 1\n",
               8, 32, 2);
  check_memory("schedule empty\ngrid i:p\nplace A(0,i), B(i,0) on (i)\nplace C(0,0) on (0)\nzero Z\nrepeat s in 8\n"
               "  copy Z into D[s]\nC += A * B\ncopy C into D[0]\nreduce C along i to 0\n",
               24, 24, 4);
  check_memory(NULL, 24, 24, 8);
  check_memory(NULL, 7, 7, 6);
}

static void check_pruning(gint64 n, gint64 processors, bool overlap) {
  Fixture *all = fixture(n, processors, NULL), *few = fixture(n, processors, NULL);
  add_library(all);
  add_library(few);
  few->request.top = 3;
  few->request.overlap = all->request.overlap = overlap;
  plan(all);
  plan(few);
  g_assert_cmpint(few->plan.pruned, >, all->plan.pruned); /* which has those that cannot be the first */
  for (guint i = 0; i < 3; i++)
    assert_place(few, i, place(all, i)->source->name, place(all, i)->grid, place(all, i)->predicted_s);
  fixture_free(all);
  fixture_free(few);
}

/* The first places are the same, whether or not bounds rule out the rest. */
static void test_pruning(void) {
  static const struct { gint64 n, processors; } cases[] = {{24, 9}, {24, 16}, {96, 9}};
  for (gsize c = 0; c < G_N_ELEMENTS(cases); c += EACH_OF)
    for (int overlap = 0; overlap < 2; overlap++) check_pruning(cases[c].n, cases[c].processors, overlap);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/plan/every-place", test_every_place);
  g_test_add_func("/plan/every-model", test_every_model);
  g_test_add_func("/plan/many-to-one", test_many_to_one);
  g_test_add_func("/plan/lines", test_lines);
  g_test_add_func("/plan/levels", test_levels);
  g_test_add_func("/plan/memory-bounds", test_memory);
  g_test_add_func("/plan/pruning", test_pruning);
  return g_test_run();
}

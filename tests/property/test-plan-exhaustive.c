/* The planner against every schedule of the library on every grid, with every parameter, collective and embedding, each
 * predicted as `sim` does: place 1 is the fastest where the plan is certain, and else no further off than it says. */
#include "algo-library.h"
#include "buffer-uses.h"
#include "plan.h"
#include "prove.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SCHEDULES = 64 };

static const double full_budget_s = 60; /* in which a plan is certain but for a few */

typedef struct Library {
  TgSchedule schedule[SCHEDULES];
  TgScheduleNames names[SCHEDULES];
  TgPlanSource source[SCHEDULES];
  int count;
} Library;

typedef struct Case {
  TgMachine machine;
  TgTopology network;
  TgPlanRequest request;
  char *text; /* what it is, for the message */
} Case;

/* The fastest of all, and how many were predicted. */
typedef struct Fastest {
  double time_s;
  char *what;
  int predicted;
} Fastest;

static Library library;

static void open_library(void) {
  gsize count;
  TgError error;
  const TgLibraryEntry *entries = tg_library_list(&count);
  g_assert_cmpint(count, <=, SCHEDULES);
  for (gsize e = 0; e < count; e++) {
    TgSchedule *schedule = &library.schedule[library.count];
    TgScheduleNames *names = &library.names[library.count];
    if (!tg_schedule_parse(schedule, names, entries[e].text, entries[e].length, &error)) g_error("%s", error.message);
    if (schedule->computes.right != TG_MATRIX_B || schedule->computes.left != TG_MATRIX_A) continue;
    library.source[library.count++] = (TgPlanSource){schedule, names, entries[e].name, true};
  }
}

static void predict(const Case *at, const TgPlanSource *source, const TgSchedule *schedule, Fastest *fastest) {
  const TgPlanRequest *request = &at->request;
  TgShape shape;
  TgTopology network = at->network;
  if (!request->network &&
      !tg_topology_of_kind(&network, request->network_kind, schedule->dims, schedule->extent, NULL))
    return;
  if (!request->network && tg_schedule_processors(schedule) > 1 && network.nodes != tg_schedule_processors(schedule))
    return; /* as plan has it: no hypercube of 16 for nine */
  g_assert_true(tg_shape_init(&shape, &schedule->computes, request->m, request->n, request->k, NULL));
  for (int collective = TG_COLLECTIVE_AUTO; collective < TG_COLLECTIVES; collective++)
    for (int embedding = 0; embedding < TG_EMBEDDING_KINDS; embedding++) {
      TgEmbedding unused;
      TgCost cost;
      const TgCostOptions options = {.model = request->model,
                                     .collective = (TgCollective)collective,
                                     .overlap = request->overlap,
                                     .buffers = request->buffers,
                                     .straggler = -1,
                                     .most_s = isinf(fastest->time_s) ? 0 : fastest->time_s,
                                     .element_bytes = request->element_bytes};
      if (!tg_embedding_init(&unused, (TgEmbeddingKind)embedding, schedule->dims, schedule->extent, &network, NULL))
        continue;
      if (!tg_cost_predict(schedule, source->names, &shape, &network, (TgEmbeddingKind)embedding, request->machine,
                           &options, &cost, NULL))
        continue;
      fastest->predicted++;
      if (cost.time_s < fastest->time_s) {
        fastest->time_s = cost.time_s;
        g_free(fastest->what);
        fastest->what = g_strdup_printf("%s on %s, %s, %s", source->name, tg_schedule_grid_text(schedule).s,
                                        tg_collective_name((TgCollective)collective), tg_embedding_name(embedding));
      }
      tg_cost_clear(&cost);
    }
}

static bool fits(const Case *at, const TgPlanSource *source, const TgSchedule *schedule) {
  const TgPlanRequest *request = &at->request;
  TgProof proof;
  if (isinf(request->memory_bytes)) return true;
  g_assert_true(tg_prove(schedule, source->names, TG_COLLECTIVE_WHOLE, request->m, request->n, request->k, &proof));
  bool travels[TG_MAX_STATEMENTS];
  tg_statements_travel(schedule, travels);
  const TgPlacesHeld places = tg_places_held(schedule, travels, tg_cost_places(request->overlap, request->buffers),
                                             request->m, request->n, request->k);
  return ((double)proof.counts.words_per_processor_max + places.elements) * (double)request->element_bytes <=
         request->memory_bytes;
}

static bool is_extent(const TgSchedule *schedule, int parameter) {
  for (int c = 0; c < schedule->dims; c++)
    if (tg_extent_parameter(schedule, c) == parameter) return true;
  return false;
}

static void find_blocks(const TgSchedule *schedule, int32_t blocks[3]) {
  blocks[0] = schedule->blocks[TG_MATRIX_C][0];
  blocks[1] = schedule->blocks[TG_MATRIX_C][1];
  blocks[2] = schedule->inner;
}

/* The fewest blocks along each side on the same grid, whatever the parameters that are no extents. */
static void find_coarsest(const Case *at, const TgPlanSource *source, int parameter, TgBindings *bindings,
                          int32_t coarsest[3]) {
  TgSchedule schedule = *source->schedule;
  int32_t blocks[3];
  while (parameter < schedule.parameters &&
         (schedule.parameter_kind[parameter] == TG_PARAMETER_DERIVED || is_extent(&schedule, parameter)))
    parameter++;
  if (parameter < schedule.parameters) {
    for (int64_t value = 1; value <= MAX(at->request.processors, 8); value++) {
      tg_bindings_set(bindings, tg_name(source->names, source->names->parameter[parameter]), value, NULL);
      find_coarsest(at, source, parameter + 1, bindings, coarsest);
    }
    return;
  }
  if (!tg_schedule_bind(&schedule, source->names, bindings, NULL)) return;
  find_blocks(&schedule, blocks);
  for (int side = 0; side < 3; side++) coarsest[side] = MIN(coarsest[side], blocks[side]);
}

/* As plan has it: parameters that are no extents cut no side into more blocks than it has elements. */
static bool is_too_fine(const Case *at, const TgPlanSource *source, const TgSchedule *schedule,
                        const TgBindings *bindings) {
  const int64_t sizes[] = {at->request.m, at->request.n, at->request.k};
  int32_t blocks[3], coarsest[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  TgBindings other = *bindings;
  find_blocks(schedule, blocks);
  if (blocks[0] <= sizes[0] && blocks[1] <= sizes[1] && blocks[2] <= sizes[2]) return false;
  find_coarsest(at, source, 0, &other, coarsest);
  for (int side = 0; side < 3; side++)
    if (blocks[side] > sizes[side] && blocks[side] > coarsest[side]) return true;
  return false;
}

/* All values from 1 to P of all parameters that can be given; of those that are no extents, as plan has it, the small
 * ones and the divisors of the number of processors. */
static void try_values(const Case *at, const TgPlanSource *source, int parameter, TgBindings *bindings,
                       Fastest *fastest) {
  TgSchedule schedule = *source->schedule;
  if (parameter < schedule.parameters) {
    const bool derived = schedule.parameter_kind[parameter] == TG_PARAMETER_DERIVED;
    for (int64_t value = 1; value <= (derived ? 1 : MAX(at->request.processors, 8)); value++) {
      if (!derived)
        g_assert_true(
            tg_bindings_set(bindings, tg_name(source->names, source->names->parameter[parameter]), value, NULL));
      try_values(at, source, parameter + 1, bindings, fastest);
    }
    return;
  }
  if (!tg_schedule_bind_values(&schedule, source->names, bindings, NULL)) return;
  const int64_t processors = tg_schedule_processors(&schedule);
  if (processors > at->request.processors) return;
  for (int p = 0; p < schedule.parameters; p++)
    if (schedule.parameter_kind[p] != TG_PARAMETER_DERIVED && !is_extent(&schedule, p) && schedule.parameter[p] > 8 &&
        processors % schedule.parameter[p])
      return;
  if (tg_schedule_bind(&schedule, source->names, bindings, NULL) && !is_too_fine(at, source, &schedule, bindings) &&
      fits(at, source, &schedule))
    predict(at, source, &schedule, fastest);
}

/* Returns the file. */
static char *random_machine(GRand *rand, TgMachine *machine) {
  static const char *const tiles[] = {"", "tile_rows = 4\ntile_columns = 8\n",
                                      "rest_rows = 1:2; 2:3\nrest_columns = 1:1.5; 2:5; 4:4\n"};
  static const char *const ports[] = {"",
                                      "",
                                      "[port]\nports = all\n",
                                      "[port]\noverhead_s = 1e-6\ngap_s = 2e-6\n",
                                      "[port]\noverhead_s = 1e-6\ngap_s = 2e-6\nreceives = arrival\n",
                                      "[port]\nports = all\noverhead_s = 1e-6\nreceives = arrival\n"};
  TgError error;
  const double flops_per_s = pow(10, g_rand_double_range(rand, 8, 12));
  g_autofree char *processor =
      g_rand_boolean(rand) ? g_strdup_printf("flops_per_s = %.3e\n%s", flops_per_s,
                                             tiles[g_rand_int_range(rand, 0, G_N_ELEMENTS(tiles))])
      : g_rand_boolean(rand)
          ? g_strdup_printf("rate = 2:%.3e; 8:%.3e; 32:%.3e\n%s%.3e%s", flops_per_s / 10, flops_per_s / 2, flops_per_s,
                            "deep_rate = 4:", flops_per_s, g_rand_boolean(rand) ? "; 16:1e8\n" : "\n")
          : g_strdup_printf("rate = 2:%.3e; 8:%.3e; 32:%.3e\na_elements_per_s = %.3e\nadditions_per_s = %.3e",
                            flops_per_s, flops_per_s * 2, flops_per_s / 3, flops_per_s / 50, flops_per_s / 20);
  char *text = g_strdup_printf(
      "[machine]\nname = test\nsource = test\n[link]\nlatency_s = %.3e\nbandwidth_bytes_per_s = %.3e\n%s"
      "%s%s[processor]\n%s\n",
      pow(10, g_rand_double_range(rand, -8, -4)), pow(10, g_rand_double_range(rand, 8, 11)),
      g_rand_int_range(rand, 0, 3) ? "" : "protocols = 128:1e-6:1e10\n",
      g_rand_boolean(rand) ? "per_hop_s = 1e-7\n" : "", ports[g_rand_int_range(rand, 0, G_N_ELEMENTS(ports))],
      processor);
  if (!tg_machine_parse(machine, text, strlen(text), &error)) g_error("%s", error.message);
  return text;
}

/* Mostly more than processors along any axis; of thin matrices blocks may be empty. */
static int64_t random_size(GRand *rand) {
  return g_rand_int_range(rand, 0, 4) ? g_rand_int_range(rand, 4, 40) : g_rand_int_range(rand, 1, 8);
}

static Case *random_case(GRand *rand) {
  static const char *const networks[] = {"torus", "mesh", "switch", "ring", "full", "hypercube"};
  static const char *const levelled[] = {"switch:2*switch:4",  "torus:2x2*switch:2", "switch:3*torus:2x2",
                                         "switch:2*spine:4x2", "switch:2*ecmp:3x2",  "switch:2*dragonfly:3x2"};
  Case *at = g_new0(Case, 1);
  const bool levels = g_rand_int_range(rand, 0, 5) == 0;
  const char *network = levels ? levelled[g_rand_int_range(rand, 0, G_N_ELEMENTS(levelled))]
                               : networks[g_rand_int_range(rand, 0, G_N_ELEMENTS(networks))];
  g_autofree char *text = random_machine(rand, &at->machine);
  at->request = (TgPlanRequest){.m = random_size(rand),
                                .n = random_size(rand),
                                .k = random_size(rand),
                                .element_bytes = g_rand_boolean(rand) ? 4 : 8,
                                .processors = g_rand_int_range(rand, 2, g_rand_int_range(rand, 0, 8) ? 13 : 28),
                                .machine = &at->machine,
                                .memory_bytes = INFINITY,
                                .model = (TgCostModel)g_rand_int_range(rand, 0, TG_COST_MODELS),
                                .overlap = g_rand_boolean(rand),
                                .buffers = g_rand_int_range(rand, 0, 4),
                                .top = g_rand_int_range(rand, 1, 12),
                                .budget_s = g_rand_int_range(rand, 0, 4) ? full_budget_s
                                                                         : pow(10, g_rand_double_range(rand, -4, -1))};
  if (levels) {
    g_assert_true(tg_topology_parse(&at->network, network, NULL));
    at->request.network = &at->network;
    at->request.processors = at->network.nodes;
  } else {
    g_assert_true(tg_network_kind_parse(network, &at->request.network_kind));
  }
  TgPlanRequest *request = &at->request;
  if (request->model == TG_COST_HOCKNEY && g_rand_int_range(rand, 0, 4) == 0)
    at->machine.port.ports = TG_PORTS_FETCH; /* of this model alone */
  if (g_rand_int_range(rand, 0, 3) == 0)
    request->memory_bytes = (double)request->element_bytes * g_rand_double_range(rand, 1, 4) *
                            (double)(request->m * request->k + request->k * request->n + request->m * request->n) /
                            (double)request->processors;
  at->text = g_strdup_printf(
      "%" PRId64 "x%" PRId64 "x%" PRId64 " on %" PRId64 " of %s, %s, ports %d, overlap %d, buffers %d, memory %g:\n%s",
      request->m, request->n, request->k, request->processors, network, tg_cost_model_name(request->model),
      at->machine.port.ports, request->overlap, request->buffers, request->memory_bytes, text);
  return at;
}

/* Gives each collective the algorithm that the text names: "chain in 3 pieces" to all, or "A by ring, B by pairwise".
 */
static void take_named(TgSchedule *schedule, const char *text) {
  g_auto(GStrv) words = g_strsplit(text, ", ", -1);
  const guint count = g_strv_length(words);
  guint next = 0;
  for (int s = 0; s < schedule->statements; s++) {
    TgStatement *statement = &schedule->statement[s];
    TgCollective algorithm;
    if (!tg_op_traits(statement->op)->is_collective || schedule->extent[statement->axis] < 2) continue;
    const char *word = words[count > 1 ? next++ : 0], *by = strstr(word, " by ");
    g_auto(GStrv) parts = g_strsplit(by ? by + 4 : word, " in ", 2);
    g_assert_true(tg_collective_parse(parts[0], &algorithm, NULL));
    const gint64 pieces = parts[1] ? g_ascii_strtoll(parts[1], NULL, 10) : 0;
    statement->collective = (uint8_t)algorithm;
    statement->pieces = (uint16_t)pieces;
  }
}

/* Where place 1 is faster than all that was tried here, because its choice of collectives is another one, it is so with
 * the algorithms that it names. */
static double first_as_named(const Case *at, const TgPlanPlace *first) {
  const TgPlanRequest *request = &at->request;
  TgSchedule schedule = *first->source->schedule;
  TgTopology network;
  TgShape shape;
  TgCost cost;
  const TgCostOptions options = {.model = request->model,
                                 .as_executed = true,
                                 .overlap = request->overlap,
                                 .buffers = request->buffers,
                                 .straggler = -1,
                                 .element_bytes = request->element_bytes};
  g_assert_true(tg_schedule_bind(&schedule, first->source->names, &first->bindings, NULL));
  if (first->collectives) take_named(&schedule, first->collectives);
  g_assert_true(tg_topology_parse(&network, first->topology, NULL));
  g_assert_true(tg_shape_init(&shape, &schedule.computes, request->m, request->n, request->k, NULL));
  if (!tg_cost_predict(&schedule, first->source->names, &shape, &network, first->embedding, request->machine, &options,
                       &cost, NULL))
    return NAN;
  const double time_s = cost.time_s;
  tg_cost_clear(&cost);
  return time_s;
}

/* Place 1 has the time that is stated, and nothing is faster, or no more so than stated. Returns whether the plan was
 * certain. */
static bool check(const Case *at, const TgPlan *plan) {
  const TgPlanPlace *first = plan->ranked->len ? &g_array_index(plan->ranked, TgPlanPlace, 0) : NULL;
  const double first_s = first ? first->predicted_s : INFINITY;
  Fastest fastest = {.time_s = first_s}; /* predictions end where they take longer */
  TgBindings bindings = {0};
  for (int s = 0; s < library.count; s++) {
    bindings = (TgBindings){0};
    try_values(at, &library.source[s], 0, &bindings, &fastest);
  }
  const bool certain = plan->open == 0 && plan->unseen == 0;
  const double least_s = certain ? first_s : plan->least_s;
  const bool right =
      fastest.time_s >= least_s * (1 - 1e-9) && (!first || fabs(first_as_named(at, first) / first_s - 1) < 1e-9);
  if (!right)
    g_error("%s\nplace 1 %s %.9g s, %s, none below %.9g s; of %d predictions %s is the fastest: %.9g s", at->text,
            first ? first->source->name : "none", first_s, certain ? "certain" : "not certain", least_s,
            fastest.predicted, fastest.what ? fastest.what : "place 1", fastest.time_s);
  g_free(fastest.what);
  return certain;
}

/* Plans that have time must mostly be certain, or little is tested. */
static void test_random(void) {
#ifdef __SANITIZE_ADDRESS__
  const int usual = 3;
#else
  const int usual = 15;
#endif
  const int cases = g_test_thorough() ? 500 : usual;
  int certain = 0, full = 0, full_certain = 0;
  GRand *rand = g_rand_new_with_seed(g_test_rand_int_range(0, G_MAXINT32));
  for (int c = 0; c < cases; c++) {
    Case *at = random_case(rand);
    g_auto(TgPlan) plan = {0};
    GError *error = NULL;
    if (c == 0) at->request.budget_s = full_budget_s; /* at least one has it */
    tg_plan(&at->request, library.source, library.count, &plan, &error);
    g_assert_no_error(error);
    const bool is_certain = check(at, &plan), is_full = at->request.budget_s == full_budget_s;
    certain += is_certain;
    full += is_full;
    full_certain += is_full && is_certain;
    g_free(at->text);
    g_free(at);
  }
  g_test_message("%d of %d plans were certain, %d of %d with the full budget", certain, cases, full_certain, full);
  g_assert_cmpint(full_certain, >, full / 2);
  g_rand_free(rand);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  open_library();
  g_test_add_func("/plan-exhaustive/random", test_random);
  return g_test_run();
}

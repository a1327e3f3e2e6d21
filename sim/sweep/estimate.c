/* The proof before a prediction, the prediction, and what follows from it: memory, efficiency, the closed form. */
#include "estimate.h"

#include "buffer-uses.h"
#include "phase.h"
#include "prove.h"
#include "sum.h"

#include <inttypes.h>
#include <math.h>

void tg_estimate_clear(TgEstimate *estimate) {
  g_free(estimate->closed_form_why);
  g_free(estimate->rank);
}

void tg_parameters_of(const TgSchedule *schedule, const TgScheduleNames *names, TgBindings *parameters) {
  *parameters = (TgBindings){0};
  for (int p = 0; p < schedule->parameters; p++)
    if (schedule->parameter_kind[p] != TG_PARAMETER_DERIVED)
      tg_bindings_set(parameters, tg_name(names, names->parameter[p]), schedule->parameter[p], NULL);
}

static const char *name_of(const TgEstimate *estimate) {
  return tg_name(estimate->names, estimate->names->title);
}

/* --- the network -------------------------------------------------------------------------------------------------- */

static bool find_network(TgEstimate *estimate, const char *network, GError **error) {
  const TgSchedule *schedule = estimate->schedule;
  const char *own = network ? NULL : tg_machine_own_network(&estimate->machine, tg_schedule_processors(schedule));
  TgError why = {0};
  estimate->own_network = own != NULL;
  if (tg_topology_for_grid(&estimate->network, own ? own : network, schedule->dims, schedule->extent, &why))
    return true;
  estimate->fault = (TgEstimateFault){.field = "network"};
  return TG_SIM_FAIL(error, BAD_INPUT, "%s", why.message);
}

bool tg_estimate_place(TgEstimate *estimate, const char *network, TgEmbeddingKind embedding, GError **error) {
  const TgSchedule *schedule = estimate->schedule;
  TgError why = {0};
  if (!find_network(estimate, network, error)) return false;
  const int64_t nodes = estimate->network.nodes, straggler = estimate->options.straggler;
  tg_topology_format(&estimate->network, estimate->network_text, sizeof estimate->network_text);
  if (!tg_embedding_init(&estimate->embedding, embedding, schedule->dims, schedule->extent, &estimate->network, &why)) {
    estimate->fault = (TgEstimateFault){.field = "embedding"};
    return TG_SIM_FAIL(error, BAD_INPUT, "the grid does not fit the network: %s", why.message);
  }
  if (straggler < nodes) return true;
  estimate->fault = (TgEstimateFault){.field = "straggler"};
  return TG_SIM_FAIL(error, BAD_INPUT, "%" PRId64 " is out of range, expected 0 to %" PRId64, straggler, nodes - 1);
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/** Blocks and words by processor. */
typedef struct TgHeld {
  int64_t blocks, words;
} TgHeld;

static void add_block(const TgEstimate *estimate, const TgPlaced *placed, TgHeld *held) {
  const TgShape *shape = &estimate->shape;
  const int32_t *blocks = estimate->schedule->blocks[placed->matrix];
  int64_t rows = tg_block_size(shape->rows[placed->matrix], blocks[0], placed->row);
  int64_t columns = tg_block_size(shape->columns[placed->matrix], blocks[1], placed->column);
  held[placed->processor].blocks++;
  held[placed->processor].words = tg_sum(held[placed->processor].words, rows * columns);
}

/* No buffer has C after the last step and A or B before the first. */
static bool lies_apart(const TgSchedule *schedule) {
  uint32_t before = 0, after = 0;
  for (int i = 0; i < schedule->placements; i++) {
    const TgPlacement *placement = &schedule->placement[i];
    *(placement->matrix == TG_MATRIX_C ? &after : &before) |= 1u << placement->buffer;
  }
  return !(before & after);
}

/* What the placements alone say: the blocks of A and B before the first step, and those of C after the last, which lie
 * in buffers of their own; where they take the place of A's or B's, the more of both. The proof, which follows every
 * block, can only find more. */
static void count_placed(TgEstimate *estimate) {
  const TgSchedule *schedule = estimate->schedule;
  TgEstimateMemory *memory = &estimate->memory;
  int64_t processors = tg_schedule_processors(schedule);
  g_autofree TgHeld *begin = g_new0(TgHeld, processors), *end = g_new0(TgHeld, processors);
  TgPlacing placing;
  TgPlaced placed;
  TgError error;
  tg_placing_init(&placing, schedule);
  while (tg_placing_next(&placing, estimate->names, &placed, &error) > 0)
    add_block(estimate, &placed, placed.matrix == TG_MATRIX_C ? end : begin);
  const bool apart = lies_apart(schedule);
  for (int64_t p = 0; p < processors; p++) {
    const TgHeld both = {begin[p].blocks + end[p].blocks, tg_sum(begin[p].words, end[p].words)};
    memory->blocks = MAX(memory->blocks, apart ? both.blocks : MAX(begin[p].blocks, end[p].blocks));
    memory->words = MAX(memory->words, apart ? both.words : MAX(begin[p].words, end[p].words));
  }
  memory->at_least = true;
}

static int64_t fullest_node(const TgEstimate *estimate) {
  g_autofree int64_t *count = g_new0(int64_t, estimate->network.nodes);
  int64_t most = 0;
  for (int64_t p = 0; p < tg_schedule_processors(estimate->schedule); p++) {
    const int64_t now = ++count[tg_embedding_node(&estimate->embedding, p)];
    most = MAX(most, now);
  }
  return most;
}

/* Which processor each node is, where no node has two. */
static void name_nodes(TgEstimate *estimate) {
  g_clear_pointer(&estimate->rank, g_free);
  if (estimate->memory.processors > 1) return;
  estimate->rank = g_new(int32_t, estimate->network.nodes);
  for (int64_t n = 0; n < estimate->network.nodes; n++) estimate->rank[n] = -1;
  for (int64_t p = 0; p < tg_schedule_processors(estimate->schedule); p++)
    estimate->rank[tg_embedding_node(&estimate->embedding, p)] = (int32_t)p;
}

static bool check_limit(TgEstimate *estimate, GError **error) {
  TgEstimateFault *fault = &estimate->fault;
  const TgSchedule *schedule = estimate->schedule;
  /* blocks of several sizes are followed by name */
  const bool by_name = estimate->proved || !tg_blocks_alike(schedule, &estimate->shape);
  const double bytes =
      tg_cost_need_bytes(schedule, estimate->names, &estimate->network, &estimate->machine, &estimate->options) +
      estimate->more_bytes + (by_name ? tg_state_need_bytes(schedule) : 0);
  if (estimate->memory_limit_bytes <= 0 || bytes <= estimate->memory_limit_bytes) return true;
  *fault = (TgEstimateFault){.need_bytes = bytes};
  g_snprintf(fault->need_of, sizeof fault->need_of, by_name ? "%s on %s" : "the prediction of %s on %s",
             name_of(estimate), by_name ? tg_schedule_grid_text(schedule).s : estimate->network_text);
  return TG_SIM_FAIL(error, TOO_LARGE, "%s needs about %.0f bytes of memory, but the limit is %.0f", fault->need_of,
                     bytes, estimate->memory_limit_bytes);
}

static bool set_words(TgEstimate *estimate, int64_t words, GError **error) {
  TgEstimateMemory *memory = &estimate->memory;
  if (tg_sum_is_full(tg_sum_times(words, estimate->options.element_bytes))) {
    estimate->fault = (TgEstimateFault){0};
    return TG_SIM_FAIL(error, TOO_LARGE,
                       "%s: a processor holds more bytes than a 64-bit count can hold (9.2 EB); use smaller matrices",
                       name_of(estimate));
  }
  memory->words = words;
  memory->node_bytes = (double)words * (double)estimate->options.element_bytes * (double)memory->processors;
  /* From disks or a host, the plan of what streams has fitted already. */
  memory->fits = estimate->options.tiers.used || memory->node_bytes <= estimate->machine.processor.memory_bytes;
  return true;
}

/* --- the proof ---------------------------------------------------------------------------------------------------- */

static bool fail(TgEstimate *estimate, TgSimError code, const TgError *failure, GError **error) {
  estimate->fault = (TgEstimateFault){.failure = *failure};
  g_set_error_literal(error, TG_SIM_ERROR, code, failure->message);
  return false;
}

/* What transfers fill while products read. */
static void add_places(TgEstimate *estimate) {
  bool travels[TG_MAX_STATEMENTS];
  const TgShape *shape = &estimate->shape;
  tg_statements_travel(estimate->schedule, travels);
  const TgPlacesHeld held =
      tg_places_held(estimate->schedule, travels, tg_cost_places(estimate->options.overlap, estimate->options.buffers),
                     shape->m, shape->n, shape->k);
  estimate->memory.places = held.blocks;
  estimate->memory.words = tg_sum(estimate->memory.words, (int64_t)MIN(held.elements, 0x1p62));
}

static bool count(TgEstimate *estimate, GError **error) {
  const TgSchedule *schedule = estimate->schedule;
  const TgShape *shape = &estimate->shape;
  TgError endless = {0};
  TgProof proof = {0};
  if (!tg_walk_ends(schedule, estimate->names, &endless))
    return fail(estimate, TG_SIM_ERROR_BAD_INPUT, &endless, error);
  estimate->statements = tg_walk_count_statements(schedule, estimate->names);
  estimate->proved = estimate->statements <= TG_ESTIMATE_PROOF_LIMIT / tg_schedule_processors(schedule);
  if (!check_limit(estimate, error)) return false;
  estimate->memory = (TgEstimateMemory){.processors = fullest_node(estimate)};
  name_nodes(estimate);
  if (!estimate->proved) {
    count_placed(estimate);
  } else if (tg_prove(schedule, estimate->names, estimate->options.collective, shape->m, shape->n, shape->k, &proof)) {
    estimate->memory.blocks = proof.counts.blocks_per_processor_max;
    estimate->memory.words = proof.counts.words_per_processor_max;
  } else {
    return fail(estimate, TG_SIM_ERROR_SCHEDULE, &proof.failure, error);
  }
  add_places(estimate);
  return set_words(estimate, estimate->memory.words, error);
}

/* Blocks all of one size hold words in proportion to the square of n; otherwise the proof counts anew. */
bool tg_estimate_prove(TgEstimate *estimate, GError **error) {
  const TgShape *shape = &estimate->shape;
  const int64_t n = shape->n, before = estimate->counted_n;
  int64_t m, unit, k;
  tg_proof_sizes(estimate->schedule, &m, &unit, &k);
  const bool square = m == unit && k == unit && shape->m == n && shape->k == n;
  estimate->counted_n = square ? n : 0;
  if (!before || !square || n % unit || before % unit) return count(estimate, error);
  const int64_t was = before / unit, now = n / unit;
  return set_words(estimate, tg_sum_times(estimate->memory.words / (was * was), now * now), error);
}

/* --- the prediction ----------------------------------------------------------------------------------------------- */

double tg_estimate_serial_s(const TgEstimate *estimate, const TgShape *shape) {
  if (estimate->schedule->computes.right == TG_MATRICES) return NAN;
  double seconds = tg_machine_product_s(&estimate->machine, shape->m, shape->n, shape->k);
  return seconds > 0 ? seconds : NAN;
}

bool tg_estimate_cost(const TgEstimate *estimate, const TgShape *shape, const TgCostOptions *options, TgCost *cost,
                      GError **error) {
  return tg_cost_predict(estimate->schedule, estimate->names, shape, &estimate->network,
                         (TgEmbeddingKind)estimate->embedding.kind, &estimate->machine, options, cost, error);
}

void tg_estimate_take_cost(TgEstimate *estimate, const TgCost *cost) {
  estimate->cost = cost;
  estimate->workers = MIN(tg_schedule_processors(estimate->schedule), cost->nodes);
  estimate->serial_s = tg_estimate_serial_s(estimate, &estimate->shape);
  estimate->efficiency = cost->time_s > 0 ? estimate->serial_s / ((double)estimate->workers * cost->time_s) : NAN;
}

bool tg_estimate_predict(TgEstimate *estimate, TgCost *cost, GError **error) {
  if (!tg_estimate_cost(estimate, &estimate->shape, &estimate->options, cost, error)) {
    estimate->fault = (TgEstimateFault){0};
    if (cost->failure.cause != TG_CAUSE_NONE) estimate->fault.failure = cost->failure;
    return false;
  }
  tg_estimate_take_cost(estimate, cost);
  return true;
}

typedef struct TgSeeds {
  const TgWatch *watch;
  int64_t done;
} TgSeeds;

/* A prediction tells its statements. */
static bool goes_on(void *user, int64_t statements) {
  const TgSeeds *seeds = user;
  (void)statements;
  return tg_watch_go_on(seeds->watch, seeds->done);
}

bool tg_estimate_seeds(TgEstimate *estimate, int32_t count, const TgWatch *watch, GError **error) {
  TgSeeds seeds = {watch, 1};
  const TgWatch each = {goes_on, &seeds};
  TgCostOptions options = estimate->options;
  g_autofree double *time_s = g_new(double, (gsize)count);
  options.watch = &each;
  options.explain = false;
  time_s[0] = estimate->cost->time_s;
  for (; seeds.done < count; seeds.done++) {
    TgCost cost = {0};
    options.seed++;
    const bool done = tg_estimate_cost(estimate, &estimate->shape, &options, &cost, error);
    time_s[seeds.done] = cost.time_s;
    tg_cost_clear(&cost);
    if (!done) return false;
  }
  estimate->seeds = tg_measurement_of(time_s, count, 0);
  return true;
}

/* --- the closed form ---------------------------------------------------------------------------------------------- */

static bool set_values(const TgEstimate *estimate, TgFormulaValues *values, GError **error) {
  const TgShape *shape = &estimate->shape;
  TgMachineLink link = tg_machine_link(&estimate->machine, &estimate->network, 0, 0);
  const TgProductSize product = tg_largest_product(estimate->schedule, shape);
  const double flops_per_s = tg_machine_flops_per_s(&estimate->machine, product.m, product.n, product.k);
  if (tg_machine_has_protocols(&estimate->machine, &estimate->network))
    return TG_SIM_FAIL(error, BAD_INPUT, "it assumes one latency and one bandwidth, but the machine has `protocols`");
  if (!tg_machine_has_one_link(&estimate->machine, &estimate->network))
    return TG_SIM_FAIL(error, BAD_INPUT, "it assumes one latency and one bandwidth, but links of the network differ");
  return tg_formula_values_schedule(values, estimate->schedule, estimate->names, error) &&
         tg_formula_values_sizes(values, shape->m, shape->n, shape->k, error) &&
         tg_formula_values_machine(values, link.latency_s, 1 / link.bandwidth_bytes_per_s, link.per_hop_s,
                                   tg_element_bytes(estimate->element), flops_per_s, error);
}

void tg_estimate_closed_form(TgEstimate *estimate) {
  g_autoptr(GError) error = NULL;
  TgFormulaValues values = {0};
  double communication_s, compute_s;
  g_clear_pointer(&estimate->closed_form_why, g_free);
  estimate->closed_form_s = estimate->closed_form_communication_s = estimate->closed_form_compute_s = NAN;
  if (!estimate->formula) return;
  if (!set_values(estimate, &values, &error) || !tg_formula_check(estimate->formula, &values, &error) ||
      !tg_formula_evaluate(estimate->formula, TG_FORMULA_COMMUNICATION, &values, &communication_s, &error) ||
      !tg_formula_evaluate(estimate->formula, TG_FORMULA_COMPUTE, &values, &compute_s, &error)) {
    estimate->closed_form_why = g_strdup(error->message);
    return;
  }
  estimate->closed_form_communication_s = communication_s;
  estimate->closed_form_compute_s = compute_s;
  estimate->closed_form_s = communication_s + compute_s;
}

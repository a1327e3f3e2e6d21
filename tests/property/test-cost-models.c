/* What holds for the cost models, whatever the schedule; which of it for which model, docs/reference/models.md explains
 * why. */
#include "cost-case.h"
#include "lane.h"
#include "phase.h"

enum { MOST_MESSAGES = 4000 };

typedef struct Property {
  const char *name;
  void (*check)(CostCase *test);
  int cases;
} Property;

/* --- hockney and loggp: no time falls when a cost grows ---------------------------------------------------------- */

static void grow_latency(CostCase *test) {
  test->machine.link.latency_s *= 1 + g_test_rand_double();
}

static void grow_byte_time(CostCase *test) {
  test->machine.link.bandwidth_bytes_per_s /= 1 + g_test_rand_double();
}

static void grow_hop(CostCase *test) {
  test->machine.link.per_hop_s *= 1 + g_test_rand_double();
}

static void grow_overhead(CostCase *test) {
  test->machine.port.overhead_s = test->machine.port.overhead_s * 1.25 + 1e-7 * g_test_rand_double();
}

static void grow_gap(CostCase *test) {
  test->machine.port.gap_s = test->machine.port.gap_s * 1.5 + 1e-6 * g_test_rand_double();
}

static void grow_elements(CostCase *test) {
  test->options.element_bytes *= 2;
}

/* Twice the extents make no block smaller, however they divide. */
static void grow_extents(CostCase *test) {
  gint64 n = 2 * test->shape.m;
  g_assert_true(tg_shape_init(&test->shape, &test->bound.schedule.computes, n, n, n, NULL));
}

static void grow_products(CostCase *test) {
  test->machine.processor.flops_per_s /= 1.5;
  test->machine.processor.additions_per_s /= 1.5;
}

static void grow_start(CostCase *test) { /* the same nodes start later by the same factor */
  test->options.skew_s *= 2;
}

static void serialise(CostCase *test) {
  test->options.overlap = false;
}

static const struct {
  const char *what;
  void (*grow)(CostCase *test);
} growths[] = {{"latency", grow_latency}, {"time of a byte", grow_byte_time},
               {"per_hop_s", grow_hop},   {"overhead", grow_overhead},
               {"gap", grow_gap},         {"bytes of an element", grow_elements},
               {"extents", grow_extents}, {"products", grow_products},
               {"skew", grow_start},      {"no overlap", serialise}};

/* Received on arrival, messages that are delayed or take longer may be handled in another order, and the run may become
 * shorter. */
static void check_monotone(CostCase *test) {
  static const TgCostModel models[] = {TG_COST_HOCKNEY, TG_COST_LOGGP};
  test->machine.port.receives = TG_RECEIVES_ENTERED;
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    TgCost before, after;
    test->options.model = models[m];
    /* A sender of several messages is free sooner with a protocol of more latency and more bandwidth; and where links
     * differ, a latency that grows may be hidden behind another link's, while the bandwidth grows as well. */
    if (models[m] == TG_COST_LOGGP || !tg_links_alike(&test->machine)) test->machine.link.protocols.rows = 0;
    must_predict(test, &test->shape, &test->machine, &test->options, &before);
    for (gsize g = 0; g < G_N_ELEMENTS(growths); g++) {
      CostCase grown = *test;
      growths[g].grow(&grown);
      must_predict(&grown, &grown.shape, &grown.machine, &grown.options, &after);
      expect_holds(&grown, after.time_s >= before.time_s * (1 - 1e-12), growths[g].what, models[m], before.time_s,
                   after.time_s);
      for (gint64 n = 0; n < before.nodes; n++)
        expect_holds(&grown, after.node_time_s[n] >= before.node_time_s[n] * (1 - 1e-12), growths[g].what, models[m],
                     before.node_time_s[n], after.node_time_s[n]);
      tg_cost_clear(&after);
    }
    tg_cost_clear(&before);
  }
}

/* Each cost times a factor in [1, 1 + F): so is each time, where a time is a maximum of sums of costs. */
static void check_jitter(CostCase *test) {
  static const TgCostModel models[] = {TG_COST_HOCKNEY, TG_COST_LOGGP};
  test->machine.port.receives = TG_RECEIVES_ENTERED;
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    TgCost plain, jittered;
    test->options.model = models[m];
    test->options.skew_s = 0;
    must_predict(test, &test->shape, &test->machine, &test->options, &plain);
    TgCostOptions options = test->options;
    options.jitter = 0.3;
    must_predict(test, &test->shape, &test->machine, &options, &jittered);
    expect_holds(test, jittered.time_s >= plain.time_s * (1 - 1e-12), "jitter shortens", models[m], plain.time_s,
                 jittered.time_s);
    expect_holds(test, jittered.time_s <= plain.time_s * 1.3, "jitter lengthens", models[m], plain.time_s,
                 jittered.time_s);
    gboolean gaps = models[m] == TG_COST_LOGGP && test->machine.port.gap_s > 0; /* the gap is not jittered */
    expect_holds(test, gaps || plain.messages == 0 || jittered.time_s > plain.time_s, "jitter is there", models[m],
                 plain.time_s, jittered.time_s);
    tg_cost_clear(&plain);
    tg_cost_clear(&jittered);
  }
}

/* --- all models -------------------------------------------------------------------------------------------------- */

/* Counted here, from the phases. */
typedef struct Counts {
  gint64 messages, bytes, hop_bytes;
  double flops;
  gint64 *sent, *received; /* bytes, by node */
} Counts;

static void count_phase(const CostCase *test, const TgEmbedding *embedding, const TgPhase *phase, Counts *counts) {
  for (gint64 t = 0; t < phase->transfers; t++) {
    gint64 from = tg_embedding_node(embedding, phase->from[t]), to = tg_embedding_node(embedding, phase->to[t]);
    gint64 bytes = phase->bytes ? phase->bytes[t] : phase->uniform_bytes;
    if (from == to) continue;
    counts->messages++;
    counts->bytes += bytes;
    counts->hop_bytes += bytes * tg_topology_distance(&test->network, from, to);
    counts->sent[from] += bytes;
    counts->received[to] += bytes;
  }
  for (gint64 i = 0; i < phase->products; i++) counts->flops += tg_product_flops(tg_phase_product(phase, i));
}

static void count(const CostCase *test, Counts *counts) {
  const TgSchedule *schedule = &test->bound.schedule;
  TgEmbedding embedding;
  TgError failure;
  TgPhase *phase;
  TgPhaseAt at;
  const TgPhasesOf of = {.schedule = schedule,
                         .names = &test->bound.names,
                         .shape = &test->shape,
                         .element_bytes = test->options.element_bytes,
                         .collective = test->options.collective};
  g_autoptr(TgPhases) phases = tg_phases_new(&of, NULL);
  *counts = (Counts){.sent = g_new0(gint64, test->network.nodes), .received = g_new0(gint64, test->network.nodes)};
  g_assert_true(
      tg_embedding_init(&embedding, test->embedding, schedule->dims, schedule->extent, &test->network, &failure));
  while (tg_phases_next(phases, &phase, &at, NULL) == TG_PROGRESS_MORE) {
    count_phase(test, &embedding, phase, counts);
    tg_phase_release(phase);
  }
}

static void clear_counts(Counts *counts) {
  g_free(counts->sent);
  g_free(counts->received);
}

/* What is sent is received, and counted once; the steps add up; so in every model. */
static void check_counts(CostCase *test) {
  Counts counts;
  count(test, &counts);
  for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
    TgCost cost;
    gint64 messages = 0, bytes = 0, hop_bytes = 0;
    test->options.model = model;
    must_predict(test, &test->shape, &test->machine, &test->options, &cost);
    for (gint64 s = 0; s < cost.trace.steps; s++) {
      const TgTraceStep *step = &cost.trace.step[s];
      messages += step->messages;
      bytes += step->bytes;
      hop_bytes += step->hop_bytes;
      expect_holds(test, step->start_s <= step->end_s, "a step ends before it starts", model, step->start_s,
                   step->end_s);
      expect_holds(test, step->start_s >= 0 && step->end_s <= cost.time_s, "a step outside the run", model,
                   step->start_s, step->end_s);
    }
    expect_holds(test, cost.messages == counts.messages && messages == counts.messages, "messages", model,
                 (double)cost.messages, (double)messages);
    expect_holds(test, cost.bytes == counts.bytes && bytes == counts.bytes, "bytes", model, (double)cost.bytes,
                 (double)bytes);
    expect_holds(test, cost.hop_bytes == counts.hop_bytes && hop_bytes == counts.hop_bytes, "hop bytes", model,
                 (double)cost.hop_bytes, (double)hop_bytes);
    expect_holds(test, fabs(cost.flops - counts.flops) <= 1e-9 * counts.flops, "flops", model, cost.flops,
                 counts.flops);
    tg_cost_clear(&cost);
  }
  clear_counts(&counts);
}

/* A node's bytes through its port, a link's bytes, a node's products: the least that a run takes. */
static void check_least_time(CostCase *test) {
  Counts counts;
  double byte_s = 1 / fmax(tg_link_best(&test->machine.link, 0).bandwidth_bytes_per_s,
                           test->machine.axis[0].bandwidth_bytes_per_s),
         rate = test->machine.processor.flops_per_s;
  gboolean one_port = test->machine.port.ports == TG_PORTS_ONE;
  count(test, &counts);
  for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
    TgCost cost;
    test->options.model = model;
    must_predict(test, &test->shape, &test->machine, &test->options, &cost);
    double enough = cost.time_s * (1 + 1e-9), compute = 0;
    gboolean shares = model == TG_COST_FORWARD || model == TG_COST_FLOW;
    for (gint64 n = 0; n < cost.nodes; n++) {
      double least = (double)MAX(counts.sent[n], counts.received[n]) * byte_s;
      /* Of each message LogGP counts all bytes but the first. */
      if (model == TG_COST_LOGGP) least -= (double)cost.messages * byte_s;
      expect_holds(test, !one_port || least <= enough, "bytes through a port", model, least, cost.time_s);
      expect_holds(test, cost.node_compute_s[n] <= enough, "products of a node", model, cost.node_compute_s[n],
                   cost.time_s);
      compute += cost.node_compute_s[n];
    }
    expect_holds(test, !shares || (double)cost.max_link_bytes * byte_s <= enough, "bytes over a link", model,
                 (double)cost.max_link_bytes * byte_s, cost.time_s);
    expect_holds(test, compute >= counts.flops / rate * (1 - 1e-9), "products", model, compute, counts.flops / rate);
    tg_cost_clear(&cost);
  }
  clear_counts(&counts);
}

/* The same seed repeats a run to the last bit, another one does not. */
static void check_seed(CostCase *test) {
  test->options.skew_s = 1e-5;
  test->options.jitter = 0.1;
  for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
    TgCost one, again, other;
    TgCostOptions options = test->options;
    options.model = model;
    must_predict(test, &test->shape, &test->machine, &options, &one);
    must_predict(test, &test->shape, &test->machine, &options, &again);
    options.seed++;
    must_predict(test, &test->shape, &test->machine, &options, &other);
    for (gint64 n = 0; n < one.nodes; n++)
      expect_holds(test, one.node_time_s[n] == again.node_time_s[n], "not repeated", model, one.node_time_s[n],
                   again.node_time_s[n]);
    expect_holds(test, one.time_s == again.time_s, "not repeated", model, one.time_s, again.time_s);
    expect_holds(test, one.time_s != other.time_s, "the seed does not matter", model, one.time_s, other.time_s);
    tg_cost_clear(&one);
    tg_cost_clear(&again);
    tg_cost_clear(&other);
  }
}

static void expect_slower(const CostCase *test, const TgCostOptions *options) {
  g_autoptr(GError) error = NULL;
  TgCost cost;
  const bool fine = tg_cost_predict(&test->bound.schedule, &test->bound.names, &test->shape, &test->network,
                                    test->embedding, &test->machine, options, &cost, &error);
  expect_holds(test, !fine && g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SLOWER), "not ended", options->model,
               options->most_s, fine ? cost.time_s : NAN);
  if (fine) tg_cost_clear(&cost);
}

/* A prediction that may take as long as it does is what it would be without a limit; with less it ends. */
static void check_most(CostCase *test) {
  for (TgCostModel model = 0; model < TG_COST_MODELS; model++) {
    TgCost free, limited;
    TgCostOptions options = test->options;
    options.model = model;
    must_predict(test, &test->shape, &test->machine, &options, &free);
    options.most_s = free.time_s;
    if (free.time_s > 0) {
      must_predict(test, &test->shape, &test->machine, &options, &limited);
      expect_holds(test, limited.time_s == free.time_s && limited.messages == free.messages, "the limit matters", model,
                   free.time_s, limited.time_s);
      tg_cost_clear(&limited);
      options.most_s = free.time_s * g_test_rand_double_range(0.01, 1 - 1e-9);
      expect_slower(test, &options);
    }
    tg_cost_clear(&free);
  }
}

/* If every message crosses one link, no event queue is needed. A jitter of 1e-300 forces one: times stay the same. */
static int went_apart;

static void check_apart(CostCase *test) {
  static const TgCostModel models[] = {TG_COST_FORWARD, TG_COST_FLOW};
  test->options.explain = true;
  for (gsize m = 0; m < G_N_ELEMENTS(models); m++) {
    TgCost usual, events;
    TgCostOptions options = test->options;
    options.model = models[m];
    must_predict(test, &test->shape, &test->machine, &options, &usual);
    options.jitter = 1e-300;
    must_predict(test, &test->shape, &test->machine, &options, &events);
    expect_alike(test, models[m], &usual, &events);
    went_apart += usual.messages > 0 && usual.hop_bytes == usual.bytes && test->machine.port.ports == TG_PORTS_ONE &&
                  test->machine.link.duplex == TG_DUPLEX_FULL && test->machine.axis[0].duplex == TG_DUPLEX_FULL;
    tg_cost_clear(&usual);
    tg_cost_clear(&events);
  }
}

static void run_apart(gconstpointer data) {
  const int cases = *(const int *)data;
  for (int i = 0; i < cases; i++) {
    CostCase test;
    draw_case(&test, MOST_MESSAGES);
    check_apart(&test);
    clear_case(&test);
  }
  g_test_message("no link is shared in %d of %d predictions", went_apart, 2 * cases);
  g_assert_cmpint(went_apart, >=, cases / 25);
}

static void run_property(gconstpointer data) {
  const Property *property = data;
  for (int i = 0; i < property->cases; i++) {
    CostCase test;
    draw_case(&test, MOST_MESSAGES);
    property->check(&test);
    clear_case(&test);
  }
}

int main(int argc, char **argv) {
  static const Property properties[] = {
      {"/cost-models/monotone", check_monotone, 250}, {"/cost-models/jitter", check_jitter, 300},
      {"/cost-models/counts", check_counts, 300},     {"/cost-models/least-time", check_least_time, 300},
      {"/cost-models/seed", check_seed, 150},         {"/cost-models/most", check_most, 300}};
  g_test_init(&argc, &argv, NULL);
  static const int apart = 1000;
  for (gsize i = 0; i < G_N_ELEMENTS(properties); i++)
    g_test_add_data_func(properties[i].name, &properties[i], run_property);
  g_test_add_data_func("/cost-models/apart", &apart, run_apart);
  return g_test_run();
}

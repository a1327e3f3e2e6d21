/** @file cost-case.h
 * Random runs of the cost models: a schedule of the library or of own-schedules.h, a grid, a network, an embedding,
 * sizes, a machine and options. */
#ifndef COST_CASE_H
#define COST_CASE_H

#include "../schedule-text.h"
#include "cost.h"
#include "own-schedules.h"
#include "random-topology.h"

#include <math.h>

typedef struct CostCase {
  Bound bound;
  const char *name;
  char *grid, *network_text;
  TgTopology network;
  TgEmbeddingKind embedding;
  TgShape shape;
  TgMachine machine;
  TgCostOptions options;
} CostCase;

static void machine_from(TgMachine *machine, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void machine_from(TgMachine *machine, const char *format, ...) {
  TgError error;
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (!tg_machine_parse(machine, text, strlen(text), &error)) g_error("%d: %s\n%s", error.line, error.message, text);
}

/* Where all costs are alike, events meet at the same instant. The first axis may have numbers of its own. */
static inline void random_machine(TgMachine *machine) {
  static const char *const axes[] = {"", "", "[link.0]\nlatency_s = 4.3e-6\nbandwidth_bytes_per_s = 3e7\n",
                                     "[link.0]\nlatency_s = 3.7e-7\nbandwidth_bytes_per_s = 6e8\nduplex = half\n"};
  /* A message of more bytes takes no less time. */
  static const char *const protocols[] = {"", "", "", "protocols = 800:1e-3:1e9\n",
                                          "protocols = 300:1e-3:2e8; 2000:2e-3:4e9\n"};
  static const char *const latencies[] = {"1e-6", "3.7e-7", "2e-5"};
  static const char *const bandwidths[] = {"1.25e9", "1e8", "inf", "4e6"};
  static const char *const rates[] = {"1e9", "inf", "2e7", "1e8"};
  static const char *const tiles[] = {"", "", "tile_rows = 3\n", "tile_rows = 2\ntile_columns = 5\n",
                                      "rest_rows = 1:1.5; 2:3.5\nrest_columns = 1:1; 2:2; 4:5\n"};
  static const char *const additions[] = {"", "additions_per_s = 1e8\n", "additions_per_s = 3e6\n"};
  static const char *const overheads[] = {"0", "5e-7", "4e-6"};
  machine_from(machine,
               "[machine]\nname = t\nsource = t\n[link]\nlatency_s = %s\nper_hop_s = 5e-5\n"
               "bandwidth_bytes_per_s = %s\n%sduplex = %s\n[port]\nports = %s\noverhead_s = %s\ngap_s = %s\n"
               "receives = %s\n[processor]\nflops_per_s = %s\n%s%s%s",
               latencies[g_test_rand_int_range(0, 3)], bandwidths[g_test_rand_int_range(0, 4)],
               protocols[g_test_rand_int_range(0, 5)], g_test_rand_bit() ? "full" : "half",
               g_test_rand_int_range(0, 3) ? "one" : "all", overheads[g_test_rand_int_range(0, 3)],
               overheads[g_test_rand_int_range(0, 3)], g_test_rand_bit() ? "entered" : "arrival",
               rates[g_test_rand_int_range(0, 4)], tiles[g_test_rand_int_range(0, 5)],
               additions[g_test_rand_int_range(0, 3)], axes[g_test_rand_int_range(0, 4)]);
}

static inline char *random_grid(int dims) {
  GString *text = g_string_new(NULL);
  int largest = dims == 1 ? 12 : dims == 2 ? 6 : 4, side = g_test_rand_int_range(1, largest + 1);
  gboolean square = g_test_rand_bit();
  for (int d = 0; d < dims; d++)
    g_string_append_printf(text, "%s%d", d ? "x" : "", square ? side : g_test_rand_int_range(1, largest + 1));
  return g_string_free(text, FALSE);
}

/* A network of the grid's shape, of as many nodes, or any. */
static inline char *random_network(TgTopology *network, const char *grid, gint64 processors) {
  static const char *const shaped[] = {"torus", "mesh"}, *const counted[] = {"ring", "full", "switch"};
  char *text = NULL;
  TgError error;
  int kind = g_test_rand_int_range(0, 8);
  if (kind < 2)
    text = g_strdup_printf("%s:%s", shaped[kind], grid);
  else if (kind < 5)
    text = g_strdup_printf("%s:%d", counted[kind - 2], (int)processors);
  else if (kind < 6)
    text = g_strdup_printf("hypercube:%d", (int)ceil(log2((double)MAX(processors, 2))));
  else
    return random_topology(network, 3, 40);
  if (!tg_topology_parse(network, text, &error)) g_error("%s: %s", text, error.message);
  return text;
}

static inline gboolean bind_case(CostCase *test) {
  gsize count, own = G_N_ELEMENTS(own_schedules);
  const TgLibraryEntry *entries = tg_library_list(&count);
  gsize number = (gsize)g_test_rand_int_range(0, (gint32)(count + own));
  const TgLibraryEntry *entry = number < count ? &entries[number] : &own_schedules[number - count];
  test->name = entry->name;
  if (!tg_schedule_parse(&test->bound.schedule, &test->bound.names, entry->text, entry->length, &test->bound.error))
    g_error("%s: %s", entry->name, test->bound.error.message);
  test->grid = random_grid(test->bound.schedule.dims);
  return bound_from(&test->bound, entry->text, test->grid, NULL);
}

static inline gboolean predict_case(const CostCase *test, const TgShape *shape, const TgMachine *machine,
                                    const TgCostOptions *options, TgCost *cost) {
  g_autoptr(GError) error = NULL;
  return tg_cost_predict(&test->bound.schedule, &test->bound.names, shape, &test->network, test->embedding, machine,
                         options, cost, &error);
}

static inline void clear_case(CostCase *test) {
  g_clear_pointer(&test->grid, g_free);
  g_clear_pointer(&test->network_text, g_free);
}

/* False where what was drawn does not fit together, or has too many messages. */
static inline gboolean try_case(CostCase *test, gint64 most_messages) {
  TgEmbedding embedding;
  TgError failure;
  TgCost cost;
  *test = (CostCase){0};
  if (!bind_case(test)) return FALSE;
  const TgSchedule *schedule = &test->bound.schedule;
  test->network_text = random_network(&test->network, test->grid, tg_schedule_processors(schedule));
  test->embedding = (TgEmbeddingKind)g_test_rand_int_range(0, TG_EMBEDDING_KINDS);
  if (!tg_embedding_init(&embedding, test->embedding, schedule->dims, schedule->extent, &test->network, &failure))
    return FALSE;
  gint64 n = g_test_rand_bit() ? 24 * g_test_rand_int_range(1, 4) : g_test_rand_int_range(1, 80);
  if (!tg_shape_init(&test->shape, &schedule->computes, n, n, n, NULL)) return FALSE;
  random_machine(&test->machine);
  test->options = (TgCostOptions){.as_executed = true,
                                  .collective = (TgCollective)g_test_rand_int_range(0, TG_COLLECTIVE_PAIRWISE + 1),
                                  .overlap = g_test_rand_bit(),
                                  .buffers = g_test_rand_int_range(0, 5),
                                  .skew_s = g_test_rand_bit() ? 0 : 1e-5,
                                  .seed = (guint32)g_test_rand_int(),
                                  .straggler = g_test_rand_int_range(0, 4) ? -1 : 0,
                                  .straggler_factor = 2.5,
                                  .element_bytes = 8};
  if (!predict_case(test, &test->shape, &test->machine, &test->options, &cost)) return FALSE;
  gint64 messages = cost.messages;
  tg_cost_clear(&cost);
  return messages <= most_messages;
}

static inline void draw_case(CostCase *test, gint64 most_messages) {
  while (!try_case(test, most_messages)) clear_case(test);
}

/* As the command line has it, and the machine's file. */
static inline void describe_case(const CostCase *test) {
  const TgCostOptions *options = &test->options;
  g_autofree char *machine = tg_machine_text(&test->machine);
  g_test_message(
      "%s --grid %s --network %s --embed %s --collective %s -n %d --overlap %s --buffers %d --skew %g --seed %u "
      "--straggler %d\n%s",
      test->name, test->grid, test->network_text, tg_embedding_name(test->embedding),
      tg_collective_name(options->collective), (int)test->shape.m, options->overlap ? "on" : "off",
      (int)tg_cost_places(options->overlap, options->buffers), options->skew_s, (guint)options->seed,
      (int)options->straggler, machine);
}

/* Says which case it is where a model does not hold to `what`. */
static inline void expect_holds(const CostCase *test, gboolean holds, const char *what, TgCostModel model, double one,
                                double other) {
  if (holds) return;
  describe_case(test);
  g_error("%s: %s: %.17g and %.17g", tg_cost_model_name(model), what, one, other);
}

/* The models may count in another order, but for one thing: of two messages that end at one instant either may be the
 * one that the node waited for. */
static inline void expect_alike(const CostCase *test, TgCostModel model, const TgCost *one, const TgCost *other) {
  const TgTimeParts a = tg_cost_parts(one), b = tg_cost_parts(other);
  for (gint64 n = 0; n < one->nodes; n++)
    expect_holds(test, fabs(one->node_time_s[n] - other->node_time_s[n]) <= 1e-12 * one->time_s, "a node's time", model,
                 one->node_time_s[n], other->node_time_s[n]);
  for (gint64 s = 0; s < one->trace.steps; s++) {
    const TgTraceStep *x = &one->trace.step[s], *y = &other->trace.step[s];
    expect_holds(test, fabs(x->start_s - y->start_s) <= 1e-12 * one->time_s, "start", model, x->start_s, y->start_s);
    expect_holds(test, fabs(x->end_s - y->end_s) <= 1e-12 * one->time_s, "end", model, x->end_s, y->end_s);
    expect_holds(test, one->step_compute_s[s] == other->step_compute_s[s], "products", model, one->step_compute_s[s],
                 other->step_compute_s[s]);
  }
  expect_holds(test, one->messages == other->messages, "messages", model, (double)one->messages,
               (double)other->messages);
  const double x = a.waiting_s + a.latency_s + a.bytes_s + a.contention_s;
  const double y = b.waiting_s + b.latency_s + b.bytes_s + b.contention_s;
  expect_holds(test, fabs(x - y) <= 1e-11 * one->time_s, "messages of the last node", model, x, y);
}

static inline void must_predict(const CostCase *test, const TgShape *shape, const TgMachine *machine,
                                const TgCostOptions *options, TgCost *cost) {
  if (predict_case(test, shape, machine, options, cost)) return;
  describe_case(test);
  g_error("%s fails", tg_cost_model_name(options->model));
}

#endif

/* Loads of links, stretch by stretch and by differences, are those of the routes hop by hop; and what is predicted of
 * messages and links for the library's schedules is what their messages come to on the network, one by one. */
#include "../schedule-text.h"
#include "cost.h"
#include "load.h"
#include "random-topology.h"

enum { NETWORKS = 300, LARGEST = 150, MESSAGES = 400 };

static void check_stretches(const TgTopology *topology, int64_t from, int64_t to) {
  TgRoute route, stretches;
  TgHop hop;
  TgStretch stretch;
  tg_route_begin(&route, topology, from, to);
  tg_route_begin(&stretches, topology, from, to);
  while (tg_route_next_stretch(&stretches, &stretch)) {
    int64_t expected = 0, used = 0;
    g_assert_cmpint(stretch.hops, >=, 1);
    g_assert_cmpint(stretch.low, <, stretch.places);
    for (int h = 0; h < stretch.hops; h++) {
      TgLink link;
      g_assert_true(tg_route_next(&route, &hop));
      tg_topology_link(topology, hop.link, &link);
      g_assert_cmpint(link.level, ==, stretch.level);
      g_assert_cmpint(link.axis, ==, stretch.axis);
      expected += hop.link;
      used += stretch.line + (stretch.low + h) % stretch.places * stretch.stride;
    }
    g_assert_cmpint(used, ==, expected);
  }
  g_assert_false(tg_route_next(&route, &hop));
}

/* After any number of single hops the rest of the way comes in stretches. */
static void check_mixed(const TgTopology *topology, int64_t from, int64_t to) {
  TgRoute route;
  TgHop hop;
  TgStretch stretch;
  int64_t distance = tg_topology_distance(topology, from, to), hops = 0;
  int64_t alone = g_test_rand_int_range(0, (int)distance + 1);
  tg_route_begin(&route, topology, from, to);
  while (hops < alone && tg_route_next(&route, &hop)) hops++;
  while (tg_route_next_stretch(&route, &stretch)) hops += stretch.hops;
  g_assert_cmpint(hops, ==, distance);
}

static void test_stretches(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    for (int64_t from = 0; from < topology.nodes; from += g_test_rand_int_range(1, 9))
      for (int64_t to = 0; to < topology.nodes; to++) {
        check_stretches(&topology, from, to);
        check_mixed(&topology, from, to);
      }
  }
}

static void add_hops(const TgTopology *topology, int64_t *load, int64_t from, int64_t to, int64_t bytes) {
  TgRoute route;
  TgHop hop;
  for (tg_route_begin(&route, topology, from, to); tg_route_next(&route, &hop);) load[hop.link] += bytes;
}

static void add_stretches(const TgTopology *topology, TgLoad *load, int64_t from, int64_t to, int64_t bytes) {
  TgRoute route;
  TgStretch stretch;
  tg_route_begin(&route, topology, from, to);
  while (tg_route_next_stretch(&route, &stretch)) tg_load_add_stretch(load, &stretch, bytes);
}

/* What is taken is what was expected; it is added to `copy`. */
static void check_taken(const TgTopology *topology, TgLoad *load, const int64_t *expected, TgLoad *copy) {
  int64_t entries, sum = 0, listed = 0;
  g_autofree TgLoadEntry *entry = tg_load_take(load, &entries);
  for (int64_t l = 0; l < topology->links; l++) sum += expected[l];
  for (int64_t e = 0; e < entries; e++) {
    g_assert_cmpint(entry[e].bytes, ==, expected[entry[e].link]);
    listed += entry[e].bytes;
  }
  g_assert_cmpint(listed, ==, sum);
  tg_load_add(copy, entry, entries);
}

static void check_poured(const TgTopology *topology, TgLoad *load, const int64_t *expected) {
  g_autofree int64_t *total = g_new0(int64_t, topology->links + 1);
  int64_t most = 0;
  for (int64_t l = 0; l < topology->links; l++) most = MAX(most, expected[l]);
  g_assert_cmpint(tg_load_pour(load, total), ==, most);
  g_assert_cmpmem(total, (gsize)topology->links * 8, expected, (gsize)topology->links * 8);
}

/* Few messages keep to the list, many go through all links; a load that was emptied is as good as new. */
static void test_random_messages(void) {
  for (int network = 0; network < NETWORKS; network++) {
    TgTopology topology;
    TgLoad load, copy;
    g_autofree char *text = random_topology(&topology, TG_MAX_LEVELS, LARGEST);
    g_test_message("%s", text);
    g_autofree int64_t *total = g_new0(int64_t, topology.links + 1);
    tg_load_init(&load, &topology);
    tg_load_init(&copy, &topology);
    for (int messages = 0, round = 0; messages <= MESSAGES; messages = 3 * messages + 1) {
      g_autofree int64_t *expected = g_new0(int64_t, topology.links + 1);
      bool pours = round++ % 2;
      int span = g_test_rand_bit() ? topology.nodes : MIN(3, topology.nodes); /* long ways over few links, too */
      for (int m = 0; m < messages; m++) {
        int64_t from = g_test_rand_int_range(0, span), to = topology.nodes - 1 - g_test_rand_int_range(0, span);
        int64_t bytes = g_test_rand_int_range(0, 1000);
        add_hops(&topology, expected, from, to, bytes);
        if (!pours) add_hops(&topology, total, from, to, bytes);
        add_stretches(&topology, &load, from, to, bytes);
      }
      if (pours)
        check_poured(&topology, &load, expected);
      else
        check_taken(&topology, &load, expected, &copy);
    }
    check_poured(&topology, &copy, total);
    tg_load_clear(&load);
    tg_load_clear(&copy);
  }
}

/* --- the library's schedules ------------------------------------------------------------------------------------ */

/* What the run comes to, message by message: by step, and by link. */
typedef struct Oracle {
  GArray *step_bytes; /* int64_t */
  GArray *step_hop_bytes;
  GArray *step_max;
  int64_t *load, *total;
} Oracle;

static void close_oracle_step(Oracle *oracle, const TgTopology *topology, int64_t bytes, int64_t hop_bytes) {
  int64_t most = 0;
  for (int64_t l = 0; l < topology->links; l++) {
    most = MAX(most, oracle->load[l]);
    oracle->total[l] += oracle->load[l];
    oracle->load[l] = 0;
  }
  g_array_append_val(oracle->step_bytes, bytes);
  g_array_append_val(oracle->step_hop_bytes, hop_bytes);
  g_array_append_val(oracle->step_max, most);
}

static void count_message(Oracle *oracle, const TgTopology *topology, const TgEmbedding *embedding,
                          const TgMessage *message, int64_t *bytes, int64_t *hop_bytes) {
  const int64_t elements = 16; /* of a block: 4x4 */
  int64_t size = 8 * (tg_block_begin(elements, message->pieces, message->piece + 1) -
                      tg_block_begin(elements, message->pieces, message->piece));
  int64_t from = tg_embedding_node(embedding, message->from), to = tg_embedding_node(embedding, message->to);
  if (from == to) return;
  *bytes += size;
  *hop_bytes += size * tg_topology_distance(topology, from, to);
  add_hops(topology, oracle->load, from, to, size);
}

static bool does_something(const TgStatement *statement) {
  return tg_op_travels(statement->op);
}

static void run_oracle(const Bound *bound, const TgTopology *topology, const TgEmbedding *embedding, Oracle *oracle) {
  TgWalk walk;
  TgError error;
  int64_t step = 0, bytes = 0, hop_bytes = 0;
  oracle->step_bytes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  oracle->step_hop_bytes = g_array_new(FALSE, FALSE, sizeof(int64_t));
  oracle->step_max = g_array_new(FALSE, FALSE, sizeof(int64_t));
  oracle->load = g_new0(int64_t, topology->links + 1);
  oracle->total = g_new0(int64_t, topology->links + 1);
  tg_walk_init(&walk, &bound->schedule, &bound->names);
  while (tg_walk_next(&walk, &error) == TG_PROGRESS_MORE) {
    if (walk.step != step && step > 0) {
      close_oracle_step(oracle, topology, bytes, hop_bytes);
      bytes = hop_bytes = 0;
    }
    step = walk.step;
    if (!does_something(&bound->schedule.statement[walk.statement])) continue;
    TgMessages messages;
    TgMessage message;
    tg_messages_init(&messages, &walk, TG_COLLECTIVE_AUTO);
    while (tg_messages_next(&messages, &message, &error) == TG_PROGRESS_MORE)
      count_message(oracle, topology, embedding, &message, &bytes, &hop_bytes);
  }
  close_oracle_step(oracle, topology, bytes, hop_bytes);
}

static void clear_oracle(Oracle *oracle) {
  g_array_unref(oracle->step_bytes);
  g_array_unref(oracle->step_hop_bytes);
  g_array_unref(oracle->step_max);
  g_free(oracle->load);
  g_free(oracle->total);
}

static void compare(const Bound *bound, const TgTopology *topology, const TgEmbedding *embedding, const TgCost *cost) {
  Oracle oracle;
  run_oracle(bound, topology, embedding, &oracle);
  g_assert_cmpmem(cost->trace.link_bytes, (gsize)topology->links * 8, oracle.total, (gsize)topology->links * 8);
  for (int64_t s = 0; s < cost->trace.steps; s++) { /* steps without messages and products are left out */
    int64_t number = cost->trace.step[s].index - 1;
    g_assert_cmpint(cost->trace.step[s].bytes, ==, g_array_index(oracle.step_bytes, int64_t, number));
    g_assert_cmpint(cost->trace.step[s].hop_bytes, ==, g_array_index(oracle.step_hop_bytes, int64_t, number));
    g_assert_cmpint(cost->step_max_link_bytes[s], ==, g_array_index(oracle.step_max, int64_t, number));
  }
  clear_oracle(&oracle);
}

static void test_entry(const TgLibraryEntry *entry, const TgMachine *machine, const char *grid, const char *network) {
  const TgCostOptions options = {.as_executed = true, .overlap = true, .straggler = -1, .element_bytes = 8};
  Bound bound;
  TgTopology topology;
  TgEmbedding embedding;
  TgShape shape;
  TgCost cost;
  TgError failure;
  GError *error = NULL;
  g_test_message("%s on %s", entry->name, network);
  g_assert_true(bound_from(&bound, entry->text, grid, NULL));
  g_assert_true(tg_topology_parse(&topology, network, &failure));
  const TgSchedule *schedule = &bound.schedule;
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  g_assert_true(tg_shape_init(&shape, &schedule->computes, (int64_t)4 * c[0], (int64_t)4 * c[1],
                              (int64_t)4 * schedule->inner, &error));
  g_assert_true(tg_embedding_init(&embedding, TG_ROWMAJOR, schedule->dims, schedule->extent, &topology, &failure));
  tg_cost_predict(schedule, &bound.names, &shape, &topology, TG_ROWMAJOR, machine, &options, &cost, &error);
  g_assert_no_error(error);
  compare(&bound, &topology, &embedding, &cost);
  tg_cost_clear(&cost);
}

/* A network of the grid's form, where each processor stands on the node of its number, and another one. */
static void test_library(void) {
  static const char machine_text[] = "[machine]\nname = test\nsource = test\n[link]\nlatency_s = 1e-6\n"
                                     "bandwidth_bytes_per_s = 1.25e9\n[processor]\nflops_per_s = 1e9\n";
  static const char *const grids[] = {"", "8", "8x8", "4x4x4"};
  static const char *const networks[][2] = {
      {"", ""}, {"ring:8", "mesh:2x2"}, {"torus:8x8", "switch:4*mesh:3x6"}, {"torus:4x4x4", "hypercube:5"}};
  gsize count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgMachine machine;
  TgError failure;
  g_assert_true(tg_machine_parse(&machine, machine_text, strlen(machine_text), &failure));
  for (gsize i = 0; i < count * 2; i++) {
    Bound bound;
    const TgLibraryEntry *entry = &entries[i / 2];
    g_assert_true(tg_schedule_parse(&bound.schedule, &bound.names, entry->text, entry->length, &failure));
    int dims = bound.schedule.dims;
    test_entry(entry, &machine, grids[dims], networks[dims][i % 2]);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/loads/stretches", test_stretches);
  g_test_add_func("/loads/random-messages", test_random_messages);
  g_test_add_func("/loads/library", test_library);
  return g_test_run();
}

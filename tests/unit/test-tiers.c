/* Schedules whose blocks are on disks, worked by hand. Disks have 100 MB/s each way and no latency, links 1 GB/s and no
 * latency; products cost nothing, so that what streams for them decides. */
#include "algo-library.h"
#include "cost.h"
#include "sim-error.h"

#include <math.h>
#include <string.h>

typedef struct Case {
  const char *algorithm;
  int dims;
  int64_t grid[3];
  int64_t n;
  TgTierOptions tiers;
  const char *in_memory; /* one letter a buffer */
  TgCostModel model;
} Case;

static TgMachine machine_of(const char *flops, const char *device, const char *capacity) {
  g_autofree char *text = g_strdup_printf(
      "[link]\nlatency_s = 0\nbandwidth_bytes_per_s = 1e9\n[processor]\nflops_per_s = %s\n[disk]\nread_bytes_per_s = "
      "1e8\nwrite_bytes_per_s = 1e8\n[cache]\nread_bytes_per_s = inf\nwrite_bytes_per_s = inf\ncapacity_bytes = %s\n%s",
      flops, capacity, device);
  TgMachine machine;
  TgError error = {0};
  if (!tg_machine_parse(&machine, text, strlen(text), &error)) g_error("%s", error.message);
  return machine;
}

static uint32_t buffers_named(const TgScheduleNames *names, const char *letters) {
  uint32_t mask = 0;
  for (int b = 0; letters && b < TG_MAX_BUFFERS; b++)
    if (names->buffer[b] && strlen(names->text + names->buffer[b]) == 1 &&
        strchr(letters, names->text[names->buffer[b]]))
      mask |= 1u << b;
  return mask;
}

static bool bind(const Case *c, TgSchedule *schedule, TgScheduleNames *names) {
  const TgLibraryEntry *entry = tg_library_find(c->algorithm);
  TgBindings bindings = {.dims = c->dims};
  TgError error = {0};
  for (int d = 0; d < c->dims; d++) bindings.grid[d] = c->grid[d];
  g_assert_nonnull(entry);
  return tg_schedule_parse(schedule, names, entry->text, entry->length, &error) &&
         tg_schedule_bind(schedule, names, &bindings, &error);
}

static bool predict(const Case *c, const TgMachine *machine, TgCost *cost, GError **error) {
  g_autofree TgSchedule *schedule = g_new(TgSchedule, 1);
  g_autofree TgScheduleNames *names = g_new(TgScheduleNames, 1);
  TgShape shape;
  TgTopology network;
  TgError failure = {0};
  char text[32];
  if (!bind(c, schedule, names)) g_error("%s does not bind", c->algorithm);
  g_snprintf(text, sizeof text, "switch:%d", (int)tg_schedule_processors(schedule));
  g_assert_true(tg_topology_parse(&network, text, &failure));
  g_assert_true(tg_shape_init(&shape, &schedule->computes, c->n, c->n, c->n, NULL));
  TgCostOptions options = {.model = c->model,
                           .collective = TG_COLLECTIVE_AUTO,
                           .overlap = true,
                           .straggler = -1,
                           .element_bytes = 4,
                           .tiers = c->tiers};
  options.tiers.used = true;
  options.tiers.in_memory = buffers_named(names, c->in_memory);
  return tg_cost_predict(schedule, names, &shape, &network, TG_ROWMAJOR, machine, &options, cost, error);
}

static TgCost cost_of(const Case *c, const TgMachine *machine) {
  TgCost cost;
  GError *error = NULL;
  predict(c, machine, &cost, &error);
  g_assert_no_error(error);
  return cost;
}

static void near(double value, double expected) {
  if (fabs(value - expected) <= 1e-9 * fabs(expected)) return;
  g_test_message("%.15g, expected %.15g", value, expected);
  g_test_fail();
}

/* PEGMM, p = 2, n = 1000, every block one request. The root's disk copies its own panel of A, 2 MB, in 0.04 s and reads
 * the other until 0.06; that has arrived at 0.062 and is written at 0.082. B, 4 MB, is read until 0.102 and has arrived
 * at 0.106. Node 1 writes it from 0.106 to 0.146. The product reads 2 and 4 MB and writes 2: 0.08 s. */
static void test_in_turn(void) {
  TgMachine machine = machine_of("inf", "", "1");
  Case c = {.algorithm = "pegmm", .dims = 1, .grid = {2}, .n = 1000, .tiers = {.blocks = {1000, 1000, 1000}}};
  for (int pipelined = 0; pipelined < 2; pipelined++) {
    c.tiers.pipelined = pipelined;
    TgCost cost = cost_of(&c, &machine);
    near(cost.node_time_s[0], 0.186);
    near(cost.node_time_s[1], 0.226);
    near(cost.time_s, 0.226);
    near(cost.compute_s, pipelined ? 0.12 : 0.08);
    near(cost.trace.step[0].end_s, pipelined ? 0.106 : 0.146);
    tg_cost_clear(&cost);
  }
}

/* The same in blocks of 250 inner elements, 0.5 MB of A and 1 MB of B a request. Until 0.0605 the other panel has been
 * read and its last block sent; its last block is written at 0.0655. B: read from 0.0605 to 0.1005, sent until 0.1015,
 * written until 0.1115. Without pipelining it is as above. */
static void test_pipelined(void) {
  TgMachine machine = machine_of("inf", "", "1");
  Case c = {.algorithm = "pegmm",
            .dims = 1,
            .grid = {2},
            .n = 1000,
            .tiers = {.blocks = {500, 250, 1000}, .pipelined = true}};
  TgCost cost = cost_of(&c, &machine);
  near(cost.trace.step[0].end_s, 0.1015);
  near(cost.node_time_s[0], 0.1815);
  near(cost.node_time_s[1], 0.1115 + 0.08);
  tg_cost_clear(&cost);
  c.tiers.pipelined = false;
  cost = cost_of(&c, &machine);
  near(cost.time_s, 0.226);
  tg_cost_clear(&cost);
}

/* The same on a network of 10 MB/s. The first block that is sent has been read at 0.045, after the root's own copy;
 * then the network takes 0.2 s for A, and after B's first 0.01 s 0.4 s more. */
static void test_slow_network(void) {
  TgMachine machine = machine_of("inf", "", "1");
  Case c = {.algorithm = "pegmm",
            .dims = 1,
            .grid = {2},
            .n = 1000,
            .tiers = {.blocks = {500, 250, 1000}, .pipelined = true}};
  machine.link.bandwidth_bytes_per_s = 1e7;
  TgCost cost = cost_of(&c, &machine);
  near(cost.trace.step[0].end_s, 0.245 + 0.41);
  tg_cost_clear(&cost);
}

/* The bytes of the paper's Set 1 on four nodes with x = y = z = 8192, in units of 2^30: the root reads 8 to deal them
 * out; a node writes a quarter of A and all of B, the root its quarter only; the product reads (mk/p)(n/z) + kn and
 * writes a quarter of C. */
static void test_pegmm_bytes(void) {
  const double gib = 1073741824.0;
  TgMachine machine = machine_of("1e12", "", "1");
  Case c = {.algorithm = "pegmm",
            .dims = 1,
            .grid = {4},
            .n = 32768,
            .tiers = {.blocks = {8192, 8192, 8192}, .pipelined = true}};
  TgCost cost = cost_of(&c, &machine);
  near(cost.tiers.node_read_bytes[0], (8 + 8) * gib);
  near(cost.tiers.node_write_bytes[0], 2 * gib);
  for (int node = 1; node < 4; node++) {
    near(cost.tiers.node_read_bytes[node], 8 * gib);
    near(cost.tiers.node_write_bytes[node], (1 + 4 + 1) * gib);
  }
  near(cost.tiers.product.read_bytes, 8 * gib);
  g_assert_cmpint(cost.tiers.product.slowest, ==, TG_TIER_RESOURCE_DISK);
  tg_cost_clear(&cost);
}

/* Mod_PEGMM, X in memory: A is read once for each of four panels of B, the own panel of B once to multiply and three
 * times to send; C in four parts. */
static void test_mod_pegmm_bytes(void) {
  const double gib = 1073741824.0;
  TgMachine machine = machine_of("1e12", "", "1");
  Case c = {.algorithm = "mod-pegmm",
            .dims = 1,
            .grid = {4},
            .n = 32768,
            .tiers = {.blocks = {8192, 8192, 8192}, .pipelined = true},
            .in_memory = "X"};
  TgCost cost = cost_of(&c, &machine);
  for (int node = 0; node < 4; node++) {
    near(cost.tiers.node_read_bytes[node], (4 + 4 + (node ? 0 : 8)) * gib);
    near(cost.tiers.node_write_bytes[node], 3 * gib);
  }
  tg_cost_clear(&cost);
}

/* The root's panels are read once from its disk; all that is written stays in a cache that is large enough. */
static void test_cache(void) {
  const double gib = 1073741824.0;
  TgMachine machine = machine_of("1e12", "", "1e12");
  Case c = {.algorithm = "mod-pegmm",
            .dims = 1,
            .grid = {4},
            .n = 32768,
            .tiers = {.from = TG_PLACE_CACHE, .blocks = {8192, 8192, 8192}, .pipelined = true},
            .in_memory = "X"};
  TgCost cost = cost_of(&c, &machine);
  near(cost.tiers.node_read_bytes[0], 8 * gib);
  near(cost.tiers.node_read_bytes[1], 0);
  tg_cost_clear(&cost);
}

/* SUMMA on 2 x 2, panels in memory: a node reads its own block of A and of B once, to send them. C stays and is written
 * once where a block of it is all of it; otherwise every round reads and writes it. Each of the four broadcasts is read
 * in 0.04 s and sent in 0.004; at 0.176 the last panels are there, and C is written. */
static void test_sums(void) {
  TgMachine machine = machine_of("inf", "", "1");
  Case c = {.algorithm = "summa",
            .dims = 2,
            .grid = {2, 2},
            .n = 2000,
            .tiers = {.blocks = {1000, 1000, 1000}, .pipelined = true},
            .in_memory = "PQ"};
  TgCost whole = cost_of(&c, &machine);
  g_assert_true(whole.tiers.c_stays);
  near(whole.tiers.node_read_bytes[3], 8e6);
  near(whole.tiers.node_write_bytes[3], 4e6);
  near(whole.time_s, 0.176 + 0.04);
  c.tiers.blocks.x = 500;
  TgCost parts = cost_of(&c, &machine);
  g_assert_false(parts.tiers.c_stays);
  near(parts.tiers.node_read_bytes[3], 8e6 + 2 * 4e6);
  near(parts.tiers.node_write_bytes[3], 2 * 4e6);
  tg_cost_clear(&whole);
  tg_cost_clear(&parts);
}

/* DNS on 2 x 2 x 2, in blocks of 4 MB by processor (i, j, k). To lift, (i,1,0) reads A and (1,j,0) B for plane 1, which
 * writes them. To spread, on plane 0 (i,0) reads A and (0,j) B, on plane 1 (i,1) and (1,j), and the others write them.
 * All read two to multiply, and write one. To reduce, all read C, and plane 0 writes it. */
static void test_reduce(void) {
  static const double reads[8] = {5, 3, 5, 4, 5, 4, 5, 5}, writes[8] = {2, 3, 3, 3, 3, 3, 4, 3};
  TgMachine machine = machine_of("inf", "", "1");
  Case c = {.algorithm = "dns",
            .dims = 3,
            .grid = {2, 2, 2},
            .n = 2000,
            .tiers = {.blocks = {1000, 1000, 1000}, .pipelined = true}};
  TgCost cost = cost_of(&c, &machine);
  for (int node = 0; node < 8; node++) {
    near(cost.tiers.node_read_bytes[node], reads[node] * 4e6);
    near(cost.tiers.node_write_bytes[node], writes[node] * 4e6);
  }
  tg_cost_clear(&cost);
}

/* From the host the network costs what it did, and a product what pipeline.h says of it. */
static void test_host(void) {
  TgMachine machine =
      machine_of("1e9", "[device]\nread_bytes_per_s = 1e8\nwrite_bytes_per_s = 1e8\ncapacity_bytes = 1e9\n", "1");
  Case c = {.algorithm = "pegmm",
            .dims = 1,
            .grid = {2},
            .n = 1000,
            .tiers = {.from = TG_PLACE_HOST, .blocks = {500, 250, 1000}, .pipelined = true}};
  TgCost cost = cost_of(&c, &machine);
  near(cost.trace.step[0].end_s, 0.006);
  near(cost.time_s, 0.006 + 1 + 0.06 / 4 + 0.02); /* 1e9 flops; the first blocks to the device, C from it */
  near(cost.tiers.node_disk_s[1], 0);
  tg_cost_clear(&cost);
}

static void refused(const Case *c, const TgMachine *machine, TgSimError code, const char *words) {
  TgCost cost;
  g_autoptr(GError) error = NULL;
  g_assert_false(predict(c, machine, &cost, &error));
  g_assert_error(error, TG_SIM_ERROR, (int)code);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, words));
}

static void test_refusals(void) {
  TgMachine machine =
      machine_of("1e9", "[device]\nread_bytes_per_s = 1e8\nwrite_bytes_per_s = 1e8\ncapacity_bytes = 1e6\n", "1");
  Case c = {.algorithm = "pegmm", .dims = 1, .grid = {2}, .n = 1000, .tiers = {.blocks = {500, 500, 500}}};
  refused(&c, &machine, TG_SIM_ERROR_TOO_LARGE, "need 3e+06 bytes of the device's memory, which has 1e+06");
  c.tiers.blocks = (TgProductBlocks){100, 100, 100};
  c.model = TG_COST_LOGGP;
  refused(&c, &machine, TG_SIM_ERROR_BAD_INPUT, "does not support memory tiers");
  c.model = TG_COST_HOCKNEY;
  c.algorithm = "transpose";
  c.dims = 2;
  c.grid[1] = 2;
  refused(&c, &machine, TG_SIM_ERROR_BAD_INPUT, "need a product");
}

/* Any schedule of the library, any size: pipelining never costs, disks serve no longer than the run takes, and what is
 * in memory costs no more than what is on disks. */
static void test_library(void) {
  static const Case cases[] = {
      {.algorithm = "pegmm", .dims = 1, .grid = {3}, .n = 1000},
      {.algorithm = "mod-pegmm", .dims = 1, .grid = {5}, .n = 777},
      {.algorithm = "ring", .dims = 1, .grid = {4}, .n = 640},
      {.algorithm = "cannon", .dims = 2, .grid = {3, 3}, .n = 300},
      {.algorithm = "summa", .dims = 2, .grid = {4, 4}, .n = 512},
      {.algorithm = "fox", .dims = 2, .grid = {3, 3}, .n = 301},
      {.algorithm = "allgather", .dims = 2, .grid = {2, 2}, .n = 256},
      {.algorithm = "dns", .dims = 3, .grid = {2, 2, 2}, .n = 200},
  };
  TgMachine machine = machine_of("1e9", "", "1e6");
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
    for (int from = TG_PLACE_DISK; from <= TG_PLACE_CACHE; from++) {
      Case c = cases[i];
      c.tiers = (TgTierOptions){.from = (TgPlace)from, .blocks = {100, 50, 100}};
      TgCost off = cost_of(&c, &machine);
      c.tiers.pipelined = true;
      TgCost on = cost_of(&c, &machine);
      c.tiers.from = TG_PLACE_HOST;
      TgCost memory = cost_of(&c, &machine);
      g_test_message("%s: %g, %g, %g s", c.algorithm, off.time_s, on.time_s, memory.time_s);
      g_assert_cmpfloat(on.time_s, <=, off.time_s * (1 + 1e-12));
      g_assert_cmpfloat(memory.time_s, <=, on.time_s);
      for (int64_t n = 0; n < on.nodes; n++) {
        g_assert_cmpfloat(on.tiers.node_disk_s[n], <=, on.time_s * (1 + 1e-12));
        near(on.tiers.node_disk_s[n], (on.tiers.node_read_bytes[n] + on.tiers.node_write_bytes[n]) / 1e8);
      }
      tg_cost_clear(&off);
      tg_cost_clear(&on);
      tg_cost_clear(&memory);
    }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/tiers/in-turn", test_in_turn);
  g_test_add_func("/tiers/pipelined", test_pipelined);
  g_test_add_func("/tiers/slow-network", test_slow_network);
  g_test_add_func("/tiers/pegmm-bytes", test_pegmm_bytes);
  g_test_add_func("/tiers/mod-pegmm-bytes", test_mod_pegmm_bytes);
  g_test_add_func("/tiers/cache", test_cache);
  g_test_add_func("/tiers/sums", test_sums);
  g_test_add_func("/tiers/reduce", test_reduce);
  g_test_add_func("/tiers/host", test_host);
  g_test_add_func("/tiers/refusals", test_refusals);
  g_test_add_func("/tiers/library", test_library);
  return g_test_run();
}

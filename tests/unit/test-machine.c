/* Machine files: what each key means, what it is where it is absent, and the machines of the library. */
#include "machine-library.h"
#include "machine.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static TgMachine parse(const char *text) {
  TgMachine machine;
  TgError error = {0};
  if (!tg_machine_parse(&machine, text, strlen(text), &error))
    g_error("%d:%d: %s", error.line, error.column, error.message);
  return machine;
}

static TgTopology network(const char *text) {
  TgTopology topology;
  TgError error;
  if (!tg_topology_parse(&topology, text, &error)) g_error("%s", error.message);
  return topology;
}

#define LINK "[link]\nlatency_s = 1e-6\nbandwidth_bytes_per_s = 1.25e9\n"
#define PROCESSOR "[processor]\nflops_per_s = 1e12\n"

static const char example[] = "[machine]\n"
                              "name = commodity cluster\n"
                              "source = where each number comes from\n"
                              "[link]                               # or [link.0]\n"
                              "latency_s = 1e-6                     # per message\n"
                              "per_hop_s = 0\n"
                              "bandwidth_bytes_per_s = 1.25e9\r\n"
                              "duplex = half                        # full | half\n"
                              "protocols = 8192:2e-6:1e9; 65536:4e-6:inf;\n"
                              "\n"
                              "[port]\n"
                              "ports = all\n"
                              "overhead_s = 2e-7\n"
                              "gap_s=3e-7\n"
                              "receives = arrival\n"
                              "[processor]\n"
                              "rate = 64:2e10; 512:4e11\n"
                              "memory_bytes = 16e9\n"
                              "[disk]\n"
                              "  read_bytes_per_s = 1e9\n"
                              "  write_bytes_per_s = inf\n"
                              "  latency_s = 0.01\n"
                              "  capacity_bytes = 1e12";

static void every_key_is_read(void) {
  const TgMachine machine = parse(example);
  g_assert_cmpstr(machine.name, ==, "commodity cluster");
  g_assert_cmpstr(machine.source, ==, "where each number comes from");
  g_assert_true(machine.link.latency_s == 1e-6 && machine.link.per_hop_s == 0);
  g_assert_true(machine.link.bandwidth_bytes_per_s == 1.25e9 && machine.link.duplex == TG_DUPLEX_HALF);
  g_assert_cmpint(machine.link.protocols.rows, ==, 2);
  g_assert_true(machine.link.protocols.row[1].from_bytes == 65536 && machine.link.protocols.row[1].latency_s == 4e-6);
  g_assert_true(isinf(machine.link.protocols.row[1].bandwidth_bytes_per_s));
  g_assert_true(machine.port.ports == TG_PORTS_ALL);
  g_assert_true(machine.port.overhead_s == 2e-7 && machine.port.gap_s == 3e-7);
  g_assert_true(machine.port.receives == TG_RECEIVES_ARRIVAL);
  g_assert_cmpint(machine.processor.rate.rows, ==, 2);
  g_assert_true(machine.processor.rate.row[1].size == 512 && machine.processor.rate.row[1].flops_per_s == 4e11);
  g_assert_true(machine.processor.memory_bytes == 16e9);
  const TgMachineTier *disk = tg_machine_tier(&machine, TG_TIER_DISK);
  g_assert_nonnull(disk);
  g_assert_true(disk->read_bytes_per_s == 1e9 && isinf(disk->write_bytes_per_s));
  g_assert_true(disk->latency_s == 0.01 && disk->capacity_bytes == 1e12);
  g_assert_null(tg_machine_tier(&machine, TG_TIER_CACHE));
  g_assert_null(tg_machine_tier(&machine, TG_TIER_DEVICE));
}

static void defaults_are_those_of_the_document(void) {
  const TgMachine machine = parse(LINK PROCESSOR "[device]\nread_bytes_per_s = 1\nwrite_bytes_per_s = 2\n");
  g_assert_true(*machine.name == 0 && *machine.source == 0 && *machine.network == 0 && machine.residual == 0);
  g_assert_true(machine.link.per_hop_s == 0 && machine.link.duplex == TG_DUPLEX_FULL);
  g_assert_cmpint(machine.link.protocols.rows, ==, 0);
  g_assert_true(machine.port.ports == TG_PORTS_ONE && machine.port.overhead_s == 0 && machine.port.gap_s == 0 &&
                machine.port.receives == TG_RECEIVES_ENTERED);
  g_assert_true(isinf(machine.processor.memory_bytes));
  const TgMachineTier *device = tg_machine_tier(&machine, TG_TIER_DEVICE);
  g_assert_true(device->latency_s == 0 && isinf(device->capacity_bytes));
}

/* 13 rows are 8, 4 and 1; of columns 4 are taken at a time, and 3 are 2 and 1. */
static void rests_take_longer(void) {
  const TgMachine machine = parse(LINK "[processor]\nrate = 64:2e10; 128:4e10\nrest_rows = 1:2; 2:3; 4:6; 8:10\n"
                                       "rest_columns = 1:1.5; 2:3.5\n");
  g_assert_true(tg_machine_tiled_rows(&machine, 13) == 2 + 6 + 10 && tg_machine_tiled_rows(&machine, 32) == 32);
  g_assert_true(tg_machine_tiled_columns(&machine, 7) == 4 + 5 && tg_machine_tiled_columns(&machine, 0) == 0);
  g_assert_true(tg_machine_tiled_elements(&machine, 13, 7) == 18 * 9);
  const double alone_s = tg_machine_product_s(&machine, 64, 64, 64),
               more_s = tg_machine_product_s(&machine, 65, 64, 64);
  const double size = cbrt(66. * 64 * 64), rate = 2e10 + (size - 64) / 64 * 2e10;
  g_assert_true(alone_s == 2. * 64 * 64 * 64 / 2e10);
  g_assert_cmpfloat_with_epsilon(more_s, 2. * 66 * 64 * 64 / rate, 1e-12 * more_s);
}

static void assert_protocol(const TgMachineLink *link, double bytes, double latency_s, double bandwidth) {
  const TgMachineProtocol protocol = tg_link_protocol(link, bytes);
  g_assert_true(protocol.latency_s == latency_s && protocol.bandwidth_bytes_per_s == bandwidth);
  g_assert_true(tg_link_s(link, bytes) == latency_s + bytes / bandwidth);
}

/* A section takes those of [link], unless it gives a latency or a bandwidth. */
static void a_message_has_the_protocol_of_its_size(void) {
  const TgMachine machine = parse("[link]\nlatency_s = 1e-6\nbandwidth_bytes_per_s = 2e9\n"
                                  "protocols = 1000:3e-6:1e9; 5000:2e-6:8e9\n[link.1]\nper_hop_s = 7e-6\n"
                                  "[link.0]\nprotocols = 10:0:inf\n[link.2]\nlatency_s = 7e-6\n" PROCESSOR);
  TgTopology torus;
  TgError error;
  g_assert_true(tg_topology_parse(&torus, "torus:4x4x4", &error));
  const TgMachineLink third = tg_machine_link(&machine, &torus, 0, 2);
  const TgMachineLink first = tg_machine_link(&machine, &torus, 0, 0), second = tg_machine_link(&machine, &torus, 0, 1);
  assert_protocol(&first, 9, 1e-6, 2e9);
  assert_protocol(&first, 10, 0, INFINITY);
  assert_protocol(&second, 999, 1e-6, 2e9);
  assert_protocol(&third, 1e9, 7e-6, 2e9);
  assert_protocol(&second, 1000, 3e-6, 1e9);
  assert_protocol(&second, 1e9, 2e-6, 8e9);
  g_assert_true(tg_link_capacity(&second) == 8e9 && tg_link_capacity(&first) == 2e9);
  g_assert_true(tg_link_best(&second, 0).latency_s == 1e-6 && tg_link_best(&second, 0).bandwidth_bytes_per_s == 8e9);
  g_assert_true(tg_link_best(&first, 0).latency_s == 0 && isinf(tg_link_best(&first, 0).bandwidth_bytes_per_s));
}

static void rates_are_interpolated_in_the_size(void) {
  const TgMachine machine = parse(LINK "[processor]\nrate = 64:2e10; 512:4e11; 1024:3e11;\n");
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 64, 64, 64), 2e10, 1);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 288, 288, 288), 2.1e11, 100);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 64, 512, 4096), 4e11, 1000); /* 512^3 in all */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 768, 768, 768), 3.5e11, 1000);
  g_assert_true(tg_machine_flops_per_s(&machine, 1, 1, 1) == 2e10);
  g_assert_true(tg_machine_flops_per_s(&machine, 1100, 1100, 1100) == 3e11);
  g_assert_true(tg_machine_flops_per_s(&machine, 1 << 20, 1 << 20, 1 << 20) == 3e11);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&machine, 64, 512, 4096), 2 * 134217728.0 / 4e11, 1e-9);
}

/* Rates of k = 8 m: half, and twice, those of cubic products; a geometric mean where k is less than 8 m. */
static void deep_products_have_rates_of_their_own(void) {
  const TgMachine machine = parse(LINK "[processor]\nrate = 64:2e10; 512:4e11; 1024:3e11\n"
                                       "deep_rate = 64:1e10; 512:8e11\n");
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 32, 32, 256), 1e10, 1);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 256, 256, 2048), 8e11, 100);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 256, 8, 65536), 8e11, 100);  /* deeper: the same */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 8, 8, 64), 1e10, 1);         /* half of 2e10 */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 512, 512, 4096), 6e11, 100); /* twice 3e11 */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 256, 512, 1024), 4e11 * cbrt(2), 100);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 8, 64, 64), 2e10, 1); /* few rows are not deep */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 512, 512, 512), 4e11, 100);
  g_assert_cmpfloat_with_epsilon(tg_machine_best_flops_per_s(&machine), 8e11, 100);
}

/* 100 x 200 of C in tiles of 64 x 128 are 128 x 256. */
/* With two of eight at work twice as fast, with four 1.4 times; three are halfway between, log2(3) being 1.58. */
static void speedup_with_fewer_are_faster(void) {
  const TgMachine machine =
      parse(LINK "[processor]\nrate = 64:2e10; 128:4e10\nadditions_per_s = 3e9\na_elements_per_s = 1e9\n"
                 "[executor]\nat_once = 8\nspeedup_with_fewer = 2:2; 4:1.4\n");
  const double at_once[] = {1, 2, 3, 4, 6, 8, 16};
  const double speedup[] = {2, 2, 2 - 0.6 * (log2(3) - 1), 1.4, 1.4 - 0.4 * (log2(6) - 2), 1, 1};
  for (int i = 0; i < 7; i++)
    g_assert_cmpfloat_with_epsilon(tg_machine_speedup(&machine, at_once[i]), speedup[i], 1e-12);
  TgMachine two = machine;
  tg_machine_set_at_once(&two, 2);
  g_assert_cmpfloat(two.processor.rate.row[1].flops_per_s, ==, 8e10);
  g_assert_cmpfloat(two.processor.additions_per_s, ==, 6e9);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&two, 64, 64, 8), tg_machine_product_s(&machine, 64, 64, 8) / 2,
                                 1e-12);
  const TgMachine plain = parse(LINK PROCESSOR);
  g_assert_cmpfloat(tg_machine_speedup(&plain, 3), ==, 1);
}

static void tiles_are_whole(void) {
  const TgMachine constant = parse(LINK "[processor]\nflops_per_s = 1e12\ntile_rows = 64\ntile_columns = 128\n");
  const TgMachine table = parse(LINK "[processor]\nrate = 64:2e10; 128:4e10\ntile_rows = 64\n");
  g_assert_true(tg_machine_tiled_elements(&constant, 100, 200) == 128 * 256);
  g_assert_true(tg_machine_tiled_elements(&constant, 64, 128) == 64 * 128);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&constant, 100, 200, 300), 2e-12 * 128 * 256 * 300, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&table, 1, 64, 64), 2.0 * 64 * 64 * 64 / 2e10, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&table, 65, 128, 128), 2.0 * 128 * 128 * 128 / 4e10, 1e-12);
  g_assert_true(tg_machine_product_s(&constant, 0, 200, 300) == 0);
}

static void products_take_no_time_without_operations(void) {
  const TgMachine constant = parse(LINK PROCESSOR), endless = parse(LINK "[processor]\nflops_per_s = inf\n");
  const TgMachine table = parse(LINK "[processor]\nrate = 64:2e10\n");
  g_assert_true(tg_machine_product_s(&constant, 100, 200, 300) == 12e6 / 1e12);
  g_assert_true(tg_machine_product_s(&endless, 100, 200, 300) == 0);
  /* 8 x 2 by 2 x 32 is as much work as 8^3, but its C has 256 elements instead of 64. */
  const TgMachine thin = parse(LINK "[processor]\nflops_per_s = inf\nproduct_s = 1e-3\na_elements_per_s = 2000\n"
                                    "b_elements_per_s = 8000\nc_elements_per_s = 1000\n");
  /* 512 multiply-adds each: a cubic product has 64 elements of A, B and C */
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&thin, 8, 32, 2), 1e-3 - 0.024 + 0 + 0.192, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&thin, 8, 2, 32), 1e-3 + 0.096 + 0 - 0.048, 1e-12);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&thin, 2, 16, 16), 1e-3, 1e-12); /* -0.016 + 0.024 - 0.032 */
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&thin, 64, 64, 64), 1e-3, 1e-12);
  g_assert_true(tg_machine_product_s(&thin, 0, 64, 64) == 0);
  g_assert_true(tg_machine_product_s(&constant, 100, 0, 300) == 0);
  g_assert_true(tg_machine_product_s(&table, 0, 0, 0) == 0);
}

/* Levels innermost first, axes outermost first, keys one by one. */
static const char composed[] = "[link]\nlatency_s = 1\nper_hop_s = 2\nbandwidth_bytes_per_s = 3\n"
                               "[level.0]\nbandwidth_bytes_per_s = 30\n"
                               "[level.1]\nlatency_s = 100\n"
                               "[link.0]\nlatency_s = 1000\n"
                               "[link.2]\nduplex = half\n" PROCESSOR;

static void links_take_each_key_from_the_nearest_section(void) {
  const TgMachine machine = parse(composed);
  const TgTopology topology = network("switch:4*torus:2x4");
  g_assert_true(tg_machine_fits(&machine, &topology, NULL));
  const TgMachineLink first = tg_machine_link(&machine, &topology, 1, 0);
  g_assert_true(first.latency_s == 1000 && first.per_hop_s == 2 && first.bandwidth_bytes_per_s == 3);
  const TgMachineLink second = tg_machine_link(&machine, &topology, 1, 1);
  g_assert_true(second.latency_s == 100 && second.per_hop_s == 2 && second.bandwidth_bytes_per_s == 3);
  g_assert_cmpint(second.duplex, ==, TG_DUPLEX_FULL);
  const TgMachineLink inner = tg_machine_link(&machine, &topology, 0, 0);
  g_assert_true(inner.latency_s == 1 && inner.per_hop_s == 2 && inner.bandwidth_bytes_per_s == 30);
  g_assert_cmpint(inner.duplex, ==, TG_DUPLEX_HALF);
}

/* Where each coordinate is an axis, tg_machine_axis() numbers them as tg_topology_coordinates() does. */
static void axes_are_numbered_as_coordinates(void) {
  const TgTopology topology = network("mesh:2x3*torus:3x4x5");
  for (int64_t id = 0; id < topology.links; id++) {
    TgLink link;
    int32_t from[TG_MAX_COORDINATES], to[TG_MAX_COORDINATES];
    tg_topology_link(&topology, id, &link);
    if (link.from >= topology.nodes || link.to >= topology.nodes) continue;
    const int count = tg_topology_coordinates(&topology, link.from, from);
    tg_topology_coordinates(&topology, link.to, to);
    const int axis = tg_machine_axis(&topology, link.level, link.axis);
    for (int i = 0; i < count; i++) g_assert_true((from[i] != to[i]) == (i == axis));
  }
  const TgTopology cube = network("switch:4*hypercube:5");
  g_assert_cmpint(tg_machine_axis(&cube, 1, 4), ==, 4);
  g_assert_cmpint(tg_machine_axis(&cube, 0, 0), ==, 5);
}

static void links_of_absent_levels_and_axes_do_not_fit(void) {
  TgError error = {0};
  const TgMachine machine = parse(composed), levels = parse(LINK "[level.1]\nlatency_s = 0\n" PROCESSOR);
  const TgMachine named =
      parse("[machine]\nname = m\nnetwork = switch:4*switch:8\n" LINK "[level.1]\nlatency_s = 0\n" PROCESSOR);
  TgTopology topology = network("torus:4x4x4");
  g_assert_false(tg_machine_fits(&levels, &topology, &error));
  g_assert_cmpstr(
      error.message, ==,
      "the machine has numbers for [level.1], which torus:4x4x4 does not have; choose a network that has it "
      "(--network, or network = in the file), or leave the section out");
  g_assert_false(tg_machine_fits(&named, &topology, &error));
  g_assert_cmpstr(error.message, ==,
                  "machine m has numbers for [level.1], which torus:4x4x4 does not have; choose "
                  "switch:4*switch:8, which it describes, or leave the section out");
  const TgMachine titled = parse("[machine]\nname = m\n" LINK "[link.3]\nlatency_s = 0\n" PROCESSOR);
  g_assert_false(tg_machine_fits(&titled, &topology, &error));
  g_assert_cmpstr(error.message, ==,
                  "machine m has numbers for [link.3], which torus:4x4x4 does not have; choose a network that has it "
                  "(--network, or network = in the file), or leave the section out");
  topology = network("ring:4*ring:4");
  g_assert_true(tg_machine_fits(&levels, &topology, &error));
  g_assert_false(tg_machine_fits(&machine, &topology, &error));
  g_assert_nonnull(strstr(error.message, "[link.2], which ring:4*ring:4 does not have"));
  topology = network("full:4*ring:2*ring:2");
  g_assert_true(tg_machine_fits(&machine, &topology, &error));
}

static void zero_has_no_sign(void) {
  const TgMachine machine = parse("[link]\nlatency_s = -0\nbandwidth_bytes_per_s = 1\n" PROCESSOR);
  g_assert_true(machine.link.latency_s == 0 && !signbit(machine.link.latency_s));
}

static void text_reads_back(const TgMachine *machine) {
  g_autofree char *text = tg_machine_text(machine);
  const TgMachine back = parse(text);
  g_assert_cmpmem(machine, sizeof *machine, &back, sizeof back);
}

static void machines_read_back_what_is_written(void) {
  const TgMachine first = parse(example), second = parse(composed);
  text_reads_back(&first);
  text_reads_back(&second);
  const TgMachine odd = parse("[machine]\nname = a#b = [c] \u00e9\n" LINK
                              "[processor]\nflops_per_s = 0.12345678901234567\nmemory_bytes = inf\n");
  g_assert_cmpstr(odd.name, ==, "a#b = [c] \u00e9");
  text_reads_back(&odd);
  const TgMachine short_one = parse(LINK "[processor]\nflops_per_s = 5.212e9\nadditions_per_s = 3.91\n");
  g_autofree char *text = tg_machine_text(&short_one);
  g_assert_nonnull(strstr(text, "\nflops_per_s = 5212000000\nadditions_per_s = 3.91\n"));
}

/* Each machine of the library names its source, fits the network that it describes, and reads back. */
static void library_is_sound(void) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  g_assert_cmpuint(count, >=, 6);
  for (size_t i = 0; i < count; i++) {
    g_test_message("%s", entries[i].name);
    g_assert_true(i == 0 || strcmp(entries[i - 1].name, entries[i].name) < 0);
    g_assert_cmpuint(strlen(entries[i].text), ==, entries[i].length);
    g_assert_true(tg_machine_library_find(entries[i].name) == &entries[i]);
    const TgMachine machine = parse(entries[i].text);
    text_reads_back(&machine);
    g_assert_true(*machine.name && *machine.source);
    if (!*machine.network) continue;
    const TgTopology topology = network(machine.network);
    g_assert_true(tg_machine_fits(&machine, &topology, NULL));
  }
  static const char *const absent[] = {"", "Ideal", "idea", "ideal ", "ideal.machine", "zzz"};
  for (size_t i = 0; i < G_N_ELEMENTS(absent); i++) g_assert_null(tg_machine_library_find(absent[i]));
}

static TgMachine library(const char *name) {
  return parse(tg_machine_library_find(name)->text);
}

/* The numbers that other documents lean on. */
static void library_has_its_numbers(void) {
  const TgMachine commodity = library("commodity-cluster"), ideal = library("ideal"), gpus = library("h200x4");
  g_assert_true(commodity.link.latency_s == 1e-6 && commodity.link.bandwidth_bytes_per_s == 1.25e9);
  g_assert_true(ideal.link.latency_s == 1 && ideal.link.bandwidth_bytes_per_s == sizeof(float));
  g_assert_true(tg_machine_product_s(&ideal, 3, 5, 7) == 3 * 5 * 7);
  g_assert_true(gpus.link.latency_s == 36e-6 && gpus.link.bandwidth_bytes_per_s == 302e9);
  const TgMachine hosts = library("h200x32");
  const TgTopology topology = network(hosts.network);
  g_assert_true(tg_machine_link(&hosts, &topology, 0, 0).bandwidth_bytes_per_s == 302e9);
  g_assert_true(tg_machine_link(&hosts, &topology, 1, 0).bandwidth_bytes_per_s == 50e9);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/machine/every-key-is-read", every_key_is_read);
  g_test_add_func("/machine/defaults", defaults_are_those_of_the_document);
  g_test_add_func("/machine/zero", zero_has_no_sign);
  g_test_add_func("/machine/rests", rests_take_longer);
  g_test_add_func("/machine/protocols", a_message_has_the_protocol_of_its_size);
  g_test_add_func("/machine/rates", rates_are_interpolated_in_the_size);
  g_test_add_func("/machine/deep-products", deep_products_have_rates_of_their_own);
  g_test_add_func("/machine/fewer-at-once", speedup_with_fewer_are_faster);
  g_test_add_func("/machine/tiles", tiles_are_whole);
  g_test_add_func("/machine/no-operations", products_take_no_time_without_operations);
  g_test_add_func("/machine/links", links_take_each_key_from_the_nearest_section);
  g_test_add_func("/machine/axes", axes_are_numbered_as_coordinates);
  g_test_add_func("/machine/fits", links_of_absent_levels_and_axes_do_not_fit);
  g_test_add_func("/machine/text", machines_read_back_what_is_written);
  g_test_add_func("/machine/library", library_is_sound);
  g_test_add_func("/machine/library-numbers", library_has_its_numbers);
  return g_test_run();
}

/* Machine files: what each key means, what is refused and in which words, and the machines of the library. */
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
                              "\n"
                              "[port]\n"
                              "ports = all\n"
                              "overhead_s = 2e-7\n"
                              "gap_s=3e-7\n"
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
  g_assert_true(machine.port.ports == TG_PORTS_ALL);
  g_assert_true(machine.port.overhead_s == 2e-7 && machine.port.gap_s == 3e-7);
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
  g_assert_true(machine.port.ports == TG_PORTS_ONE && machine.port.overhead_s == 0 && machine.port.gap_s == 0);
  g_assert_true(isinf(machine.processor.memory_bytes));
  const TgMachineTier *device = tg_machine_tier(&machine, TG_TIER_DEVICE);
  g_assert_true(device->latency_s == 0 && isinf(device->capacity_bytes));
}

/* A whole file, and what is said of it. */
typedef struct Bad {
  const char *text;
  int line, column;
  const char *message;
} Bad;

static const Bad bad[] = {
    /* units forgotten or written */
    {"[link]\nbandwidth = 10\n", 2, 1, "unknown key `bandwidth` in [link], did you mean `bandwidth_bytes_per_s`?"},
    {"[link]\n  latency = 1\n", 2, 3, "unknown key `latency` in [link], did you mean `latency_s`?"},
    {"[link]\nbandwidth_bytes_per_s = 10 Gbit/s\n", 2, 25,
     "`10 Gbit/s` has a unit; bandwidth_bytes_per_s counts in bytes per second, so write 1.25e+09"},
    {"[link]\nbandwidth_bytes_per_s = 100Gbps\n", 2, 25,
     "`100Gbps` has a unit; bandwidth_bytes_per_s counts in bytes per second, so write 1.25e+10"},
    {"[link]\nbandwidth_bytes_per_s = 1.5GiB/s\n", 2, 25,
     "`1.5GiB/s` has a unit; bandwidth_bytes_per_s counts in bytes per second, so write 1.61061274e+09"},
    {"[link]\nlatency_s = 1.5 \u00b5s # per message\n", 2, 13,
     "`1.5 \u00b5s` has a unit; latency_s counts in seconds, so write 1.5e-06"},
    {"[link]\nlatency_s = 10 GB/s\n", 2, 13,
     "`10 GB/s` is no plain number; latency_s counts in seconds: write a number such as 1e-6"},
    {"[processor]\nmemory_bytes = 16 GB\n", 2, 16,
     "`16 GB` has a unit; memory_bytes counts in bytes, so write 1.6e+10"},
    {"[processor]\nflops_per_s = 2 TFLOPS\n", 2, 15,
     "`2 TFLOPS` has a unit; flops_per_s counts in floating-point operations per second, so write 2e+12"},
    {"[machine]\nresidual = 5%\n", 2, 12, "`5%` has a unit; residual counts in a fraction of 1, so write 0.05"},
    {"[machine]\nresidual = 150%\n", 2, 12,
     "`150%` is no plain number; residual counts in a fraction of 1: write a number such as 0.1"},
    {"[link]\nlatency_s = -5 us\n", 2, 13,
     "`-5 us` is no plain number; latency_s counts in seconds: write a number such as 1e-6"},
    /* numbers out of range, or none */
    {"[link]\nbandwidth_bytes_per_s = 0\n", 2, 25,
     "bandwidth_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = -1e9\n", 2, 25,
     "bandwidth_bytes_per_s = -1e9 is negative; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = 1e999\n", 2, 25,
     "bandwidth_bytes_per_s = 1e999 is too large for a number; write more than 0, such as 1.25e9, or inf"},
    {"[link]\nbandwidth_bytes_per_s = nan\n", 2, 25,
     "`nan` is no plain number; bandwidth_bytes_per_s counts in bytes per second: write a number such as 1.25e9, or "
     "inf"},
    {"[link]\nlatency_s = -1e-6\n", 2, 13, "latency_s = -1e-6 is negative; write 0 or more, such as 1e-6"},
    {"[link]\nlatency_s = inf\n", 2, 13, "latency_s = inf is not finite; write 0 or more, such as 1e-6"},
    {"[link]\nlatency_s = 0x10\n", 2, 13,
     "`0x10` is no plain number; latency_s counts in seconds: write a number such as 1e-6"},
    {"[link]\nlatency_s = 1,5e-6\n", 2, 13,
     "`1,5e-6` is no plain number; latency_s counts in seconds: write a number such as 1e-6"},
    {"[link]\nlatency_s = # later\n", 2, 12, "latency_s has no value; write a number of seconds, such as 1e-6"},
    {"[machine]\nresidual = 1\n", 2, 12, "residual = 1 is not below 1; write 0 or more, such as 0.1"},
    {"[link.0]\nbandwidth_bytes_per_s = 0\n", 2, 25,
     "bandwidth_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    {"[disk]\nread_bytes_per_s = 0\n", 2, 20,
     "read_bytes_per_s = 0 is zero; write more than 0, such as 1.25e9, or inf"},
    /* tables of rates */
    {"[processor]\nrate = 64:2e10; 64:4e11\n", 2, 17,
     "the size 64 is no larger than the one before it; write rows by increasing size"},
    {"[processor]\nrate = 512:2e10; 64:4e11\n", 2, 18,
     "the size 64 is no larger than the one before it; write rows by increasing size"},
    {"[processor]\nrate = 2e10\n", 2, 8,
     "`2e10` is no row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate =\n", 2, 7, "`` is no row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate = 64:2e10;; 512:4e11\n", 2, 16,
     "`` is no row of a table; write size:flop/s, as in rate = 64:2e10; 512:4e11"},
    {"[processor]\nrate = 0:1\n", 2, 8, "the size = 0 is zero; write more than 0, such as 512"},
    {"[processor]\nrate = 64:0\n", 2, 8, "the rate = 0 is zero; write more than 0, such as 1e12, or inf"},
    {"[processor]\nrate = 64:inf\n", 2, 8,
     "a rate in a table is finite; write flops_per_s = inf in place of the table"},
    {"[processor]\nflops_per_s = 1\nrate = 64:2e10\n" LINK, 3, 1,
     "[processor] has both flops_per_s and a table, rate; keep one of them"},
    /* words and texts */
    {"[link]\nduplex = both\n", 2, 10, "duplex = both is unknown; write full or half"},
    {"[port]\nports = 1\n", 2, 9, "ports = 1 is unknown; write one or all"},
    {"[machine]\nname =\n", 2, 7, "name has no text; write one, or leave the line out"},
    {"[machine]\nname = 0123456789012345678901234567890123456789012345678901234567890123\n", 2, 8,
     "name is 64 bytes long; shorten it to 63"},
    {"[machine]\nnetwork = switch:4*tours:8\n", 2, 20,
     "network: switch:4*tours:8: at column 10 there is no network 'tours', expected torus, mesh, ring, line, "
     "hypercube, "
     "full or switch"},
    /* sections and keys */
    {"latency_s = 1\n", 1, 1, "`latency_s` stands before the first section; write [machine] or its section above it"},
    {"[links]\n", 1, 2, "unknown section [links], did you mean [link]?"},
    {"# network\n[network]\n", 2, 2,
     "unknown section [network]; the sections are [machine], [link], [link.AXIS], [level.LEVEL], [port], [processor], "
     "[disk], [cache] and [device]"},
    {"[level]\n", 1, 7, "[level. needs the number of one, from 0 to 2, as in [level.0]"},
    {"[level.3]\n", 1, 7, "[level. needs the number of one, from 0 to 2, as in [level.0]"},
    {"[link.32]\n", 1, 6, "[link. needs the number of one, from 0 to 31, as in [link.0]"},
    {"[link.00]\n", 1, 6, "[link. needs the number of one, from 0 to 31, as in [link.0]"},
    {"[link.x]\n", 1, 6, "[link. needs the number of one, from 0 to 31, as in [link.0]"},
    {"[port.0]\n", 1, 2, "unknown section [port.0], did you mean [port]?"},
    {"[link\n", 1, 1, "a [section] without its end; write ] after it"},
    {"[port]\n[link]\n[port]\n", 3, 1, "[port] comes twice, first in line 1; put its keys together there"},
    {"[link.1]\n[link.1]\n", 2, 1, "[link.1] comes twice, first in line 1; put its keys together there"},
    {"[port]\ngap_s = 0\n\ngap_s = 1\n", 4, 1, "gap_s is given twice, first in line 2; keep one of them"},
    {"[port]\nlatency_s = 0\n", 2, 1, "unknown key `latency_s` in [port]; it belongs in [link]"},
    {"[port]\nalpha = 0\n", 2, 1, "unknown key `alpha` in [port]; its keys are ports, overhead_s and gap_s"},
    {"[port]\none port\n", 2, 1, "`one port` is neither a [section] nor key = value; write # before a comment"},
    {"[port]\n= 1\n", 2, 1, "`= 1` is neither a [section] nor key = value; write # before a comment"},
    /* characters */
    {"[machine]\nname = caf\xe9\n", 2, 11, "unexpected byte 0xe9, expected plain text in UTF-8"},
    {"[machine]\nname = \u00e9\x1b[0m\n", 2, 9, "unexpected character U+001B; remove it"},
    /* what a whole file must have */
    {"[link]\nlatency_s = 0\n" PROCESSOR, 1, 1,
     "[link] has no bandwidth_bytes_per_s; write bandwidth_bytes_per_s = 1.25e9 or what it is (bytes per second)"},
    {PROCESSOR "[disk]\nread_bytes_per_s = 1\n[link]\nlatency_s = 0\nbandwidth_bytes_per_s = inf\n", 3, 1,
     "[disk] has no write_bytes_per_s; write write_bytes_per_s = 1.25e9 or what it is (bytes per second)"},
    {LINK "[processor]\nmemory_bytes = 1\n", 4, 1,
     "[processor] has neither flops_per_s nor rate; write flops_per_s = 1e12 or what it is, or inf to leave the "
     "products out"},
    {LINK, 3, 1, "there is no [processor]; write flops_per_s = 1e12 or what it is, or inf to leave the products out"},
    {PROCESSOR "[link.0]\nlatency_s = 0\n", 4, 1,
     "there is no [link]; write one with latency_s and bandwidth_bytes_per_s"},
    {"", 1, 1, "there is no [link]; write one with latency_s and bandwidth_bytes_per_s"},
};

static void bad_text_is_refused_with_place_and_remedy(void) {
  for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
    TgMachine machine;
    TgError error = {0};
    g_autofree char *shown = g_strescape(bad[i].text, NULL);
    g_test_message("%s", shown);
    g_assert_false(tg_machine_parse(&machine, bad[i].text, strlen(bad[i].text), &error));
    g_assert_cmpstr(error.message, ==, bad[i].message);
    g_assert_cmpint(error.line, ==, bad[i].line);
    g_assert_cmpint(error.column, ==, bad[i].column);
  }
}

static void a_zero_byte_is_refused(void) {
  static const char text[] = "[machine]\nname = a\0b\n";
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, text, sizeof text - 1, &error));
  g_assert_cmpstr(error.message, ==, "unexpected byte 0x00, expected plain text in UTF-8");
  g_assert_true(error.line == 2 && error.column == 9);
}

static void too_many_rows_are_refused(void) {
  g_autoptr(GString) text = g_string_new("[processor]\nrate = ");
  for (int row = 1; row <= TG_MACHINE_RATES; row++) g_string_append_printf(text, "%d:1;", row);
  TgMachine machine;
  TgError error = {0};
  g_assert_false(tg_machine_parse(&machine, text->str, text->len, &error)); /* there is no [link] */
  g_assert_cmpint(machine.processor.rate.rows, ==, TG_MACHINE_RATES);
  g_string_append(text, "99:1");
  g_assert_false(tg_machine_parse(&machine, text->str, text->len, &error));
  g_assert_cmpstr(error.message, ==, "the table has more than 32 rows; leave some out");
}

static void rates_are_interpolated_in_the_size(void) {
  const TgMachine machine = parse(LINK "[processor]\nrate = 64:2e10; 512:4e11; 1024:3e11;\n");
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 64, 64, 64), 2e10, 1);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 288, 288, 288), 2.1e11, 100);
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 64, 512, 4096), 4e11, 1000); /* 512^3 in all */
  g_assert_cmpfloat_with_epsilon(tg_machine_flops_per_s(&machine, 768, 768, 768), 3.5e11, 1000);
  g_assert_true(tg_machine_flops_per_s(&machine, 1, 1, 1) == 2e10);
  g_assert_true(tg_machine_flops_per_s(&machine, 1 << 20, 1 << 20, 1 << 20) == 3e11);
  g_assert_cmpfloat_with_epsilon(tg_machine_product_s(&machine, 64, 512, 4096), 2 * 134217728.0 / 4e11, 1e-9);
}

static void products_take_no_time_without_operations(void) {
  const TgMachine constant = parse(LINK PROCESSOR), endless = parse(LINK "[processor]\nflops_per_s = inf\n");
  const TgMachine table = parse(LINK "[processor]\nrate = 64:2e10\n");
  g_assert_true(tg_machine_product_s(&constant, 100, 200, 300) == 12e6 / 1e12);
  g_assert_true(tg_machine_product_s(&endless, 100, 200, 300) == 0);
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
  g_assert_cmpstr(error.message, ==,
                  "the machine has numbers for [level.1], which torus:4x4x4 does not have; choose a network that has "
                  "it, or leave the section out");
  g_assert_false(tg_machine_fits(&named, &topology, &error));
  g_assert_cmpstr(error.message, ==,
                  "machine m has numbers for [level.1], which torus:4x4x4 does not have; choose "
                  "switch:4*switch:8, which it describes, or leave the section out");
  const TgMachine titled = parse("[machine]\nname = m\n" LINK "[link.3]\nlatency_s = 0\n" PROCESSOR);
  g_assert_false(tg_machine_fits(&titled, &topology, &error));
  g_assert_cmpstr(error.message, ==,
                  "machine m has numbers for [link.3], which torus:4x4x4 does not have; choose a network that has it, "
                  "or leave the section out");
  topology = network("ring:4*ring:4");
  g_assert_true(tg_machine_fits(&levels, &topology, &error));
  g_assert_false(tg_machine_fits(&machine, &topology, &error));
  g_assert_nonnull(strstr(error.message, "[link.2], which ring:4*ring:4 does not have"));
  topology = network("full:4*ring:2*ring:2");
  g_assert_true(tg_machine_fits(&machine, &topology, &error));
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
  const TgMachine odd =
      parse("[machine]\nname = a#b = [c] \u00e9\n" LINK "[processor]\nflops_per_s = 0.1\nmemory_bytes = inf\n");
  g_assert_cmpstr(odd.name, ==, "a#b = [c] \u00e9");
  text_reads_back(&odd);
}

/* Each machine of the library says where it comes from, fits the network that it describes, and reads back. */
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
  g_test_add_func("/machine/bad-text", bad_text_is_refused_with_place_and_remedy);
  g_test_add_func("/machine/zero-byte", a_zero_byte_is_refused);
  g_test_add_func("/machine/too-many-rows", too_many_rows_are_refused);
  g_test_add_func("/machine/rates", rates_are_interpolated_in_the_size);
  g_test_add_func("/machine/no-operations", products_take_no_time_without_operations);
  g_test_add_func("/machine/links", links_take_each_key_from_the_nearest_section);
  g_test_add_func("/machine/axes", axes_are_numbered_as_coordinates);
  g_test_add_func("/machine/fits", links_of_absent_levels_and_axes_do_not_fit);
  g_test_add_func("/machine/text", machines_read_back_what_is_written);
  g_test_add_func("/machine/library", library_is_sound);
  g_test_add_func("/machine/library-numbers", library_has_its_numbers);
  return g_test_run();
}

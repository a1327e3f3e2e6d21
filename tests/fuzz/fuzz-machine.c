/* Any bytes as a machine file: refused at a place in the text, or read. What was read has numbers that a prediction can
 * use, says for any network whether it fits and what each link costs, and comes back to the same bytes from its text.
 */
#include "fuzz.h"
#include "machine.h"

#include <glib.h>
#include <math.h>
#include <string.h>

static void check_place(const TgError *error, const uint8_t *bytes, size_t size) {
  int lines = 1;
  for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
  const size_t length = strnlen(error->message, sizeof error->message);
  g_assert_true(length > 0 && length < sizeof error->message);
  g_assert_true(g_utf8_validate(error->message, (gssize)length, NULL));
  g_assert_true(error->line >= 1 && error->line <= lines);
  g_assert_true(error->column >= 1 && (size_t)error->column <= size + 1);
}

static bool is_time(double seconds) {
  return isfinite(seconds) && seconds >= 0;
}

static void check_link(const TgMachineLink *link) {
  g_assert_true(is_time(link->latency_s) && is_time(link->per_hop_s) && link->bandwidth_bytes_per_s > 0);
  g_assert_true(link->duplex == TG_DUPLEX_FULL || link->duplex == TG_DUPLEX_HALF);
  g_assert_true(link->protocols.rows >= 0 && link->protocols.rows <= TG_MACHINE_PROTOCOLS);
  for (int32_t r = 0; r < link->protocols.rows; r++) {
    const TgMachineProtocol *row = &link->protocols.row[r];
    g_assert_true(is_time(row->latency_s) && row->bandwidth_bytes_per_s > 0 && isfinite(row->from_bytes));
    g_assert_true(row->from_bytes > (r > 0 ? row[-1].from_bytes : 0));
    g_assert_true(is_time(tg_link_s(link, row->from_bytes)));
  }
}

static void check_links(const TgMachine *machine, const char *network) {
  TgTopology topology;
  TgError error = {0};
  g_assert_true(tg_topology_parse(&topology, network, NULL));
  if (!tg_machine_fits(machine, &topology, &error)) {
    g_assert_true(error.message[0] != 0 && g_utf8_validate(error.message, -1, NULL));
    return;
  }
  for (int64_t id = 0; id < MIN(topology.links, 64); id++) {
    TgLink link;
    tg_topology_link(&topology, id, &link);
    const TgMachineLink cost = tg_machine_link(machine, &topology, link.level, link.axis);
    check_link(&cost);
  }
}

static void check_processor(const TgMachine *machine) {
  static const int64_t sizes[] = {1, 2, 63, 64, 65, 1000, 1 << 20, INT64_MAX};
  for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
    g_assert_true(tg_machine_flops_per_s(machine, sizes[i], 1, sizes[i]) > 0);
    g_assert_true(tg_machine_product_s(machine, 1, sizes[i], sizes[i]) >= 0);
  }
  g_assert_true(machine->processor.memory_bytes > 0);
  g_assert_true(is_time(machine->port.overhead_s) && is_time(machine->port.gap_s));
  g_assert_true(machine->residual >= 0 && machine->residual < 1);
}

static void check_tiers(const TgMachine *machine) {
  for (int kind = 0; kind < TG_TIER_KINDS; kind++) {
    const TgMachineTier *tier = tg_machine_tier(machine, (TgTierKind)kind);
    if (!tier) continue;
    g_assert_true(tier->read_bytes_per_s > 0 && tier->write_bytes_per_s > 0 && tier->capacity_bytes > 0);
    g_assert_true(is_time(tier->latency_s));
  }
}

static void check_text(const TgMachine *machine) {
  TgMachine back;
  g_autofree char *text = tg_machine_text(machine);
  g_assert_true(tg_machine_parse(&back, text, strlen(text), NULL));
  g_assert_cmpmem(machine, sizeof *machine, &back, sizeof back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  g_autofree char *text = g_memdup2(bytes, size); /* without a 0 at its end */
  TgMachine machine;
  TgError error = {0};
  if (!tg_machine_parse(&machine, text, size, &error)) {
    check_place(&error, bytes, size);
    return 0;
  }
  static const char *const networks[] = {"torus:4x4x4", "switch:4*torus:2x4", "full:3*ring:2*hypercube:3"};
  for (size_t i = 0; i < G_N_ELEMENTS(networks); i++) check_links(&machine, networks[i]);
  if (*machine.network) check_links(&machine, machine.network);
  check_processor(&machine);
  check_tiers(&machine);
  check_text(&machine);
  return 0;
}

/* Any bytes as a description of a machine: refused, or read; then its network and its machine file can be read, too. */
#include "fuzz.h"
#include "hardware.h"

#include "machine.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = g_strndup((const char *)bytes, size);
  g_autoptr(TgHardware) hardware = tg_hardware_parse("fuzz", text, strlen(text), &error);
  g_assert_true((hardware == NULL) == (error != NULL));
  if (!hardware) return 0;
  TgTopology topology;
  TgMachine machine;
  TgError problem = {0};
  g_autofree char *network = tg_hardware_network(hardware);
  g_autofree char *draft = tg_hardware_machine(hardware, "fuzz");
  g_assert_true(tg_topology_parse(&topology, network, &problem));
  g_assert_cmpint(topology.nodes, ==, hardware->processors);
  if (!tg_machine_parse(&machine, draft, strlen(draft), &problem)) g_error("%s in:\n%s", problem.message, draft);
  return 0;
}

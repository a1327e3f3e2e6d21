/* Machines as lstopo, nvidia-smi and NCCL describe them: the network that is found, and what is left out. */
#include "hardware.h"

#include "machine.h"

#include <string.h>

static TgHardware *parse(const char *text) {
  GError *error = NULL;
  TgHardware *hardware = tg_hardware_parse("a file", text, strlen(text), &error);
  g_assert_no_error(error);
  g_assert_nonnull(hardware);
  return hardware;
}

/* The network; and the draft is a machine file, of that network and with these bandwidths, innermost first. */
static void expect(const char *text, const char *network, const double *bandwidths) {
  TgError error = {0};
  TgMachine machine;
  g_autoptr(TgHardware) hardware = parse(text);
  g_autofree char *found = tg_hardware_network(hardware);
  g_assert_cmpstr(found, ==, network);
  g_autofree char *draft = tg_hardware_machine(hardware, "/some/where/file #1.xml");
  if (!tg_machine_parse(&machine, draft, strlen(draft), &error)) g_test_fail_printf("%s in:\n%s", error.message, draft);
  g_assert_cmpstr(machine.network, ==, network);
  g_assert_true(machine.processor.flops_per_s > 0);
  for (int32_t level = 0; level < hardware->levels; level++)
    g_assert_cmpfloat_with_epsilon(hardware->level[level].bandwidth_bytes_per_s, bandwidths[level], 1e7);
}

static void expect_note(const char *text, const char *note) {
  g_autoptr(TgHardware) hardware = parse(text);
  for (guint i = 0; i < hardware->notes->len; i++)
    if (strstr(g_ptr_array_index(hardware->notes, i), note)) return;
  g_test_fail_printf("no note with \"%s\"", note);
}

static void refuse(const char *text, const char *message) {
  GError *error = NULL;
  g_assert_null(tg_hardware_parse("a file", text, strlen(text), &error));
  g_assert_nonnull(error);
  g_assert_nonnull(strstr(error->message, message));
  g_assert_cmpint(error->code, ==, TG_IO_ERROR_BAD_INPUT);
  g_clear_error(&error);
}

/* --- nvidia-smi --------------------------------------------------------------------------------------------------- */

static void test_nvswitch(void) {
  const double rates[] = {450e9};
  expect("\t\033[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\033[0m\n"
         "GPU0\t X \tNV18\tNV18\tPIX\t0-55\n"
         "GPU1\tNV18\t X \tNV18\tSYS\t0-55\n"
         "GPU2\tNV18\tNV18\t X \tSYS\t0-55\n"
         "NIC0\tPIX\tSYS\tSYS\t X \t\n\nLegend:\n\n  X    = Self\n",
         "switch:3", rates);
}

static void test_direct_nvlinks(void) {
  const double rates[] = {100e9};
  expect("     GPU0 GPU1 GPU2\nGPU0 X NV4 NV4\nGPU1 NV4 X NV4\nGPU2 NV4 NV4 X\n", "full:3", rates);
}

/* As on a DGX-1: not all pairs have NVLinks, but those of each half have. */
static void test_cube_mesh(void) {
  const double rates[] = {25e9, 31.5e9};
  static const char text[] = "GPU0 GPU1 GPU2 GPU3 CPU\r\n"
                             "GPU0 X NV1 NV2 SYS 0\r\n"
                             "GPU1 NV1 X SYS NV2 0\r\n"
                             "GPU2 NV2 SYS X NV1 1\r\n"
                             "GPU3 SYS NV2 NV1 X 1\r\n";
  expect(text, "switch:2*switch:2", rates);
  expect_note(text, "NVLink also joins 2 pairs of GPUs in different groups");
}

static void test_pcie(void) {
  const double rates[] = {31.5e9, 31.5e9, 31.5e9};
  expect("  GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 GPU6 GPU7\n"
         "GPU0 X PIX PHB PHB SYS SYS SYS SYS\nGPU1 PIX X PHB PHB SYS SYS SYS SYS\n"
         "GPU2 PHB PHB X PIX SYS SYS SYS SYS\nGPU3 PHB PHB PIX X SYS SYS SYS SYS\n"
         "GPU4 SYS SYS SYS SYS X PIX PHB PHB\nGPU5 SYS SYS SYS SYS PIX X PHB PHB\n"
         "GPU6 SYS SYS SYS SYS PHB PHB X PIX\nGPU7 SYS SYS SYS SYS PHB PHB PIX X\n",
         "switch:2*switch:2*switch:2", rates);
}

static void test_uneven(void) {
  const double rates[] = {31.5e9};
  static const char text[] = " GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X SYS\nGPU2 SYS SYS X\n";
  expect(text, "switch:3", rates);
  expect_note(text, "PCIe switch: left out, because its groups differ in size");
}

static void test_bad_tables(void) {
  refuse("GPU0 GPU1\nGPU0 X NV4\n", "number of GPU rows: 1, of GPU columns: 2");
  refuse("GPU0 GPU1\nGPU0 X NV4\nGPU1 NV3 X\n", "differs from that for");
  refuse("GPU0 GPU1\nGPU0 X FAST\nGPU1 NV3 X\n", "a file:2: unknown entry \"FAST\"; expected NV#");
  refuse("GPU0 GPU1\nGPU0 X\nGPU1 NV3 X\n", "ends after 1 of 2");
  refuse("\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\n", "only one GPU");
  refuse("there is no GPU0 here", "no header line");
}

/* --- NCCL --------------------------------------------------------------------------------------------------------- */

#define PCI(bus, inside)                                                                                               \
  "<pci busid=\"" bus "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">" inside "</pci>"
#define SWITCHED                                                                                                       \
  "<gpu dev=\"0\" sm=\"90\"><nvlink target=\"s\" count=\"9\" tclass=\"0x068000\"/>"                                    \
  "<nvlink target=\"t\" count=\"9\" tclass=\"0x068000\"/></gpu>"

static void test_nccl_switched(void) {
  const double rates[] = {450e9};
  static const char text[] = "<!-- a -- comment? no --><system version=\"1\"><cpu numaid=\"0\">" PCI("0:1", SWITCHED)
      PCI("0:2", SWITCHED) "</cpu></system>";
  expect(strstr(text, "<system"), "switch:2", rates);
  g_autoptr(TgHardware) hardware = parse(strstr(text, "<system"));
  g_assert_cmpfloat(hardware->flops_per_s, ==, 67e12);
}

/* Pairs by NVLink, on CPUs of their own. */
static void test_nccl_pairs(void) {
  const double rates[] = {300e9, 31.5e9};
#define TO(bus) "<gpu sm=\"80\"><nvlink target=\"" bus "\" count=\"12\" tclass=\"0x030200\"/></gpu>"
  expect("<system><cpu>" PCI("0:1", TO("0:2")) "</cpu><cpu>" PCI("0:2", TO("0:1")) "</cpu><cpu>" PCI(
             "0:3", TO("0:4")) "</cpu><cpu>" PCI("0:4", TO("0:3")) "</cpu></system>",
         "switch:2*switch:2", rates);
}

/* A file for NCCL_TOPO_FILE has neither <gpu> nor NVLinks. Lanes and speed: 8 GT/s, 8 lanes. */
static void test_nccl_devices(void) {
  const double rates[] = {7.877e9, 7.877e9};
#define DEVICE(class) "<pci busid=\"\" class=\"" class "\" link_speed=\"8 GT/s\" link_width=\"8\"/>"
#define SWITCH "<pci busid=\"\" class=\"0x060400\">" DEVICE("0x030200") DEVICE("0x020000") DEVICE("0x030200") "</pci>"
  static const char text[] = "<system><cpu>" SWITCH "</cpu><cpu>" SWITCH "</cpu></system>";
  expect(text, "switch:2*switch:2", rates);
  expect_note(text, "no NVLinks");
}

/* --- lstopo ------------------------------------------------------------------------------------------------------- */

#define OBJECT(type, inside) "<object type=\"" type "\">" inside "</object>"
#define CORE OBJECT("Core", OBJECT("PU", "") OBJECT("PU", ""))
#define L3 OBJECT("L3Cache", CORE CORE CORE)

static void test_lstopo(void) {
  const double rates[] = {8e9, 6e9, 4e9};
  expect("<?xml version=\"1.0\"?><!DOCTYPE topology SYSTEM \"hwloc2.dtd\"><topology version=\"2.0\">" OBJECT(
             "Machine", OBJECT("Package", L3 L3) OBJECT("Package", L3 L3)) "</topology>",
         "switch:3*switch:2*switch:2", rates);
}

/* Version 1: sockets, and caches by their depth. Memory is that of all NUMA nodes, by the number of cores. */
static void test_lstopo_1(void) {
  const double rates[] = {8e9, 4e9};
#define NODE                                                                                                           \
  "<object type=\"NUMANode\" local_memory=\"8e9\"><object type=\"Socket\">"                                            \
  "<object type=\"Cache\" depth=\"2\">" CORE CORE "</object></object></object>"
  static const char text[] =
      "<topology>" OBJECT("Machine", "<info name=\"CPUModel\" value=\"Some CPU #1\"/>" NODE NODE) "</topology>";
  expect(text, "switch:2*switch:2", rates);
  g_autoptr(TgHardware) hardware = parse(text);
  g_assert_cmpfloat(hardware->memory_bytes, ==, 4e9);
  g_assert_cmpstr(hardware->level[0].name, ==, "L2 cache");
  g_assert_cmpstr(hardware->model, ==, "Some CPU #1");
}

/* From version 2 on, a NUMA node is a sibling of the cores that it is near. */
static void test_numa_sibling(void) {
  g_autoptr(TgHardware) hardware =
      parse("<topology>" OBJECT("Machine", OBJECT("Group", OBJECT("NUMANode", "") CORE CORE)
                                               OBJECT("Group", OBJECT("NUMANode", "") CORE CORE)) "</topology>");
  g_assert_cmpstr(hardware->level[0].name, ==, "NUMA node");
  g_assert_cmpstr(hardware->level[1].name, ==, "machine");
}

static void test_four_levels(void) {
#define PAIR OBJECT("L2Cache", CORE CORE)
  static const char text[] = "<topology>" OBJECT(
      "Machine", OBJECT("Package", OBJECT("L3Cache", PAIR PAIR) OBJECT("L3Cache", PAIR PAIR))
                     OBJECT("Package", OBJECT("L3Cache", PAIR PAIR) OBJECT("L3Cache", PAIR PAIR))) "</topology>";
  const double rates[] = {8e9, 6e9, 4e9};
  expect(text, "switch:4*switch:2*switch:2", rates);
  expect_note(text, "groups of 2 cores joined by L2 cache are left out");
}

static void test_bad_files(void) {
  refuse("", "unknown format");
  refuse("hello", "unknown format");
  refuse("<topology><object type=\"Machine\"></topology>", "a file: Error on line 1");
  refuse("<topology><object/></topology>", "without a type");
  refuse("<topology>" OBJECT("Machine", CORE) "</topology>", "only one core");
  refuse("<topology></topology>", "no thread");
  refuse("<system><cpu/></system>", "no GPU");
  refuse("<system><gpu/></system>", "only one GPU");
  GString *deep = g_string_new("<topology>");
  for (int i = 0; i < 100; i++) g_string_append(deep, "<object type=\"Group\">");
  refuse(deep->str, "nested more than 64 deep");
  g_string_free(deep, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/hardware/nvidia-smi/nvswitch", test_nvswitch);
  g_test_add_func("/hardware/nvidia-smi/direct", test_direct_nvlinks);
  g_test_add_func("/hardware/nvidia-smi/cube-mesh", test_cube_mesh);
  g_test_add_func("/hardware/nvidia-smi/pcie", test_pcie);
  g_test_add_func("/hardware/nvidia-smi/uneven", test_uneven);
  g_test_add_func("/hardware/nvidia-smi/bad", test_bad_tables);
  g_test_add_func("/hardware/nccl/switched", test_nccl_switched);
  g_test_add_func("/hardware/nccl/pairs", test_nccl_pairs);
  g_test_add_func("/hardware/nccl/devices", test_nccl_devices);
  g_test_add_func("/hardware/lstopo/levels", test_lstopo);
  g_test_add_func("/hardware/lstopo/version-1", test_lstopo_1);
  g_test_add_func("/hardware/lstopo/numa-sibling", test_numa_sibling);
  g_test_add_func("/hardware/lstopo/four-levels", test_four_levels);
  g_test_add_func("/hardware/bad-files", test_bad_files);
  return g_test_run();
}

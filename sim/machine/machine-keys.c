#include "machine-keys.h"

#include <string.h>

const TgQuantity tg_quantities[TG_VALUE_QUANTITIES] = {
    [TG_VALUE_TIME] = {"seconds", "1e-6", .zero = true},
    [TG_VALUE_BANDWIDTH] = {"bytes per second", "1.25e9", .infinite = true},
    [TG_VALUE_FLOPS] = {"floating-point operations per second", "1e12", .infinite = true},
    [TG_VALUE_BYTES] = {"bytes", "16e9", .infinite = true},
    [TG_VALUE_FRACTION] = {"a fraction of 1", "0.1", .zero = true},
    [TG_VALUE_SIZE] = {"elements along a side", "512", .zero = false},
    [TG_VALUE_COUNT] = {"whole numbers", "16", .zero = false},
};

#define KEY(type, member, kind, ...)                                                                                   \
  { #member, kind, offsetof(type, member), sizeof(((type *)0)->member), __VA_ARGS__ }

static const TgMachineKey machine_keys[] = {
    KEY(TgMachine, name, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachine, source, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachine, network, TG_VALUE_NETWORK, false, {0}),
    KEY(TgMachine, residual, TG_VALUE_FRACTION, false, {0}),
    {0},
};

const TgMachineKey tg_machine_link_keys[] = {
    KEY(TgMachineLink, latency_s, TG_VALUE_TIME, true, {0}),
    KEY(TgMachineLink, per_hop_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineLink, bandwidth_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineLink, duplex, TG_VALUE_WORD, false, {"full", "half"}),
    {0},
};

static const TgMachineKey port_keys[] = {
    KEY(TgMachinePort, ports, TG_VALUE_WORD, false, {"one", "all", "fetch"}),
    KEY(TgMachinePort, overhead_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachinePort, gap_s, TG_VALUE_TIME, false, {0}),
    {0},
};

static const TgMachineKey processor_keys[] = {
    KEY(TgMachineProcessor, flops_per_s, TG_VALUE_FLOPS, false, {0}),
    KEY(TgMachineProcessor, rate, TG_VALUE_RATES, false, {0}),
    KEY(TgMachineProcessor, memory_bytes, TG_VALUE_BYTES, false, {0}),
    KEY(TgMachineProcessor, tile_rows, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineProcessor, tile_columns, TG_VALUE_COUNT, false, {0}),
    {0},
};

static const TgMachineKey tier_keys[] = {
    KEY(TgMachineTier, read_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineTier, write_bytes_per_s, TG_VALUE_BANDWIDTH, true, {0}),
    KEY(TgMachineTier, latency_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineTier, capacity_bytes, TG_VALUE_BYTES, false, {0}),
    {0},
};

/* Executors themselves are above this library; a new one has its name here, too. */
static const TgMachineKey executor_keys[] = {
    KEY(TgMachineExecutor, on, TG_VALUE_NAME, false, {"cpu", "threads", "clusters", "blocks"}),
    KEY(TgMachineExecutor, transport, TG_VALUE_NAME, false, {"copy", "pull", "load"}),
    KEY(TgMachineExecutor, type, TG_VALUE_NAME, false, {"f32", "f64"}),
    KEY(TgMachineExecutor, device, TG_VALUE_TEXT, false, {0}),
    KEY(TgMachineExecutor, processors, TG_VALUE_COUNT, false, {0}),
    KEY(TgMachineExecutor, launch_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineExecutor, round_s, TG_VALUE_TIME, false, {0}),
    KEY(TgMachineExecutor, pass_s, TG_VALUE_TIME, false, {0}),
    {0},
};

const TgMachineSection tg_machine_sections[] = {
    {"machine", machine_keys, 0, 0, 0},
    {"link", tg_machine_link_keys, offsetof(TgMachine, link), 0, 0},
    {"level", tg_machine_link_keys, offsetof(TgMachine, level), sizeof(TgMachineLink), TG_MAX_LEVELS},
    {"link", tg_machine_link_keys, offsetof(TgMachine, axis), sizeof(TgMachineLink), TG_MACHINE_AXES},
    {"port", port_keys, offsetof(TgMachine, port), 0, 0},
    {"processor", processor_keys, offsetof(TgMachine, processor), 0, 0},
    {"disk", tier_keys, offsetof(TgMachine, tier[TG_TIER_DISK]), 0, 0},
    {"cache", tier_keys, offsetof(TgMachine, tier[TG_TIER_CACHE]), 0, 0},
    {"device", tier_keys, offsetof(TgMachine, tier[TG_TIER_DEVICE]), 0, 0},
    {"executor", executor_keys, offsetof(TgMachine, executor), 0, 0},
    {0},
};

TgSpan tg_span_trim(TgSpan span) {
  while (span.length && g_ascii_isspace(span.text[0])) span.text++, span.length--;
  while (span.length && g_ascii_isspace(span.text[span.length - 1])) span.length--;
  return span;
}

const char *tg_span_quote(TgSpan span, char quoted[TG_QUOTE_BYTES]) {
  enum { MOST = TG_QUOTE_BYTES - 4 };
  size_t kept = span.length;
  if (kept > MOST)
    for (kept = MOST; kept > 0 && ((unsigned char)span.text[kept] & 0xc0) == 0x80;) kept--;
  memcpy(quoted, span.text, kept);
  for (size_t i = 0; i < kept; i++)
    if (g_ascii_iscntrl(quoted[i])) quoted[i] = ' ';
  strcpy(quoted + kept, kept < span.length ? "..." : "");
  return quoted;
}

#include "machine-keys.h"

#include <math.h>
#include <string.h>

/* ---- links ---- */

int tg_machine_axis(const TgTopology *topology, int level, int axis) {
  for (int outer = topology->levels - 1; outer > level; outer--) axis += tg_level_axes(&topology->level[outer]);
  return axis;
}

static int axes(const TgTopology *topology) {
  return tg_machine_axis(topology, 0, tg_level_axes(&topology->level[0]));
}

static bool fail_fit(const TgMachine *machine, const TgTopology *topology, const char *section, TgError *error) {
  char network[TG_TOPOLOGY_TEXT_BYTES], remedy[TG_TOPOLOGY_TEXT_BYTES + 80];
  tg_topology_format(topology, network, sizeof network);
  if (*machine->network)
    g_snprintf(remedy, sizeof remedy, "choose %s, which it describes, or leave the section out", machine->network);
  else
    g_strlcpy(remedy, "choose a network that has it (--network, or network = in the file), or leave the section out",
              sizeof remedy);
  return tg_error_set(error, 0, 0, "%s%s has numbers for [%s], which %s does not have; %s",
                      *machine->name ? "machine " : "the machine", machine->name, section, network, remedy);
}

bool tg_machine_fits(const TgMachine *machine, const TgTopology *topology, TgError *error) {
  char section[32];
  for (int level = topology->levels; level < TG_MAX_LEVELS; level++) {
    if (!machine->level[level].given) continue;
    g_snprintf(section, sizeof section, "level.%d", level);
    return fail_fit(machine, topology, section, error);
  }
  for (int axis = axes(topology); axis < TG_MACHINE_AXES; axis++) {
    if (!machine->axis[axis].given) continue;
    g_snprintf(section, sizeof section, "link.%d", axis);
    return fail_fit(machine, topology, section, error);
  }
  return true;
}

const char *tg_machine_own_network(const TgMachine *machine, int64_t processors) {
  TgTopology own;
  const bool fits = *machine->network && tg_topology_parse(&own, machine->network, NULL) && own.nodes >= processors;
  return fits ? machine->network : NULL;
}

/* What `more` gives replaces what `link` has. A latency or a bandwidth replaces protocols, too; the key `protocols`
 * comes after both. */
static void overlay(TgMachineLink *link, const TgMachineLink *more) {
  for (int bit = 0; tg_machine_link_keys[bit].name; bit++) {
    const TgMachineKey *key = &tg_machine_link_keys[bit];
    if (!(more->given & (1 << bit))) continue;
    const void *from = (const char *)more + key->offset;
    if (from == &more->latency_s || from == &more->bandwidth_bytes_per_s) link->protocols.rows = 0;
    memcpy((char *)link + key->offset, from, key->bytes);
  }
  link->given |= more->given;
}

TgMachineLink tg_machine_link(const TgMachine *machine, const TgTopology *topology, int level, int axis) {
  TgMachineLink link = machine->link;
  const int number = tg_machine_axis(topology, level, axis);
  overlay(&link, &machine->level[level]);
  if (number < TG_MACHINE_AXES) overlay(&link, &machine->axis[number]);
  return link;
}

double tg_link_capacity(const TgMachineLink *link) {
  double most = isinf(link->bandwidth_bytes_per_s) ? 0 : link->bandwidth_bytes_per_s;
  for (int32_t r = 0; r < link->protocols.rows; r++)
    if (!isinf(link->protocols.row[r].bandwidth_bytes_per_s))
      most = fmax(most, link->protocols.row[r].bandwidth_bytes_per_s);
  return most > 0 ? most : INFINITY;
}

TgMachineProtocol tg_link_best(const TgMachineLink *link, double bytes) {
  TgMachineProtocol best = tg_link_protocol(link, bytes);
  for (int32_t r = 0; r < link->protocols.rows; r++) {
    const TgMachineProtocol *row = &link->protocols.row[r];
    if (row->from_bytes < bytes) continue;
    best.latency_s = fmin(best.latency_s, row->latency_s);
    best.bandwidth_bytes_per_s = fmax(best.bandwidth_bytes_per_s, row->bandwidth_bytes_per_s);
  }
  return best;
}

double tg_machine_next_protocol(const TgMachine *machine, const TgTopology *topology, double bytes) {
  double next = INFINITY;
  for (int level = 0; level < topology->levels; level++)
    for (int axis = 0; axis < tg_level_axes(&topology->level[level]); axis++) {
      const TgMachineLink link = tg_machine_link(machine, topology, level, axis);
      for (int32_t r = 0; r < link.protocols.rows; r++)
        if (link.protocols.row[r].from_bytes > bytes) next = fmin(next, link.protocols.row[r].from_bytes);
    }
  return next;
}

bool tg_machine_has_protocols(const TgMachine *machine, const TgTopology *topology) {
  return tg_machine_next_protocol(machine, topology, 0) < INFINITY;
}

bool tg_machine_has_one_link(const TgMachine *machine, const TgTopology *topology) {
  const TgMachineLink first = tg_machine_link(machine, topology, 0, 0);
  for (int level = 0; level < topology->levels; level++)
    for (int axis = 0; axis < tg_level_axes(&topology->level[level]); axis++) {
      const TgMachineLink link = tg_machine_link(machine, topology, level, axis);
      if (link.latency_s != first.latency_s || link.per_hop_s != first.per_hop_s ||
          link.bandwidth_bytes_per_s != first.bandwidth_bytes_per_s)
        return false;
    }
  return !tg_machine_has_protocols(machine, topology);
}

bool tg_machine_has_half_duplex(const TgMachine *machine, const TgTopology *topology) {
  for (int level = 0; level < topology->levels; level++)
    for (int axis = 0; axis < tg_level_axes(&topology->level[level]); axis++)
      if (tg_machine_link(machine, topology, level, axis).duplex == TG_DUPLEX_HALF) return true;
  return false;
}

/* ---- processors and memory ---- */

static double interpolate(const TgMachineRates *rates, double size) {
  const TgMachineRate *row = rates->row, *last = &rates->row[rates->rows - 1];
  if (size <= row->size) return row->flops_per_s;
  if (size >= last->size) return last->flops_per_s;
  while (row[1].size < size) row++;
  const double part = (size - row->size) / (row[1].size - row->size);
  return row->flops_per_s + part * (row[1].flops_per_s - row->flops_per_s);
}

/* With all of its tiles whole. */
static double filled(int64_t extent, double tile) {
  return tile > 1 ? ceil((double)extent / tile) * tile : (double)extent;
}

static double with_rests(int64_t extent, const TgMachineRests *rests) {
  const int64_t rest = extent & ((INT64_C(1) << rests->pieces) - 1);
  double sum = (double)(extent - rest);
  for (int32_t i = 0; i < rests->pieces; i++)
    if (rest >> i & 1) sum += rests->takes[i];
  return sum;
}

double tg_machine_error(const TgMachine *machine) {
  static const double most = 0.99; /* a time is above 0 */
  if (!tg_machine_is_measured(machine)) return machine->residual;
  return fmin(2 * hypot(machine->residual, machine->spread), most);
}

bool tg_machine_is_tie(const TgMachine *machine, double first_s, double second_s) {
  static const double rounding = 1e-12; /* of sums in another order */
  return fabs(first_s - second_s) <= fmax(tg_machine_error(machine), rounding) * hypot(first_s, second_s);
}

double tg_machine_tiled_rows(const TgMachine *machine, int64_t m) {
  const TgMachineProcessor *processor = &machine->processor;
  return processor->rest_rows.pieces ? with_rests(m, &processor->rest_rows) : filled(m, processor->tile_rows);
}

double tg_machine_tiled_columns(const TgMachine *machine, int64_t n) {
  const TgMachineProcessor *processor = &machine->processor;
  return processor->rest_columns.pieces ? with_rests(n, &processor->rest_columns) : filled(n, processor->tile_columns);
}

double tg_machine_tiled_elements(const TgMachine *machine, int64_t m, int64_t n) {
  return tg_machine_tiled_rows(machine, m) * tg_machine_tiled_columns(machine, n);
}

/* How many times as quick as a cubic product of that size a deep one is. */
static double deep_part(const TgMachineProcessor *processor, double size, double depth) {
  const TgMachineRates *deep = &processor->deep_rate;
  if (deep->rows == 0 || depth <= 1) return 1;
  const double within = fmin(fmax(size, deep->row[0].size), deep->row[deep->rows - 1].size);
  const double part = interpolate(deep, within) / interpolate(&processor->rate, within);
  return pow(part, fmin(log(depth) / log(TG_MACHINE_DEEP), 1));
}

double tg_machine_flops_per_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k) {
  const TgMachineProcessor *processor = &machine->processor;
  const double elements = tg_machine_tiled_elements(machine, m, n);
  const double part = elements > 0 ? (double)m * (double)n / elements : 1;
  if (processor->rate.rows == 0) return part * processor->flops_per_s;
  const double size = cbrt(elements * (double)k), depth = (double)k / fmax((double)m, (double)n);
  return part * interpolate(&processor->rate, size) * deep_part(processor, size, depth);
}

double tg_machine_best_flops_per_s(const TgMachine *machine) {
  const TgMachineProcessor *processor = &machine->processor;
  const TgMachineRates *rate = &processor->rate, *deep = &processor->deep_rate;
  if (rate->rows == 0) return processor->flops_per_s;
  double best = 0, part = 1; /* the part is greatest where one of both tables has a row */
  for (int32_t r = 0; r < rate->rows; r++) {
    best = fmax(best, rate->row[r].flops_per_s);
    part = fmax(part, deep_part(processor, rate->row[r].size, TG_MACHINE_DEEP));
  }
  for (int32_t r = 0; r < deep->rows; r++) part = fmax(part, deep_part(processor, deep->row[r].size, TG_MACHINE_DEEP));
  return best * part;
}

void tg_machine_thin_elements(int64_t m, int64_t n, int64_t k, double elements[3]) {
  const double side = cbrt((double)m * (double)n * (double)k);
  elements[0] = (double)m * (double)k - side * side;
  elements[1] = (double)k * (double)n - side * side;
  elements[2] = (double)m * (double)n - side * side;
}

double tg_machine_beside_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k) {
  const TgMachineProcessor *processor = &machine->processor;
  const double rate[] = {processor->a_elements_per_s, processor->b_elements_per_s, processor->c_elements_per_s};
  double elements[3], thin_s = 0;
  tg_machine_thin_elements(m, n, k, elements);
  for (int matrix = 0; matrix < 3; matrix++)
    if (rate[matrix] > 0) thin_s += elements[matrix] / rate[matrix];
  return processor->product_s + fmax(thin_s, 0);
}

double tg_machine_product_s(const TgMachine *machine, int64_t m, int64_t n, int64_t k) {
  const double flops = 2 * (double)m * (double)n * (double)k;
  if (flops == 0) return 0;
  return tg_machine_beside_s(machine, m, n, k) + flops / tg_machine_flops_per_s(machine, m, n, k);
}

double tg_machine_sum_s(const TgMachine *machine, double elements) {
  return machine->processor.additions_per_s > 0 ? elements / machine->processor.additions_per_s : 0;
}

double tg_machine_miss_s(const TgMachine *machine, double between_bytes, double bytes) {
  const TgMachineProcessor *processor = &machine->processor;
  if (!(processor->cache_bytes > 0) || !(processor->miss_bytes_per_s > 0)) return 0;
  const double missed = 0.5 + 0.5 * log2(between_bytes / processor->cache_bytes);
  const double waited_for = processor->miss_most_bytes > 0 ? fmin(bytes, processor->miss_most_bytes) : bytes;
  return fmin(fmax(missed, 0), 1) * waited_for / processor->miss_bytes_per_s;
}

double tg_machine_speedup(const TgMachine *machine, double at_once) {
  const TgMachineFewer *fewer = &machine->executor.speedup_with_fewer;
  double most = machine->executor.at_once, speedup = 1;
  if (at_once >= most) return 1;
  for (int32_t r = fewer->rows - 1; r >= 0; r--) {
    const double least = fewer->row[r].at_once, part = log(at_once / least) / log(most / least);
    if (part >= 0) return fewer->row[r].speedup + part * (speedup - fewer->row[r].speedup);
    most = least;
    speedup = fewer->row[r].speedup;
  }
  return speedup;
}

void tg_machine_scale_rates(TgMachine *machine, double speedup) {
  TgMachineProcessor *processor = &machine->processor;
  double *const rate[] = {&processor->flops_per_s, &processor->additions_per_s, &processor->a_elements_per_s,
                          &processor->b_elements_per_s, &processor->c_elements_per_s};
  for (size_t r = 0; r < sizeof rate / sizeof *rate; r++) *rate[r] *= speedup;
  for (int32_t r = 0; r < processor->rate.rows; r++) processor->rate.row[r].flops_per_s *= speedup;
  for (int32_t r = 0; r < processor->deep_rate.rows; r++) processor->deep_rate.row[r].flops_per_s *= speedup;
}

void tg_machine_set_at_once(TgMachine *machine, double at_once) {
  tg_machine_scale_rates(machine, tg_machine_speedup(machine, at_once));
}

void tg_machine_stretch_link(TgMachineLink *link, double times) {
  link->latency_s *= times;
  link->per_hop_s *= times;
  link->bandwidth_bytes_per_s /= times;
  for (int32_t r = 0; r < link->protocols.rows; r++) {
    link->protocols.row[r].latency_s *= times;
    link->protocols.row[r].bandwidth_bytes_per_s /= times;
  }
}

const TgMachineTier *tg_machine_tier(const TgMachine *machine, TgTierKind kind) {
  return machine->tier[kind].given ? &machine->tier[kind] : NULL;
}

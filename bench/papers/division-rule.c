/* The rule. Four things can hold a launch up, and it takes as long as the slowest alone: waves of blocks that each wait
 * for memory and barriers; the instructions and the accesses to shared memory of all threads; the bytes that threads
 * ask for; the atomic additions. What a card has (multiprocessors, threads and blocks that each holds, shared memory,
 * clock, memory) is asked of it; registers are not counted, the kernels have 40 a thread or fewer. The rest are the
 * numbers below: cycles are rounded from W. Luo et al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture,
 * 2024; rates of a multiprocessor are those of the CUDA C++ Programming Guide (4 instructions and 128 bytes of shared
 * memory a cycle); instructions are counted by eye in the kernels; the rate of the second-level cache, that of
 * additions and the cost of a launch are assumed. */
#include "division.h"

#include <math.h>

static const double launch_s = 2e-6;     /* between two events around a kernel without work, without the host's part */
static const double zero_s = 2e-6;       /* to start a memset before */
static const double block_cycles = 500;  /* a block's begin and end */
static const double memory_cycles = 500; /* a load that no cache has */
static const double shared_cycles = 30;  /* a load from shared memory */
static const double barrier_cycles = 30;
static const double add_cycles = 4; /* a multiply-add that waits for the one before */
static const double block_instructions = 60, round_instructions = 40, term_instructions = 5, sum_instructions = 8;
static const double issued_per_cycle = 4;       /* instructions of a multiprocessor */
static const double cache_bytes_per_cycle = 32; /* of the second-level cache, a multiprocessor's part */
static const double atomics_per_cycle = 1;      /* likewise */
static const double told_apart = 1.05;          /* times that differ by less do not */
enum { WARP = 32, RESERVED_BYTES = 1024 /* of shared memory, a block's own */ };

GArray *tg_division_all(TgHistoricType type, int64_t m, int64_t n, int64_t k) {
  GArray *all = g_array_new(FALSE, TRUE, sizeof(TgDivision));
  size_t papers;
  const TgHistoricPaper *const *paper = tg_historic_papers(&papers);
  for (size_t p = 0; p < papers; p++)
    for (size_t i = 0; i < paper[p]->count; i++) {
      const TgHistoric *kernel = &paper[p]->kernels[i];
      for (int w = 0; kernel->splits && w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++) {
        int64_t asked = 1, had = 0;
        for (;; asked *= 2) {
          TgHistoricRun run = {
              .type = (int32_t)type, .width = kernel->widths[w], .split = (int32_t)asked, .m = m, .n = n, .k = k};
          TgHistoricShape shape;
          if (!tg_historic_prepare(kernel, &run, &shape, NULL) || shape.split == had) break;
          const TgDivision division = {kernel, kernel->widths[w], (int32_t)shape.split};
          had = shape.split;
          g_array_append_val(all, division);
        }
      }
    }
  return all;
}

/* --- what limits a launch ----------------------------------------------------------------------------------------- */

static double threads_of(const TgHistoricShape *shape) {
  return (double)shape->block[0] * shape->block[1] * shape->block[2];
}

static double blocks_of(const TgHistoricShape *shape) {
  return (double)shape->grid[0] * (double)shape->grid[1] * (double)shape->grid[2];
}

static int32_t resident_blocks(const TgDevice *device, const TgHistoricShape *shape) {
  const double warps = ceil(threads_of(shape) / WARP);
  const double by_threads = floor(device->threads_per_processor / (warps * WARP));
  const double by_shared = floor((double)device->shared_per_processor_bytes / (shape->shared_bytes + RESERVED_BYTES));
  return (int32_t)fmin(device->blocks_per_processor, fmin(by_threads, by_shared));
}

static double latency_cycles(const TgHistoricShape *shape) {
  const double rounds = (double)shape->rounds, terms = (double)shape->terms;
  return block_cycles + rounds * (memory_cycles + 2 * barrier_cycles + shared_cycles) + add_cycles * terms +
         shape->sum_steps * (2 * shared_cycles + barrier_cycles);
}

/* Of a block, where the multiprocessor has enough others to fill what it waits for. */
static double busy_cycles(const TgHistoricShape *shape) {
  const double warps = ceil(threads_of(shape) / WARP), rounds = (double)shape->rounds, terms = (double)shape->terms;
  const double instructions = block_instructions + rounds * round_instructions + terms * term_instructions +
                              shape->sum_steps * sum_instructions;
  const double accesses =
      2 * terms + 2 * rounds + (shape->sum_steps ? 1 + 3.0 * shape->sum_steps : 0) * shape->bank_ways;
  return warps * fmax(instructions / issued_per_cycle, accesses);
}

static void find_limit(TgDivisionCost *cost) {
  const struct {
    double seconds;
    const char *name;
  } limits[] = {
      {cost->latency_s, "latency"}, {cost->issue_s, "issue"}, {cost->bytes_s, "bytes"}, {cost->atomics_s, "atomics"}};
  double most = -1;
  for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
    if (limits[i].seconds <= most) continue;
    most = limits[i].seconds;
    cost->limit = limits[i].name;
  }
  cost->seconds = launch_s + most;
}

bool tg_division_cost(const TgDivision *division, const TgDevice *device, TgHistoricType type, int64_t m, int64_t n,
                      int64_t k, TgDivisionCost *cost) {
  TgHistoricRun run = {
      .type = (int32_t)type, .width = division->width, .split = division->split, .m = m, .n = n, .k = k};
  *cost = (TgDivisionCost){0};
  if (!tg_historic_prepare(division->kernel, &run, &cost->shape, NULL)) return false;
  const TgHistoricShape *shape = &cost->shape;
  const double hz = 1e6 * device->clock_mhz, processors = device->processors, blocks = blocks_of(shape);
  cost->resident = resident_blocks(device, shape);
  if (cost->resident < 1 || hz <= 0 || processors < 1) return false;
  const double once =
      ((double)m * (double)k + (double)k * (double)n + (double)m * (double)n) * TG_HISTORIC_ELEMENT_BYTES;
  cost->occupancy = cost->resident * threads_of(shape) / device->threads_per_processor;
  cost->waves = ceil(blocks / (processors * cost->resident));
  cost->latency_s = cost->waves * latency_cycles(shape) / hz;
  const double busiest = ceil(blocks / processors); /* blocks of the multiprocessor that has the most */
  cost->issue_s = busiest * busy_cycles(shape) / hz;
  cost->bytes_s = busiest / blocks * (shape->read_bytes + shape->written_bytes) / (cache_bytes_per_cycle * hz);
  if (device->memory_bytes_per_s > 0) cost->bytes_s = fmax(cost->bytes_s, once / device->memory_bytes_per_s);
  cost->atomics_s = busiest / blocks * shape->atomics / (atomics_per_cycle * hz);
  find_limit(cost);
  if (shape->split > 1) cost->seconds += zero_s;
  return true;
}

/* Least split of those that the rule cannot tell from the quickest: what adding up costs beside other work is not in
 * it. */
bool tg_division_choose(const TgDevice *device, TgHistoricType type, int64_t m, int64_t n, int64_t k,
                        TgDivision *division, TgDivisionCost *cost) {
  g_autoptr(GArray) all = tg_division_all(type, m, n, k);
  TgDivisionCost its;
  double least_s = INFINITY;
  bool any = false;
  for (guint i = 0; i < all->len; i++)
    if (tg_division_cost(&g_array_index(all, TgDivision, i), device, type, m, n, k, &its))
      least_s = fmin(least_s, its.seconds);
  for (guint i = 0; i < all->len; i++) {
    const TgDivision *one = &g_array_index(all, TgDivision, i);
    if (!tg_division_cost(one, device, type, m, n, k, &its) || its.seconds > told_apart * least_s) continue;
    if (any && (one->split > division->split || (one->split == division->split && its.seconds >= cost->seconds)))
      continue;
    *division = *one;
    *cost = its;
    any = true;
  }
  return any;
}

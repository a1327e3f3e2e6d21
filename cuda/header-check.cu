/** @file header-check.cu
 * The headers of topo/ and schedule/ are shared with kernels. Compiled, never run: a kernel that keeps the plain
 * structs in constant memory and calls on the device what the headers mark TG_SHARED. */
#include <type_traits>

#include "every-header.h"

static_assert(std::is_trivially_copyable<TgTopology>::value, "a topology crosses to a device as bytes");
static_assert(std::is_trivially_copyable<TgSchedule>::value, "a schedule crosses to a device as bytes");
static_assert(sizeof(TgSchedule) <= 4096, "a schedule leaves room in the 64 KiB of constant memory");

__constant__ TgSchedule schedule;
__constant__ TgTopology topology;

/** For each processor of the grid: one expression at its coordinates, and its first row of `rows`. */
__global__ void tg_header_check(TgExpression expression, int64_t processors, int64_t rows, int64_t *value,
                                int64_t *first_row, int32_t *evaluation) {
  int64_t rank = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (rank >= processors || rank >= topology.nodes) return;
  int64_t variable[TG_LOCAL_VARIABLES] = {0};
  tg_schedule_coordinates(&schedule, rank, variable);
  first_row[rank] = tg_block_begin(rows, schedule.extent[0], variable[0]);
  evaluation[rank] = tg_expression_evaluate(&schedule, expression, variable, &value[rank]);
}

#include "tiers.h"

#include "expression.h"
#include "sim-error.h"
#include "phase.h"

#include <math.h>
#include <string.h>

enum { LOOPS = ((1 << TG_MAX_NESTING) - 1) << TG_VARIABLE_LOOP };

static TgTierCost *cost_of(const TgTiers *tiers) {
  return &tiers->prediction->cost->tiers;
}

/* ---- what is where ---- */

static bool travels(const TgStatement *statement) {
  return statement->op == TG_OP_MOVE || statement->op == TG_OP_ADD || tg_op_is_collective(statement->op);
}

static double block_of(const TgTiers *tiers, int matrix) {
  double m = (double)tiers->m, n = (double)tiers->n, k = (double)tiers->k;
  const double elements[] = {m * k, k * n, m * n};
  return matrix < 0 ? 0 : elements[matrix] * (double)tiers->options.element_bytes;
}

/* A block of the schedule's may have more than one size: the largest counts. */
static bool find_sizes(TgTiers *tiers, const TgShape *shape, GError **error) {
  const TgSchedule *schedule = tiers->schedule;
  const int32_t *c = schedule->blocks[TG_MATRIX_C];
  if (!tg_phase_matrices(schedule, tiers->matrix) || schedule->computes.right >= TG_MATRICES) {
    g_set_error_literal(error, TG_SIM_ERROR, TG_SIM_ERROR_BAD_INPUT,
                        "memory tiers need a product, and buffers that hold blocks of one matrix each");
    return false;
  }
  tiers->m = (shape->m + c[0] - 1) / c[0];
  tiers->n = (shape->n + c[1] - 1) / c[1];
  tiers->k = (shape->k + schedule->inner - 1) / schedule->inner;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    tiers->block_bytes[b] = block_of(tiers, tiers->matrix[b]);
    if (tiers->matrix[b] >= 0 && !(tiers->options.tiers.in_memory >> b & 1)) tiers->on_disk |= 1u << b;
  }
  for (int s = 0; s < schedule->statements; s++)
    if (travels(&schedule->statement[s])) tiers->arrived |= 1u << schedule->statement[s].target.buffer;
  if (tiers->options.tiers.from >= TG_PLACE_HOST) tiers->on_disk = 0;
  return true;
}

static TgPlace place_of(const TgTiers *tiers, int buffer) {
  bool kept = tiers->options.tiers.in_memory >> buffer & 1;
  return kept && tiers->options.tiers.from < TG_PLACE_HOST ? TG_PLACE_HOST : tiers->options.tiers.from;
}

/* ---- products ---- */

static TgPipelineJob job_of(const TgTiers *tiers, const TgStatement *statement) {
  const TgTierOptions *options = &tiers->options.tiers;
  return (TgPipelineJob){.m = tiers->m,
                         .n = tiers->n,
                         .k = tiers->k,
                         .blocks = options->blocks,
                         .element_bytes = tiers->options.element_bytes,
                         .a = place_of(tiers, statement->source.buffer),
                         .b = place_of(tiers, statement->other.buffer),
                         .c = place_of(tiers, statement->target.buffer),
                         .adds = !statement->replace,
                         .warm_a = tiers->arrived >> statement->source.buffer & 1,
                         .by_rows_a = options->by_rows >> statement->source.buffer & 1,
                         .by_rows_b = options->by_rows >> statement->other.buffer & 1,
                         .warm_b = tiers->arrived >> statement->other.buffer & 1,
                         .pipelined = options->pipelined,
                         .double_c = options->double_c};
}

/* A sum that always goes to one slot can stay in memory where its block is all of C. */
static bool may_stay(const TgTiers *tiers, const TgStatement *statement) {
  const TgProductBlocks *blocks = &tiers->options.tiers.blocks;
  bool one_slot = !(tg_expression_variables(tiers->schedule, statement->target.index) & LOOPS);
  return !statement->replace && one_slot && (blocks->x == 0 || (blocks->x >= tiers->m && blocks->z >= tiers->n));
}

static bool predict_product(TgTiers *tiers, int number, GError **error) {
  const TgStatement *statement = &tiers->schedule->statement[number];
  const TgMachine *machine = tiers->prediction->machine;
  TgTierProduct *product = &tiers->product[number];
  TgPipelineJob job = job_of(tiers, statement);
  job.c_stays = may_stay(tiers, statement);
  product->c_stays = job.c_stays && tg_pipeline_predict(&product->pipeline, machine, &job, NULL);
  if (product->c_stays) tiers->stays |= 1u << statement->target.buffer;
  job.c_stays = false;
  return product->c_stays || tg_pipeline_predict(&product->pipeline, machine, &job, error);
}

static bool predict_products(TgTiers *tiers, GError **error) {
  TgTierCost *cost = cost_of(tiers);
  for (int s = 0; s < tiers->schedule->statements; s++) {
    if (tiers->schedule->statement[s].op != TG_OP_MULTIPLY) continue;
    if (!predict_product(tiers, s, error)) return false;
    if (tiers->product[s].pipeline.time_s < cost->product.time_s) continue;
    cost->product = tiers->product[s].pipeline;
    cost->c_stays = tiers->product[s].c_stays;
  }
  cost->m = tiers->m;
  cost->n = tiers->n;
  cost->k = tiers->k;
  return true;
}

/* What the disk reads and writes at a time: the blocks of the products; where they are planned, at least so much that
 * the latency is a hundredth. */
static void find_requests(TgTiers *tiers) {
  const TgProductBlocks *blocks = &cost_of(tiers)->product.blocks;
  bool planned = tiers->options.tiers.blocks.x == 0 && tiers->disk;
  double least = planned ? 100 * tiers->disk->latency_s * tiers->disk->read_bytes_per_s : 0;
  double x = (double)blocks->x, y = (double)blocks->y, z = (double)blocks->z;
  const double elements[] = {x * y, y * z, x * z};
  for (int b = 0; b < TG_MAX_BUFFERS; b++)
    if (tiers->matrix[b] >= 0)
      tiers->request_bytes[b] = fmax(least, elements[tiers->matrix[b]] * (double)tiers->options.element_bytes);
}

static void count_products(TgTiers *tiers, const TgPhase *phase) {
  memset(tiers->count, 0, (size_t)tiers->nodes * sizeof *tiers->count);
  for (int64_t i = 0; i < phase->products; i++) {
    int64_t processor = phase->processor ? phase->processor[i] : i;
    if (tg_product_flops(tg_phase_product(phase, i)) > 0)
      tiers->count[tg_embedding_node(&tiers->prediction->lanes.embedding, processor)]++;
  }
}

/* How long the node is busy with `count` products: while their disk's share waits for the disk, so do they. */
static double product_time(TgTiers *tiers, const TgClocks *clocks, int64_t node, const TgPipeline *pipeline) {
  double count = tiers->count[node], begin = fmax(clocks->cpu[node], clocks->port[node]);
  double disk = count * pipeline->resource_s[TG_TIER_RESOURCE_DISK], time = count * pipeline->time_s;
  if (disk == 0) return time;
  double disk_begin = fmax(tiers->disk_s[node], begin);
  bool pipelined = tiers->options.tiers.pipelined;
  tiers->disk_s[node] = disk_begin + (pipelined ? disk : time);
  cost_of(tiers)->node_disk_s[node] += disk;
  cost_of(tiers)->node_read_bytes[node] += count * pipeline->bytes[TG_TIER_STAGE_DISK_READ];
  cost_of(tiers)->node_write_bytes[node] += count * pipeline->bytes[TG_TIER_STAGE_DISK_WRITE];
  double end = pipelined ? fmax(begin + time, disk_begin + disk + pipeline->fill_s) : disk_begin + time;
  return end - begin;
}

static double multiply(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement) {
  TgTiers *tiers = user;
  const TgTierProduct *product = &tiers->product[statement];
  g_autofree double *product_s = g_new0(double, tiers->nodes);
  TgLane streamed = *lane;
  streamed.product_s = product_s;
  count_products(tiers, lane->phase);
  for (int64_t n = 0; n < tiers->nodes; n++) {
    if (tiers->count[n] == 0) continue;
    product_s[n] = product_time(tiers, clocks, n, &product->pipeline);
    tiers->multiplied[n] |= product->c_stays;
  }
  return tg_clocks_multiply(clocks, &streamed);
}

/* ---- the disk ---- */

static double serve(TgTiers *tiers, int64_t node, double seconds, double ready_s) {
  tiers->disk_s[node] = fmax(tiers->disk_s[node], ready_s) + seconds;
  cost_of(tiers)->node_disk_s[node] += seconds;
  return tiers->disk_s[node];
}

/* What the node has read or written before is still in the page cache, where that holds such a block of A and of B. */
static bool is_cached(const TgTiers *tiers, int64_t node, int buffer) {
  double pair = block_of(tiers, TG_MATRIX_A) + block_of(tiers, TG_MATRIX_B);
  return tiers->cache && (tiers->seen[node] >> buffer & 1) && pair <= tiers->cache->capacity_bytes;
}

double tg_tiers_read(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s) {
  if (is_cached(tiers, node, buffer)) return ready_s + bytes / tiers->cache->read_bytes_per_s;
  double requests = ceil(bytes / tiers->request_bytes[buffer]);
  cost_of(tiers)->node_read_bytes[node] += bytes;
  return serve(tiers, node, bytes / tiers->disk->read_bytes_per_s + requests * tiers->disk->latency_s, ready_s);
}

double tg_tiers_write(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s) {
  double requests = ceil(bytes / tiers->request_bytes[buffer]);
  tiers->seen[node] |= 1u << buffer;
  cost_of(tiers)->node_write_bytes[node] += bytes;
  return serve(tiers, node, bytes / tiers->disk->write_bytes_per_s + requests * tiers->disk->latency_s, ready_s);
}

/* ---- the run ---- */

static void before(void *user, TgClocks *clocks) {
  TgTiers *tiers = user;
  if (tiers->open && tg_phases_walk(tiers->prediction->phases)->executed != tiers->executed)
    tg_tiers_close(tiers, clocks);
}

static void transfer(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement) {
  TgTiers *tiers = user;
  if (!tiers->open && tiers->on_disk) tg_tiers_open(tiers, clocks);
  tg_clocks_transfer(clocks, lane, statement);
}

/* The run ends when all is on the disks, sums that stayed in memory included. */
static void after(void *user, TgClocks *clocks) {
  TgTiers *tiers = user;
  if (tiers->open) tg_tiers_close(tiers, clocks);
  for (int64_t n = 0; n < tiers->nodes && tiers->on_disk; n++) {
    for (int b = 0; b < TG_MAX_BUFFERS && tiers->multiplied[n]; b++)
      if (tiers->stays & tiers->on_disk & 1u << b)
        tg_tiers_write(tiers, n, b, tiers->block_bytes[b], fmax(clocks->cpu[n], clocks->port[n]));
    clocks->cpu[n] = fmax(clocks->cpu[n], tiers->disk_s[n]);
  }
}

static void tiers_init(TgTiers *tiers, TgPrediction *prediction) {
  const TgMachine *machine = prediction->machine;
  *tiers = (TgTiers){.prediction = prediction, .options = *prediction->options};
  tiers->nodes = prediction->lanes.network->nodes;
  tiers->schedule = tg_phases_walk(prediction->phases)->schedule;
  tiers->disk = tg_machine_tier(machine, TG_TIER_DISK);
  if (tiers->options.tiers.from == TG_PLACE_CACHE) tiers->cache = tg_machine_tier(machine, TG_TIER_CACHE);
  tiers->link_bytes_per_s = machine->link.bandwidth_bytes_per_s;
  tiers->disk_s = g_new0(double, tiers->nodes);
  tiers->traffic = g_new0(TgNodeTraffic, tiers->nodes);
  tiers->seen = g_new0(uint32_t, tiers->nodes);
  tiers->count = g_new0(int32_t, tiers->nodes);
  tiers->multiplied = g_new0(uint8_t, tiers->nodes);
  TgTierCost *cost = cost_of(tiers);
  cost->node_read_bytes = g_new0(double, tiers->nodes);
  cost->node_write_bytes = g_new0(double, tiers->nodes);
  cost->node_disk_s = g_new0(double, tiers->nodes);
}

static void tiers_clear(TgTiers *tiers) {
  g_free(tiers->disk_s);
  g_free(tiers->traffic);
  g_free(tiers->seen);
  g_free(tiers->count);
  g_free(tiers->multiplied);
}

bool tg_tiers_run(TgPrediction *prediction, GError **error) {
  static const TgInOrderRules rules = {before, transfer, multiply, after};
  TgTiers tiers;
  tiers_init(&tiers, prediction);
  const TgCostOptions *options = prediction->options;
  /* Disks are not alike even where clocks are: with a straggler, of factor 1, every node keeps a clock of its own. */
  if (tiers.options.straggler < 0) tiers.options.straggler_factor = 1;
  if (tiers.options.straggler < 0) tiers.options.straggler = 0;
  bool fine = find_sizes(&tiers, tg_phases_shape(prediction->phases), error) && predict_products(&tiers, error);
  if (fine) find_requests(&tiers);
  prediction->options = &tiers.options;
  fine = fine && tg_in_order_run_rules(prediction, &rules, &tiers, error);
  prediction->options = options;
  tiers_clear(&tiers);
  return fine;
}

/* A run whose blocks are not all in memory. Every node has a disk, a resource with a clock of its own that serves one
 * request after another: what a statement sends is read there, what arrives is written there, and a product streams its
 * operands from there as pipeline.h says. */
#include "expression.h"
#include "in-order.h"
#include "models.h"
#include "sim-error.h"

#include <math.h>
#include <string.h>

/** What the statement under way does to one node. */
typedef struct TgNodeTraffic {
  int32_t read_slot; /**< slot that was read last for sending, -1 none: a block that goes to several is read once */
  bool added;        /**< its own addend was read */
  bool copied;       /**< its own share was copied */
  bool takes_part;
  double read_begin_s;   /**< when its read_slot was begun to be read … */
  double read_end_s;     /**< … when it had been … */
  double first_s;        /**< … and how long the network waits for its first block */
  double source_end_s;   /**< when the last block that it receives or sends has been read and is over the network */
  double source_first_s; /**< time until the first block that it receives is read */
  double write_begin_s;  /**< when it can begin to write */
  double write_bytes;
} TgNodeTraffic;

/** A product statement's local product. */
typedef struct TgTierProduct {
  TgPipeline pipeline;
  bool c_stays;
} TgTierProduct;

typedef struct TgTiers {
  TgPrediction *prediction;
  TgCostOptions options;
  const TgSchedule *schedule;
  const TgMachineTier *disk, *cache; /* cache: NULL unless blocks are behind it */
  int matrix[TG_MAX_BUFFERS];
  double block_bytes[TG_MAX_BUFFERS];   /* of a block of the schedule … */
  double request_bytes[TG_MAX_BUFFERS]; /* … and of what is read or written at a time */
  uint32_t on_disk;                     /* buffers, a bit each */
  uint32_t stays;                       /* buffers whose sums stay in memory until the end */
  uint32_t *seen;                       /* by node: buffers that its disk has read or written */
  uint32_t arrived;                     /* buffers that some communication statement writes */
  int64_t m, n, k;                      /* of a local product */
  TgTierProduct product[TG_MAX_STATEMENTS];
  double *disk_s; /* by node: when its disk is free again */
  int64_t nodes;
  TgNodeTraffic *traffic; /* by node */
  bool open;              /* a communication statement is under way … */
  int64_t executed;       /* … this one, as TgWalk counts */
  const TgStatement *statement;
  const TgMachineLink *link;
  int32_t *count;      /* scratch: products of a node */
  uint8_t *multiplied; /* by node: has a sum that stays */
} TgTiers;

static TgTierCost *cost_of(const TgTiers *tiers) {
  return &tiers->prediction->cost->tiers;
}

/* ---- what is where ---- */

static double block_of(const TgTiers *tiers, int matrix) {
  double m = (double)tiers->m, n = (double)tiers->n, k = (double)tiers->k;
  const double elements[] = {m * k, k * n, m * n};
  return matrix < 0 ? 0 : elements[matrix] * (double)tiers->options.element_bytes;
}

/* A block of the schedule's may have more than one size: the largest counts. */
static bool find_sizes(TgTiers *tiers, const TgShape *shape, GError **error) {
  const TgSchedule *schedule = tiers->schedule;
  if (!tg_phase_matrices(schedule, tiers->matrix) || schedule->computes.right >= TG_MATRICES)
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "memory tiers need a product, and buffers that hold blocks of one matrix each");
  const TgProductSize largest = tg_largest_product(schedule, shape);
  tiers->m = largest.m;
  tiers->n = largest.n;
  tiers->k = largest.k;
  for (int b = 0; b < TG_MAX_BUFFERS; b++) {
    tiers->block_bytes[b] = block_of(tiers, tiers->matrix[b]);
    if (tiers->matrix[b] >= 0 && !(tiers->options.tiers.in_memory >> b & 1)) tiers->on_disk |= 1u << b;
  }
  for (int s = 0; s < schedule->statements; s++)
    if (tg_op_travels(schedule->statement[s].op)) tiers->arrived |= 1u << schedule->statement[s].target.buffer;
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
                         .unit = options->unit,
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
  bool one_slot = !(tg_expression_variables(tiers->schedule, statement->target.index) & TG_VARIABLES_LOOPS);
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

/* What the disk reads and writes at a time: the blocks of the products; where they are planned, the parts that stream
 * past them. */
static void find_requests(TgTiers *tiers) {
  const TgProductBlocks *blocks = &cost_of(tiers)->product.blocks;
  bool planned = tiers->options.tiers.blocks.x == 0 && tiers->disk;
  double x = (double)blocks->x, y = (double)blocks->y, z = (double)blocks->z;
  const double elements[] = {x * y, y * z, x * z};
  for (int b = 0; b < TG_MAX_BUFFERS; b++)
    if (tiers->matrix[b] >= 0)
      tiers->request_bytes[b] = planned ? tg_pipeline_request_bytes(tiers->disk, TG_PANELS_CHUNK_BYTES)
                                        : elements[tiers->matrix[b]] * (double)tiers->options.element_bytes;
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
static double product_time(TgTiers *tiers, const TgClocks *clocks, const TgPhase *phase, int64_t node,
                           const TgPipeline *pipeline) {
  double count = tiers->count[node], begin = tg_clocks_can_multiply(clocks, phase, node);
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
  if (lane->phase->sums) return tg_clocks_multiply(clocks, lane);
  g_autofree double *product_s = g_new0(double, tiers->nodes);
  TgLane streamed = *lane;
  streamed.product_s = product_s;
  count_products(tiers, lane->phase);
  for (int64_t n = 0; n < tiers->nodes; n++) {
    if (tiers->count[n] == 0) continue;
    product_s[n] = product_time(tiers, clocks, lane->phase, n, &product->pipeline);
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

/* The node's disk serves so many bytes in requests of `request_bytes` from `ready_s` on; returns when it is done. */
static double read_disk(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s) {
  if (is_cached(tiers, node, buffer)) return ready_s + bytes / tiers->cache->read_bytes_per_s;
  double requests = ceil(bytes / tiers->request_bytes[buffer]);
  cost_of(tiers)->node_read_bytes[node] += bytes;
  return serve(tiers, node, bytes / tiers->disk->read_bytes_per_s + requests * tiers->disk->latency_s, ready_s);
}

static double write_disk(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s) {
  double requests = ceil(bytes / tiers->request_bytes[buffer]);
  tiers->seen[node] |= 1u << buffer;
  cost_of(tiers)->node_write_bytes[node] += bytes;
  return serve(tiers, node, bytes / tiers->disk->write_bytes_per_s + requests * tiers->disk->latency_s, ready_s);
}

/* ---- communication statements ---- */

/* The disks' part of a communication statement. Blocks go through it one by one (Ryu and Kim, 2018, Fig. 3): read at
 * the sender, sent, written at the receiver. Pipelined, the statement takes as long as the slowest of the three and the
 * first block through the others; otherwise they follow one another.
 *
 * What is read and written follows from the statement as a whole, whatever rounds its collective is expanded into: a
 * block that goes to many is read once, and who only passes it on keeps it in memory. */

static bool is_charged(const TgTiers *tiers, int buffer) {
  return tiers->on_disk & ~tiers->stays & 1u << buffer;
}

/* When the node can begin to read what it sends: it has come to the statement, and the product that wrote it is done.
 */
static double ready_of(const TgClocks *clocks, int64_t node, int buffer) {
  const TgPhase sends = {.needs = 1u << buffer};
  return fmax(clocks->port[node], tg_buffer_times_written(&clocks->buffers, &sends, node));
}

static double first_part(const TgTiers *tiers, int buffer, double seconds) {
  return seconds * fmin(1, tiers->request_bytes[buffer] / tiers->block_bytes[buffer]);
}

/* Whether a statement that sends from the buffer reads all that the node has there: then the page cache has it. */
static bool reads_all(const TgTiers *tiers) {
  return !tg_op_traits(tiers->statement->op)->splits &&
         !tg_expression_variables(tiers->schedule, tiers->statement->source.index);
}

/* Reads the block in `slot` for sending from `ready` on, unless that is what was read last. */
static void read_block(TgTiers *tiers, int64_t node, int32_t slot, double ready) {
  int buffer = tiers->statement->source.buffer;
  TgNodeTraffic *traffic = &tiers->traffic[node];
  double begin = fmax(tiers->disk_s[node], ready);
  if (traffic->takes_part && traffic->read_slot == slot) return;
  traffic->read_slot = slot;
  traffic->read_begin_s = begin;
  traffic->read_end_s = read_disk(tiers, node, buffer, tiers->block_bytes[buffer], begin);
  if (reads_all(tiers)) tiers->seen[node] |= 1u << buffer;
  if (!traffic->takes_part) traffic->first_s = begin - ready + first_part(tiers, buffer, traffic->read_end_s - begin);
  traffic->takes_part = true;
}

static double over_network(const TgTiers *tiers, int buffer) {
  const double bytes = fmin(tiers->request_bytes[buffer], tiers->block_bytes[buffer]);
  return bytes / tg_link_protocol(tiers->link, tiers->block_bytes[buffer]).bandwidth_bytes_per_s;
}

static void begin_transfer(TgTiers *tiers, TgClocks *clocks, int64_t from, int64_t to, int32_t slot) {
  int source = tiers->statement->source.buffer, target = tiers->statement->target.buffer;
  TgNodeTraffic *sender = &tiers->traffic[from], *receiver = &tiers->traffic[to];
  const TgPhase brings = {.fills = tg_op_traits(tiers->statement->op)->adds ? 0 : 1u << target};
  double begin = fmax(ready_of(clocks, from, source), tg_buffer_times_room(&clocks->buffers, &brings, to));
  if (is_charged(tiers, source)) {
    read_block(tiers, from, slot, begin);
    begin = sender->read_begin_s;
    sender->source_end_s = fmax(sender->source_end_s, sender->read_end_s + over_network(tiers, source));
    receiver->source_end_s = fmax(receiver->source_end_s, sender->source_end_s);
    receiver->source_first_s = fmax(receiver->source_first_s, sender->first_s);
  }
  if (!is_charged(tiers, target)) return;
  if (receiver->write_bytes == 0) receiver->write_begin_s = begin;
  receiver->write_bytes += tiers->block_bytes[target];
}

/* A sum is on the disk, too, where it is added to, and is written once. */
static void begin_addition(TgTiers *tiers, TgClocks *clocks, int64_t to) {
  int target = tiers->statement->target.buffer;
  TgNodeTraffic *receiver = &tiers->traffic[to];
  if (!is_charged(tiers, target)) return;
  receiver->write_bytes = tiers->block_bytes[target];
  if (receiver->added) return;
  receiver->added = true;
  double end = read_disk(tiers, to, target, tiers->block_bytes[target], ready_of(clocks, to, target));
  receiver->source_end_s = fmax(receiver->source_end_s, end);
}

/* What stays on its node but goes to another buffer is copied on its disk. */
static void copy_own(TgTiers *tiers, TgClocks *clocks, int64_t node) {
  int source = tiers->statement->source.buffer, target = tiers->statement->target.buffer;
  double ready = ready_of(clocks, node, source);
  if (source == target || tiers->traffic[node].copied) return;
  tiers->traffic[node].copied = true;
  if (is_charged(tiers, source)) read_disk(tiers, node, source, tiers->block_bytes[source], ready);
  if (is_charged(tiers, target)) write_disk(tiers, node, target, tiers->block_bytes[target], ready);
}

/* Whose own share of the collective is copied, given one of its messages; -1 nobody's. */
static int64_t owner_of(const TgStatement *statement, int64_t from, int64_t to) {
  const TgOpTraits *traits = tg_op_traits(statement->op);
  if (traits->adds || (!traits->splits && !traits->fills)) return -1;
  return traits->to_root ? to : from;
}

static void begin_message(TgTiers *tiers, TgClocks *clocks, const TgMessage *message) {
  const TgEmbedding *embedding = &tiers->prediction->lanes.embedding;
  int64_t from = tg_embedding_node(embedding, message->from), to = tg_embedding_node(embedding, message->to);
  if (message->from == message->to) {
    copy_own(tiers, clocks, from);
    return;
  }
  if (from == to) return;
  int64_t owner = owner_of(tiers->statement, from, to);
  if (owner >= 0) copy_own(tiers, clocks, owner);
  begin_transfer(tiers, clocks, from, to, message->source_index);
  if (message->add) begin_addition(tiers, clocks, to);
}

/* Without pipelining a node has read all that it sends before its first message leaves. */
static void read_first(TgTiers *tiers, TgClocks *clocks) {
  for (int64_t n = 0; n < tiers->nodes; n++) {
    if (!tiers->traffic[n].takes_part) continue;
    clocks->port[n] = fmax(clocks->port[n], tiers->traffic[n].read_end_s);
    if (!clocks->overlap) clocks->cpu[n] = clocks->port[n];
  }
}

/* A communication statement begins: its reads. False where an expression fails, which the phases have reported. */
static void open_statement(TgTiers *tiers, TgClocks *clocks) {
  const TgWalk *walk = tg_phases_walk(tiers->prediction->phases);
  TgMessages messages;
  TgMessage message;
  TgError failure;
  tiers->open = true;
  tiers->executed = walk->executed;
  tiers->statement = &tiers->schedule->statement[walk->statement];
  memset(tiers->traffic, 0, (size_t)tiers->nodes * sizeof *tiers->traffic);
  tg_messages_init(&messages, walk, TG_COLLECTIVE_WHOLE);
  while (tg_messages_next(&messages, &message, &failure) == TG_PROGRESS_MORE) begin_message(tiers, clocks, &message);
  if (!tiers->options.tiers.pipelined) read_first(tiers, clocks);
}

static void close_pipelined(TgTiers *tiers, TgClocks *clocks, int64_t node) {
  const TgNodeTraffic *traffic = &tiers->traffic[node];
  int target = tiers->statement->target.buffer;
  double arrival = fmax(clocks->port[node] + traffic->source_first_s, traffic->source_end_s);
  clocks->port[node] = arrival;
  if (traffic->write_bytes == 0) return;
  double begin = fmax(tiers->disk_s[node], traffic->write_begin_s);
  double end = write_disk(tiers, node, target, traffic->write_bytes, traffic->write_begin_s);
  double last = first_part(tiers, target, (end - begin) * tiers->block_bytes[target] / traffic->write_bytes);
  tiers->disk_s[node] = fmax(end, arrival + last);
}

static void close_in_turn(TgTiers *tiers, TgClocks *clocks, int64_t node) {
  const TgNodeTraffic *traffic = &tiers->traffic[node];
  clocks->port[node] = fmax(clocks->port[node], traffic->source_end_s);
  if (traffic->write_bytes > 0)
    clocks->port[node] =
        write_disk(tiers, node, tiers->statement->target.buffer, traffic->write_bytes, clocks->port[node]);
}

/* All its rounds are done: when what was sent has arrived, and its writes. */
static void close_statement(TgTiers *tiers, TgClocks *clocks) {
  const TgPhase brings = {.writes = 1u << tiers->statement->target.buffer};
  tiers->open = false;
  for (int64_t n = 0; n < tiers->nodes; n++) {
    (tiers->options.tiers.pipelined ? close_pipelined : close_in_turn)(tiers, clocks, n);
    tg_buffer_times_arrive(&clocks->buffers, &brings, n, clocks->port[n]);
    if (!clocks->overlap) clocks->cpu[n] = clocks->port[n];
  }
}

/* ---- the run ---- */

static void before(void *user, TgClocks *clocks) {
  TgTiers *tiers = user;
  if (tiers->open && tg_phases_walk(tiers->prediction->phases)->executed != tiers->executed)
    close_statement(tiers, clocks);
}

static void transfer(void *user, TgClocks *clocks, const TgLane *lane, int32_t statement) {
  TgTiers *tiers = user;
  if (!tiers->open && tiers->on_disk) open_statement(tiers, clocks);
  tg_clocks_transfer(clocks, lane, statement);
}

/* The run ends when all is on the disks, sums that stayed in memory included. */
static void after(void *user, TgClocks *clocks) {
  TgTiers *tiers = user;
  if (tiers->open) close_statement(tiers, clocks);
  for (int64_t n = 0; n < tiers->nodes && tiers->on_disk; n++) {
    for (int b = 0; b < TG_MAX_BUFFERS && tiers->multiplied[n]; b++)
      if (tiers->stays & tiers->on_disk & 1u << b)
        write_disk(tiers, n, b, tiers->block_bytes[b], fmax(clocks->cpu[n], clocks->port[n]));
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
  tiers->link = &machine->link;
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
  static const TgInOrderRules rules = {.before = before, .transfer = transfer, .multiply = multiply, .after = after};
  TgTiers tiers;
  tiers_init(&tiers, prediction);
  const TgCostOptions *options = prediction->options;
  /* Disks are not alike even where clocks are: with a straggler, of factor 1, every node keeps a clock of its own. */
  if (tiers.options.straggler < 0) tiers.options.straggler_factor = 1;
  if (tiers.options.straggler < 0) tiers.options.straggler = 0;
  bool fine = find_sizes(&tiers, tg_phases_shape(prediction->phases), error) && predict_products(&tiers, error);
  if (fine) find_requests(&tiers);
  prediction->options = &tiers.options;
  fine = fine && tg_in_order_run(prediction, &rules, &tiers, error);
  prediction->options = options;
  tiers_clear(&tiers);
  return fine;
}

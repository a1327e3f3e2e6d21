/* The disks' part of a communication statement. Blocks go through it one by one (Ryu and Kim, 2018, Fig. 3): read at
 * the sender, sent, written at the receiver. Pipelined, the statement takes as long as the slowest of the three and the
 * first block through the others; otherwise they follow one another.
 *
 * What is read and written follows from the statement as a whole, whatever rounds its collective is expanded into: a
 * block that goes to many is read once, and who only passes it on keeps it in memory. */
#include "tiers.h"

#include "expression.h"
#include "phase.h"

#include <math.h>
#include <string.h>

static bool is_charged(const TgTiers *tiers, int buffer) {
  return tiers->on_disk & ~tiers->stays & 1u << buffer;
}

/* When the node can begin to read what it sends: it has come to the statement, and the product that wrote it is done.
 */
static double ready_of(const TgTiers *tiers, const TgClocks *clocks, int64_t node, int buffer) {
  double ready = clocks->port[node];
  if (tiers->options.overlap && clocks->ready[buffer]) ready = fmax(ready, clocks->ready[buffer][node]);
  return ready;
}

static double first_part(const TgTiers *tiers, int buffer, double seconds) {
  return seconds * fmin(1, tiers->request_bytes[buffer] / tiers->block_bytes[buffer]);
}

/* Whether a statement that sends from the buffer reads all that the node has there: then the page cache has it. */
static bool reads_all(const TgTiers *tiers) {
  int op = tiers->statement->op;
  return op != TG_OP_SCATTER && op != TG_OP_ALLTOALL && op != TG_OP_REDUCESCATTER &&
         !tg_expression_variables(tiers->schedule, tiers->statement->source.index);
}

/* Reads the block in `slot` for sending, unless that is what was read last. */
static void read_block(TgTiers *tiers, TgClocks *clocks, int64_t node, int32_t slot) {
  int buffer = tiers->statement->source.buffer;
  TgNodeTraffic *traffic = &tiers->traffic[node];
  double ready = ready_of(tiers, clocks, node, buffer), begin = fmax(tiers->disk_s[node], ready);
  if (traffic->takes_part && traffic->read_slot == slot) return;
  traffic->read_slot = slot;
  traffic->read_begin_s = begin;
  traffic->read_end_s = tg_tiers_read(tiers, node, buffer, tiers->block_bytes[buffer], begin);
  if (reads_all(tiers)) tiers->seen[node] |= 1u << buffer;
  if (!traffic->takes_part) traffic->first_s = begin - ready + first_part(tiers, buffer, traffic->read_end_s - begin);
  traffic->takes_part = true;
}

static double over_network(const TgTiers *tiers, int buffer) {
  return fmin(tiers->request_bytes[buffer], tiers->block_bytes[buffer]) / tiers->link_bytes_per_s;
}

static void begin_transfer(TgTiers *tiers, TgClocks *clocks, int64_t from, int64_t to, int32_t slot) {
  int source = tiers->statement->source.buffer, target = tiers->statement->target.buffer;
  TgNodeTraffic *sender = &tiers->traffic[from], *receiver = &tiers->traffic[to];
  double begin = ready_of(tiers, clocks, from, source);
  if (is_charged(tiers, source)) {
    read_block(tiers, clocks, from, slot);
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
  double end = tg_tiers_read(tiers, to, target, tiers->block_bytes[target], ready_of(tiers, clocks, to, target));
  receiver->source_end_s = fmax(receiver->source_end_s, end);
}

/* What stays on its node but goes to another buffer is copied on its disk. */
static void copy_own(TgTiers *tiers, TgClocks *clocks, int64_t node) {
  int source = tiers->statement->source.buffer, target = tiers->statement->target.buffer;
  double ready = ready_of(tiers, clocks, node, source);
  if (source == target || tiers->traffic[node].copied) return;
  tiers->traffic[node].copied = true;
  if (is_charged(tiers, source)) tg_tiers_read(tiers, node, source, tiers->block_bytes[source], ready);
  if (is_charged(tiers, target)) tg_tiers_write(tiers, node, target, tiers->block_bytes[target], ready);
}

/* Whose own share of the collective is copied, given one of its messages; -1 nobody's. */
static int64_t owner_of(const TgStatement *statement, int64_t from, int64_t to) {
  switch (statement->op) {
  case TG_OP_SCATTER:
  case TG_OP_ALLGATHER:
  case TG_OP_ALLTOALL:
    return from;
  case TG_OP_GATHER:
    return to;
  default:
    return -1;
  }
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

void tg_tiers_open(TgTiers *tiers, TgClocks *clocks) {
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
  double end = tg_tiers_write(tiers, node, target, traffic->write_bytes, traffic->write_begin_s);
  double last = first_part(tiers, target, (end - begin) * tiers->block_bytes[target] / traffic->write_bytes);
  tiers->disk_s[node] = fmax(end, arrival + last);
}

static void close_in_turn(TgTiers *tiers, TgClocks *clocks, int64_t node) {
  const TgNodeTraffic *traffic = &tiers->traffic[node];
  clocks->port[node] = fmax(clocks->port[node], traffic->source_end_s);
  if (traffic->write_bytes > 0)
    clocks->port[node] =
        tg_tiers_write(tiers, node, tiers->statement->target.buffer, traffic->write_bytes, clocks->port[node]);
}

void tg_tiers_close(TgTiers *tiers, TgClocks *clocks) {
  tiers->open = false;
  for (int64_t n = 0; n < tiers->nodes; n++) {
    (tiers->options.tiers.pipelined ? close_pipelined : close_in_turn)(tiers, clocks, n);
    if (!clocks->overlap) clocks->cpu[n] = clocks->port[n];
  }
}

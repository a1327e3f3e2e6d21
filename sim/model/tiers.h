/** @file tiers.h
 * Private to sim/: a run whose blocks are not all in memory. Every node has a disk, a resource with a clock of its own
 * that serves one request after another: what a statement sends is read there, what arrives is written there, and a
 * product streams its operands from there as in pipeline.h. */
#ifndef TG_TIERS_H
#define TG_TIERS_H

#include "in-order.h"

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
  double cache_bytes;                /* what it holds */
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
  double link_bytes_per_s;
  int32_t *count;      /* scratch: products of a node */
  uint8_t *multiplied; /* by node: has a sum that stays */
} TgTiers;

/** A TgModelRun: the hockney model with disks. */
bool tg_tiers_run(TgPrediction *prediction, GError **error);

/** A communication statement begins: its reads. False where an expression fails, which the phases have reported. */
void tg_tiers_open(TgTiers *tiers, TgClocks *clocks);
/** All its rounds are done: when what was sent has arrived, and its writes. */
void tg_tiers_close(TgTiers *tiers, TgClocks *clocks);

/** The node's disk serves so many bytes in requests of `request_bytes` from `ready_s` on; returns when it is done. */
double tg_tiers_read(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s);
double tg_tiers_write(TgTiers *tiers, int64_t node, int buffer, double bytes, double ready_s);

#endif

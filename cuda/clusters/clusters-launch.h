/** @file clusters-launch.h
 * Private to cuda/: what clusters.c hands to clusters.cu. Pointers are to device memory. */
#ifndef TG_CLUSTERS_LAUNCH_H
#define TG_CLUSTERS_LAUNCH_H

#include "clusters-jobs.h"
#include "clusters-plan.h"
#include "element.h"

TG_BEGIN_DECLS

/** A processor's time in the products of one step, over all instances: in clocks of its multiprocessor. */
typedef struct TgClusterTime {
  uint64_t busy, waited; /**< waited for operands */
} TgClusterTime;

/** What a run reports. */
typedef struct TgClusterStatus {
  int32_t failed; /**< 1: a wait passed its deadline: */
  int32_t processor, instance, step;
  int32_t waiting; /**< 0: a product for its factors; else 1 + TgStreamOperation */
  int32_t unused;
  uint64_t begin_ns, end_ns;       /**< the first block's life by the device's nanosecond clock … */
  uint64_t begin_clock, end_clock; /**< … and by its multiprocessor's */
} TgClusterStatus;

typedef struct TgClusterRun {
  const TgStreamProcessor *processor;
  const struct uint4 *op; /**< TgStreamOp packed: see tg_cluster_pack() */
  const uint8_t *ops_of;  /**< operations at each product */
  const TgStreamProduct *product;
  const TgStreamOutput *output;
  const TgStreamTerm *term;
  const TgClusterJob *job;
  void *c;
  void *partial;           /**< partial blocks of C, each of rows x columns tiles, row-major */
  void *scratch;           /**< tiles of sums, where processors have several: [job][processor][sum] */
  TgClusterTime *time;     /**< [processor * steps + step - 1], 0 before a run; NULL: none are taken */
  TgClusterStatus *status; /**< 0 before a run */
  uint32_t deadline;       /**< in 1024 ns */
  float zero;              /**< 0: what the compiler cannot know */
  int64_t ldc;
  int32_t m, n;
  int32_t processors, unit, slots, channels, sums;
  int32_t rows, columns; /**< blocks of C in an instance */
  int32_t instances_down, instances_across;
  int32_t inner;
  int32_t jobs, divided, parts; /**< see TgClusterJobs */
  int32_t gathers;              /**< 1: some block of C is the sum of several processors' sums */
  int32_t whole;                /**< 1: rows of C take stores of 16 bytes */
  int32_t steps;
  int32_t stalled; /**< 1 + rank of a processor that does nothing; 0: none */
  uint32_t delay_ns, delay_seed;
} TgClusterRun;

/** A TgStreamOp. In word 0: operation in bits 0 and 1, slot from 2, peer 7, peer_slot 11, channel 16, right role 22,
 * wraps 24, parity 25, odd 26, channel_parity 27, channel_odd 28; in 1: spare from 0, ahead 16; in 2: across from 0,
 * inner 16; in 3: filling from 5, step 17. */
typedef struct TgClusterOp {
  uint32_t word[4];
} TgClusterOp;

/** The products of all processors, for the constants of the kernel. In `word` slots are bits 0 to 4 and 5 to 9,
 * parities 10 and 11, `odd` 12 and 13, flags 14 to 17, step 18 to 31. */
typedef struct TgClusterWords {
  int32_t first[TG_CLUSTER_MOST], of_panel[TG_CLUSTER_MOST];
  uint32_t word[TG_CLUSTER_WORDS];
} TgClusterWords;

/** A kernel for it. */
typedef struct TgClusterVariant {
  int32_t tile;   /**< rows and columns of C on a processor */
  int32_t depth;  /**< of a slot: rows of `tile` elements, along k */
  int32_t warps;  /**< that multiply */
  int32_t blocks; /**< of a multiprocessor, at once */
  int64_t slot_bytes;
  int64_t sum_bytes;   /**< of shared memory for sums, once the slots are free */
  int64_t shared_most; /**< bytes of shared memory that a block can have */
} TgClusterVariant;

/** Variant `number`, the quickest first, for this element on the current device. False after the last one, and with an
 * error where the device fails or has no clusters. `*error->message` is empty after the last. */
bool tg_cluster_variant(int32_t number, int32_t element, TgClusterVariant *variant, TgError *error);
/** Bytes of shared memory of a block with so many slots and channels. */
int64_t tg_cluster_shared_bytes(const TgClusterVariant *variant, int32_t slots, int32_t channels);
/** Clusters that run at once on the device: 0 where not even one fits. */
bool tg_cluster_resident(int32_t number, int32_t element, bool several, int32_t processors, int64_t shared_bytes,
                         int32_t *clusters, TgError *error);
/** Starts it: a cluster a job; then, where instances are divided, what adds up their parts. `left` is op(A)' (k x m),
 * `right` op(B) (k x n), rows aligned to 16 bytes. */
bool tg_cluster_start(int32_t number, int32_t element, int64_t shared_bytes, const void *left, int64_t left_row,
                      const void *right, int64_t right_row, int64_t k, const TgClusterRun *run,
                      const TgClusterWords *words, TgError *error);

TG_END_DECLS

#endif

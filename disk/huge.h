/** @file huge.h
 * C = A·B of matrices in tiled files that are larger than memory. */
#ifndef TG_HUGE_H
#define TG_HUGE_H

#include "executor.h"
#include "multiplier.h"
#include "pipeline.h"
#include "tiled-file.h"
#include "watch.h"

TG_BEGIN_DECLS

/** What takes time, one after another or at the same time. */
typedef enum TgHugeStage {
  TG_HUGE_READ_A,   /**< from the first request of a chunk to the last one's end */
  TG_HUGE_READ_B,   /**< … of a step */
  TG_HUGE_MULTIPLY, /**< a chunk */
  TG_HUGE_WRITE_C,  /**< a panel, while its requests are in progress */
  TG_HUGE_KEEP,     /**< until a panel and its checksums are on the disk */
  TG_HUGE_SEND,     /**< a block from the disk to other ranks */
  TG_HUGE_RECEIVE,  /**< a block from another rank to the disk */
  TG_HUGE_STAGES
} TgHugeStage;

/** One time that a stage took. READ_B has no chunk; WRITE_C and KEEP have neither step nor chunk; SEND and RECEIVE have
 * none of the three. */
typedef struct TgHugeSpan {
  TgHugeStage stage;
  int32_t rank;
  int64_t panel, step, chunk; /**< from 0; panels that an earlier run had finished are not counted */
  double begin_s, end_s;      /**< from the beginning of the transfers */
} TgHugeSpan;

/** "read A", … */
const char *tg_huge_stage_name(TgHugeStage stage);

typedef struct TgHugeOptions {
  const char *a, *b, *c;  /**< paths; C is written as C.part and renamed when complete */
  double memory_bytes;    /**< that the program may take */
  TgProductBlocks blocks; /**< uniform panels of C of x * z, in steps of y; all 0: those that read least */
  bool cached;            /**< through the operating system's cache; else past it, where the file system can */
  bool sequential;        /**< nothing overlaps: for comparison */
  bool threads;           /**< instead of io_uring */
  const TgMultiplierKind *multiplier;              /**< an accelerator that multiplies; NULL: this CPU, with BLAS */
  int32_t device;                                  /**< the accelerator's number … */
  double device_bytes;                             /**< … and how much of its memory may be used */
  TgWatch watch;                                   /**< is told chunks of work done */
  void (*begins)(void *to, int64_t chunks);        /**< is told their number; may be NULL */
  /** Is told this rank's flops, read and written bytes so far, each time before the watch is; may be NULL. */
  void (*so_far)(void *to, double flops, double read_bytes, double written_bytes);
  void *tells;                                     /**< passed as `to` to begins and so_far */
  void (*spans)(void *to, const TgHugeSpan *span); /**< is told each, by one thread at a time; may be NULL */
  void *spans_to;
} TgHugeOptions;

/** What it took. */
typedef struct TgHugeResult {
  TgElement type;
  int64_t m, n, k;
  int64_t panels, panels_resumed;        /**< of C; those that an earlier run had finished */
  int64_t largest_rows, largest_columns; /**< of a panel */
  int64_t step, chunk;                   /**< inner dimension, rows of A at a time */
  double disk_read_bytes, disk_written_bytes;
  double model_read_bytes, model_written_bytes; /**< by the plan, before the run */
  double bound_read_bytes;                      /**< that any order must read with this memory, and what A and B have */
  double verified_bytes;                        /**< of C, read again to go on */
  double sent_bytes;                            /**< in messages between ranks */
  double flops;                                 /**< in products; panels that were finished already do not count */
  int64_t tiles;                                /**< of A, B and C */
  int32_t rank, ranks;                          /**< number of this process, and how many there are */
  double memory_bytes, buffer_bytes, peak_rss_bytes;
  double device_bytes;              /**< memory used on the accelerator */
  double wall_s, disk_s, compute_s; /**< from the first transfer to the last; with a transfer under way; in products */
  bool direct;                      /**< past the operating system's cache */
  char io[64];                      /**< "io_uring", or "16 threads (…)" */
} TgHugeResult;

/** Errors: of TG_IO_ERROR (files), TG_SIM_ERROR (TOO_LARGE: memory_bytes is too little, with what would do; MISSING: no
 * BLAS; STOPPED by the watch). What was finished stays in C.part, and the next call goes on from there. */
bool tg_huge_multiply(const TgHugeOptions *options, TgHugeResult *result, GError **error);

/** Of `memory_bytes`, how much tg_huge_multiply() would have for panels and what streams past them, with files in tiles
 * of the default size. That is the room without the program, measured now, and its requests; 0 or less: there is none.
 * 16 bytes per tile of C are to be subtracted. `unit`: the tiles. */
double tg_huge_buffer_bytes(TgElement type, double memory_bytes, TgProductBlocks *unit);

enum { TG_HUGE_DEADLINE_S = 600 };

/** A schedule for C = A·B whose blocks are on the ranks' disks. */
typedef struct TgHugeSchedule {
  const TgSchedule *schedule; /**< bound to its grid */
  const TgScheduleNames *names;
  TgTransport transport; /**< copy, pull: ranks of one host read each other's blocks in place; message: these are sent,
                            too, as if each rank had its own disk */
  TgCollective collective;
  double deadline_s; /**< the whole job ends if a rank does not respond for this long; 0: TG_HUGE_DEADLINE_S */
} TgHugeSchedule;

/** Multiplies by a schedule on the ranks of an MPI job; all of them call it. Each rank may use memory_bytes; 0: half of
 * the available memory, divided among the ranks of a host. Blocks that are not part of C are in the folder C.blocks
 * until they are no longer needed. In `result`, bytes are totals over all ranks; times and memory are those of the rank
 * with the highest value. */
bool tg_huge_multiply_by(const TgHugeOptions *options, const TgHugeSchedule *schedule, TgHugeResult *result,
                         GError **error);

/** The relative error of C = A·B, estimated from its action on random vectors (product-error.h), reading each file
 * once. NaN if a file has NaN or Inf. More `memory_bytes` allow more vectors, up to 4; 0: use 4.
 * `watch` is told tiles done. Errors: as above. */
bool tg_huge_check(const char *a, const char *b, const char *c, uint64_t seed, double memory_bytes,
                   const TgWatch *watch, double *error_of, GError **error);
/** Least memory for that, beside two tiles: of an inner dimension k, and of A and C in tiles of so many rows. */
double tg_huge_check_least_bytes(int64_t k, int64_t tile_rows);

TG_END_DECLS

#endif

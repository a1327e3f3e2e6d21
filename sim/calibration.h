/** @file calibration.h
 * A machine's numbers from runs on an executor. Samples are runs of schedules made for it (probe.h): of products alone,
 * and of products with moves between them. The local rate is by size of the product filled up to whole tiles, latency
 * and bandwidth are a least-squares fit over sizes, and what a run takes outside its steps is fitted to runs, rounds
 * and passes. */
#ifndef TG_CALIBRATION_H
#define TG_CALIBRATION_H

#include "machine.h"
#include "probe.h"

TG_BEGIN_DECLS

enum { TG_CALIBRATION_SIZES = 16, TG_CALIBRATION_ROUNDS = 5 };

/** What to measure. */
typedef struct TgCalibrationPlan {
  const TgExecutorKind *kind;
  TgExecutorOptions options;          /**< but for the sizes */
  int32_t rows, columns;              /**< of the grid */
  int64_t size[TG_CALIBRATION_SIZES]; /**< elements along a side of a processor's block, increasing; k of the problem,
                                         where the executor tiles one around the schedule */
  int sizes;
  double budget_s; /**< of each sample, all its rounds together */
  /** Called before each sample; NULL: nobody wants to know. */
  void (*progress)(void *data, int64_t done, int64_t total); /**< told 10^9 multiply-adds, may be NULL */
  void *progress_data;
} TgCalibrationPlan;

/** One run. What was not measured is 0 or NaN, and then `left_out` is the reason. */
typedef struct TgCalibrationSample {
  TgProbe probe;
  TgProbeTimes round[TG_CALIBRATION_ROUNDS]; /**< the shortest first; on a GPU one only */
  TgProbeTimes times;                        /**< of the one that counts: the second, where there are several */
  int64_t rounds, passes;
  int64_t block[3];    /**< rows, columns and inner elements of a processor's product */
  int64_t block_bytes; /**< of the block that moves, or is added */
  double product_s;    /**< of a product; with simultaneous moves, the longer of both */
  double move_s;       /**< of a move, or an addition; NaN where there is none or it is hidden */
  double fitted_s;     /**< of the run, by the numbers found */
  bool near;           /**< its moves stay on a core that several processors share */
  int32_t sharing;     /**< ranks per host that send to other hosts at once; 0: moves stay within a host */
  bool few_rows;       /**< products alone, but of few rows */
  bool deep;           /**< products alone, with TG_MACHINE_DEEP times as many inner elements as rows and columns */
  int32_t rest;   /**< products alone, with so many rows (below 0: columns) more than rows of another sample; or 0 */
  int32_t fewer;  /**< products alone, while only this many are at work; 0: all */
  bool far;       /**< with more memory than a cache holds, to find out what that costs */
  char *left_out; /**< NULL: used */
  bool too_large; /**< it was left out because the executor refused its size */
} TgCalibrationSample;

typedef struct TgCalibration {
  GArray *samples; /**< TgCalibrationSample */
  TgMachine machine;
  double spread; /**< by how much times differed from round to round: half the range, the median over the samples */
  double waited; /**< of the program's time, the part in which it waited for a CPU that others had; NaN: not known */
  bool tiled;    /**< the executor tiles problems around a schedule, and a block has one size only */
  bool hidden;   /**< moves never bound the time: latency_s is an upper bound */
  int32_t hosts; /**< if links within and between them were measured separately; otherwise 0 */
  bool mixed; /**< links within and between hosts are fitted as one: hosts have different numbers of places, or places
                   are not numbered host by host */
  bool no_links; /**< no move took a measurable time, or there are none */
} TgCalibration;

/** Measures and fits. Errors: of the executor, where it does not run at all. Where fewer samples are left than the fit
 * needs, with the reason of the last one left out: TOO_LARGE if its size was refused, otherwise FAILED. */
TgCalibration *tg_calibration_new(const TgCalibrationPlan *plan, GError **error);
void tg_calibration_free(TgCalibration *calibration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgCalibration, tg_calibration_free)

/** Gives the machine a disk, the operating system's cache of it, and the memory that the cache and the blocks of a
 * product may take. Only the rates and the latency of the two tiers are used. */
void tg_calibration_add_disk(TgCalibration *calibration, const TgMachineTier *disk, const TgMachineTier *cache,
                             double memory_bytes);

/** Current times of products and moves, divided by those that the machine's numbers predict. */
typedef struct TgDrift {
  double products; /**< NaN on GPUs, and where it cannot be measured */
  double moves;    /**< 1 within the machine's error, and where it cannot be measured, as between hosts */
} TgDrift;

/** Measured in two runs of a twentieth of a second each: other programs, the clock rate of a processor, or the place
 * that a virtual machine's processors have on the real one may have changed since the calibration. */
TgDrift tg_calibration_drift(const TgMachine *machine, const TgExecutorKind *kind, const TgExecutorOptions *options);

/** Scales the machine's times of products and of moves. */
void tg_calibration_apply_drift(TgMachine *machine, TgDrift drift);

/** The fit alone: fills the machine's numbers and each sample's fitted_s. */
bool tg_calibration_fit(TgCalibration *calibration, const TgCalibrationPlan *plan, GError **error);

TG_END_DECLS

#endif

/** @file host-anomaly.h
 * Sizes at which a product on the processor takes far longer than at their neighbours: T. Dobravec, P. Bulić, 2017,
 * section 3.2, who leave it open why. Here with what a walk down a column of B finds in the caches. */
#ifndef TG_HOST_ANOMALY_H
#define TG_HOST_ANOMALY_H

#include "cache.h"
#include "experiment.h"

TG_BEGIN_DECLS

/** Why a run is made. */
typedef enum TgAnomalySeries {
  TG_ANOMALY_SIZES,  /**< the paper's sizes, rows without gaps */
  TG_ANOMALY_PADDED, /**< the same sizes, rows a cache line longer */
  TG_ANOMALY_HUGE,   /**< the same sizes, rows without gaps, on huge pages */
  TG_ANOMALY_ROWS,   /**< 1024 rows of many lengths, on huge pages */
  TG_ANOMALY_FEW,    /**< so few rows of the same lengths that a common second level has room for a column of most */
  TG_ANOMALY_SERIES
} TgAnomalySeries;

/** One size, its rows `row` elements apart. */
typedef struct TgAnomalyRun {
  TgAnomalySeries series;
  int64_t n, row;
  int64_t computed;   /**< rows of C that are */
  int32_t repeats;    /**< products in a trial; times are of one */
  char left_out[504]; /**< why there are no figures; "" where there are */
  TgMeasurement time;
  double step_s;               /**< of a multiply-add, in the median */
  TgCacheWalk walk[TG_CACHES]; /**< down a column of B, in each cache */
  int64_t faults;              /**< page faults while the times were taken, of all trials */
  double error, limit;         /**< relative, in the Frobenius norm */
  bool right;
  double paper_s; /**< the paper's time; NaN where it has none */
} TgAnomalyRun;

/** What its results have instead of rows. */
typedef struct TgAnomaly {
  int processor; /**< that the thread was kept on */
  int caches;
  TgCache cache[TG_CACHES];
  GArray *runs; /**< TgAnomalyRun */
} TgAnomaly;

const TgAnomalyRun *tg_anomaly_run(const TgAnomaly *anomaly, guint r);
/** The run of a series at a size; NULL where there is none, or it was left out. */
const TgAnomalyRun *tg_anomaly_find(const TgAnomaly *anomaly, TgAnomalySeries series, int64_t n);
/** A run's time of a step over the median of its neighbours', the runs of its series up to 64 rows smaller or larger;
 * NaN where there are none, or it was left out. */
double tg_anomaly_against(const TgAnomaly *anomaly, const TgAnomalyRun *run);
/** The same from the paper's times. */
double tg_anomaly_paper_against(const TgAnomaly *anomaly, const TgAnomalyRun *run);

/** Gives results a TgAnomaly without runs, which belongs to them. */
TgAnomaly *tg_anomaly_begin(TgResults *results);

TG_END_DECLS

#endif

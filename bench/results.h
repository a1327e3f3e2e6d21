/** @file results.h
 * What an experiment measured: a row a method and size, and what else it has of its own. Times are in seconds; a
 * measurement without trials was not made. */
#ifndef TG_RESULTS_H
#define TG_RESULTS_H

#include "bench-error.h"
#include "environment.h"
#include "measurement.h"

TG_BEGIN_DECLS

typedef enum TgBenchPlace { TG_ON_GPU, TG_ON_CPU } TgBenchPlace;

typedef struct TgResult {
  const char *method; /**< a kernel, or what else computes it */
  const char *type;   /**< f32, f64 or i32 */
  TgBenchPlace place;
  int32_t width;   /**< of tiles or blocks; 0: it has none */
  int32_t split;   /**< blocks that share the inner extent; 0: not divided, or not on the GPU */
  int64_t blocks;  /**< of the launch */
  int32_t threads; /**< of a block */
  int32_t repeats; /**< of what is moved, within a launch: times are of one; 0 is 1 */
  int64_t m, n, k;
  char left_out[504];    /**< why there are no figures; "" where there are */
  TgMeasurement kernel;  /**< on the device, between two events around one launch; caches as the run before left them */
  TgMeasurement cold;    /**< likewise, the second-level cache empty */
  TgMeasurement alone;   /**< likewise, on an idle device, with the host's part of the launch (ladder) */
  TgMeasurement call;    /**< on the host, from the call until all is done; of the CPU's methods, their time */
  TgMeasurement prepare; /**< what the host does to the operands before, which is not in the other times */
  TgMeasurement in, out; /**< operands to the device, the result from it */
  double flops;          /**< of what is computed: 2mnk of a product */
  double executed_flops; /**< that the method executes; 0: not known */
  double bytes;          /**< that have to be moved: each operand and the result once */
  double asked_bytes;    /**< that threads ask of global memory; 0: not known */
  double tried_s;        /**< of the run that was checked, by the host's clock; 0: there was none */
  bool checked;          /**< against the result in full, or an estimate of the error */
  bool estimated;        /**< … the latter */
  double error, limit;   /**< relative, in the Frobenius norm */
  bool right;
  bool printed;   /**< the kernel keeps a stated defect: a wrong result is no failure */
  bool has_paper; /**< the paper has figures for this: NaN, or no trials, where it has none */
  TgMeasurement paper;
} TgResult;

typedef struct TgResults {
  const char *experiment;
  uint64_t seed;
  bool quick;
  bool cold; /**< the second-level cache was empty before each launch (ladder) */
  TgEnvironment environment;
  GArray *rows;     /**< TgResult */
  GPtrArray *notes; /**< char: what was not run, and why */
  char *cache_path; /**< the file of what earlier runs found to be best; NULL: none was used */
  void *own;        /**< what the experiment measured besides the rows, or NULL */
  GDestroyNotify free_own;
} TgResults;

/** `device` NULL: nothing runs on a GPU. */
TgResults *tg_results_new(const char *experiment, const TgDevice *device);
void tg_results_free(TgResults *results);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TgResults, tg_results_free)

void tg_results_add(TgResults *results, const TgResult *row);
void tg_results_note(TgResults *results, const char *format, ...) TG_PRINTF(2, 3);

const TgResult *tg_results_at(const TgResults *results, guint row);
/** The row of a method at a size; `width` 0 is any. NULL where there is none, or it was left out. */
const TgResult *tg_results_find(const TgResults *results, const char *method, int32_t width, int64_t m, int64_t n,
                                int64_t k);
/** The same at m = n = k. */
const TgResult *tg_results_square(const TgResults *results, const char *method, int32_t width, int64_t n);
/** The different n of its square rows, ascending: int64_t. Free with g_array_unref(). */
GArray *tg_results_sizes(const TgResults *results);

/** The type of its rows, "" where there are none. */
const char *tg_results_type(const TgResults *results);

/** The time that represents a row: of the kernel on a GPU, of the call on the CPU; median, NaN where `row` is NULL or
 * was left out. */
double tg_result_time_s(const TgResult *row);
/** The row's time with what the host prepares and with the transfers; NaN likewise, and where they were not measured. A
 * kernel so long that its call was not timed separately represents the call. */
double tg_result_whole_s(const TgResult *row);

/** Writes rows and notes as members of a document. */
void tg_results_write(TgJson *json, const TgResults *results);
/** Writes the members time_s, which is the median, and times. */
void tg_results_write_measured(TgJson *json, const TgMeasurement *times);

/** Writes the members of a check: error, tolerance, whether it is estimated, and whether the row is right. */
void tg_results_write_check(TgJson *json, const TgResult *row);

/** False, with the first of them in words, where a result is wrong. */
bool tg_results_right(const TgResults *results, GError **error);

TG_END_DECLS

#endif

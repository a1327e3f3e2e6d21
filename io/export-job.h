/** @file export-job.h
 * An expanded schedule for other programs: what to export, and to which file. See docs/reference/export.md for the
 * formats. */
#ifndef TG_EXPORT_JOB_H
#define TG_EXPORT_JOB_H

#include "element.h"
#include "io-error.h"
#include "state.h"

#include <stdio.h>

TG_BEGIN_DECLS

/** What to export. Nothing is copied. */
typedef struct TgExportJob {
  const TgSchedule *schedule; /**< bound */
  const TgScheduleNames *names;
  const char *text;        /**< the schedule's own text, UTF-8 */
  TgCollective collective; /**< TG_COLLECTIVE_WHOLE counts what verify counts */
  int64_t m, n, k;         /**< C is m×n, inner dimension k; each from 1 to 2^31-1 */
  TgElement element;
  double flops_per_s;   /**< how fast a processor multiplies; 0 means 1e9: a nanosecond a flop. inf is allowed. */
  const TgWatch *watch; /**< told how much is done, of tg_export_work(), and can stop it; NULL: nobody */
  uint64_t memory_limit_bytes; /**< of what a format holds until it is written; 0: no limit */
} TgExportJob;

/** What was exported, over all processors. */
typedef struct TgExported {
  int64_t statements; /**< executions of statements that are no repeat and no step */
  int64_t products;
  int64_t messages; /**< blocks, or pieces of blocks, that go from one processor to another: what verify counts */
  int64_t sends;    /**< the same where those of one round from one processor to one other go together */
  int64_t bytes;    /**< payload of them all */
  int64_t flops;    /**< of the products: 2·rows·columns·inner of each; additions of partial sums are not in it */
} TgExported;

typedef enum TgExportError {
  TG_EXPORT_ERROR_SCHEDULE, /**< the schedule fails when it is run, or its result is wrong: see `failure` */
  TG_EXPORT_ERROR_STOPPED   /**< by the watch */
} TgExportError;

#define TG_EXPORT_ERROR (tg_export_error_quark())
GQuark tg_export_error_quark(void);

/** Writes the file at `path`, complete or not at all (atomic-file.h), in the format that its suffix names: .goal
 * (export-goal.h), .json (export-json.h). `exported` may be NULL; so may `failure`, which tells where and why the
 * schedule fails. Errors: TG_EXPORT_ERROR; TG_IO_ERROR BAD_INPUT (unknown suffix, sizes), TOO_LARGE,
 * CANNOT_WRITE. */
bool tg_export_write(const TgExportJob *job, const char *path, TgExported *exported, TgError *failure, GError **error);

/** What the job's watch counts to: statements, twice where all of them are run before they are written. 0 where the
 * suffix of `path` is unknown. */
int64_t tg_export_work(const TgExportJob *job, const char *path);
/** How many bytes the file will have, without running the schedule: an estimate, right to a third for large files. 0
 * where the suffix of `path` is unknown. */
double tg_export_size(const TgExportJob *job, const char *path);

/** Whether the suffix of `path` is known; else BAD_INPUT, naming the suffixes there are. For refusing early. */
bool tg_export_path_known(const char *path, GError **error);

TG_END_DECLS

#endif

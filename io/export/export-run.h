/** @file export-run.h
 * Private to io/: one run through a schedule on names and sizes, reported to the writer of a format. */
#ifndef TG_EXPORT_RUN_H
#define TG_EXPORT_RUN_H

#include "export-job.h"

TG_BEGIN_DECLS

/** A message on its way, or a piece of one. */
typedef struct TgExportMessage {
  const TgMessage *message;
  TgValueId value;
  int64_t bytes;
  bool joined; /**< goes together with the one before it: same round, sender and receiver */
} TgExportMessage;

typedef struct TgExportProduct {
  int64_t processor;
  TgValueId result, left, right; /**< the result as it is after the product */
  int64_t flops;
} TgExportProduct;

/** Told in order. `begin` comes before each statement's execution and `end` after it; the last `end` may be missing
 * where the run fails. False stops the run, with `error` set. */
typedef struct TgExportVisitor {
  void *user;
  bool (*start)(void *user, const TgState *state, GError **error); /**< sizes are fine, nothing ran yet; may be NULL */
  bool (*begin)(void *user, const TgWalk *walk, GError **error);   /**< `walk` is at the statement; may be NULL */
  void (*message)(void *user, const TgExportMessage *message);
  void (*product)(void *user, const TgExportProduct *product);
  bool (*end)(void *user, GError **error);
} TgExportVisitor;

/** Runs the schedule and checks its result; the job's watch is told statements. Errors: as tg_export_write() but
 * CANNOT_WRITE. */
bool tg_export_run(const TgExportJob *job, const TgExportVisitor *visitor, TgExported *exported, TgError *failure,
                   GError **error);

TG_END_DECLS

#endif

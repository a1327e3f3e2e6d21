/** @file disk-run.h
 * Private to disk/blocks: a run of a program on one rank, and its tasks. */
#ifndef TG_DISK_RUN_H
#define TG_DISK_RUN_H

#include "disk-messages.h"
#include "disk-pulse.h"

/** A run in progress. */
typedef struct TgDiskRun {
  TgHugeOptions options;
  const TgHugeSchedule *schedule;
  TgHugeResult *result;
  const TgRanksJob *job;
  TgHugeInputs inputs;
  TgProductBlocks unit;
  TgBlocksPlan *plan;
  TgDiskProgram program;
  TgUnfinished part;
  TgDiskStore store;
  TgDiskMessages *messages;
  TgDiskPulse *pulse;
  bool *todo;
  double program_bytes;
  double planned_bytes; /**< memory that an earlier run planned with */
  size_t piece_bytes;
  int64_t tasks_done;
  double begun_s;
  GArray *spans; /**< TgHugeSpan, of this rank; NULL: not recorded */
  GMutex telling;
  double product_s; /**< when the current product began, counted from begun_s */
} TgDiskRun;

/** Whether the task is one that this rank still has to execute. Those that follow are part of others. */
bool tg_disk_run_has(const TgDiskRun *run, const TgDiskTask *task);
/** Whether memory suffices for the first product of this rank; asked before any file is created. The other products are
 * at most a tile larger. Errors: those of tg_disk_product_plan(). */
bool tg_disk_run_check_memory(TgDiskRun *run, GError **error);
/** Executes a task, once the blocks that it is made from are there. Errors: those of the files, of the plan; STOPPED.
 */
bool tg_disk_run_execute(TgDiskRun *run, const TgDiskTask *task, GError **error);

/** Adds a span of this rank, whose times count from run->begun_s. Both threads may call it. */
void tg_disk_run_add_span(TgDiskRun *run, const TgHugeSpan *span);

#endif

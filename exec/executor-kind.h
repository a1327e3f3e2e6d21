/** @file executor-kind.h
 * For the writer of an executor: what all rows of the table share. A row's own struct begins with this one. */
#ifndef TG_EXECUTOR_KIND_H
#define TG_EXECUTOR_KIND_H

#include "executor.h"

/** `unlike_sim` of an executor that tiles problems around a schedule. */
#define TG_EXECUTOR_TILES "which cuts a problem into smaller ones; here it is one"

struct TgExecutor {
  const TgExecutorKind *kind;
  const TgSchedule *schedule;
  const TgScheduleNames *names;
  TgExecutorOptions options;
  TgExecutorFacts facts;
  TgExecutorStep *steps; /**< facts.steps of them, or NULL */
  bool loaded, ran, failed;
  bool untimed; /**< with times_apart: the next runs take no times */
};

/** Makes executor->steps, facts.steps of them, numbered and labelled, with no times yet. Frees nothing on error. */
bool tg_executor_make_steps(TgExecutor *executor, GError **error);

/** Fills in rounds and passes of facts whose instances all take all panels. */
void tg_executor_count_passes(TgExecutorFacts *facts);

/** For an executor whose processors never wait for a single other one: refuses the options for tests that are about
 * such waits. A deadline always holds. Errors: BAD_INPUT. */
bool tg_executor_has_no_waits(const TgExecutorOptions *options, GError **error);

/** For an executor with a single kernel: states it in the facts, and rejects requests for another one. Errors:
 * BAD_INPUT. */
bool tg_executor_has_one_variant(TgExecutor *executor, GError **error);
/** Refuses a variant beyond the last of facts.variants. Errors: BAD_INPUT, with both numbers. */
bool tg_executor_has_variant(const TgExecutor *executor, GError **error);

/** Proves the schedule at the options' sizes. Errors: SCHEDULE with the proof's message, TOO_LARGE; FAILED where the
 * watch stops it. */
bool tg_executor_prove(const TgSchedule *schedule, const TgScheduleNames *names, const TgExecutorOptions *options,
                       GError **error);

/** Bytes of host memory that an executor on the CPU may take: the options' limit, or all that the machine has. */
uint64_t tg_executor_memory_limit(const TgExecutorOptions *options);
/** All memory of the machine; UINT64_MAX where the system does not tell. */
uint64_t tg_physical_memory_bytes(void);

/** A wait that passed its deadline. */
typedef struct TgLateWait {
  double deadline_s;
  int32_t processor, statement, step;
  int32_t other, count; /**< waited for `other` to finish so many instructions … */
  int32_t reached;      /**< … when it had finished so many */
} TgLateWait;

/** Sets the error FAILED: "step 3, `move A to (i, j-1)`: processor (1, 2) waited …". Returns false. */
bool tg_executor_was_late(const TgExecutor *executor, const TgLateWait *late, GError **error);

/** Turns a plain error into a GError of this code and frees nothing. Returns false. */
bool tg_executor_fail(GError **error, TgExecutorError code, const TgError *reason);

#endif

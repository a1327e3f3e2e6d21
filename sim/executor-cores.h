/** @file executor-cores.h
 * The executor `cores`: a thread on each CPU that the process may use, and a schedule's processors dealt out to them,
 * as many neighbours in rank to each. Blocks are copied from one processor's memory to another's, also between two that
 * share a CPU; local products run on the BLAS, a thread each. The plan of blocks-plan.h is made before the run: a
 * thread works through the instructions of its processors in the order in which a single one would work through those
 * of all, and waits where it needs what another has not finished. No order of the threads deadlocks: the earliest
 * instruction that is not finished can always proceed. */
#ifndef TG_EXECUTOR_CORES_H
#define TG_EXECUTOR_CORES_H

#include "executor.h"

extern const TgExecutorKind tg_executor_cores;

#endif

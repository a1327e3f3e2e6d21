/** @file executors-cpu.h
 * The executors on the CPU.
 *
 * `cpu` is the stepper (stepper.h) as a row of the table. A processor is a logical one, local products run on the BLAS,
 * and a block that moves only changes its name: nothing is copied. Steps run one after another, each over all
 * processors.
 *
 * `cores` has a thread on each CPU that the process may use, and a schedule's processors are dealt out to them, as many
 * neighbours in rank to each. Blocks are copied from one processor's memory to another's, also between two that share a
 * CPU; local products run on the BLAS, a thread each. The plan of blocks-plan.h is made before the run: a thread works
 * through the instructions of its processors in the order in which a single one would work through those of all, and
 * waits where it needs what another has not finished. No order of the threads deadlocks: the earliest instruction that
 * is not finished can always proceed. */
#ifndef TG_EXECUTORS_CPU_H
#define TG_EXECUTORS_CPU_H

#include "executor.h"

extern const TgExecutorKind tg_executor_cpu, tg_executor_cores, tg_executor_ranks;

#endif

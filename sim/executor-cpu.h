/** @file executor-cpu.h
 * The executor `cpu`: the stepper (stepper.h) as a row of the table. A processor is a logical one, local products run
 * on the BLAS, and a block that moves only changes its name: nothing is copied. Steps run one after another, each over
 * all processors. */
#ifndef TG_EXECUTOR_CPU_H
#define TG_EXECUTOR_CPU_H

#include "executor.h"

extern const TgExecutorKind tg_executor_cpu;

#endif

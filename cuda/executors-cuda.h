/** @file executors-cuda.h
 * The executors of this folder, for the table of all. */
#ifndef TG_EXECUTORS_CUDA_H
#define TG_EXECUTORS_CUDA_H

#include "executor.h"

extern const TgExecutorKind tg_executor_threads, tg_executor_clusters, tg_executor_blocks;

#endif

/** @file gpu-multiplier.h
 * Multiplication on a GPU with cuBLAS (implements multiplier.h). */
#ifndef TG_GPU_MULTIPLIER_H
#define TG_GPU_MULTIPLIER_H

#include "multiplier.h"

extern const TgMultiplierKind tg_gpu_multiplier;

#endif

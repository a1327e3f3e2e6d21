/** @file gpu-multiplier.h
 * A GPU that multiplies for the host (multiplier.h), by cuBLAS. */
#ifndef TG_GPU_MULTIPLIER_H
#define TG_GPU_MULTIPLIER_H

#include "multiplier.h"

extern const TgMultiplierKind tg_gpu_multiplier;

#endif

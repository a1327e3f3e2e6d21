/** @file hold.h
 * Private to cuda/: the kernel behind tg_device_hold(). */
#ifndef TG_HOLD_H
#define TG_HOLD_H

#include "base.h"

#include <cuda_runtime_api.h>

TG_BEGIN_DECLS

cudaError_t tg_hold_start(uint64_t nanoseconds);

TG_END_DECLS

#endif

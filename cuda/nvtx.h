/** @file nvtx.h
 * Named ranges for profilers of NVIDIA (nsys, ncu), nested; nothing happens where none listens, or without CUDA in the
 * build. */
#ifndef TG_NVTX_H
#define TG_NVTX_H

#include "base.h"

TG_BEGIN_DECLS

void tg_range_begin(const char *name);
void tg_range_end(void);

TG_END_DECLS

#endif

#include "nvtx.h"

#include <nvtx3/nvToolsExt.h>

void tg_range_begin(const char *name) {
  nvtxRangePushA(name);
}

void tg_range_end(void) {
  nvtxRangePop();
}

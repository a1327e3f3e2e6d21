/* In place of nvtx.c where the build has no CUDA, or one without the headers of its tools. */
#include "nvtx.h"

void tg_range_begin(const char *name) {
  (void)name;
}

void tg_range_end(void) {}

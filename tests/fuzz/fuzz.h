/* What libFuzzer, and standalone.c in its place, call for each input. Returns 0; a finding aborts. */
#ifndef TG_FUZZ_H
#define TG_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif

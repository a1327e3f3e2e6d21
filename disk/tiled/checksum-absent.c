#include "checksum.h"

const char *tg_disk_lacks(void) {
  return TG_DISK_LACKS;
}

uint64_t tg_checksum(const void *data, size_t bytes, uint64_t seed) {
  (void)data, (void)bytes, (void)seed;
  return 0;
}

/* A build without liburing. */
#include "queue-private.h"

static void *absent(int depth, void *area, size_t area_bytes, char **reason) {
  (void)depth, (void)area, (void)area_bytes;
  *reason = g_strdup("built without liburing-dev");
  return NULL;
}

const TgDiskBackend tg_disk_uring = {.open = absent};

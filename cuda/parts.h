/** @file parts.h
 * What an executor has on the device, in parts that each have an address: counted, allocated and freed in one way. */
#ifndef TG_PARTS_H
#define TG_PARTS_H

#include "device.h"
#include "executor-kind.h"

G_BEGIN_DECLS

typedef struct TgPart {
  void *at; /**< on the device; NULL where the part has no bytes */
  int64_t bytes;
  const void *data; /**< of the host, copied and forgotten when the part is allocated; NULL: none */
} TgPart;

/** Sums the parts up in facts.memory_bytes and holds them against what the device has and the executor may take.
 * `counted` false: the bytes of a part overflow. Errors: TOO_LARGE, with `at_least` in place of a sum that overflows,
 * and `of_them` after it. */
bool tg_parts_check(TgExecutor *executor, const TgDevice *device, const TgPart *part, int parts, bool counted,
                    int64_t at_least, const char *of_them, GError **error);
/** Allocates all parts, poisons them where the options ask for it, and copies their data. Errors: TOO_LARGE, FAILED. */
bool tg_parts_allocate(const TgExecutor *executor, TgPart *part, int parts, GError **error);
void tg_parts_free(TgPart *part, int parts);
/** Sets every byte of a part to 0. */
bool tg_part_clear(const TgPart *part, TgError *reason);

G_END_DECLS

#endif

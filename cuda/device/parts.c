#include "parts.h"

static bool sum_up(const TgPart *part, int parts, int64_t *total) {
  *total = 0;
  for (int p = 0; p < parts; p++)
    if (__builtin_add_overflow(*total, part[p].bytes, total)) return false;
  return true;
}

bool tg_parts_check(TgExecutor *executor, const TgDevice *device, const TgPart *part, int parts, bool counted,
                    int64_t at_least, const char *of_them, GError **error) {
  const int64_t asked = executor->options.memory_limit_bytes, has = device->memory_bytes;
  const int64_t limit = asked > 0 ? MIN(asked, has) : has;
  int64_t total;
  counted = counted && sum_up(part, parts, &total);
  if (counted) executor->facts.memory_bytes = total;
  if (counted && total <= limit) return true;
  return TG_EXECUTOR_FAIL(error, TOO_LARGE, "the run needs %s%lld bytes of device memory%s; the limit is %lld bytes",
                          counted ? "" : "more than ", (long long)(counted ? total : at_least), of_them,
                          (long long)limit);
}

static bool fill(const TgPart *part, bool poison, TgError *reason) {
  return (!poison || tg_device_fill(part->at, 0xff, part->bytes, reason)) &&
         (!part->data || tg_device_copy_in(part->at, part->data, part->bytes, reason));
}

bool tg_parts_allocate(const TgExecutor *executor, TgPart *part, int parts, GError **error) {
  TgError reason;
  for (int p = 0; p < parts; p++) {
    if (part[p].bytes == 0) continue;
    part[p].at = tg_device_allocate(part[p].bytes, &reason);
    if (!part[p].at) return tg_executor_fail(error, TG_EXECUTOR_ERROR_TOO_LARGE, &reason);
    if (!fill(&part[p], executor->options.poison, &reason))
      return tg_executor_fail(error, TG_EXECUTOR_ERROR_FAILED, &reason);
    part[p].data = NULL;
  }
  return true;
}

void tg_parts_free(TgPart *part, int parts) {
  for (int p = 0; p < parts; p++) tg_device_free(part[p].at);
}

bool tg_part_clear(const TgPart *part, TgError *reason) {
  return part->bytes == 0 || tg_device_fill(part->at, 0, part->bytes, reason);
}

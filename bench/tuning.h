/** @file tuning.h
 * What was found to be best on this machine, kept in a file of the user's cache folder:
 * $XDG_CACHE_HOME/topogemm/tuning.ini, or ~/.cache/topogemm/tuning.ini. A section is a card with its driver, a key an
 * experiment with type and size. */
#ifndef TG_TUNING_H
#define TG_TUNING_H

#include "bench-error.h"
#include "device.h"

TG_BEGIN_DECLS

enum { TG_TUNED_NAME_BYTES = 64 };

typedef struct TgTuned {
  char kernel[TG_TUNED_NAME_BYTES];
  int32_t width, split;
  double seconds; /**< measured when it was kept */
} TgTuned;

/** The file's path; NULL where neither XDG_CACHE_HOME nor HOME is set. Free with g_free(). */
char *tg_tuning_path(void);

/** Looks up `key`, as in "division f32 512x512x512"; the kernel's name is empty where nothing is kept. False, with a
 * TG_BENCH_ERROR, where the file is there and cannot be read. */
bool tg_tuning_find(const TgDevice *device, const char *key, TgTuned *tuned, GError **error);
/** Keeps it, in place of what was there. The file appears whole or not at all. */
bool tg_tuning_keep(const TgDevice *device, const char *key, const TgTuned *tuned, GError **error);

TG_END_DECLS

#endif

/** @file host-pages.h
 * Memory on pages of one size, and a thread on one processor: so that they are not what makes the same work slow. */
#ifndef TG_HOST_PAGES_H
#define TG_HOST_PAGES_H

#include "base.h"

TG_BEGIN_DECLS

enum { TG_HUGE_PAGE_BYTES = 1 << 21 };

/** Memory of this process alone, aligned to TG_HUGE_PAGE_BYTES. */
typedef struct TgHostPages {
  void *memory;
  int64_t bytes; /**< a multiple of TG_HUGE_PAGE_BYTES */
} TgHostPages;

/** Maps and touches at least `bytes` > 0: on huge pages alone, or on the system's small ones alone. Errors, in words:
 * no such memory; huge pages that the system does not give. */
bool tg_host_pages_open(TgHostPages *pages, int64_t bytes, bool huge, TgError *error);
/** Gives it back; nothing where it was not opened. */
void tg_host_pages_close(TgHostPages *pages);

/** Page faults of this process so far. */
int64_t tg_host_faults(void);

/** Where a thread may run. */
typedef struct TgHostPin TgHostPin;

/** Keeps this thread on one of the processors that it may use, the last, and gives its number. NULL with an error where
 * it cannot be. */
TgHostPin *tg_host_pin(int *number, TgError *error);
/** Lets the thread go where it could before. NULL is allowed. */
void tg_host_unpin(TgHostPin *pin);

TG_END_DECLS

#endif

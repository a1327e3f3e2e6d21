/** @file watch.h
 * How long work tells how far it is, and hears whether to go on: one function for both. */
#ifndef TG_WATCH_H
#define TG_WATCH_H

#include "base.h"

TG_BEGIN_DECLS

/** Called often while long work is being done, from where it is done. All zero never stops anything. */
typedef struct TgWatch {
  /** `done` of the work, in the units of the function that is watched, never less than before. False stops the work,
   * which then fails and leaves nothing behind; it is not called again. NULL: goes on. */
  bool (*go_on)(void *user, int64_t done);
  void *user;
} TgWatch;

/** Whether to go on; `watch` may be NULL. */
static inline bool tg_watch_go_on(const TgWatch *watch, int64_t done) {
  return !watch || !watch->go_on || watch->go_on(watch->user, done);
}

TG_END_DECLS

#endif

/** @file algo-library.h
 * The library of schedules: the texts of algo/NAME.sched, and for some of them their closed forms, algo/NAME.formula,
 * compiled into the program so that they are there from any directory. The texts are what tg_schedule_parse() and
 * tg_formula_parse() read, nothing more. */
#ifndef TG_ALGO_LIBRARY_H
#define TG_ALGO_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One text of the library. */
typedef struct TgLibraryEntry {
  const char *name; /**< file name without its ending, equal to the NAME in the text's first line */
  const char *text; /**< the whole text, UTF-8, '\0' at the end */
  size_t length;    /**< bytes of the text, without that '\0' */
} TgLibraryEntry;

/** All schedules, sorted by name (strcmp order); `*count` receives their number. Never NULL. */
const TgLibraryEntry *tg_library_list(size_t *count);

/** The schedule called `name`, NULL where there is none. */
const TgLibraryEntry *tg_library_find(const char *name);

/** The closed form of the schedule called `name`, NULL where the literature has none (or there is no such schedule). */
const TgLibraryEntry *tg_library_formula(const char *name);

#ifdef __cplusplus
}
#endif

#endif

/** @file machine-library.h
 * The library of machines: the texts of machines/NAME.machine, compiled into the program so that they are there from
 * any directory. The texts are what tg_machine_parse() reads, nothing more. */
#ifndef TG_MACHINE_LIBRARY_H
#define TG_MACHINE_LIBRARY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One machine of the library. */
typedef struct TgMachineEntry {
  const char *name; /**< file name without .machine */
  const char *text; /**< the whole text, UTF-8, '\0' at the end */
  size_t length;    /**< bytes of the text, without that '\0' */
} TgMachineEntry;

/** All machines, sorted by name (strcmp order); `*count` receives their number. Never NULL. */
const TgMachineEntry *tg_machine_library_list(size_t *count);

/** The machine called `name`, NULL where there is none. */
const TgMachineEntry *tg_machine_library_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif

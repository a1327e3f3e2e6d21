/** @file temporary-names.h
 * The names of the temporary files that exist now, so that a signal which ends the program can take them along. A
 * signal's handler knows nothing but what is global; therefore this is. */
#ifndef TG_TEMPORARY_NAMES_H
#define TG_TEMPORARY_NAMES_H

#include "base.h"

TG_BEGIN_DECLS

/** Notes a copy of `path`. Returns its place, for dropping it; -1 where there is no room for it. */
int tg_temporary_names_add(const char *path);
/** Forgets it. -1 is allowed. */
void tg_temporary_names_drop(int place);
/** Unlinks every file that is noted. May be called by a signal's handler. */
void tg_temporary_names_unlink(void);

TG_END_DECLS

#endif

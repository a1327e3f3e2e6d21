/** @file temporary-names.h
 * The names of the temporary files that exist now, so that a signal which ends the program can take them along. A
 * signal's handler knows nothing but what is global; therefore this is. */
#ifndef TG_TEMPORARY_NAMES_H
#define TG_TEMPORARY_NAMES_H

#include "base.h"

TG_BEGIN_DECLS

/** Unlinks every file that is noted. May be called by a signal's handler. */
void tg_temporary_names_unlink(void);

TG_END_DECLS

#endif

/** @file text-units.h
 * Numbers with their units, as people read them. */
#ifndef TG_TEXT_UNITS_H
#define TG_TEXT_UNITS_H

#include "base.h"

TG_BEGIN_DECLS

/** Seconds with a unit that leaves one to three digits before the point, "-" where they are NaN. */
void tg_time_text(double seconds, char *text, size_t size);
/** A ratio as "59.3 %", "-" where it is NaN. */
void tg_percent_text(double ratio, char *text, size_t size);
/** Bytes as "1.5 GB", in powers of 1000. */
void tg_bytes_text(double bytes, char *text, size_t size);

TG_END_DECLS

#endif

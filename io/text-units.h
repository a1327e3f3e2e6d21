/** @file text-units.h
 * Numbers with their units, as people read them. */
#ifndef TG_TEXT_UNITS_H
#define TG_TEXT_UNITS_H

#include "base.h"

TG_BEGIN_DECLS

/** Seconds with a unit that leaves one to three digits before the point, "-" where they are NaN. */
TgText tg_time_text(double seconds);
/** A ratio as "59.3 %", "-" where it is NaN. */
TgText tg_percent_text(double ratio);
/** Bytes as "1.5 GB", in powers of 1000. */
TgText tg_bytes_text(double bytes);
/** Floating-point operations a second as "8.996 Tflop/s". */
TgText tg_rate_text(double flops_per_s);

TG_END_DECLS

#endif

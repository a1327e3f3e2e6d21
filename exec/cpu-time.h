/** @file cpu-time.h
 * How long a program ran, and how long it waited for a CPU because others ran instead. */
#ifndef TG_CPU_TIME_H
#define TG_CPU_TIME_H

#include "base.h"

TG_BEGIN_DECLS

/** Of all threads that the program has now, in seconds since each began. NaN where the system does not tell. */
typedef struct TgCpuTime {
  double ran_s, waited_s;
} TgCpuTime;

TgCpuTime tg_cpu_time(void);
/** Of the time since then in which the threads could run, the part in which they waited for a CPU, from 0 to 1; NaN
 * where it is not known, or none ran. */
double tg_cpu_waited_since(const TgCpuTime *begin);

TG_END_DECLS

#endif

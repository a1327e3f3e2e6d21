/** @file sim-error.h
 * Why something of sim/ failed. The message is one sentence for people. */
#ifndef TG_SIM_ERROR_H
#define TG_SIM_ERROR_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef enum TgSimError {
  TG_SIM_ERROR_BAD_INPUT, /**< sizes, matrices or a network that do not fit the schedule or each other */
  TG_SIM_ERROR_TOO_LARGE, /**< sizes overflow, or need more memory than the limit */
  TG_SIM_ERROR_SCHEDULE,  /**< the schedule is at fault: see tg_stepper_failure() */
  TG_SIM_ERROR_STOPPED,   /**< by the watch */
  TG_SIM_ERROR_MISSING,   /**< a library that is loaded at run time is not installed */
  TG_SIM_ERROR_SLOWER     /**< a predicted time is above the one that was asked about */
} TgSimError;

#define TG_SIM_ERROR (tg_sim_error_quark())
GQuark tg_sim_error_quark(void);
/** Error code of a run that failed for this cause. */
TgSimError tg_sim_error_of(TgCause cause);
/** Sets the error and is false: `return TG_SIM_FAIL(error, BAD_INPUT, "%d bytes", bytes);` */
#define TG_SIM_FAIL(error, code, ...) (g_set_error(error, TG_SIM_ERROR, TG_SIM_ERROR_##code, __VA_ARGS__), false)

TG_END_DECLS

#endif

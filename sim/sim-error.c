#include "sim-error.h"

/* G_DEFINE_QUARK() keeps the number where threads race for it. */
GQuark tg_sim_error_quark(void) {
  return g_quark_from_static_string("tg-sim-error");
}

TgSimError tg_sim_error_of(TgCause cause) {
  return cause == TG_CAUSE_MEMORY    ? TG_SIM_ERROR_TOO_LARGE
         : cause == TG_CAUSE_STOPPED ? TG_SIM_ERROR_STOPPED
                                     : TG_SIM_ERROR_SCHEDULE;
}

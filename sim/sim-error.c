#include "sim-error.h"

/* G_DEFINE_QUARK() keeps the number where threads race for it. */
GQuark tg_sim_error_quark(void) {
  return g_quark_from_static_string("tg-sim-error");
}

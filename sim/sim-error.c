#include "sim-error.h"

G_DEFINE_QUARK(tg - sim - error - quark, tg_sim_error)

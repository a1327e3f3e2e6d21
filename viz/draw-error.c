#include "draw-error.h"

GQuark tg_draw_error_quark(void) {
  return g_quark_from_static_string("tg-draw-error");
}

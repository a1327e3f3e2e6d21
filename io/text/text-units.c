#include "text-units.h"

#include <glib.h>
#include <math.h>

TgText tg_time_text(double seconds) {
  static const struct {
    double above, factor;
    const char *unit;
  } units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0, 1e6, "us"}};
  TgText text = {"-"};
  size_t u = 0;
  while (u + 1 < G_N_ELEMENTS(units) && seconds < units[u].above) u++;
  if (!isnan(seconds)) g_snprintf(text.s, sizeof text.s, "%.4g %s", seconds * units[u].factor, units[u].unit);
  return text;
}

TgText tg_percent_text(double ratio) {
  TgText text = {"-"};
  if (!isnan(ratio)) g_snprintf(text.s, sizeof text.s, ratio < 0.01 ? "%.2g %%" : "%.1f %%", 100 * ratio);
  return text;
}

TgText tg_bytes_text(double bytes) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  TgText text;
  size_t u = 0;
  while (bytes >= 999.95 && u + 1 < G_N_ELEMENTS(units)) {
    bytes /= 1000;
    u++;
  }
  g_snprintf(text.s, sizeof text.s, "%.4g %s", bytes, bytes == 1 && u == 0 ? "byte" : units[u]);
  return text;
}

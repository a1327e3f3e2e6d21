#include "text-units.h"

#include <glib.h>
#include <math.h>

void tg_time_text(double seconds, char *text, size_t size) {
  static const struct {
    double above, factor;
    const char *unit;
  } units[] = {{0.9995, 1, "s"}, {0.9995e-3, 1e3, "ms"}, {0, 1e6, "us"}};
  size_t u = 0;
  while (u + 1 < G_N_ELEMENTS(units) && seconds < units[u].above) u++;
  if (isnan(seconds))
    g_strlcpy(text, "-", size);
  else
    g_snprintf(text, size, "%.4g %s", seconds * units[u].factor, units[u].unit);
}

void tg_percent_text(double ratio, char *text, size_t size) {
  if (isnan(ratio))
    g_strlcpy(text, "-", size);
  else
    g_snprintf(text, size, ratio < 0.01 ? "%.2g %%" : "%.1f %%", 100 * ratio);
}

void tg_bytes_text(double bytes, char *text, size_t size) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  size_t u = 0;
  while (bytes >= 999.95 && u + 1 < G_N_ELEMENTS(units)) {
    bytes /= 1000;
    u++;
  }
  g_snprintf(text, size, "%.4g %s", bytes, units[u]);
}

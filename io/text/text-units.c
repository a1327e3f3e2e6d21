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

static TgText scaled_text(double value, const char *const *units, size_t count) {
  TgText text;
  size_t u = 0;
  while (value >= 999.95 && u + 1 < count) {
    value /= 1000;
    u++;
  }
  g_snprintf(text.s, sizeof text.s, "%.4g %s", value, units[u]);
  return text;
}

TgText tg_bytes_text(double bytes) {
  static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  return bytes == 1 ? (TgText){"1 byte"} : scaled_text(bytes, units, G_N_ELEMENTS(units));
}

TgText tg_rate_text(double flops_per_s) {
  static const char *const units[] = {"flop/s", "kflop/s", "Mflop/s", "Gflop/s", "Tflop/s", "Pflop/s", "Eflop/s"};
  return scaled_text(flops_per_s, units, G_N_ELEMENTS(units));
}

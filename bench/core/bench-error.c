#include "bench-error.h"

GQuark tg_bench_error_quark(void) {
  return g_quark_from_static_string("tg-bench-error");
}

bool tg_bench_fail(GError **error, TgBenchError code, const char *experiment, const char *message) {
  g_set_error(error, TG_BENCH_ERROR, (int)code, "bench %s: %s", experiment, message);
  return false;
}

#include "bench-error.h"

G_DEFINE_QUARK(tg - bench - error - quark, tg_bench_error)

bool tg_bench_fail(GError **error, TgBenchError code, const char *experiment, const char *message) {
  g_set_error(error, TG_BENCH_ERROR, (int)code, "bench %s: %s", experiment, message);
  return false;
}

/** @file bench-error.h
 * Why an experiment failed. The message is one sentence for people. */
#ifndef TG_BENCH_ERROR_H
#define TG_BENCH_ERROR_H

#include "base.h"

#include <glib.h>

TG_BEGIN_DECLS

typedef enum TgBenchError {
  TG_BENCH_ERROR_USAGE,   /**< a name, size or type that the experiment does not have */
  TG_BENCH_ERROR_MISSING, /**< hardware or a part of the build that is not here */
  TG_BENCH_ERROR_FAILED,  /**< memory is short, the device refused */
  TG_BENCH_ERROR_WRONG    /**< a result is not the product */
} TgBenchError;

#define TG_BENCH_ERROR (tg_bench_error_quark())
GQuark tg_bench_error_quark(void);

/** Sets "bench EXPERIMENT: MESSAGE" and returns false. */
bool tg_bench_fail(GError **error, TgBenchError code, const char *experiment, const char *message);
/** Sets the error and is false: `return TG_BENCH_FAIL(error, USAGE, "%d trials", trials);` */
#define TG_BENCH_FAIL(error, code, ...) (g_set_error(error, TG_BENCH_ERROR, TG_BENCH_ERROR_##code, __VA_ARGS__), false)

TG_END_DECLS

#endif

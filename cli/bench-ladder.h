/** @file bench-ladder.h
 * What `topogemm bench ladder` measured. */
#ifndef TG_BENCH_LADDER_H
#define TG_BENCH_LADDER_H

#include "bench.h"

#include "device.h"
#include "measure.h"
#include "product-error.h"

/** One kernel at one size. */
typedef struct TgRung {
  const TgKernel *kernel;
  int64_t n;
  char left_out[504]; /**< why there are no figures; "" where there are */
  TgMeasurement time;
  double error, limit; /**< relative, in the Frobenius norm */
  bool right;
} TgRung;

typedef struct TgLadder {
  TgElement element;
  uint64_t seed;
  bool cold;
  GArray *sizes;      /**< int64_t */
  GPtrArray *kernels; /**< const TgKernel */
  TgDevice device;
  int clock_before_mhz, clock_after_mhz;
  GArray *results; /**< TgRung, kernels within sizes */
} TgLadder;

void tg_ladder_clear(TgLadder *ladder);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgLadder, tg_ladder_clear)

/** The table, and the document where it was asked for. TG_EXIT_WRONG where a result is wrong. */
TgExit tg_ladder_print(TgCli *cli, const TgLadder *ladder);

#endif

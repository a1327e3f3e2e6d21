/** @file bench.h
 * The experiments of `topogemm bench`: a row each in bench.c. */
#ifndef TG_BENCH_H
#define TG_BENCH_H

#include "cli.h"

typedef struct TgExperiment {
  const char *name;
  const char *summary;
  TgExit (*run)(TgCli *cli);
} TgExperiment;

TgExit tg_bench_ladder(TgCli *cli);

#endif

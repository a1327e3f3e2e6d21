/** @file launch.h
 * Private to cuda/: how a family of kernels shows itself to historic-start.c. A family is one .cu file with a
 * function, or one for each of its kernels, that starts `variant` in the given shape. A new one is a file, rows of its
 * paper's table, rows of historic-start.c, a declaration here and its name in meson.build. */
#ifndef TG_LAUNCH_H
#define TG_LAUNCH_H

#include "historic.h"

#include <cuda_runtime_api.h>

TG_BEGIN_DECLS

typedef cudaError_t TgHistoricLaunch(const TgHistoricRun *run, const TgHistoricShape *shape, int32_t variant);

TgHistoricLaunch tg_historic_launch_dobravec_global, tg_historic_launch_dobravec_run_time,
    tg_historic_launch_dobravec_shared, tg_historic_launch_mmt_cublas, tg_historic_launch_mmt_plain,
    tg_historic_launch_mmt_v002, tg_historic_launch_mmt_v003, tg_historic_launch_mmt_v004, tg_historic_launch_mmt_v005,
    tg_historic_launch_mmt_v006, tg_historic_launch_mmt_v007, tg_historic_launch_mmt_v008, tg_historic_launch_mmt_v009,
    tg_historic_launch_nothing, tg_historic_launch_oneil_cannon, tg_historic_launch_oneil_cube,
    tg_historic_launch_oneil_planes, tg_historic_launch_essay_product, tg_historic_launch_essay_outer,
    tg_historic_launch_essay_transpose;

TG_END_DECLS

#endif

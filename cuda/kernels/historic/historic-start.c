/* The launches behind the names of the papers' tables. */
#include "launch.h"

#include <string.h>

static const struct {
  const char *name;
  TgHistoricLaunch *start;
  int32_t variant;
} launches[] = {
    {"oneil-nothing", tg_historic_launch_nothing, 0},
    {"oneil-cannon", tg_historic_launch_oneil_cannon, 0},
    {"oneil-cannon-tiles", tg_historic_launch_oneil_cannon, 1},
    {"oneil-dns-cube-as-printed", tg_historic_launch_oneil_cube, 0},
    {"oneil-dns-cube-corrected", tg_historic_launch_oneil_cube, 1},
    {"oneil-dns-cube-tiles", tg_historic_launch_oneil_cube, 2},
    {"oneil-dns-cube-tiles-banks", tg_historic_launch_oneil_cube, 3},
    {"oneil-dns-planes", tg_historic_launch_oneil_planes, 0},
    {"oneil-dns-planes-tiles", tg_historic_launch_oneil_planes, 1},
    {"essay-naive", tg_historic_launch_essay_product, 0},
    {"essay-tiled", tg_historic_launch_essay_product, 1},
    {"essay-coalesced", tg_historic_launch_essay_product, 2},
    {"essay-no-conflicts", tg_historic_launch_essay_product, 3},
    {"essay-outer", tg_historic_launch_essay_outer, 0},
    {"essay-prefetch", tg_historic_launch_essay_outer, 1},
    {"essay-copy", tg_historic_launch_essay_transpose, 0},
    {"essay-transpose-naive", tg_historic_launch_essay_transpose, 1},
    {"essay-transpose-unpadded", tg_historic_launch_essay_transpose, 2},
    {"essay-transpose-shared", tg_historic_launch_essay_transpose, 3},
    {"mmt-v001", tg_historic_launch_mmt_plain, 0},
    {"mmt-v002", tg_historic_launch_mmt_v002, 1},
    {"mmt-v002-coalesced", tg_historic_launch_mmt_v002, 2},
    {"mmt-v003", tg_historic_launch_mmt_v003, 1},
    {"mmt-v003-coalesced", tg_historic_launch_mmt_v003, 2},
    {"mmt-v004-as-printed", tg_historic_launch_mmt_v004, 0},
    {"mmt-v004-corrected", tg_historic_launch_mmt_v004, 1},
    {"mmt-v004-coalesced", tg_historic_launch_mmt_v004, 2},
    {"mmt-v005-as-printed", tg_historic_launch_mmt_v005, 0},
    {"mmt-v005-corrected", tg_historic_launch_mmt_v005, 1},
    {"mmt-v005-coalesced", tg_historic_launch_mmt_v005, 2},
    {"mmt-v006-as-printed", tg_historic_launch_mmt_v006, 0},
    {"mmt-v006-corrected", tg_historic_launch_mmt_v006, 1},
    {"mmt-v006-coalesced", tg_historic_launch_mmt_v006, 2},
    {"mmt-v007-as-printed", tg_historic_launch_mmt_v007, 0},
    {"mmt-v007-corrected", tg_historic_launch_mmt_v007, 1},
    {"mmt-v007-coalesced", tg_historic_launch_mmt_v007, 2},
    {"mmt-v008-as-printed", tg_historic_launch_mmt_v008, 0},
    {"mmt-v008-corrected", tg_historic_launch_mmt_v008, 1},
    {"mmt-v009-as-printed", tg_historic_launch_mmt_v009, 0},
    {"mmt-v009-corrected", tg_historic_launch_mmt_v009, 1},
    {"mmt-cublas-as-printed", tg_historic_launch_mmt_cublas, 0},
    {"mmt-cublas-corrected", tg_historic_launch_mmt_cublas, 1},
    {"dobravec-global-as-printed", tg_historic_launch_dobravec_global, 0},
    {"dobravec-global-corrected", tg_historic_launch_dobravec_global, 1},
    {"dobravec-shared-as-printed", tg_historic_launch_dobravec_shared, 0},
    {"dobravec-shared-corrected", tg_historic_launch_dobravec_shared, 1},
    {"dobravec-shared-run-time", tg_historic_launch_dobravec_run_time, 0},
};

enum { LAUNCHES = sizeof launches / sizeof *launches };

static int find(const char *name) {
  int l = 0;
  while (l < LAUNCHES && strcmp(launches[l].name, name) != 0) l++;
  return l;
}

bool tg_historic_built(const TgHistoric *kernel) {
  return find(kernel->name) < LAUNCHES;
}

bool tg_historic_start(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error) {
  TgHistoricRun full = *run;
  TgHistoricShape shape;
  int l = find(kernel->name);
  if (!tg_historic_prepare(kernel, &full, &shape, error)) return false;
  if (l == LAUNCHES) return tg_error_set(error, 0, 0, "kernel %s has no code in this build", kernel->name);
  cudaError_t status = launches[l].start(&full, &shape, launches[l].variant);
  if (status == cudaSuccess) return true;
  cudaGetLastError(); /* what was refused here is not to be reported by a later call as well */
  return tg_error_set(error, 0, 0, "kernel %s did not start: %s", kernel->name, cudaGetErrorString(status));
}

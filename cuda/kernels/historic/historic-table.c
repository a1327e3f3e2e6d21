/* All papers, and what a run has to be. */
#include "historic.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

static const TgHistoricPaper *const papers[] = {
#ifndef TG_WITHOUT_PAPERS
    &tg_historic_oneil, &tg_historic_essay, &tg_historic_mmt, &tg_historic_dobravec,
#endif
    NULL};

const TgHistoricPaper *const *tg_historic_papers(size_t *count) {
  *count = sizeof papers / sizeof *papers - 1;
  return papers;
}

const TgHistoric *tg_historic_find(const char *name) {
  for (size_t p = 0; papers[p]; p++)
    for (size_t k = 0; k < papers[p]->count; k++)
      if (strcmp(papers[p]->kernels[k].name, name) == 0) return &papers[p]->kernels[k];
  return NULL;
}

const char *tg_historic_type_name(TgHistoricType type) {
  return type == TG_HISTORIC_I32 ? "i32" : "f32";
}

static bool takes_width(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error) {
  int w = 0;
  while (w < TG_HISTORIC_WIDTHS && kernel->widths[w] && kernel->widths[w] != run->width) w++;
  if (run->width == 0 || (w < TG_HISTORIC_WIDTHS && kernel->widths[w] == run->width)) return true;
  return tg_error_set(error, 0, 0, "kernel %s has no width of %" PRId32, kernel->name, run->width);
}

static bool takes_size(const TgHistoric *kernel, const TgHistoricRun *run, int d, TgError *error) {
  const int64_t sizes[] = {run->m, run->n, run->k};
  if (sizes[d] < 1)
    return tg_error_set(error, 0, 0, "kernel %s: %c is %" PRId64 ", expected at least 1", kernel->name, "mnk"[d],
                        sizes[d]);
  if (kernel->exactly && sizes[d] != kernel->exactly)
    return tg_error_set(error, 0, 0, "kernel %s takes only m, n and k of %" PRId64 ", not %c = %" PRId64, kernel->name,
                        kernel->exactly, "mnk"[d], sizes[d]);
  if (kernel->most[d] && sizes[d] > kernel->most[d])
    return tg_error_set(error, 0, 0, "kernel %s takes %c up to %" PRId64 ", not %" PRId64, kernel->name, "mnk"[d],
                        kernel -> most[d], sizes[d]);
  if (kernel->whole && sizes[d] % run->width != 0)
    return tg_error_set(error, 0, 0, "kernel %s takes %c in multiples of its width, %" PRId32 ", not %" PRId64,
                        kernel->name, "mnk"[d], run -> width, sizes[d]);
  return true;
}

static bool takes_shape(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error) {
  if (kernel->square && (run->m != run->n || run->n != run->k))
    return tg_error_set(error, 0, 0,
                        "kernel %s takes only square matrices, not m, n, k = %" PRId64 ", %" PRId64 ", %" PRId64,
                        kernel->name, run->m, run->n, run->k);
  if (kernel->kind == TG_HISTORIC_SYMMETRIC && run->m != run->n)
    return tg_error_set(error, 0, 0, "kernel %s computes A * A': m and n must be equal, not %" PRId64 " and %" PRId64,
                        kernel->name, run->m, run->n);
  if ((kernel->kind == TG_HISTORIC_TRANSPOSE || kernel->kind == TG_HISTORIC_COPY) && run->k != 1)
    return tg_error_set(error, 0, 0, "kernel %s has no inner extent: k is 1, not %" PRId64, kernel->name, run->k);
  return true;
}

static bool takes_settings(const TgHistoric *kernel, const TgHistoricRun *run, TgError *error) {
  if (run->type < 0 || run->type >= TG_HISTORIC_TYPES)
    return tg_error_set(error, 0, 0, "kernel %s does not take type %" PRId32, kernel->name, run->type);
  if (!(kernel->types >> run->type & 1))
    return tg_error_set(error, 0, 0, "kernel %s does not take %s", kernel->name,
                        tg_historic_type_name((TgHistoricType)run->type));
  if (run->split < 0 || (run->split && !kernel->splits))
    return tg_error_set(error, 0, 0, "kernel %s does not divide k among %" PRId32 " blocks", kernel->name, run->split);
  if (run->repeats < 0 || (run->repeats > 1 && !kernel->repeats))
    return tg_error_set(error, 0, 0, "kernel %s does not repeat itself %" PRId32 " times", kernel->name, run->repeats);
  if (run->adverse && !kernel->shown.adverse)
    return tg_error_set(error, 0, 0, "kernel %s has no thread order that shows a defect", kernel->name);
  return true;
}

static bool takes_launch(const TgHistoric *kernel, const TgHistoricShape *shape, TgError *error) {
  static const int64_t most[] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  for (int d = 0; d < 3; d++)
    if (shape->grid[d] > most[d])
      return tg_error_set(error, 0, 0,
                          "kernel %s would need a grid of %" PRId64
                          " blocks along %c, but a launch takes at most %" PRId64,
                          kernel->name, shape->grid[d], "xyz"[d], most[d]);
  const int64_t threads = (int64_t)shape->block[0] * shape->block[1] * shape->block[2];
  if (threads > MOST_THREADS)
    return tg_error_set(error, 0, 0, "kernel %s would need blocks of %" PRId64 " threads, but a block has at most %d",
                        kernel->name, threads, MOST_THREADS);
  return true;
}

void tg_historic_share(const TgHistoricRun *run, int64_t tiles, TgHistoricShape *shape) {
  const int64_t blocks = run->split && run->split < tiles ? run->split : tiles;
  shape->rounds = tg_historic_parts(tiles, blocks);
  shape->split = tg_historic_parts(tiles, shape->rounds);
}

bool tg_historic_prepare(const TgHistoric *kernel, TgHistoricRun *run, TgHistoricShape *shape, TgError *error) {
  if (!takes_settings(kernel, run, error) || !takes_width(kernel, run, error)) return false;
  if (run->width == 0) run->width = kernel->widths[0];
  if (run->repeats == 0) run->repeats = 1;
  for (int d = 0; d < 3; d++)
    if (!takes_size(kernel, run, d, error)) return false;
  if (!takes_shape(kernel, run, error)) return false;
  *shape = (TgHistoricShape){.grid = {1, 1, 1}, .block = {1, 1, 1}, .split = 1};
  kernel->shape(run, shape);
  return takes_launch(kernel, shape, error);
}

#include "huge.h"

#include "blas.h"
#include "inputs.h"
#include "matrix.h"
#include "unfinished.h"

#include <unistd.h>

/* A product on its way. */
typedef struct Huge {
  const TgHugeOptions *options;
  TgHugeResult *result;
  TgHugeInputs inputs;
  TgUnfinished part;
  TgDiskProduct product;
} Huge;

const char *tg_huge_stage_name(TgHugeStage stage) {
  static const char *const names[TG_HUGE_STAGES] = {"read A", "read B", "multiply", "write C",
                                                    "sync C", "send",   "receive"};
  return names[stage];
}

/* Goes on with the plan of an earlier run, where memory is enough for it: panels that it finished stay whole. */
static bool open_part(Huge *huge, GError **error) {
  const TgTiling c = tg_disk_product_tiling(&huge->inputs.all);
  TgDiskProduct *product = &huge->product;
  TgTiledJob job = {tg_huge_inputs_identity(&huge->inputs), (uint64_t)product->memory_bytes};
  if (!tg_unfinished_open(&huge->part, huge->options->c, &c, &job, error)) return false;
  product->c = tg_stream_file(huge->part.file, -1);
  product->c.descriptor = tg_disk_open_tiles(huge->part.path, huge->options->cached, true, &huge->inputs.direct, error);
  const double planned = (double)job.memory;
  return product->c.descriptor >= 0 &&
         (planned >= product->memory_bytes ||
          tg_disk_product_plan_again(product, planned, huge->options->memory_bytes, error));
}

static bool open_all(Huge *huge, GError **error) {
  if (!tg_huge_inputs_open(&huge->inputs, huge->options, error) || !tg_blas_load(error)) return false;
  const TgTiling c = tg_disk_product_tiling(&huge->inputs.all);
  huge->product.factors = &huge->inputs.all;
  huge->product.count = 1;
  huge->product.program_bytes = tg_disk_program_bytes();
  return tg_tiling_check(&c, error) && tg_disk_product_plan(&huge->product, huge->options->memory_bytes, error) &&
         open_part(huge, error);
}

static void note(Huge *huge) {
  const TgDiskProduct *product = &huge->product;
  const TgPanelsJob *plan = &product->plan;
  const double e = (double)plan->element_bytes;
  tg_huge_inputs_note(&huge->inputs, huge->options, huge->result);
  tg_disk_product_note(product, huge->result);
  huge->result->bound_read_bytes = e * tg_pipeline_bound(plan->m, plan->n, plan->k, product->memory_bytes / e);
}

static bool stream_panels(Huge *huge, GError **error) {
  const TgHugeOptions *options = huge->options;
  const TgStreamJob job = tg_disk_product_job(&huge->product);
  tg_disk_product_count(&huge->product, huge->result);
  if (options->begins) options->begins(options->tells, tg_stream_chunks(&job));
  return job.panels->count == 0 || tg_stream_multiply(&job, huge->result, error);
}

static void huge_clear(Huge *huge) {
  if (huge->product.c.file && huge->product.c.descriptor >= 0) close(huge->product.c.descriptor);
  tg_huge_inputs_clear(&huge->inputs);
  tg_unfinished_clear(&huge->part);
  tg_disk_product_clear(&huge->product);
}

static bool multiply(Huge *huge, GError **error) {
  if (!open_all(huge, error)) return false;
  note(huge);
  if (!tg_disk_product_drop_finished(&huge->product, huge->result, error) || !stream_panels(huge, error) ||
      !tg_unfinished_finish(&huge->part, error))
    return false;
  huge->result->peak_rss_bytes = (double)tg_memory_peak_bytes();
  return true;
}

bool tg_huge_multiply(const TgHugeOptions *options, TgHugeResult *result, GError **error) {
  Huge huge = {.options = options, .result = result, .product.options = options, .part.descriptor = -1};
  *result = (TgHugeResult){.ranks = 1};
  const bool fine = multiply(&huge, error);
  huge_clear(&huge);
  return fine;
}

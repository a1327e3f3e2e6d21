#define _GNU_SOURCE /* O_DIRECT */

#include "inputs.h"

#include "checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

int tg_disk_open_tiles(const char *path, bool cached, bool writes, bool *direct, GError **error) {
  const int flags = (writes ? O_RDWR : O_RDONLY) | O_CLOEXEC;
  int descriptor = -1;
#ifdef O_DIRECT
  if (!cached) descriptor = open(path, flags | O_DIRECT);
#endif
  if (descriptor >= 0) return descriptor;
  *direct = false;
  descriptor = open(path, flags);
  if (descriptor < 0)
    g_set_error(error, TG_IO_ERROR, writes ? TG_IO_ERROR_CANNOT_WRITE : TG_IO_ERROR_CANNOT_READ, "%s: cannot %s: %s",
                path, writes ? "write" : "read", g_strerror(errno));
  return descriptor;
}

static bool open_files(TgHugeInputs *inputs, const TgHugeOptions *options, GError **error) {
  if (!(inputs->all.a.file = tg_tiled_file_open(options->a, error)) ||
      !(inputs->all.b.file = tg_tiled_file_open(options->b, error)))
    return false;
  inputs->all.a = tg_stream_file(inputs->all.a.file, -1);
  inputs->all.b = tg_stream_file(inputs->all.b.file, -1);
  return true;
}

static bool check_files(const TgHugeInputs *inputs, const TgHugeOptions *options, GError **error) {
  const TgTiling *a = tg_tiled_file_tiling(inputs->all.a.file), *b = tg_tiled_file_tiling(inputs->all.b.file);
  if (a->type != b->type)
    return TG_IO_FAIL(error, BAD_INPUT, "%s has elements of %s, and %s of %s", options->a, tg_element_name(a->type),
                      options->b, tg_element_name(b->type));
  if (a->columns == b->rows) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "%s is %" PRId64 "x%" PRId64 " and %s is %" PRId64 "x%" PRId64
                    ": A must have as many columns as B has rows",
                    options->a, a->rows, a->columns, options->b, b->rows, b->columns);
}

bool tg_huge_inputs_open(TgHugeInputs *inputs, const TgHugeOptions *options, GError **error) {
  inputs->all.a.descriptor = inputs->all.b.descriptor = -1;
  inputs->direct = true;
  return open_files(inputs, options, error) && check_files(inputs, options, error) &&
         (inputs->all.a.descriptor = tg_disk_open_tiles(options->a, options->cached, false, &inputs->direct, error)) >=
             0 &&
         (inputs->all.b.descriptor = tg_disk_open_tiles(options->b, options->cached, false, &inputs->direct, error)) >=
             0;
}

uint64_t tg_huge_inputs_identity(const TgHugeInputs *inputs) {
  const uint64_t identity[] = {tg_tiled_file_identity(inputs->all.a.file), tg_tiled_file_identity(inputs->all.b.file)};
  return tg_checksum(identity, sizeof identity, 0);
}

void tg_huge_inputs_note(const TgHugeInputs *inputs, const TgHugeOptions *options, TgHugeResult *result) {
  const TgTiling c = tg_disk_product_tiling(&inputs->all);
  result->type = c.type;
  result->m = c.rows;
  result->n = c.columns;
  result->k = inputs->all.a.columns;
  result->tiles = tg_tiling_count(tg_tiled_file_tiling(inputs->all.a.file)) +
                  tg_tiling_count(tg_tiled_file_tiling(inputs->all.b.file)) + tg_tiling_count(&c);
  result->direct = inputs->direct;
  result->memory_bytes = options->memory_bytes;
}

void tg_huge_inputs_clear(TgHugeInputs *inputs) {
  TgStreamFile *const files[] = {&inputs->all.a, &inputs->all.b};
  for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
    if (files[i]->file && files[i]->descriptor >= 0) close(files[i]->descriptor);
    tg_tiled_file_free(files[i]->file);
  }
}

#include "huge.h"

#include "checksum.h"
#include "counter-random.h"
#include "sim-error.h"

#include <math.h>
#include <stdlib.h>

enum { LANES = 4 }; /* vectors: one in 16 wrong results has an error below a fifth of the true one */

/* Vectors of signs, and what the factors make of them: [row * LANES + vector]. */
typedef struct Check {
  TgTiledFile *a, *b, *c;
  double *signs;   /* n */
  double *between; /* k: B · signs */
  double *product; /* m: A · between */
  double *result;  /* m: C · signs */
  const TgWatch *watch;
  int64_t done;
} Check;

static void apply_row(const TgTiling *tiling, const TgTile *tile, const void *data, int64_t row, const double *from,
                      double *to) {
  const bool wide = tiling->type == TG_F64;
  double sum[LANES] = {0};
  for (int64_t j = 0; j < tile->columns; j++) {
    const int64_t i = row * tile->columns + j;
    const double value = wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
    for (int v = 0; v < LANES; v++) sum[v] += value * from[(tile->column + j) * LANES + v];
  }
  for (int v = 0; v < LANES; v++) to[(tile->row + row) * LANES + v] += sum[v];
}

/* to += file · from, tile by tile. */
static bool apply(Check *check, const TgTiledFile *file, const double *from, double *to, GError **error) {
  const TgTiling *tiling = tg_tiled_file_tiling(file);
  g_autofree void *data = g_malloc(tg_tiling_tile(tiling, 0, 0).bytes);
  for (int64_t i = 0; i < tg_tiling_down(tiling); i++)
    for (int64_t j = 0; j < tg_tiling_across(tiling); j++) {
      const TgTile tile = tg_tiling_tile(tiling, i, j);
      if (!tg_tiled_file_read(file, &tile, data, error)) return false;
      for (int64_t row = 0; row < tile.rows; row++) apply_row(tiling, &tile, data, row, from, to);
      if (!tg_watch_go_on(check->watch, ++check->done)) return TG_SIM_FAIL(error, STOPPED, "stopped");
    }
  return true;
}

static bool check_shapes(const Check *check, GError **error) {
  const TgTiling *a = tg_tiled_file_tiling(check->a), *b = tg_tiled_file_tiling(check->b),
                 *c = tg_tiled_file_tiling(check->c);
  if (a->columns == b->rows && a->rows == c->rows && b->columns == c->columns) return true;
  return TG_IO_FAIL(error, BAD_INPUT,
                    "A of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT " times B of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT
                    " is not C of %" G_GINT64_FORMAT "x%" G_GINT64_FORMAT,
                    a->rows, a->columns, b->rows, b->columns, c->rows, c->columns);
}

static double *lanes_new(int64_t rows) {
  return calloc((size_t)rows * LANES, sizeof(double));
}

static bool open_check(Check *check, const char *a, const char *b, const char *c, uint64_t seed, GError **error) {
  if (!(check->a = tg_tiled_file_open(a, error)) || !(check->b = tg_tiled_file_open(b, error)) ||
      !(check->c = tg_tiled_file_open(c, error)) || !check_shapes(check, error))
    return false;
  const int64_t m = tg_tiled_file_tiling(check->c)->rows, n = tg_tiled_file_tiling(check->c)->columns;
  check->signs = lanes_new(n);
  check->between = lanes_new(tg_tiled_file_tiling(check->a)->columns);
  check->product = lanes_new(m);
  check->result = lanes_new(m);
  if (!check->signs || !check->between || !check->product || !check->result)
    return TG_IO_FAIL(error, TOO_LARGE, "no memory for vectors of %" G_GINT64_FORMAT " elements", MAX(m, n));
  for (int64_t i = 0; i < n * LANES; i++) check->signs[i] = tg_random_bits(seed, (uint64_t)i) & 1 ? 1 : -1;
  return true;
}

static void check_clear(Check *check) {
  tg_tiled_file_free(check->a);
  tg_tiled_file_free(check->b);
  tg_tiled_file_free(check->c);
  free(check->signs);
  free(check->between);
  free(check->product);
  free(check->result);
}

/* ||C s - A B s|| / ||A B s||; absolute where that is 0. */
static double relative_error(const Check *check) {
  const int64_t values = tg_tiled_file_tiling(check->c)->rows * LANES;
  double wrong = 0, all = 0;
  for (int64_t i = 0; i < values; i++) {
    const double difference = check->result[i] - check->product[i];
    wrong += difference * difference;
    all += check->product[i] * check->product[i];
  }
  return sqrt(wrong) / (all > 0 || isnan(all) ? sqrt(all) : 1);
}

bool tg_huge_check(const char *a, const char *b, const char *c, uint64_t seed, const TgWatch *watch, double *error_of,
                   GError **error) {
  Check check = {.watch = watch};
  if (tg_disk_lacks()) return TG_IO_FAIL(error, BAD_INPUT, "no tiled files: %s", tg_disk_lacks());
  const bool fine = open_check(&check, a, b, c, seed, error) &&
                    apply(&check, check.b, check.signs, check.between, error) &&
                    apply(&check, check.a, check.between, check.product, error) &&
                    apply(&check, check.c, check.signs, check.result, error);
  if (fine) *error_of = relative_error(&check);
  check_clear(&check);
  return fine;
}

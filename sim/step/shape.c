#include "shape.h"

#include "expression.h"

#include <inttypes.h>
#include <stdio.h>

static const char matrix_name[TG_MATRICES + 1] = "ABC";

/** Products of two extents, times the bytes of an element, stay far below 2^63. */
static const int64_t most_elements = INT64_C(1) << 59;

TgText tg_computes_text(const TgComputes *computes) {
  TgText text;
  const int length =
      g_snprintf(text.s, sizeof text.s, "C = %c%s", matrix_name[computes->left], computes->left_transposed ? "'" : "");
  if (computes->right < TG_MATRICES)
    g_snprintf(text.s + length, sizeof text.s - (size_t)length, " * %c%s", matrix_name[computes->right],
               computes->right_transposed ? "'" : "");
  return text;
}

bool tg_computes_uses(const TgComputes *computes, TgMatrixName matrix) {
  return computes->left == matrix || computes->right == matrix;
}

/** Gives a factor its extents; `rows` x `columns` is what op() of it must be. */
static bool set_factor(TgShape *shape, const TgComputes *computes, int matrix, bool transposed, int64_t rows,
                       int64_t columns, GError **error) {
  if (transposed) {
    const int64_t swap = rows;
    rows = columns;
    columns = swap;
  }
  if (shape->rows[matrix] && (shape->rows[matrix] != rows || shape->columns[matrix] != columns)) {
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "%s does not fit m = %" PRId64 ", n = %" PRId64 ", k = %" PRId64 ": %c would be both %" PRId64
                       "x%" PRId64 " and %" PRId64 "x%" PRId64,
                       tg_computes_text(computes).s, shape->m, shape->n, shape->k, matrix_name[matrix],
                       shape->rows[matrix], shape->columns[matrix], rows, columns);
  }
  shape->rows[matrix] = rows;
  shape->columns[matrix] = columns;
  return true;
}

static bool check_extents(const TgShape *shape, GError **error) {
  const int64_t extent[] = {shape->m, shape->n, shape->k};
  for (int i = 0; i < 3; i++) {
    if (extent[i] >= 1 && extent[i] <= INT32_MAX) continue;
    return TG_SIM_FAIL(error, BAD_INPUT, "%c is %" PRId64 ": expected 1 to %d", "mnk"[i], extent[i], INT32_MAX);
  }
  return true;
}

static bool check_elements(const TgShape *shape, GError **error) {
  for (int matrix = 0; matrix < TG_MATRICES; matrix++) {
    int64_t elements;
    if (!tg_multiply_overflows(shape->rows[matrix], shape->columns[matrix], &elements) && elements <= most_elements)
      continue;
    return TG_SIM_FAIL(error, TOO_LARGE, "%c of %" PRId64 "x%" PRId64 " elements is too large", "ABC"[matrix],
                       shape -> rows[matrix], shape -> columns[matrix]);
  }
  return true;
}

bool tg_shape_init(TgShape *shape, const TgComputes *computes, int64_t m, int64_t n, int64_t k, GError **error) {
  const bool product = computes->right < TG_MATRICES;
  *shape = (TgShape){.m = m, .n = n, .k = product ? k : n};
  if (!check_extents(shape, error)) return false;
  shape->rows[TG_MATRIX_C] = m;
  shape->columns[TG_MATRIX_C] = n;
  return set_factor(shape, computes, computes->left, computes->left_transposed, m, shape->k, error) &&
         (!product || set_factor(shape, computes, computes->right, computes->right_transposed, k, n, error)) &&
         check_elements(shape, error);
}

bool tg_shape_from_matrices(TgShape *shape, const TgComputes *computes, int64_t a_rows, int64_t a_columns,
                            int64_t b_rows, int64_t b_columns, GError **error) {
  const int64_t extent[TG_MATRICES][2] = {{a_rows, a_columns}, {b_rows, b_columns}, {0, 0}};
  const int64_t *left = extent[computes->left];
  const int64_t m = left[computes->left_transposed], k = left[!computes->left_transposed];
  if (computes->right >= TG_MATRICES) return tg_shape_init(shape, computes, m, k, k, error);
  const int64_t *right = extent[computes->right];
  const int64_t inner = right[computes->right_transposed], n = right[!computes->right_transposed];
  if (k == inner) return tg_shape_init(shape, computes, m, n, k, error);
  return TG_SIM_FAIL(error, BAD_INPUT,
                     "%s: inner dimensions differ: %c is %" PRId64 "x%" PRId64 ", %c is %" PRId64 "x%" PRId64
                     ", so %" PRId64 " meets %" PRId64,
                     tg_computes_text(computes).s, matrix_name[computes->left], left[0], left[1],
                     matrix_name[computes->right], right[0], right[1], k, inner);
}

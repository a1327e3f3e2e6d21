#include "check.h"

#include "blas.h"
#include "block.h"
#include "product-error.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** Multiply-adds up to which the reference is summed in long double; some ten milliseconds. */
static const double long_products = 1 << 22;

/** Elements of one panel of the reference, about. */
static const int64_t panel_elements = 1 << 20;

/** A Frobenius norm, scaled so that squares neither overflow nor vanish (as LAPACK's dlassq). */
typedef struct Norm {
  double scale, sum;
} Norm;

static void norm_add(Norm *norm, double x) {
  const double size = fabs(x);
  if (!(size > 0)) return;
  if (size > norm->scale) {
    const double shrink = norm->scale / size;
    norm->sum = 1 + norm->sum * shrink * shrink;
    norm->scale = size;
  } else {
    norm->sum += size / norm->scale * (size / norm->scale);
  }
}

static double norm_value(const Norm *norm) {
  return norm->scale * sqrt(norm->sum);
}

/** The product under check. `left` and `right` are op() of the factors; `right` has no data where there is none. */
typedef struct Reference {
  TgElement element;
  TgBlock left, right, c;
  int64_t panel_rows;
  double *panel;        /**< panel_rows x n of the reference */
  double *left_double;  /**< f32: the panel's rows of op(left); NULL for f64 */
  double *right_double; /**< f32: op(right) */
} Reference;

double tg_check_tolerance(const TgComputes *computes, TgElement element, int64_t k) {
  if (computes->right == TG_MATRICES) return 0;
  return element == TG_F64 ? fmax(1e-15 * sqrt((double)k), 1e-14) : fmax(5e-7 * sqrt((double)k), 1e-6);
}

static const char *bad_name(double x) {
  return isnan(x) ? "NaN" : x > 0 ? "Inf" : "-Inf";
}

/** Looks for NaN and Inf in one matrix. */
static bool check_finite(TgCheck *check, TgElement element, TgMatrixName matrix, const void *data, int64_t rows,
                         int64_t columns) {
  const TgBlock block = tg_block_of(data, rows, columns);
  for (int64_t i = 0; data && i < rows; i++) {
    for (int64_t j = 0; j < columns; j++) {
      const double x = tg_block_at(element, &block, i, j);
      if (isfinite(x)) continue;
      check->matrix = matrix;
      check->row = i;
      check->column = j;
      snprintf(check->text, sizeof check->text, "%c has %s at row %" PRId64 ", column %" PRId64 ", counted from 0",
               "ABC"[matrix], bad_name(x), i, j);
      return false;
    }
  }
  return true;
}

/** The same elements as doubles: the block itself, or copied to `room`. */
static TgBlock as_double(TgElement element, const TgBlock *block, double *room) {
  if (element == TG_F64) return *block;
  for (int64_t i = 0; i < block->rows; i++) {
    for (int64_t j = 0; j < block->columns; j++) room[i * block->columns + j] = tg_block_at(element, block, i, j);
  }
  return tg_block_of(room, block->rows, block->columns);
}

static void multiply_long(double *panel, const TgBlock *left, const TgBlock *right) {
  const double *l = left->data, *r = right->data;
  for (int64_t i = 0; i < left->rows; i++) {
    for (int64_t j = 0; j < right->columns; j++) {
      long double sum = 0;
      for (int64_t x = 0; x < left->columns; x++)
        sum += (long double)l[i * left->row_stride + x * left->column_stride] *
               r[x * right->row_stride + j * right->column_stride];
      panel[i * right->columns + j] = (double)sum;
    }
  }
}

/** See TG_FEW_ELEMENTS for the second case. */
static bool sums_long(const Reference *reference) {
  const double elements = (double)reference->c.rows * (double)reference->c.columns;
  return elements * (double)reference->left.columns <= long_products || elements <= TG_FEW_ELEMENTS;
}

/** Rows [row, row + rows) of the reference into the panel. `right` is op(right) in double. */
static void fill_panel(Reference *reference, const TgBlock *right, int64_t row, int64_t rows) {
  const TgBlock part = tg_block_part(reference->element, &reference->left, row, 0, rows, reference->left.columns);
  if (!right->data) {
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j < part.columns; j++)
        reference->panel[i * part.columns + j] = tg_block_at(reference->element, &part, i, j);
    }
    return;
  }
  const TgBlock left = as_double(reference->element, &part, reference->left_double);
  if (sums_long(reference)) {
    multiply_long(reference->panel, &left, right);
    return;
  }
  memset(reference->panel, 0, sizeof(double) * (size_t)(rows * right->columns));
  tg_blas_multiply_add_f64(reference->panel, &left, right);
}

/** False where the watch stops it. */
static bool compare(Reference *reference, const TgWatch *watch, double *relative_error) {
  const TgBlock *c = &reference->c;
  const TgBlock right = reference->right.data
                            ? as_double(reference->element, &reference->right, reference->right_double)
                            : reference->right;
  Norm difference = {0}, size = {0};
  double worst = 0; /* stays 0, or becomes NaN or Inf */
  for (int64_t row = 0; row < c->rows; row += reference->panel_rows) {
    const int64_t rows = c->rows - row < reference->panel_rows ? c->rows - row : reference->panel_rows;
    if (!tg_watch_go_on(watch, row)) return false;
    fill_panel(reference, &right, row, rows);
    for (int64_t i = 0; i < rows; i++) {
      for (int64_t j = 0; j < c->columns; j++) {
        const double expected = reference->panel[i * c->columns + j];
        const double delta = tg_block_at(reference->element, c, row + i, j) - expected;
        if (!isfinite(delta)) worst = delta;
        norm_add(&difference, delta);
        norm_add(&size, expected);
      }
    }
  }
  const double over = size.scale > 0 ? norm_value(&size) : 1;
  *relative_error = worst != 0 ? NAN : norm_value(&difference) / over;
  return true;
}

/** Rows of a panel, and elements of the two factors that are converted to double. */
typedef struct Panel {
  int64_t rows;
  uint64_t left, right;
} Panel;

static Panel panel_of(int64_t m, int64_t n, int64_t k, bool convert) {
  const int64_t rows = panel_elements / (n + k), panel_rows = CLAMP(rows, 1, m);
  return (Panel){panel_rows, convert ? (uint64_t)(panel_rows * k) : 0, convert ? (uint64_t)(n * k) : 0};
}

/** The extents are below 2^31 and their products below 2^60, so nothing overflows. */
static uint64_t bytes_of(const Panel *panel, int64_t n) {
  return ((uint64_t)(panel->rows * n) + panel->left + panel->right) * sizeof(double);
}

uint64_t tg_check_need_bytes(const TgComputes *computes, const TgShape *shape, TgElement element) {
  const bool convert = element == TG_F32 && computes->right != TG_MATRICES;
  const Panel panel = panel_of(shape->m, shape->n, computes->right == TG_MATRICES ? 0 : shape->k, convert);
  return bytes_of(&panel, shape->n);
}

static bool allocate(Reference *reference, uint64_t limit_bytes, GError **error) {
  const int64_t n = reference->c.columns;
  const bool convert = reference->element == TG_F32 && reference->right.data;
  const Panel panel = panel_of(reference->c.rows, n, reference->left.columns, convert);
  const uint64_t need = bytes_of(&panel, n);
  reference->panel_rows = panel.rows;
  if (!limit_bytes || need <= limit_bytes) {
    reference->panel = g_try_new(double, (size_t)(panel.rows * n));
    reference->left_double = g_try_new(double, MAX(panel.left, 1));
    reference->right_double = g_try_new(double, MAX(panel.right, 1));
    if (reference->panel && reference->left_double && reference->right_double) return true;
  }
  char limit[32] = "the memory there is";
  if (limit_bytes) snprintf(limit, sizeof limit, "%" PRIu64 " bytes", limit_bytes);
  return TG_SIM_FAIL(error, TOO_LARGE, "checking the product needs %" PRIu64 " bytes, the limit is %s", need, limit);
}

static TgBlock factor(int matrix, bool transposed, const TgShape *shape, const void *const *data) {
  if (matrix >= TG_MATRICES) return (TgBlock){0};
  const TgBlock block = tg_block_of(data[matrix], shape->rows[matrix], shape->columns[matrix]);
  return transposed ? tg_block_transposed(block) : block;
}

bool tg_check_product(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                      const void *a, const void *b, const void *c, uint64_t limit_bytes, const TgWatch *watch,
                      GError **error) {
  const void *const data[TG_MATRICES] = {a, b, c};
  *check =
      (TgCheck){.relative_error = NAN, .tolerance = tg_check_tolerance(computes, element, shape->k), .finite = true};
  for (int matrix = 0; matrix < TG_MATRICES && check->finite; matrix++)
    check->finite =
        check_finite(check, element, (TgMatrixName)matrix, data[matrix], shape->rows[matrix], shape->columns[matrix]);
  if (!check->finite) return true;
  Reference reference = {.element = element,
                         .left = factor(computes->left, computes->left_transposed, shape, data),
                         .right = factor(computes->right, computes->right_transposed, shape, data),
                         .c = tg_block_of(c, shape->m, shape->n)};
  const bool loops = !reference.right.data || sums_long(&reference);
  bool done = (loops || tg_blas_load(error)) && allocate(&reference, limit_bytes, error);
  if (done && !compare(&reference, watch, &check->relative_error)) done = TG_SIM_FAIL(error, STOPPED, "stopped");
  g_free(reference.panel);
  g_free(reference.left_double);
  g_free(reference.right_double);
  check->ok = check->relative_error <= check->tolerance;
  snprintf(check->text, sizeof check->text, "C has relative error %.3g, %s the tolerance %.2g", check->relative_error,
           check->ok ? "within" : "beyond", check->tolerance);
  return done;
}

/* Products that are too large to compute again: their error is estimated. */

enum { VECTORS = 8 };

static const double usual_products = (double)(INT64_C(1) << 33); /* n = 2048: about a second on two cores */
static const uint64_t vectors_seed = 20;                         /* not that of the matrices */

static TgProductFactor large_factor(int matrix, bool transposed, const TgShape *shape, const void *const *data,
                                    const TgCheckParts *parts) {
  return (TgProductFactor){.data = data[matrix],
                           .rows = shape->rows[matrix],
                           .columns = shape->columns[matrix],
                           .transposed = transposed,
                           .part = parts ? parts->part[matrix] : NULL,
                           .parts = parts ? parts->parts[matrix] : 0};
}

/* A C of which no program has some element is no product. */
static bool is_covered(const TgShape *shape, const TgCheckParts *parts) {
  double elements = 0;
  for (int64_t p = 0; p < parts->parts[TG_MATRIX_C]; p++) {
    const TgMatrixPart *part = &parts->part[TG_MATRIX_C][p];
    if (part->counts) elements += (double)part->rows * (double)part->columns;
  }
  parts->job.sum(parts->job.data, &elements, 1);
  return elements == (double)shape->m * (double)shape->n;
}

void tg_check_estimate(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                       const void *const *data, const TgCheckParts *parts) {
  const TgProductFactor left = large_factor(computes->left, computes->left_transposed, shape, data, parts);
  const TgProductFactor right = large_factor(computes->right, computes->right_transposed, shape, data, parts);
  const TgProductFactor c = large_factor(TG_MATRIX_C, false, shape, data, parts);
  const bool covered = !parts || is_covered(shape, parts);
  *check = (TgCheck){.estimated = true,
                     .finite = true,
                     .relative_error = covered ? tg_product_error_of(element, &left, &right, &c, VECTORS, vectors_seed,
                                                                     parts ? &parts->job : NULL)
                                               : NAN,
                     .tolerance = tg_check_tolerance(computes, element, shape->k)};
  check->ok = check->relative_error <= check->tolerance;
  snprintf(check->text, sizeof check->text, "C has an estimated relative error %.3g, %s the tolerance %.2g",
           check->relative_error, check->ok ? "within" : "beyond", check->tolerance);
}

static double products_of(const TgShape *shape) {
  return (double)shape->m * (double)shape->n * (double)shape->k;
}

bool tg_check_is_estimated(const TgComputes *computes, const TgShape *shape) {
  return computes->right != TG_MATRICES && products_of(shape) > usual_products;
}

uint64_t tg_check_large_need_bytes(const TgComputes *computes, const TgShape *shape, TgElement element) {
  if (!tg_check_is_estimated(computes, shape)) return tg_check_need_bytes(computes, shape, element);
  return (uint64_t)(2 * shape->m + shape->n + shape->k) * VECTORS * sizeof(double);
}

bool tg_check_large_product(TgCheck *check, const TgComputes *computes, const TgShape *shape, TgElement element,
                            const void *a, const void *b, const void *c, double most_products, GError **error) {
  const void *const data[TG_MATRICES] = {a, b, c};
  if (computes->right == TG_MATRICES || products_of(shape) <= (most_products > 0 ? most_products : usual_products))
    return tg_check_product(check, computes, shape, element, a, b, c, 0, NULL, error);
  tg_check_estimate(check, computes, shape, element, data, NULL);
  return true;
}

#include "blas.h"

#include <cblas.h>
#include <glib.h>

typedef struct Factor {
  CBLAS_TRANSPOSE transpose;
  int leading;
} Factor;

/** A block with neighbouring elements in its rows is read as it is; otherwise its transpose lies so in memory. Where
 * both strides are 1 (one row or one column) BLAS must be given the reading in which a row's length fits the stride. */
static Factor factor_of(const TgBlock *block) {
  if (block->column_stride == 1 && block->row_stride >= block->columns)
    return (Factor){CblasNoTrans, (int)block->row_stride};
  return (Factor){CblasTrans, (int)block->column_stride};
}

#define DEFINE_MULTIPLY_ADD(NAME, GEMM)                                                                                \
  void NAME(void *c, const TgBlock *left, const TgBlock *right) {                                                      \
    const Factor l = factor_of(left), r = factor_of(right);                                                            \
    const int m = (int)left->rows, n = (int)right->columns, k = (int)left->columns;                                    \
    GEMM(CblasRowMajor, l.transpose, r.transpose, m, n, k, 1, left->data, l.leading, right->data, r.leading, 1, c, n); \
  }

DEFINE_MULTIPLY_ADD(tg_blas_multiply_add_f32, cblas_sgemm)
DEFINE_MULTIPLY_ADD(tg_blas_multiply_add_f64, cblas_dgemm)

#ifdef TG_HAVE_OPENBLAS

/** One thread is worth waking for about 0.1 ms of multiply-adds. */
static const double products_per_thread = 1 << 21;

char *tg_blas_description(void) {
  g_autofree char *config = g_strstrip(g_strdup(openblas_get_config()));
  return g_strdup_printf("%s, running as %s, %d threads", config, openblas_get_corename(), openblas_get_num_threads());
}

int tg_blas_threads_begin(int64_t m, int64_t n, int64_t k) {
  const int before = openblas_get_num_threads();
  const double worth = (double)m * (double)n * (double)k / products_per_thread;
  if (worth < before) openblas_set_num_threads(MAX((int)worth, 1));
  return before;
}

void tg_blas_threads_end(int threads) {
  if (threads != openblas_get_num_threads()) openblas_set_num_threads(threads);
}

#else

char *tg_blas_description(void) {
  return g_strdup("a BLAS through the C interface, of unknown make");
}

int tg_blas_threads_begin(int64_t m, int64_t n, int64_t k) {
  (void)m, (void)n, (void)k;
  return 0;
}

void tg_blas_threads_end(int threads) {
  (void)threads;
}

#endif

/* Any bytes as .mtx: refused, or read; what was read is the same once written and read again. */
#include "fuzz.h"
#include "mtx.h"

#include <math.h>
#include <stdlib.h>

enum { LIMIT_BYTES = 1 << 15 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = tg_mtx_parse("fuzz", bytes, size, LIMIT_BYTES, &error);
  g_assert_true((matrix == NULL) == (error != NULL));
  if (!matrix) return 0;
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  g_assert_true(tg_mtx_print(matrix, stream, NULL));
  fclose(stream);
  g_autoptr(TgMatrix) back = tg_mtx_parse("fuzz", text, length, LIMIT_BYTES, &error);
  g_assert_no_error(error);
  g_assert_true(back->rows == matrix->rows && back->columns == matrix->columns);
  for (int64_t i = 0; i < tg_matrix_elements(matrix); i++)
    g_assert_true(back->f64[i] == matrix->f64[i] || (isnan(back->f64[i]) && isnan(matrix->f64[i])));
  free(text);
  return 0;
}

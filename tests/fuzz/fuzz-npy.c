/* Any bytes as .npy: refused, or read; what was read is the same once written and read again. */
#include "fuzz.h"
#include "npy.h"

#include <stdlib.h>

enum { LIMIT_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  g_autoptr(GError) error = NULL;
  g_autoptr(TgMatrix) matrix = tg_npy_parse("fuzz", bytes, size, LIMIT_BYTES, &error);
  g_assert_true((matrix == NULL) == (error != NULL));
  if (!matrix) return 0;
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  g_assert_true(tg_npy_print(matrix, stream, NULL));
  fclose(stream);
  g_autoptr(TgMatrix) back = tg_npy_parse("fuzz", text, length, LIMIT_BYTES, &error);
  g_assert_no_error(error);
  g_assert_true(back->type == matrix->type && back->rows == matrix->rows);
  g_assert_cmpmem(back->data, tg_matrix_bytes(back), matrix->data, tg_matrix_bytes(matrix));
  free(text);
  return 0;
}

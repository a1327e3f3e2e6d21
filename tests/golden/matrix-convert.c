/* matrix-convert IN OUT [f32|f64 [ROWS COLUMNS]]: reads one file and writes the other, the formats chosen by the
 * suffixes; for tests that compare with other programs. Errors go to stderr, exit status 2. */
#include "matrix-file.h"

#include <stdio.h>

static bool convert(int argc, char **argv, GError **error) {
  TgMatrixRequest request = {.typed = argc > 3};
  if (request.typed && !tg_element_parse(argv[3], &request.type))
    return TG_IO_FAIL(error, BAD_INPUT, "unknown element type \"%s\": expected f32 or f64", argv[3]);
  if (argc > 5) {
    request.rows = g_ascii_strtoll(argv[4], NULL, 10);
    request.columns = g_ascii_strtoll(argv[5], NULL, 10);
  }
  g_autoptr(TgMatrix) matrix = tg_matrix_read(argv[1], &request, error);
  return matrix && tg_matrix_write(matrix, argv[2], error);
}

int main(int argc, char **argv) {
  g_autoptr(GError) error = NULL;
  if (argc < 3)
    fprintf(stderr, "usage: matrix-convert IN OUT [f32|f64 [ROWS COLUMNS]]\n");
  else if (convert(argc, argv, &error))
    return 0;
  else
    fprintf(stderr, "%s\n", error->message);
  return 2;
}

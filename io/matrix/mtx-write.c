#include "mtx.h"

#include "elements.h"

/** Nine digits give every f32 back, seventeen every f64 (Steele, White 1990). */
static const char *element_format(TgType type) {
  return type == TG_TYPE_F32 ? "%.9g" : "%.17g";
}

bool tg_mtx_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  const char *format = element_format(matrix->type);
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  bool good = fprintf(stream, "%%%%MatrixMarket matrix array real general\n%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n",
                      matrix->rows, matrix->columns) > 0;
  for (int64_t column = 0; good && column < matrix->columns; column++)
    for (int64_t row = 0; good && row < matrix->rows; row++)
      good = fputs(g_ascii_formatd(text, sizeof text, format, tg_matrix_get(matrix, row, column)), stream) >= 0 &&
             fputc('\n', stream) != EOF;
  return tg_stream_accepted(good, error);
}

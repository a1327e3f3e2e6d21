#include "npy.h"

#include "elements.h"

#include <string.h>

/** The preamble, the dictionary, and spaces up to a line end that makes the whole a multiple of 64 bytes. NumPy since
 * 1.23 also leaves room for the first extent to grow to 21 digits; so the bytes are the same as NumPy's. */
static GString *header_text(const TgMatrix *matrix) {
  enum { ALIGNMENT = 64, PREAMBLE_BYTES = 10, GROWTH_DIGITS = 21 };
  GString *text = g_string_new_len("\x93NUMPY\x01\0\0\0", PREAMBLE_BYTES);
  g_string_append_printf(text, "{'descr': '%cf%zu', 'fortran_order': False, 'shape': (%" G_GINT64_FORMAT,
                         G_BYTE_ORDER == G_BIG_ENDIAN ? '>' : '<', tg_type_bytes(matrix->type), matrix->rows);
  const size_t digits = text->len - (size_t)(strrchr(text->str + PREAMBLE_BYTES, '(') + 1 - text->str);
  g_string_append_printf(text, ", %" G_GINT64_FORMAT "), }", matrix->columns);
  for (size_t i = digits; i < GROWTH_DIGITS; i++) g_string_append_c(text, ' ');
  while ((text->len + 1) % ALIGNMENT != 0) g_string_append_c(text, ' ');
  g_string_append_c(text, '\n');
  const size_t length = text->len - PREAMBLE_BYTES;
  text->str[8] = (char)(length & 0xff);
  text->str[9] = (char)(length >> 8);
  return text;
}

bool tg_npy_print(const TgMatrix *matrix, FILE *stream, GError **error) {
  g_autoptr(GString) header = header_text(matrix);
  return tg_stream_accepted(fwrite(header->str, 1, header->len, stream) == header->len, error) &&
         tg_elements_print(matrix, stream, error);
}

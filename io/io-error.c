#include "io-error.h"

GQuark tg_io_error_quark(void) {
  return g_quark_from_static_string("tg-io-error");
}

enum { QUOTED_BYTES = 40 };

char *tg_io_quote(const char *bytes, size_t length) {
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < MIN(length, (size_t)QUOTED_BYTES); i++) {
    if (g_ascii_isprint(bytes[i]))
      g_string_append_c(text, bytes[i]);
    else
      g_string_append_printf(text, "\\x%02x", (unsigned char)bytes[i]);
  }
  if (length > QUOTED_BYTES) g_string_append(text, "...");
  return g_string_free(text, FALSE);
}

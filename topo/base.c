#include "base.h"

#include <stdarg.h>
#include <stdio.h>

static size_t character_bytes(unsigned char first) {
  return first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
}

int tg_text_fit(const char *text, size_t limit) {
  size_t length = 0, last;
  while (length < limit && text[length]) length++;
  for (last = length; last > 0 && length - last < 3 && ((unsigned char)text[last - 1] & 0xc0) == 0x80;) last--;
  if (last > 0 && last - 1 + character_bytes((unsigned char)text[last - 1]) > length) length = last - 1;
  return (int)length;
}

bool tg_error_set(TgError *error, int line, int column, const char *format, ...) {
  if (!error) return false;
  error->line = line;
  error->column = column;
  error->cause = TG_CAUSE_NONE;
  error->statement = -1;
  error->step = 0;
  error->processor = -1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  error->message[tg_text_fit(error->message, sizeof error->message - 1)] = '\0';
  return false;
}

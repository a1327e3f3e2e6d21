#include "base.h"

#include <stdarg.h>
#include <stdio.h>

bool tg_error_set(TgError *error, int line, int column, const char *format, ...) {
  if (!error) return false;
  error->line = line;
  error->column = column;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  return false;
}

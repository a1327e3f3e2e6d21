#include "glib.h"

#include <string.h>

char *g_strdup(const char *text) {
  return text != NULL ? g_memdup2(text, strlen(text) + 1) : NULL;
}

char *g_strndup(const char *text, gsize length) {
  const gsize bytes = strnlen(text, length);
  char *copy = g_malloc(length + 1);
  memcpy(copy, text, bytes);
  memset(copy + bytes, 0, length + 1 - bytes);
  return copy;
}

char *g_strdup_vprintf(const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = g_malloc((gsize)length + 1);
  vsnprintf(text, (gsize)length + 1, format, arguments);
  return text;
}

char *g_strdup_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return text;
}

gsize g_strlcpy(char *to, const char *from, gsize size) {
  const gsize length = strlen(from);
  if (size > 0) {
    const gsize kept = MIN(length, size - 1);
    memcpy(to, from, kept);
    to[kept] = '\0';
  }
  return length;
}

gboolean g_str_has_prefix(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

gboolean g_str_has_suffix(const char *text, const char *suffix) {
  const gsize length = strlen(text), end = strlen(suffix);
  return length >= end && strcmp(text + length - end, suffix) == 0;
}

gboolean g_str_equal(gconstpointer a, gconstpointer b) {
  return strcmp(a, b) == 0;
}

guint g_str_hash(gconstpointer text) {
  guint hash = 5381;
  for (const guchar *c = text; *c; c++) hash = hash * 33 + *c;
  return hash;
}

char **g_strsplit(const char *text, const char *separator, gint most) {
  GPtrArray *parts = g_ptr_array_new();
  const char *found;
  while (*text && (most < 1 || parts->len + 1 < (guint)most) && (found = strstr(text, separator)) != NULL) {
    g_ptr_array_add(parts, g_strndup(text, (gsize)(found - text)));
    text = found + strlen(separator);
    if (!*text) g_ptr_array_add(parts, g_strdup(""));
  }
  if (*text) g_ptr_array_add(parts, g_strdup(text));
  g_ptr_array_add(parts, NULL);
  return (char **)g_ptr_array_free(parts, FALSE);
}

void g_strfreev(char **texts) {
  for (char **text = texts; text && *text; text++) free(*text);
  free(texts);
}

char g_ascii_tolower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
gboolean g_ascii_iscntrl(char c) {
  return (guchar)c < 0x20 || c == 0x7f;
}
gboolean g_ascii_isspace(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}
gboolean g_ascii_isdigit(char c) {
  return c >= '0' && c <= '9';
}
gdouble g_ascii_strtod(const char *text, char **end) {
  return strtod(text, end); /* the module has the C locale alone */
}

char *g_ascii_formatd(char *text, gint size, const char *format, gdouble value) {
  snprintf(text, (gsize)size, format, value);
  return text;
}

char *g_markup_escape_text(const char *text, gssize length) {
  GString *escaped = g_string_new(NULL);
  const char *end = text + (length < 0 ? (gssize)strlen(text) : length);
  for (; text < end; text++) {
    const char *name = *text == '&'    ? "&amp;"
                       : *text == '<'  ? "&lt;"
                       : *text == '>'  ? "&gt;"
                       : *text == '"'  ? "&quot;"
                       : *text == '\'' ? "&#39;"
                                       : NULL;
    if (name)
      g_string_append(escaped, name);
    else
      g_string_append_c(escaped, *text);
  }
  return g_string_free(escaped, FALSE);
}

gunichar g_utf8_get_char(const char *text) {
  const guchar *c = (const guchar *)text;
  const int bytes = tg_utf8_bytes(*c);
  gunichar value = bytes == 1 ? *c : *c & (0x7fu >> bytes);
  for (int i = 1; i < bytes; i++) value = value << 6 | (c[i] & 0x3f);
  return value;
}

/* Bytes of the valid character at `c`, of at most `left` bytes; 0 where it is none. */
static gsize valid_bytes(const char *c, gsize left) {
  static const gunichar least[] = {0, 0, 0x80, 0x800, 0x10000};
  const guchar first = (guchar)*c;
  const gsize bytes = (gsize)tg_utf8_bytes(first);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4 || bytes > left) return 0;
  for (gsize i = 1; i < bytes; i++)
    if (((guchar)c[i] & 0xc0) != 0x80) return 0;
  const gunichar value = g_utf8_get_char(c);
  return value >= least[bytes] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff) ? bytes : 0;
}

gboolean g_utf8_validate(const char *text, gssize length, const char **end) {
  gsize left = length < 0 ? strlen(text) : (gsize)length, bytes = 1;
  while (left > 0 && *text && (bytes = valid_bytes(text, left)) > 0) {
    text += bytes;
    left -= bytes;
  }
  if (end != NULL) *end = text;
  return left == 0;
}

char *g_utf8_make_valid(const char *text, gssize length) {
  const char *end;
  if (g_utf8_validate(text, length, &end)) return g_strndup(text, (gsize)(end - text));
  GString *valid = g_string_new(NULL);
  gsize left = length < 0 ? strlen(text) : (gsize)length;
  while (left > 0) {
    const gsize bytes = valid_bytes(text, left), taken = MAX(bytes, 1);
    g_string_append_len(valid, bytes ? text : "\xEF\xBF\xBD", bytes ? (gssize)bytes : 3);
    text += taken;
    left -= taken;
  }
  return g_string_free(valid, FALSE);
}

gboolean g_unichar_iscntrl(gunichar c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

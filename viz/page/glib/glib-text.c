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

char g_ascii_toupper(char c) {
  return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
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
gboolean g_ascii_isalpha(char c) {
  return g_ascii_tolower(c) >= 'a' && g_ascii_tolower(c) <= 'z';
}
gboolean g_ascii_isalnum(char c) {
  return g_ascii_isalpha(c) || g_ascii_isdigit(c);
}

gint g_ascii_strcasecmp(const char *a, const char *b) {
  for (; *a && g_ascii_tolower(*a) == g_ascii_tolower(*b); a++) b++;
  return (guchar)g_ascii_tolower(*a) - (guchar)g_ascii_tolower(*b);
}

gdouble g_ascii_strtod(const char *text, char **end) {
  return strtod(text, end); /* the module has the C locale alone */
}

char *g_ascii_formatd(char *text, gint size, const char *format, gdouble value) {
  snprintf(text, (gsize)size, format, value);
  return text;
}

char *g_ascii_dtostr(char *text, gint size, gdouble value) {
  return g_ascii_formatd(text, size, "%.17g", value);
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

GString *g_string_sized_new(gsize bytes) {
  GString *string = g_new(GString, 1);
  *string = (GString){g_malloc(bytes + 1), 0, bytes + 1};
  *string->str = '\0';
  return string;
}

GString *g_string_new(const char *text) {
  GString *string = g_string_sized_new(64);
  return text != NULL ? g_string_append(string, text) : string;
}

char *g_string_free(GString *string, gboolean all) {
  char *text = string->str;
  free(string);
  if (!all) return text;
  free(text);
  return NULL;
}

GString *g_string_append_len(GString *string, const char *text, gssize length) {
  const gsize added = length < 0 ? strlen(text) : (gsize)length, needed = string->len + added + 1;
  if (needed > string->allocated_len) {
    string->allocated_len = MAX(needed, 2 * string->allocated_len);
    string->str = g_realloc(string->str, string->allocated_len);
  }
  memcpy(string->str + string->len, text, added);
  string->len += added;
  string->str[string->len] = '\0';
  return string;
}

GString *g_string_append(GString *string, const char *text) {
  return g_string_append_len(string, text, -1);
}
GString *g_string_append_c(GString *string, char c) {
  return g_string_append_len(string, &c, 1);
}

GString *g_string_append_unichar(GString *string, gunichar c) {
  char text[4];
  const int bytes = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = bytes - 1; i > 0; i--, c >>= 6) text[i] = (char)(0x80 | (c & 0x3f));
  text[0] = (char)(bytes == 1 ? c : (0xf00u >> bytes & 0xff) | c);
  return g_string_append_len(string, text, bytes);
}

static void append_integer(GString *string, gint64 value) {
  char text[24], *at = text + sizeof text;
  guint64 rest = value < 0 ? -(guint64)value : (guint64)value;
  do *--at = (char)('0' + rest % 10);
  while ((rest /= 10) > 0);
  if (value < 0) *--at = '-';
  g_string_append_len(string, at, text + sizeof text - at);
}

/* Formats of %s, %d, %u, %lld and %% alone, which most of a picture is written with, in a tenth of the time of the C
 * library's. False, and what was appended is to be left out again, where there is something else. */
static bool append_plain(GString *string, const char *format, va_list arguments) {
  const char *plain = format;
  for (; *format; format++) {
    if (*format != '%') continue;
    g_string_append_len(string, plain, format - plain);
    format++;
    if (*format == 's')
      g_string_append(string, va_arg(arguments, const char *));
    else if (*format == 'd')
      append_integer(string, va_arg(arguments, int));
    else if (*format == 'u')
      append_integer(string, va_arg(arguments, guint));
    else if (*format == '%')
      g_string_append_c(string, '%');
    else if (format[0] == 'l' && format[1] == 'l' && format[2] == 'd') {
      append_integer(string, va_arg(arguments, gint64));
      format += 2;
    } else
      return false;
    plain = format + 1;
  }
  g_string_append_len(string, plain, format - plain);
  return true;
}

void g_string_append_printf(GString *string, const char *format, ...) {
  const gsize length = string->len;
  va_list arguments;
  va_start(arguments, format);
  const bool done = append_plain(string, format, arguments);
  va_end(arguments);
  if (done) return;
  g_string_truncate(string, length);
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_string_append(string, text);
  free(text);
}

GString *g_string_truncate(GString *string, gsize length) {
  string->len = MIN(length, string->len);
  string->str[string->len] = '\0';
  return string;
}

/* Blocks of memory, each with a pointer to the one before at its start. */
struct GStringChunk {
  GHashTable *kept;
  void **last;
  char *free;
  gsize left, bytes;
};

GStringChunk *g_string_chunk_new(gsize bytes) {
  GStringChunk *chunk = g_new(GStringChunk, 1);
  *chunk = (GStringChunk){.kept = g_hash_table_new(g_str_hash, g_str_equal), .bytes = bytes};
  return chunk;
}

char *g_string_chunk_insert(GStringChunk *chunk, const char *text) {
  const gsize bytes = strlen(text) + 1;
  if (bytes > chunk->left) {
    chunk->left = MAX(bytes, chunk->bytes);
    void **block = g_malloc(sizeof *block + chunk->left);
    *block = chunk->last;
    chunk->last = block;
    chunk->free = (char *)(block + 1);
  }
  char *kept = memcpy(chunk->free, text, bytes);
  chunk->free += bytes;
  chunk->left -= bytes;
  return kept;
}

char *g_string_chunk_insert_const(GStringChunk *chunk, const char *text) {
  char *kept = g_hash_table_lookup(chunk->kept, text);
  if (kept != NULL) return kept;
  kept = g_string_chunk_insert(chunk, text);
  g_hash_table_insert(chunk->kept, kept, kept);
  return kept;
}

void g_string_chunk_free(GStringChunk *chunk) {
  g_hash_table_unref(chunk->kept);
  for (void **block = chunk->last, **before; block != NULL; block = before) {
    before = *block;
    free(block);
  }
  free(chunk);
}

#include "glib.h"

#include <string.h>

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
    } else {
      return false;
    }
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

#include "glib.h"

#include <string.h>
#include <time.h>

/* --- memory ------------------------------------------------------------------------------------------------------- */

static gpointer present(gpointer memory, gsize bytes) {
  if (memory == NULL && bytes > 0) abort();
  return memory;
}

gpointer g_malloc(gsize bytes) {
  return present(malloc(bytes), bytes);
}
gpointer g_malloc0(gsize bytes) {
  return present(calloc(bytes, 1), bytes);
}
gpointer g_realloc(gpointer memory, gsize bytes) {
  return present(realloc(memory, bytes), bytes);
}
gpointer g_memdup2(gconstpointer memory, gsize bytes) {
  return memory != NULL && bytes > 0 ? memcpy(g_malloc(bytes), memory, bytes) : NULL;
}
void g_free(gpointer memory) {
  free(memory);
}

gpointer g_aligned_alloc(gsize count, gsize bytes, gsize alignment) {
  return present(aligned_alloc(alignment, count * bytes), bytes);
}
void g_aligned_free(gpointer memory) {
  free(memory);
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

GQuark g_quark_from_static_string(const char *name) {
  return g_str_hash(name);
}

static GError *error_new(GQuark domain, gint code, char *message) {
  GError *error = g_new(GError, 1);
  *error = (GError){domain, code, message};
  return error;
}

GError *g_error_new_valist(GQuark domain, gint code, const char *format, va_list arguments) {
  return error_new(domain, code, g_strdup_vprintf(format, arguments));
}

void g_set_error(GError **error, GQuark domain, gint code, const char *format, ...) {
  va_list arguments;
  if (error == NULL) return;
  va_start(arguments, format);
  *error = g_error_new_valist(domain, code, format, arguments);
  va_end(arguments);
}

void g_set_error_literal(GError **error, GQuark domain, gint code, const char *message) {
  if (error != NULL) *error = error_new(domain, code, g_strdup(message));
}

void g_propagate_error(GError **to, GError *error) {
  if (to != NULL)
    *to = error;
  else
    g_error_free(error);
}

void g_prefix_error(GError **error, const char *format, ...) {
  va_list arguments;
  if (error == NULL || *error == NULL) return;
  va_start(arguments, format);
  char *prefix = g_strdup_vprintf(format, arguments), *whole = g_strdup_printf("%s%s", prefix, (*error)->message);
  va_end(arguments);
  free(prefix);
  free((*error)->message);
  (*error)->message = whole;
}

gboolean g_error_matches(const GError *error, GQuark domain, gint code) {
  return error != NULL && error->domain == domain && error->code == code;
}

void g_error_free(GError *error) {
  free(error->message);
  free(error);
}

void g_clear_error(GError **error) {
  if (error != NULL) g_clear_pointer(error, g_error_free);
}

/* --- strings ------------------------------------------------------------------------------------------------------ */

char *g_strdup(const char *text) {
  return text != NULL ? g_memdup2(text, strlen(text) + 1) : NULL;
}

char *g_strndup(const char *text, gsize length) {
  char *copy = g_malloc0(length + 1);
  return strncpy(copy, text, length);
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

void g_string_append_printf(GString *string, const char *format, ...) {
  va_list arguments;
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

struct GStringChunk {
  GHashTable *kept;
};

GStringChunk *g_string_chunk_new(gsize bytes) {
  GStringChunk *chunk = g_new(GStringChunk, 1);
  (void)bytes;
  chunk->kept = g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);
  return chunk;
}

char *g_string_chunk_insert_const(GStringChunk *chunk, const char *text) {
  char *kept = g_hash_table_lookup(chunk->kept, text);
  if (kept != NULL) return kept;
  kept = g_strdup(text);
  g_hash_table_insert(chunk->kept, kept, kept);
  return kept;
}

void g_string_chunk_free(GStringChunk *chunk) {
  g_hash_table_unref(chunk->kept);
  free(chunk);
}

/* --- containers --------------------------------------------------------------------------------------------------- */

GArray *g_array_new(gboolean terminated, gboolean zeroed, guint size) {
  GArray *array = g_new0(GArray, 1);
  if (terminated) abort();
  array->size = size;
  array->zeroed = zeroed;
  return array;
}

static void array_grow(GArray *array, guint count) {
  if (count <= array->room) return;
  array->room = MAX(count, MAX(2 * array->room, 16));
  array->data = g_realloc(array->data, (gsize)array->room * array->size);
}

GArray *g_array_append_vals(GArray *array, gconstpointer values, guint count) {
  if (count == 0) return array;
  array_grow(array, array->len + count);
  memcpy(array->data + (gsize)array->len * array->size, values, (gsize)count * array->size);
  array->len += count;
  return array;
}

GArray *g_array_set_size(GArray *array, guint count) {
  array_grow(array, count);
  if (count > array->len && array->zeroed)
    memset(array->data + (gsize)array->len * array->size, 0, (gsize)(count - array->len) * array->size);
  array->len = count;
  return array;
}

/* As GLib's, it keeps the order of what is equal. */
static void merge_sort(char *data, char *spare, gsize count, gsize size, GCompareFunc compare) {
  if (count < 2) return;
  const gsize half = count / 2;
  merge_sort(data, spare, half, size, compare);
  merge_sort(data + half * size, spare, count - half, size, compare);
  memcpy(spare, data, half * size);
  for (gsize left = 0, right = half, to = 0; left < half; to++) {
    const bool takes_right = right < count && compare(spare + left * size, data + right * size) > 0;
    const char *from = takes_right ? data + right++ * size : spare + left++ * size;
    memmove(data + to * size, from, size);
  }
}

void g_array_sort(GArray *array, GCompareFunc compare) {
  char *spare = g_malloc((gsize)array->len * array->size);
  merge_sort(array->data, spare, array->len, array->size, compare);
  free(spare);
}

char *g_array_free(GArray *array, gboolean all) {
  char *data = array->data;
  free(array);
  if (!all) return data;
  free(data);
  return NULL;
}

void g_array_unref(GArray *array) {
  g_array_free(array, TRUE);
}

GByteArray *g_byte_array_new(void) {
  return g_new0(GByteArray, 1);
}

GByteArray *g_byte_array_set_size(GByteArray *array, guint count) {
  if (count > array->room) {
    array->room = MAX(count, 2 * array->room);
    array->data = g_realloc(array->data, array->room);
  }
  array->len = count;
  return array;
}

void g_byte_array_unref(GByteArray *array) {
  free(array->data);
  free(array);
}

GPtrArray *g_ptr_array_new_with_free_func(GDestroyNotify destroy) {
  GPtrArray *array = g_new0(GPtrArray, 1);
  array->destroy = destroy;
  return array;
}

GPtrArray *g_ptr_array_new(void) {
  return g_ptr_array_new_with_free_func(NULL);
}

void g_ptr_array_add(GPtrArray *array, gpointer value) {
  g_ptr_array_set_size(array, (gint)array->len + 1);
  array->pdata[array->len - 1] = value;
}

void g_ptr_array_set_size(GPtrArray *array, gint count) {
  const guint length = (guint)count;
  for (guint i = length; i < array->len; i++)
    if (array->destroy && array->pdata[i]) array->destroy(array->pdata[i]);
  if (length > array->room) {
    array->room = MAX(length, MAX(2 * array->room, 16));
    array->pdata = g_realloc(array->pdata, array->room * sizeof(gpointer));
  }
  for (guint i = array->len; i < length; i++) array->pdata[i] = NULL;
  array->len = length;
}

void g_ptr_array_set_free_func(GPtrArray *array, GDestroyNotify destroy) {
  array->destroy = destroy;
}

gpointer *g_ptr_array_free(GPtrArray *array, gboolean all) {
  gpointer *data = array->pdata;
  if (all) g_ptr_array_set_size(array, 0);
  free(array);
  if (!all) return data;
  free(data);
  return NULL;
}

void g_ptr_array_unref(GPtrArray *array) {
  g_ptr_array_free(array, TRUE);
}

/* Open addressing: linear probing in a table at most half full. */
typedef struct Entry {
  gpointer key, value;
  guint hash;
  bool used;
} Entry;

struct GHashTable {
  GHashFunc hash;
  GEqualFunc equal;
  GDestroyNotify free_key, free_value;
  Entry *entry;
  guint room, count; /* room: a power of two */
};

GHashTable *g_hash_table_new_full(GHashFunc hash, GEqualFunc equal, GDestroyNotify free_key,
                                  GDestroyNotify free_value) {
  GHashTable *table = g_new(GHashTable, 1);
  *table = (GHashTable){hash, equal, free_key, free_value, g_new0(Entry, 16), 16, 0};
  return table;
}

GHashTable *g_hash_table_new(GHashFunc hash, GEqualFunc equal) {
  return g_hash_table_new_full(hash, equal, NULL, NULL);
}

static guint hash_of(const GHashTable *table, gconstpointer key) {
  const guint hash = (table->hash ? table->hash(key) : g_direct_hash(key)) * 0x9e3779b1u;
  return hash ^ hash >> 15;
}

static Entry *find(const GHashTable *table, gconstpointer key, guint hash) {
  guint at = hash & (table->room - 1);
  for (;; at = (at + 1) & (table->room - 1)) {
    Entry *entry = &table->entry[at];
    if (!entry->used) return entry;
    if (entry->hash == hash && (table->equal ? table->equal(entry->key, key) : entry->key == key)) return entry;
  }
}

static void hash_grow(GHashTable *table) {
  Entry *old = table->entry;
  const guint room = table->room;
  table->room *= 2;
  table->entry = g_new0(Entry, table->room);
  for (guint i = 0; i < room; i++)
    if (old[i].used) *find(table, old[i].key, old[i].hash) = old[i];
  free(old);
}

gboolean g_hash_table_insert(GHashTable *table, gpointer key, gpointer value) {
  const guint hash = hash_of(table, key);
  if (2 * (table->count + 1) > table->room) hash_grow(table);
  Entry *entry = find(table, key, hash);
  if (entry->used) {
    if (table->free_key) table->free_key(key);
    if (table->free_value) table->free_value(entry->value);
    entry->value = value;
    return FALSE;
  }
  *entry = (Entry){key, value, hash, true};
  table->count++;
  return TRUE;
}

gboolean g_hash_table_add(GHashTable *table, gpointer key) {
  return g_hash_table_insert(table, key, key);
}

gpointer g_hash_table_lookup(GHashTable *table, gconstpointer key) {
  const Entry *entry = find(table, key, hash_of(table, key));
  return entry->used ? entry->value : NULL;
}

void g_hash_table_foreach(GHashTable *table, GHFunc visit, gpointer user) {
  for (guint i = 0; i < table->room; i++)
    if (table->entry[i].used) visit(table->entry[i].key, table->entry[i].value, user);
}

guint g_hash_table_size(GHashTable *table) {
  return table->count;
}

void g_hash_table_remove_all(GHashTable *table) {
  for (guint i = 0; i < table->room; i++) {
    if (!table->entry[i].used) continue;
    if (table->free_key) table->free_key(table->entry[i].key);
    if (table->free_value) table->free_value(table->entry[i].value);
    table->entry[i].used = false;
  }
  table->count = 0;
}

void g_hash_table_unref(GHashTable *table) {
  g_hash_table_remove_all(table);
  free(table->entry);
  free(table);
}

guint g_direct_hash(gconstpointer key) {
  return (guint)(uintptr_t)key;
}

guint g_int64_hash(gconstpointer key) {
  const uint64_t value = *(const uint64_t *)key;
  return (guint)(value ^ value >> 32);
}

gboolean g_int64_equal(gconstpointer a, gconstpointer b) {
  return *(const int64_t *)a == *(const int64_t *)b;
}

gint g_bit_nth_lsf(unsigned long mask, gint after) {
  const gint bits = (gint)sizeof mask * 8;
  for (gint bit = after + 1; bit < bits; bit++)
    if (mask >> bit & 1) return bit;
  return -1;
}

gint64 g_get_monotonic_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (gint64)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/** @file glib.h
 * What viz/ and sim/ use of GLib, for the page's WebAssembly module, where GLib is not. Names and behaviour are GLib's
 * (docs.gtk.org/glib), of each function as much as is used; memory that is not there ends the module. */
#ifndef TG_PAGE_GLIB_H
#define TG_PAGE_GLIB_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef int gboolean, gint;
typedef unsigned guint, guint32, gunichar, GQuark;
typedef int32_t gint32;
typedef int64_t gint64;
typedef uint64_t guint64;
typedef unsigned char guchar, guint8;
typedef char gchar;
typedef double gdouble;
typedef size_t gsize;
typedef ptrdiff_t gssize;
typedef void *gpointer;
typedef const void *gconstpointer;
typedef char **GStrv;
typedef struct GBytes GBytes; /* named by headers alone */

#define G_BEGIN_DECLS
#define G_END_DECLS
#define FALSE 0
#define TRUE 1
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CLAMP(x, least, most) ((x) > (most) ? (most) : (x) < (least) ? (least) : (x))
#define G_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#define G_ASCII_DTOSTR_BUF_SIZE 40
#define G_N_ELEMENTS(array) (sizeof(array) / sizeof((array)[0]))
#define G_GINT64_FORMAT PRId64
#define G_GSIZE_FORMAT "zu"
#define G_MAXUINT UINT32_MAX
#define G_GNUC_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#define GPOINTER_TO_UINT(p) ((guint)(uintptr_t)(p))
#define GUINT_TO_POINTER(i) ((gpointer)(uintptr_t)(i))

typedef void (*GDestroyNotify)(gpointer);
typedef gint (*GCompareFunc)(gconstpointer, gconstpointer);
typedef guint (*GHashFunc)(gconstpointer);
typedef gboolean (*GEqualFunc)(gconstpointer, gconstpointer);
typedef void (*GHFunc)(gpointer key, gpointer value, gpointer user);

/* --- memory ------------------------------------------------------------------------------------------------------- */

gpointer g_malloc(gsize bytes);
gpointer g_malloc0(gsize bytes);
gpointer g_realloc(gpointer memory, gsize bytes);
gpointer g_memdup2(gconstpointer memory, gsize bytes);
void g_free(gpointer memory);
gpointer g_aligned_alloc(gsize count, gsize bytes, gsize alignment);
void g_aligned_free(gpointer memory);
#define g_new(type, count) ((type *)g_malloc(sizeof(type) * (gsize)(count)))
#define g_new0(type, count) ((type *)g_malloc0(sizeof(type) * (gsize)(count)))
#define g_try_new0(type, count) ((type *)calloc((gsize)(count), sizeof(type)))
#define g_renew(type, memory, count) ((type *)g_realloc(memory, sizeof(type) * (gsize)(count)))
#define g_clear_pointer(place, destroy)                                                                                \
  do {                                                                                                                 \
    if (*(place) != NULL) destroy(*(place));                                                                           \
    *(place) = NULL;                                                                                                   \
  } while (0)

static inline gpointer tg_steal_pointer(gpointer *place) {
  gpointer value = *place;
  *place = NULL;
  return value;
}
#define g_steal_pointer(place) ((__typeof__(*(place)))tg_steal_pointer((gpointer *)(place)))

#define G_DEFINE_AUTOPTR_CLEANUP_FUNC(type, destroy)                                                                   \
  typedef type *type##_autoptr;                                                                                        \
  static inline void tg_clear_##type(type **place) {                                                                   \
    if (*place != NULL) destroy(*place);                                                                               \
  }
#define g_autoptr(type) __attribute__((cleanup(tg_clear_##type))) type##_autoptr
#define g_auto(type) __attribute__((cleanup(tg_clear_##type))) type
#define g_autofree __attribute__((cleanup(tg_autofree)))
static inline void tg_autofree(void *place) {
  free(*(void **)place);
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

typedef struct GError {
  GQuark domain;
  gint code;
  gchar *message;
} GError;

GQuark g_quark_from_static_string(const char *name);
void g_set_error(GError **error, GQuark domain, gint code, const char *format, ...) G_GNUC_PRINTF(4, 5);
void g_set_error_literal(GError **error, GQuark domain, gint code, const char *message);
void g_propagate_error(GError **to, GError *error);
gboolean g_error_matches(const GError *error, GQuark domain, gint code);
void g_error_free(GError *error);
void g_clear_error(GError **error);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GError, g_error_free)
#define g_assert(condition)                                                                                            \
  do {                                                                                                                 \
    if (!(condition)) abort();                                                                                         \
  } while (0)
#define g_assert_not_reached() abort()

/* --- strings ------------------------------------------------------------------------------------------------------ */

char *g_strdup(const char *text);
char *g_strndup(const char *text, gsize length);
char *g_strdup_printf(const char *format, ...) G_GNUC_PRINTF(1, 2);
char *g_strdup_vprintf(const char *format, va_list arguments);
#define g_snprintf snprintf
gsize g_strlcpy(char *to, const char *from, gsize size);
gboolean g_str_has_prefix(const char *text, const char *prefix);
gboolean g_str_has_suffix(const char *text, const char *suffix);
gboolean g_str_equal(gconstpointer a, gconstpointer b);
guint g_str_hash(gconstpointer text);
char **g_strsplit(const char *text, const char *separator, gint most);
void g_strfreev(char **texts);
static inline void tg_clear_GStrv(char ***place) {
  if (*place != NULL) g_strfreev(*place);
}
char g_ascii_tolower(char c);
gboolean g_ascii_iscntrl(char c);
gboolean g_ascii_isspace(char c);
gboolean g_ascii_isdigit(char c);
gdouble g_ascii_strtod(const char *text, char **end);
char *g_ascii_formatd(char *text, gint size, const char *format, gdouble value);
char *g_markup_escape_text(const char *text, gssize length);

/** Beyond U+10FFFF or not valid: what g_utf8_get_char() returns is not used then. */
gunichar g_utf8_get_char(const char *text);
#define g_utf8_next_char(text) ((text) + tg_utf8_bytes(*(const guchar *)(text)))
static inline int tg_utf8_bytes(guchar first) {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}
gboolean g_utf8_validate(const char *text, gssize length, const char **end);
char *g_utf8_make_valid(const char *text, gssize length);
gboolean g_unichar_iscntrl(gunichar c);

typedef struct GString {
  char *str;
  gsize len, allocated_len;
} GString;

GString *g_string_new(const char *text);
GString *g_string_sized_new(gsize bytes);
char *g_string_free(GString *string, gboolean all);
GString *g_string_append(GString *string, const char *text);
GString *g_string_append_len(GString *string, const char *text, gssize length);
GString *g_string_append_c(GString *string, char c);
GString *g_string_append_unichar(GString *string, gunichar c);
void g_string_append_printf(GString *string, const char *format, ...) G_GNUC_PRINTF(2, 3);
GString *g_string_truncate(GString *string, gsize length);
static inline void tg_free_string(GString *string) {
  g_string_free(string, TRUE);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GString, tg_free_string)

typedef struct GStringChunk GStringChunk;
GStringChunk *g_string_chunk_new(gsize bytes);
char *g_string_chunk_insert(GStringChunk *chunk, const char *text);
char *g_string_chunk_insert_const(GStringChunk *chunk, const char *text);
void g_string_chunk_free(GStringChunk *chunk);

/* --- containers --------------------------------------------------------------------------------------------------- */

typedef struct GArray {
  char *data;
  guint len;
  guint room, size;
  gboolean zeroed;
} GArray;

GArray *g_array_new(gboolean terminated, gboolean zeroed, guint size);
GArray *g_array_append_vals(GArray *array, gconstpointer values, guint count);
#define g_array_append_val(array, value) g_array_append_vals(array, &(value), 1)
#define g_array_index(array, type, i) (((type *)(void *)(array)->data)[i])
GArray *g_array_set_size(GArray *array, guint count);
void g_array_sort(GArray *array, GCompareFunc compare);
char *g_array_free(GArray *array, gboolean all);
void g_array_unref(GArray *array);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GArray, g_array_unref)

typedef struct GByteArray {
  guint8 *data;
  guint len;
  guint room;
} GByteArray;

GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *array, guint count);
void g_byte_array_unref(GByteArray *array);

typedef struct GPtrArray {
  gpointer *pdata;
  guint len;
  guint room;
  GDestroyNotify destroy;
} GPtrArray;

GPtrArray *g_ptr_array_new(void);
GPtrArray *g_ptr_array_new_with_free_func(GDestroyNotify destroy);
void g_ptr_array_add(GPtrArray *array, gpointer value);
void g_ptr_array_set_size(GPtrArray *array, gint count);
void g_ptr_array_set_free_func(GPtrArray *array, GDestroyNotify destroy);
gpointer *g_ptr_array_free(GPtrArray *array, gboolean all);
void g_ptr_array_unref(GPtrArray *array);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GPtrArray, g_ptr_array_unref)

typedef struct GHashTable GHashTable;
GHashTable *g_hash_table_new(GHashFunc hash, GEqualFunc equal);
GHashTable *g_hash_table_new_full(GHashFunc hash, GEqualFunc equal, GDestroyNotify free_key, GDestroyNotify free_value);
/** TRUE where the key is new; else the value takes the old one's place, and `key` is freed. */
gboolean g_hash_table_insert(GHashTable *table, gpointer key, gpointer value);
gboolean g_hash_table_add(GHashTable *table, gpointer key);
gpointer g_hash_table_lookup(GHashTable *table, gconstpointer key);
void g_hash_table_foreach(GHashTable *table, GHFunc visit, gpointer user);
void g_hash_table_remove_all(GHashTable *table);
void g_hash_table_unref(GHashTable *table);
guint g_direct_hash(gconstpointer key);
guint g_int64_hash(gconstpointer key);
gboolean g_int64_equal(gconstpointer a, gconstpointer b);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GHashTable, g_hash_table_unref)

/** Lowest set bit beyond bit `after` (-1: from the first); -1 where there is none. */
gint g_bit_nth_lsf(unsigned long mask, gint after);
gint64 g_get_monotonic_time(void);

#endif

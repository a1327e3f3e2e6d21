#include "glib.h"

#include <string.h>

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

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

void g_set_error(GError **error, GQuark domain, gint code, const char *format, ...) {
  va_list arguments;
  if (error == NULL) return;
  va_start(arguments, format);
  *error = error_new(domain, code, g_strdup_vprintf(format, arguments));
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

/* --- the rest ----------------------------------------------------------------------------------------------------- */

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

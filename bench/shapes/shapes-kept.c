/* What the sweeps keep, and who finds it again. */
#include "shapes.h"
#include "tuning.h"

#include <inttypes.h>
#include <string.h>

static const char variant_word[] = "variant"; /* where other experiments name a kernel */

char *tg_shapes_key(const char *on, TgElement element, const int64_t size[3], const char *schedule, const char *grid,
                    TgTransport transport) {
  g_autofree char *all = g_strdup_printf("%s %s %" PRId64 "x%" PRId64 "x%" PRId64, on, tg_element_name(element),
                                         size[0], size[1], size[2]);
  if (!schedule) return g_steal_pointer(&all);
  return g_strdup_printf("%s %s %s %s", all, schedule, grid, tg_transport_name(transport));
}

static bool fail(const char *key, const char *what, GError **error) {
  g_autofree char *path = tg_tuning_path();
  return TG_BENCH_FAIL(error, FAILED, "%s: the entry for `%s` is not %s; remove it, or use --no-cache", path, key,
                       what);
}

bool tg_shapes_kept_variant(const TgDevice *device, const char *key, int32_t *variant, GError **error) {
  TgTuned tuned;
  if (!tg_tuning_find(device, key, &tuned, error) || !*tuned.kernel) return false;
  if (strcmp(tuned.kernel, variant_word) != 0 || tuned.width < 1) return fail(key, "a variant", error);
  *variant = tuned.width;
  return true;
}

static bool find_transport(const char *name, TgTransport *transport) {
  for (int t = 0; t < TG_TRANSPORTS; t++) {
    *transport = (TgTransport)t;
    if (strcmp(tg_transport_name(*transport), name) == 0) return true;
  }
  return false;
}

/* "SCHEDULE:GRID:TRANSPORT" */
static bool read_shape(const TgTuned *tuned, TgShapesRow *kept) {
  g_auto(GStrv) words = g_strsplit(tuned->kernel, ":", -1);
  if (g_strv_length(words) != 3 || !find_transport(words[2], &kept->transport) || tuned->width < 1) return false;
  kept->schedule = g_intern_string(words[0]);
  g_strlcpy(kept->grid, words[1], sizeof kept->grid);
  kept->variant = tuned->width;
  return true;
}

bool tg_shapes_read_kept(TgShapes *shapes, const char *on, int64_t n, GError **error) {
  const int64_t size[] = {n, n, n};
  TgShapesRow kept = {.on = on, .n = n};
  TgTuned tuned;
  g_autofree char *key = tg_shapes_key(on, shapes->element, size, NULL, NULL, TG_TRANSPORT_COPY);
  if (!tg_tuning_find(shapes->device, key, &tuned, error)) return false;
  if (!*tuned.kernel) return true;
  if (!read_shape(&tuned, &kept)) return fail(key, "SCHEDULE:GRID:TRANSPORT and a variant", error);
  g_array_append_val(shapes->kept, kept);
  return true;
}

static bool keep(const TgShapes *shapes, const TgShapesRow *row, bool of_all, GError **error) {
  const int64_t size[] = {row->n, row->n, row->n};
  TgTuned tuned = {.width = row->variant, .seconds = row->time.median_s};
  g_autofree char *key =
      tg_shapes_key(row->on, shapes->element, size, of_all ? NULL : row->schedule, row->grid, row->transport);
  g_autofree char *shape = g_strdup_printf("%s:%s:%s", row->schedule, row->grid, tg_transport_name(row->transport));
  if (g_strlcpy(tuned.kernel, of_all ? shape : variant_word, sizeof tuned.kernel) >= sizeof tuned.kernel) return true;
  return tg_tuning_keep(shapes->device, key, &tuned, error);
}

bool tg_shapes_keep(const TgShapes *shapes, int64_t n, const char *on, GError **error) {
  const TgShapesRow *of_all = tg_shapes_best(shapes, n, on, NULL, NULL, TG_TRANSPORTS);
  for (guint r = 0; r < shapes->rows->len; r++) {
    const TgShapesRow *row = tg_shapes_at(shapes, r);
    if (row->n != n || strcmp(row->on, on) != 0 ||
        row != tg_shapes_best(shapes, n, on, row->schedule, row->grid, row->transport) ||
        tg_shapes_variants(shapes, row) < 2 /* there was no choice */)
      continue;
    if (!keep(shapes, row, false, error)) return false;
  }
  return !of_all || keep(shapes, of_all, true, error);
}

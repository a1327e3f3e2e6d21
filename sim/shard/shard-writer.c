/* The words of a schedule: expressions, slots and lines. */
#include "shard-writer.h"

#include <stdarg.h>
#include <string.h>

/* --- expressions -------------------------------------------------------------------------------------------------- */

const char *tg_shard_keep(TgShardWriter *writer, char *text) {
  g_ptr_array_add(writer->expressions, text);
  return text;
}

static bool is_number(const char *text) {
  return text[strspn(text, "0123456789")] == '\0';
}

bool tg_shard_is_zero(const char *text) {
  return strcmp(text, "0") == 0;
}

/* In brackets where the operator before or after it binds more tightly. */
static const char *factor(TgShardWriter *writer, const char *text) {
  return strpbrk(text, "+-*/% ") ? tg_shard_keep(writer, g_strdup_printf("(%s)", text)) : text;
}

const char *tg_shard_number(TgShardWriter *writer, int64_t value) {
  return tg_shard_keep(writer, g_strdup_printf("%" G_GINT64_FORMAT, value));
}

const char *tg_shard_plus(TgShardWriter *writer, const char *a, const char *b) {
  if (tg_shard_is_zero(a)) return b;
  if (tg_shard_is_zero(b)) return a;
  if (is_number(a) && is_number(b))
    return tg_shard_number(writer, g_ascii_strtoll(a, NULL, 10) + g_ascii_strtoll(b, NULL, 10));
  return tg_shard_keep(writer, g_strdup_printf("%s+%s", a, b));
}

const char *tg_shard_times(TgShardWriter *writer, const char *a, int64_t by) {
  if (tg_shard_is_zero(a) || by == 1) return a;
  if (is_number(a)) return tg_shard_number(writer, g_ascii_strtoll(a, NULL, 10) * by);
  return tg_shard_keep(writer, g_strdup_printf("%s*%" G_GINT64_FORMAT, factor(writer, a), by));
}

const char *tg_shard_over(TgShardWriter *writer, const char *a, int64_t by) {
  if (tg_shard_is_zero(a) || by == 1) return a;
  return tg_shard_keep(writer, g_strdup_printf("%s/%" G_GINT64_FORMAT, factor(writer, a), by));
}

const char *tg_shard_modulo(TgShardWriter *writer, const char *a, int64_t by) {
  if (tg_shard_is_zero(a) || by == 1) return "0";
  return tg_shard_keep(writer, g_strdup_printf("%s%%%" G_GINT64_FORMAT, factor(writer, a), by));
}

const char *tg_shard_axis_name(const TgShardWriter *writer, int axis) {
  return writer->problem->axis[axis];
}

/* A processor's number along these axes together. */
const char *tg_shard_index_of(TgShardWriter *writer, const TgShardAxes *axes) {
  const char *index = "0";
  for (int i = 0; i < axes->count; i++)
    index = tg_shard_plus(writer, tg_shard_times(writer, index, writer->problem->extent[axes->axis[i]]),
                          tg_shard_axis_name(writer, axes->axis[i]));
  return index;
}

/* --- views -------------------------------------------------------------------------------------------------------- */

TgShardView tg_shard_view_of(const TgShardWriter *writer, TgMatrixName matrix, const TgSharding *sharding,
                             const char *buffer) {
  TgShardView view = {.buffer = buffer, .first = {"0", "0"}};
  for (int d = 0; d < 2; d++)
    view.count[d] = writer->pieces[tg_shard_dim_of(matrix, d)] / tg_shard_extent(writer->problem, &sharding->dim[d]);
  view.stride = view.count[1];
  return view;
}

int64_t tg_shard_blocks_of(const TgShardView *view) {
  return view->count[0] * view->count[1];
}

/* "A[u*4+v]"; "A" for slot 0. */
const char *tg_shard_slot(TgShardWriter *writer, const TgShardView *view, const char *row, const char *column) {
  const char *rows = tg_shard_times(writer, tg_shard_plus(writer, view->first[0], row), view->stride);
  const char *index = tg_shard_plus(writer, rows, tg_shard_plus(writer, view->first[1], column));
  return tg_shard_is_zero(index) ? view->buffer : tg_shard_keep(writer, g_strdup_printf("%s[%s]", view->buffer, index));
}

/* Where a slot is written from another: without a number it would have that of the other. */
const char *tg_shard_into(TgShardWriter *writer, const char *from, const char *to) {
  return strchr(from, '[') && !strchr(to, '[') ? tg_shard_keep(writer, g_strdup_printf("%s[0]", to)) : to;
}

bool tg_shard_is_whole(const TgShardView *view) {
  return tg_shard_is_zero(view->first[0]) && tg_shard_is_zero(view->first[1]) && view->stride == view->count[1];
}

/* The same of block `number`, counted row by row. */
const char *tg_shard_slot_of(TgShardWriter *writer, const TgShardView *view, const char *block) {
  if (tg_shard_is_whole(view))
    return tg_shard_slot(writer, &(TgShardView){.buffer = view->buffer, .first = {"0", "0"}}, "0", block);
  const char *row = view->count[1] == 1   ? block
                    : view->count[0] == 1 ? "0"
                                          : tg_shard_over(writer, block, view->count[1]);
  const char *column = view->count[1] == 1   ? "0"
                       : view->count[0] == 1 ? block
                                             : tg_shard_modulo(writer, block, view->count[1]);
  return tg_shard_slot(writer, view, row, column);
}

static bool is_axis(const TgShardWriter *writer, const char *name) {
  for (int a = 0; a < writer->problem->axes; a++)
    if (strcmp(tg_shard_axis_name(writer, a), name) == 0) return true;
  return false;
}

/* A name that is no axis of the mesh and no other buffer. */
const char *tg_shard_new_buffer(TgShardWriter *writer, const char *wish) {
  char *name = g_strdup(wish);
  for (int number = 2;; number++) {
    bool taken = is_axis(writer, name);
    for (guint b = 0; b < writer->buffers->len; b++)
      taken = taken || strcmp(g_ptr_array_index(writer->buffers, b), name) == 0;
    if (!taken) break;
    g_free(name);
    name = g_strdup_printf("%s%d", wish, number);
  }
  g_ptr_array_add(writer->buffers, name);
  return name;
}

const char *tg_shard_scratch(TgShardWriter *writer, const char **name, const char *wish) {
  if (!*name) *name = tg_shard_new_buffer(writer, wish);
  return *name;
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

void TG_PRINTF(2, 3) tg_shard_line(TgShardWriter *writer, const char *format, ...) {
  va_list arguments;
  g_string_append_printf(writer->text, "%*s", 2 * writer->depth, "");
  va_start(arguments, format);
  g_string_append_vprintf(writer->text, format, arguments);
  va_end(arguments);
  g_string_append_c(writer->text, '\n');
}

/* A variable that no axis and no loop around has. */
const char *tg_shard_variable(const TgShardWriter *writer) {
  static const char *const names[TG_MAX_DIMS + TG_MAX_NESTING] = {"t", "u", "v", "w", "s", "e",
                                                                  "f", "g", "h", "i", "j", "k"};
  const char *const *name = names;
  for (int skip = writer->loops; is_axis(writer, *name) || skip > 0; name++) skip -= !is_axis(writer, *name);
  return *name;
}

/* A loop, and its variable; "0" and no loop where it would be run once. */
const char *tg_shard_loop(TgShardWriter *writer, int64_t count) {
  if (count == 1) return "0";
  const char *name = tg_shard_variable(writer);
  tg_shard_line(writer, "repeat %s in %" G_GINT64_FORMAT, name, count);
  writer->depth++;
  writer->loops++;
  return name;
}

void tg_shard_end_loop(TgShardWriter *writer, int64_t count) {
  if (count == 1) return;
  writer->depth--;
  writer->loops--;
}

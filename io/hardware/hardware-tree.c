#include "hardware-tree.h"

#include <string.h>

enum { MOST_DEPTH = 64 };

static void clear_part(gpointer data) {
  g_free(((TgHardwarePart *)data)->name);
}

void tg_hardware_tree_init(TgHardwareTree *tree) {
  tree->parts = g_array_new(FALSE, FALSE, sizeof(TgHardwarePart));
  g_array_set_clear_func(tree->parts, clear_part);
  tree->processors = g_array_new(FALSE, FALSE, sizeof(int32_t));
  tree->inside = -1;
}

void tg_hardware_tree_clear(TgHardwareTree *tree) {
  g_array_unref(tree->parts);
  g_array_unref(tree->processors);
}

TgHardwarePart *tg_hardware_tree_part(const TgHardwareTree *tree, int32_t place) {
  return &g_array_index(tree->parts, TgHardwarePart, place);
}

bool tg_hardware_tree_enter(TgHardwareTree *tree, const char *name, GError **error) {
  TgHardwarePart part = {.outer = tree->inside, .name = g_strdup(name)};
  part.depth = part.outer < 0 ? 0 : tg_hardware_tree_part(tree, part.outer)->depth + 1;
  tree->inside = (int32_t)tree->parts->len;
  g_array_append_val(tree->parts, part);
  return part.depth < MOST_DEPTH || TG_IO_FAIL(error, BAD_INPUT, "elements are nested more than %d deep", MOST_DEPTH);
}

void tg_hardware_tree_leave(TgHardwareTree *tree) {
  tree->inside = tg_hardware_tree_part(tree, tree->inside)->outer;
}

bool tg_hardware_tree_check(const TgHardwareTree *tree, const char *name, const char *processor, GError **error) {
  const guint count = tree->processors->len;
  if (count < 2)
    return TG_IO_FAIL(error, BAD_INPUT, "%s has %s %s%s; a network needs at least two", name, count ? "only one" : "no",
                      processor, count ? "" : "s");
  return count <= TG_HARDWARE_MOST ||
         TG_IO_FAIL(error, TOO_LARGE, "%s has %u %ss; the limit is %d", name, count, processor, TG_HARDWARE_MOST);
}

/* The innermost part that both are in; -1: none. */
static int32_t common_part(const TgHardwareTree *tree, int32_t one, int32_t other) {
  while (one != other) {
    const TgHardwarePart *first = one < 0 ? NULL : tg_hardware_tree_part(tree, one);
    const TgHardwarePart *second = other < 0 ? NULL : tg_hardware_tree_part(tree, other);
    if (!first || !second) return -1;
    if (first->depth >= second->depth) one = first->outer;
    if (second->depth >= first->depth) other = second->outer;
  }
  return one;
}

void tg_hardware_tree_join(const TgHardwareTree *tree, TgHardwarePairs *pairs,
                           TgHardwareJoint (*joint_of)(const char *name, const void *data), const void *data) {
  const char *names[MOST_DEPTH] = {NULL};
  const guint nearer = pairs->joints->len;
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < i; j++) {
      const int32_t place =
          common_part(tree, g_array_index(tree->processors, int32_t, i), g_array_index(tree->processors, int32_t, j));
      const int32_t depth = place < 0 ? 0 : tg_hardware_tree_part(tree, place)->depth;
      TgHardwarePair *pair = tg_hardware_pair(pairs, i, j);
      if (!names[depth]) names[depth] = place < 0 ? "host" : tg_hardware_tree_part(tree, place)->name;
      if (!pair->links) pair->joint = (uint8_t)(nearer + MOST_DEPTH - 1 - (guint)depth);
      *tg_hardware_pair(pairs, j, i) = *pair;
    }
  for (int depth = MOST_DEPTH - 1; depth >= 0; depth--) {
    const TgHardwareJoint joint = joint_of(names[depth] ? names[depth] : "", data);
    tg_hardware_pairs_add(pairs, &joint);
  }
}

bool tg_hardware_parse_xml(const char *name, const char *text, size_t size, const GMarkupParser *parser, void *data,
                           GError **error) {
  GError *problem = NULL;
  g_autoptr(GMarkupParseContext) context =
      g_markup_parse_context_new(parser, G_MARKUP_PREFIX_ERROR_POSITION, data, NULL);
  if (g_markup_parse_context_parse(context, text, (gssize)size, &problem) &&
      g_markup_parse_context_end_parse(context, &problem))
    return true;
  (void)TG_IO_FAIL(error, BAD_INPUT, "%s: %s", name, problem->message);
  g_error_free(problem);
  return false;
}

const char *tg_hardware_attribute(const char *name, const char **names, const char **values) {
  for (; *names; names++, values++)
    if (strcmp(*names, name) == 0) return *values;
  return NULL;
}

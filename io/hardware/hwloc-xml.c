/* XML of hwloc's lstopo: <object type="…"> within one another. In version 1, NUMA nodes contain what is near them; from
 * version 2 on, they are siblings of those objects. https://www.open-mpi.org/projects/hwloc/ */
#include "hardware-tree.h"

#include <string.h>

typedef struct Reader {
  TgHardwareTree tree;
  GArray *threads; /* int32_t: hardware threads, of files without cores */
  char *model;
  double memory_bytes;
} Reader;

/* hwloc's object types and our names for them. */
static char *part_name(const char *type, const char **names, const char **values) {
  static const char *const words[][2] = {{"Machine", "machine"},    {"Package", "package"}, {"Socket", "package"},
                                         {"NUMANode", "NUMA node"}, {"Node", "NUMA node"},  {"Die", "die"},
                                         {"Group", "group"},        {"Core", "core"},       {"PU", "thread"}};
  for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
    if (strcmp(type, words[i][0]) == 0) return g_strdup(words[i][1]);
  if (strcmp(type, "Cache") == 0) {
    const char *depth = tg_hardware_attribute("depth", names, values);
    return g_strdup_printf("L%s cache", depth ? depth : "?");
  }
  const char *cache = strstr(type, "Cache");
  return cache ? g_strdup_printf("%.*s cache", (int)(cache - type), type) : g_strdup(type);
}

/* A NUMA node that is a child names the group around it. */
static void name_group(TgHardwareTree *tree) {
  if (tree->inside < 0) return;
  TgHardwarePart *part = tg_hardware_tree_part(tree, tree->inside);
  if (strcmp(part->name, "group") != 0) return;
  g_free(part->name);
  part->name = g_strdup("NUMA node");
}

static void start_object(Reader *reader, const char **names, const char **values, GError **error) {
  TgHardwareTree *tree = &reader->tree;
  const char *type = tg_hardware_attribute("type", names, values);
  const char *memory = tg_hardware_attribute("local_memory", names, values);
  if (!type) {
    g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_MISSING_ATTRIBUTE, "<object> without a type");
    return;
  }
  if (strcmp(type, "NUMANode") == 0) name_group(tree);
  g_autofree char *name = part_name(type, names, values);
  if (!tg_hardware_tree_enter(tree, name, error)) return;
  if (memory) reader->memory_bytes += g_ascii_strtod(memory, NULL);
  if (strcmp(type, "Core") == 0) g_array_append_val(tree->processors, tree->inside);
  if (strcmp(type, "PU") == 0) g_array_append_val(reader->threads, tree->inside);
}

static void start(GMarkupParseContext *context, const char *element, const char **names, const char **values,
                  gpointer data, GError **error) {
  (void)context;
  Reader *reader = data;
  if (strcmp(element, "object") == 0) start_object(reader, names, values, error);
  if (strcmp(element, "info") == 0 && !reader->model &&
      g_strcmp0(tg_hardware_attribute("name", names, values), "CPUModel") == 0)
    reader->model = g_strdup(tg_hardware_attribute("value", names, values));
}

static void end(GMarkupParseContext *context, const char *element, gpointer data, GError **error) {
  (void)context;
  (void)error;
  if (strcmp(element, "object") == 0) tg_hardware_tree_leave(&((Reader *)data)->tree);
}

/* Assumed: of a message of MPI between two cores, through the memory that they share. */
static TgHardwareJoint joint_of(const char *name, const void *data) {
  (void)data;
  TgHardwareJoint joint = {
      .name = (char *)name, .latency_s = 0.8e-6, .bandwidth_bytes_per_s = 6e9, .source = "assumed"};
  if (g_str_has_suffix(name, "cache")) joint.latency_s = 0.4e-6, joint.bandwidth_bytes_per_s = 8e9;
  if (strcmp(name, "machine") == 0) joint.latency_s = 1.2e-6, joint.bandwidth_bytes_per_s = 4e9;
  return joint;
}

static TgHardware *make(const char *name, Reader *reader, GError **error) {
  TgHardwareTree *tree = &reader->tree;
  const bool cores = tree->processors->len > 0;
  if (!cores) g_array_append_vals(tree->processors, reader->threads->data, reader->threads->len);
  if (!tg_hardware_tree_check(tree, name, cores ? "core" : "thread", error)) return NULL;
  g_autoptr(TgHardwarePairs) pairs = tg_hardware_pairs_new(tree->processors->len);
  TgHardware *hardware = tg_hardware_new("lstopo", cores ? "core" : "thread", pairs->count);
  tg_hardware_tree_join(tree, pairs, joint_of, NULL);
  tg_hardware_find_levels(hardware, pairs);
  hardware->model = reader->model ? g_strstrip(g_steal_pointer(&reader->model)) : NULL;
  hardware->memory_bytes = reader->memory_bytes / (double)pairs->count;
  hardware->flops_per_s = 5e10;
  hardware->flops_source = "assumed";
  return hardware;
}

TgHardware *tg_hardware_parse_hwloc(const char *name, const char *text, size_t size, GError **error) {
  static const GMarkupParser parser = {.start_element = start, .end_element = end};
  Reader reader = {.threads = g_array_new(FALSE, FALSE, sizeof(int32_t))};
  tg_hardware_tree_init(&reader.tree);
  TgHardware *hardware =
      tg_hardware_parse_xml(name, text, size, &parser, &reader, error) ? make(name, &reader, error) : NULL;
  tg_hardware_tree_clear(&reader.tree);
  g_array_unref(reader.threads);
  g_free(reader.model);
  return hardware;
}

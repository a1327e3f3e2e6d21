/* Topology files of NCCL: <system>, <cpu> (a NUMA node), <pci> (a switch or a device) and <gpu> within one another, and
 * the GPU's NVLinks. Files for NCCL_TOPO_FILE may lack <gpu>: then a device's PCI class tells. */
#include "hardware-tree.h"

#include <string.h>

/* NVLinks from a GPU to another one, or to a switch. */
typedef struct Links {
  int32_t gpu;
  int32_t count;
  bool to_switch;
  char *target; /* a PCI bus number */
} Links;

typedef struct Gpu {
  int32_t part;
  char *bus;
  int32_t to_switches; /* NVLinks */
} Gpu;

typedef struct Reader {
  TgHardwareTree tree;
  GArray *gpus;       /* Gpu, as tree.processors */
  GArray *links;      /* Links */
  GPtrArray *buses;   /* char *: of the <pci> around */
  double bytes_per_s; /* of the slowest GPU on PCI Express; 0: unknown */
  double device_rate; /* of the <pci> just begun */
  int capability;     /* the least; 0: unknown */
} Reader;

static void clear_links(gpointer data) {
  g_free(((Links *)data)->target);
}

static void clear_gpu(gpointer data) {
  g_free(((Gpu *)data)->bus);
}

static int64_t number(const char *text) {
  return text ? g_ascii_strtoll(text, NULL, 0) : 0;
}

/* One direction, without the line code's bits: 8 of 10 up to 5 GT/s, then 128 of 130. */
static double pcie_rate(const char *speed, const char *width) {
  const double slow = 5, transfers = speed ? g_ascii_strtod(speed, NULL) : 0;
  const double coded = transfers > slow ? 128.0 / 130 : 0.8;
  return transfers > 0 ? transfers * 1e9 * coded * (double)number(width) / 8 : 0;
}

static bool has_class(const char *class, const char *prefix) {
  return class && g_str_has_prefix(class, prefix);
}

static bool is_known(const Reader *reader) {
  const guint count = reader->gpus->len;
  return count && g_array_index(reader->gpus, Gpu, count - 1).part == reader->tree.inside;
}

static void add_gpu(Reader *reader) {
  const guint buses = reader->buses->len;
  const Gpu gpu = {.part = reader->tree.inside,
                   .bus = g_strdup(buses ? g_ptr_array_index(reader->buses, buses - 1) : "")};
  g_array_append_val(reader->gpus, gpu);
  g_array_append_val(reader->tree.processors, reader->tree.inside);
  if (reader->device_rate > 0 && (reader->bytes_per_s <= 0 || reader->device_rate < reader->bytes_per_s))
    reader->bytes_per_s = reader->device_rate;
}

static void start_pci(Reader *reader, const char **names, const char **values, GError **error) {
  const char *bus = tg_hardware_attribute("busid", names, values);
  const char *class = tg_hardware_attribute("class", names, values);
  g_ptr_array_add(reader->buses, g_strdup(bus ? bus : ""));
  reader->device_rate =
      pcie_rate(tg_hardware_attribute("link_speed", names, values), tg_hardware_attribute("link_width", names, values));
  if (tg_hardware_tree_enter(&reader->tree, "PCIe switch", error) &&
      (has_class(class, "0x0300") || has_class(class, "0x0302") || has_class(class, "0x1200")))
    add_gpu(reader);
}

static void start_gpu(Reader *reader, const char **names, const char **values, GError **error) {
  const bool amd = tg_hardware_attribute("gcn", names, values) != NULL; /* RCCL: sm counts compute units */
  const int capability = amd ? 0 : (int)number(tg_hardware_attribute("sm", names, values));
  if (reader->tree.inside < 0) {
    g_set_error(error, G_MARKUP_ERROR, G_MARKUP_ERROR_INVALID_CONTENT, "<gpu> outside of <system>");
    return;
  }
  if (!is_known(reader)) add_gpu(reader);
  if (capability > 0 && (!reader->capability || capability < reader->capability)) reader->capability = capability;
}

static void start_links(Reader *reader, const char **names, const char **values) {
  const char *target = tg_hardware_attribute("target", names, values);
  const int64_t most = 255, count = CLAMP(number(tg_hardware_attribute("count", names, values)), 0, most);
  if (!reader->gpus->len || !target) return;
  const bool to_switch = has_class(tg_hardware_attribute("tclass", names, values), "0x0680");
  const Links links = {(int32_t)reader->gpus->len - 1, (int32_t)count, to_switch, g_strdup(target)};
  g_array_append_val(reader->links, links);
}

static void start(GMarkupParseContext *context, const char *element, const char **names, const char **values,
                  gpointer data, GError **error) {
  (void)context;
  Reader *reader = data;
  if (strcmp(element, "system") == 0) tg_hardware_tree_enter(&reader->tree, "host", error);
  if (strcmp(element, "cpu") == 0) tg_hardware_tree_enter(&reader->tree, "NUMA node", error);
  if (strcmp(element, "pci") == 0) start_pci(reader, names, values, error);
  if (strcmp(element, "gpu") == 0) start_gpu(reader, names, values, error);
  if (strcmp(element, "nvlink") == 0) start_links(reader, names, values);
}

static void end(GMarkupParseContext *context, const char *element, gpointer data, GError **error) {
  (void)context;
  (void)error;
  Reader *reader = data;
  const bool is_pci = strcmp(element, "pci") == 0;
  if (is_pci) g_ptr_array_remove_index(reader->buses, reader->buses->len - 1);
  if (is_pci || strcmp(element, "cpu") == 0 || strcmp(element, "system") == 0) tg_hardware_tree_leave(&reader->tree);
}

/* --- NVLinks ------------------------------------------------------------------------------------------------------ */

static int32_t gpu_at(const Reader *reader, const char *bus) {
  for (guint i = 0; i < reader->gpus->len; i++)
    if (g_ascii_strcasecmp(g_array_index(reader->gpus, Gpu, i).bus, bus) == 0) return (int32_t)i;
  return -1;
}

static void add_links(TgHardwarePairs *pairs, int64_t i, int64_t j, int32_t count) {
  TgHardwarePair *pair = tg_hardware_pair(pairs, i, j);
  *pair = (TgHardwarePair){0, (uint8_t)MIN(pair->links + count, UINT8_MAX)};
}

/* A file has each link from both ends. */
static void keep_symmetric(TgHardwarePairs *pairs) {
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < i; j++) {
      TgHardwarePair *one = tg_hardware_pair(pairs, i, j), *other = tg_hardware_pair(pairs, j, i);
      one->links = other->links = MAX(one->links, other->links);
    }
}

/* Each GPU with links to switches is joined to all others that have such links. */
static void add_switched(const Reader *reader, TgHardwarePairs *pairs) {
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < pairs->count; j++) {
      const int32_t one = g_array_index(reader->gpus, Gpu, i).to_switches;
      const int32_t other = g_array_index(reader->gpus, Gpu, j).to_switches;
      if (i != j && MIN(one, other) > 0) add_links(pairs, i, j, MIN(one, other));
    }
}

static void join_by_nvlink(const Reader *reader, TgHardwarePairs *pairs) {
  bool switched = false;
  for (guint i = 0; i < reader->links->len; i++) {
    const Links *links = &g_array_index(reader->links, Links, i);
    const int32_t target = links->to_switch ? -1 : gpu_at(reader, links->target);
    if (target >= 0 && target != links->gpu) add_links(pairs, links->gpu, target, links->count);
    if (links->to_switch) g_array_index(reader->gpus, Gpu, links->gpu).to_switches += links->count;
    switched = switched || links->to_switch;
  }
  keep_symmetric(pairs);
  add_switched(reader, pairs);
  pairs->most_links = switched ? 0 : INT32_MAX;
}

/* --- the result --------------------------------------------------------------------------------------------------- */

static TgHardwareJoint joint_of(const char *name, const void *data) {
  return tg_hardware_pcie(strcmp(name, "host") == 0 ? "the link between NUMA nodes" : name,
                          ((const Reader *)data)->bytes_per_s);
}

static TgHardware *make(const char *name, const Reader *reader, GError **error) {
  if (!tg_hardware_tree_check(&reader->tree, name, "GPU", error)) return NULL;
  g_autoptr(TgHardwarePairs) pairs = tg_hardware_pairs_new(reader->tree.processors->len);
  TgHardware *hardware = tg_hardware_new("NCCL", "GPU", pairs->count);
  const TgHardwareJoint nvlink = tg_hardware_nvlink(reader->capability);
  tg_hardware_pairs_add(pairs, &nvlink);
  join_by_nvlink(reader, pairs);
  tg_hardware_tree_join(&reader->tree, pairs, joint_of, reader);
  tg_hardware_find_levels(hardware, pairs);
  tg_hardware_set_gpu(hardware, reader->capability);
  if (!reader->links->len)
    tg_hardware_note(hardware, "The file lists no NVLinks. If the GPUs have NVLinks, set NCCL_TOPO_DUMP_FILE to have "
                               "NCCL write the file.");
  return hardware;
}

TgHardware *tg_hardware_parse_nccl(const char *name, const char *text, size_t size, GError **error) {
  static const GMarkupParser parser = {.start_element = start, .end_element = end};
  Reader reader = {.gpus = g_array_new(FALSE, FALSE, sizeof(Gpu)),
                   .links = g_array_new(FALSE, FALSE, sizeof(Links)),
                   .buses = g_ptr_array_new_with_free_func(g_free)};
  g_array_set_clear_func(reader.gpus, clear_gpu);
  g_array_set_clear_func(reader.links, clear_links);
  tg_hardware_tree_init(&reader.tree);
  TgHardware *hardware =
      tg_hardware_parse_xml(name, text, size, &parser, &reader, error) ? make(name, &reader, error) : NULL;
  tg_hardware_tree_clear(&reader.tree);
  g_array_unref(reader.gpus);
  g_array_unref(reader.links);
  g_ptr_array_unref(reader.buses);
  return hardware;
}

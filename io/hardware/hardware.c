#include "hardware-pairs.h"

#include "input-bytes.h"

#include <inttypes.h>
#include <string.h>

static const double assumed_residual = 0.5; /* of predictions with numbers that nobody has measured */

TgHardware *tg_hardware_new(const char *program, const char *processor, int64_t processors) {
  TgHardware *hardware = g_new0(TgHardware, 1);
  hardware->program = program;
  hardware->processor = processor;
  hardware->processors = processors;
  hardware->notes = g_ptr_array_new_with_free_func(g_free);
  return hardware;
}

void tg_hardware_free(TgHardware *hardware) {
  if (!hardware) return;
  for (int32_t level = 0; level < TG_MAX_LEVELS; level++) {
    g_free(hardware->level[level].name);
    g_free(hardware->level[level].source);
  }
  g_free(hardware->model);
  g_ptr_array_unref(hardware->notes);
  g_free(hardware);
}

void tg_hardware_note(TgHardware *hardware, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(hardware->notes, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

/* --- what is known of GPUs ---------------------------------------------------------------------------------------- */

typedef struct Gpu {
  int capability;
  double flops_per_s, nvlink_bytes_per_s;
  const char *source;
} Gpu;

/* Data sheets of NVIDIA; a link's rate is of one direction. */
static const Gpu gpus[] = {
    {60, 10.6e12, 20e9, "NVIDIA's data sheet for the P100 SXM2"},
    {70, 15.7e12, 25e9, "NVIDIA's data sheet for the V100 SXM2"},
    {80, 19.5e12, 25e9, "NVIDIA's data sheet for the A100"},
    {86, 31.2e12, 14.0625e9, "NVIDIA's data sheet for the A10"},
    {89, 91.6e12, 0, "NVIDIA's data sheet for the L40S"},
    {90, 67e12, 25e9, "NVIDIA's data sheet for the H100 SXM"},
    {100, 75e12, 50e9, "NVIDIA's data sheet for the B200"},
};

static const Gpu *find_gpu(int capability) {
  for (size_t i = 0; i < G_N_ELEMENTS(gpus); i++)
    if (gpus[i].capability == capability) return &gpus[i];
  return NULL;
}

void tg_hardware_set_gpu(TgHardware *hardware, int capability) {
  const Gpu *gpu = find_gpu(capability);
  hardware->flops_per_s = gpu ? gpu->flops_per_s : 2e13;
  hardware->flops_source = gpu ? gpu->source : "assumed";
  if (capability) hardware->model = g_strdup_printf("compute capability %d.%d", capability / 10, capability % 10);
}

TgHardwareJoint tg_hardware_nvlink(int capability) {
  const Gpu *gpu = find_gpu(capability);
  const double rate = gpu && gpu->nvlink_bytes_per_s > 0 ? gpu->nvlink_bytes_per_s : 25e9;
  return (TgHardwareJoint){.name = "NVLink",
                           .latency_s = 12e-6,
                           .bandwidth_bytes_per_s = rate,
                           .source = rate == 25e9 ? "25e9 bytes/s, NVLink 2 to 4" : "the GPU's NVLink rate",
                           .by_links = true};
}

TgHardwareJoint tg_hardware_pcie(const char *name, double bytes_per_s) {
  const double assumed = 31.5e9; /* 16 lanes of generation 4: 16 GT/s * 128/130 */
  return (TgHardwareJoint){.name = (char *)name,
                           .latency_s = 12e-6,
                           .bandwidth_bytes_per_s = bytes_per_s > 0 ? bytes_per_s : assumed,
                           .source = (char *)(bytes_per_s > 0 ? "PCI Express, lanes and speed from the file"
                                                              : "assumed: PCI Express 4.0, 16 lanes")};
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

typedef TgHardware *(*Parse)(const char *name, const char *text, size_t size, GError **error);

static Parse find_parse(const char *text) {
  if (strstr(text, "<topology")) return tg_hardware_parse_hwloc;
  if (strstr(text, "<system")) return tg_hardware_parse_nccl;
  return strstr(text, "GPU0") ? tg_hardware_parse_nvidia_smi : NULL;
}

TgHardware *tg_hardware_parse(const char *name, const char *text, size_t size, GError **error) {
  const Parse parse = find_parse(text);
  if (!parse) {
    (void)TG_IO_FAIL(error, BAD_INPUT,
                     "%s: unknown format; expected XML from `lstopo FILE.xml`, XML from NCCL (set "
                     "NCCL_TOPO_DUMP_FILE=FILE.xml), or the "
                     "output of `nvidia-smi topo -m`",
                     name);
    return NULL;
  }
  return parse(name, text, size, error);
}

TgHardware *tg_hardware_read(const char *path, GError **error) {
  const uint64_t most_bytes = 64 << 20;
  gsize size;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(path, most_bytes, error);
  if (!bytes) return NULL;
  const char *begin = g_bytes_get_data(bytes, &size);
  g_autofree char *text = g_strndup(begin ? begin : "", size);
  return tg_hardware_parse(path, text, size, error);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

char *tg_hardware_network(const TgHardware *hardware) {
  GString *text = g_string_new(NULL);
  for (int32_t level = 0; level < hardware->levels; level++)
    g_string_append_printf(text, "%s%s:%" PRId32, level ? "*" : "", hardware->level[level].direct ? "full" : "switch",
                           hardware->level[level].joins);
  return g_string_free(text, FALSE);
}

static void add_level(GString *text, const TgHardware *hardware, int32_t place) {
  const TgHardwareLevel *level = &hardware->level[place];
  if (place)
    g_string_append_printf(text, "\n[level.%" PRId32 "]  # %s\n", place, level->name);
  else
    g_string_append_printf(text, "\n[link]  # %s\n", level->name);
  g_string_append_printf(text, "latency_s = %.4g  # assumed\n", level->latency_s);
  g_string_append_printf(text, "bandwidth_bytes_per_s = %.4g  # %s\n", level->bandwidth_bytes_per_s, level->source);
}

/* Within the length of a key in [machine], and without line ends and control characters. */
static char *one_line(const char *text, size_t most_bytes) {
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_strdelimit(valid, "\t\r\n#", ' ');
  for (char *at = valid; *at; at++)
    if (g_ascii_iscntrl(*at)) *at = ' ';
  g_strstrip(valid);
  size_t length = MIN(strlen(valid), most_bytes);
  while (length && (valid[length] & 0xC0) == 0x80) length--; /* not within a character */
  return g_strndup(valid, length);
}

char *tg_hardware_machine(const TgHardware *hardware, const char *file) {
  enum { NAME_BYTES = 60, SOURCE_BYTES = 200 };
  GString *text = g_string_new("# A draft. Replace the assumed numbers with measurements from `topogemm calibrate` or "
                               "with values from a data sheet.\n");
  g_autofree char *network = tg_hardware_network(hardware);
  g_autofree char *base = g_path_get_basename(file);
  g_autofree char *source = g_strdup_printf("%s (%s); the comments mark assumed numbers", base, hardware->program);
  g_autofree char *named = g_strdup_printf("%" PRId64 " %ss%s%s", hardware->processors, hardware->processor,
                                           hardware->model ? ", " : "", hardware->model ? hardware->model : "");
  g_autofree char *name = one_line(named, NAME_BYTES);
  g_autofree char *short_source = one_line(source, SOURCE_BYTES);
  g_string_append_printf(text, "[machine]\nname = %s\nsource = %s\nnetwork = %s\n", name, short_source, network);
  g_string_append_printf(text, "residual = %g  # assumed\n", assumed_residual);
  for (int32_t level = 0; level < hardware->levels; level++) add_level(text, hardware, level);
  g_string_append_printf(text, "\n[processor]  # a %s\nflops_per_s = %.4g  # f32: %s\n", hardware->processor,
                         hardware->flops_per_s, hardware->flops_source);
  if (hardware->memory_bytes > 0) g_string_append_printf(text, "memory_bytes = %.4g\n", hardware->memory_bytes);
  for (guint i = 0; i < hardware->notes->len; i++)
    g_string_append_printf(text, "%s# %s\n", i ? "" : "\n", (const char *)g_ptr_array_index(hardware->notes, i));
  return g_string_free(text, FALSE);
}

#include "hardware-pairs.h"

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

/* The table that `nvidia-smi topo -m` prints: a row and a column for each GPU, and after them for network cards. */
#include "hardware-pairs.h"

#include <inttypes.h>
#include <string.h>

/* Nearest first, as the legend under the table has them. Old drivers print SOC instead of SYS. */
static const struct {
  const char *word, *name;
} paths[] = {{"PIX", "PCIe switch"}, {"PXB", "several PCIe switches"},       {"PHB", "PCIe host bridge"},
             {"NODE", "NUMA node"},  {"SYS", "the link between NUMA nodes"}, {"SOC", "the link between NUMA nodes"}};

/* The terminal's escape sequences, which nvidia-smi writes even to a file: "\033[4mGPU0\033[0m". */
static char *without_escapes(const char *line) {
  GString *text = g_string_new(NULL);
  for (; *line; line++) {
    if (line[0] == '\033' && line[1] == '[') {
      line += 2;
      while (*line && !g_ascii_isalpha(*line)) line++;
      if (!*line) break;
    } else {
      g_string_append_c(text, *line);
    }
  }
  return g_string_free(text, FALSE);
}

/* The words of a line, none empty. Free with g_strfreev(). */
static char **words_of(const char *line) {
  g_autofree char *text = without_escapes(line);
  GPtrArray *words = g_ptr_array_new();
  g_auto(GStrv) parts = g_strsplit_set(text, " \t\r", -1);
  for (char **part = parts; *part; part++)
    if (**part) g_ptr_array_add(words, g_strdup(*part));
  g_ptr_array_add(words, NULL);
  return (char **)g_ptr_array_free(words, FALSE);
}

/* "GPU12": 12; -1: something else. */
static int64_t gpu_number(const char *word) {
  guint64 number;
  if (!word || !g_str_has_prefix(word, "GPU")) return -1;
  return g_ascii_string_to_unsigned(word + 3, 10, 0, TG_HARDWARE_MOST, &number, NULL) ? (int64_t)number : -1;
}

static int64_t count_gpus(char **words) {
  int64_t count = 0;
  while (words[count] && gpu_number(words[count]) >= 0) count++;
  return count;
}

static bool read_path(const char *word, TgHardwarePair *pair) {
  guint64 links;
  if (g_str_has_prefix(word, "NV") && g_ascii_string_to_unsigned(word + 2, 10, 1, UINT8_MAX, &links, NULL)) {
    *pair = (TgHardwarePair){0, (uint8_t)links};
    return true;
  }
  for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
    if (strcmp(word, paths[i].word) == 0) {
      *pair = (TgHardwarePair){(uint8_t)(i + 1), 0};
      return true;
    }
  return false;
}

static bool read_row(const char *name, int64_t line, char **words, TgHardwarePairs *pairs, int64_t row,
                     GError **error) {
  for (int64_t column = 0; column < pairs->count; column++) {
    const char *word = words[1 + column];
    if (!word)
      return TG_IO_FAIL(error, BAD_INPUT, "%s:%" PRId64 ": the row ends after %" PRId64 " of %" PRId64 " GPUs", name,
                        line, column, pairs->count);
    if (column == row) continue;
    if (read_path(word, tg_hardware_pair(pairs, row, column))) continue;
    g_autofree char *quoted = tg_io_quote(word, strlen(word));
    return TG_IO_FAIL(error, BAD_INPUT,
                      "%s:%" PRId64 ": unknown entry \"%s\"; expected NV#, PIX, PXB, PHB, NODE or SYS", name, line,
                      quoted);
  }
  return true;
}

/* The table has each pair twice. */
static bool check_symmetric(const char *name, const TgHardwarePairs *pairs, GError **error) {
  for (int64_t i = 0; i < pairs->count; i++)
    for (int64_t j = 0; j < i; j++)
      if (memcmp(tg_hardware_pair(pairs, i, j), tg_hardware_pair(pairs, j, i), sizeof(TgHardwarePair)) != 0)
        return TG_IO_FAIL(error, BAD_INPUT,
                          "%s: the entry for GPU%" PRId64 " to GPU%" PRId64 " differs from that for GPU%" PRId64
                          " to GPU%" PRId64,
                          name, i, j, j, i);
  return true;
}

static bool read_rows(const char *name, char **lines, int64_t header, TgHardwarePairs *pairs, GError **error) {
  int64_t rows = 0;
  for (int64_t line = header + 1; lines[line] && rows < pairs->count; line++) {
    g_auto(GStrv) words = words_of(lines[line]);
    if (gpu_number(words[0]) < 0) continue;
    if (!read_row(name, line + 1, words, pairs, rows, error)) return false;
    rows++;
  }
  return rows == pairs->count
             ? check_symmetric(name, pairs, error)
             : TG_IO_FAIL(error, BAD_INPUT, "%s: number of GPU rows: %" PRId64 ", of GPU columns: %" PRId64, name, rows,
                          pairs->count);
}

static void add_joints(TgHardwarePairs *pairs) {
  const TgHardwareJoint nvlink = tg_hardware_nvlink(0);
  tg_hardware_pairs_add(pairs, &nvlink);
  for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
    const TgHardwareJoint joint = tg_hardware_pcie(paths[i].name, 0);
    tg_hardware_pairs_add(pairs, &joint);
  }
}

static TgHardware *make(TgHardwarePairs *pairs) {
  const int32_t most_links = 18; /* of a GPU, up to NVLink 5 */
  TgHardware *hardware = tg_hardware_new("nvidia-smi topo -m", "GPU", pairs->count);
  pairs->most_links = most_links;
  add_joints(pairs);
  tg_hardware_find_levels(hardware, pairs);
  tg_hardware_set_gpu(hardware, 0);
  return hardware;
}

TgHardware *tg_hardware_parse_nvidia_smi(const char *name, const char *text, size_t size, GError **error) {
  (void)size;
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  for (int64_t line = 0; lines[line]; line++) {
    g_auto(GStrv) words = words_of(lines[line]);
    const int64_t count = count_gpus(words);
    if (count == 1 && words[1] && strcmp(words[1], "X") != 0) {
      (void)TG_IO_FAIL(error, BAD_INPUT, "%s has only one GPU; a network needs at least two", name);
      return NULL;
    }
    if (count < 2) continue;
    g_autoptr(TgHardwarePairs) pairs = tg_hardware_pairs_new(count);
    return read_rows(name, lines, line, pairs, error) ? make(pairs) : NULL;
  }
  (void)TG_IO_FAIL(error, BAD_INPUT, "%s has no header line (GPU0 GPU1 …)", name);
  return NULL;
}

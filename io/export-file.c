#include "export-goal.h"
#include "export-json.h"

#include "atomic-file.h"

typedef bool (*Write)(const TgExportJob *job, FILE *stream, TgExported *exported, TgFailure *failure, GError **error);

static const struct {
  const char *suffix;
  Write write;
} formats[] = {{".goal", tg_export_goal}, {".json", tg_export_json}};

static Write find_format(const char *path, GError **error) {
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_has_suffix(path, formats[i].suffix)) return formats[i].write;
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT,
              "%s: unknown suffix, expected .goal (for LogGOPSim) or .json (topogemm-schedule)", path);
  return NULL;
}

bool tg_export_path_known(const char *path, GError **error) {
  return find_format(path, error) != NULL;
}

bool tg_export_write(const TgExportJob *job, const char *path, TgExported *exported, TgFailure *failure,
                     GError **error) {
  if (failure) *failure = (TgFailure){.statement = -1, .processor = -1};
  const Write write = find_format(path, error);
  if (!write) return false;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  if (!file) return false;
  if (write(job, tg_atomic_file_stream(file), exported, failure, error)) return tg_atomic_file_commit(file, error);
  if (error && g_error_matches(*error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE)) g_prefix_error(error, "%s: ", path);
  return false;
}

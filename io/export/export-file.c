#include "export-goal.h"
#include "export-json.h"
#include "export-size.h"

#include "atomic-file.h"

typedef bool (*Write)(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error);

typedef struct Format {
  const char *suffix;
  Write write;
  double (*size)(const TgExportJob *job);
  int passes; /* over all statements */
} Format;

static const Format formats[] = {{".goal", tg_export_goal, tg_export_goal_size, 2},
                                 {".json", tg_export_json, tg_export_json_size, 1}};

static const Format *find_format(const char *path, GError **error) {
  for (size_t i = 0; i < G_N_ELEMENTS(formats); i++)
    if (g_str_has_suffix(path, formats[i].suffix)) return &formats[i];
  g_set_error(error, TG_IO_ERROR, TG_IO_ERROR_BAD_INPUT,
              "%s: unknown suffix, expected .goal (for LogGOPSim) or .json (topogemm-schedule)", path);
  return NULL;
}

bool tg_export_path_known(const char *path, GError **error) {
  return find_format(path, error) != NULL;
}

int64_t tg_export_work(const TgExportJob *job, const char *path) {
  const Format *format = find_format(path, NULL);
  return format ? format->passes * tg_walk_count_statements(job->schedule, job->names) : 0;
}

double tg_export_size(const TgExportJob *job, const char *path) {
  const Format *format = find_format(path, NULL);
  return format ? format->size(job) : 0;
}

bool tg_export_write(const TgExportJob *job, const char *path, TgExported *exported, TgError *failure, GError **error) {
  if (failure) *failure = (TgError){.statement = -1, .processor = -1};
  const Format *format = find_format(path, error);
  if (!format) return false;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, error);
  if (!file) return false;
  if (format->write(job, tg_atomic_file_stream(file), exported, failure, error))
    return tg_atomic_file_commit(file, error);
  if (error && g_error_matches(*error, TG_IO_ERROR, TG_IO_ERROR_CANNOT_WRITE)) g_prefix_error(error, "%s: ", path);
  return false;
}

#include "output-files.h"
#include "output.h"
#include "algo.h"

#include "atomic-file.h"
#include "matrix-file.h"
#include "tuning.h"

#include <glib/gstdio.h>
#include <unistd.h>

/* What a command reads and what it writes: identities of files, each with its words, as in "--a a.npy". */
typedef struct TgFiles {
  GHashTable *read, *written;
} TgFiles;

static char *identity_of(const struct stat *status) {
  return S_ISREG(status->st_mode)
             ? g_strdup_printf("%" PRIu64 "/%" PRIu64, (uint64_t)status->st_dev, (uint64_t)status->st_ino)
             : NULL;
}

/* The file that a path leads to, whatever links it goes through; where there is none yet, its name in its folder. NULL
 * for what several may share (devices, pipes), and where nothing can be: opening it is an error of its own. */
static char *identity(const char *path) {
  struct stat status;
  if (stat(path, &status) == 0) return identity_of(&status);
  g_autofree char *folder = g_path_get_dirname(path), *name = g_path_get_basename(path);
  if (stat(folder, &status) != 0) return NULL;
  return g_strdup_printf("%" PRIu64 "/%" PRIu64 "/%s", (uint64_t)status.st_dev, (uint64_t)status.st_ino, name);
}

static char *words_of(const char *option, const char *path) {
  return *option ? g_strdup_printf("%s %s", option, path) : g_strdup(path);
}

/* Takes both. */
static void insert(GHashTable *files, char *identity, char *words) {
  if (identity)
    g_hash_table_insert(files, identity, words);
  else
    g_free(words);
}

static void add_read(const TgFiles *files, const char *option, const char *path) {
  insert(files->read, identity(path), words_of(option, path));
}

static void add_algo(const TgFiles *files, const char *option, const char *algo) {
  if (tg_algo_is_path(algo)) add_read(files, option, algo);
}

/* Standard streams that the shell has redirected. Nothing is read from standard input unless it is asked for, but
 * nothing that waits there is to be lost, either. */
static void add_stream(GHashTable *files, int descriptor, const char *words) {
  struct stat status;
  if (fstat(descriptor, &status) == 0) insert(files, identity_of(&status), g_strdup(words));
}

static void add_option_read(const TgCli *cli, const TgFiles *files, const TgOptionFile *file) {
  g_autofree char *cache = NULL;
  if (file->use == TG_FILE_READ && file->value) add_read(files, file->option, file->value);
  if (file->use == TG_FILE_READ_CACHE && !cli->options.no_cache) cache = tg_tuning_path();
  if (cache) add_read(files, "", cache);
  if (file->use != TG_FILE_READ_ALGOS || !file->value) return;
  g_auto(GStrv) algos = g_strsplit(file->value, ",", -1);
  for (char **algo = algos; *algo; algo++) add_algo(files, file->option, *algo);
}

static TgExit add_written(const TgCli *cli, const TgFiles *files, const char *option, const char *path) {
  g_autofree char *id = identity(path), *words = words_of(option, path);
  const char *read = id ? g_hash_table_lookup(files->read, id) : NULL;
  const char *written = id ? g_hash_table_lookup(files->written, id) : NULL;
  if (read)
    return tg_report(cli, TG_EXIT_USAGE, "%s: this would overwrite an input, %s; give the output another name", words,
                     read);
  if (written)
    return tg_report(cli, TG_EXIT_USAGE, "%s and %s: both would write the same file; rename one of them", written,
                     words);
  insert(files->written, g_steal_pointer(&id), g_steal_pointer(&words));
  return TG_EXIT_DONE;
}

static TgExit add_all(const TgCli *cli, const TgFiles *files, const char *const *derived) {
  TgExit status = TG_EXIT_DONE;
  add_stream(files->read, STDIN_FILENO, "standard input");
  add_stream(files->written, STDOUT_FILENO, "standard output");
  add_stream(files->written, STDERR_FILENO, "standard error");
  for (char **algo = cli->options.arguments; algo && *algo; algo++) add_algo(files, "", *algo);
  for (const char *const *name = cli->command->options; *name; name++) {
    const TgOptionFile file = tg_option_file(&cli->options, *name);
    add_option_read(cli, files, &file);
  }
  for (const char *const *name = cli->command->options; *name && !status; name++) {
    const TgOptionFile file = tg_option_file(&cli->options, *name);
    if (file.use == TG_FILE_WRITE && file.value) status = add_written(cli, files, file.option, file.value);
  }
  for (; derived && *derived && !status; derived++) status = add_written(cli, files, "", *derived);
  return status;
}

TgExit tg_output_files_distinct(const TgCli *cli, const char *const *derived) {
  g_autoptr(GHashTable) read = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr(GHashTable) written = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return add_all(cli, &(TgFiles){read, written}, derived);
}

static TgExit check_possible(const TgCli *cli) {
  GError *error = NULL;
  for (const char *const *name = cli->command->options; *name; name++) {
    const TgOptionFile file = tg_option_file(&cli->options, *name);
    if (file.use == TG_FILE_WRITE && file.value && !tg_atomic_file_check(file.value, &error))
      return tg_report_error(cli, error);
  }
  return TG_EXIT_DONE;
}

TgExit tg_output_files_check(const TgCli *cli) {
  const char *path = cli->options.trace;
  if (path && !g_str_has_suffix(path, ".json"))
    return tg_report(cli, TG_EXIT_USAGE, "--trace %s: expected a name that ends in .json", path);
  return check_possible(cli);
}

/* Takes the file. */
static void keep(TgCli *cli, TgAtomicFile *file) {
  if (!cli->written) cli->written = g_ptr_array_new_with_free_func((GDestroyNotify)tg_atomic_file_abort);
  g_ptr_array_add(cli->written, file);
}

TgExit tg_output_file_write(TgCli *cli, const char *path, const char *bytes, size_t size) {
  GError *error = NULL;
  TgAtomicFile *file = tg_atomic_file_begin_with(path, bytes, size, &error);
  if (!file) return tg_report_error(cli, error);
  keep(cli, file);
  return TG_EXIT_DONE;
}

void tg_output_file_keep_c(TgCli *cli, TgAtomicFile *file) {
  keep(cli, file);
  if (cli->options.json || cli->options.quiet) return;
  g_autofree char *name = tg_printable(cli->options.c, "");
  tg_output_files_say(cli, g_strdup_printf("C is in %s\n", name));
}

TgExit tg_output_file_c(TgCli *cli, const TgMatrix *c) {
  GError *error = NULL;
  const char *path = cli->options.c;
  if (!path) return TG_EXIT_DONE;
  g_autoptr(TgAtomicFile) file = tg_atomic_file_begin(path, &error);
  if (!file || !tg_matrix_print(c, path, tg_atomic_file_stream(file), &error)) return tg_report_error(cli, error);
  tg_output_file_keep_c(cli, g_steal_pointer(&file));
  return TG_EXIT_DONE;
}

void tg_output_files_say(TgCli *cli, char *text) {
  if (!cli->said) cli->said = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(cli->said, text);
}

TgExit tg_output_files_commit(TgCli *cli) {
  GError *error = NULL;
  if (cli->written && !tg_atomic_files_commit((TgAtomicFile *const *)cli->written->pdata, cli->written->len, &error))
    return tg_report_error(cli, error);
  for (guint s = 0; cli->said && s < cli->said->len; s++) tg_print(cli, "%s", (const char *)cli->said->pdata[s]);
  return TG_EXIT_DONE;
}

void tg_output_files_clear(TgCli *cli) {
  g_clear_pointer(&cli->written, g_ptr_array_unref);
  g_clear_pointer(&cli->said, g_ptr_array_unref);
}

#include "machine-option.h"
#include "executors.h"
#include "output.h"

#include "input-bytes.h"
#include "machine-library.h"
#include "suggestion.h"

#include <string.h>

#define SUFFIX ".machine"

enum { LIMIT_BYTES = 1 << 20 }; /* of a machine file; real ones are below 4 KiB */

/* `text`, where asked for, is a copy. */
static TgExit parse(const TgCli *cli, TgMachine *machine, const TgSource *source, char **text) {
  TgError error = {0};
  if (text) *text = g_strndup(source->text, source->length);
  if (!tg_machine_parse(machine, source->text, source->length, &error))
    return tg_report_at(cli, TG_EXIT_USAGE, source, error.line, error.column, error.message);
  const char *on = machine->executor.on;
  if (!*on || tg_executor_find(on)) return TG_EXIT_DONE;
  g_autofree char *names = tg_executor_names();
  return tg_report(cli, TG_EXIT_USAGE, "%s: [executor] has on = %s, expected one of %s", source->name, on, names);
}

/* As its file is called; pictures and JSON have the name, too. */
static void name_machine(TgMachine *machine, const char *path) {
  g_autofree char *base = g_path_get_basename(path);
  if (strlen(base) > strlen(SUFFIX) && g_str_has_suffix(base, SUFFIX)) base[strlen(base) - strlen(SUFFIX)] = '\0';
  g_autofree char *name = tg_printable(base, "");
  memcpy(machine->name, name, (size_t)tg_text_fit(name, sizeof machine->name - 1));
}

static TgExit unknown_name(const TgCli *cli, const char *name) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (size_t i = 0; i < count; i++) tg_suggestion_try(&meant, entries[i].name);
  if (meant.nearest)
    return tg_report(cli, TG_EXIT_USAGE, "--machine %s: not in the library; did you mean `%s`?", name, meant.nearest);
  return tg_report(cli, TG_EXIT_USAGE, "--machine %s: not in the library; see `topogemm list machines`, or give a file",
                   name);
}

TgExit tg_machine_option(const TgCli *cli, TgMachine *machine, char **copy) {
  const char *name = cli->options.machine ? cli->options.machine : "commodity-cluster";
  const TgMachineEntry *entry = tg_machine_library_find(name);
  if (entry) {
    g_autofree char *path = g_strdup_printf("machines/%s.machine", name);
    return parse(cli, machine, &(TgSource){path, entry->text, entry->length}, copy);
  }
  if (!strchr(name, '/') && !g_str_has_suffix(name, SUFFIX)) return unknown_name(cli, name);
  GError *error = NULL;
  g_autoptr(GBytes) bytes = tg_input_bytes_read(name, LIMIT_BYTES, &error);
  if (!bytes) return tg_report_error(cli, error);
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  const TgExit status = parse(cli, machine, &(TgSource){name, text ? text : "", length}, copy);
  if (!status && !*machine->name) name_machine(machine, name);
  return status;
}

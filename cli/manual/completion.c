#include "executors.h"
#include "manual.h"

#include "algo-library.h"
#include "collective.h"
#include "cost.h"
#include "kernel.h"
#include "machine-library.h"
#include "topology.h"

#include <string.h>

static void add_algorithms(GString *words) {
  size_t count;
  const TgLibraryEntry *all = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) g_string_append_printf(words, " %s", all[i].name);
}

static void add_machines(GString *words) {
  size_t count;
  const TgMachineEntry *all = tg_machine_library_list(&count);
  for (size_t i = 0; i < count; i++) g_string_append_printf(words, " %s", all[i].name);
}

static void add_kernels(GString *words) {
  size_t count;
  const TgKernel *all = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) g_string_append_printf(words, " %s", all[i].name);
}

static void add_executors(GString *words) {
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++)
    g_string_append_printf(words, " %s", (*kind)->name);
}

static void add_networks(GString *words) {
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++)
    g_string_append_printf(words, " %s", tg_network_kind_info(kind)->name);
}

static void add_collectives(GString *words) {
  for (int kind = 0; kind < TG_COLLECTIVES; kind++)
    g_string_append_printf(words, " %s", tg_collective_name((TgCollective)kind));
}

static void add_models(GString *words) {
  for (int kind = 0; kind < TG_COST_MODELS; kind++)
    g_string_append_printf(words, " %s", tg_cost_model_name((TgCostModel)kind));
}

/* What a value's or an argument's name in the help stands for. */
static const struct {
  const char *name;
  void (*add)(GString *words);
  bool files;
} kinds[] = {
    {"ALGO", add_algorithms, true},
    {"NAME|FILE", add_machines, true},
    {"EXECUTOR", add_executors, false},
    {"NETWORK", add_networks, false},
    {"TOPOLOGY", add_networks, false},
    {"KERNEL", add_kernels, false},
    {"NAME,NAME", add_kernels, false},
    {"HOW", add_collectives, false},
    {"MODEL", add_models, false},
    {"FILE", NULL, true},
    {"FOLDER", NULL, true},
};

static bool is_choice(const char *value) {
  return strchr(value, '|') && !g_ascii_isupper(*value);
}

static TgCompletion completion_of(const char *value) {
  GString *words = g_string_new(NULL);
  bool files = false;
  if (value && is_choice(value)) {
    g_auto(GStrv) choices = g_strsplit(value, "|", -1);
    for (char **choice = choices; *choice; choice++) g_string_append_printf(words, " %s", *choice);
  } else
    for (size_t i = 0; value && i < G_N_ELEMENTS(kinds); i++) {
      if (!g_str_has_prefix(value, kinds[i].name)) continue;
      if (kinds[i].add) kinds[i].add(words);
      files = kinds[i].files;
      break;
    }
  if (words->len) g_string_erase(words, 0, 1);
  return (TgCompletion){g_string_free(words, FALSE), files};
}

TgCompletion tg_completion_of_option(const char *row) {
  return completion_of(tg_option_text(row).value);
}

TgCompletion tg_completion_of_arguments(const TgCommand *command) {
  const char *name = command->arguments + (*command->arguments == '[');
  TgCompletion found = command->words ? (TgCompletion){command->words(), false} : completion_of(name);
  found.files = found.files || (command->arguments_max && !*found.words); /* FROM TO, A.tg B.tg C.tg */
  return found;
}

/* topogemm list: what there is. */
#include "executors.h"
#include "list.h"
#include "output.h"
#include "algo.h"

#include "algo-library.h"
#include "kernel.h"
#include "machine-library.h"
#include "machine.h"
#include "shape.h"
#include "suggestion.h"

#include <string.h>

static bool parse_entry(const TgLibraryEntry *entry, TgProblem *problem) {
  problem->source = (TgSource){entry->name, entry->text, entry->length};
  return tg_schedule_parse(&problem->schedule, &problem->names, entry->text, entry->length, NULL);
}

static void name_algorithms(GString *names) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) tg_list_append(names, entries[i].name);
}

static void print_algorithms(TgCli *cli) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgListing listing = tg_listing_new("lll");
  const char *const head[] = {"algorithm", "grid", "computes"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(listing.table, "%s", head[i]);
  tg_listing_add(&listing, "source");
  for (size_t i = 0; i < count; i++) {
    g_auto(TgProblem) problem = {0};
    char formula[TG_FORMULA_BYTES];
    if (!parse_entry(&entries[i], &problem)) continue;
    tg_computes_text(&problem.schedule.computes, formula);
    tg_table_add(listing.table, "%s", entries[i].name);
    tg_table_add(listing.table, "%s", tg_name(&problem.names, problem.names.grid));
    tg_table_add(listing.table, "%s", formula);
    tg_listing_add(&listing, "%s", tg_name(&problem.names, problem.names.citation));
  }
  tg_listing_print(cli, &listing);
}

static void name_topologies(GString *names) {
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) tg_list_append(names, tg_network_kind_info(kind)->name);
  g_string_append(names, "; and compositions, as switch:4*torus:2x4");
}

static void print_topologies(TgCli *cli) {
  TgListing listing = tg_listing_new("ll");
  tg_table_add(listing.table, "topology");
  tg_table_add(listing.table, "example");
  tg_listing_add(&listing, "joins and routes");
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) {
    const TgNetworkKindInfo *info = tg_network_kind_info(kind);
    tg_table_add(listing.table, "%s", info->name);
    tg_table_add(listing.table, "%s", info->example);
    tg_listing_add(&listing, "%s", info->summary);
  }
  tg_listing_print(cli, &listing);
  tg_print(cli, "compositions: inner*outer, as in switch:4*torus:2x4\n");
  tg_print_wrapped_within(cli, "four nodes on each of eight switches", 4, 0, TG_LIST_COLUMNS);
}

static void name_machines(GString *names) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  for (size_t i = 0; i < count; i++) tg_list_append(names, entries[i].name);
}

static void print_machines(TgCli *cli) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  TgListing listing = tg_listing_new("ll");
  tg_table_add(listing.table, "machine");
  tg_table_add(listing.table, "network");
  tg_listing_add(&listing, "source of its numbers");
  for (size_t i = 0; i < count; i++) {
    TgMachine machine;
    if (!tg_machine_parse(&machine, entries[i].text, entries[i].length, NULL)) continue;
    tg_table_add(listing.table, "%s", entries[i].name);
    tg_table_add(listing.table, "%s", *machine.network ? machine.network : "any");
    tg_listing_add(&listing, "%s: %s", machine.name, machine.source);
  }
  tg_listing_print(cli, &listing);
}

/* "copy, pull" */
static char *transports_text(const TgExecutorKind *kind) {
  GString *text = g_string_new(NULL);
  for (int t = 0; t < TG_TRANSPORTS; t++)
    if (kind->transports >> t & 1) tg_list_append(text, tg_transport_name((TgTransport)t));
  return g_string_free(text, FALSE);
}

static void name_executors(GString *names) {
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++) tg_list_append(names, (*kind)->name);
}

static void print_executors(TgCli *cli) {
  TgListing listing = tg_listing_new("lll");
  const char *const head[] = {"executor", "runs on", "transport"};
  for (size_t i = 0; i < G_N_ELEMENTS(head); i++) tg_table_add(listing.table, "%s", head[i]);
  tg_listing_add(&listing, "what a processor and a link are");
  for (const TgExecutorKind *const *row = tg_executors; *row; row++) {
    const TgExecutorKind *kind = *row;
    g_autofree char *transports = transports_text(kind);
    tg_table_add(listing.table, "%s", kind->name);
    tg_table_add(listing.table, "%s", kind->on_gpu ? "a GPU" : "the CPU");
    tg_table_add(listing.table, "%s", transports);
    tg_listing_add(&listing, "processor: %s; link: %s", kind->processor, kind->link);
  }
  tg_listing_print(cli, &listing);
}

static void write_algorithms(TgJson *json) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    g_auto(TgProblem) problem = {0};
    char formula[TG_FORMULA_BYTES];
    if (!parse_entry(&entries[i], &problem)) continue;
    tg_computes_text(&problem.schedule.computes, formula);
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", entries[i].name);
    tg_json_member_string(json, "grid", tg_name(&problem.names, problem.names.grid));
    tg_json_member_string(json, "computes", formula);
    tg_json_member_string(json, "source", tg_name(&problem.names, problem.names.citation));
    tg_json_end_object(json);
  }
}

static void write_topologies(TgJson *json) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgNetworkKindInfo, name), TG_FIELD(TgNetworkKindInfo, example),
                 TG_FIELD(TgNetworkKindInfo, summary));
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++)
    tg_json_object(json, TG_JSON_ROW, fields, tg_network_kind_info(kind));
}

static void write_machines(TgJson *json) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    TgMachine machine;
    if (!tg_machine_parse(&machine, entries[i].text, entries[i].length, NULL)) continue;
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", entries[i].name);
    tg_json_member_string(json, "topology", *machine.network ? machine.network : NULL);
    tg_json_member_string(json, "machine", machine.name);
    tg_json_member_string(json, "source", machine.source);
    tg_json_end_object(json);
  }
}

static void write_executors(TgJson *json) {
  for (const TgExecutorKind *const *row = tg_executors; *row; row++) {
    const TgExecutorKind *kind = *row;
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kind->name);
    tg_json_member_bool(json, "gpu", kind->on_gpu);
    tg_json_member_bool(json, "built", !kind->on_gpu || tg_kernel_built());
    tg_json_key(json, "transports");
    tg_json_begin_array(json, TG_JSON_ROW);
    for (int t = 0; t < TG_TRANSPORTS; t++)
      if (kind->transports >> t & 1) tg_json_string(json, tg_transport_name((TgTransport)t));
    tg_json_end_array(json);
    tg_json_member_string(json, "processor", kind->processor);
    tg_json_member_string(json, "link", kind->link);
    tg_json_end_object(json);
  }
}

typedef struct TgSection {
  const char *name;              /* of WHAT */
  const char *key;               /* of the document */
  void (*names)(GString *names); /* NULL: those of the section before it */
  void (*print)(TgCli *cli);
  void (*write)(TgJson *json);
} TgSection;

static const TgSection sections[] = {
    {"algorithms", "algorithms", name_algorithms, print_algorithms, write_algorithms},
    {"topologies", "topologies", name_topologies, print_topologies, write_topologies},
    {"machines", "machines", name_machines, print_machines, write_machines},
    {"kernels", "kernels", tg_list_kernels_names, tg_list_kernels_print, tg_list_kernels_write},
    {"kernels", "papers_kernels", NULL, tg_list_historic_print, tg_list_historic_write},
    {"executors", "executors", name_executors, print_executors, write_executors},
};

static void write_sections(TgCli *cli, const char *wanted) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "list");
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
    if (wanted && strcmp(wanted, sections[i].name) != 0) continue;
    tg_json_key(json, sections[i].key);
    tg_json_begin_array(json, TG_JSON_LINES);
    sections[i].write(json);
    tg_json_end_array(json);
  }
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

static void print_section(TgCli *cli, const char *wanted) {
  bool any = false;
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
    if (strcmp(wanted, sections[i].name) != 0) continue;
    if (any) tg_print(cli, "\n");
    sections[i].print(cli);
    any = true;
  }
}

static void print_names(TgCli *cli) {
  const int indent = (int)strlen("algorithms  ");
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
    if (!sections[i].names) continue;
    g_autoptr(GString) names = g_string_new(NULL);
    sections[i].names(names);
    tg_print_styled(cli, TG_STYLE_HEADING, "%-*s", indent, sections[i].name);
    tg_print_wrapped_within(cli, names->str, indent, indent, TG_LIST_COLUMNS);
  }
  tg_print(cli, "\n`topogemm list algorithms` describes each algorithm; likewise\ntopologies, machines, kernels and "
                "executors.\n");
}

static bool is_section(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
    if (strcmp(name, sections[i].name) == 0) return true;
  return false;
}

static TgExit unknown_section(const TgCli *cli, const char *name) {
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) tg_suggestion_try(&meant, sections[i].name);
  if (meant.nearest) return tg_report(cli, TG_EXIT_USAGE, "list: no `%s`, did you mean `%s`?", name, meant.nearest);
  return tg_report(cli, TG_EXIT_USAGE, "list: no `%s`, expected algorithms, topologies, machines, kernels or executors",
                   name);
}

static TgExit run(TgCli *cli) {
  const char *wanted = cli->options.arguments ? cli->options.arguments[0] : NULL;
  if (wanted && !is_section(wanted)) return unknown_section(cli, wanted);
  if (cli->options.json)
    write_sections(cli, wanted);
  else if (wanted)
    print_section(cli, wanted);
  else
    print_names(cli);
  return TG_EXIT_DONE;
}

static const char *const options[] = {"json", NULL};
static const TgExample examples[] = {
    {"list algorithms", "the library of schedules, each with its grid and source"},
    {"list topologies", "the kinds of network, for --network and `topogemm topo`"},
    {"list kernels", "kernels for one GPU: the ladder and those of papers"},
    {"list --json", "everything, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_list = {
    .name = "list",
    .arguments = "[WHAT]",
    .summary = "list algorithms, topologies, machines, kernels and executors",
    .details = "WHAT is algorithms, topologies, machines, kernels or executors. Each entry has a description and its "
               "source. Without WHAT, prints the names of all of them; --json adds the descriptions.",
    .examples = examples,
    .options = options,
    .arguments_max = 1,
    .run = run,
};

/* topogemm list: what there is. */
#include "algo.h"
#include "cli.h"
#include "executors.h"
#include "output.h"

#include "algo-library.h"
#include "historic.h"
#include "json-fields.h"
#include "kernel.h"
#include "machine-library.h"
#include "machine.h"
#include "shape.h"
#include "suggestion.h"

#include <math.h>
#include <string.h>

enum { TG_LIST_COLUMNS = 80 };

/* Entries of two parts: a row of a table, and text that stands below it, wrapped. */
typedef struct TgListing {
  struct TgTable *table;
  GPtrArray *texts; /* char * */
} TgListing;

enum { INDENT = 4 };

/* Ends an entry, whose cells are in the table. */
static void TG_PRINTF(2, 3) listing_add(TgListing *listing, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(listing->texts, g_strdup_vprintf(format, arguments));
  va_end(arguments);
}

/* With the words of its heading. */
static TgListing listing_new(const char *align, const char *row, const char *text) {
  TgListing listing = {tg_table_new(align), g_ptr_array_new_with_free_func(g_free)};
  tg_table_add_row(listing.table, row);
  listing_add(&listing, "%s", text);
  return listing;
}

/* Prints the entries within 80 columns, and frees the listing. */
static void listing_print(TgCli *cli, TgListing *listing) {
  g_auto(GStrv) lines = tg_table_lines(listing->table);
  for (guint i = 0; i < listing->texts->len; i++) {
    tg_print_styled(cli, i ? TG_STYLE_PLAIN : TG_STYLE_HEADING, "%s\n", lines[i]);
    tg_print_wrapped_within(cli, listing->texts->pdata[i], INDENT, 0, TG_LIST_COLUMNS);
  }
  tg_table_free(listing->table);
  g_ptr_array_unref(listing->texts);
}

/* Appends a name to a list with commas. */
static void list_append(GString *names, const char *name) {
  g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
}

/* --- the ladder --------------------------------------------------------------------------------------------------- */

static void list_kernels_names(GString *names) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) list_append(names, kernels[i].name);
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  for (size_t p = 0; p < count; p++)
    g_string_append_printf(names, "%s %zu in %s", p ? "," : "; from papers:", papers[p]->count, papers[p]->name);
}

static void list_kernels_print(TgCli *cli) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  TgListing listing = listing_new("lll", "kernel|types|GPU from", "idea (source)");
  for (size_t i = 0; i < count; i++) {
    tg_table_add(listing.table, "%s", kernels[i].name);
    tg_table_add(listing.table, "%s", kernels[i].elements >> TG_F64 & 1 ? "f32 f64" : "f32");
    tg_table_add(listing.table, "%d.%d%s", kernels[i].capability / 10, kernels[i].capability % 10,
                 kernels[i].newest == kernels[i].capability ? " only" : "");
    listing_add(&listing, "%s (%s)", kernels[i].idea, kernels[i].source);
  }
  listing_print(cli, &listing);
  if (!tg_kernel_built())
    tg_print(cli, "not available: this build has no CUDA; on the CPU, BLAS computes the products\n");
}

static void write_types(TgJson *json, const char *types) {
  g_auto(GStrv) words = g_strsplit(types, " ", -1);
  tg_json_member_array(json, "types", TG_JSON_ROW);
  for (char **word = words; *word; word++) tg_json_string(json, *word);
  tg_json_end_array(json);
}

static void list_kernels_write(TgJson *json) {
  size_t count;
  const TgKernel *kernels = tg_kernel_list(&count);
  for (size_t i = 0; i < count; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernels[i].name);
    write_types(json, kernels[i].elements >> TG_F64 & 1 ? "f32 f64" : "f32");
    tg_json_member_double(json, "compute_capability", kernels[i].capability / 10.0);
    tg_json_member_double(json, "newest_compute_capability", kernels[i].newest ? kernels[i].newest / 10.0 : NAN);
    tg_json_member_bool(json, "exact", kernels[i].exact);
    tg_json_member_bool(json, "built", tg_kernel_built());
    tg_json_member_string(json, "idea", kernels[i].idea);
    tg_json_member_string(json, "source", kernels[i].source);
    tg_json_end_object(json);
  }
}

/* --- papers ------------------------------------------------------------------------------------------------------- */

static const char *types_of(const TgHistoric *kernel) {
  static const char *const names[] = {"", "f32", "i32", "f32 i32"};
  return names[kernel->types];
}

static void add_paper(TgListing *listing, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    g_autoptr(GString) widths = g_string_new(NULL);
    for (int w = 0; w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++)
      g_string_append_printf(widths, "%s%d", w ? "," : "", kernel->widths[w]);
    tg_table_add(listing->table, "%s", kernel->name);
    tg_table_add(listing->table, "%s", types_of(kernel));
    tg_table_add(listing->table, "%s", widths->str);
    listing_add(listing, "%s (%s)%s%s", kernel->idea, kernel->where, kernel->defect ? "; defect: " : "",
                kernel->defect ? kernel->defect : "");
  }
}

static void list_historic_print(TgCli *cli) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  if (count == 0) {
    tg_print(cli, "this build has no kernels from papers (-Dpapers=false)\n");
    return;
  }
  TgListing listing = listing_new("lll", "kernel from a paper|types|widths", "idea (where in the paper)");
  for (size_t p = 0; p < count; p++) add_paper(&listing, papers[p]);
  listing_print(cli, &listing);
  for (size_t p = 0; p < count; p++) {
    tg_print(cli, "%s: ", papers[p]->name);
    tg_print_wrapped_within(cli, papers[p]->source, 4, (int)strlen(papers[p]->name) + 2, TG_LIST_COLUMNS);
  }
}

static void write_paper(TgJson *json, const TgHistoricPaper *paper) {
  for (size_t k = 0; k < paper->count; k++) {
    const TgHistoric *kernel = &paper->kernels[k];
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", kernel->name);
    write_types(json, types_of(kernel));
    tg_json_member_array(json, "widths", TG_JSON_ROW);
    for (int w = 0; w < TG_HISTORIC_WIDTHS && kernel->widths[w]; w++) tg_json_integer(json, kernel->widths[w]);
    tg_json_end_array(json);
    tg_json_member_bool(json, "built", tg_historic_built(kernel));
    tg_json_member_string(json, "idea", kernel->idea);
    tg_json_member_string(json, "defect", kernel->defect);
    tg_json_member_string(json, "where", kernel->where);
    tg_json_member_string(json, "source", paper->source);
    tg_json_end_object(json);
  }
}

static void list_historic_write(TgJson *json) {
  size_t count;
  const TgHistoricPaper *const *papers = tg_historic_papers(&count);
  for (size_t p = 0; p < count; p++) write_paper(json, papers[p]);
}

static bool parse_entry(const TgLibraryEntry *entry, TgAlgo *algo) {
  algo->source = (TgSource){entry->name, entry->text, entry->length};
  return tg_schedule_parse(&algo->schedule, &algo->names, entry->text, entry->length, NULL);
}

static void name_algorithms(GString *names) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) list_append(names, entries[i].name);
}

static void print_algorithms(TgCli *cli) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgListing listing = listing_new("lll", "algorithm|grid|computes", "source");
  for (size_t i = 0; i < count; i++) {
    g_auto(TgAlgo) algo = {0};
    if (!parse_entry(&entries[i], &algo)) continue;
    tg_table_add(listing.table, "%s", entries[i].name);
    tg_table_add(listing.table, "%s", tg_name(&algo.names, algo.names.grid));
    tg_table_add(listing.table, "%s", tg_computes_text(&algo.schedule.computes).s);
    listing_add(&listing, "%s", tg_name(&algo.names, algo.names.citation));
  }
  listing_print(cli, &listing);
}

static void name_topologies(GString *names) {
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) list_append(names, tg_network_kind_info(kind)->name);
  g_string_append(names, "; and compositions such as switch:4*torus:2x4");
}

static void print_topologies(TgCli *cli) {
  TgListing listing = listing_new("ll", "topology|example", "links and routes");
  for (int kind = 0; kind < TG_NETWORK_KINDS; kind++) {
    const TgNetworkKindInfo *info = tg_network_kind_info(kind);
    tg_table_add(listing.table, "%s", info->name);
    tg_table_add(listing.table, "%s", info->example);
    listing_add(&listing, "%s", info->summary);
  }
  listing_print(cli, &listing);
  tg_print(cli, "compositions: inner*outer, as in switch:4*torus:2x4\n");
  tg_print_wrapped_within(cli, "four nodes on each of eight switches", 4, 0, TG_LIST_COLUMNS);
}

static void name_machines(GString *names) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  for (size_t i = 0; i < count; i++) list_append(names, entries[i].name);
}

static void print_machines(TgCli *cli) {
  size_t count;
  const TgMachineEntry *entries = tg_machine_library_list(&count);
  TgListing listing = listing_new("ll", "machine|network", "source of its numbers");
  for (size_t i = 0; i < count; i++) {
    TgMachine machine;
    if (!tg_machine_parse(&machine, entries[i].text, entries[i].length, NULL)) continue;
    tg_table_add(listing.table, "%s", entries[i].name);
    tg_table_add(listing.table, "%s", *machine.network ? machine.network : "any");
    listing_add(&listing, "%s: %s", machine.name, machine.source);
  }
  listing_print(cli, &listing);
}

/* "copy, pull" */
static char *transports_text(const TgExecutorKind *kind) {
  GString *text = g_string_new(NULL);
  for (int t = 0; t < TG_TRANSPORTS; t++)
    if (kind->transports >> t & 1) list_append(text, tg_transport_name((TgTransport)t));
  return g_string_free(text, FALSE);
}

static void name_executors(GString *names) {
  for (const TgExecutorKind *const *kind = tg_executors; *kind; kind++) list_append(names, (*kind)->name);
}

static void print_executors(TgCli *cli) {
  TgListing listing = listing_new("lll", "executor|runs on|transport", "what a processor and a link are");
  for (const TgExecutorKind *const *row = tg_executors; *row; row++) {
    const TgExecutorKind *kind = *row;
    g_autofree char *transports = transports_text(kind);
    tg_table_add(listing.table, "%s", kind->name);
    tg_table_add(listing.table, "%s", kind->on_gpu ? "a GPU" : "the CPU");
    tg_table_add(listing.table, "%s", transports);
    listing_add(&listing, "processor: %s; link: %s", kind->processor, kind->link);
  }
  listing_print(cli, &listing);
}

static void write_algorithms(TgJson *json) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  for (size_t i = 0; i < count; i++) {
    g_auto(TgAlgo) algo = {0};
    if (!parse_entry(&entries[i], &algo)) continue;
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", entries[i].name);
    tg_json_member_string(json, "grid", tg_name(&algo.names, algo.names.grid));
    tg_json_member_string(json, "computes", tg_computes_text(&algo.schedule.computes).s);
    tg_json_member_string(json, "source", tg_name(&algo.names, algo.names.citation));
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
    tg_json_member_bool(json, "built", kind->built ? kind->built() : !kind->on_gpu || tg_kernel_built());
    tg_json_member_array(json, "transports", TG_JSON_ROW);
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
    {"kernels", "kernels", list_kernels_names, list_kernels_print, list_kernels_write},
    {"kernels", "papers_kernels", NULL, list_historic_print, list_historic_write},
    {"executors", "executors", name_executors, print_executors, write_executors},
};

static void write_sections(TgCli *cli, const char *wanted) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "list");
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) {
    if (wanted && strcmp(wanted, sections[i].name) != 0) continue;
    tg_json_member_array(json, sections[i].key, TG_JSON_LINES);
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
  tg_print(cli, "\n`topogemm list algorithms` describes each algorithm; likewise for\n"
                "topologies, machines, kernels and executors.\n");
}

static bool is_section(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
    if (strcmp(name, sections[i].name) == 0) return true;
  return false;
}

static TgExit unknown_section(const TgCli *cli, const char *name) {
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++) tg_suggestion_try(&meant, sections[i].name);
  if (meant.nearest) return tg_report(cli, TG_EXIT_USAGE, "list: no `%s`; did you mean `%s`?", name, meant.nearest);
  return tg_report(cli, TG_EXIT_USAGE, "list: no `%s`; expected algorithms, topologies, machines, kernels or executors",
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

/* A section may have several rows. */
static char *words(void) {
  GString *names = g_string_new(NULL);
  for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
    if (sections[i].names) g_string_append_printf(names, "%s%s", names->len ? " " : "", sections[i].name);
  return g_string_free(names, FALSE);
}

static const char *const options[] = {"json", NULL};
static const TgExample examples[] = {
    {"list algorithms", "the library of schedules, each with its grid and source"},
    {"list topologies", "the kinds of network, for --network and `topogemm topo`"},
    {"list kernels", "kernels for one GPU: the ladder and those from papers"},
    {"list --json", "everything, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_list = {
    .name = "list",
    .arguments = "[WHAT]",
    .summary = "list algorithms, topologies, machines, kernels and executors",
    .details = "WHAT is algorithms, topologies, machines, kernels or executors. Each entry has a description and its "
               "source. Without WHAT, prints all the names; --json adds the descriptions.",
    .words = words,
    .examples = examples,
    .options = options,
    .arguments_max = 1,
    .run = run,
};

#include "options.h"

#include "suggestion.h"

#include <stddef.h>
#include <string.h>

typedef struct TgOptionRow {
  const char *name;
  char letter;
  GOptionArg kind;
  size_t member; /* of TgOptions */
  TgFileUse use;
  const char *value, *describe;
} TgOptionRow;

#define AT(member) offsetof(TgOptions, member), TG_FILE_NONE
/* The kind, the member and the use of an option that names files: there is no other way to write such a row, so each
 * takes part in the check of inputs and outputs (output-files.h). */
#define READS(member) G_OPTION_ARG_FILENAME, offsetof(TgOptions, member), TG_FILE_READ
#define READS_ALGOS(member) G_OPTION_ARG_STRING, offsetof(TgOptions, member), TG_FILE_READ_ALGOS
#define READS_CACHE(member) G_OPTION_ARG_NONE, offsetof(TgOptions, member), TG_FILE_READ_CACHE
#define WRITES(member) G_OPTION_ARG_FILENAME, offsetof(TgOptions, member), TG_FILE_WRITE

static const TgOptionRow rows[] = {
    {"help", 'h', G_OPTION_ARG_NONE, AT(help), NULL, "this text"},
    {"color", 0, G_OPTION_ARG_STRING, AT(color), "WHEN",
     "auto (on a terminal, unless NO_COLOR is set), always or never"},
    {"version", 0, G_OPTION_ARG_NONE, AT(version), NULL, "the version, and what was built in"},
    {"json", 0, G_OPTION_ARG_NONE, AT(json), NULL, "one JSON document on standard output, and nothing else there"},
    {"quiet", 'q', G_OPTION_ARG_NONE, AT(quiet), NULL, "no report: the exit status tells"},
    {"grid", 'g', G_OPTION_ARG_STRING, AT(grid), "4x4", "extents of the grid of processors, in the schedule's order"},
    {"set", 0, G_OPTION_ARG_STRING_ARRAY, AT(set), "c=2", "value of a parameter of the schedule; repeatable"},
    {"for", 0, G_OPTION_ARG_STRING_ARRAY, AT(ranges), "q=1..32",
     "check a range of values, joined by commas or repeated: all combinations; without a name (1..8) it is the "
     "range of every parameter that needs a value"},
    {"all", 0, G_OPTION_ARG_NONE, AT(all), NULL, "all of them"},
    {"n", 'n', G_OPTION_ARG_STRING, AT(n), "N", "square matrices of N rows: short for --size NxNxN"},
    {"size", 0, G_OPTION_ARG_STRING, AT(size), "MxNxK", "C is M x N, and the products run over K inner elements"},
    {"type", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64", "type of the elements; else that of the files, else f32"},
    {"type:calibrate", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64", "type of the elements; else f32"},
    {"type:bench", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64|i32", "type of the elements, as the experiment has it"},
    {"network", 0, G_OPTION_ARG_STRING, AT(network), "NETWORK",
     "what the grid is laid on (torus:4x4, hypercube:4, see `topogemm list topologies`); else a torus of the grid's "
     "extents"},
    {"embed", 0, G_OPTION_ARG_STRING, AT(embed), "HOW", "rowmajor, gray or snake: how the grid lies on the network"},
    {"collective", 0, G_OPTION_ARG_STRING, AT(collective), "FORM",
     "native (left whole) or how broadcasts and the like go in rounds: auto, binomial, ring, chain, "
     "recursive-doubling, scatter-allgather, pairwise"},
    {"seed", 0, G_OPTION_ARG_STRING, AT(seed), "N", "of the random numbers, 0 and up; else 1"},
    {"a", 0, READS(a), "FILE", "matrix A, from .npy, .mtx or .raw (.raw needs --size and --type)"},
    {"b", 0, READS(b), "FILE", "matrix B"},
    {"c", 0, WRITES(c), "FILE", "where to write C, once it is checked: .npy, .mtx or .raw"},
    {"step", 's', G_OPTION_ARG_STRING, AT(step), "S", "the step; 0 is the initial placement"},
    {"blocks", 0, G_OPTION_ARG_NONE, AT(blocks), NULL, "print the blocks of every processor, however many"},
    {"messages", 0, G_OPTION_ARG_NONE, AT(messages), NULL, "print each message"},
    {"integers", 0, G_OPTION_ARG_NONE, AT(integers), NULL,
     "draw whole numbers from -4 to 4, whose products and sums are exact"},
    {"interactive", 'i', G_OPTION_ARG_NONE, AT(interactive), NULL, "on a terminal: forward and back by key"},
    {"spacetime", 0, G_OPTION_ARG_NONE, AT(spacetime), NULL,
     "processors against predicted time, with the critical path"},
    {"memory", 0, G_OPTION_ARG_NONE, AT(memory), NULL, "blocks that processors hold in every step, with the peak"},
    {"heat", 0, G_OPTION_ARG_STRING, AT(heat), "WHAT",
     "what colours mean on grids too large for cells: auto, link (load), received or held (blocks)"},
    {"flops-per-s", 0, G_OPTION_ARG_STRING, AT(flops_per_s), "RATE",
     "how fast a processor multiplies, as in 2e11; else 1e9, a nanosecond a flop"},
    {"sizes", 0, G_OPTION_ARG_STRING, AT(sizes), "N,N,…", "square sizes to measure at; else the experiment's own"},
    {"sizes:calibrate", 0, G_OPTION_ARG_STRING, AT(sizes), "N,N,…",
     "elements along a side of a processor's block, at least 3 of them; for what tiles problems around the schedule, "
     "their k; else the executor's own"},
    {"budget:calibrate", 0, G_OPTION_ARG_STRING, AT(budget), "SECONDS",
     "of trials, a sample: from 3 to 20 runs, after a fifth of it, at most 0.2 s, to warm up; else 0.15"},
    {"output:machine", 'o', WRITES(output), "FILE.machine", "write the machine file"},
    {"machine:compare", 0, READS(machine), "FILE",
     "a machine file of `topogemm calibrate` for this executor; else it is calibrated first"},
    {"trace:compare", 0, WRITES(trace), "FILE.json",
     "write both, predicted and measured, as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:compare", 'o', WRITES(output), "FILE",
     "the JSON document (.json), or a plot of the steps (.svg, .png, .pdf; .gp is its script)"},
    {"kernels", 0, G_OPTION_ARG_STRING, AT(kernels), "NAME,NAME,…",
     "kernels of `topogemm list kernels` to measure; else all of the experiment"},
    {"budget", 0, G_OPTION_ARG_STRING, AT(budget), "SECONDS",
     "of trials, a kernel and size: as many as fit, and none over 40 times that, or 1; else the experiment's own"},
    {"trials:bench", 0, G_OPTION_ARG_STRING, AT(trials), "N",
     "at least so many, or as many of them as fit 20 s, a kernel and size (beside it, of calls, cold and of "
     "transfers, 2.5 s), and no fewer than 3"},
    {"quick", 0, G_OPTION_ARG_NONE, AT(quick), NULL, "few sizes and few trials: whether all of it works"},
    {"cpu-only", 0, G_OPTION_ARG_NONE, AT(cpu_only), NULL, "only what needs no GPU"},
    {"no-cache", 0, READS_CACHE(no_cache), NULL, "neither read nor keep what is found out about this machine"},
    {"cold", 0, G_OPTION_ARG_NONE, AT(cold), NULL, "empty the second-level cache before each launch"},
    {"cold:run", 0, G_OPTION_ARG_NONE, AT(cold), NULL, "empty a GPU's second-level cache before each run"},
    {"baseline", 0, G_OPTION_ARG_STRING, AT(baseline), "KERNEL",
     "also time this kernel of `topogemm list kernels` on the same matrices, for comparison (cublas, for example)"},
    {"beside", 0, READS_ALGOS(beside), "ALGO,…",
     "page: further schedules, side by side with the first; of the grids in --grid 4x4,4x4x4 each takes its own"},
    {"machine:draw", 0, READS(machine), "NAME|FILE",
     "page, --spacetime: the machine whose time is predicted, of `topogemm list machines` or a file; else "
     "commodity-cluster"},
    {"variant", 0, G_OPTION_ARG_STRING, AT(variant), "N",
     "number of the executor's kernel, from 1, where it has several; 0: its own choice; else what `bench shapes` kept"},
    {"on", 0, G_OPTION_ARG_STRING, AT(on), "EXECUTOR",
     "what executes it: cpu, threads, clusters, blocks (see `topogemm list executors`)"},
    {"on:trace", 0, G_OPTION_ARG_STRING, AT(on), "EXECUTOR",
     "execute it, too: cpu, threads, clusters, blocks (see `topogemm list executors`)"},
    {"transport", 0, G_OPTION_ARG_STRING, AT(transport), "copy|pull|load",
     "how a block gets to another processor: copied there, read where it was written, or loaded there again; else "
     "copy"},
    {"transport:run", 0, G_OPTION_ARG_STRING, AT(transport), "copy|pull|load",
     "how a block gets to another processor: copied there, read where it was written, or loaded there again; else "
     "copy. Several, joined by commas, run one after another"},
    {"trials", 0, G_OPTION_ARG_STRING, AT(trials), "N",
     "runs that are timed; else as many as fit 2 s, 20 to 100, and fewer only where 20 take over 20 s"},
    {"warmup", 0, G_OPTION_ARG_STRING, AT(warmup), "N", "runs before them that are not; else 2"},
    {"deadline", 0, G_OPTION_ARG_STRING, AT(deadline), "SECONDS",
     "longest wait of one processor for another, then the run fails; else 20"},
    {"device", 0, G_OPTION_ARG_STRING, AT(device), "N", "number of the GPU, 0 and up; else 0"},
    {"trace:run", 0, WRITES(trace), "FILE.json",
     "write the measured steps as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:json", 'o', WRITES(output), "FILE.json", "write the JSON document there, too"},
    {"machine", 0, READS(machine), "NAME|FILE",
     "a machine of `topogemm list machines`, or a file; else commodity-cluster"},
    {"model", 0, G_OPTION_ARG_STRING, AT(model), "MODEL",
     "how transfers are timed: hockney (links are never shared; the default), store-and-forward, flow or loggp"},
    {"fair", 0, G_OPTION_ARG_STRING, AT(fair), "HOW",
     "with --model flow: equal shares of a link, or by latency (each path by 1 / its latency; the default)"},
    {"overlap", 0, G_OPTION_ARG_STRING, AT(overlap), "on|off",
     "whether products run beside later transfers that do not need them; else on"},
    {"skew", 0, G_OPTION_ARG_STRING, AT(skew), "SECONDS", "every node starts at a random time below this"},
    {"jitter", 0, G_OPTION_ARG_STRING, AT(jitter), "F", "every cost times 1 plus a random number below F"},
    {"straggler", 0, G_OPTION_ARG_STRING, AT(straggler), "NODE:F", "a node whose products take F times as long"},
    {"formula", 0, G_OPTION_ARG_NONE, AT(formula), NULL,
     "the closed form of the literature with its source, and why the prediction is another time"},
    {"symbols", 0, G_OPTION_ARG_STRING, AT(symbols), "grama|alpha-beta",
     "symbols of the closed form: t_s, t_w, t_h or α, β, τ; asks for --formula"},
    {"sweep", 0, G_OPTION_ARG_STRING, AT(sweep), "n=…,p=…",
     "predict at many points, as in n=512..16384:x2,p=16,64,256"},
    {"efficiency", 0, G_OPTION_ARG_STRING, AT(efficiency), "E",
     "with --sweep p=…: find the n that holds the efficiency E, as in 0.8"},
    {"trace", 0, WRITES(trace), "FILE.json",
     "write the prediction as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:trace", 'o', WRITES(trace), "FILE.json", "the trace"},
    {"from", 0, G_OPTION_ARG_STRING, AT(from), "PLACE",
     "where the blocks are that local products stream: disk, cache (a disk behind the page cache), host or device"},
    {"tiles", 0, G_OPTION_ARG_STRING, AT(tiles), "XxYxZ",
     "with --from: blocks of A (XxY), of B (YxZ) and of C (XxZ) that are in memory at a time; else auto, planned"},
    {"pipeline", 0, G_OPTION_ARG_STRING, AT(pipeline), "on|off|full",
     "with --from: whether reading, copying and multiplying run beside each other, full: writing of C, too; else on"},
    {"in-memory", 0, G_OPTION_ARG_STRING, AT(in_memory), "X,Y",
     "with --from: buffers of the schedule that are in the processors' memory all the same"},
    {"by-rows", 0, G_OPTION_ARG_STRING, AT(by_rows), "B",
     "with --from: buffers that lie on the disk row by row, so that blocks of them are not in one piece"},
    {"procs", 'p', G_OPTION_ARG_STRING, AT(procs), "P", "processors, at most"},
    {"memory:bytes", 0, G_OPTION_ARG_STRING, AT(memory_bytes), "BYTES",
     "memory of a processor, as in 16e9, or inf; else the machine's"},
    {"top", 0, G_OPTION_ARG_STRING, AT(top), "K", "places of the ranking; else 10"},
    {"memory-limit", 0, G_OPTION_ARG_STRING, AT(memory_limit), "SIZE",
     "memory that the command may take, as in 4G; what needs more is refused (default: what is available)"},
    {"output", 'o', WRITES(output), "FILE", "where to write; the suffix says the format"},
};

static const char *const common[] = {"color", "help", NULL};

static const TgOptionRow *find_row(const char *name) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
    if (strcmp(rows[i].name, name) == 0) return &rows[i];
  g_error("no option --%s in the table", name);
}

/* Rows whose option means something else in another subcommand are told apart by what follows a colon. */
static const char *long_name(const TgOptionRow *row) {
  const char *colon = strchr(row->name, ':');
  if (!colon) return row->name;
  g_autofree char *name = g_strndup(row->name, (gsize)(colon - row->name));
  return g_intern_string(name);
}

TgOptionText tg_option_text(const char *name) {
  const TgOptionRow *row = find_row(name);
  return (TgOptionText){long_name(row), row->letter, row->value, row->describe};
}

TgOptionFile tg_option_file(const TgOptions *options, const char *name) {
  const TgOptionRow *row = find_row(name);
  TgOptionFile file = {.use = row->use};
  if (row->letter)
    g_snprintf(file.option, sizeof file.option, "-%c", row->letter);
  else
    g_snprintf(file.option, sizeof file.option, "--%s", long_name(row));
  if (row->kind != G_OPTION_ARG_NONE && row->use) file.value = *(char *const *)((const char *)options + row->member);
  return file;
}

const char *const *tg_options_common(void) {
  return common;
}

static void add_entry(GArray *entries, const char *name, TgOptions *options) {
  const TgOptionRow *row = find_row(name);
  gpointer member = (char *)options + row->member;
  GOptionEntry entry = {long_name(row), row->letter, 0, row->kind, member, NULL, NULL};
  g_array_append_val(entries, entry);
}

/* Appends the nearest option that is accepted here to the message of an unknown one, or says that it belongs
 * elsewhere. */
static void suggest_option(GError *error, const char *const *accepted) {
  const char *unknown = strstr(error->message, "--");
  if (!unknown || !g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) return;
  g_autofree char *name = g_strndup(unknown + 2, strcspn(unknown + 2, "= "));
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (const char *const *option = accepted; *option; option++) tg_suggestion_try(&meant, long_name(find_row(*option)));
  for (const char *const *option = common; *option; option++) tg_suggestion_try(&meant, *option);
  char *message = NULL;
  if (meant.nearest)
    message = g_strdup_printf("unknown option --%s, did you mean --%s?", name, meant.nearest);
  else
    message = g_strdup_printf("unknown option --%s", name);
  g_free(error->message);
  error->message = message;
}

bool tg_options_parse(TgOptions *options, const char *const *accepted, int argc, char **argv, GError **error) {
  g_autoptr(GArray) entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
  for (const char *const *name = accepted; *name; name++) add_entry(entries, *name, options);
  for (const char *const *name = common; *name; name++) add_entry(entries, *name, options);
  GOptionEntry rest = {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->arguments, NULL, NULL};
  g_array_append_val(entries, rest);
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_help_enabled(context, FALSE);
  g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)entries->data, NULL);
  g_autoptr(GError) problem = NULL;
  if (g_option_context_parse(context, &argc, &argv, &problem)) return true;
  suggest_option(problem, accepted);
  g_propagate_error(error, g_steal_pointer(&problem));
  return false;
}

/* A member may have several rows, which differ in their words. */
void tg_options_clear(TgOptions *options) {
  for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
    void *member = (char *)options + rows[i].member;
    if (rows[i].kind == G_OPTION_ARG_STRING || rows[i].kind == G_OPTION_ARG_FILENAME)
      g_clear_pointer((char **)member, g_free);
    if (rows[i].kind == G_OPTION_ARG_STRING_ARRAY) g_clear_pointer((char ***)member, g_strfreev);
  }
  g_strfreev(options->arguments);
  memset(options, 0, sizeof *options);
}

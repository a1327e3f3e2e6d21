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
    {"help", 'h', G_OPTION_ARG_NONE, AT(help), NULL, "print this help"},
    {"color", 0, G_OPTION_ARG_STRING, AT(color), "auto|always|never",
     "when to use colour (default: auto, on a terminal unless NO_COLOR is set)"},
    {"version", 0, G_OPTION_ARG_NONE, AT(version), NULL, "print the version and the features built in"},
    {"json", 0, G_OPTION_ARG_NONE, AT(json), NULL, "print one JSON document on standard output and nothing else"},
    {"quiet", 'q', G_OPTION_ARG_NONE, AT(quiet), NULL, "print nothing; report through the exit status only"},
    {"grid", 'g', G_OPTION_ARG_STRING, AT(grid), "4x4",
     "extents of the processor grid, in the order of the schedule's coordinates"},
    {"set", 0, G_OPTION_ARG_STRING_ARRAY, AT(set), "c=2", "set a parameter of the schedule; repeatable"},
    {"for", 0, G_OPTION_ARG_STRING_ARRAY, AT(ranges), "q=1..32",
     "check a range of values of a parameter; several ranges, separated by commas or by repeating the option, check "
     "all combinations; a range without a name (1..8) applies to every parameter that needs a value"},
    {"all", 0, G_OPTION_ARG_NONE, AT(all), NULL, "every schedule of the library"},
    {"all:draw", 0, G_OPTION_ARG_NONE, AT(all), NULL, "draw all steps"},
    {"n", 'n', G_OPTION_ARG_STRING, AT(n), "N", "multiply N x N matrices; short for --size NxNxN"},
    {"size", 0, G_OPTION_ARG_STRING, AT(size), "MxNxK", "sizes of the matrices: A is M x K, B is K x N, C is M x N"},
    {"type", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64", "element type (default: that of the input files, or f32)"},
    {"type:calibrate", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64", "element type (default: f32)"},
    {"type:bench", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64|i32", "element type, one that the experiment supports"},
    {"network", 0, G_OPTION_ARG_STRING, AT(network), "NETWORK",
     "network to map the grid onto, such as torus:4x4 or hypercube:4, or just a kind, except spine, ecmp and "
     "dragonfly, for one node per processor; see "
     "`topogemm list topologies` (default: where a machine is used, its own network if that has one node per "
     "processor; otherwise a torus with the grid's extents)"},
    {"embed", 0, G_OPTION_ARG_STRING, AT(embed), "rowmajor|gray|snake|tiled|fold",
     "mapping of the grid onto the network (default: rowmajor)"},
    {"collective", 0, G_OPTION_ARG_STRING, AT(collective), "HOW",
     "native (one operation each) or the algorithm that carries out collectives in rounds: auto, binomial, ring, "
     "chain, recursive-doubling, scatter-allgather, pairwise"},
    {"seed", 0, G_OPTION_ARG_STRING, AT(seed), "N", "seed of the random numbers, 0 or more (default: 1)"},
    {"a", 0, READS(a), "FILE", "read matrix A from a .npy, .mtx or .raw file (.raw needs --size and --type)"},
    {"b", 0, READS(b), "FILE", "read matrix B from a file"},
    {"c", 0, WRITES(c), "FILE", "write C to a .npy, .mtx or .raw file after checking it"},
    {"step", 's', G_OPTION_ARG_STRING, AT(step), "S", "number of the step; 0 is the initial placement"},
    {"blocks", 0, G_OPTION_ARG_NONE, AT(blocks), NULL, "print the blocks of every processor, however many there are"},
    {"messages", 0, G_OPTION_ARG_NONE, AT(messages), NULL, "print every message"},
    {"integers", 0, G_OPTION_ARG_NONE, AT(integers), NULL,
     "use random integers in [-4, 4], so that all results are exact"},
    {"interactive", 'i', G_OPTION_ARG_NONE, AT(interactive), NULL, "step forward and back in the terminal with keys"},
    {"spacetime", 0, G_OPTION_ARG_NONE, AT(spacetime), NULL,
     "draw processors against predicted time, with the critical path"},
    {"memory", 0, G_OPTION_ARG_NONE, AT(memory), NULL,
     "draw the number of blocks that each processor holds in each step, with the peak"},
    {"heat", 0, G_OPTION_ARG_STRING, AT(heat), "auto|link|received|held",
     "what colours show on grids too large for separate cells: link load, blocks received or blocks held (default: "
     "auto)"},
    {"flops-per-s", 0, G_OPTION_ARG_STRING, AT(flops_per_s), "RATE",
     "speed of a processor in flop/s, such as 2e11 (default: 1e9, one flop per nanosecond)"},
    {"sizes", 0, G_OPTION_ARG_STRING, AT(sizes), "N,N,…",
     "square matrix sizes to measure (default: set by the experiment)"},
    {"sizes:calibrate", 0, G_OPTION_ARG_STRING, AT(sizes), "N,N,…",
     "side lengths of a processor's block, at least 3 of them; for executors that tile a larger problem around the "
     "schedule, the inner dimension k (default: set by the executor)"},
    {"budget:calibrate", 0, G_OPTION_ARG_STRING, AT(budget), "SECONDS",
     "time budget for each sample of 3 to 20 timed runs; the warm-up takes a fifth of it, at most 0.2 s (default: "
     "0.15)"},
    {"output:machine", 'o', WRITES(output), "FILE.machine", "write the machine file"},
    {"machine:compare", 0, READS(machine), "FILE",
     "machine file that `topogemm calibrate` wrote for this executor (default: calibrate first)"},
    {"trace:compare", 0, WRITES(trace), "FILE.json",
     "write prediction and measurement as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:compare", 'o', WRITES(output), "FILE",
     "write the JSON document (.json) or a plot of the steps (.svg, .png, .pdf; .gp for its gnuplot script); with "
     "--campaign, the results (.csv)"},
    {"campaign", 0, READS(campaign), "FILE",
     "compare many cases: each line has one or more ALGOs and any of --grid, --set, -n, --size and --collective; "
     "other options apply to all lines; # begins a comment"},
    {"dry-run", 0, G_OPTION_ARG_NONE, AT(dry_run), NULL,
     "with --campaign: only predict, and write the predictions to -o"},
    {"plot", 0, WRITES(plot), "FILE", "with --campaign: plot predicted against measured times (.svg, .png, .pdf, .gp)"},
    {"kernels", 0, G_OPTION_ARG_STRING, AT(kernels), "NAME,NAME,…",
     "kernels to measure, from `topogemm list kernels` (default: all kernels of the experiment)"},
    {"budget", 0, G_OPTION_ARG_STRING, AT(budget), "SECONDS",
     "time budget for each kernel and size; trials longer than max(40 x budget, 1 s) are skipped (default: set by the "
     "experiment)"},
    {"trials:bench", 0, G_OPTION_ARG_STRING, AT(trials), "N",
     "run at least N trials for each kernel and size, or as many as fit in 20 s, but no fewer than 3 (calls, cold "
     "launches and transfers, timed separately: 2.5 s)"},
    {"quick", 0, G_OPTION_ARG_NONE, AT(quick), NULL, "use few sizes and few trials, to see whether everything works"},
    {"cpu-only", 0, G_OPTION_ARG_NONE, AT(cpu_only), NULL, "run only what needs no GPU"},
    {"no-cache", 0, READS_CACHE(no_cache), NULL, "neither read nor write the cache of tuning results for this machine"},
    {"noisy", 0, G_OPTION_ARG_NONE, AT(noisy), NULL, "accept that the machine is busy, and its figures uncertain"},
    {"disk", 0, G_OPTION_ARG_STRING, AT(disk), "FOLDER",
     "also measure the disk that holds this folder, for `sim --from disk`; takes up to half a minute"},
    {"cold", 0, G_OPTION_ARG_NONE, AT(cold), NULL, "empty the L2 cache before each launch"},
    {"cold:run", 0, G_OPTION_ARG_NONE, AT(cold), NULL, "empty the GPU's L2 cache before each run"},
    {"baseline", 0, G_OPTION_ARG_STRING, AT(baseline), "KERNEL",
     "also time this kernel of `topogemm list kernels` on the same matrices, for comparison; for example, cublas"},
    {"beside", 0, READS_ALGOS(beside), "ALGO,…",
     "HTML page: show these schedules next to the first; each uses the grid of --grid 4x4,4x4x4 that fits it"},
    {"machine:draw", 0, READS(machine), "NAME|FILE",
     "HTML page and --spacetime: machine to predict times for, a name from `topogemm list machines` or a file "
     "(default: commodity-cluster)"},
    {"variant", 0, G_OPTION_ARG_STRING, AT(variant), "N",
     "kernel variant of the executor, counted from 1; 0: the executor's own choice (default: the fastest that `bench "
     "shapes` found, or the executor's choice)"},
    {"on", 0, G_OPTION_ARG_STRING, AT(on), "EXECUTOR",
     "executor to run the schedule on, such as cpu; see `topogemm list executors`"},
    {"on:trace", 0, G_OPTION_ARG_STRING, AT(on), "EXECUTOR",
     "also execute the schedule on this executor; see `topogemm list executors`"},
    {"transport", 0, G_OPTION_ARG_STRING, AT(transport), "copy|pull|load|message",
     "how a block gets to another processor: copy (into the receiver's memory), pull (the receiver reads it in place), "
     "load (the receiver loads it from the matrix again) or message (by MPI, even within a host) (default: copy)"},
    {"transport:run", 0, G_OPTION_ARG_STRING, AT(transport), "copy|pull|load|message",
     "how a block gets to another processor: copy (into the receiver's memory), pull (the receiver reads it in place), "
     "load (the receiver loads it from the matrix again) or message (by MPI, even within a host); several, separated "
     "by "
     "commas, run one after another (default: copy)"},
    {"trials", 0, G_OPTION_ARG_STRING, AT(trials), "N",
     "number of timed runs (default: as many as fit in 2 s, from 20 to 100; if 20 take over 20 s, as many as fit in "
     "20 s, at least 3)"},
    {"warmup", 0, G_OPTION_ARG_STRING, AT(warmup), "N", "number of untimed warm-up runs (default: 2)"},
    {"deadline", 0, G_OPTION_ARG_STRING, AT(deadline), "SECONDS",
     "longest time that one processor waits for another before the run fails (default: 20)"},
    {"deadline:huge", 0, G_OPTION_ARG_STRING, AT(deadline), "SECONDS",
     "with --on ranks: end the job if a rank does not respond for this long (default: 600)"},
    {"device", 0, G_OPTION_ARG_STRING, AT(device), "N", "index of the GPU, from 0 (default: 0)"},
    {"trace:run", 0, WRITES(trace), "FILE.json",
     "write the measured steps as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:json", 'o', WRITES(output), "FILE.json", "also write the JSON document to this file"},
    {"machine", 0, READS(machine), "NAME|FILE",
     "machine to predict times for, a name from `topogemm list machines` or a file (default: commodity-cluster)"},
    {"model", 0, G_OPTION_ARG_STRING, AT(model), "MODEL",
     "communication model: hockney (links are shared between hosts only), store-and-forward, flow or loggp (default: "
     "hockney)"},
    {"fair", 0, G_OPTION_ARG_STRING, AT(fair), "equal|latency",
     "with --model flow, how transfers share a link: equally, or in proportion to 1 / latency of the path (default: "
     "latency)"},
    {"overlap", 0, G_OPTION_ARG_STRING, AT(overlap), "on|off",
     "let products overlap with transfers that they do not depend on, and that do not depend on them (default: on)"},
    {"overlap:run", 0, G_OPTION_ARG_STRING, AT(overlap), "on|off",
     "ranks: let messages progress during products by cutting products into pieces (default: on)"},
    {"buffers", 0, G_OPTION_ARG_STRING, AT(buffers), "COUNT",
     "with --overlap on: number of blocks that a buffer can hold at once if transfers refill it, from 1 to 64 "
     "(default: 2, double buffering)"},
    {"skew", 0, G_OPTION_ARG_STRING, AT(skew), "SECONDS", "start each node at a random time below SECONDS"},
    {"jitter", 0, G_OPTION_ARG_STRING, AT(jitter), "F", "multiply each cost by 1 plus a random number below F"},
    {"seeds", 0, G_OPTION_ARG_STRING, AT(seeds), "COUNT",
     "with --skew or --jitter: predict with COUNT seeds, and print how far their times lie apart"},
    {"straggler", 0, G_OPTION_ARG_STRING, AT(straggler), "NODE:F",
     "slow one node down: its products take F times as long"},
    {"formula", 0, G_OPTION_ARG_NONE, AT(formula), NULL,
     "print the closed form from the literature with its source, and why the prediction differs from it"},
    {"symbols", 0, G_OPTION_ARG_STRING, AT(symbols), "grama|alpha-beta",
     "symbols of the closed form: t_s, t_w, t_h (grama) or α, β, τ (alpha-beta); implies --formula"},
    {"sweep", 0, G_OPTION_ARG_STRING, AT(sweep), "n=…,p=…",
     "predict at many points, such as n=512..16384:x2,p=16,64,256"},
    {"efficiency", 0, G_OPTION_ARG_STRING, AT(efficiency), "E",
     "with --sweep p=…: find the n that reaches efficiency E, such as 0.8"},
    {"trace", 0, WRITES(trace), "FILE.json",
     "write the prediction as Chrome trace events, for https://ui.perfetto.dev"},
    {"output:trace", 'o', WRITES(trace), "FILE.json", "write the trace"},
    {"from", 0, G_OPTION_ARG_STRING, AT(from), "disk|cache|host|device",
     "where the operands of local products are stored; cache is a disk behind the page cache"},
    {"tiles", 0, G_OPTION_ARG_STRING, AT(tiles), "XxYxZ",
     "with --from: sizes of the tiles in memory, XxY of A, YxZ of B and XxZ of C (default: auto)"},
    {"memory:sim", 0, G_OPTION_ARG_STRING, AT(memory_bytes), "SIZE",
     "with --from: memory limit as for `huge`, such as 8G (default: the machine file's memory, used for blocks only)"},
    {"pipeline", 0, G_OPTION_ARG_STRING, AT(pipeline), "on|off|full",
     "with --from: overlap reading, copying and multiplying (on), also writing C (full), or nothing (off) (default: "
     "on)"},
    {"in-memory", 0, G_OPTION_ARG_STRING, AT(in_memory), "X,Y",
     "with --from: buffers of the schedule to keep in the processors' memory"},
    {"by-rows", 0, G_OPTION_ARG_STRING, AT(by_rows), "B",
     "with --from: buffers stored row by row on disk, so that their blocks are not contiguous"},
    {"procs", 'p', G_OPTION_ARG_STRING, AT(procs), "P", "maximum number of processors"},
    {"mesh", 0, G_OPTION_ARG_STRING, AT(mesh), "x=4,y=2",
     "axes of the mesh of processors, each with the number of processors along it"},
    {"memory:bytes", 0, G_OPTION_ARG_STRING, AT(memory_bytes), "BYTES",
     "memory of each processor in bytes, such as 16e9, or inf (default: the machine's)"},
    {"top", 0, G_OPTION_ARG_STRING, AT(top), "K", "number of plans to print (default: 10)"},
    {"budget:plan", 0, G_OPTION_ARG_STRING, AT(budget), "SECONDS", "how long the search may take (default: 4)"},
    {"memory-limit", 0, G_OPTION_ARG_STRING, AT(memory_limit), "SIZE",
     "memory that the command may use, such as 4G; larger problems are refused (default: the memory available)"},
    {"n:generate", 'n', G_OPTION_ARG_STRING, AT(n), "N", "write an N x N matrix; short for --size NxN"},
    {"size:generate", 0, G_OPTION_ARG_STRING, AT(size), "ROWSxCOLUMNS", "extents of the matrix"},
    {"size:convert", 0, G_OPTION_ARG_STRING, AT(size), "ROWSxCOLUMNS",
     "extents of the matrix; needed for .raw, checked for other formats"},
    {"type:convert", 0, G_OPTION_ARG_STRING, AT(type), "f32|f64",
     "element type (default: that of the input file; needed for .raw)"},
    {"tile", 0, G_OPTION_ARG_STRING, AT(tile), "ROWSxCOLUMNS",
     "extents of a tile of the file (default: 128x128; larger for matrices of more than 2^20 such tiles, longer for "
     "thin ones)"},
    {"grid:huge", 'g', G_OPTION_ARG_STRING, AT(grid), "1",
     "extents of the processor grid; more than one processor needs --on ranks (default: 1 in each coordinate)"},
    {"a:huge", 0, READS(a), "FILE.tg", "tiled file of matrix A"},
    {"b:huge", 0, READS(b), "FILE.tg", "tiled file of matrix B"},
    {"c:huge", 0, WRITES(c), "FILE.tg", "write C to this tiled file; until it is complete, to FILE.tg.part"},
    {"memory:huge", 0, G_OPTION_ARG_STRING, AT(memory_bytes), "SIZE",
     "memory that the command may use, such as 8G (default: half of the available memory)"},
    {"tiles:huge", 0, G_OPTION_ARG_STRING, AT(tiles), "XxYxZ",
     "sizes of the tiles in memory, XxY of A, YxZ of B and XxZ of C, multiples of the files' tiles (default: auto, "
     "those that read least)"},
    {"from:topo", 0, READS(from), "FILE",
     "describe the machine in FILE instead of TOPOLOGY: XML from lstopo or NCCL, or the output of `nvidia-smi topo "
     "-m`"},
    {"from:huge", 0, G_OPTION_ARG_STRING, AT(from), "disk|cache",
     "read and write past the operating system's cache (disk) or through it (cache) (default: disk)"},
    {"plot:huge", 0, WRITES(plot), "FILE", "draw a timeline of all reads, products and writes (.svg, .png, .pdf, .gp)"},
    {"trace:huge", 0, WRITES(trace), "FILE.json",
     "write the times of all reads, products and writes as Chrome trace events, for https://ui.perfetto.dev"},
    {"gpu-memory", 0, G_OPTION_ARG_STRING, AT(gpu_memory), "SIZE",
     "multiply on a GPU, using at most this much of its memory, such as 8G"},
    {"on:huge", 0, G_OPTION_ARG_STRING, AT(on), "ranks",
     "execute the schedule on the ranks of an MPI job; --memory is the limit of each rank"},
    {"transport:huge", 0, G_OPTION_ARG_STRING, AT(transport), "copy|pull|message",
     "with --on ranks: ranks of one host read each other's blocks in place (copy, pull), or every block is sent, as if "
     "each rank had its own disk (message) (default: copy)"},
    {"pipeline:huge", 0, G_OPTION_ARG_STRING, AT(pipeline), "on|off",
     "overlap reading, multiplying and writing (default: on)"},
    {"level", 0, G_OPTION_ARG_STRING, AT(level), "1|2|3",
     "how the failed proof points to the error: 1 directly, 2 elsewhere, 3 not at all (default: 1)"},
    {"count", 0, G_OPTION_ARG_STRING, AT(count), "N",
     "make N exercises, with different edits if possible (default: 1)"},
    {"output:exercise", 'o', G_OPTION_ARG_FILENAME, AT(output), "FOLDER",
     "write FOLDER/handout and FOLDER/answers; the folders are made"},
    {"output:topo", 'o', WRITES(output), "FILE",
     "write a picture (.svg, .png, .pdf, .dot) or, with --from, a draft machine file (.machine)"},
    {"output:shard", 'o', WRITES(output), "FILE.sched",
     "write the first schedule of the table; with %d in the name, write each under its number"},
    {"output:grade", 'o', WRITES(output), "FILE.csv", "also write the table to this file"},
    {"gradescope", 0, WRITES(gradescope), "FILE.json", "also write a results.json for Gradescope's autograder"},
    {"output", 'o', WRITES(output), "FILE", "write to FILE; its suffix selects the format"},
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
  /* Taken as the bytes that they are: what an option expects is checked by its reader, which names the option. */
  const GOptionArg kind = row->kind == G_OPTION_ARG_STRING         ? G_OPTION_ARG_FILENAME
                          : row->kind == G_OPTION_ARG_STRING_ARRAY ? G_OPTION_ARG_FILENAME_ARRAY
                                                                   : row->kind;
  GOptionEntry entry = {long_name(row), row->letter, 0, kind, member, NULL, NULL};
  g_array_append_val(entries, entry);
}

/* The row that `argument` ("--name", "--name=value", "-x") is of, or NULL. */
static const TgOptionRow *row_of(const char *argument, const char *const *names) {
  const size_t length = strcspn(argument, "=");
  for (; *names; names++) {
    const TgOptionRow *row = find_row(*names);
    const char *name = long_name(row);
    if (row->letter && argument[0] == '-' && argument[1] == row->letter) return row;
    if (g_str_has_prefix(argument, "--") && strlen(name) == length - 2 && !strncmp(argument + 2, name, length - 2))
      return row;
  }
  return NULL;
}

/* The name of the first option that no row is of; NULL where that has a letter alone. */
static char *find_unknown(const char *const *accepted, char **argv) {
  for (char **argument = argv + 1; *argument && strcmp(*argument, "--") != 0; argument++) {
    const TgOptionRow *row = row_of(*argument, accepted);
    if (!row) row = row_of(*argument, common);
    if (row) {
      const bool apart = (*argument)[1] == '-' ? !strchr(*argument, '=') : !(*argument)[2];
      if (row->kind != G_OPTION_ARG_NONE && apart && argument[1]) argument++;
    } else if (g_str_has_prefix(*argument, "--")) {
      return g_strndup(*argument + 2, strcspn(*argument + 2, "= "));
    } else if (g_str_has_prefix(*argument, "-") && (*argument)[1]) {
      return NULL;
    }
  }
  return NULL;
}

/* GLib ignores the value in --json=no. */
static bool check_flags(const char *const *accepted, char **argv, GError **error) {
  for (char **argument = argv + 1; *argument && strcmp(*argument, "--") != 0; argument++) {
    const TgOptionRow *row = row_of(*argument, accepted);
    if (!row) row = row_of(*argument, common);
    if (!row || row->kind != G_OPTION_ARG_NONE || !g_str_has_prefix(*argument, "--") || !strchr(*argument, '='))
      continue;
    g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--%s takes no value", long_name(row));
    return false;
  }
  return true;
}

/* Names an unknown long option and the nearest one that is accepted here. */
static void suggest_option(GError *error, const char *const *accepted, char **argv) {
  if (!g_error_matches(error, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) return;
  g_autofree char *name = find_unknown(accepted, argv);
  if (!name) return;
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (const char *const *option = accepted; *option; option++) tg_suggestion_try(&meant, long_name(find_row(*option)));
  for (const char *const *option = common; *option; option++) tg_suggestion_try(&meant, *option);
  g_free(error->message);
  error->message = meant.nearest ? g_strdup_printf("unknown option --%s; did you mean --%s?", name, meant.nearest)
                                 : g_strdup_printf("unknown option --%s", name);
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
  if (!check_flags(accepted, argv, error)) return false;
  if (g_option_context_parse(context, &argc, &argv, &problem)) return true;
  suggest_option(problem, accepted, argv);
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

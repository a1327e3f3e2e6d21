/* What is to be swept over, and the sweep. */
#include "executors.h"
#include "memory-limit.h"
#include "output.h"
#include "progress.h"
#include "sweep-command.h"

#include <math.h>
#include <string.h>

/* --- what --sweep says: `n=512..16384:x2,p=16,64,256` ------------------------------------------------------------- */

enum { MOST_VALUES = 1000, MOST_POINTS = 10000 };

static const char expected[] = "expected n or p with values, as in n=512..16384:x2,p=16,64,256";

static TgExit add_value(const TgCli *cli, GArray *values, int64_t value) {
  if (values->len == MOST_VALUES)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: too many values, expected at most %d", MOST_VALUES);
  g_array_append_val(values, value);
  return TG_EXIT_DONE;
}

/* ":x2" multiplies, ":+512" adds; without, it doubles. */
static TgExit read_stride(const TgCli *cli, const char *part, const char *text, int64_t *factor, int64_t *summand) {
  *factor = 2;
  *summand = 0;
  if (!text) return TG_EXIT_DONE;
  if (text[0] == 'x') return tg_number_parse(cli, "--sweep", text + 1, 2, INT32_MAX, factor);
  *factor = 1;
  if (text[0] == '+') return tg_number_parse(cli, "--sweep", text + 1, 1, INT32_MAX, summand);
  return tg_report(cli, TG_EXIT_USAGE,
                   "--sweep: `%s` in `%s`, expected x and a factor or + and a step, as in "
                   "512..16384:x2 or 512..4096:+512",
                   text, part);
}

static TgExit add_range(const TgCli *cli, GArray *values, const char *part, int64_t most) {
  g_auto(GStrv) halves = g_strsplit(part, ":", 2);
  g_auto(GStrv) ends = g_strsplit(halves[0] ? halves[0] : "", "..", 2);
  int64_t first = 0, last = 0, factor, summand;
  if (!ends[0] || !*ends[0] || (ends[1] && !*ends[1]))
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` is neither a value nor a range, %s", part, expected);
  if (halves[1] && !ends[1])
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s`: a step needs a range, as in 512..16384:%s", part, halves[1]);
  TgExit status = tg_number_parse(cli, "--sweep", ends[0], 1, most, &first);
  last = first;
  if (!status) status = tg_number_parse(cli, "--sweep", ends[1], 1, most, &last);
  if (!status && last < first)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: the range %s is empty: its end is less than its beginning", part);
  if (!status) status = read_stride(cli, part, halves[1], &factor, &summand);
  for (int64_t value = first; !status && value <= last; value = value * factor + summand)
    status = add_value(cli, values, value);
  return status;
}

static gint compare_values(gconstpointer a, gconstpointer b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* Ascending, each once. */
static void settle(GArray *values) {
  g_array_sort(values, compare_values);
  for (guint i = values->len; i-- > 1;)
    if (g_array_index(values, int64_t, i) == g_array_index(values, int64_t, i - 1)) g_array_remove_index(values, i);
}

static TgExit find_variable(const TgCli *cli, TgSweepRequest *request, const char *part, GArray **values) {
  const char *sign = strchr(part, '=');
  if (!sign) return TG_EXIT_DONE;
  g_autofree char *name = g_strndup(part, (gsize)(sign - part));
  *values = strcmp(name, "n") == 0 ? request->n : strcmp(name, "p") == 0 ? request->p : NULL;
  if (!*values) return tg_report(cli, TG_EXIT_USAGE, "--sweep: unknown name `%s`, %s", name, expected);
  if ((*values)->len) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s is given twice", name);
  return TG_EXIT_DONE;
}

/* Reads --sweep into `n` and `p`. */
static TgExit sweep_read(const TgCli *cli, TgSweepRequest *request) {
  GArray *values = NULL;
  TgExit status = TG_EXIT_DONE;
  if (!cli->options.sweep) return status;
  g_auto(GStrv) parts = g_strsplit(cli->options.sweep, ",", -1);
  for (char **part = parts; *part && !status; part++) {
    const char *sign = strchr(*part, '=');
    status = find_variable(cli, request, *part, &values);
    if (!status && !values)
      return tg_report(cli, TG_EXIT_USAGE, "--sweep: `%s` has no name before it, %s", *part, expected);
    if (!status)
      status = add_range(cli, values, sign ? sign + 1 : *part, values == request->p ? TG_MAX_PROCESSORS : INT32_MAX);
  }
  if (!*parts) return tg_report(cli, TG_EXIT_USAGE, "--sweep: %s", expected);
  settle(request->n);
  settle(request->p);
  if (!status && (int64_t)MAX(request->n->len, 1) * MAX(request->p->len, 1) > MOST_POINTS)
    return tg_report(cli, TG_EXIT_USAGE, "--sweep: too many points, expected at most %d", MOST_POINTS);
  return status;
}

/* --- the other options -------------------------------------------------------------------------------------------- */

static TgExit efficiency_option(const TgCli *cli, TgSweepRequest *request) {
  const char *text = cli->options.efficiency;
  if (!text) return TG_EXIT_DONE;
  if (!tg_real_read(text, &request->efficiency) || request->efficiency <= 0 || request->efficiency >= 1)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency %s: expected a number between 0 and 1, as in 0.8", text);
  if (request->n->len || cli->options.n || cli->options.size)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency finds n itself: leave out -n, --size and --sweep n=…");
  if (!request->p->len)
    return tg_report(cli, TG_EXIT_USAGE, "--efficiency: add --sweep p=…, as in --sweep p=16,64,256");
  return TG_EXIT_DONE;
}

/* Options that one prediction alone has. */
static TgExit check_options(const TgCli *cli, const TgSweepRequest *request) {
  const TgOptions *options = &cli->options;
  if (options->formula || options->symbols || options->trace)
    return tg_report(cli, TG_EXIT_USAGE, "--%s takes one ALGO and no --sweep",
                     options->trace     ? "trace"
                     : options->formula ? "formula"
                                        : "symbols");
  if (request->n->len && (options->n || options->size))
    return tg_report(cli, TG_EXIT_USAGE, "-n, --size and --sweep n=…: give only one of them");
  if (request->p->len && options->grid)
    return tg_report(cli, TG_EXIT_USAGE, "--grid and --sweep p=…: give only one of them; --sweep p=… chooses the grid");
  return TG_EXIT_DONE;
}

static TgExit sizes_option(const TgCli *cli, TgSweepRequest *request) {
  bool given;
  if (request->n->len || request->efficiency > 0) return TG_EXIT_DONE;
  TgExit status = tg_sizes_parse(cli, &request->size[0], &request->size[1], &request->size[2], &given);
  if (status || given) return status;
  return tg_report(cli, TG_EXIT_USAGE, "sim: expected the sizes of the matrices: -n, --size or --sweep n=…");
}

static TgExit read_sources(const TgCli *cli, TgSweepCommand *command) {
  const int count = (int)g_strv_length(cli->options.arguments);
  TgExit status = TG_EXIT_DONE;
  command->algo = g_new0(TgAlgo, count);
  command->source = g_new0(TgSweepSource, count);
  command->name = g_new0(const char *, count);
  for (; command->sources < count && !status; command->sources++) {
    TgAlgo *algo = &command->algo[command->sources];
    TgSweepSource *source = &command->source[command->sources];
    status = tg_algo_parse(cli, algo, cli->options.arguments[command->sources]);
    if (!status) status = tg_sim_bindings(cli, algo, count > 1, command->request.p->len == 0, &source->bindings);
    if (!status) status = tg_sim_buffers(cli, algo, &source->in_memory, &source->by_rows);
    source->schedule = &algo->schedule;
    source->names = &algo->names;
    source->formula = status ? NULL : tg_algo_formula(algo);
    command->name[command->sources] = tg_algo_name(algo);
  }
  return status;
}

/* What the predictions depend on, in words: first the network and the embedding, where the command line or the machine
 * names one. */
static char *settings_text(const TgCli *cli, const TgSweepRequest *request) {
  const char *network = cli->options.network, *embed = cli->options.embed, *own = request->machine.network;
  g_autofree char *settings = tg_sim_settings_text(cli, &request->options);
  GString *text = g_string_new(NULL);
  if (network)
    g_string_append_printf(text, "network %s", network);
  else if (*own)
    g_string_append_printf(text, "network %s if it has a node for each processor, otherwise a torus", own);
  else if (embed)
    g_string_append(text, "network a torus of the grid");
  if (embed) g_string_append_printf(text, ", %s", embed);
  if (text->len) g_string_append(text, "; ");
  g_string_append(text, settings);
  for (char **set = cli->options.set; set && *set; set++) g_string_append_printf(text, ", %s", *set);
  return g_string_free(text, FALSE);
}

static TgExit open_sweep(const TgCli *cli, TgSweepCommand *command) {
  TgSweepRequest *request = &command->request;
  request->n = g_array_new(FALSE, FALSE, sizeof(int64_t));
  request->p = g_array_new(FALSE, FALSE, sizeof(int64_t));
  request->network = cli->options.network;
  request->memory_limit_bytes = (double)tg_memory_limit(cli);
  TgExit status = sweep_read(cli, request);
  if (!status) status = efficiency_option(cli, request);
  if (!status) status = check_options(cli, request);
  if (!status) status = tg_algorithms_check(cli, "sim");
  if (!status) status = sizes_option(cli, request);
  if (!status) status = tg_sweep_file_check(cli, request);
  if (!status) status = tg_sim_settings(cli, &request->machine, &request->element, &request->options);
  if (!status) tg_executor_warn(cli, &request->machine);
  if (!status) status = tg_embed_option(cli, &request->embedding);
  if (!status) status = read_sources(cli, command);
  if (!status) command->settings = settings_text(cli, request);
  return status;
}

/* --- the sweep ---------------------------------------------------------------------------------------------------- */

static void command_clear(TgSweepCommand *command) {
  for (int s = 0; s < command->sources; s++) {
    tg_algo_clear(&command->algo[s]);
    tg_formula_free((TgFormula *)command->source[s].formula);
  }
  g_free(command->algo);
  g_free(command->source);
  g_free(command->name);
  g_free(command->settings);
  tg_sweep_clear(&command->sweep);
  g_clear_pointer(&command->request.n, g_array_unref);
  g_clear_pointer(&command->request.p, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgSweepCommand, command_clear)

static TgExit sweep(TgCli *cli, TgSweepCommand *command) {
  TgSweepRequest *request = &command->request;
  const int64_t points = (int64_t)MAX(request->n->len, 1) * MAX(request->p->len, 1);
  TgProgressLine line;
  GError *error = NULL;
  tg_progress_begin(&line, cli, "sim", points * command->sources);
  request->watch = &line.watch;
  const bool fine = tg_sweep(request, command->source, command->sources, &command->sweep, &error);
  tg_progress_end(cli);
  if (fine) return TG_EXIT_DONE;
  command->algo[command->sweep.failed].schedule = command->sweep.bound;
  return tg_sim_failed(cli, &command->algo[command->sweep.failed], &command->sweep.fault, error);
}

/* No ALGO has any of these numbers of processors; or nothing takes time, and a logarithmic axis has no 0. */
static TgExit check_found(const TgCli *cli, const TgSweepCommand *command) {
  const TgSweepCell *cell = command->sweep.cell;
  const gsize cells = (gsize)command->sweep.points->len * (gsize)command->sources;
  const char *path = cli->options.output;
  bool any = false, takes_time = false;
  for (gsize i = 0; i < cells; i++) {
    any = any || !cell[i].skipped;
    takes_time = takes_time || (!cell[i].skipped && cell[i].time_s > 0);
  }
  if (!any) return tg_report(cli, TG_EXIT_USAGE, "--sweep: nothing to predict: %s", cell[0].skipped);
  if (takes_time || !path || !tg_plot_format(path)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "-o %s: nothing to draw: every predicted time is 0 on %s", path,
                   command->request.machine.name);
}

TgExit tg_sweep_run(TgCli *cli) {
  g_auto(TgSweepCommand) command = {0};
  TgExit status = open_sweep(cli, &command);
  if (!status) status = sweep(cli, &command);
  if (!status) status = check_found(cli, &command);
  if (status) return status;
  if (cli->options.json) {
    g_autoptr(TgJson) json = tg_json_new();
    tg_sweep_write(json, &command);
    tg_print_json(cli, json);
  } else {
    tg_sweep_print(cli, &command);
  }
  return tg_sweep_file_write(cli, &command);
}

#include "algo.h"
#include "executors.h"
#include "input.h"
#include "memory-limit.h"
#include "output.h"

#include "algo-library.h"
#include "decimal.h"
#include "estimate.h"
#include "input-bytes.h"
#include "suggestion.h"

#include <math.h>
#include <string.h>

TgExit tg_number_parse(const TgCli *cli, const char *option, const char *text, int64_t low, int64_t high,
                       int64_t *number) {
  GError *error = NULL;
  if (!text || g_ascii_string_to_signed(text, 10, low, high, number, &error)) return TG_EXIT_DONE;
  bool range = g_error_matches(error, G_NUMBER_PARSER_ERROR, G_NUMBER_PARSER_ERROR_OUT_OF_BOUNDS);
  g_error_free(error);
  if (range && low > INT64_MIN)
    return tg_report(cli, TG_EXIT_USAGE, "%s: %s is out of range, expected %" PRId64 " to %" PRId64, option, text, low,
                     high);
  if (range) return tg_report(cli, TG_EXIT_USAGE, "%s: %s is too large or too small", option, text);
  return tg_report(cli, TG_EXIT_USAGE, "%s: `%s` is not a whole number", option, text);
}

bool tg_real_read(const char *text, double *value) {
  return tg_decimal_read(text, strlen(text), value) == TG_DECIMAL_READ;
}

TgExit tg_real_parse(const TgCli *cli, const char *option, const char *text, double least, double *value) {
  const TgDecimal read = text ? tg_decimal_read(text, strlen(text), value) : TG_DECIMAL_READ;
  if (!text || (read == TG_DECIMAL_READ && *value >= least)) return TG_EXIT_DONE;
  if (read == TG_DECIMAL_SMALL && least <= 0)
    return tg_report(cli, TG_EXIT_USAGE, "%s %s: too small, it would be rounded to 0; write 0 if you mean 0", option,
                     text);
  return tg_report(cli, TG_EXIT_USAGE, "%s %s: expected a finite number of at least %g", option, text, least);
}

static TgExit size_option(const TgCli *cli, const char *text, int64_t *const sizes[3]) {
  g_auto(GStrv) parts = g_strsplit(text, "x", -1);
  if (g_strv_length(parts) != 3)
    return tg_report(cli, TG_EXIT_USAGE, "--size %s: expected three sizes joined by x, as in --size 8x12x16", text);
  TgExit status = TG_EXIT_DONE;
  for (int i = 0; i < 3 && !status; i++) status = tg_number_parse(cli, "--size", parts[i], 1, INT32_MAX, sizes[i]);
  return status;
}

TgExit tg_sizes_parse(const TgCli *cli, int64_t *m, int64_t *n, int64_t *k, bool *given) {
  const TgOptions *options = &cli->options;
  *given = options->n || options->size;
  if (options->n && options->size) return tg_report(cli, TG_EXIT_USAGE, "-n and --size: give only one of them");
  if (options->size) return size_option(cli, options->size, (int64_t *const[3]){m, n, k});
  if (!options->n) return TG_EXIT_DONE;
  TgExit status = tg_number_parse(cli, "-n", options->n, 1, INT32_MAX, m);
  *n = *k = *m;
  return status;
}

TgExit tg_sizes_require(const TgCli *cli, const char *command, int64_t *m, int64_t *n, int64_t *k) {
  bool given;
  const TgExit status = tg_sizes_parse(cli, m, n, k, &given);
  if (status || given) return status;
  return tg_report(cli, TG_EXIT_USAGE, "%s: expected the sizes of the matrices, -n or --size", command);
}

TgExit tg_tiles_parse(const TgCli *cli, const char *text, TgProductBlocks *blocks) {
  int64_t *size[] = {&blocks->x, &blocks->y, &blocks->z};
  if (!text || strcmp(text, "auto") == 0) return TG_EXIT_DONE;
  g_auto(GStrv) words = g_strsplit(text, "x", 0);
  if (g_strv_length(words) != G_N_ELEMENTS(size))
    return tg_report(cli, TG_EXIT_USAGE, "--tiles %s: expected auto or XxYxZ, as in 8192x1024x8192", text);
  TgExit status = TG_EXIT_DONE;
  for (size_t i = 0; i < G_N_ELEMENTS(size) && !status; i++)
    status = tg_number_parse(cli, "--tiles", words[i], 1, INT32_MAX, size[i]);
  return status;
}

TgExit tg_seed_option(const TgCli *cli, uint64_t *seed) {
  int64_t number = 1;
  const TgExit status = tg_number_parse(cli, "--seed", cli->options.seed, 0, INT64_MAX, &number);
  *seed = (uint64_t)number;
  return status;
}

TgExit tg_embed_option(const TgCli *cli, TgEmbeddingKind *embedding) {
  TgError error = {0};
  *embedding = TG_ROWMAJOR;
  if (!cli->options.embed || tg_embedding_kind_parse(embedding, cli->options.embed, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--embed: %s", error.message);
}

TgExit tg_type_option(const TgCli *cli, TgElement *element) {
  *element = TG_F32;
  if (!cli->options.type || tg_element_parse(cli->options.type, element)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--type %s: expected f32 or f64", cli->options.type);
}

TgExit tg_collective_option(const TgCli *cli, TgCollective *collective) {
  TgError error = {0};
  *collective = TG_COLLECTIVE_WHOLE;
  if (!cli->options.collective || tg_collective_parse(cli->options.collective, collective, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--collective: %s", error.message);
}

TgExit tg_network_option(const TgCli *cli, const char *name, const TgSchedule *schedule, TgTopology *network,
                         TgEmbedding *embedding) {
  TgError error = {0};
  TgEmbeddingKind kind;
  if (!tg_topology_for_grid(network, name, schedule->dims, schedule->extent, &error))
    return tg_report(cli, TG_EXIT_USAGE, "--network: %s", error.message);
  const TgExit status = tg_embed_option(cli, &kind);
  if (status) return status;
  if (!tg_embedding_init(embedding, kind, schedule->dims, schedule->extent, network, &error))
    return tg_report(cli, TG_EXIT_USAGE, "the grid does not fit the network: %s", error.message);
  return TG_EXIT_DONE;
}

void tg_parameters_write(TgJson *json, const TgBindings *parameters) {
  tg_json_member_object(json, "parameters", TG_JSON_ROW);
  for (int i = 0; i < parameters->count; i++)
    tg_json_member_integer(json, parameters->set[i].name, parameters->set[i].value);
  tg_json_end_object(json);
}

void tg_algo_write(TgJson *json, const TgSchedule *schedule, const TgScheduleNames *names) {
  TgBindings parameters;
  tg_parameters_of(schedule, names, &parameters);
  tg_json_member_string(json, "algorithm", tg_name(names, names->title));
  tg_json_member_string(json, "computes", tg_computes_text(&schedule->computes).s);
  tg_json_member_string(json, "grid", tg_schedule_grid_text(schedule).s);
  tg_parameters_write(json, &parameters);
}

void tg_failure_write(TgJson *json, const TgSchedule *schedule, const TgError *failure) {
  int64_t coordinate[TG_MAX_DIMS];
  const double line = failure->line > 0 ? failure->line : NAN;
  tg_json_member_integer(json, "step", failure->step);
  tg_json_member_double(json, "statement", line); /* the line number as well: programs rely on it */
  tg_json_member_double(json, "line", line);
  tg_json_member_array(json, "processor", TG_JSON_ROW);
  if (failure->processor >= 0) tg_schedule_coordinates(schedule, failure->processor, coordinate);
  for (int c = 0; failure->processor >= 0 && c < schedule->dims; c++) tg_json_integer(json, coordinate[c]);
  tg_json_end_array(json);
  tg_json_member_string(json, "message", failure->message);
}

void tg_input_write(TgJson *json, const TgInput *input) {
  TG_FIELD_TABLE(shape, TG_FIELD(TgShape, m), TG_FIELD(TgShape, n), TG_FIELD(TgShape, k));
  tg_json_members(json, shape, &input->shape);
  tg_json_member_string(json, "type", tg_element_name(input->element));
  if (input->from_files)
    tg_json_member_null(json, "seed");
  else
    tg_json_member_integer(json, "seed", (int64_t)input->seed);
}

enum { LIMIT_BYTES = 1 << 20 }; /* of a schedule's text; real ones are below 4 KiB */

void tg_algo_clear(TgAlgo *algo) {
  g_clear_pointer(&algo->bytes, g_bytes_unref);
  g_clear_pointer(&algo->path, g_free);
}

static TgExit unknown_name(const TgCli *cli, const char *name) {
  size_t count;
  const TgLibraryEntry *entries = tg_library_list(&count);
  TgSuggestion meant = tg_suggestion_for(name, strlen(name));
  for (size_t i = 0; i < count; i++) tg_suggestion_try(&meant, entries[i].name);
  if (g_file_test(name, G_FILE_TEST_IS_REGULAR))
    return tg_report(cli, TG_EXIT_USAGE, "no schedule `%s` in the library; for the file in this folder, write ./%s",
                     name, name);
  if (meant.nearest)
    return tg_report(cli, TG_EXIT_USAGE, "no schedule `%s` in the library; did you mean `%s`?", name, meant.nearest);
  return tg_report(
      cli, TG_EXIT_USAGE,
      "no schedule `%s` in the library (see `topogemm list algorithms`; a file's path has a / or ends in .sched)",
      name);
}

static GBytes *read_standard_input(GError **error) {
  return tg_input_bytes_read("/dev/stdin", LIMIT_BYTES, error);
}

static GBytes *read_bytes(const TgCli *cli, const char *path, GError **error) {
  const TgExecutorKind *kind = cli->options.on ? tg_executor_find(cli->options.on) : NULL;
  if (strcmp(path, "-") != 0) return tg_input_bytes_read(path, LIMIT_BYTES, error);
  return kind && kind->share ? kind->share(read_standard_input, error) : read_standard_input(error);
}

static TgExit read_file(const TgCli *cli, TgAlgo *algo, const char *path) {
  GError *error = NULL;
  bool standard_input = strcmp(path, "-") == 0;
  GBytes *known = g_hash_table_lookup(cli->schedules, path);
  if (standard_input && cli->input_closed) return tg_report(cli, TG_EXIT_FAILED, "cannot read <stdin>: it is closed");
  algo->bytes = known ? g_bytes_ref(known) : read_bytes(cli, path, &error);
  if (!algo->bytes) return tg_report_error(cli, error);
  if (!known) g_hash_table_insert(cli->schedules, g_strdup(path), g_bytes_ref(algo->bytes));
  algo->path = g_strdup(standard_input ? "<stdin>" : path);
  algo->source.name = algo->path;
  algo->source.text = g_bytes_get_data(algo->bytes, &algo->source.length);
  if (!algo->source.text) algo->source.text = "";
  return TG_EXIT_DONE;
}

bool tg_algo_is_path(const char *name) {
  return strchr(name, '/') || g_str_has_suffix(name, ".sched");
}

/* Finds the text of `name`: a name of the library, a path, or `-` for standard input. Reports what is wrong. */
static TgExit algo_read(const TgCli *cli, TgAlgo *algo, const char *name) {
  if (tg_algo_is_path(name) || strcmp(name, "-") == 0) return read_file(cli, algo, name);
  const TgLibraryEntry *entry = tg_library_find(name);
  if (!entry) return unknown_name(cli, name);
  algo->path = g_strdup_printf("algo/%s.sched", entry->name);
  algo->source = (TgSource){algo->path, entry->text, entry->length};
  return TG_EXIT_DONE;
}

TgExit tg_algo_report(const TgCli *cli, const TgAlgo *algo, const TgError *error) {
  if (error->line > 0)
    return tg_report_at(cli, TG_EXIT_USAGE, &algo->source, error->line, error->column, error->message);
  return tg_report_at(cli, TG_EXIT_USAGE, &algo->source, 0, 0, error->message);
}

TgExit tg_algo_parse(const TgCli *cli, TgAlgo *algo, const char *name) {
  TgError error = {0};
  TgExit status = algo_read(cli, algo, name);
  if (status) return status;
  if (tg_schedule_parse(&algo->schedule, &algo->names, algo->source.text, algo->source.length, &error))
    return TG_EXIT_DONE;
  return tg_algo_report(cli, algo, &error);
}

const char *tg_algo_name(const TgAlgo *algo) {
  return tg_name(&algo->names, algo->names.title);
}

const char *tg_algo_display_name(const TgAlgo *algo) {
  return tg_name(&algo->names, algo->names.display);
}

TgExit tg_set_option(const TgCli *cli, TgBindings *bindings, const char *text) {
  TgError error = {0};
  if (tg_bindings_parse(bindings, text, &error)) return TG_EXIT_DONE;
  return tg_report(cli, TG_EXIT_USAGE, "--set: %s", error.message);
}

TgExit tg_algo_bindings(const TgCli *cli, TgBindings *bindings) {
  TgError error = {0};
  const TgOptions *options = &cli->options;
  if (options->grid && !tg_bindings_grid(bindings, options->grid, &error))
    return tg_report(cli, TG_EXIT_USAGE, "%s", error.message);
  TgExit status = TG_EXIT_DONE;
  for (char **text = options->set; text && *text && !status; text++) status = tg_set_option(cli, bindings, *text);
  return status;
}

TgExit tg_algo_open(const TgCli *cli, TgAlgo *algo) {
  TgBindings bindings = {0};
  TgError error = {0};
  TgExit status = tg_algo_parse(cli, algo, cli->options.arguments[0]);
  if (!status) status = tg_algo_bindings(cli, &bindings);
  if (status) return status;
  if (tg_schedule_bind(&algo->schedule, &algo->names, &bindings, &error)) return tg_memory_check_proof(cli, algo, 0);
  return tg_algo_report(cli, algo, &error);
}

/* A command whose document does not exist without a proof prints the failure instead. */
static void print_failure(TgCli *cli, const TgAlgo *algo, const TgError *failure) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "failure");
  tg_json_member_bool(json, "ok", false);
  tg_algo_write(json, &algo->schedule, &algo->names);
  tg_json_member_object(json, "error", TG_JSON_LINES);
  tg_failure_write(json, &algo->schedule, failure);
  tg_json_end_object(json);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

TgExit tg_algo_report_failure(TgCli *cli, const TgAlgo *algo, const TgError *failure) {
  if (failure->cause == TG_CAUSE_MEMORY)
    return failure->line > 0
               ? tg_report_at(cli, TG_EXIT_USAGE, &algo->source, failure->line, failure->column, failure->message)
               : tg_report(cli, TG_EXIT_USAGE, "%s: %s", algo->source.name, failure->message);
  if (cli->options.json) print_failure(cli, algo, failure);
  g_autofree char *message = g_strdup_printf("%s (on %s)", failure->message, tg_schedule_grid_text(&algo->schedule).s);
  return tg_report_at(cli, TG_EXIT_WRONG, &algo->source, failure->line, failure->column, message);
}

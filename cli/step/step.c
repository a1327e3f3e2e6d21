/* topogemm step: runs a schedule on real matrices, a step at a time. */
#include "step.h"
#include "input.h"
#include "memory-limit.h"
#include "output-files.h"
#include "output.h"
#include "progress.h"

#include "check.h"
#include "matrix-file.h"
#include "state.h"
#include "stepper.h"

#include <math.h>

enum { TG_STEP_FEW_PROCESSORS = 16 }; /* up to here blocks are printed unasked */

typedef struct TgStepRun {
  TgAlgo algo;
  TgTopology network;
  TgEmbedding embedding;
  char network_text[TG_TOPOLOGY_TEXT_BYTES];
  TgStepperOptions options;
  TgInput input;
  TgMatrix *c; /* once the run is complete */
  TgStepper *stepper;
  TgProgressLine line; /* the stepper tells it how far it is */
  int64_t last;        /* the step to stop after */
  const char *note;    /* printed last: repetitions do not repeat it */
  bool checked;        /* `check` is filled */
  TgCheck check;
} TgStepRun;

enum { LINE = 110 }; /* columns beyond which a grid of blocks becomes a list */

static const char letters[] = "ABC";

static const char *plural(int64_t count) {
  return count == 1 ? "" : "s";
}

static void append_vertex(GString *text, const TgTopology *network, int64_t vertex) {
  int32_t coordinate[TG_MAX_COORDINATES];
  if (vertex >= network->nodes) {
    g_string_append_printf(text, "switch %" PRId64, vertex - network->nodes);
    return;
  }
  int count = tg_topology_coordinates(network, vertex, coordinate);
  for (int i = 0; i < count; i++) g_string_append_printf(text, "%s%d", i ? ", " : "(", coordinate[i]);
  g_string_append_c(text, ')');
}

/* Bytes over the busiest link in step `step` (from 1), and which; -1 where loads are not kept. */
static int64_t step_busiest_link(const TgStepRun *run, int64_t step, int64_t *link) {
  const TgTrace *trace = tg_stepper_trace(run->stepper);
  if (!trace->link_bytes || step < 1 || step > trace->steps) return -1;
  const int64_t *bytes = trace->link_bytes + (step - 1) * trace->links;
  int64_t most = 0;
  for (int64_t i = 0; i < trace->links; i++) {
    if (bytes[i] <= most) continue;
    most = bytes[i];
    if (link) *link = i;
  }
  return most;
}

/* What is run, in a line or two. */
static void step_print_head(TgCli *cli, const TgStepRun *run) {
  const TgShape *shape = tg_stepper_shape(run->stepper);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on %s", tg_algo_name(&run->algo),
                  tg_schedule_grid_text(&run->algo.schedule).s);
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64, tg_computes_text(&run->algo.schedule.computes).s, shape->m, shape->n);
  if (run->algo.schedule.computes.right != TG_MATRICES) tg_print(cli, ", inner dimension %" PRId64, shape->k);
  tg_print(cli, ", %s, on the network %s\n", tg_element_name(run->options.element), run->network_text);
  g_autofree char *input = tg_input_text(cli, &run->input);
  tg_print(cli, "%s\n", input);
  if (tg_schedule_processors(&run->algo.schedule) > TG_STEP_FEW_PROCESSORS && !cli->options.blocks)
    tg_print(cli, "blocks are printed for up to %d processors; --blocks prints them here too\n",
             TG_STEP_FEW_PROCESSORS);
  if (!run->options.link_loads)
    tg_print(cli, "link loads are not recorded: for so many links and steps they would need too much memory\n");
}

/* Sums belong to C, whatever their `matrix` says. */
static int matrix_of(const TgValue *value) {
  return value->kind == TG_VALUE_SUM ? TG_MATRIX_C : value->matrix;
}

/* "A01", "A3,12" where a block row or column has two digits, "C01 2/4" for a sum of 2 of its 4 products. */
static void append_value(GString *text, const TgStepRun *run, const TgValue *value) {
  const TgSchedule *schedule = &run->algo.schedule;
  if (value->kind == TG_VALUE_ZERO) {
    g_string_append(text, "0");
    return;
  }
  int matrix = matrix_of(value);
  const int32_t *blocks = schedule->blocks[matrix];
  bool narrow = blocks[0] <= 10 && blocks[1] <= 10;
  g_string_append_printf(text, "%c%d%s%d", letters[matrix], value->row, narrow ? "" : ",", value->column);
  if (value->transposed) g_string_append_c(text, '\'');
  if (value->kind == TG_VALUE_SUM) g_string_append_printf(text, " %d/%d", value->terms, schedule->inner);
}

/* Everything one processor holds. A slot is named where its name is not that of the matrix it holds. */
static char *processor_text(const TgStepRun *run, int64_t processor) {
  const TgState *state = tg_stepper_state(run->stepper);
  const TgSchedule *schedule = &run->algo.schedule;
  GString *text = g_string_new(NULL);
  for (int buffer = 0; buffer < schedule->buffers; buffer++) {
    const char *name = tg_name(&run->algo.names, run->algo.names.buffer[buffer]);
    int32_t length = tg_state_length(state, buffer);
    for (int32_t index = 0; index < length; index++) {
      TgValueId id = tg_state_slot(state, processor, buffer, index);
      if (!id) continue;
      const TgValue *value = tg_state_value(state, id);
      bool plain = length == 1 && name[0] == letters[matrix_of(value)] && !name[1] && value->kind != TG_VALUE_ZERO;
      if (text->len) g_string_append_c(text, ' ');
      if (!plain && length > 1) g_string_append_printf(text, "%s[%d]=", name, index);
      if (!plain && length == 1) g_string_append_printf(text, "%s=", name);
      append_value(text, run, value);
    }
  }
  if (!text->len) g_string_append_c(text, '-');
  return g_string_free(text, FALSE);
}

static void print_list(TgCli *cli, const TgStepRun *run) {
  g_autoptr(TgTable) table = tg_table_new("ll");
  for (int64_t p = 0; p < tg_schedule_processors(&run->algo.schedule); p++) {
    g_autofree char *text = processor_text(run, p);
    tg_table_add(table, "%s", tg_schedule_processor_text(&run->algo.schedule, p).s);
    tg_table_add(table, "%s", text);
  }
  tg_table_print(cli, table, 2, false);
}

/* Rows by the first coordinate, columns by the second. False, and nothing printed, where it is too wide. */
static bool print_grid(TgCli *cli, const TgStepRun *run) {
  const TgSchedule *schedule = &run->algo.schedule;
  const TgScheduleNames *names = &run->algo.names;
  int32_t rows = schedule->extent[0], columns = schedule->extent[1];
  g_autofree char *align = g_strnfill((gsize)columns + 1, 'l');
  g_autoptr(TgTable) table = tg_table_new(align);
  glong widest = 0;
  tg_table_add(table, "%s", "");
  for (int32_t j = 0; j < columns; j++) tg_table_add(table, "%s=%d", tg_name(names, names->axis[1]), j);
  for (int32_t i = 0; i < rows; i++) {
    tg_table_add(table, "%s=%d", tg_name(names, names->axis[0]), i);
    for (int32_t j = 0; j < columns; j++) {
      g_autofree char *text = processor_text(run, (int64_t)i * columns + j);
      widest = MAX(widest, g_utf8_strlen(text, -1) + 2);
      tg_table_add(table, "%s", text);
    }
  }
  if (widest * columns > LINE) return false;
  tg_table_print(cli, table, 2, false);
  return true;
}

static void print_blocks(TgCli *cli, const TgStepRun *run) {
  const TgSchedule *schedule = &run->algo.schedule;
  if (!cli->options.blocks && tg_schedule_processors(schedule) > TG_STEP_FEW_PROCESSORS) return;
  if (schedule->dims != 2 || !print_grid(cli, run)) print_list(cli, run);
}

static void print_counts(TgCli *cli, const TgStepRun *run, int64_t position) {
  const TgTraceStep *step = &tg_stepper_trace(run->stepper)->step[position - 1];
  tg_print(cli, "  %" PRId64 " product%s, %" PRId64 " message%s, %" PRId64 " bytes", step->products,
           plural(step->products), step->messages, plural(step->messages), step->bytes);
  int64_t link = 0, most = step_busiest_link(run, position, &link);
  if (most > 0) {
    TgLink ends;
    g_autoptr(GString) text = g_string_new(NULL);
    tg_topology_link(&run->network, link, &ends);
    append_vertex(text, &run->network, ends.from);
    g_string_append(text, " -> ");
    append_vertex(text, &run->network, ends.to);
    tg_print(cli, "; busiest link %s: %" PRId64 " bytes", text->str, most);
  }
  tg_print(cli, "\n");
}

/* The step at which the stepper stands. */
static void step_print_step(TgCli *cli, TgStepRun *run) {
  int64_t position = tg_stepper_position(run->stepper);
  const char *label = position ? tg_stepper_label(run->stepper) : "initial placement";
  const char *note = tg_stepper_note(run->stepper);
  tg_print(cli, "\n");
  tg_print_styled(cli, TG_STYLE_HEADING, "step %" PRId64 " of %" PRId64 "%s%s", position,
                  tg_stepper_steps(run->stepper), *label ? ": " : "", label);
  tg_print(cli, "\n");
  if (*note && note != run->note) tg_print_wrapped(cli, note, 2, 0);
  run->note = note;
  if (position) print_counts(cli, run, position);
  print_blocks(cli, run);
}

/* The messages of that step, one a line. */
static void step_print_messages(TgCli *cli, const TgStepRun *run) {
  int64_t count;
  const TgStepperMessage *messages = tg_stepper_messages(run->stepper, &count);
  g_autoptr(TgTable) table = tg_table_new("lllrr");
  for (int64_t i = 0; i < count; i++) {
    const TgStepperMessage *message = &messages[i];
    g_autoptr(GString) value = g_string_new(NULL);
    append_value(value, run, &message->value);
    tg_table_add(table, "%s -> %s", tg_schedule_processor_text(&run->algo.schedule, message->message.from).s,
                 tg_schedule_processor_text(&run->algo.schedule, message->message.to).s);
    tg_table_add(table, "%s%s", message->message.add ? "+ " : "", value->str);
    tg_table_add(table, "line %d", run->algo.schedule.statement[message->statement].line);
    tg_table_add(table, "%" PRId64 " bytes", message->bytes);
    tg_table_add(table, "%" PRId64 " hop%s", message->hops, plural(message->hops));
  }
  if (count == 0) tg_print(cli, "  no messages\n");
  tg_table_print(cli, table, 2, false);
}

/* Counts and the check's outcome. */
static void step_print_result(TgCli *cli, const TgStepRun *run) {
  const TgStepperCounts *counts = tg_stepper_counts(run->stepper);
  int64_t steps = tg_stepper_position(run->stepper);
  tg_print(cli, "\n%" PRId64 " step%s: %" PRId64 " product%s, %" PRId64 " message%s, %" PRId64 " bytes", steps,
           plural(steps), counts->products, plural(counts->products), counts->messages, plural(counts->messages),
           counts->bytes);
  tg_print(cli, ", %" PRId64 " bytes times links crossed", counts->hop_bytes);
  if (run->options.link_loads)
    tg_print(cli, "; busiest link %" PRId64 " bytes", tg_stepper_link_bytes_max(run->stepper));
  tg_print(cli, "\n");
  if (!run->checked) {
    tg_print(cli, "stopped after step %" PRId64 " of %" PRId64 ": C is incomplete and was not checked\n",
             tg_stepper_position(run->stepper), tg_stepper_steps(run->stepper));
    return;
  }
  tg_print(cli, "C compared with a product in double precision: relative error ");
  tg_print_styled(cli, run->check.ok ? TG_STYLE_GOOD : TG_STYLE_BAD, "%.2g, %s", run->check.relative_error,
                  run->check.ok ? "OK" : "failed");
  if (run->check.tolerance > 0)
    tg_print(cli, " (Frobenius norm; at most %.2g for %s and this k)\n", run->check.tolerance,
             tg_element_name(run->options.element));
  else
    tg_print(cli, " (elements are only moved, so all must be identical)\n");
}

TG_FIELD_TABLE(counts_fields, TG_FIELD(TgStepperCounts, products), TG_FIELD(TgStepperCounts, messages),
               TG_FIELD(TgStepperCounts, bytes), TG_FIELD(TgStepperCounts, hops), TG_FIELD(TgStepperCounts, hop_bytes));
TG_FIELD_TABLE(step_fields, TG_FIELD(TgTraceStep, label), TG_FIELD(TgTraceStep, index), TG_FIELD(TgTraceStep, products),
               TG_FIELD(TgTraceStep, messages), TG_FIELD(TgTraceStep, bytes), TG_FIELD(TgTraceStep, hop_bytes));

/* --- the document ------------------------------------------------------------------------------------------------- */

static void write_load(TgJson *json, int64_t bytes) {
  tg_json_key(json, "max_link_bytes");
  if (bytes >= 0)
    tg_json_integer(json, bytes);
  else
    tg_json_null(json);
}

static void write_steps(TgJson *json, const TgStepRun *run) {
  const TgTrace *trace = tg_stepper_trace(run->stepper);
  tg_json_member_array(json, "trace", TG_JSON_LINES);
  for (int64_t i = 0; i < trace->steps; i++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_members(json, step_fields, &trace->step[i]);
    write_load(json, step_busiest_link(run, i + 1, NULL));
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
}

/* A run that has not come to its end is neither right nor wrong, unless it has failed. */
static void write_outcome(TgJson *json, const TgStepRun *run) {
  const TgError *failure = tg_stepper_failure(run->stepper);
  const bool failed = failure->cause != TG_CAUSE_NONE;
  tg_json_member_double(json, "relative_error", run->checked ? run->check.relative_error : NAN);
  tg_json_member_double(json, "tolerance", run->checked ? run->check.tolerance : NAN);
  tg_json_key(json, "ok");
  if (run->checked || failed)
    tg_json_bool(json, !failed && run->check.ok);
  else
    tg_json_null(json);
  if (!failed) return;
  tg_json_member_object(json, "error", TG_JSON_LINES);
  tg_failure_write(json, &run->algo.schedule, failure);
  tg_json_end_object(json);
}

/* All of it as one JSON document. */
static void step_print_json(TgCli *cli, const TgStepRun *run) {
  g_autoptr(TgJson) json = tg_json_new();
  tg_json_begin_document(json, "step");
  tg_algo_write(json, &run->algo.schedule, &run->algo.names);
  tg_json_member_string(json, "topology", run->network_text);
  tg_json_member_string(json, "embedding", tg_embedding_name((int)run->options.embedding));
  tg_json_member_string(json, "collective", tg_collective_name(run->options.collective));
  tg_input_write(json, &run->input);
  tg_json_member_integer(json, "steps", tg_stepper_steps(run->stepper));
  tg_json_member_integer(json, "steps_executed", tg_stepper_position(run->stepper));
  tg_json_members(json, counts_fields, tg_stepper_counts(run->stepper));
  write_load(json, run->options.link_loads ? tg_stepper_link_bytes_max(run->stepper) : -1);
  write_steps(json, run);
  write_outcome(json, run);
  tg_json_end_object(json);
  tg_print_json(cli, json);
}

static const int64_t most_load_bytes = INT64_C(1) << 30;

/* --- the command -------------------------------------------------------------------------------------------------- */

static void step_clear(TgStepRun *run) {
  g_clear_pointer(&run->stepper, tg_stepper_free);
  tg_input_clear(&run->input);
  g_clear_pointer(&run->c, tg_matrix_free);
  tg_algo_clear(&run->algo);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TgStepRun, step_clear)

/* Says why the stepper failed. */
static TgExit step_failed(const TgCli *cli, const TgStepRun *run, GError *error) {
  const TgError *failure = tg_stepper_failure(run->stepper);
  if (failure->cause == TG_CAUSE_NONE || !g_error_matches(error, TG_SIM_ERROR, TG_SIM_ERROR_SCHEDULE))
    return tg_report_error(cli, error);
  g_error_free(error);
  return tg_report_at(cli, TG_EXIT_WRONG, &run->algo.source, failure->line, failure->column, failure->message);
}

static TgExit check_options(const TgCli *cli) {
  const TgOptions *options = &cli->options;
  GError *error = NULL;
  if (options->c && !tg_matrix_path_known(options->c, &error)) return tg_report_error(cli, error);
  return TG_EXIT_DONE;
}

/* The step to stop after; C is complete only after the last. */
static TgExit find_last(const TgCli *cli, TgStepRun *run) {
  int64_t steps = tg_stepper_steps(run->stepper);
  run->last = steps;
  if (!cli->options.step) return TG_EXIT_DONE;
  TgExit status = tg_number_parse(cli, "--step", cli->options.step, 0, steps, &run->last);
  if (!status && cli->options.c && run->last < steps)
    return tg_report(cli, TG_EXIT_USAGE, "--c: C is complete only after step %" PRId64 ", but --step stops before that",
                     steps);
  return status;
}

/* At the end C is put together, and checked; the stepper has all of it in blocks by then. */
static TgExit check_memory(const TgCli *cli, const TgStepRun *run) {
  const TgShape *shape = &run->input.shape;
  const double c = (double)shape->m * (double)shape->n * (double)tg_element_bytes(run->input.element);
  const bool whole = !cli->options.step;
  const uint64_t check = tg_check_need_bytes(&run->algo.schedule.computes, shape, run->input.element);
  return tg_memory_check(cli, "computing and checking C", whole ? 2 * c + (double)check : c);
}

static TgExit open_stepper(TgCli *cli, TgStepRun *run) {
  GError *error = NULL;
  TgProgressLine *line = &run->line;
  const TgAlgo *algo = &run->algo;
  TgError endless = {0};
  int64_t steps = tg_walk_count_steps(&algo->schedule, &algo->names, &endless);
  if (steps < 0) return tg_algo_report(cli, algo, &endless);
  run->options.network = &run->network;
  run->options.embedding = (TgEmbeddingKind)run->embedding.kind;
  run->options.link_loads = run->network.links * 8 <= most_load_bytes / (steps + 1);
  run->options.keep_details = cli->options.messages;
  run->options.memory_limit_bytes = tg_memory_limit(cli);
  run->options.watch = &line->watch;
  tg_progress_begin(line, cli, "memory", tg_walk_count_statements(&algo->schedule, &algo->names));
  run->stepper =
      tg_stepper_new(&algo->schedule, &algo->names, &run->options, run->input.a->data, tg_input_b(&run->input), &error);
  tg_progress_end(cli);
  return run->stepper ? find_last(cli, run) : tg_report_error(cli, error);
}

static TgExit open_input(const TgCli *cli, TgStepRun *run) {
  const TgExit status = tg_input_open(cli, "step", &run->algo.schedule.computes, &run->input);
  run->options.m = run->input.shape.m;
  run->options.n = run->input.shape.n;
  run->options.k = run->input.shape.k;
  run->options.element = run->input.element;
  return status;
}

static TgExit open_run(TgCli *cli, TgStepRun *run) {
  TgExit status = check_options(cli);
  if (!status) status = tg_algo_open(cli, &run->algo);
  if (!status)
    status = tg_network_option(cli, cli->options.network, &run->algo.schedule, &run->network, &run->embedding);
  if (!status) status = tg_collective_option(cli, &run->options.collective);
  if (!status) status = open_input(cli, run);
  if (!status) status = check_memory(cli, run);
  if (!status) status = open_stepper(cli, run);
  tg_topology_format(&run->network, run->network_text, sizeof run->network_text);
  return status;
}

/* Goes on as far as asked, printing unless `--quiet` or `--json`. */
static TgExit step_forward(TgCli *cli, TgStepRun *run) {
  TgProgressLine *line = &run->line;
  GError *error = NULL;
  bool printed = !cli->options.quiet && !cli->options.json;
  TgProgress progress = TG_PROGRESS_MORE;
  if (printed) step_print_step(cli, run);
  tg_progress_begin(line, cli, "step", run->last);
  line->parts = INT64_MAX; /* within a step only its time goes on */
  while (progress == TG_PROGRESS_MORE && tg_stepper_position(run->stepper) < run->last) {
    progress = tg_stepper_next(run->stepper, &error);
    if (progress != TG_PROGRESS_MORE) break;
    if (printed) step_print_step(cli, run);
    if (printed && cli->options.messages) step_print_messages(cli, run);
    tg_progress_at(line, tg_stepper_position(run->stepper));
  }
  tg_progress_end(cli);
  return progress == TG_PROGRESS_ERROR ? step_failed(cli, run, error) : TG_EXIT_DONE;
}

static TgExit check_result(TgCli *cli, TgStepRun *run) {
  GError *error = NULL;
  const TgShape *shape = tg_stepper_shape(run->stepper);
  run->c = tg_matrix_new(run->input.a->type, shape->m, shape->n, tg_memory_limit(cli), &error);
  if (!run->c) return tg_report_error(cli, error);
  if (!tg_stepper_result(run->stepper, run->c->data, TG_RESULT_COMPLETE, &error)) return step_failed(cli, run, error);
  tg_progress_begin(&run->line, cli, "step: check, rows of C", shape->m);
  run->checked =
      tg_check_product(&run->check, &run->algo.schedule.computes, shape, run->options.element, run->input.a->data,
                       tg_input_b(&run->input), run->c->data, tg_memory_limit(cli), &run->line.watch, &error);
  tg_progress_end(cli);
  return run->checked ? TG_EXIT_DONE : tg_report_error(cli, error);
}

/* A schedule that fails has a document, too. */
static TgExit finish(TgCli *cli, TgStepRun *run, TgExit status) {
  if (!status && tg_stepper_position(run->stepper) == tg_stepper_steps(run->stepper)) status = check_result(cli, run);
  if (status == TG_EXIT_WRONG && cli->options.json) step_print_json(cli, run);
  if (status) return status;
  if (cli->options.json)
    step_print_json(cli, run);
  else if (!cli->options.quiet)
    step_print_result(cli, run);
  if (run->checked && !run->check.ok) return tg_report(cli, TG_EXIT_WRONG, "%s", run->check.text);
  return run->checked ? tg_output_file_c(cli, run->c) : TG_EXIT_DONE;
}

static TgExit run_step(TgCli *cli) {
  g_auto(TgStepRun) run = {0};
  if (cli->options.interactive) return tg_step_interactive(cli);
  TgExit status = open_run(cli, &run);
  if (status) return status;
  if (!cli->options.json && !cli->options.quiet) step_print_head(cli, &run);
  status = step_forward(cli, &run);
  return finish(cli, &run, status);
}

static const char *const options[] = {"grid",     "set",          "n",       "size",     "a",           "b",
                                      "c",        "type",         "network", "embed",    "collective",  "seed",
                                      "integers", "step",         "blocks",  "messages", "interactive", "json",
                                      "quiet",    "memory-limit", NULL};
static const TgExample examples[] = {
    {"step cannon --grid 4x4 -n 8", "Cannon's algorithm on random 8 x 8 matrices"},
    {"step summa --grid 3x3 --size 5x7x4 --type f64 --network mesh:3x3", "sizes that do not divide evenly, on a mesh"},
    {"step cannon --grid 12x12 -n 24 --network torus:3x4", "more processors than nodes: several on each node"},
    {"step dns --grid 2x2x2 -n 4 --step 1 --messages", "only the first step, with each message"},
    {"step cannon --grid 64x64 -n 64 --json", "4096 processors, as JSON"},
    {NULL, NULL},
};

const TgCommand tg_command_step = {
    .name = "step",
    .arguments = "ALGO",
    .summary = "run a schedule on real matrices, step by step, and check the product",
    .details = "Prints what every processor holds (A01: block row 0, block column 1; C01 2/4: a sum of 2 of its 4 "
               "products; T=A01: A01 in buffer T), the messages, and the busiest link of the network.\n"
               "Matrices are random unless --a and --b name files. Sizes need not divide evenly. C is checked against "
               "a product in double precision; the relative error in the Frobenius norm may be at most max(1e-6, 5e-7 "
               "sqrt(k)) in f32 and max(1e-14, 1e-15 sqrt(k)) in f64. A failed check exits with 3 and writes nothing.\n"
               "--interactive shows the steps in the terminal: n and b go forward and back, g goes to a step, space "
               "plays, f follows a block, s saves a picture, ? lists all keys. It shows the names of blocks and needs "
               "no sizes; with -n or --size it also counts bytes.",
    .examples = examples,
    .options = options,
    .arguments_min = 1,
    .arguments_max = 1,
    .run = run_step,
};

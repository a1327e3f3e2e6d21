/* What `step` says to people. */
#include "output.h"
#include "step.h"

#include "state.h"

#include <string.h>

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

int64_t tg_step_busiest_link(const TgStepRun *run, int64_t step, int64_t *link) {
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

void tg_step_print_head(TgCli *cli, const TgStepRun *run) {
  char formula[TG_FORMULA_BYTES], grid[48];
  const TgShape *shape = tg_stepper_shape(run->stepper);
  tg_computes_text(&run->problem.schedule.computes, formula);
  tg_schedule_grid_text(&run->problem.schedule, grid, sizeof grid);
  tg_print_styled(cli, TG_STYLE_HEADING, "%s on %s", tg_problem_name(&run->problem), grid);
  tg_print(cli, ": %s, C %" PRId64 "x%" PRId64, formula, shape->m, shape->n);
  if (run->problem.schedule.computes.right != TG_MATRICES) tg_print(cli, ", inner dimension %" PRId64, shape->k);
  tg_print(cli, ", %s, on the network %s\n", tg_element_name(run->options.element), run->network_text);
  g_autofree char *input = tg_input_text(cli, &run->input);
  tg_print(cli, "%s\n", input);
  if (tg_schedule_processors(&run->problem.schedule) > TG_STEP_FEW_PROCESSORS && !cli->options.blocks)
    tg_print(cli, "blocks are printed for up to %d processors; --blocks prints them here too\n",
             TG_STEP_FEW_PROCESSORS);
  if (!run->options.link_loads)
    tg_print(cli, "loads of links are not kept: for so many links and steps they would need too much memory\n");
}

/* Sums belong to C, whatever their `matrix` says. */
static int matrix_of(const TgValue *value) {
  return value->kind == TG_VALUE_SUM ? TG_MATRIX_C : value->matrix;
}

/* "A01", "A3,12" where a block row or column has two digits, "C01 2/4" for a sum of 2 of its 4 products. */
static void append_value(GString *text, const TgStepRun *run, const TgValue *value) {
  const TgSchedule *schedule = &run->problem.schedule;
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
  const TgSchedule *schedule = &run->problem.schedule;
  GString *text = g_string_new(NULL);
  for (int buffer = 0; buffer < schedule->buffers; buffer++) {
    const char *name = tg_name(&run->problem.names, run->problem.names.buffer[buffer]);
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
  for (int64_t p = 0; p < tg_schedule_processors(&run->problem.schedule); p++) {
    char name[64];
    tg_schedule_processor_text(&run->problem.schedule, p, name, sizeof name);
    g_autofree char *text = processor_text(run, p);
    tg_table_add(table, "%s", name);
    tg_table_add(table, "%s", text);
  }
  tg_table_print(cli, table, 2, false);
}

/* Rows by the first coordinate, columns by the second. False, and nothing printed, where it is too wide. */
static bool print_grid(TgCli *cli, const TgStepRun *run) {
  const TgSchedule *schedule = &run->problem.schedule;
  const TgScheduleNames *names = &run->problem.names;
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
  const TgSchedule *schedule = &run->problem.schedule;
  if (!cli->options.blocks && tg_schedule_processors(schedule) > TG_STEP_FEW_PROCESSORS) return;
  if (schedule->dims != 2 || !print_grid(cli, run)) print_list(cli, run);
}

static void print_counts(TgCli *cli, const TgStepRun *run, int64_t position) {
  const TgTraceStep *step = &tg_stepper_trace(run->stepper)->step[position - 1];
  tg_print(cli, "  %" PRId64 " product%s, %" PRId64 " message%s, %" PRId64 " bytes", step->products,
           plural(step->products), step->messages, plural(step->messages), step->bytes);
  int64_t link = 0, most = tg_step_busiest_link(run, position, &link);
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

void tg_step_print_step(TgCli *cli, TgStepRun *run) {
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

void tg_step_print_messages(TgCli *cli, const TgStepRun *run) {
  int64_t count;
  const TgStepperMessage *messages = tg_stepper_messages(run->stepper, &count);
  g_autoptr(TgTable) table = tg_table_new("lllrr");
  for (int64_t i = 0; i < count; i++) {
    const TgStepperMessage *message = &messages[i];
    char from[64], to[64];
    g_autoptr(GString) value = g_string_new(NULL);
    append_value(value, run, &message->value);
    tg_schedule_processor_text(&run->problem.schedule, message->message.from, from, sizeof from);
    tg_schedule_processor_text(&run->problem.schedule, message->message.to, to, sizeof to);
    tg_table_add(table, "%s -> %s", from, to);
    tg_table_add(table, "%s%s", message->message.add ? "+ " : "", value->str);
    tg_table_add(table, "line %d", run->problem.schedule.statement[message->statement].line);
    tg_table_add(table, "%" PRId64 " bytes", message->bytes);
    tg_table_add(table, "%" PRId64 " hop%s", message->hops, plural(message->hops));
  }
  if (count == 0) tg_print(cli, "  no messages\n");
  tg_table_print(cli, table, 2, false);
}

void tg_step_print_result(TgCli *cli, const TgStepRun *run) {
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
    tg_print(cli, "stopped after step %" PRId64 " of %" PRId64 ": C is not complete and was not checked\n",
             tg_stepper_position(run->stepper), tg_stepper_steps(run->stepper));
    return;
  }
  tg_print(cli, "C against a product in double precision: relative error ");
  tg_print_styled(cli, run->check.ok ? TG_STYLE_GOOD : TG_STYLE_BAD, "%.2g, %s", run->check.relative_error,
                  run->check.ok ? "OK" : "failed");
  if (run->check.tolerance > 0)
    tg_print(cli, " (Frobenius norm; at most %.2g for %s and this k)\n", run->check.tolerance,
             tg_element_name(run->options.element));
  else
    tg_print(cli, " (elements are only moved, so that all must be the same)\n");
}

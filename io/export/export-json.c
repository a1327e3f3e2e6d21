#include "export-json.h"

#include "elements.h"
#include "export-run.h"
#include "json-fields.h"

#include <errno.h>

enum { FLUSH_BYTES = 1 << 16 };

typedef struct Writer {
  const TgExportJob *job;
  const TgState *state;
  FILE *stream;
  TgJson *json;
  int64_t step;     /* the open one, 0 where none is */
  bool listing;     /* a list of messages or products is open */
  int stream_error; /* errno of the first write that failed */
} Writer;

/* What a statement's executions are listed as; NULL where they are not. */
static const char *list_of(int op) {
  return op == TG_OP_MULTIPLY ? "products" : tg_op_travels(op) ? "messages" : NULL;
}

static void flush(Writer *writer, size_t bytes) {
  errno = 0;
  bool good = tg_json_flush(writer->json, writer->stream, bytes);
  if (!good && !writer->stream_error) writer->stream_error = errno ? errno : EIO;
}

static void write_coordinates(Writer *writer, const char *key, int64_t processor) {
  int64_t coordinate[TG_MAX_DIMS];
  tg_schedule_coordinates(writer->job->schedule, processor, coordinate);
  tg_json_member_array(writer->json, key, TG_JSON_ROW);
  for (int c = 0; c < writer->job->schedule->dims; c++) tg_json_integer(writer->json, coordinate[c]);
  tg_json_end_array(writer->json);
}

static void write_block(Writer *writer, const char *key, int matrix, int32_t row, int32_t column, bool transposed) {
  char text[64];
  g_snprintf(text, sizeof text, "%c(%d, %d)%s", "ABC"[matrix], row, column, transposed ? "'" : "");
  tg_json_member_string(writer->json, key, text);
}

/* The name as tg_state_value_text() has it, without the number of terms. */
static void write_value(Writer *writer, const char *key, TgValueId id) {
  const TgValue *value = tg_state_value(writer->state, id);
  if (value->kind == TG_VALUE_ZERO)
    tg_json_member_string(writer->json, key, "zero");
  else
    write_block(writer, key, value->kind == TG_VALUE_SUM ? TG_MATRIX_C : value->matrix, value->row, value->column,
                value->transposed);
}

static void write_terms(Writer *writer, TgValueId id) {
  const TgValue *value = tg_state_value(writer->state, id);
  if (value->kind == TG_VALUE_SUM)
    tg_json_member_integer(writer->json, "terms", value->terms);
  else
    tg_json_member_null(writer->json, "terms");
}

static void write_placement(Writer *writer, const TgPlaced *placed) {
  TgJson *json = writer->json;
  tg_json_begin_object(json, TG_JSON_ROW);
  write_block(writer, "block", placed->matrix, placed->row, placed->column, false);
  tg_json_member_integer(json, "processor", placed->processor);
  write_coordinates(writer, "coordinates", placed->processor);
  tg_json_member_string(json, "buffer", tg_name(writer->job->names, writer->job->names->buffer[placed->buffer]));
  tg_json_member_integer(json, "index", placed->index);
  tg_json_end_object(json);
}

static void write_placements(Writer *writer) {
  TgPlacing placing;
  TgPlaced placed;
  tg_json_member_array(writer->json, "placements", TG_JSON_LINES);
  tg_placing_init(&placing, writer->job->schedule);
  while (tg_placing_next(&placing, writer->job->names, &placed, NULL) > 0) { /* an error has stopped the run before */
    write_placement(writer, &placed);
    flush(writer, FLUSH_BYTES);
  }
  tg_json_end_array(writer->json);
}

static void write_grid(Writer *writer) {
  const TgSchedule *schedule = writer->job->schedule;
  const TgScheduleNames *names = writer->job->names;
  TgJson *json = writer->json;
  tg_json_member_string(json, "grid", tg_schedule_grid_text(schedule).s);
  tg_json_member_integer(json, "processors", tg_schedule_processors(schedule));
  tg_json_member_array(json, "axes", TG_JSON_ROW);
  for (int c = 0; c < schedule->dims; c++) {
    tg_json_begin_object(json, TG_JSON_ROW);
    tg_json_member_string(json, "name", tg_name(names, names->axis[c]));
    tg_json_member_integer(json, "extent", schedule->extent[c]);
    tg_json_end_object(json);
  }
  tg_json_end_array(json);
  tg_json_member_object(json, "parameters", TG_JSON_ROW);
  for (int p = 0; p < schedule->parameters; p++)
    tg_json_member_integer(json, tg_name(names, names->parameter[p]), schedule->parameter[p]);
  tg_json_end_object(json);
}

static void write_sizes(Writer *writer) {
  const TgExportJob *job = writer->job;
  tg_json_member_integer(writer->json, "m", job->m);
  tg_json_member_integer(writer->json, "n", job->n);
  tg_json_member_integer(writer->json, "k", job->k);
  tg_json_member_string(writer->json, "type", tg_element_name(job->element));
  tg_json_member_integer(writer->json, "element_bytes", tg_element_bytes(job->element));
  tg_json_member_string(writer->json, "collective", tg_collective_name(job->collective));
}

static bool check_stream(const Writer *writer, GError **error) {
  errno = writer->stream_error;
  return tg_stream_accepted(!writer->stream_error, error);
}

static bool start(void *user, const TgState *state, GError **error) {
  Writer *writer = user;
  const TgScheduleNames *names = writer->job->names;
  writer->state = state;
  tg_json_begin_document(writer->json, "schedule");
  tg_json_member_string(writer->json, "algorithm", tg_name(names, names->title));
  tg_json_member_string(writer->json, "display_name", tg_name(names, names->display));
  tg_json_member_string(writer->json, "citation", tg_name(names, names->citation));
  tg_json_member_string(writer->json, "text", writer->job->text);
  write_grid(writer);
  write_sizes(writer);
  write_placements(writer);
  tg_json_member_array(writer->json, "steps", TG_JSON_LINES);
  return check_stream(writer, error);
}

static void close_step(Writer *writer) {
  if (!writer->step) return;
  tg_json_end_array(writer->json);
  tg_json_end_object(writer->json);
}

static void open_step(Writer *writer, const TgWalk *walk) {
  close_step(writer);
  writer->step = walk->step;
  tg_json_begin_object(writer->json, TG_JSON_LINES);
  tg_json_member_integer(writer->json, "index", walk->step);
  tg_json_member_string(writer->json, "label", tg_walk_label(walk));
  tg_json_member_string(writer->json, "note", tg_walk_note(walk));
  tg_json_member_array(writer->json, "statements", TG_JSON_LINES);
}

static bool begin_statement(void *user, const TgWalk *walk, GError **error) {
  Writer *writer = user;
  TgJson *json = writer->json;
  const TgStatement *statement = &walk->schedule->statement[walk->statement];
  if (walk->step != writer->step) open_step(writer, walk);
  tg_json_begin_object(json, TG_JSON_LINES);
  tg_json_member_integer(json, "line", statement->line);
  tg_json_member_string(json, "text", tg_name(walk->names, walk->names->source[walk->statement]));
  tg_json_member_string(json, "operation", tg_op_traits(statement->op)->word);
  tg_json_member_array(json, "loops", TG_JSON_ROW);
  for (int depth = 0; depth < walk->depth; depth++) tg_json_integer(json, walk->variable[TG_VARIABLE_LOOP + depth]);
  tg_json_end_array(json);
  const char *list = list_of(statement->op);
  if (list) tg_json_member_array(json, list, TG_JSON_LINES);
  writer->listing = list != NULL;
  return check_stream(writer, error);
}

static bool end_statement(void *user, GError **error) {
  Writer *writer = user;
  if (writer->listing) tg_json_end_array(writer->json);
  tg_json_end_object(writer->json);
  return check_stream(writer, error);
}

static void see_message(void *user, const TgExportMessage *seen) {
  Writer *writer = user;
  const TgMessage *message = seen->message;
  TgJson *json = writer->json;
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "from", message->from);
  tg_json_member_integer(json, "to", message->to);
  write_coordinates(writer, "from_coordinates", message->from);
  write_coordinates(writer, "to_coordinates", message->to);
  write_value(writer, "block", seen->value);
  write_terms(writer, seen->value);
  tg_json_member_integer(json, "bytes", seen->bytes);
  tg_json_member_integer(json, "round", message->round);
  tg_json_member_integer(json, "piece", message->piece);
  tg_json_member_integer(json, "pieces", message->pieces);
  tg_json_member_bool(json, "add", message->add);
  tg_json_member_bool(json, "joined", seen->joined);
  tg_json_end_object(json);
  flush(writer, FLUSH_BYTES);
}

static void see_product(void *user, const TgExportProduct *seen) {
  Writer *writer = user;
  TgJson *json = writer->json;
  tg_json_begin_object(json, TG_JSON_ROW);
  tg_json_member_integer(json, "processor", seen->processor);
  write_coordinates(writer, "coordinates", seen->processor);
  write_value(writer, "left", seen->left);
  write_value(writer, "right", seen->right);
  write_value(writer, "result", seen->result);
  write_terms(writer, seen->result);
  tg_json_member_integer(json, "flops", seen->flops);
  tg_json_end_object(json);
  flush(writer, FLUSH_BYTES);
}

static void write_counts(Writer *writer, const TgExported *counts) {
  TG_FIELD_TABLE(fields, TG_FIELD(TgExported, statements), TG_FIELD(TgExported, products),
                 TG_FIELD(TgExported, messages), TG_FIELD(TgExported, sends), TG_FIELD(TgExported, bytes),
                 TG_FIELD(TgExported, flops));
  close_step(writer);
  tg_json_end_array(writer->json);
  tg_json_key(writer->json, "counts");
  tg_json_object(writer->json, TG_JSON_LINES, fields, counts);
  tg_json_end_object(writer->json);
}

bool tg_export_json(const TgExportJob *job, FILE *stream, TgExported *exported, TgError *failure, GError **error) {
  g_autoptr(TgJson) json = tg_json_new();
  Writer writer = {.job = job, .stream = stream, .json = json};
  TgExportVisitor visitor = {.user = &writer,
                             .start = start,
                             .begin = begin_statement,
                             .message = see_message,
                             .product = see_product,
                             .end = end_statement};
  TgExported counts;
  if (!tg_export_run(job, &visitor, exported ? exported : &counts, failure, error)) return false;
  write_counts(&writer, exported ? exported : &counts);
  tg_json_text(json, NULL); /* checks that the document is complete, and ends its last line */
  flush(&writer, 0);
  return check_stream(&writer, error);
}

/* The whole of a predicted trace: each place's steps with its products in them, each message as a flow. Who multiplies
 * and who sends what is read from the frames that pictures are made of, so that names and numbers are theirs. */
#include "sim-trace.h"

#include "frame.h"

#include <math.h>

enum { NAMED = 16 }; /* products of one slice that are named */

/** What a place does in a step. */
typedef struct Doing {
  int64_t sent, received, sent_bytes, received_bytes;
  int64_t first, products; /**< in Whole.product */
} Doing;

typedef struct Whole {
  TgSimTrace *trace;
  const TgFrame *frame;
  int64_t s;        /* the step's entry in the prediction */
  Doing *doing;     /* by place */
  int64_t *product; /* numbers of the frame's products, place by place */
} Whole;

static const TgTraceStep *step_of(const Whole *whole) {
  return &whole->trace->run->cost->trace.step[whole->s];
}

static const TgNodeStep *times_of(const Whole *whole, int64_t place) {
  const TgCost *cost = whole->trace->run->cost;
  return &cost->node_step[whole->s * cost->node_entries + tg_sim_trace_node(whole->trace, place)];
}

/* --- who does what -------------------------------------------------------------------------------------------------*/

static int64_t bytes_of(const TgEstimate *run, const TgFrameMessage *message) {
  const TgBlockName *block = &message->block;
  const int32_t *blocks = run->schedule->blocks[block->matrix];
  const int64_t all_rows = run->shape.rows[block->matrix], all_columns = run->shape.columns[block->matrix];
  if (block->kind == TG_VALUE_ZERO) return 0;
  const int64_t rows =
      tg_block_begin(all_rows, blocks[0], block->row + 1) - tg_block_begin(all_rows, blocks[0], block->row);
  const int64_t columns =
      tg_block_begin(all_columns, blocks[1], block->column + 1) - tg_block_begin(all_columns, blocks[1], block->column);
  return run->options.element_bytes * (tg_block_begin(rows * columns, message->pieces, message->piece + 1) -
                                       tg_block_begin(rows * columns, message->pieces, message->piece));
}

/* Between processors of one node nothing travels. */
static bool travels(const Whole *whole, const TgFrameMessage *message) {
  return whole->trace->node[message->from] != whole->trace->node[message->to];
}

static void count_messages(Whole *whole) {
  for (int64_t m = 0; m < whole->frame->messages; m++) {
    const TgFrameMessage *message = &whole->frame->message[m];
    if (!travels(whole, message)) continue;
    const int64_t bytes = bytes_of(whole->trace->run, message);
    Doing *from = &whole->doing[tg_sim_trace_place(whole->trace, message->from)];
    Doing *to = &whole->doing[tg_sim_trace_place(whole->trace, message->to)];
    from->sent++;
    from->sent_bytes += bytes;
    to->received++;
    to->received_bytes += bytes;
    tg_sim_trace_links_add(whole->trace, message->from, message->to, bytes);
  }
}

/* Counts, then deals out, so that a place's products lie together in their order. */
static void sort_products(Whole *whole) {
  const TgFrame *frame = whole->frame;
  int64_t first = 0;
  for (int64_t p = 0; p < frame->products; p++)
    whole->doing[tg_sim_trace_place(whole->trace, frame->product[p].processor)].products++;
  for (int64_t place = 0; place < whole->trace->places; place++) {
    whole->doing[place].first = first;
    first += whole->doing[place].products;
    whole->doing[place].products = 0;
  }
  whole->product = g_renew(int64_t, whole->product, MAX(frame->products, 1));
  for (int64_t p = 0; p < frame->products; p++) {
    Doing *doing = &whole->doing[tg_sim_trace_place(whole->trace, frame->product[p].processor)];
    whole->product[doing->first + doing->products++] = p;
  }
}

/* --- slices --------------------------------------------------------------------------------------------------------*/

static void append_product(GString *text, const TgFrameProduct *product) {
  tg_factor_append(text, &product->left, product->left_transposed);
  g_string_append(text, "·");
  tg_factor_append(text, &product->right, product->right_transposed);
  g_string_append(text, " into ");
  tg_block_name_append(text, &product->result);
}

static void append_products(GString *text, const Whole *whole, const Doing *doing) {
  for (int64_t p = 0; p < MIN(doing->products, NAMED); p++) {
    if (p > 0) g_string_append(text, ", ");
    append_product(text, &whole->frame->product[whole->product[doing->first + p]]);
  }
  if (doing->products > NAMED) g_string_append_printf(text, " and %" PRId64 " more", doing->products - NAMED);
}

static void write_step_slice(Whole *whole, int64_t place) {
  const TgNodeStep *at = times_of(whole, place);
  const Doing *doing = &whole->doing[place];
  g_autoptr(GString) id = g_string_new(NULL);
  if (whole->trace->run->rank) tg_processor_id_append(id, whole->frame->schedule, place);
  const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step_of(whole)->index},
                                       {.name = "sent", .number = (double)doing->sent},
                                       {.name = "sent_bytes", .number = (double)doing->sent_bytes},
                                       {.name = "received", .number = (double)doing->received},
                                       {.name = "received_bytes", .number = (double)doing->received_bytes},
                                       {.name = "processor", .text = id->str}};
  tg_trace_slice(&whole->trace->file, &(TgTraceSlice){.track = place,
                                                      .name = tg_sim_trace_label(step_of(whole)),
                                                      .kind = "step",
                                                      .start_s = at->start_s,
                                                      .end_s = at->end_s,
                                                      .argument = arguments,
                                                      .arguments = G_N_ELEMENTS(arguments) - !id->len,
                                                      .always = doing->sent + doing->received + doing->products > 0});
}

/* Of a step, what has no more to say than its name. */
static void write_part(Whole *whole, int64_t place, const char *name, const char *kind, double start_s, double end_s) {
  const TgTraceArgument step = {.name = "step", .number = (double)step_of(whole)->index};
  tg_trace_slice(&whole->trace->file, &(TgTraceSlice){.track = place,
                                                      .name = name,
                                                      .kind = kind,
                                                      .start_s = start_s,
                                                      .end_s = end_s,
                                                      .argument = &step,
                                                      .arguments = 1});
}

static void write_communication(Whole *whole, int64_t place, double start_s, double end_s) {
  write_part(whole, place, "communication", "communication", start_s, end_s);
}

/* The model knows when the last product of a step ends and how long all of them take: several are one slice. */
static void write_products(Whole *whole, int64_t place, double start_s, double end_s) {
  const Doing *doing = &whole->doing[place];
  g_autoptr(GString) names = g_string_new(NULL), name = g_string_new(NULL);
  append_products(names, whole, doing);
  if (doing->products > 1) tg_count_append(name, doing->products, "product", "products");
  const int32_t line = doing->products ? whole->frame->product[whole->product[doing->first]].line : 0;
  const TgTraceArgument arguments[] = {{.name = "step", .number = (double)step_of(whole)->index},
                                       {.name = "line", .number = line},
                                       {.name = "products", .text = names->str}};
  tg_trace_slice(&whole->trace->file, &(TgTraceSlice){.track = place,
                                                      .name = name->len ? name->str : names->str,
                                                      .kind = "products",
                                                      .start_s = start_s,
                                                      .end_s = end_s,
                                                      .argument = arguments,
                                                      .arguments = G_N_ELEMENTS(arguments),
                                                      .always = true});
}

/* In the step the time before its products, these, and the time after them, in which those of later steps may run. */
static void write_inner_slices(Whole *whole, int64_t place) {
  const TgNodeStep *at = times_of(whole, place);
  const double end_s = fmin(at->products_end_s, at->end_s);
  const double own_s = tg_node_step_own_s(at), start_s = fmin(fmax(end_s - own_s, at->start_s), end_s);
  const double ahead_s = at->ahead_s > 0 ? at->ahead_end_s - at->ahead_s : at->end_s;
  const bool multiplies = own_s > 0;
  write_communication(whole, place, at->start_s, multiplies ? start_s : ahead_s);
  if (multiplies) write_products(whole, place, start_s, end_s);
  if (multiplies) write_communication(whole, place, end_s, ahead_s);
  if (at->ahead_s <= 0) return;
  write_part(whole, place, "products of a later step", "products", ahead_s, at->ahead_end_s);
  write_communication(whole, place, at->ahead_end_s, at->end_s);
}

/* --- flows ---------------------------------------------------------------------------------------------------------*/

static void append_title(GString *text, const TgFrame *frame, const TgFrameMessage *message) {
  tg_block_name_append(text, &message->block);
  g_string_append(text, ": ");
  tg_processor_append(text, frame->schedule, message->from);
  g_string_append(text, " → ");
  tg_processor_append(text, frame->schedule, message->to);
}

/* Prediction keeps no times of single messages: the arrow goes from the sender's step to the receiver's, as soon as
 * both are in it. */
static void write_flow(Whole *whole, int64_t number) {
  const TgFrameMessage *message = &whole->frame->message[number];
  const int64_t from = tg_sim_trace_place(whole->trace, message->from);
  const int64_t to = tg_sim_trace_place(whole->trace, message->to);
  const double start_s = times_of(whole, from)->start_s, there_s = times_of(whole, to)->start_s;
  g_autoptr(GString) name = g_string_new(NULL), id = g_string_new(NULL), block = g_string_new(NULL);
  append_title(name, whole->frame, message);
  tg_message_id_append(id, whole->frame->step, number);
  tg_block_name_append(block, &message->block);
  const TgTraceArgument arguments[] = {{.name = "message", .text = id->str},
                                       {.name = "block", .text = block->str},
                                       {.name = "bytes", .number = (double)bytes_of(whole->trace->run, message)},
                                       {.name = "step", .number = (double)whole->frame->step},
                                       {.name = "line", .number = message->line},
                                       {.name = "round", .number = message->round},
                                       {.name = "piece", .number = message->piece},
                                       {.name = "pieces", .number = message->pieces}};
  tg_trace_flow(&whole->trace->file, &(TgTraceFlow){.id = ++whole->trace->flows,
                                                    .name = name->str,
                                                    .kind = "message",
                                                    .from = from,
                                                    .to = to,
                                                    .start_s = start_s,
                                                    .end_s = fmax(start_s, there_s),
                                                    .argument = arguments,
                                                    .arguments = G_N_ELEMENTS(arguments)});
}

/* --- all of it -----------------------------------------------------------------------------------------------------*/

/* A flow belongs to the slice that began last when it is read, so flows stand between the steps and what is in them. */
static void write_step(Whole *whole) {
  TgSimTrace *trace = whole->trace;
  memset(whole->doing, 0, (size_t)trace->places * sizeof *whole->doing);
  count_messages(whole);
  sort_products(whole);
  for (int64_t place = 0; place < trace->places; place++) write_step_slice(whole, place);
  for (int64_t m = 0; m < whole->frame->messages && tg_sim_trace_fits(trace); m++)
    if (travels(whole, &whole->frame->message[m])) write_flow(whole, m);
  for (int64_t place = 0; place < trace->places; place++) write_inner_slices(whole, place);
  tg_sim_trace_links_step(trace, whole->s);
}

static TgExit write_steps(const TgCli *cli, Whole *whole, TgFrames *frames) {
  TgSimTrace *trace = whole->trace;
  GError *error = NULL;
  while (tg_sim_trace_fits(trace) && (whole->frame = tg_frames_next(frames, &error))) {
    const TgError *failure = whole->frame->failure;
    if (failure)
      return tg_report_at(cli, TG_EXIT_WRONG, &trace->algo->source, failure->line, failure->column, failure->message);
    /* the initial placement, and steps that cost nothing, are not in the prediction */
    if (whole->s == trace->steps || whole->frame->step != step_of(whole)->index) continue;
    write_step(whole);
    whole->s++;
  }
  return error ? tg_report_error(cli, error) : TG_EXIT_DONE;
}

TgExit tg_sim_trace_whole(const TgCli *cli, TgSimTrace *trace) {
  const TgEstimate *run = trace->run;
  const TgFrameOptions options = {
      .collective = (TgCollective)run->cost->collective, .to_the_error = true, .list = true};
  GError *error = NULL;
  g_autoptr(TgFrames) frames = tg_frames_new(run->cost->schedule, run->names, &options, &error);
  if (!frames) return tg_report_error(cli, error);
  Whole whole = {.trace = trace, .doing = g_new0(Doing, trace->places)};
  const TgExit status = write_steps(cli, &whole, frames);
  g_free(whole.doing);
  g_free(whole.product);
  return status;
}

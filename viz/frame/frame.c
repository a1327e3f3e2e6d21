#include "frame-network.h"
#include "frame-private.h"

#include <stdlib.h>
#include <string.h>

static void append_extents(GString *text, const TgLevel *level) {
  for (int a = 0; a < level->dims; a++) g_string_append_printf(text, "%s%d", a ? "×" : "", level->extents[a]);
}

static void append_level(GString *text, const TgLevel *level) {
  static const struct {
    const char *before, *after;
  } words[] = {
      [TG_TORUS] = {"", " torus"},         [TG_MESH] = {"", " mesh"},      [TG_RING] = {"ring of ", ""},
      [TG_LINE] = {"line of ", ""},        [TG_HYPERCUBE] = {"", "-cube"}, [TG_FULL] = {"full network of ", ""},
      [TG_SWITCH] = {"switch of ", ""},    [TG_SPINE] = {"spine of ", ""}, [TG_ECMP] = {"ECMP spine of ", ""},
      [TG_DRAGONFLY] = {"", " dragonfly"},
  };
  G_STATIC_ASSERT(G_N_ELEMENTS(words) == TG_NETWORK_KINDS);
  g_string_append(text, words[level->kind].before);
  append_extents(text, level);
  g_string_append(text, words[level->kind].after);
}

const char *tg_article(const char *words) {
  static const char *const vowels[] = {"8", "11×", "11-", "18×", "18-", "ECMP"};
  for (gsize v = 0; v < G_N_ELEMENTS(vowels); v++)
    if (g_str_has_prefix(words, vowels[v])) return "an";
  return "a";
}

void tg_network_append(GString *text, const TgTopology *topology) {
  append_level(text, &topology->level[topology->levels - 1]);
  for (int l = topology->levels - 2; l >= 0; l--) {
    g_autoptr(GString) inner = g_string_new(NULL);
    append_level(inner, &topology->level[l]);
    g_string_append(text, l == topology->levels - 2 ? ", at each node " : ", of each ");
    g_string_append_printf(text, "%s %s", tg_article(inner->str), inner->str);
  }
}

bool tg_frame_goes_round(const TgFrame *frame) {
  const TgTopology *topology = frame->topology;
  if (topology == NULL || topology->levels > 1) return true;
  return topology->level[0].kind != TG_MESH && topology->level[0].kind != TG_LINE;
}

bool tg_frame_has_grid_shape(const TgFrame *frame) {
  const TgTopology *topology = frame->topology;
  if (topology == NULL || topology->levels > 1 || topology->level[0].dims != frame->schedule->dims) return false;
  if (topology->level[0].kind > TG_LINE) return false;
  for (int c = 0; c < frame->schedule->dims; c++)
    if (topology->level[0].extents[c] != frame->schedule->extent[c]) return false;
  return true;
}

bool tg_frame_spreads(const TgFrame *frame) {
  for (int64_t m = 0; frame->detail && m < frame->messages; m++)
    if (frame->whole && tg_op_traits(frame->message[m].op)->is_collective) return true;
  return false;
}

void tg_frame_set_failure(GError **error, const TgError *failure) {
  const TgDrawError code = failure->cause == TG_CAUSE_STOPPED  ? TG_DRAW_ERROR_STOPPED
                           : failure->cause == TG_CAUSE_MEMORY ? TG_DRAW_ERROR_MEMORY
                                                               : TG_DRAW_ERROR_SCHEDULE;
  g_set_error_literal(error, TG_DRAW_ERROR, code, failure->message);
}

/* --- what a picture keeps from step to step ----------------------------------------------------------------------- */

typedef struct Survey {
  TgFrame *frame;
  const TgState *state;
} Survey;

static void note_axes(void *user, const TgMessage *message, TgValueId value) {
  Survey *survey = user;
  TgFrame *frame = survey->frame;
  int64_t from[TG_MAX_DIMS] = {0}, to[TG_MAX_DIMS] = {0};
  (void)value;
  tg_schedule_coordinates(frame->schedule, message->from, from);
  tg_schedule_coordinates(frame->schedule, message->to, to);
  for (int c = 0; c < frame->schedule->dims; c++)
    if (from[c] != to[c]) frame->moved_axes = (uint8_t)(frame->moved_axes | 1u << c);
  /* Collectives left whole are drawn from neighbour to neighbour and never round the edge. */
  const int op = frame->schedule->statement[tg_state_walk(survey->state)->statement].op;
  if (frame->whole && tg_op_traits(op)->is_collective) return;
  for (int c = 0; c < frame->schedule->dims; c++) {
    int64_t hops = llabs(to[c] - from[c]), back = frame->schedule->extent[c] - hops;
    bool round = tg_frame_goes_round(frame) && back < hops;
    if (round) frame->round_axes = (uint8_t)(frame->round_axes | 1u << c);
    if (MIN(hops, round ? back : hops) > 1) frame->far_axes = (uint8_t)(frame->far_axes | 1u << c);
  }
}

static void grow_length(TgFrame *frame, const TgState *state, int buffer) {
  int32_t length = tg_state_length(state, buffer);
  for (int64_t p = 0; p < frame->processors && frame->length[buffer] < length; p++) {
    int32_t index = length - 1;
    while (index >= frame->length[buffer] && tg_state_slot(state, p, buffer, index) == 0) index--;
    frame->length[buffer] = MAX(frame->length[buffer], index + 1);
  }
}

/* Runs the whole schedule once to find what a picture keeps from step to step: how many slots each buffer ever fills,
 * and along which coordinates messages go, go far, or go round the edge. */
static bool survey_run(TgFrames *frames, GError **error) {
  TgFrame *frame = &frames->frame;
  Survey survey = {.frame = frame};
  TgStateHooks hooks = {.user = &survey, .message = note_axes, .watch = frames->options.watch};
  TgError failure;
  TgState *state = tg_state_new(frame->schedule, frame->names, frames->options.collective, &hooks, &failure);
  TgProgress progress = state ? TG_PROGRESS_MORE : TG_PROGRESS_ERROR;
  survey.state = state;
  while (progress == TG_PROGRESS_MORE) {
    for (int b = 0; b < frame->schedule->buffers; b++) grow_length(frame, state, b);
    progress = tg_state_next_step(state, &failure);
  }
  for (int b = 0; state && b < frame->schedule->buffers; b++) grow_length(frame, state, b);
  bool done =
      progress != TG_PROGRESS_ERROR || (state && frames->options.to_the_error && failure.cause != TG_CAUSE_STOPPED);
  if (!done) tg_frame_set_failure(error, &failure);
  if (state) tg_state_free(state);
  return done;
}

/* --- loads of links ----------------------------------------------------------------------------------------------- */

/* Names the tree that a message of a whole broadcast or reduce belongs to; -1 where every message goes alone. Trees of
 * one statement have different roots. */
static int64_t tree_of(const TgFrames *frames, const TgFrameMessage *message) {
  const TgOpTraits *traits = tg_op_traits(message->op);
  if (!frames->frame.whole || traits->from_root == traits->to_root || traits->splits || traits->fills) return -1;
  return message->execution * TG_MAX_PROCESSORS + (traits->from_root ? message->from : message->to);
}

/* Hops of a stretch that cost no more than its two ends would. */
enum { SHORT_STRETCH = 2 };

static void add_to_tree(TgFrames *frames, TgRoute *route, int64_t tree, double blocks) {
  TgHop hop;
  while (tg_route_next(route, &hop)) {
    if (frames->link_stamp[hop.link] == tree) continue;
    frames->link_stamp[hop.link] = tree;
    frames->frame.link_blocks[hop.link] += blocks;
  }
}

static void add_to_stretch(TgFrames *frames, const TgStretch *stretch, double blocks) {
  if (stretch->hops > SHORT_STRETCH && blocks == 1) {
    if (!frames->link_ends) frames->link_ends = g_try_new0(int64_t, (gsize)frames->options.topology->links);
    if (frames->link_ends) { /* else hop by hop */
      tg_stretch_note_ends(stretch, 1, frames->link_ends);
      return;
    }
  }
  int32_t place = stretch->low;
  for (int32_t hop = 0; hop < stretch->hops; hop++) {
    frames->frame.link_blocks[stretch->line + place * stretch->stride] += blocks;
    if (++place == stretch->places) place = 0;
  }
}

/* Adds a message to the loads of the links on its way. A broadcast left whole crosses each link once, whatever the
 * number of receivers behind it, and a reduce likewise. Sums are in `link_blocks` after finish_loads(). */
static void add_load(TgFrames *frames, const TgFrameMessage *message) {
  if (frames->options.topology == NULL) return;
  TgRoute route;
  TgStretch stretch;
  const int64_t tree = tree_of(frames, message);
  const int32_t *node = frames->frame.node;
  const double blocks = 1.0 / message->pieces;
  tg_route_begin(&route, frames->options.topology, node[message->from], node[message->to]);
  if (tree >= 0) {
    add_to_tree(frames, &route, tree, blocks);
    return;
  }
  while (tg_route_next_stretch(&route, &stretch)) add_to_stretch(frames, &stretch, blocks);
}

/* Sets all loads to 0. */
static void clear_loads(TgFrames *frames) {
  if (frames->options.topology == NULL) return;
  const size_t links = (size_t)frames->options.topology->links;
  memset(frames->frame.link_blocks, 0, links * sizeof *frames->frame.link_blocks);
  memset(frames->link_stamp, -1, links * sizeof *frames->link_stamp);
}

static void add_long_stretches(TgFrames *frames) {
  if (!frames->link_ends) return;
  tg_topology_sum_lines(frames->options.topology, frames->link_ends);
  for (int64_t link = 0; link < frames->options.topology->links; link++)
    frames->frame.link_blocks[link] += (double)frames->link_ends[link];
  g_clear_pointer(&frames->link_ends, g_free);
}

/* Finds the largest load. */
static void finish_loads(TgFrames *frames) {
  frames->frame.link_blocks_max = 0;
  if (frames->options.topology == NULL) return;
  add_long_stretches(frames);
  for (int64_t link = 0; link < frames->options.topology->links; link++)
    frames->frame.link_blocks_max = MAX(frames->frame.link_blocks_max, frames->frame.link_blocks[link]);
}

/* --- the record of a step ----------------------------------------------------------------------------------------- */

static const TgStatement *current_statement(const TgFrames *frames) {
  return &frames->frame.schedule->statement[tg_state_walk(frames->state)->statement];
}

static TgBlockName block_of(const TgFrames *frames, TgValueId value) {
  return tg_block_name_of(value == 0 ? NULL : tg_state_value(frames->state, value));
}

static void on_message(void *user, const TgMessage *message, TgValueId value) {
  TgFrames *frames = user;
  const TgStatement *statement = current_statement(frames);
  TgFrameMessage record = {.from = message->from,
                           .to = message->to,
                           .block = block_of(frames, value),
                           .execution = tg_state_walk(frames->state)->executed,
                           .round = message->round,
                           .piece = message->piece,
                           .pieces = MAX(message->pieces, 1),
                           .op = statement->op,
                           .axis = statement->axis,
                           .buffer = statement->target.buffer,
                           .add = message->add,
                           .line = statement->line};
  add_load(frames, &record);
  frames->frame.messages++;
  frames->frame.received[message->to]++;
  if (frames->frame.listed) g_array_append_val(frames->messages, record);
}

static void mark_used(TgFrames *frames, int64_t processor, int buffer, int32_t index, const TgBlockName *block) {
  if (index < 0 || index >= frames->frame.length[buffer]) return;
  TgFrameSlot *slot = (TgFrameSlot *)tg_frame_slot(&frames->frame, processor, buffer, index);
  if (slot->used.kind == TG_VALUE_EMPTY) slot->used = *block;
}

static void on_product(void *user, int64_t processor, TgValueId result, TgValueId left, TgValueId right) {
  TgFrames *frames = user;
  frames->frame.products++;
  if (!frames->frame.listed) return;
  const TgStatement *statement = current_statement(frames);
  TgFrameProduct record = {.processor = processor,
                           .result = block_of(frames, result),
                           .left = block_of(frames, left),
                           .right = block_of(frames, right),
                           .replace = statement->replace != 0,
                           .left_transposed = statement->source.transposed != 0,
                           .right_transposed = statement->other.transposed != 0,
                           .line = statement->line};
  g_array_append_val(frames->products, record);
  if (!frames->frame.detail) return;
  TgLocal local;
  if (!tg_walk_local(tg_state_walk(frames->state), processor, &local, NULL)) return;
  mark_used(frames, processor, statement->source.buffer, local.source, &record.left);
  mark_used(frames, processor, statement->other.buffer, local.other, &record.right);
}

static bool restart(TgFrames *frames, GError **error) {
  TgStateHooks hooks = {.user = frames, .message = on_message, .product = on_product, .watch = frames->options.watch};
  TgError failure;
  if (frames->state) tg_state_free(frames->state);
  frames->started = frames->failed = frames->stopped = false;
  frames->frame.failure = NULL;
  frames->state =
      tg_state_new(frames->frame.schedule, frames->frame.names, frames->options.collective, &hooks, &failure);
  if (frames->state == NULL) tg_frame_set_failure(error, &failure);
  return frames->state != NULL;
}

static bool prepare_detail(TgFrames *frames, GError **error) {
  TgFrame *frame = &frames->frame;
  frame->detail = frame->processors <= TG_FRAME_DETAIL_PROCESSORS;
  if (!frame->detail) return true;
  if (!survey_run(frames, error)) return false;
  int64_t slots = 0;
  for (int b = 0; b < frame->schedule->buffers; b++) {
    frame->first[b] = (int32_t)slots;
    slots += frame->length[b];
  }
  frame->detail = slots * frame->processors <= TG_FRAME_DETAIL_SLOTS;
  if (!frame->detail) return true;
  frame->slots = (int32_t)slots;
  frame->slot = g_new0(TgFrameSlot, (gsize)(slots * frame->processors));
  return true;
}

static bool check_network(const TgFrames *frames, GError **error) {
  const TgTopology *topology = frames->options.topology;
  const TgEmbedding *embedding = frames->options.embedding;
  if (topology == NULL) return true;
  int64_t placed = embedding ? embedding->processors : frames->frame.processors;
  int64_t nodes = embedding ? embedding->nodes : topology->nodes;
  if (placed == frames->frame.processors && (embedding ? nodes == topology->nodes : placed <= nodes)) return true;
  return TG_DRAW_FAIL(error, NETWORK,
                      "%" G_GINT64_FORMAT " processors do not fit a network of %d nodes without an embedding",
                      frames->frame.processors, topology->nodes);
}

static void find_nodes(TgFrames *frames) {
  const TgEmbedding *embedding = frames->options.embedding;
  if (frames->frame.topology == NULL) return;
  for (int64_t p = 0; p < frames->frame.processors; p++)
    frames->frame.node[p] = embedding ? (int32_t)tg_embedding_node(embedding, p) : (int32_t)p;
}

static bool allocate(TgFrames *frames, GError **error) {
  TgFrame *frame = &frames->frame;
  gsize links = frame->topology ? (gsize)frame->topology->links : 0;
  frame->node = g_try_new0(int32_t, (gsize)frame->processors);
  frame->received = g_try_new0(int32_t, (gsize)frame->processors);
  frame->held = g_try_new0(int32_t, (gsize)frame->processors);
  frame->link_blocks = g_try_new0(double, MAX(links, 1));
  frames->link_stamp = g_try_new0(int64_t, MAX(links, 1));
  if (frame->node && frame->received && frame->held && frame->link_blocks && frames->link_stamp)
    return true;
  return TG_DRAW_FAIL(error, MEMORY,
                      "a frame of %" G_GINT64_FORMAT " processors and %" G_GSIZE_FORMAT
                      " links does not fit into memory",
                      frame->processors, links);
}

static bool count_steps(TgFrames *frames, GError **error) {
  TgError failure;
  frames->frame.steps = tg_walk_count_steps(frames->frame.schedule, frames->frame.names, &failure);
  if (frames->frame.steps < 0) g_set_error_literal(error, TG_DRAW_ERROR, TG_DRAW_ERROR_SCHEDULE, failure.message);
  return frames->frame.steps >= 0;
}

TgFrames *tg_frames_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgFrameOptions *options,
                        GError **error) {
  g_autoptr(TgFrames) frames = g_new0(TgFrames, 1);
  frames->options = *options;
  frames->messages = g_array_new(FALSE, FALSE, sizeof(TgFrameMessage));
  frames->products = g_array_new(FALSE, FALSE, sizeof(TgFrameProduct));
  frames->frame = (TgFrame){.schedule = schedule,
                            .names = names,
                            .topology = options->topology,
                            .whole = options->collective == TG_COLLECTIVE_WHOLE,
                            .processors = tg_schedule_processors(schedule)};
  if (!check_network(frames, error) || !count_steps(frames, error) || !allocate(frames, error)) return NULL;
  find_nodes(frames);
  if (!prepare_detail(frames, error)) return NULL;
  frames->frame.listed = frames->frame.detail || options->list;
  if (!restart(frames, error)) return NULL;
  return g_steal_pointer(&frames);
}

void tg_frames_free(TgFrames *frames) {
  if (frames->state) tg_state_free(frames->state);
  g_array_unref(frames->messages);
  g_array_unref(frames->products);
  g_free(frames->frame.slot);
  g_free(frames->frame.received);
  g_free(frames->frame.node);
  g_free(frames->frame.held);
  g_free(frames->frame.link_blocks);
  g_free(frames->link_stamp);
  g_free(frames->link_ends);
  g_free(frames);
}

static void begin_step(TgFrames *frames) {
  TgFrame *frame = &frames->frame;
  frame->messages = frame->products = 0;
  g_array_set_size(frames->messages, 0);
  g_array_set_size(frames->products, 0);
  memset(frame->received, 0, (size_t)frame->processors * sizeof *frame->received);
  clear_loads(frames);
  for (int64_t s = 0; frame->detail && s < frame->processors * frame->slots; s++) {
    if (!frames->started) frame->slot[s].after = (TgBlockName){.kind = TG_VALUE_EMPTY};
    frame->slot[s].before = frame->slot[s].after;
    frame->slot[s].used = (TgBlockName){.kind = TG_VALUE_EMPTY};
  }
}

/* Reads the slots of one buffer of one processor; returns how many are filled. */
static int32_t read_slots(TgFrames *frames, int64_t processor, int buffer) {
  TgFrame *frame = &frames->frame;
  int32_t filled = 0, length = tg_state_length(frames->state, buffer);
  for (int32_t index = 0; index < length; index++) {
    TgValueId value = tg_state_slot(frames->state, processor, buffer, index);
    filled += value != 0;
    if (frame->detail && index < frame->length[buffer])
      ((TgFrameSlot *)tg_frame_slot(frame, processor, buffer, index))->after = block_of(frames, value);
  }
  return filled;
}

static void end_step(TgFrames *frames) {
  TgFrame *frame = &frames->frame;
  const TgWalk *walk = tg_state_walk(frames->state);
  frame->step = frames->started ? walk->step : 0;
  frame->label = frames->started ? tg_walk_label(walk) : "initial placement";
  frame->note = frames->started ? tg_walk_note(walk) : "";
  frame->message = (TgFrameMessage *)(void *)frames->messages->data;
  frame->product = (TgFrameProduct *)(void *)frames->products->data;
  for (int64_t p = 0; p < frame->processors; p++) {
    frame->held[p] = 0;
    for (int b = 0; b < frame->schedule->buffers; b++) frame->held[p] += read_slots(frames, p, b);
  }
  finish_loads(frames);
}

/* Where the run fails in the step, the frame is what was done of it; after the last one the proof has its say. */
static void note_failure(TgFrames *frames, TgProgress progress) {
  TgFrame *frame = &frames->frame;
  frames->failed = progress == TG_PROGRESS_ERROR ||
                   (frame->step == frame->steps && !tg_state_finish(frames->state, &frames->failure));
  if (frames->failed) frame->steps = frame->step;
  frame->failure = frames->failed ? &frames->failure : NULL;
}

/* In the middle of a step, from which no frame follows. */
static const TgFrame *stop(TgFrames *frames, GError **error) {
  tg_frame_set_failure(error, &frames->failure);
  frames->failed = frames->stopped = true;
  frames->frame.failure = NULL;
  return NULL;
}

const TgFrame *tg_frames_next(TgFrames *frames, GError **error) {
  if (frames->failed) return NULL;
  begin_step(frames);
  TgProgress progress = frames->started ? tg_state_next_step(frames->state, &frames->failure) : TG_PROGRESS_MORE;
  if (progress == TG_PROGRESS_ERROR && frames->failure.cause == TG_CAUSE_STOPPED) return stop(frames, error);
  bool shown = progress == TG_PROGRESS_MORE || (progress == TG_PROGRESS_ERROR && frames->options.to_the_error);
  if (!shown && progress == TG_PROGRESS_ERROR) tg_frame_set_failure(error, &frames->failure);
  if (!shown) return NULL;
  end_step(frames);
  frames->started = true;
  if (frames->options.to_the_error) note_failure(frames, progress);
  return frames->failed && frames->failure.cause == TG_CAUSE_STOPPED ? stop(frames, error) : &frames->frame;
}

const TgFrame *tg_frames_seek(TgFrames *frames, int64_t step, GError **error) {
  if (step < 0 || step > frames->frame.steps) {
    g_set_error(error, TG_DRAW_ERROR, TG_DRAW_ERROR_STEP,
                "there is no step %" G_GINT64_FORMAT
                ": the schedule has steps 0 (the initial placement) to %" G_GINT64_FORMAT,
                step, frames->frame.steps);
    return NULL;
  }
  if (frames->started && !frames->stopped && frames->frame.step == step) return &frames->frame;
  const bool back = frames->stopped || (frames->started && frames->frame.step > step);
  if (back && !restart(frames, error)) return NULL;
  const TgFrame *frame;
  do frame = tg_frames_next(frames, error);
  while (frame != NULL && frame->step < step);
  return frame;
}

int64_t tg_frames_steps(const TgFrames *frames) {
  return frames->frame.steps;
}

const TgBlockName *tg_frame_slot_shown(const TgFrameSlot *slot) {
  if (slot->used.kind != TG_VALUE_EMPTY) return &slot->used;
  bool grows = slot->before.kind == TG_VALUE_SUM && tg_block_name_same(&slot->before, &slot->after);
  return slot->before.kind == TG_VALUE_EMPTY || grows ? &slot->after : &slot->before;
}

int tg_frame_message_axis(const TgSchedule *schedule, const TgFrameMessage *message, int64_t *from, int64_t *to) {
  int axis = -1, changed = 0;
  tg_schedule_coordinates(schedule, message->from, from);
  tg_schedule_coordinates(schedule, message->to, to);
  for (int c = 0; c < schedule->dims; c++) {
    if (from[c] == to[c]) continue;
    axis = c;
    changed++;
  }
  return changed == 1 ? axis : -1;
}

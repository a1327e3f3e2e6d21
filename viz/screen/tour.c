#include "tour.h"
#include "paper.h"

/* What a frame has of every processor, in order: counted, then dealt out. */
static int64_t sender(const TgFrame *frame, int64_t message) {
  return frame->message[message].from;
}

static int64_t receiver(const TgFrame *frame, int64_t message) {
  return frame->message[message].to;
}

static int64_t multiplier(const TgFrame *frame, int64_t product) {
  return frame->product[product].processor;
}

static void fill(TgTourLists *lists, const TgFrame *frame, int64_t count,
                 int64_t (*processor)(const TgFrame *frame, int64_t number)) {
  lists->begin = g_new0(int64_t, (gsize)frame->processors + 2);
  lists->number = g_new(int64_t, (gsize)MAX(count, 1));
  int64_t *next = lists->begin + 1; /* becomes the next one's beginning while its own numbers are dealt out */
  for (int64_t n = 0; n < count; n++) next[processor(frame, n) + 1]++;
  for (int64_t p = 1; p <= frame->processors; p++) next[p] += next[p - 1];
  for (int64_t n = 0; n < count; n++) lists->number[next[processor(frame, n)]++] = n;
}

static void empty(TgTourLists *lists) {
  g_clear_pointer(&lists->begin, g_free);
  g_clear_pointer(&lists->number, g_free);
}

static void tour_unlist(TgTour *tour) {
  empty(&tour->sent);
  empty(&tour->received);
  empty(&tour->multiplied);
}

/* Makes the lists of the frame at which the tour stands, and frees them. */
static void tour_list(TgTour *tour) {
  const TgFrame *frame = tour->frame;
  tour_unlist(tour);
  tour->rounds = 0;
  if (!frame->detail) return;
  for (int64_t m = 0; m < frame->messages; m++) tour->rounds = MAX(tour->rounds, frame->message[m].round + 1);
  fill(&tour->sent, frame, frame->messages, sender);
  fill(&tour->received, frame, frame->messages, receiver);
  fill(&tour->multiplied, frame, frame->products, multiplier);
}

/* What is asked of the last frame's array of steps, which grows with the tour. */
static TgTourStep *step_at(const TgTour *tour, int64_t step) {
  return &g_array_index(tour->step, TgTourStep, step);
}

static void make_room(TgTour *tour, int64_t step) {
  if (tour->step->len <= step) g_array_set_size(tour->step, (guint)step + 1);
}

/* Which statements run in a step is known once the walk has left it. Where the walk fails, the run fails, too. */
static void walk_past(TgTour *tour, int64_t step) {
  while (!tour->walked && tour->walk.step <= step) {
    TgError error = {0};
    tour->walked = tg_walk_next(&tour->walk, &error) != TG_PROGRESS_MORE;
    if (tour->walked) break;
    make_room(tour, tour->walk.step);
    step_at(tour, tour->walk.step)->statements |= UINT64_C(1) << tour->walk.statement;
  }
}

/* Bytes of a message; 0 without sizes. */
static int64_t tour_message_bytes(const TgTour *tour, const TgFrameMessage *message) {
  const TgBlockName *block = &message->block;
  const TgTourSizes *sizes = &tour->sizes;
  int64_t rows, columns;
  if (sizes->m == 0 || block->kind == TG_VALUE_ZERO) return 0;
  const int32_t *parts = tour->schedule->blocks[block->matrix];
  tg_schedule_matrix_shape(tour->schedule, block->matrix, sizes->m, sizes->n, sizes->k, &rows, &columns);
  int64_t high = tg_block_begin(rows, parts[0], block->row + 1) - tg_block_begin(rows, parts[0], block->row);
  int64_t wide =
      tg_block_begin(columns, parts[1], block->column + 1) - tg_block_begin(columns, parts[1], block->column);
  int64_t elements = tg_block_begin(high * wide, message->pieces, message->piece + 1) -
                     tg_block_begin(high * wide, message->pieces, message->piece);
  return elements * sizes->element_bytes;
}

static void count_step(TgTour *tour, const TgFrame *frame) {
  make_room(tour, frame->step);
  TgTourStep *now = step_at(tour, frame->step);
  if (frame->step > 0) {
    const TgTourStep *before = step_at(tour, frame->step - 1);
    now->products = before->products;
    now->messages = before->messages;
    now->bytes = before->bytes;
  }
  now->products += frame->products;
  now->messages += frame->messages;
  for (int64_t m = 0; frame->detail && m < frame->messages; m++)
    now->bytes += tour_message_bytes(tour, &frame->message[m]);
  tour->known = frame->step;
}

bool tg_tour_go(TgTour *tour, int64_t step, GError **error) {
  int64_t at = tour->frame && tour->frame->step <= step ? tour->frame->step : -1;
  while (at < CLAMP(step, 0, tg_frames_steps(tour->frames))) {
    tour->frame = tg_frames_seek(tour->frames, ++at, error);
    if (!tour->frame) return false;
    if (at > tour->known) count_step(tour, tour->frame);
    if (!tg_watch_go_on(tour->watch, at)) break;
  }
  walk_past(tour, tour->frame->step);
  tour_list(tour);
  return true;
}

const TgTourStep *tg_tour_totals(const TgTour *tour) {
  return step_at(tour, tour->frame->step);
}

TgTourStep tg_tour_step_alone(const TgTour *tour) {
  TgTourStep alone = *tg_tour_totals(tour);
  if (tour->frame->step == 0) return alone;
  const TgTourStep *before = step_at(tour, tour->frame->step - 1);
  alone.products -= before->products;
  alone.messages -= before->messages;
  alone.bytes -= before->bytes;
  return alone;
}

static void find_places(TgTour *tour) {
  TgPlacing placing;
  TgPlaced placed;
  TgError error = {0};
  tg_placing_init(&placing, tour->schedule);
  while (tg_placing_next(&placing, tour->names, &placed, &error) > 0)
    if (placed.matrix == TG_MATRIX_C) g_array_append_val(tour->c_place, placed);
}

bool tg_tour_sums(const TgTour *tour, TgTourSums *sums) {
  const TgFrame *frame = tour->frame;
  int64_t blocks = tour->c_place->len;
  *sums = (TgTourSums){.of_terms = blocks * tour->schedule->inner, .blocks = blocks};
  if (!frame->detail || tour->schedule->computes.right == TG_MATRICES) return false;
  for (int64_t b = 0; b < blocks; b++) {
    const TgPlaced *place = &g_array_index(tour->c_place, TgPlaced, b);
    if (place->index >= frame->length[place->buffer]) continue;
    const TgBlockName *block = &tg_frame_slot(frame, place->processor, place->buffer, place->index)->after;
    if (block->kind != TG_VALUE_SUM || block->row != place->row || block->column != place->column) continue;
    sums->terms += block->terms;
    sums->complete += block->terms == tour->schedule->inner;
  }
  return true;
}

TgTour *tg_tour_new(const TgSchedule *schedule, const TgScheduleNames *names, const TgFrameOptions *options,
                    const TgTourSizes *sizes, GError **error) {
  g_autoptr(TgTour) tour = g_new0(TgTour, 1);
  tour->schedule = schedule;
  tour->names = names;
  tour->sizes = *sizes;
  tour->known = -1;
  tour->step = g_array_new(FALSE, TRUE, sizeof(TgTourStep));
  tour->c_place = g_array_new(FALSE, FALSE, sizeof(TgPlaced));
  tg_walk_init(&tour->walk, schedule, names);
  tour->frames = tg_frames_new(schedule, names, options, error);
  if (!tour->frames || !tg_tour_go(tour, 0, error)) return NULL;
  find_places(tour);
  return g_steal_pointer(&tour);
}

void tg_tour_free(TgTour *tour) {
  tour_unlist(tour);
  if (tour->frames) tg_frames_free(tour->frames);
  g_array_unref(tour->step);
  g_array_unref(tour->c_place);
  g_free(tour);
}

/* Where a block goes, from step to step. */

enum { SAID = 3 }; /* of the many messages and products that a block may have in one step */

/* Begins a further thing that is said; false where it is one too many, which is only counted. */
static bool begin(GString *text, int *count, const char *separator) {
  if (++*count > SAID) return false;
  if (text->len) g_string_append(text, separator);
  return true;
}

static void append_messages(GString *text, const TgFrame *frame, const TgBlockName *block, bool unicode, int *count) {
  for (int64_t m = 0; m < frame->messages; m++) {
    const TgFrameMessage *message = &frame->message[m];
    if (!tg_block_name_follows(&message->block, block) || !begin(text, count, ", ")) continue;
    tg_paper_processor(text, frame->schedule, message->from);
    g_string_append(text, unicode ? " → " : " -> ");
    tg_paper_processor(text, frame->schedule, message->to);
    if (message->add) g_string_append(text, ", added");
  }
}

static void append_products(GString *text, const TgFrame *frame, const TgBlockName *block, const TgPaper *paper,
                            int *count) {
  for (int64_t p = 0; p < frame->products; p++) {
    const TgFrameProduct *product = &frame->product[p];
    bool part = tg_block_name_follows(&product->result, block) || tg_block_name_follows(&product->left, block) ||
                tg_block_name_follows(&product->right, block);
    if (!part || !begin(text, count, "; ")) continue;
    tg_paper_block(paper, text, &product->result);
    g_string_append(text, product->replace ? " = " : " += ");
    tg_paper_block(paper, text, &product->left);
    g_string_append(text, paper->unicode ? "·" : "*");
    tg_paper_block(paper, text, &product->right);
    g_string_append(text, " on ");
    tg_paper_processor(text, frame->schedule, product->processor);
  }
}

static bool holds(const TgFrame *frame, int64_t processor, const TgBlockName *block) {
  const TgFrameSlot *slot = &frame->slot[processor * frame->slots];
  for (int32_t s = 0; s < frame->slots; s++)
    if (tg_block_name_follows(&slot[s].after, block)) return true;
  return false;
}

static void append_places(GString *text, const TgFrame *frame, const TgBlockName *block, int *count) {
  for (int64_t p = 0; p < frame->processors; p++) {
    if (!holds(frame, p, block) || !begin(text, count, ", ")) continue;
    g_string_append(text, *count == 1 ? "on " : "");
    tg_paper_processor(text, frame->schedule, p);
  }
}

/* Where a block is in a frame and what becomes of it, in words: "on (0,1)", "(0,1) → (0,0), C₀₁ += A₀₁·B₁₁ on (0,1)".
 * Free with g_free(). */
static char *journey_text(const TgFrame *frame, const TgBlockName *block, bool unicode) {
  GString *text = g_string_new(NULL);
  const TgPaper paper = {.unicode = unicode};
  int count = 0;
  if (frame->detail) append_products(text, frame, block, &paper, &count);
  if (frame->detail) append_messages(text, frame, block, unicode, &count);
  if (frame->detail && count == 0) append_places(text, frame, block, &count);
  if (count == 0) g_string_append(text, unicode ? "–" : "-");
  if (count > SAID) g_string_append_printf(text, ", and %d more", count - SAID);
  return g_string_free(text, FALSE);
}

char **tg_journey(const TgTour *tour, const TgFrameOptions *options, const TgBlockName *block, bool unicode,
                  int64_t most, GError **error) {
  g_autoptr(TgFrames) frames = tg_frames_new(tour->schedule, tour->names, options, error);
  if (!frames) return NULL;
  GPtrArray *texts = g_ptr_array_new();
  const TgFrame *frame;
  for (int64_t s = 0; s < most && (frame = tg_frames_next(frames, error)); s++)
    g_ptr_array_add(texts, journey_text(frame, block, unicode));
  g_ptr_array_add(texts, NULL);
  return (char **)g_ptr_array_free(texts, FALSE);
}

/* Where a block goes, from step to step. */
#include "paper.h"
#include "tour.h"

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

/* What stands in a processor's cell: the product it forms, what else it holds, what leaves and what comes. */
#include "screen-private.h"

enum { PRODUCTS = 3, HELD = 12 }; /* shown of one processor; the rest is counted */

unsigned tg_cell_look(const TgScreen *screen, const TgBlockName *block) {
  unsigned look = block->kind == TG_VALUE_ZERO || block->kind == TG_VALUE_EMPTY ? TG_LOOK_FAINT
                                                                                : TG_LOOK_A + (unsigned)block->matrix;
  bool followed = screen->followed && tg_block_name_follows(block, screen->followed);
  return look | (followed ? TG_LOOK_FOLLOWED : 0u);
}

bool tg_cell_failed(const TgScreen *screen, int64_t processor) {
  const TgError *failure = screen->tour->frame->failure;
  return failure && failure->processor == processor;
}

/* Eighths of a sign: how far a sum is shows at a glance, and a step always moves the bar of up to 32 terms. */
void tg_screen_bar(GString *text, const TgPaper *paper, int64_t part, int64_t whole, int signs) {
  int64_t fine = whole > 0 ? part * 8 * signs / whole : 0;
  for (int s = 0; s < signs; s++, fine -= 8) {
    if (paper->unicode)
      g_string_append_unichar(text, fine >= 8 ? 0x2588 : fine > 0 ? 0x2590 - (gunichar)fine : 0x2591);
    else
      g_string_append_c(text, fine >= 8 ? '#' : fine > 0 ? '+' : '.');
  }
}

static void add_block(GArray *words, const TgScreen *screen, const TgBlockName *block, unsigned flags, bool joined) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_paper_block(&screen->paper, text, block);
  tg_word_add(words, tg_cell_look(screen, block) | flags, joined, text->str);
}

/* "C₀₁ ██░░" */
static void add_sum(GArray *words, const TgScreen *screen, const TgBlockName *block) {
  g_autoptr(GString) bar = g_string_new(" ");
  int inner = screen->tour->schedule->inner;
  add_block(words, screen, block, 0, false);
  if (block->kind != TG_VALUE_SUM) return;
  tg_screen_bar(bar, &screen->paper, block->terms, inner, MIN(inner, 4));
  tg_word_add(words, TG_LOOK_C, true, bar->str);
}

static void add_more(GArray *words, int64_t more) {
  g_autofree char *text = g_strdup_printf("+%" G_GINT64_FORMAT, more);
  if (more > 0) tg_word_add(words, TG_LOOK_FAINT, false, text);
}

static void add_products(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->multiplied;
  int64_t count = 0;
  for (int64_t p = lists->begin[processor]; p < lists->begin[processor + 1]; p++) {
    const TgFrameProduct *product = &screen->tour->frame->product[lists->number[p]];
    if (++count > PRODUCTS) break;
    add_block(words, screen, &product->left, 0, false);
    tg_word_add(words, TG_LOOK_FAINT, true, screen->paper.unicode ? "·" : "*");
    add_block(words, screen, &product->right, 0, true);
  }
  add_more(words, lists->begin[processor + 1] - lists->begin[processor] - PRODUCTS);
}

/* What a slot stands for in the picture of a step: as the pictures of draw have it. */
static const TgBlockName *shown(const TgFrameSlot *slot) {
  const TgBlockName *block = tg_frame_slot_shown(slot);
  return slot->after.kind == TG_VALUE_SUM && slot->before.kind == TG_VALUE_EMPTY ? &slot->after : block;
}

static bool came(const TgTour *tour, int64_t processor, const TgFrameSlot *slot) {
  const TgTourLists *lists = &tour->received;
  if (slot->before.kind != TG_VALUE_EMPTY) return false;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++)
    if (tg_block_name_same(&tour->frame->message[lists->number[m]].block, &slot->after)) return true;
  return false;
}

/* Whether a product of the processor reads the block; with `sums`, whether one adds to it. */
static bool multiplied(const TgTour *tour, int64_t processor, const TgBlockName *block, bool sums) {
  const TgTourLists *lists = &tour->multiplied;
  for (int64_t p = lists->begin[processor]; p < lists->begin[processor + 1]; p++) {
    const TgFrameProduct *product = &tour->frame->product[lists->number[p]];
    if (sums ? tg_block_name_same(&product->result, block)
             : tg_block_name_same(&product->left, block) || tg_block_name_same(&product->right, block))
      return true;
  }
  return false;
}

/* A block is named once, however many slots hold it. */
static bool is_first(const TgFrameSlot *slots, int32_t at) {
  for (int32_t s = 0; s < at; s++)
    if (tg_block_name_same(shown(&slots[s]), shown(&slots[at]))) return false;
  return true;
}

/* Sums that the step adds to stand with the product, all else apart. */
static void add_slots(GArray *words, const TgScreen *screen, int64_t processor, bool sums) {
  const TgFrame *frame = screen->tour->frame;
  const TgFrameSlot *slots = &frame->slot[processor * frame->slots];
  int64_t count = 0;
  for (int32_t s = 0; s < frame->slots; s++) {
    const TgBlockName *block = shown(&slots[s]);
    if (block->kind == TG_VALUE_EMPTY || !is_first(slots, s) || came(screen->tour, processor, &slots[s])) continue;
    if (multiplied(screen->tour, processor, block, true) != sums || multiplied(screen->tour, processor, block, false))
      continue;
    if (++count <= HELD) add_sum(words, screen, block);
  }
  add_more(words, count - HELD);
}

void tg_cell_words(GArray *words, const TgScreen *screen, int64_t processor, TgCellPart part) {
  if (part == TG_CELL_WORK) {
    if (tg_cell_failed(screen, processor)) tg_word_add(words, TG_LOOK_BAD, false, screen->paper.unicode ? "✗" : "!!");
    add_products(words, screen, processor);
    add_slots(words, screen, processor, true);
  } else if (part == TG_CELL_HOLDS) {
    add_slots(words, screen, processor, false);
  } else if (part == TG_CELL_OUT) {
    tg_cell_out(words, screen, processor);
  } else {
    tg_cell_in(words, screen, processor);
  }
}

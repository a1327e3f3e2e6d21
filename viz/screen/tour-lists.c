/* What a frame has of every processor, in order: counted, then dealt out. */
#include "tour.h"

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

void tg_tour_unlist(TgTour *tour) {
  empty(&tour->sent);
  empty(&tour->received);
  empty(&tour->multiplied);
}

void tg_tour_list(TgTour *tour) {
  const TgFrame *frame = tour->frame;
  tg_tour_unlist(tour);
  tour->rounds = 0;
  if (!frame->detail) return;
  for (int64_t m = 0; m < frame->messages; m++) tour->rounds = MAX(tour->rounds, frame->message[m].round + 1);
  fill(&tour->sent, frame, frame->messages, sender);
  fill(&tour->received, frame, frame->messages, receiver);
  fill(&tour->multiplied, frame, frame->products, multiplier);
}

/* Messages in a cell: "A₀₁←" to the neighbour on the left, "A₀₁→j=*" to all along a line, "2:A₀₁↓" in the second round
 * of the step, "got A₀₂ B₁₂". */
#include "screen-private.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 6 }; /* messages of one cell; the rest is counted */

/* A block that goes to several along a line is one thing to say. */
static bool is_same(const TgFrameMessage *a, const TgFrameMessage *b) {
  return a->execution == b->execution && a->round == b->round && a->piece == b->piece &&
         tg_block_name_same(&a->block, &b->block);
}

/* How many get what the processor's message at `at` of its list carries; 0 where an earlier one of them tells it. */
static int64_t receivers(const TgTour *tour, int64_t processor, int64_t at) {
  const TgTourLists *lists = &tour->sent;
  const TgFrameMessage *all = tour->frame->message;
  int64_t count = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    if (!is_same(&all[lists->number[at]], &all[lists->number[m]])) continue;
    if (m < at) return 0;
    count++;
  }
  return count;
}

static const char *arrow(bool unicode, int direction) {
  static const char *const arrows[2][4] = {{"<", ">", "^", "v"}, {"←", "→", "↑", "↓"}};
  return arrows[unicode][direction];
}

/* The only coordinate that changes; -1 where several do. */
static int axis_of(const TgSchedule *schedule, const int64_t *from, const int64_t *to) {
  int axis = -1, changed = 0;
  for (int c = 0; c < schedule->dims; c++) {
    if (from[c] == to[c]) continue;
    axis = c;
    changed++;
  }
  return changed == 1 ? axis : -1;
}

/* The shorter way, round the edge where that is it. */
static int64_t offset(int64_t from, int64_t to, int64_t extent) {
  int64_t way = to - from;
  return 2 * llabs(way) > extent ? way - (way > 0 ? extent : -extent) : way;
}

static void append_coordinates(GString *text, const TgSchedule *schedule, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, schedule, processor);
  g_string_append(text, name->str + 1);
}

static void append_where(GString *text, const TgScreen *screen, const TgFrameMessage *message) {
  const TgSchedule *schedule = screen->tour->schedule;
  const TgScreenGrid grid = tg_screen_grid(schedule);
  int64_t from[TG_MAX_DIMS], to[TG_MAX_DIMS];
  tg_schedule_coordinates(schedule, message->from, from);
  tg_schedule_coordinates(schedule, message->to, to);
  int axis = axis_of(schedule, from, to);
  if (axis >= 0 && (axis == grid.row_axis || axis == grid.column_axis)) {
    int64_t way = offset(from[axis], to[axis], schedule->extent[axis]);
    g_string_append(text, arrow(screen->paper.unicode, (axis == grid.row_axis) * 2 + (way > 0)));
    if (llabs(way) > 1) g_string_append_printf(text, "%" G_GINT64_FORMAT, (int64_t)llabs(way));
    return;
  }
  g_string_append(text, arrow(screen->paper.unicode, 1));
  if (axis >= 0)
    tg_screen_axis_text(text, screen, axis, to[axis]);
  else
    append_coordinates(text, schedule, message->to);
}

static void append_line(GString *text, const TgScreen *screen, const TgFrameMessage *message, int64_t count) {
  const TgTour *tour = screen->tour;
  g_string_append(text, arrow(screen->paper.unicode, 1));
  if (tg_op_is_collective(message->op) && count == tour->schedule->extent[message->axis] - 1)
    g_string_append_printf(text, "%s=*", tg_name(tour->names, tour->names->axis[message->axis]));
  else
    g_string_append_printf(text, "%" G_GINT64_FORMAT " others", count);
}

/* With the round before it, "2:A₀₁", where there are several and `rounds` asks for them. */
static void add_block(GArray *words, const TgScreen *screen, const TgFrameMessage *message, bool rounds,
                      unsigned flags) {
  g_autoptr(GString) text = g_string_new(message->add && flags ? "+" : "");
  if (rounds && screen->tour->rounds > 1) g_string_append_printf(text, "%" G_GINT32_FORMAT ":", message->round + 1);
  tg_paper_block(&screen->paper, text, &message->block);
  tg_word_add(words, tg_cell_look(screen, &message->block) | flags, false, text->str);
}

static void add_more(GArray *words, int64_t more) {
  g_autofree char *text = g_strdup_printf("+%" G_GINT64_FORMAT, more);
  if (more > 0) tg_word_add(words, TG_LOOK_FAINT, false, text);
}

void tg_cell_out(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->sent;
  int64_t shown = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    const TgFrameMessage *message = &screen->tour->frame->message[lists->number[m]];
    int64_t count = receivers(screen->tour, processor, m);
    if (count == 0 || ++shown > SHOWN) continue;
    g_autoptr(GString) where = g_string_new(NULL);
    add_block(words, screen, message, true, 0);
    if (count > 1)
      append_line(where, screen, message, count);
    else
      append_where(where, screen, message);
    tg_word_add(words, tg_cell_look(screen, &message->block) & ~(unsigned)TG_LOOK_FOLLOWED, true, where->str);
  }
  add_more(words, shown - SHOWN);
}

/* A block in pieces, or one from each of several senders that is added, is told once. */
static bool came_before(const TgTour *tour, int64_t processor, int64_t at) {
  const TgTourLists *lists = &tour->received;
  const TgFrameMessage *all = tour->frame->message;
  for (int64_t m = lists->begin[processor]; m < at; m++)
    if (tg_block_name_same(&all[lists->number[m]].block, &all[lists->number[at]].block)) return true;
  return false;
}

void tg_cell_in(GArray *words, const TgScreen *screen, int64_t processor) {
  const TgTourLists *lists = &screen->tour->received;
  int64_t shown = 0;
  for (int64_t m = lists->begin[processor]; m < lists->begin[processor + 1]; m++) {
    if (came_before(screen->tour, processor, m) || ++shown > SHOWN) continue;
    if (shown == 1) tg_word_add(words, TG_LOOK_FAINT, false, "got");
    add_block(words, screen, &screen->tour->frame->message[lists->number[m]], false, TG_LOOK_NEW);
  }
  add_more(words, shown - SHOWN);
}

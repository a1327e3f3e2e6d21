#include "picture.h"

#include "caption.h"
#include "frame-network.h"
#include "heat-map.h"
#include "layout.h"

/* A picture under way: a layout of cells, or a heat map. */
typedef struct Picture {
  const TgFrame *frame;
  TgCaption caption;
  TgLayout layout;
  TgHeatMap map;
  double width, height; /* without the words */
} Picture;

static void append_grid(GString *title, const TgFrame *frame) {
  g_autoptr(GString) network = g_string_new(NULL);
  for (int c = 0; c < frame->schedule->dims; c++)
    g_string_append_printf(title, "%s%d", c ? "×" : "", frame->schedule->extent[c]);
  if (frame->topology == NULL) {
    g_string_append(title, frame->schedule->dims > 1 ? " grid" : " processors");
    return;
  }
  tg_network_append(network, frame->topology);
  g_string_append_printf(title, " on %s %s", tg_article(network->str), network->str);
}

/* Where the network has the grid's own shape, it alone is named. */
char *tg_picture_title(const TgFrame *frame) {
  g_autoptr(GString) where = g_string_new(NULL);
  GString *title = g_string_new(NULL);
  bool one = tg_frame_has_grid_shape(frame);
  g_string_append(title, tg_name(frame->names, frame->names->display));
  if (one)
    tg_network_append(where, frame->topology);
  else
    append_grid(where, frame);
  if (one || frame->topology == NULL)
    g_string_append_printf(title, " on %s ", tg_article(where->str));
  else
    g_string_append(title, ", ");
  g_string_append(title, where->str);
  g_string_append_printf(title, " — step %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, frame->step, frame->steps);
  if (*frame->label) g_string_append_printf(title, ": %s", frame->label);
  return g_string_free(title, FALSE);
}

/* What a collective that is left whole does to links depends on how it is carried out. */
static void append_busiest(GString *text, const TgFrame *frame) {
  if (frame->topology == NULL || frame->messages == 0 || tg_frame_spreads(frame)) return;
  char name[TG_TOPOLOGY_TEXT_BYTES];
  tg_topology_format(frame->topology, name, sizeof name);
  g_string_append_printf(text, " · busiest link of %s: %.4g %s", name, frame->link_blocks_max,
                         frame->link_blocks_max == 1 ? "block" : "blocks");
}

char *tg_picture_totals(const TgFrame *frame) {
  GString *text = g_string_new(NULL);
  if (frame->step == 0) {
    int64_t held = 0;
    for (int64_t p = 0; p < frame->processors; p++) held += frame->held[p];
    tg_count_append(text, frame->processors, "processor", "processors");
    g_string_append(text, " · ");
    tg_count_append(text, held, "block held", "blocks held");
    return g_string_free(text, FALSE);
  }
  if (frame->messages == 0)
    g_string_append(text, "no messages");
  else
    tg_count_append(text, frame->messages, "message", "messages");
  if (frame->products > 0) g_string_append(text, " · ");
  if (frame->products > 0) tg_count_append(text, frame->products, "product", "products");
  append_busiest(text, frame);
  return g_string_free(text, FALSE);
}

/* How arrows are to be read, as far as they are not one message each. */
static void add_layout_notes(Picture *picture) {
  const TgLayout *layout = &picture->layout;
  GString *text = g_string_new(NULL);
  if (layout->spread)
    g_string_append(text,
                    "Collectives are left whole: arrows show which way the blocks go along each line, not rounds");
  else if (layout->link_by_link)
    g_string_append(text, "Blocks that go further than to a neighbour are drawn link by link, the shortest way");
  else if (layout->numbers_rounds)
    g_string_append(text, "The number on an arrow is the round in which it goes");
  if (layout->between_planes)
    g_string_append(text, text->len > 0 ? "; an arrow between planes stands for all blocks that go there"
                                        : "An arrow between planes stands for all blocks that go there");
  if (picture->frame->topology && picture->frame->processors > picture->frame->topology->nodes && layout->panels == 1)
    g_string_append(text, text->len > 0 ? "; dashed lines enclose the processors of one node"
                                        : "Dashed lines enclose the processors of one node");
  if (layout->numbers_blocks || layout->between_planes)
    g_string_append(text, text->len > 0 ? "; ×2: two blocks" : "×2 on an arrow: two blocks");
  if (text->len > 0) g_string_append_c(text, '.');
  tg_caption_add_note(&picture->caption, g_string_free(text, FALSE));
}

/* What is to be seen: which arrows, slots and samples. */
typedef struct Seen {
  bool arrow[TG_MATRICES], held[TG_MATRICES], fresh, changes, sums;
  int fresh_matrix;
} Seen;

static void look_at_slot(Seen *seen, const TgFrame *frame, const TgFrameSlot *slot) {
  const TgBlockName *shown = tg_frame_slot_shown(slot);
  if (shown->kind == TG_VALUE_EMPTY) return;
  seen->held[shown->matrix] = true;
  seen->changes |= !tg_block_name_same(shown, &slot->after);
  seen->sums |= shown->kind == TG_VALUE_SUM && frame->schedule->inner > 1 && tg_block_name_same(shown, &slot->after);
  if (!seen->fresh && tg_slot_fresh(frame, slot)) {
    seen->fresh = true;
    seen->fresh_matrix = shown->matrix;
  }
}

/* Long arrays are one box, which shows no slot. */
static bool is_drawn(const TgLayout *layout, int buffer) {
  if (layout->panel_matrices != 0) return true;
  for (int i = 0; i < layout->cell.items; i++)
    if (layout->cell.item[i].buffer == buffer) return layout->cell.item[i].index >= 0;
  return false;
}

static void look(Seen *seen, const Picture *picture) {
  const TgFrame *frame = picture->frame;
  for (int64_t m = 0; m < frame->messages; m++) seen->arrow[frame->message[m].block.matrix] = true;
  for (int b = 0; b < frame->schedule->buffers; b++) {
    Seen slots = {0};
    for (int64_t p = 0; p < frame->processors; p++)
      for (int32_t i = 0; i < frame->length[b]; i++) look_at_slot(&slots, frame, tg_frame_slot(frame, p, b, i));
    for (int matrix = 0; matrix < TG_MATRICES; matrix++) seen->held[matrix] |= slots.held[matrix];
    if (!is_drawn(&picture->layout, b)) continue;
    if (slots.fresh && !seen->fresh) seen->fresh_matrix = slots.fresh_matrix;
    seen->fresh |= slots.fresh;
    seen->changes |= slots.changes;
    seen->sums |= slots.sums;
  }
}

static void add_keys(Picture *picture) {
  static const char *const moves[] = {"A moves", "B moves", "C moves"}, *const holds[] = {"A", "B", "C"};
  Seen seen = {0};
  look(&seen, picture);
  for (int matrix = 0; matrix < TG_MATRICES && picture->layout.panel_matrices; matrix++)
    seen.held[matrix] = seen.held[matrix] && (picture->layout.panel_matrices >> matrix & 1);
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    if (seen.arrow[matrix]) tg_caption_add_key(&picture->caption, "arrow", matrix, false, g_strdup(moves[matrix]));
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    if (seen.held[matrix]) tg_caption_add_key(&picture->caption, "box", matrix, false, g_strdup(holds[matrix]));
  if (seen.fresh)
    tg_caption_add_key(&picture->caption, "box", seen.fresh_matrix, true, g_strdup("new here in this step"));
  bool texts = picture->layout.cell.next_size > 0, oblique = picture->layout.panel_matrices != 0;
  if (seen.changes && texts)
    tg_caption_add_key(&picture->caption, "→ A₀₁", -1, false, g_strdup("held as the step ends"));
  if (seen.sums && (texts || oblique)) {
    char *words = g_strdup_printf("terms summed, of %d", picture->frame->schedule->inner);
    tg_caption_add_key(&picture->caption, "1/n", -1, false, words);
  }
}

static void add_heat_notes(Picture *picture) {
  if (picture->map.tile < 2) return;
  char *text = g_strdup_printf("Every tile shows %" G_GINT64_FORMAT "×%" G_GINT64_FORMAT
                               " processors by the largest value among them.",
                               picture->map.tile, picture->map.tile);
  tg_caption_add_note(&picture->caption, text);
}

static char *failure_text(const TgError *failure) {
  GString *text = g_string_new("It goes wrong here: ");
  g_string_append(text, failure->message);
  if (failure->line > 0) g_string_append_printf(text, " (line %d)", failure->line);
  g_string_append_c(text, '.');
  return g_string_free(text, FALSE);
}

static void picture_init(Picture *picture, const TgFrame *frame, TgHeat heat) {
  *picture = (Picture){.frame = frame};
  picture->caption.title = tg_picture_title(frame);
  tg_caption_add_note(&picture->caption, g_strdup(frame->note));
  if (frame->failure) tg_caption_add_note(&picture->caption, failure_text(frame->failure));
  tg_caption_set_totals(&picture->caption, tg_picture_totals(frame));
  if (frame->detail) {
    tg_layout_init(&picture->layout, frame);
    picture->width = picture->layout.width;
    picture->height = picture->layout.height;
    add_layout_notes(picture);
    add_keys(picture);
  } else {
    tg_heat_map_init(&picture->map, frame, heat);
    picture->width = picture->map.width;
    picture->height = picture->map.height;
    add_heat_notes(picture);
  }
}

static void picture_clear(Picture *picture) {
  tg_caption_clear(&picture->caption);
  if (picture->frame->detail)
    tg_layout_clear(&picture->layout);
  else
    tg_heat_map_clear(&picture->map);
}

TgRoom tg_picture_measure(const TgFrame *frame, TgHeat heat) {
  Picture picture;
  picture_init(&picture, frame, heat);
  TgRoom room = tg_caption_measure(&picture.caption, picture.width, picture.height);
  picture_clear(&picture);
  return room;
}

static void draw(const Picture *picture, TgScene *scene, TgPoint origin) {
  if (picture->frame->detail)
    tg_layout_draw(&picture->layout, scene, origin);
  else
    tg_heat_map_draw(&picture->map, scene, origin);
}

TgScene *tg_picture_new(const TgFrame *frame, TgHeat heat, const TgRoom *room) {
  Picture picture;
  picture_init(&picture, frame, heat);
  TgScene *scene = tg_scene_new();
  tg_scene_describe(scene, picture.caption.title, frame->note);
  draw(&picture, scene, tg_caption_draw(&picture.caption, scene, picture.width, picture.height, room));
  picture_clear(&picture);
  return scene;
}

TgScene *tg_picture_bare(const TgFrame *frame, TgHeat heat) {
  enum { MARGIN = 16 };
  Picture picture;
  picture_init(&picture, frame, heat);
  TgScene *scene = tg_scene_new();
  g_autoptr(GString) notes = g_string_new(NULL);
  for (int n = (*frame->note != '\0') + (frame->failure ? 1 : 0); n < picture.caption.notes; n++)
    g_string_append_printf(notes, "%s%s", notes->len ? " " : "", picture.caption.lines[n]);
  tg_scene_set_canvas(scene, picture.width + 2 * MARGIN, picture.height + 2 * MARGIN);
  tg_scene_describe(scene, picture.caption.title, notes->str);
  draw(&picture, scene, (TgPoint){MARGIN, MARGIN});
  picture_clear(&picture);
  return scene;
}

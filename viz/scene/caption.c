#include "caption.h"

#include "palette.h"
#include "text-width.h"

enum { MARGIN = 18, TITLE = 20, NOTE = 13, KEY = 12, KEY_GAP = 22, SAMPLE = 30, LEAST_WIDTH = 560 };

void tg_caption_clear(TgCaption *caption) {
  for (int n = 0; n < caption->notes; n++) g_free(caption->lines[n]);
  for (int k = 0; k < caption->keys; k++) g_free(caption->key[k].words);
  g_free(caption->title);
  g_free(caption->totals);
}

void tg_caption_add_note(TgCaption *caption, char *text) {
  if (*text && caption->notes < TG_CAPTION_NOTES)
    caption->lines[caption->notes++] = text;
  else
    g_free(text);
}

void tg_caption_add_key(TgCaption *caption, const char *sample, int matrix, bool strong, char *words) {
  if (caption->keys < TG_CAPTION_KEYS)
    caption->key[caption->keys++] = (TgKey){.sample = sample, .matrix = matrix, .strong = strong, .words = words};
  else
    g_free(words);
}

void tg_caption_set_totals(TgCaption *caption, char *text) {
  g_free(caption->totals);
  caption->totals = text;
}

static double key_width(const TgKey *key) {
  return SAMPLE + 6 + tg_text_width(key->words, KEY) + KEY_GAP;
}

/* Breaks notes and legend to a width and counts their lines; draws them where there is a scene. */
typedef struct Block {
  const TgCaption *caption;
  TgScene *scene;
  double width; /* of the canvas */
} Block;

static double draw_notes(const Block *block, double y) {
  for (int n = 0; n < block->caption->notes; n++) {
    g_auto(GStrv) lines = tg_text_wrap(block->caption->lines[n], NOTE, block->width - 2 * MARGIN);
    for (char **line = lines; *line; line++) {
      if (block->scene)
        tg_scene_text(block->scene, block->width / 2, y + 9, NOTE, n == 0 ? TG_COLOUR_INK : TG_COLOUR_INK_SOFT, *line);
      y += 18;
    }
  }
  return y;
}

static void draw_sample_arrow(TgScene *scene, const TgMatrixStyle *style, double x, double y) {
  TgPoint point[4] = {{x, y}, {x + SAMPLE / 3, y}, {x + SAMPLE * 2 / 3, y}, {x + SAMPLE, y}};
  tg_scene_stroke(scene, &(TgStroke){.from = "canvas",
                                     .to = "canvas",
                                     .point = {point},
                                     .points = {4},
                                     .head = TG_HEAD_ARROW,
                                     .colour = style->line,
                                     .style = style->dash,
                                     .pen = 2.8});
}

static void draw_sample_box(TgScene *scene, const TgMatrixStyle *style, bool strong, double x, double y) {
  tg_scene_box(scene, NULL, NULL, (TgPoint){x + 2, y - 8}, (TgPoint){x + SAMPLE - 2, y + 8},
               strong ? style->ink : style->tint, TG_COLOUR_LINE, 0.8);
}

static void draw_key(TgScene *scene, const TgKey *key, double x, double y) {
  if (g_str_equal(key->sample, "arrow"))
    draw_sample_arrow(scene, &tg_matrix_style[key->matrix], x, y);
  else if (g_str_equal(key->sample, "box"))
    draw_sample_box(scene, &tg_matrix_style[key->matrix], key->strong, x, y);
  else
    tg_scene_text(scene, x + SAMPLE / 2.0, y, 11, TG_COLOUR_INK, key->sample);
  tg_scene_text(scene, x + SAMPLE + 6 + tg_text_width(key->words, KEY) / 2, y, KEY, TG_COLOUR_INK, key->words);
}

/* One line of the legend: as many samples as fit, centred. */
static int draw_key_line(const Block *block, int first, double y) {
  const TgCaption *caption = block->caption;
  double width = -KEY_GAP;
  int end = first;
  while (end < caption->keys && (end == first || width + key_width(&caption->key[end]) <= block->width - 2 * MARGIN))
    width += key_width(&caption->key[end++]);
  double x = (block->width - width) / 2;
  for (int k = first; k < end; k++) {
    if (block->scene) draw_key(block->scene, &caption->key[k], x, y + 10);
    x += key_width(&caption->key[k]);
  }
  return end;
}

static double draw_foot(const Block *block, double y) {
  for (int k = 0; k < block->caption->keys; y += 21) k = draw_key_line(block, k, y);
  if (block->caption->totals == NULL) return y;
  g_auto(GStrv) lines = tg_text_wrap(block->caption->totals, NOTE, block->width - 2 * MARGIN);
  for (char **line = lines; *line; line++, y += 18)
    if (block->scene) tg_scene_text(block->scene, block->width / 2, y + 10, NOTE, TG_COLOUR_INK_SOFT, *line);
  return y;
}

static double needed_width(const TgCaption *caption, double width) {
  double needed = MAX(width, caption->least_width > 0 ? caption->least_width : LEAST_WIDTH);
  return MAX(needed, tg_text_width(caption->title, TITLE) * 1.06) + 2 * MARGIN;
}

TgRoom tg_caption_measure(const TgCaption *caption, double width, double height) {
  Block block = {.caption = caption, .width = needed_width(caption, width)};
  return (TgRoom){.width = block.width,
                  .head = draw_notes(&block, MARGIN + 30) + 8,
                  .height = height,
                  .foot = 8 + draw_foot(&block, 0) + MARGIN};
}

void tg_room_grow(TgRoom *room, const TgRoom *other) {
  room->width = MAX(room->width, other->width);
  room->head = MAX(room->head, other->head);
  room->height = MAX(room->height, other->height);
  room->foot = MAX(room->foot, other->foot);
}

TgPoint tg_caption_draw(const TgCaption *caption, TgScene *scene, double width, double height, const TgRoom *room) {
  const TgRoom all = room ? *room : tg_caption_measure(caption, width, height);
  Block block = {.caption = caption, .width = all.width, .scene = scene};
  tg_scene_set_canvas(scene, all.width, all.head + all.height + all.foot);
  tg_scene_bold(scene, "title", all.width / 2, MARGIN + 12, TITLE, caption->title);
  draw_notes(&block, MARGIN + 30);
  draw_foot(&block, all.head + all.height + 8);
  return (TgPoint){(all.width - width) / 2, all.head + (all.height - height) / 2};
}

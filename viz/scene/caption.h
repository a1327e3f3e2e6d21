/** @file caption.h
 * The words round a picture: title and note above, legend and totals below. Private to viz/. */
#ifndef TG_CAPTION_H
#define TG_CAPTION_H

#include "frame.h"
#include "scene.h"

enum { TG_CAPTION_NOTES = 8, TG_CAPTION_KEYS = 10 };

/** A sample with its meaning. */
typedef struct TgKey {
  const char *sample; /**< "arrow", "box" or "text" */
  int matrix;         /**< arrow, box: its colours; -1: none */
  bool strong;        /**< box: filled */
  char *words;
} TgKey;

typedef struct TgCaption {
  char *title;
  double least_width;            /**< points; 0: as for a step */
  char *lines[TG_CAPTION_NOTES]; /**< above the picture, in the order given */
  int notes;
  TgKey key[TG_CAPTION_KEYS];
  int keys;
  char *totals;
} TgCaption;

/** What a picture takes: its width, and from top to bottom words, picture, words. */
typedef struct TgRoom {
  double width, head, height, foot;
} TgRoom;

/** Frees what the caption holds. */
void tg_caption_clear(TgCaption *caption);

/** Adds a sentence above the picture, unless it is empty; owns `text`. */
void tg_caption_add_note(TgCaption *caption, char *text);
/** Adds a sample below it; owns `words`. */
void tg_caption_add_key(TgCaption *caption, const char *sample, int matrix, bool strong, char *words);
/** Sets the last line; owns `text`. */
void tg_caption_set_totals(TgCaption *caption, char *text);

/** The room that words and a picture of `width` × `height` take. */
TgRoom tg_caption_measure(const TgCaption *caption, double width, double height);
/** Makes `room` so large that `other` fits, too. */
void tg_room_grow(TgRoom *room, const TgRoom *other);
/** Sets the scene's canvas to the room, which may be larger than what was measured (NULL: what is measured), draws the
 * words, and tells where the picture goes: in rooms of the same size to the same place. */
TgPoint tg_caption_draw(const TgCaption *caption, TgScene *scene, double width, double height, const TgRoom *room);

#endif

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

/** Frees what the caption holds. */
void tg_caption_clear(TgCaption *caption);

/** Title and note of a step. */
void tg_caption_init(TgCaption *caption, const TgFrame *frame);
/** Adds a sentence above the picture; owns `text`. */
void tg_caption_add_note(TgCaption *caption, char *text);
/** Adds a sample below it; owns `words`. */
void tg_caption_add_key(TgCaption *caption, const char *sample, int matrix, bool strong, char *words);
/** Sets the last line; owns `text`. */
void tg_caption_set_totals(TgCaption *caption, char *text);

/** The size that words and a picture of `width` × `height` take together. */
void tg_caption_measure(const TgCaption *caption, double width, double height, double *all_width, double *all_height);
/** Draws the words on a canvas, which may be larger, and tells where the picture goes. */
TgPoint tg_caption_draw(const TgCaption *caption, TgScene *scene, double width, double height, double all_width,
                        double all_height);

#endif

/** @file memory-private.h
 * Private to memory-picture.c and memory-panel.c: one schedule's part of the picture. */
#ifndef TG_MEMORY_PRIVATE_H
#define TG_MEMORY_PRIVATE_H

#include "axis.h"
#include "memory.h"

/** Points. */
enum {
  TG_MEMORY_PLOT = 720,   /**< width of the plot … */
  TG_MEMORY_HIGH = 190,   /**< … and its height */
  TG_MEMORY_HEAD = 72,    /**< words above it … */
  TG_MEMORY_FOOT = 50,    /**< … and below */
  TG_MEMORY_NUMBERS = 70, /**< beside it */
};

/** What all schedules of the picture share. */
typedef struct TgMemoryLayout {
  const TgMemoryChart *chart;
  TgMemoryUnit unit;
  TgAxis axis;
  int64_t merged; /**< steps that are drawn as one: the fullest of them */
  double step_width;
  double width, height;
} TgMemoryLayout;

typedef struct TgMemoryPanel {
  const TgMemoryLayout *chart;
  const TgMemoryRun *run;
  TgScene *scene;
  int number;          /**< from 1 */
  double left, bottom; /**< of the plot */
} TgMemoryPanel;

/** By matrix, from dark to light as they stand above each other, so that they are told apart in grey, too. */
extern const char *const tg_memory_fill[TG_MATRICES];
extern const char *const tg_memory_ink[TG_MATRICES];

void tg_memory_draw_panel(const TgMemoryPanel *panel);
/** A line in ink on white, so that it is seen on each colour. */
void tg_memory_line(TgScene *scene, const char *id, const char *title, double x0, double x1, double y, double pen);
void tg_memory_dot(TgScene *scene, const char *id, const char *title, double x, double y, double size);

#endif

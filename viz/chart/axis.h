/** @file axis.h
 * Axes of charts: the round numbers of ticks, their unit, and lines of text next to them. Private to viz/. */
#ifndef TG_AXIS_H
#define TG_AXIS_H

#include "scene.h"

/** From 0 to `most`; ticks at multiples of `step`. */
typedef struct TgAxis {
  double most, step;     /**< in the quantity's own unit: seconds, bytes, blocks */
  double unit;           /**< in which numbers are written … */
  const char *unit_name; /**< … "ms"; "" for counts */
} TgAxis;

typedef enum TgAxisKind { TG_AXIS_TIME, TG_AXIS_BYTES, TG_AXIS_COUNT } TgAxisKind;

/** At most `ticks` steps of 1, 2 or 5 times a power of ten of the unit in which the numbers stay small. */
void tg_axis_init(TgAxis *axis, TgAxisKind kind, double most, int ticks);
/** The number of a place on the axis, without the unit. Free with g_free(). */
char *tg_axis_number(const TgAxis *axis, double value);
/** How many ticks there are after the one at 0. */
int tg_axis_ticks(const TgAxis *axis);

/** A line of text that begins at x, or ends there. */
void tg_axis_text_from(TgScene *scene, double x, double y, double size, const char *ink, const char *text);
void tg_axis_text_to(TgScene *scene, double x, double y, double size, const char *ink, const char *text);
/** The name of a part of the chart, in bold, from x. */
void tg_axis_head(TgScene *scene, const char *id, double x, double y, const char *text);
/** A sample of the legend, drawn from x around y, and what it means; with "" the next sample follows at once. */
typedef struct TgAxisKey {
  void (*sample)(TgScene *scene, int what, double x, double y);
  int what; /**< which of those that the function draws */
  const char *words;
} TgAxisKey;

/** Width of the samples, and what is left free after the words. */
typedef struct TgAxisLegend {
  double sample, gap;
} TgAxisLegend;

/** The legend in one line around `middle`. */
void tg_axis_legend(TgScene *scene, const TgAxisKey *keys, gsize count, const TgAxisLegend *legend, double middle,
                    double y);

/** A straight line that lies under all boxes; `style` is solid, dashed or dotted. */
void tg_axis_line(TgScene *scene, TgPoint a, TgPoint b, const char *colour, const char *style, double pen);

#endif

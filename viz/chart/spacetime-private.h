/** @file spacetime-private.h
 * Private to the parts of spacetime.c: one schedule's rows on the shared axis. */
#ifndef TG_SPACETIME_PRIVATE_H
#define TG_SPACETIME_PRIVATE_H

#include "axis.h"
#include "spacetime.h"

/** Which lanes a schedule's rows show, and where. */
typedef struct TgSpacetimePanel {
  const TgSpacetimeRun *run;
  int number;         /**< of the run, from 1 */
  int64_t rows, each; /**< lanes a row; the last may have fewer */
  int64_t *shown;     /**< by row: its busiest lane */
  int64_t merged;     /**< steps that are drawn as one */
  double row, bar;    /**< heights, points */
  double left, top;   /**< of the rows */
  double points_per_s;
  const TgAxis *axis;
} TgSpacetimePanel;

/** Finds rows and their heights. Free with tg_spacetime_panel_clear(). */
void tg_spacetime_panel_init(TgSpacetimePanel *panel, const TgSpacetimeRun *run, int number);
void tg_spacetime_panel_clear(TgSpacetimePanel *panel);
/** The row's name, "(0, 1)" or "(0, 0) to (0, 15)". Free with g_free(). */
char *tg_spacetime_row_name(const TgSpacetimePanel *panel, int64_t row);
/** Every how many rows one is named, so that names do not touch. */
int64_t tg_spacetime_named_rows(const TgSpacetimePanel *panel);

static inline double tg_spacetime_x(const TgSpacetimePanel *panel, double time_s) {
  return panel->left + time_s * panel->points_per_s;
}
/** The middle of the row in which the lane is. */
static inline double tg_spacetime_y(const TgSpacetimePanel *panel, int64_t lane) {
  return panel->top + ((double)(lane / panel->each) + 0.5) * panel->row;
}

/** What the row's lane does when. */
void tg_spacetime_draw_row(const TgSpacetimePanel *panel, TgScene *scene, int64_t row);
/** The steps along the chain, above the rows, and their bounds through these. */
void tg_spacetime_draw_steps(const TgSpacetimePanel *panel, TgScene *scene);
/** The chain, over the rows. */
void tg_spacetime_draw_path(const TgSpacetimePanel *panel, TgScene *scene);

/** Colours, for the legend, too. */
#define TG_SPACETIME_PRODUCTS "#009E73"
#define TG_SPACETIME_COMMUNICATION "#F0E442"
#define TG_SPACETIME_WAITING "#8c8c8c"

/** A bar of products, one of communication (half as high), a line of waiting, from x0 to x1 around y. */
void tg_spacetime_products(TgScene *scene, const char *id, const char *title, double x0, double x1, double y,
                           double height);
void tg_spacetime_communication(TgScene *scene, const char *id, const char *title, double x0, double x1, double y,
                                double height);
void tg_spacetime_waiting(TgScene *scene, double x0, double x1, double y);
/** A stretch of the chain, on white. */
void tg_spacetime_stretch(TgScene *scene, const char *id, const char *title, TgPoint a, TgPoint b, double pen);

#endif

/** @file layout.h
 * Where processors are in a picture and how flows run between them: a table of layouts, chosen by the grid, the
 * network and where the messages go. Private to viz/. */
#ifndef TG_LAYOUT_H
#define TG_LAYOUT_H

#include "cell.h"
#include "flow.h"
#include "frame.h"
#include "scene.h"

typedef struct TgLayout TgLayout;

/** What a layout is drawn with. */
typedef struct TgView {
  const TgFrame *frame;
  const TgLayout *layout;
  TgScene *scene;
  TgPoint origin; /**< of the layout in the scene */
  int panel;      /**< of layouts that show every processor once a panel */
} TgView;

typedef struct TgLayoutKind {
  const char *name;
  /** True where it is made for this grid, this network and the messages of the whole run: never by the step alone. */
  bool (*suits)(const TgFrame *frame);
  /** Sets what is below, from frame and kind. */
  void (*place)(TgLayout *layout);
  /** Draws labels and outlines, processors, and one flow. */
  void (*draw_ground)(const TgView *view);
  void (*draw_processor)(const TgView *view, int64_t processor);
  void (*draw_flow)(const TgView *view, const TgFlow *flow);
} TgLayoutKind;

struct TgLayout {
  const TgFrame *frame;
  const TgLayoutKind *kind;
  bool full; /**< cells with names and products; otherwise small ones */
  bool numbers_rounds, numbers_blocks, link_by_link, between_planes,
      spread;    /**< what the flows show, for the words under the picture */
  GArray *flows; /**< TgFlow */
  TgCellLayout cell;
  TgPoint *at;               /**< centres of the processors in a panel */
  double width, height;      /**< of the whole layout, points */
  double gap_x, gap_y;       /**< between cells */
  double margin_x, margin_y; /**< for what goes round the edge */
  int panels, panel_columns;
  double panel_width, panel_height, panel_gap;
  uint8_t panel_matrix[TG_MATRICES]; /**< oblique: the matrix of each panel … */
  uint8_t panel_matrices;            /**< … and all of them, bit m for matrix m; 0 elsewhere */
};

/** True where cells have room for names and products. */
bool tg_layout_is_full(const TgFrame *frame);
/** The layout of a frame. Free with tg_layout_clear(). */
void tg_layout_init(TgLayout *layout, const TgFrame *frame);
void tg_layout_clear(TgLayout *layout);
/** Draws it with its upper left corner at `origin`. */
void tg_layout_draw(const TgLayout *layout, TgScene *scene, TgPoint origin);

/** Centre of a processor in the scene. */
TgPoint tg_view_at(const TgView *view, int64_t processor);
/** The id of the processor's mark in this panel. Free with g_free(). */
char *tg_view_id(const TgView *view, int64_t processor);

/** Draws a processor's cell under its name. */
void tg_view_cell(const TgView *view, int64_t processor);
/** Draws the link between two processors, where no flow of the step uses it. */
void tg_view_idle(const TgView *view, int64_t a, int64_t b, double pen);

/** Draws a flow along a chain of cubic Béziers, or along two. */
void tg_view_arrow(const TgView *view, const TgFlow *flow, const TgPoint *point, int points, const TgPoint *second,
                   int second_points);
/** What an arrow joins where that is not two processors, by their marks' ids, and its words. */
typedef struct TgArrowEnds {
  const char *from, *to, *title;
} TgArrowEnds;
/** Draws a flow between these. */
void tg_view_arrow_between(const TgView *view, const TgFlow *flow, const TgArrowEnds *ends, const TgPoint *point,
                           int points, const TgPoint *second, int second_points);
/** A straight arrow, with the flow's number next to its middle, outwards. */
void tg_view_straight(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b);
/** From border to border of two processors' cells, `offset` points to the right of the way; bent to the right by `bend`
 * parts of its length. */
void tg_view_direct(const TgView *view, const TgFlow *flow, double offset, double bend);
/** The number of the flow drawn last, centred at (x, y); nothing where it has none. */
void tg_view_number(const TgView *view, const TgFlow *flow, double x, double y);
/** Its width in points. */
double tg_view_number_width(const TgView *view, const TgFlow *flow);
/** Parallel flows: how far this one is from the middle, in lanes: …, -1, 0, 1, … or halves of them. */
double tg_flow_lane(const TgFlow *flow);

extern const TgLayoutKind tg_layout_cube, tg_layout_oblique, tg_layout_planes, tg_layout_loop;

#endif

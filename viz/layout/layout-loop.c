#include <math.h>

#include "frame-network.h"
#include "layout.h"

/* One coordinate: a loop of two rows, out along the upper one and back along the lower one, so that neighbours stand
 * beside one another and the last beside the first. More than sixteen are small cells: a ring fills rows to and fro and
 * comes back up the first column; a line only goes to and fro. */

static bool suits(const TgFrame *frame) {
  return frame->schedule->dims == 1 && frame->detail;
}

static bool is_loop(const TgLayout *layout) {
  return layout->full && layout->frame->processors > 2;
}
static bool is_comb(const TgLayout *layout) {
  return !layout->full && tg_frame_goes_round(layout->frame);
}

static int64_t rows_of(const TgLayout *layout) {
  int64_t root = (int64_t)sqrt((double)layout->frame->processors);
  if (is_loop(layout)) return 2;
  return layout->full ? 1 : is_comb(layout) ? (root + 1) / 2 * 2 : root;
}

static int64_t columns_of(const TgLayout *layout) {
  int64_t rows = rows_of(layout);
  return (layout->frame->processors + rows - 1) / rows;
}

/* To and fro; the lower row of an odd loop is one shorter and stands in the middle. */
static TgPoint snake_cell(const TgLayout *layout, int64_t processor) {
  int64_t columns = columns_of(layout), row = processor / columns, column = processor % columns;
  double across = (double)(row % 2 == 1 ? columns - 1 - column : column);
  if (is_loop(layout) && row == 1 && layout->frame->processors % 2 == 1) across -= 0.5;
  return (TgPoint){across, (double)row};
}

/* The first row whole, the others without the first column, and back up in that column, where gaps make up for what the
 * rows have too much. */
static TgPoint comb_cell(const TgLayout *layout, int64_t processor) {
  int64_t columns = columns_of(layout), rows = rows_of(layout), inner = columns - 1;
  if (processor < columns) return (TgPoint){(double)processor, 0};
  int64_t row = 1 + (processor - columns) / inner, column = (processor - columns) % inner;
  if (row < rows) return (TgPoint){(double)(row % 2 == 1 ? columns - 1 - column : column + 1), (double)row};
  int64_t returning = layout->frame->processors - columns - inner * (rows - 1);
  int64_t back = processor - columns - inner * (rows - 1);
  return (TgPoint){0, (double)(rows - 1) - (double)back * (double)(rows - 1) / (double)returning};
}

static TgPoint cell_of(const TgLayout *layout, int64_t processor) {
  return is_comb(layout) ? comb_cell(layout, processor) : snake_cell(layout, processor);
}

static bool goes_outside(const TgLayout *layout, const TgFlow *flow) {
  return fabs(cell_of(layout, flow->from).y - cell_of(layout, flow->to).y) < 0.5 &&
         fabs(cell_of(layout, flow->from).x - cell_of(layout, flow->to).x) > 1.2;
}

/* The same in all steps of a run. */
static void find_margins(TgLayout *layout) {
  layout->margin_x = 12;
  layout->margin_y = layout->full && layout->frame->far_axes ? 62 : 12;
}

static void place(TgLayout *layout) {
  (layout->full ? tg_cell_layout_full : tg_cell_layout_small)(&layout->cell, layout->frame);
  layout->gap_x = layout->full ? 62 : 24;
  layout->gap_y = layout->full ? 66 : 24;
  find_margins(layout);
  int64_t columns = columns_of(layout), rows = rows_of(layout);
  layout->width = 2 * layout->margin_x + (double)columns * (layout->cell.width + layout->gap_x) - layout->gap_x;
  layout->height = 2 * layout->margin_y + (double)rows * (layout->cell.height + layout->gap_y) - layout->gap_y;
  for (int64_t p = 0; p < layout->frame->processors; p++) {
    TgPoint cell = cell_of(layout, p);
    layout->at[p].x = layout->margin_x + layout->cell.width / 2 + cell.x * (layout->cell.width + layout->gap_x);
    layout->at[p].y = layout->margin_y + layout->cell.height / 2 + cell.y * (layout->cell.height + layout->gap_y);
  }
}

static void draw_ground(const TgView *view) {
  const int64_t processors = view->frame->processors;
  const bool closed = tg_frame_goes_round(view->frame) && processors > 2;
  for (int64_t p = 0; p + (closed ? 0 : 1) < processors; p++) tg_view_idle(view, p, (p + 1) % processors, 1);
}

/* Along the outside of a row of the loop. */
static void draw_outside(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b, double side) {
  double half = view->layout->cell.height / 2, start = view->layout->cell.width * (b.x > a.x ? 0.2 : -0.2);
  double lane = tg_flow_lane(flow) * 20, high = side * (half + 48 + lane);
  start += start > 0 ? -lane / 2 : lane / 2;
  TgPoint point[4] = {{a.x + start, a.y + side * half},
                      {a.x + start * 2, a.y + high},
                      {b.x - start * 2, b.y + high},
                      {b.x - start, b.y + side * half}};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  tg_view_number(view, flow, (a.x + b.x) / 2 + lane, a.y + side * (half + (48 + lane) * 0.75));
}

/* From one row of the loop into the other, through the space between them. */
static void draw_inside(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b) {
  double side = b.y > a.y ? 1 : -1, half = view->layout->cell.height / 2, offset = tg_flow_lane(flow) * 24;
  TgPoint from = {a.x + offset + (b.x - a.x) * 0.06, a.y + side * half},
          to = {b.x + offset - (b.x - a.x) * 0.06, b.y - side * half};
  double middle = (from.y + to.y) / 2 - tg_flow_lane(flow) * side * (b.x > a.x ? 16 : -16);
  TgPoint point[4] = {from, {from.x, middle}, {to.x, middle}, to};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  double out = tg_flow_lane(flow) < 0 ? -1 : 1;
  tg_view_number(view, flow, (from.x + to.x) / 2 + out * 12, middle - out * 9);
}

static void draw_flow(const TgView *view, const TgFlow *flow) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  bool outside = goes_outside(view->layout, flow), beside = fabs(a.y - b.y) < 1 && !outside;
  bool above = fabs(a.x - b.x) < 0.6 * (view->layout->cell.width + view->layout->gap_x);
  double sign = flow->from < flow->to ? 1 : -1;
  if (beside || above || !view->layout->full)
    tg_view_direct(view, flow, sign * tg_flow_lane(flow) * (view->layout->full ? 20 : 7), beside || above ? 0 : 0.12);
  else if (outside)
    draw_outside(view, flow, a, b, a.y < view->origin.y + view->layout->height / 2 ? -1 : 1);
  else
    draw_inside(view, flow, a, b);
}

const TgLayoutKind tg_layout_loop = {"loop", suits, place, draw_ground, tg_view_cell, draw_flow};

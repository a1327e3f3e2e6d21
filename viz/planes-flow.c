#include "planes-flow.h"

#include <math.h>
#include <stdlib.h>

#include "palette.h"
#include "text-width.h"

/* Unit vector of the way on the page: columns run along x, rows along y. */
static TgPoint direction_of(const TgFlow *flow) {
  double sign = flow->hops < 0 ? -1 : 1;
  return flow->axis == 1 ? (TgPoint){sign, 0} : (TgPoint){0, sign};
}

/* The point `along` the way and `across` it, to the left of who walks it, from a cell's centre. */
static TgPoint beside(TgPoint centre, TgPoint way, double along, double across) {
  return (TgPoint){centre.x + way.x * along + way.y * across, centre.y + way.y * along - way.x * across};
}

static double half_along(const TgLayout *layout, const TgFlow *flow) {
  return (flow->axis == 1 ? layout->cell.width : layout->cell.height) / 2;
}
static double half_across(const TgLayout *layout, const TgFlow *flow) {
  return (flow->axis == 1 ? layout->cell.height : layout->cell.width) / 2;
}
static double gap_across(const TgLayout *layout, const TgFlow *flow) {
  return flow->axis == 1 ? layout->gap_y : layout->gap_x;
}

/* Lanes lie side by side seen from one fixed side, whichever way their flows go. */
static double lane_across(const TgFlow *flow, double spacing) {
  return tg_flow_lane(flow) * spacing * (flow->hops < 0 ? -1 : 1);
}

static void draw_neighbour(const TgView *view, const TgFlow *flow) {
  TgPoint way = direction_of(flow);
  double half = half_along(view->layout, flow), across = lane_across(flow, view->layout->full ? 17 : 7);
  tg_view_straight(view, flow, beside(tg_view_at(view, flow->from), way, half, across),
                   beside(tg_view_at(view, flow->to), way, -half, across));
}

/* "A₀₁" over "to P(0,3)", outside the end of a stub. */
static void draw_stub_label(const TgView *view, const TgFlow *flow, TgPoint end, TgPoint out, const char *word,
                            int64_t other) {
  g_autoptr(GString) name = g_string_new(NULL), where = g_string_new(word);
  if (flow->messages == 1)
    tg_block_append(name, &view->frame->message[flow->message].block);
  else
    g_string_append_printf(name, "%d blocks", (int)lround(flow->blocks));
  tg_processor_append(where, view->frame->schedule, other);
  double width = MAX(tg_text_width(name->str, 13), tg_text_width(where->str, 10));
  double x = end.x + out.x * (width / 2 + 5), y = end.y + out.y * 20;
  tg_scene_text(view->scene, x, y - 7, 13, tg_matrix_style[flow->matrix].ink, name->str);
  tg_scene_text(view->scene, x, y + 7, 10, TG_COLOUR_INK_SOFT, where->str);
}

/* One place round the edge: a stub leaves on one side, another comes in on the other. */
static void draw_stubs(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), back = {-way.x, -way.y};
  double half = half_along(layout, flow), stub = layout->full ? TG_PLANES_STUB : 16;
  double across = lane_across(flow, layout->full ? (flow->axis == 1 ? 28 : 58) : 7);
  TgPoint out = tg_view_at(view, flow->from), in = tg_view_at(view, flow->to);
  TgPoint a[4], b[4];
  for (int i = 0; i < 4; i++) {
    a[i] = beside(out, way, half + stub * i / 3, across);
    b[i] = beside(in, way, -half - stub * (3 - i) / 3, across);
  }
  tg_view_arrow(view, flow, a, 4, b, 4);
  if (layout->full) {
    draw_stub_label(view, flow, a[3], way, flow->link_by_link ? "via " : "to ", flow->to);
    draw_stub_label(view, flow, b[0], back, flow->link_by_link ? "via " : "from ", flow->from);
  } else {
    tg_view_number(view, flow, (a[0].x + a[3].x) / 2 + way.y * 9, (a[0].y + a[3].y) / 2 - fabs(way.x) * 7);
  }
}

static TgPoint bezier(const TgPoint *p, double t) {
  double a = (1 - t) * (1 - t) * (1 - t), b = 3 * t * (1 - t) * (1 - t), c = 3 * t * t * (1 - t), d = t * t * t;
  return (TgPoint){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                   a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

/* Over the cells between, on the left of who walks it. */
static void draw_arc(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), from = tg_view_at(view, flow->from), to = tg_view_at(view, flow->to);
  double half = half_across(layout, flow), start = half_along(layout, flow) * 0.45;
  double high = half + gap_across(layout, flow) * (abs(flow->hops) > 2 ? 0.95 : 0.8);
  TgPoint point[4] = {beside(from, way, start, half), beside(from, way, start * 1.6, high),
                      beside(to, way, -start * 1.6, high), beside(to, way, -start, half)};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  TgPoint number = bezier(point, 0.3), out = beside((TgPoint){0, 0}, way, 0, 9);
  tg_view_number(view, flow, number.x + out.x, number.y + out.y);
}

/* Two places round the edge, from or to the second cell: over the outer one to the margin. */
static void draw_stub_arcs(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), back = {-way.x, -way.y};
  TgPoint from = tg_view_at(view, flow->from), to = tg_view_at(view, flow->to);
  int64_t coordinate[TG_MAX_DIMS] = {0};
  tg_schedule_coordinates(view->frame->schedule, flow->from, coordinate);
  int64_t extent = view->frame->schedule->extent[flow->axis];
  int64_t before = flow->hops < 0 ? coordinate[flow->axis] : extent - 1 - coordinate[flow->axis];
  int64_t behind = abs(flow->hops) - 1 - before;
  double pitch = 2 * half_along(layout, flow) + (flow->axis == 1 ? layout->gap_x : layout->gap_y);
  double half = half_across(layout, flow), start = half_along(layout, flow) * 0.45;
  double high = half + gap_across(layout, flow) * 0.5, edge = half_along(layout, flow) + TG_PLANES_STUB;
  TgPoint a[7], b[7];
  double far_out = (double)before * pitch + edge, far_in = (double)behind * pitch + edge;
  bool straight_out = before == 0, straight_in = behind == 0;
  for (int i = 0; i < 7; i++) {
    a[i] = beside(from, way, half_along(layout, flow) + TG_PLANES_STUB * i / 6.0, 0);
    b[i] = beside(to, way, -half_along(layout, flow) - TG_PLANES_STUB * (6 - i) / 6.0, 0);
  }
  if (!straight_out) {
    a[0] = beside(from, way, start, half);
    a[1] = beside(from, way, start * 1.4, high);
    a[2] = beside(from, way, pitch / 2, high);
    for (int i = 3; i < 7; i++) a[i] = beside(from, way, pitch * 0.6 + (far_out - pitch * 0.6) * (i - 3) / 3, high);
  }
  if (!straight_in) {
    for (int i = 0; i < 4; i++) b[i] = beside(to, way, -far_in + (far_in - pitch * 0.6) * i / 3, high);
    b[4] = beside(to, way, -pitch / 2, high);
    b[5] = beside(to, way, -start * 1.4, high);
    b[6] = beside(to, way, -start, half);
  }
  tg_view_arrow(view, flow, a, 7, b, 7);
  draw_stub_label(view, flow, a[6], way, "to ", flow->to);
  draw_stub_label(view, flow, b[0], back, "from ", flow->from);
}

/* A chain of straight lines with round corners, as Béziers. Returns the number of points, at most 6 × corners. */
static int round_corners(const TgPoint *corner, int corners, double radius, TgPoint *point) {
  int n = 0;
  point[n++] = corner[0];
  for (int c = 1; c < corners; c++) {
    TgPoint from = point[n - 1], at = corner[c], stop = at;
    double length = MAX(hypot(at.x - corner[c - 1].x, at.y - corner[c - 1].y), 1e-6);
    if (c < corners - 1)
      stop.x -= (at.x - corner[c - 1].x) * radius / length, stop.y -= (at.y - corner[c - 1].y) * radius / length;
    point[n++] = (TgPoint){from.x + (stop.x - from.x) / 3, from.y + (stop.y - from.y) / 3};
    point[n++] = (TgPoint){from.x + (stop.x - from.x) * 2 / 3, from.y + (stop.y - from.y) * 2 / 3};
    point[n++] = stop;
    if (c == corners - 1) break;
    length = MAX(hypot(corner[c + 1].x - at.x, corner[c + 1].y - at.y), 1e-6);
    point[n++] = at;
    point[n++] = at;
    point[n++] =
        (TgPoint){at.x + (corner[c + 1].x - at.x) * radius / length, at.y + (corner[c + 1].y - at.y) * radius / length};
  }
  return n;
}

/* Both coordinates change, and further than to the next row and column: along the space beside the sender's row, then
 * along the space beside the receiver's column, so that no cell is crossed. */
static void draw_wire(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b) {
  const TgCellForm *cell = &view->layout->cell;
  double right = b.x > a.x ? 1 : -1, down = b.y > a.y ? 1 : -1, lane = (flow->message % 3 - 1) * 11;
  double row = a.y + down * (cell->height / 2 + view->layout->gap_y / 2) + lane;
  double column = b.x - right * (cell->width / 2 + view->layout->gap_x / 2) + lane;
  TgPoint corner[5] = {{a.x + lane * 2, a.y + down * cell->height / 2},
                       {a.x + lane * 2, row},
                       {column, row},
                       {column, b.y + lane},
                       {b.x - right * cell->width / 2, b.y + lane}};
  TgPoint point[30];
  int points = round_corners(corner, 5, 12, point);
  tg_view_arrow(view, flow, point, points, NULL, 0);
}

static void draw_across(const TgView *view, const TgFlow *flow) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  bool next = fabs(b.x - a.x) < 1.5 * (view->layout->cell.width + view->layout->gap_x) &&
              fabs(b.y - a.y) < 1.5 * (view->layout->cell.height + view->layout->gap_y);
  bool one_panel = flow->axis < 0 && view->layout->panels == 1;
  if (next || !one_panel)
    tg_view_direct(view, flow, 6, next ? 0 : 0.12);
  else
    draw_wire(view, flow, a, b);
}

void tg_planes_draw_flow(const TgView *view, const TgFlow *flow) {
  if (flow->axis < 0 || flow->axis > 1)
    draw_across(view, flow);
  else if (abs(flow->hops) == 1)
    (flow->round_edge ? draw_stubs : draw_neighbour)(view, flow);
  else
    (flow->round_edge ? draw_stub_arcs : draw_arc)(view, flow);
}

#include "layout.h"

#include <math.h>

#include "palette.h"
#include "text-width.h"

TgPoint tg_view_at(const TgView *view, int64_t processor) {
  TgPoint at = view->layout->at[processor];
  return (TgPoint){view->origin.x + at.x, view->origin.y + at.y};
}

char *tg_view_id(const TgView *view, int64_t processor) {
  GString *id = g_string_new(NULL);
  tg_processor_id_append(id, view->frame->schedule, processor);
  if (view->panel > 0) g_string_append_printf(id, "-panel-%d", view->panel + 1);
  return g_string_free(id, FALSE);
}

double tg_flow_lane(const TgFlow *flow) { return flow->lane - (flow->lanes - 1) / 2.0; }

void tg_view_arrow(const TgView *view, const TgFlow *flow, const TgPoint *point, int points, const TgPoint *second,
                   int second_points) {
  g_autoptr(GString) id = g_string_new(NULL), title = g_string_new(NULL);
  g_autofree char *from = tg_view_id(view, flow->from), *to = tg_view_id(view, flow->to);
  tg_flow_id(view->frame, flow, id);
  tg_flow_title(view->frame, flow, title);
  tg_scene_stroke(view->scene, &(TgStroke){.id = id->str,
                                           .title = title->str,
                                           .from = from,
                                           .to = to,
                                           .point = {point, second},
                                           .points = {points, second_points},
                                           .head = TG_HEAD_ARROW,
                                           .colour = tg_matrix_style[flow->matrix].line,
                                           .style = tg_matrix_style[flow->matrix].dash,
                                           .pen = tg_flow_pen(flow) * (view->layout->full ? 1 : 0.55)});
}

void tg_view_number(const TgView *view, const TgFlow *flow, double x, double y) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_flow_label(view->frame, flow, text);
  if (text->len == 0) return;
  tg_scene_text(view->scene, x, y, view->layout->full ? 12 : 9, tg_matrix_style[flow->matrix].ink, text->str);
}

static double number_width(const TgView *view, const TgFlow *flow) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_flow_label(view->frame, flow, text);
  return tg_text_width(text->str, view->layout->full ? 12 : 9);
}

/* The number goes beside the middle, on the side of the arrow's lane. */
static void number_beside(const TgView *view, const TgFlow *flow, TgPoint middle, double dx, double dy) {
  double length = MAX(hypot(dx, dy), 1e-6), size = view->layout->full ? 12 : 9;
  double nx = dy / length, ny = -dx / length;
  if (ny > 0 || (ny > -1e-9 && nx < 0)) nx = -nx, ny = -ny;
  if (tg_flow_lane(flow) < 0) nx = -nx, ny = -ny;
  double away = fabs(nx) * number_width(view, flow) / 2 + fabs(ny) * size * 0.55 + 3 + tg_flow_pen(flow) / 2;
  tg_view_number(view, flow, middle.x + nx * away, middle.y + ny * away);
}

void tg_view_straight(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b) {
  TgPoint point[4] = {a, {a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3}, {a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3}, b};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  number_beside(view, flow, (TgPoint){(a.x + b.x) / 2, (a.y + b.y) / 2}, b.x - a.x, b.y - a.y);
}

/* Where the ray from the centre of a cell leaves it. */
static TgPoint leave(const TgLayout *layout, TgPoint centre, double dx, double dy) {
  double half_width = layout->cell.width / 2, half_height = layout->cell.height / 2;
  double scale = MIN(fabs(dx) > 1e-9 ? half_width / fabs(dx) : 1e9, fabs(dy) > 1e-9 ? half_height / fabs(dy) : 1e9);
  return (TgPoint){centre.x + dx * scale, centre.y + dy * scale};
}

void tg_view_direct(const TgView *view, const TgFlow *flow, double offset, double bend) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  double dx = b.x - a.x, dy = b.y - a.y, length = MAX(hypot(dx, dy), 1e-6);
  double nx = -dy / length, ny = dx / length;
  a = leave(view->layout, (TgPoint){a.x, a.y}, dx + nx * bend * length * 2, dy + ny * bend * length * 2);
  b = leave(view->layout, (TgPoint){b.x, b.y}, -dx + nx * bend * length * 2, -dy + ny * bend * length * 2);
  a = (TgPoint){a.x + nx * offset, a.y + ny * offset};
  b = (TgPoint){b.x + nx * offset, b.y + ny * offset};
  if (fabs(bend) < 1e-9) {
    tg_view_straight(view, flow, a, b);
    return;
  }
  dx = b.x - a.x, dy = b.y - a.y;
  double bx = nx * bend * length * 4 / 3, by = ny * bend * length * 4 / 3;
  TgPoint point[4] = {a, {a.x + dx / 3 + bx, a.y + dy / 3 + by}, {b.x - dx / 3 + bx, b.y - dy / 3 + by}, b};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  number_beside(view, flow, (TgPoint){(a.x + b.x) / 2 + bx * 0.75, (a.y + b.y) / 2 + by * 0.75}, dx, dy);
}

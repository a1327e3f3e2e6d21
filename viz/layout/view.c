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

void tg_view_cell(const TgView *view, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, view->frame->schedule, processor);
  tg_cell_draw(view->scene, view->frame, &view->layout->cell, processor, tg_view_at(view, processor), name->str);
}

void tg_view_idle(const TgView *view, int64_t a, int64_t b, double pen) {
  for (guint f = 0; f < view->layout->flows->len; f++) {
    const TgFlow *flow = &g_array_index(view->layout->flows, TgFlow, f);
    if ((flow->from == a && flow->to == b) || (flow->from == b && flow->to == a)) return;
  }
  g_autofree char *from = tg_view_id(view, a), *to = tg_view_id(view, b);
  tg_scene_line(view->scene, NULL, from, to, tg_view_at(view, a), tg_view_at(view, b), TG_COLOUR_IDLE, NULL, pen);
}

double tg_flow_lane(const TgFlow *flow) {
  return flow->lane - (flow->lanes - 1) / 2.0;
}

void tg_view_arrow(const TgView *view, const TgFlow *flow, const TgPoint *point, int points, const TgPoint *second,
                   int second_points) {
  g_autoptr(GString) title = g_string_new(NULL);
  g_autofree char *from = tg_view_id(view, flow->from), *to = tg_view_id(view, flow->to);
  tg_flow_title(view->frame, flow, title);
  tg_view_arrow_between(view, flow, &(TgArrowEnds){from, to, title->str}, point, points, second, second_points);
}

void tg_view_arrow_between(const TgView *view, const TgFlow *flow, const TgArrowEnds *ends, const TgPoint *point,
                           int points, const TgPoint *second, int second_points) {
  g_autoptr(GString) id = g_string_new(NULL);
  tg_flow_id(view->frame, flow, id);
  tg_scene_stroke(view->scene, &(TgStroke){.id = id->str,
                                           .title = ends->title,
                                           .from = ends->from,
                                           .to = ends->to,
                                           .point = {point, second},
                                           .points = {points, second_points},
                                           .head = TG_HEAD_ARROW,
                                           .colour = tg_matrix_style[flow->matrix].line,
                                           .style = tg_matrix_style[flow->matrix].dash,
                                           .pen = tg_flow_pen(flow) * (view->layout->full ? 1 : 0.55)});
}

/* On white, so that a line behind it does not cross it out; among small cells part of the arrow, because libgvc needs
 * several times as long for a node. */
void tg_view_number(const TgView *view, const TgFlow *flow, double x, double y) {
  g_autoptr(GString) text = g_string_new(NULL);
  const char *ink = tg_matrix_style[flow->matrix].ink;
  tg_flow_label(flow, text);
  if (text->len == 0) return;
  double size = view->layout->full ? 12 : 9;
  if (!view->layout->full) {
    tg_scene_label_stroke(view->scene, (TgPoint){x, y}, size, ink, text->str);
    return;
  }
  tg_scene_box_at(view->scene, NULL, NULL, (TgPoint){x, y}, tg_text_width(text->str, size) + 1, size, "white", NULL, 0);
  tg_scene_label_mark(view->scene, size, ink, text->str);
}

double tg_view_number_width(const TgView *view, const TgFlow *flow) {
  g_autoptr(GString) text = g_string_new(NULL);
  tg_flow_label(flow, text);
  return tg_text_width(text->str, view->layout->full ? 12 : 9);
}

/* The number goes next to the middle: above or to the right, or away from the line between the two processors. */
static void number_beside(const TgView *view, const TgFlow *flow, TgPoint middle, double dx, double dy) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  double length = MAX(hypot(dx, dy), 1e-6), size = view->layout->full ? 12 : 9;
  double nx = dy / length, ny = -dx / length;
  double out = nx * (middle.x - (a.x + b.x) / 2) + ny * (middle.y - (a.y + b.y) / 2);
  bool below = ny > 1e-9 || (ny > -1e-9 && nx < 0);
  if (out < -0.5 || (out < 0.5 && below)) nx = -nx, ny = -ny;
  double away = fabs(nx) * tg_view_number_width(view, flow) / 2 + fabs(ny) * size * 0.55 + 3 + tg_flow_pen(flow) / 2;
  tg_view_number(view, flow, middle.x + nx * away, middle.y + ny * away);
}

void tg_view_straight(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b) {
  TgPoint point[4];
  tg_bezier(point, a, b, (TgPoint){0, 0});
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  number_beside(view, flow, (TgPoint){(a.x + b.x) / 2, (a.y + b.y) / 2}, b.x - a.x, b.y - a.y);
}

/* Where a ray from a point in a cell, `off` its centre, leaves the cell. */
static TgPoint leave(const TgLayout *layout, TgPoint centre, TgPoint off, double dx, double dy) {
  double x = layout->cell.width / 2 - (dx > 0 ? off.x : -off.x),
         y = layout->cell.height / 2 - (dy > 0 ? off.y : -off.y);
  double scale = MIN(fabs(dx) > 1e-9 ? x / fabs(dx) : 1e9, fabs(dy) > 1e-9 ? y / fabs(dy) : 1e9);
  return (TgPoint){centre.x + off.x + dx * scale, centre.y + off.y + dy * scale};
}

void tg_view_direct(const TgView *view, const TgFlow *flow, double offset, double bend) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  double dx = b.x - a.x, dy = b.y - a.y, length = MAX(hypot(dx, dy), 1e-6);
  double nx = -dy / length, ny = dx / length, turn = bend * length * 2;
  TgPoint off = {nx * offset, ny * offset};
  a = leave(view->layout, a, off, dx + nx * turn, dy + ny * turn);
  b = leave(view->layout, b, off, -dx + nx * turn, -dy + ny * turn);
  if (fabs(bend) < 1e-9) {
    tg_view_straight(view, flow, a, b);
    return;
  }
  const TgPoint aside = {nx * turn * 2 / 3, ny * turn * 2 / 3};
  const TgPoint middle = {(a.x + b.x) / 2 + aside.x * 0.75, (a.y + b.y) / 2 + aside.y * 0.75};
  TgPoint point[4];
  tg_bezier(point, a, b, aside);
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  number_beside(view, flow, middle, b.x - a.x, b.y - a.y);
}

#include <math.h>
#include <stdlib.h>

#include "layout.h"
#include "palette.h"
#include "text-width.h"

/* Planes of cells: coordinate 0 downwards, coordinate 1 to the right. A third coordinate makes one panel a plane; a third
 * and a fourth a row and a column of panels. */

enum { CAPTION = 26, PANEL_GAP = 26, STUB = 34 };

static bool suits(const TgFrame *frame) {
  (void)frame;
  return true;
}

static int64_t rows_of(const TgFrame *frame) { return frame->schedule->extent[0]; }
static int64_t columns_of(const TgFrame *frame) { return frame->schedule->extent[1]; }

static int panel_columns(const TgSchedule *schedule) {
  if (schedule->dims == 4) return schedule->extent[3];
  int panels = schedule->extent[2], columns = (int)ceil(sqrt(panels));
  return panels % columns != 0 && panels % (columns + 1) == 0 ? columns + 1 : columns;
}

static void find_margins(TgLayout *layout) {
  bool round[2] = {false, false};
  for (guint f = 0; f < layout->flows->len; f++) {
    const TgFlow *flow = &g_array_index(layout->flows, TgFlow, f);
    if (flow->round_edge && flow->axis < 2) round[flow->axis] = true;
  }
  layout->margin_x = round[1] ? (layout->full ? STUB + 72 : 30) : 12;
  layout->margin_y = round[0] ? (layout->full ? STUB + 42 : 30) : 12;
  if (!layout->full) layout->margin_x += 16; /* the rows' numbers */
}

static TgPoint place_of(const TgLayout *layout, const int64_t *coordinate) {
  int panel = (int)(coordinate[2] * layout->frame->schedule->extent[3] + coordinate[3]);
  double caption = layout->panels > 1 ? CAPTION : 0;
  return (TgPoint){panel % layout->panel_columns * (layout->panel_width + PANEL_GAP) + layout->margin_x +
                       layout->cell.width / 2 + (double)coordinate[1] * (layout->cell.width + layout->gap_x),
                   panel / layout->panel_columns * (layout->panel_height + PANEL_GAP) + caption + layout->margin_y +
                       layout->cell.height / 2 + (double)coordinate[0] * (layout->cell.height + layout->gap_y)};
}

static void place(TgLayout *layout) {
  const TgFrame *frame = layout->frame;
  if (layout->full)
    tg_cell_form_full(&layout->cell, frame);
  else
    tg_cell_form_small(&layout->cell, frame);
  layout->gap_x = layout->full ? 58 : 24;
  layout->gap_y = layout->full ? 54 : 24;
  find_margins(layout);
  layout->panels = frame->schedule->extent[2] * frame->schedule->extent[3];
  layout->panel_columns = panel_columns(frame->schedule);
  layout->panel_width = 2 * layout->margin_x + (double)columns_of(frame) * (layout->cell.width + layout->gap_x) - layout->gap_x;
  layout->panel_height = 2 * layout->margin_y + (double)rows_of(frame) * (layout->cell.height + layout->gap_y) -
                         layout->gap_y + (layout->panels > 1 ? CAPTION : 0);
  int panel_rows = (layout->panels + layout->panel_columns - 1) / layout->panel_columns;
  layout->width = layout->panel_columns * (layout->panel_width + PANEL_GAP) - PANEL_GAP;
  layout->height = panel_rows * (layout->panel_height + PANEL_GAP) - PANEL_GAP;
  for (int64_t p = 0; p < frame->processors; p++) {
    int64_t coordinate[TG_MAX_DIMS] = {0};
    tg_schedule_coordinates(frame->schedule, p, coordinate);
    layout->at[p] = place_of(layout, coordinate);
  }
}

static void append_panel_name(GString *name, const TgFrame *frame, int panel) {
  int64_t coordinate[2] = {panel / frame->schedule->extent[3], panel % frame->schedule->extent[3]};
  for (int c = 2; c < frame->schedule->dims; c++)
    g_string_append_printf(name, "%s%s = %" G_GINT64_FORMAT, c > 2 ? ", " : "plane ", tg_name(frame->names, frame->names->axis[c]),
                           coordinate[c - 2]);
}

static void draw_panel(const TgView *view, int panel) {
  const TgLayout *layout = view->layout;
  double x = view->origin.x + panel % layout->panel_columns * (layout->panel_width + PANEL_GAP);
  double y = view->origin.y + panel / layout->panel_columns * (layout->panel_height + PANEL_GAP);
  g_autoptr(GString) name = g_string_new(NULL);
  append_panel_name(name, view->frame, panel);
  tg_scene_mark(view->scene, &(TgMark){.shape = TG_SHAPE_ROUNDED,
                                       .title = name->str,
                                       .x = x + layout->panel_width / 2,
                                       .y = y + layout->panel_height / 2,
                                       .width = layout->panel_width,
                                       .height = layout->panel_height,
                                       .line = TG_LINE_IDLE});
  tg_scene_text(view->scene, x + layout->panel_width / 2, y + 15, 14, TG_INK, name->str);
}

/* Small cells have no names: rows and columns are numbered instead. */
static void draw_numbers(const TgView *view, int panel) {
  const TgLayout *layout = view->layout;
  int64_t columns = columns_of(view->frame), depth = view->frame->processors / rows_of(view->frame) / columns;
  for (int64_t r = 0; r < rows_of(view->frame); r++) {
    TgPoint at = tg_view_at(view, r * columns * depth + panel);
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, r);
    tg_scene_text(view->scene, at.x - layout->cell.width / 2 - layout->margin_x + 10, at.y, 10, TG_INK_SOFT, text);
  }
  for (int64_t c = 0; c < columns; c++) {
    TgPoint at = tg_view_at(view, c * depth + panel);
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, c);
    tg_scene_text(view->scene, at.x, at.y - layout->cell.height / 2 - layout->margin_y + 5, 10, TG_INK_SOFT, text);
  }
}

static void draw_ground(const TgView *view) {
  for (int panel = 0; panel < view->layout->panels; panel++) {
    if (view->layout->panels > 1) draw_panel(view, panel);
    if (!view->layout->full) draw_numbers(view, panel);
  }
}

static void draw_processor(const TgView *view, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, view->frame->schedule, processor);
  tg_cell_draw(view->scene, view->frame, &view->layout->cell, processor, tg_view_at(view, processor), name->str);
}

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
static void draw_stub_label(const TgView *view, const TgFlow *flow, TgPoint end, TgPoint out, const char *word, int64_t other) {
  g_autoptr(GString) name = g_string_new(NULL), where = g_string_new(word);
  if (flow->messages == 1)
    tg_block_append(name, &view->frame->message[flow->message].block);
  else
    g_string_append_printf(name, "%d blocks", (int)lround(flow->blocks));
  tg_processor_append(where, view->frame->schedule, other);
  double width = MAX(tg_text_width(name->str, 13), tg_text_width(where->str, 10));
  double x = end.x + out.x * (width / 2 + 5), y = end.y + out.y * 20;
  tg_scene_text(view->scene, x, y - 7, 13, tg_matrix_style[flow->matrix].ink, name->str);
  tg_scene_text(view->scene, x, y + 7, 10, TG_INK_SOFT, where->str);
}

/* One place round the edge: a stub leaves on one side, another comes in on the other. */
static void draw_stubs(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), back = {-way.x, -way.y};
  double half = half_along(layout, flow), stub = layout->full ? STUB : 16;
  double across = lane_across(flow, layout->full ? (flow->axis == 1 ? 28 : 58) : 7);
  TgPoint out = tg_view_at(view, flow->from), in = tg_view_at(view, flow->to);
  TgPoint a[4], b[4];
  for (int i = 0; i < 4; i++) {
    a[i] = beside(out, way, half + stub * i / 3, across);
    b[i] = beside(in, way, -half - stub * (3 - i) / 3, across);
  }
  tg_view_arrow(view, flow, a, 4, b, 4);
  if (layout->full) {
    draw_stub_label(view, flow, a[3], way, "to ", flow->to);
    draw_stub_label(view, flow, b[0], back, "from ", flow->from);
  } else {
    tg_view_number(view, flow, (a[0].x + a[3].x) / 2 + way.y * 9, (a[0].y + a[3].y) / 2 - fabs(way.x) * 7);
  }
}

/* Over the cells between, on the left of who walks it. */
static void draw_arc(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), from = tg_view_at(view, flow->from), to = tg_view_at(view, flow->to);
  double half = half_across(layout, flow), start = half_along(layout, flow) * 0.45;
  double high = half + gap_across(layout, flow) * (abs(flow->hops) > 2 ? 0.95 : 0.8);
  TgPoint point[4] = {beside(from, way, start, half), beside(from, way, start * 1.6, high), beside(to, way, -start * 1.6, high),
                      beside(to, way, -start, half)};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  TgPoint a = beside(from, way, 0, half + (high - half) * 0.75 + 8), b = beside(to, way, 0, half + (high - half) * 0.75 + 8);
  tg_view_number(view, flow, (a.x + b.x) / 2, (a.y + b.y) / 2);
}

/* Two places round the edge, from or to the second cell: over the outer one to the margin. */
static void draw_stub_arcs(const TgView *view, const TgFlow *flow) {
  const TgLayout *layout = view->layout;
  TgPoint way = direction_of(flow), back = {-way.x, -way.y};
  TgPoint from = tg_view_at(view, flow->from), to = tg_view_at(view, flow->to);
  int64_t coordinate[TG_MAX_DIMS];
  tg_schedule_coordinates(view->frame->schedule, flow->from, coordinate);
  int64_t extent = view->frame->schedule->extent[flow->axis];
  int64_t before = flow->hops < 0 ? coordinate[flow->axis] : extent - 1 - coordinate[flow->axis];
  int64_t behind = abs(flow->hops) - 1 - before;
  double pitch = 2 * half_along(layout, flow) + (flow->axis == 1 ? layout->gap_x : layout->gap_y);
  double half = half_across(layout, flow), start = half_along(layout, flow) * 0.45;
  double high = half + gap_across(layout, flow) * 0.5, edge = half_along(layout, flow) + STUB;
  TgPoint a[7], b[7];
  double far_out = (double)before * pitch + edge, far_in = (double)behind * pitch + edge;
  bool straight_out = before == 0, straight_in = behind == 0;
  for (int i = 0; i < 7; i++) {
    a[i] = beside(from, way, half_along(layout, flow) + STUB * i / 6.0, 0);
    b[i] = beside(to, way, -half_along(layout, flow) - STUB * (6 - i) / 6.0, 0);
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

static void draw_across(const TgView *view, const TgFlow *flow) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  bool next = fabs(b.x - a.x) < 1.5 * (view->layout->cell.width + view->layout->gap_x) &&
              fabs(b.y - a.y) < 1.5 * (view->layout->cell.height + view->layout->gap_y);
  tg_view_direct(view, flow, 5, next ? 0 : 0.12);
}

static void draw_flow(const TgView *view, const TgFlow *flow) {
  if (flow->axis < 0 || flow->axis > 1)
    draw_across(view, flow);
  else if (abs(flow->hops) == 1)
    (flow->round_edge ? draw_stubs : draw_neighbour)(view, flow);
  else
    (flow->round_edge ? draw_stub_arcs : draw_arc)(view, flow);
}

const TgLayoutKind tg_layout_planes = {"planes", suits, place, draw_ground, draw_processor, draw_flow};

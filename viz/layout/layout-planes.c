#include <math.h>
#include <stdlib.h>

#include "frame-network.h"
#include "layout.h"
#include "palette.h"
#include "text-width.h"

enum { STUB = 40 }; /* points that an arrow round the edge stands out */

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
  double half = half_along(view->layout, flow), across = lane_across(flow, view->layout->full ? 17 : 11);
  tg_view_straight(view, flow, beside(tg_view_at(view, flow->from), way, half, across),
                   beside(tg_view_at(view, flow->to), way, -half, across));
}

/* "A₀₁" over "to P(0,3)", outside the end of a stub. */
static void draw_stub_label(const TgView *view, const TgFlow *flow, TgPoint end, TgPoint out, const char *word,
                            int64_t other) {
  g_autoptr(GString) name = g_string_new(NULL), where = g_string_new(word);
  if (flow->messages == 1)
    tg_block_name_append(name, &view->frame->message[flow->message].block);
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
  double half = half_along(layout, flow), stub = layout->full ? STUB : 16;
  double across = lane_across(flow, layout->full ? (flow->axis == 1 ? 28 : 58) : 11);
  TgPoint out = tg_view_at(view, flow->from), in = tg_view_at(view, flow->to);
  TgPoint a[4], b[4];
  for (int i = 0; i < 4; i++) {
    a[i] = beside(out, way, half + stub * i / 3, across);
    b[i] = beside(in, way, -half - stub * (3 - i) / 3, across);
  }
  tg_view_arrow(view, flow, a, 4, b, 4);
  if (layout->full) {
    const TgFrameMessage *message = &view->frame->message[flow->message];
    bool one = flow->messages == 1;
    draw_stub_label(view, flow, a[3], way, one && message->to == flow->to ? "to " : "via ", flow->to);
    draw_stub_label(view, flow, b[0], back, one && message->from == flow->from ? "from " : "via ", flow->from);
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
  double half = half_across(layout, flow), start = half_along(layout, flow) * (0.45 - 0.2 * flow->lane);
  double high = half + gap_across(layout, flow) * (0.8 - 0.25 * flow->lane);
  TgPoint point[4] = {beside(from, way, start, half), beside(from, way, start * 1.6, high),
                      beside(to, way, -start * 1.6, high), beside(to, way, -start, half)};
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  TgPoint number = bezier(point, 0.3), out = beside((TgPoint){0, 0}, way, 0, 9);
  tg_view_number(view, flow, number.x + out.x, number.y + out.y);
}

/* A chain of straight lines with round corners, as Béziers. Returns the number of points, at most 6 × corners. */
static int round_corners(const TgPoint *corner, int corners, double radius, TgPoint *point) {
  int n = 0;
  point[n++] = corner[0];
  for (int c = 1; c < corners; c++) {
    TgPoint at = corner[c], stop = at;
    double length = MAX(hypot(at.x - corner[c - 1].x, at.y - corner[c - 1].y), 1e-6);
    if (c < corners - 1)
      stop.x -= (at.x - corner[c - 1].x) * radius / length, stop.y -= (at.y - corner[c - 1].y) * radius / length;
    tg_bezier(&point[n - 1], point[n - 1], stop, (TgPoint){0, 0});
    n += 3;
    if (c == corners - 1) break;
    length = MAX(hypot(corner[c + 1].x - at.x, corner[c + 1].y - at.y), 1e-6);
    point[n++] = at;
    point[n++] = at;
    point[n++] =
        (TgPoint){at.x + (corner[c + 1].x - at.x) * radius / length, at.y + (corner[c + 1].y - at.y) * radius / length};
  }
  return n;
}

/* Both coordinates change, and further than to the next row and column: along the space next to the sender's row, then
 * along the space next to the receiver's column, so that no cell is crossed. */
static void draw_wire(const TgView *view, const TgFlow *flow, TgPoint a, TgPoint b) {
  const TgCellLayout *cell = &view->layout->cell;
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
  if (next || view->layout->panels > 1)
    tg_view_direct(view, flow, 6, next ? 0 : 0.12);
  else
    draw_wire(view, flow, a, b);
}

static int64_t panel_of(const TgView *view, int64_t processor) {
  return processor % view->layout->panels;
}

/* The upper left corner of a plane's panel in the layout. Of three coordinates, where blocks go from plane to plane,
 * rows of panels run to and fro: the next is to its right, to its left or below. */
static TgPoint layout_corner(const TgLayout *layout, int64_t panel) {
  const int64_t row = panel / layout->panel_columns, column = panel % layout->panel_columns;
  const bool back = row % 2 == 1 && layout->frame->schedule->dims == 3 && layout->frame->moved_axes >> 2 & 1;
  return (TgPoint){(double)(back ? layout->panel_columns - 1 - column : column) *
                       (layout->panel_width + layout->panel_gap),
                   (double)row * (layout->panel_height + layout->panel_gap)};
}

static TgPoint panel_corner(const TgView *view, int64_t panel) {
  const TgPoint corner = layout_corner(view->layout, panel);
  return (TgPoint){view->origin.x + corner.x, view->origin.y + corner.y};
}

static bool same_panels(const TgView *view, const TgFlow *a, const TgFlow *b) {
  return a->matrix == b->matrix && a->axis == b->axis && panel_of(view, a->from) == panel_of(view, b->from) &&
         panel_of(view, a->to) == panel_of(view, b->to);
}

/* All flows of a matrix between two panels as one, drawn by the first of them; false for the others. */
static bool gather_panels(const TgView *view, const TgFlow *flow, TgFlow *all) {
  const TgFlow *first = (const TgFlow *)(const void *)view->layout->flows->data;
  *all = *flow;
  for (guint f = 0; f < view->layout->flows->len; f++) {
    if (&first[f] == flow || !same_panels(view, &first[f], flow)) continue;
    if (&first[f] < flow) return false;
    all->blocks += first[f].blocks;
    all->messages += first[f].messages;
  }
  return true;
}

/* An arrow from panel to panel. */
typedef struct Way {
  TgPoint from, to;
  double bend;    /* to the left, in parts of its length */
  TgPoint number; /* seen from its middle */
} Way;

/* Panels that touch at a corner: from corner to corner, A and C on either side of B. */
static void find_corners(Way *way, const TgLayout *layout, int matrix, TgPoint a, TgPoint b) {
  enum { APART = 30 };
  const double right = b.x > a.x ? 1 : -1, down = b.y > a.y ? 1 : -1;
  const double width = layout->panel_width, height = layout->panel_height;
  way->from = (TgPoint){a.x + (right > 0 ? width : 0), a.y + (down > 0 ? height : 0)};
  way->to = (TgPoint){b.x + (right > 0 ? 0 : width), b.y + (down > 0 ? 0 : height)};
  if (matrix == TG_MATRIX_A) way->from.y -= down * APART, way->to.x += right * APART;
  if (matrix == TG_MATRIX_C) way->from.x -= right * APART, way->to.y += down * APART;
}

/* Others: from side to side, in the half that is on the left of the way. */
static void find_sides(Way *way, const TgLayout *layout, int matrix, TgPoint a, TgPoint b, bool across) {
  const bool forward = across ? b.x > a.x : b.y > a.y;
  const double share = (forward ? 0.35 : 0.65) + 0.1 * (matrix - 1.0);
  const double x = across ? layout->panel_width : layout->panel_width * share;
  const double y = across ? layout->panel_height * share : layout->panel_height;
  way->from = (TgPoint){a.x + (across && !forward ? 0 : x), a.y + (!across && !forward ? 0 : y)};
  way->to = (TgPoint){b.x + (across && forward ? 0 : x), b.y + (!across && forward ? 0 : y)};
}

/* Past other panels of the row or column: between two rows or columns of their cells, the last ones there and the first
 * ones back, where arrows to the next panel are not. Its number stands before its end. */
static void pass_panels(Way *way, const TgView *view, const TgFlow *all, bool across, bool forward) {
  const TgSchedule *schedule = view->frame->schedule;
  const int64_t cells = schedule->extent[across ? 0 : 1], next = forward ? cells - 1 : 1;
  const int64_t stride = (across ? schedule->extent[1] : 1) * (int64_t)view->layout->panels;
  const int64_t first = panel_of(view, all->from);
  const TgPoint a = tg_view_at(view, first + (next - 1) * stride), b = tg_view_at(view, first + next * stride);
  const double lane = (all->matrix - 1) * (across ? 18 : 24), back = (forward ? -1 : 1) * view->layout->panel_gap / 2;
  if (across) {
    way->from.y = way->to.y = (a.y + b.y) / 2 + lane;
    way->number = (TgPoint){(way->to.x - way->from.x) / 2 + back, -9};
  } else {
    way->from.x = way->to.x = (a.x + b.x) / 2 + lane;
    way->number.y = (way->to.y - way->from.y) / 2 + back;
  }
}

/* It bends where panels in other rows and columns lie between. */
static Way find_way(const TgView *view, const TgFlow *all, const int64_t panels[2]) {
  const TgLayout *layout = view->layout;
  const TgPoint a = panel_corner(view, panels[0]), b = panel_corner(view, panels[1]);
  const double columns = (b.x - a.x) / (layout->panel_width + layout->panel_gap);
  const double rows = (b.y - a.y) / (layout->panel_height + layout->panel_gap);
  const bool across = fabs(columns) > fabs(rows), forward = (across ? columns : rows) > 0;
  const bool far = fabs(columns) > 1.5 || fabs(rows) > 1.5, aslant = fabs(columns) > 0.5 && fabs(rows) > 0.5;
  const double half = tg_flow_pen(all) / 2;
  Way way = {.number = {across ? 0 : tg_view_number_width(view, all) / 2 + half + 6, across ? -15 - half : 0}};
  if (aslant && !far)
    find_corners(&way, layout, all->matrix, a, b);
  else
    find_sides(&way, layout, all->matrix, a, b, across);
  if (far && !aslant && view->frame->schedule->extent[across ? 0 : 1] > 1)
    pass_panels(&way, view, all, across, forward);
  else if (far)
    way.bend = forward ? 0.12 : -0.12;
  return way;
}

/* "plane-1". */
static char *panel_id(int64_t panel) {
  return g_strdup_printf("plane-%" G_GINT64_FORMAT, panel);
}

/* Appends "plane k = 1". */
static void append_panel_name(GString *name, const TgFrame *frame, int64_t panel) {
  int64_t coordinate[2] = {panel / frame->schedule->extent[3], panel % frame->schedule->extent[3]};
  for (int c = 2; c < frame->schedule->dims; c++)
    g_string_append_printf(name, "%s%s = %" G_GINT64_FORMAT, c > 2 ? ", " : "plane ",
                           tg_name(frame->names, frame->names->axis[c]), coordinate[c - 2]);
}

static void append_panels_title(GString *title, const TgFrame *frame, const TgFlow *all, const int64_t panels[2]) {
  tg_count_append(title, all->messages, "message", "messages");
  g_string_append_printf(title, " with blocks of %s: ", tg_matrix_style[all->matrix].name);
  append_panel_name(title, frame, panels[0]);
  g_string_append(title, " → ");
  append_panel_name(title, frame, panels[1]);
}

/* An arrow from plane to plane stands for all blocks of a matrix that go there, each to the processor in its place. */
static void draw_between_panels(const TgView *view, const TgFlow *flow) {
  TgFlow all;
  if (!gather_panels(view, flow, &all)) return;
  const int64_t panels[2] = {panel_of(view, flow->from), panel_of(view, flow->to)};
  const Way way = find_way(view, &all, panels);
  const TgPoint aside = {(way.to.y - way.from.y) * way.bend, -(way.to.x - way.from.x) * way.bend};
  TgPoint point[4];
  tg_bezier(point, way.from, way.to, aside);
  g_autoptr(GString) title = g_string_new(NULL);
  g_autofree char *from = panel_id(panels[0]), *to = panel_id(panels[1]);
  append_panels_title(title, view->frame, &all, panels);
  tg_view_arrow_between(view, &all, &(TgArrowEnds){from, to, title->str}, point, 4, NULL, 0);
  tg_view_number(view, &all, (way.from.x + way.to.x) / 2 + aside.x * 0.75 + way.number.x,
                 (way.from.y + way.to.y) / 2 + aside.y * 0.75 + way.number.y);
}

static void draw_flow(const TgView *view, const TgFlow *flow) {
  if (flow->axis > 1)
    draw_between_panels(view, flow);
  else if (flow->axis < 0)
    draw_across(view, flow);
  else if (abs(flow->hops) == 1)
    (flow->round_edge ? draw_stubs : draw_neighbour)(view, flow);
  else
    draw_arc(view, flow);
}

/* Planes of cells: coordinate 0 downwards, coordinate 1 to the right. A third coordinate makes one panel a plane; a
 * third and a fourth a row and a column of panels. */

enum { CAPTION = 26, PANEL_GAP = 26, PANEL_GAP_ARROWS = 52 };

static bool suits(const TgFrame *frame) {
  (void)frame;
  return true;
}

static int64_t rows_of(const TgFrame *frame) {
  return frame->schedule->extent[0];
}
static int64_t columns_of(const TgFrame *frame) {
  return frame->schedule->extent[1];
}

static int panel_columns(const TgSchedule *schedule) {
  if (schedule->dims == 4) return schedule->extent[3];
  int panels = schedule->extent[2], columns = (int)ceil(sqrt(panels));
  return panels % columns != 0 && panels % (columns + 1) == 0 ? columns + 1 : columns;
}

/* The same in all steps of a run. */
static void find_margins(TgLayout *layout) {
  bool round_x = layout->frame->round_axes >> 1 & 1, round_y = layout->frame->round_axes & 1;
  bool far_x = layout->frame->far_axes >> 1 & 1, far_y = layout->frame->far_axes & 1;
  layout->margin_x = round_x ? (layout->full ? STUB + 72 : 30) : far_y && layout->full ? 60 : 12;
  layout->margin_y = round_y ? (layout->full ? STUB + 42 : 30) : far_x && layout->full ? 56 : 12;
  if (!layout->full) layout->margin_x += 16; /* the rows' numbers */
}

static TgPoint place_of(const TgLayout *layout, const int64_t *coordinate) {
  const TgPoint corner = layout_corner(layout, coordinate[2] * layout->frame->schedule->extent[3] + coordinate[3]);
  const double caption = layout->panels > 1 ? CAPTION : 0;
  return (TgPoint){corner.x + layout->margin_x + layout->cell.width / 2 +
                       (double)coordinate[1] * (layout->cell.width + layout->gap_x),
                   corner.y + caption + layout->margin_y + layout->cell.height / 2 +
                       (double)coordinate[0] * (layout->cell.height + layout->gap_y)};
}

static void place(TgLayout *layout) {
  const TgFrame *frame = layout->frame;
  (layout->full ? tg_cell_layout_full : tg_cell_layout_small)(&layout->cell, frame);
  bool far = layout->frame->far_axes != 0;
  layout->gap_x = layout->full ? (far ? 64 : 58) : 24;
  layout->gap_y = layout->full ? (far ? 66 : 54) : 24;
  find_margins(layout);
  layout->panel_gap = frame->moved_axes >> 2 ? PANEL_GAP_ARROWS : PANEL_GAP;
  layout->panels = frame->schedule->extent[2] * frame->schedule->extent[3];
  layout->panel_columns = panel_columns(frame->schedule);
  layout->panel_width =
      2 * layout->margin_x + (double)columns_of(frame) * (layout->cell.width + layout->gap_x) - layout->gap_x;
  layout->panel_height = 2 * layout->margin_y + (double)rows_of(frame) * (layout->cell.height + layout->gap_y) -
                         layout->gap_y + (layout->panels > 1 ? CAPTION : 0);
  int panel_rows = (layout->panels + layout->panel_columns - 1) / layout->panel_columns;
  layout->width = layout->panel_columns * (layout->panel_width + layout->panel_gap) - layout->panel_gap;
  layout->height = panel_rows * (layout->panel_height + layout->panel_gap) - layout->panel_gap;
  for (int64_t p = 0; p < frame->processors; p++) {
    int64_t coordinate[TG_MAX_DIMS] = {0};
    tg_schedule_coordinates(frame->schedule, p, coordinate);
    layout->at[p] = place_of(layout, coordinate);
  }
}

static void draw_panel(const TgView *view, int panel) {
  const TgLayout *layout = view->layout;
  const TgPoint corner = layout_corner(layout, panel);
  const double x = view->origin.x + corner.x, y = view->origin.y + corner.y;
  g_autoptr(GString) name = g_string_new(NULL);
  g_autofree char *id = panel_id(panel);
  append_panel_name(name, view->frame, panel);
  tg_scene_mark(view->scene, &(TgMark){.shape = TG_OUTLINE_ROUNDED,
                                       .id = id,
                                       .title = name->str,
                                       .x = x + layout->panel_width / 2,
                                       .y = y + layout->panel_height / 2,
                                       .width = layout->panel_width,
                                       .height = layout->panel_height,
                                       .line = TG_COLOUR_IDLE});
  tg_scene_text(view->scene, x + layout->panel_width / 2, y + 15, 14, TG_COLOUR_INK, name->str);
}

/* Small cells have no names: rows and columns are numbered instead. */
static void draw_numbers(const TgView *view, int panel) {
  const TgLayout *layout = view->layout;
  int64_t columns = columns_of(view->frame), depth = view->frame->processors / rows_of(view->frame) / columns;
  for (int64_t r = 0; r < rows_of(view->frame); r++) {
    TgPoint at = tg_view_at(view, r * columns * depth + panel);
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, r);
    tg_scene_text(view->scene, at.x - layout->cell.width / 2 - layout->margin_x + 10, at.y, 10, TG_COLOUR_INK_SOFT,
                  text);
  }
  for (int64_t c = 0; c < columns; c++) {
    TgPoint at = tg_view_at(view, c * depth + panel);
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, c);
    tg_scene_text(view->scene, at.x, at.y - layout->cell.height / 2 - layout->margin_y + 5, 10, TG_COLOUR_INK_SOFT,
                  text);
  }
}

/* Bit 0 or 1 of a processor: a flow joins it with the next one down or to the right. */
static uint8_t *find_used(const TgView *view) {
  uint8_t *used = g_new0(uint8_t, (gsize)view->frame->processors);
  for (guint f = 0; f < view->layout->flows->len; f++) {
    const TgFlow *flow = &g_array_index(view->layout->flows, TgFlow, f);
    if (flow->axis < 0 || flow->axis > 1 || abs(flow->hops) != 1 || flow->round_edge) continue;
    used[MIN(flow->from, flow->to)] |= (uint8_t)(1 << flow->axis);
  }
  return used;
}

static void draw_idle(const TgView *view, int64_t processor, int axis) {
  int64_t coordinate[TG_MAX_DIMS] = {0}, next = processor, stride = 1;
  tg_schedule_coordinates(view->frame->schedule, processor, coordinate);
  if (coordinate[axis] + 1 == view->frame->schedule->extent[axis]) return;
  for (int c = axis + 1; c < view->frame->schedule->dims; c++) stride *= view->frame->schedule->extent[c];
  next += stride;
  g_autofree char *from = tg_view_id(view, processor), *to = tg_view_id(view, next);
  TgPoint a = tg_view_at(view, processor), b = tg_view_at(view, next);
  if (axis == 1)
    a.x += view->layout->cell.width / 2, b.x -= view->layout->cell.width / 2;
  else
    a.y += view->layout->cell.height / 2, b.y -= view->layout->cell.height / 2;
  tg_scene_line(view->scene, NULL, from, to, a, b, TG_COLOUR_IDLE, NULL, 0.8);
}

/* Links between neighbours that carry nothing, where the grid is the network. */
static void draw_idle_links(const TgView *view) {
  g_autofree uint8_t *used = find_used(view);
  for (int64_t p = 0; p < view->frame->processors; p++)
    for (int axis = 0; axis < 2; axis++)
      if ((used[p] >> axis & 1) == 0) draw_idle(view, p, axis);
}

/* The corners of the cells that share a node. */
typedef struct Group {
  int64_t top, left, bottom, right, count;
} Group;

static void draw_group(const TgView *view, const Group *group) {
  const TgLayout *layout = view->layout;
  TgPoint a = tg_view_at(view, group->top * columns_of(view->frame) + group->left);
  TgPoint b = tg_view_at(view, group->bottom * columns_of(view->frame) + group->right);
  tg_scene_mark(view->scene, &(TgMark){.shape = TG_OUTLINE_ROUNDED,
                                       .x = (a.x + b.x) / 2,
                                       .y = (a.y + b.y) / 2,
                                       .width = b.x - a.x + layout->cell.width + layout->gap_x * 0.66,
                                       .height = b.y - a.y + layout->cell.height + layout->gap_y * 0.66,
                                       .line = "#8a8a8a",
                                       .dashed = true});
}

/* Where several processors stand on one node, a dashed line round them, if they are a rectangle. */
static void draw_groups(const TgView *view) {
  const TgFrame *frame = view->frame;
  if (frame->topology == NULL || view->layout->panels > 1 || frame->processors <= frame->topology->nodes) return;
  g_autofree Group *group = g_new0(Group, (gsize)frame->topology->nodes);
  for (int64_t p = 0; p < frame->processors; p++) {
    Group *g = &group[frame->node[p]];
    int64_t row = p / columns_of(frame), column = p % columns_of(frame);
    if (g->count++ == 0) *g = (Group){row, column, row, column, 1};
    g->top = MIN(g->top, row), g->left = MIN(g->left, column);
    g->bottom = MAX(g->bottom, row), g->right = MAX(g->right, column);
  }
  for (int32_t n = 0; n < frame->topology->nodes; n++) {
    int64_t area = (group[n].bottom - group[n].top + 1) * (group[n].right - group[n].left + 1);
    if (group[n].count == area) draw_group(view, &group[n]);
  }
}

static void draw_ground(const TgView *view) {
  draw_groups(view);
  if (view->layout->full && tg_frame_has_grid_shape(view->frame)) draw_idle_links(view);
  for (int panel = 0; panel < view->layout->panels; panel++) {
    if (view->layout->panels > 1) draw_panel(view, panel);
    if (!view->layout->full) draw_numbers(view, panel);
  }
}

const TgLayoutKind tg_layout_planes = {"planes", suits, place, draw_ground, tg_view_cell, draw_flow};

#include <math.h>
#include <stdlib.h>

#include "frame-network.h"
#include "layout.h"
#include "palette.h"
#include "planes-flow.h"

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
  layout->margin_x = round_x ? (layout->full ? TG_PLANES_STUB + 72 : 30) : far_y && layout->full ? 60 : 12;
  layout->margin_y = round_y ? (layout->full ? TG_PLANES_STUB + 42 : 30) : far_x && layout->full ? 56 : 12;
  if (!layout->full) layout->margin_x += 16; /* the rows' numbers */
}

/* Of three coordinates, where blocks go from plane to plane, rows of panels run to and fro: the next is beside or
 * below.
 */
TgPoint tg_planes_panel_corner(const TgLayout *layout, int64_t panel) {
  const int64_t row = panel / layout->panel_columns, column = panel % layout->panel_columns;
  const bool back = row % 2 == 1 && layout->frame->schedule->dims == 3 && layout->frame->moved_axes >> 2 & 1;
  return (TgPoint){(double)(back ? layout->panel_columns - 1 - column : column) *
                       (layout->panel_width + layout->panel_gap),
                   (double)row * (layout->panel_height + layout->panel_gap)};
}

static TgPoint place_of(const TgLayout *layout, const int64_t *coordinate) {
  const TgPoint corner =
      tg_planes_panel_corner(layout, coordinate[2] * layout->frame->schedule->extent[3] + coordinate[3]);
  const double caption = layout->panels > 1 ? CAPTION : 0;
  return (TgPoint){corner.x + layout->margin_x + layout->cell.width / 2 +
                       (double)coordinate[1] * (layout->cell.width + layout->gap_x),
                   corner.y + caption + layout->margin_y + layout->cell.height / 2 +
                       (double)coordinate[0] * (layout->cell.height + layout->gap_y)};
}

static void place(TgLayout *layout) {
  const TgFrame *frame = layout->frame;
  if (layout->full)
    tg_cell_layout_full(&layout->cell, frame);
  else
    tg_cell_layout_small(&layout->cell, frame);
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

char *tg_planes_panel_id(int64_t panel) {
  return g_strdup_printf("plane-%" G_GINT64_FORMAT, panel);
}

void tg_planes_panel_name(GString *name, const TgFrame *frame, int64_t panel) {
  int64_t coordinate[2] = {panel / frame->schedule->extent[3], panel % frame->schedule->extent[3]};
  for (int c = 2; c < frame->schedule->dims; c++)
    g_string_append_printf(name, "%s%s = %" G_GINT64_FORMAT, c > 2 ? ", " : "plane ",
                           tg_name(frame->names, frame->names->axis[c]), coordinate[c - 2]);
}

static void draw_panel(const TgView *view, int panel) {
  const TgLayout *layout = view->layout;
  const TgPoint corner = tg_planes_panel_corner(layout, panel);
  const double x = view->origin.x + corner.x, y = view->origin.y + corner.y;
  g_autoptr(GString) name = g_string_new(NULL);
  g_autofree char *id = tg_planes_panel_id(panel);
  tg_planes_panel_name(name, view->frame, panel);
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
  tg_scene_line(view->scene, from, to, a, b, TG_COLOUR_IDLE, 0.8);
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

static void draw_processor(const TgView *view, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, view->frame->schedule, processor);
  tg_cell_draw(view->scene, view->frame, &view->layout->cell, processor, tg_view_at(view, processor), name->str);
}

const TgLayoutKind tg_layout_planes = {"planes", suits, place, draw_ground, draw_processor, tg_planes_draw_flow};

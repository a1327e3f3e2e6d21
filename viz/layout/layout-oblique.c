#include <stdlib.h>

#include "layout.h"
#include "palette.h"

/* A grid of three coordinates seen from the side: planes of the last one above one another, coordinate 0 towards the
 * reader, coordinate 1 to the right. For runs whose messages rise or fall between planes, and in them go to neighbours
 * only, where processors hold single blocks. One panel a matrix; a processor shows what it holds of that matrix. */

enum {
  BOX_WIDTH = 50,
  BOX_HEIGHT = 27,
  LEAST_PITCH_X = 84,
  PITCH_Y = 42,
  PLANE_GAP = 46,
  LABEL = 84,
  CAPTION = 24,
  AXES = 16
};

static bool has_arrays(const TgFrame *frame) {
  for (int b = 0; b < frame->schedule->buffers; b++)
    if (frame->length[b] > 1) return true;
  return false;
}

/* By what holds for the whole run, so that all steps are drawn alike. */
static bool suits(const TgFrame *frame) {
  return frame->detail && frame->schedule->dims == 3 && tg_layout_is_full(frame) && frame->moved_axes >> 2 & 1 &&
         ((frame->round_axes | frame->far_axes) & 3) == 0 && !has_arrays(frame);
}

static double slant(const TgFrame *frame) {
  return frame->schedule->extent[0] > 5 ? 17 : 28;
}
/* So wide that no two ways between planes cover one another: their places are equally spaced. */
static double pitch_x(const TgFrame *frame) {
  return MAX(LEAST_PITCH_X, frame->schedule->extent[0] * slant(frame));
}

static void find_panels(TgLayout *layout) {
  const TgSchedule *schedule = layout->frame->schedule;
  for (int p = 0; p < schedule->placements; p++)
    layout->panel_matrices = (uint8_t)(layout->panel_matrices | 1u << schedule->placement[p].matrix);
  layout->panels = 0;
  for (int matrix = 0; matrix < TG_MATRICES; matrix++)
    if (layout->panel_matrices >> matrix & 1) layout->panel_matrix[layout->panels++] = (uint8_t)matrix;
}

static double plane_height(const TgFrame *frame) {
  return (frame->schedule->extent[0] - 1) * PITCH_Y + BOX_HEIGHT;
}
static double plane_width(const TgFrame *frame) {
  return (frame->schedule->extent[1] - 1) * pitch_x(frame) + (frame->schedule->extent[0] - 1) * slant(frame) +
         BOX_WIDTH;
}

static double plane_top(const TgLayout *layout, int64_t plane) {
  int64_t above = layout->frame->schedule->extent[2] - 1 - plane;
  return (layout->panels > 1 ? CAPTION : 0) + 10 + (double)above * (plane_height(layout->frame) + PLANE_GAP);
}

static void place(TgLayout *layout) {
  const TgFrame *frame = layout->frame;
  const int32_t *extent = frame->schedule->extent;
  find_panels(layout);
  layout->full = true;
  layout->cell = (TgCellLayout){.width = BOX_WIDTH, .height = BOX_HEIGHT};
  layout->panel_width = LABEL + plane_width(frame) + 30;
  layout->width = layout->panels * layout->panel_width;
  layout->height = plane_top(layout, 0) + plane_height(frame) + 12 + AXES;
  for (int64_t p = 0; p < frame->processors; p++) {
    int64_t c[TG_MAX_DIMS];
    tg_schedule_coordinates(frame->schedule, p, c);
    layout->at[p].x =
        LABEL + BOX_WIDTH / 2.0 + (double)c[1] * pitch_x(frame) + (double)(extent[0] - 1 - c[0]) * slant(frame);
    layout->at[p].y = plane_top(layout, c[2]) + BOX_HEIGHT / 2.0 + (double)c[0] * PITCH_Y;
  }
}

/* The outline of a plane, so that cells of one plane are seen together. */
static void draw_plane(const TgView *view, int64_t plane) {
  const TgFrame *frame = view->frame;
  double depth = (frame->schedule->extent[0] - 1) * slant(frame), pad = 9;
  double left = view->origin.x + LABEL - pad, top = view->origin.y + plane_top(view->layout, plane) - pad + 2;
  double width = plane_width(frame) - depth + 2 * pad, height = plane_height(frame) + 2 * pad - 4;
  TgPoint corner[5] = {{left + depth + pad, top},
                       {left + depth + width + pad, top},
                       {left + width - pad, top + height},
                       {left - pad, top + height}};
  corner[4] = corner[0];
  for (int side = 0; side < 4; side++)
    tg_scene_line(view->scene, NULL, "canvas", "canvas", corner[side], corner[side + 1], "#e0e0e0", NULL, 1);
  g_autofree char *name =
      g_strdup_printf("%s = %" G_GINT64_FORMAT, tg_name(frame->names, frame->names->axis[2]), plane);
  tg_scene_text(view->scene, view->origin.x + 30, top + height - 16, 13, TG_COLOUR_INK, name);
}

/* The names of the coordinates within a plane, at the lowest one: which way each counts. */
static void name_axes(const TgView *view) {
  const TgFrame *frame = view->frame;
  const double top = view->origin.y + plane_top(view->layout, 0), height = plane_height(frame);
  const double left = view->origin.x + LABEL, depth = (frame->schedule->extent[0] - 1) * slant(frame);
  g_autofree char *down = g_strdup_printf("%s ↓", tg_name(frame->names, frame->names->axis[0]));
  g_autofree char *right = g_strdup_printf("%s →", tg_name(frame->names, frame->names->axis[1]));
  tg_scene_text(view->scene, left + depth / 2 - 22, top + height / 3, 12, TG_COLOUR_INK_SOFT, down);
  tg_scene_text(view->scene, left + (plane_width(frame) - depth) / 2, top + height + 16, 12, TG_COLOUR_INK_SOFT, right);
}

static void draw_ground(const TgView *view) {
  const TgLayout *layout = view->layout;
  name_axes(view);
  for (int64_t plane = 0; plane < view->frame->schedule->extent[2]; plane++) draw_plane(view, plane);
  if (layout->panels < 2) return;
  const TgMatrixStyle *style = &tg_matrix_style[layout->panel_matrix[view->panel]];
  g_autofree char *name = g_strdup_printf("blocks of %s", style->name);
  tg_scene_text(view->scene, view->origin.x + LABEL + plane_width(view->frame) / 2, view->origin.y + 10, 14, style->ink,
                name);
}

/* What a processor holds of the panel's matrix: the block if it is one, else their number. */
typedef struct Holding {
  int count;
  TgBlockName block; /* the first */
  bool fresh;
} Holding;

static Holding holding_of(const TgFrame *frame, int64_t processor, uint8_t matrix) {
  Holding holding = {0};
  for (int b = 0; b < frame->schedule->buffers; b++) {
    for (int32_t index = 0; index < frame->length[b]; index++) {
      const TgFrameSlot *slot = tg_frame_slot(frame, processor, b, index);
      const TgBlockName *shown = tg_frame_slot_shown(slot);
      if (shown->kind == TG_VALUE_EMPTY || shown->matrix != matrix) continue;
      if (holding.count++ == 0) holding.block = *shown;
      holding.fresh |= tg_slot_fresh(frame, slot);
    }
  }
  return holding;
}

/* Whether blocks of this matrix may be in the buffer. */
static bool may_hold(const TgFrame *frame, int buffer, uint8_t matrix) {
  bool placed = false;
  for (int p = 0; p < frame->schedule->placements; p++) {
    if (frame->schedule->placement[p].buffer != buffer) continue;
    if (frame->schedule->placement[p].matrix == matrix) return true;
    placed = true;
  }
  return !placed;
}

/* Where the proof fails: the processor's cells of the matrices that the failure is about. */
static void outline_failure(const TgView *view, int64_t processor, uint8_t matrix, TgPoint at) {
  const TgFrame *frame = view->frame;
  bool blamed = false;
  if (!frame->failure || frame->failure->processor != processor) return;
  for (int b = 0; b < frame->schedule->buffers; b++)
    blamed = blamed || (tg_cell_blames(frame, b) && may_hold(frame, b, matrix));
  if (blamed)
    tg_scene_box_at(view->scene, NULL, "the proof fails here", at, BOX_WIDTH + 6, BOX_HEIGHT + 6, NULL, TG_COLOUR_WRONG,
                    4);
}

static void draw_processor(const TgView *view, int64_t processor) {
  const TgFrame *frame = view->frame;
  uint8_t matrix = view->layout->panel_matrix[view->panel];
  const TgMatrixStyle *style = &tg_matrix_style[matrix];
  Holding holding = holding_of(frame, processor, matrix);
  g_autofree char *id = tg_view_id(view, processor);
  g_autoptr(GString) text = g_string_new(NULL), title = g_string_new(NULL);
  if (holding.count == 1) tg_block_name_append(text, &holding.block);
  if (holding.count > 1) g_string_append_printf(text, "%d blocks", holding.count);
  tg_processor_append(title, frame->schedule, processor);
  g_string_append_printf(title, ": %s", holding.count > 0 ? text->str : "nothing of ");
  if (holding.count == 0) g_string_append(title, style->name);
  bool sum = holding.count == 1 && holding.block.kind == TG_VALUE_SUM && frame->schedule->inner > 1;
  TgPoint at = tg_view_at(view, processor);
  const char *fill = holding.fresh ? style->ink : style->tint, *ink = holding.fresh ? "white" : style->ink;
  const bool any = holding.count > 0;
  tg_scene_box_at(view->scene, id, title->str, at, BOX_WIDTH, BOX_HEIGHT, any ? fill : "white",
                  any ? TG_COLOUR_LINE : TG_COLOUR_IDLE, 0);
  tg_scene_label_mark(view->scene, holding.count > 1 ? 10 : 14, ink, sum ? NULL : text->str);
  outline_failure(view, processor, matrix, at);
  if (!sum) return;
  g_autofree char *terms = g_strdup_printf("%d/%d", holding.block.terms, frame->schedule->inner);
  tg_scene_text(view->scene, at.x - 9, at.y, 14, ink, text->str);
  tg_scene_text(view->scene, at.x + 14, at.y + 4, 9, ink, terms);
}

/* Between planes: side by side where several rise from one cell, behind the cells between. The number stands where the
 * way begins: further on it would cover cells. */
static void draw_vertical(const TgView *view, const TgFlow *flow) {
  TgPoint a = tg_view_at(view, flow->from), b = tg_view_at(view, flow->to);
  double sign = b.y < a.y ? -1 : 1, x = a.x + tg_flow_lane(flow) * 12;
  bool far = !view->frame->whole && abs(flow->hops) > 1;
  if (far) x -= 11;
  TgPoint begin = {x, a.y + sign * BOX_HEIGHT / 2}, end = {x, b.y - sign * BOX_HEIGHT / 2};
  TgPoint point[4];
  tg_bezier(point, begin, end, (TgPoint){0, 0});
  tg_view_arrow(view, flow, point, 4, NULL, 0);
  tg_view_number(view, flow, far ? x - 12 : x + 10, begin.y + sign * (8 + 12 * flow->lane));
}

static void draw_flow(const TgView *view, const TgFlow *flow) {
  if (flow->matrix != view->layout->panel_matrix[view->panel]) return;
  if (flow->axis == 2)
    draw_vertical(view, flow);
  else
    tg_view_direct(view, flow, tg_flow_lane(flow) * 8, flow->axis == 1 && abs(flow->hops) > 1 ? 0.14 : 0);
}

const TgLayoutKind tg_layout_oblique = {"oblique", suits, place, draw_ground, draw_processor, draw_flow};

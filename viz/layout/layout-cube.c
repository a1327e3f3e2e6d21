
#include "cube-place.h"
#include "layout.h"

/* A hypercube with one processor a node, as an oblique cube, or as cubes of cubes. */

enum { MOST_DIMENSIONS = 6 };

static bool suits(const TgFrame *frame) {
  const TgTopology *topology = frame->topology;
  return topology != NULL && frame->detail && topology->levels == 1 && topology->level[0].kind == TG_HYPERCUBE &&
         topology->level[0].extents[0] <= MOST_DIMENSIONS && topology->nodes == frame->processors;
}

static int dimension_of(const TgFrame *frame) {
  return frame->topology->level[0].extents[0];
}

static void place(TgLayout *layout) {
  const TgFrame *frame = layout->frame;
  layout->full = true;
  tg_cell_layout_mini(&layout->cell, frame);
  TgCubePlace cube;
  tg_cube_place(&cube, dimension_of(frame), layout->cell.width, layout->cell.height);
  layout->width = cube.width;
  layout->height = cube.height;
  for (int64_t p = 0; p < frame->processors; p++) layout->at[p] = tg_cube_at(&cube, frame->node[p]);
}

static void draw_ground(const TgView *view) {
  const TgFrame *frame = view->frame;
  for (int64_t a = 0; a < frame->processors; a++) {
    for (int64_t b = a + 1; b < frame->processors; b++) {
      int32_t differ = frame->node[a] ^ frame->node[b];
      if ((differ & (differ - 1)) == 0) tg_view_idle(view, a, b, 0.8);
    }
  }
}

static void draw_processor(const TgView *view, int64_t processor) {
  g_autoptr(GString) name = g_string_new(NULL);
  tg_processor_append(name, view->frame->schedule, processor);
  g_string_append(name, " · ");
  for (int bit = dimension_of(view->frame) - 1; bit >= 0; bit--)
    g_string_append_c(name, view->frame->node[processor] >> bit & 1 ? '1' : '0');
  tg_cell_draw(view->scene, view->frame, &view->layout->cell, processor, tg_view_at(view, processor), name->str);
}

static void draw_flow(const TgView *view, const TgFlow *flow) {
  int32_t differ = view->frame->node[flow->from] ^ view->frame->node[flow->to];
  bool link = (differ & (differ - 1)) == 0;
  double sign = flow->from < flow->to ? 1 : -1;
  tg_view_direct(view, flow, sign * tg_flow_lane(flow) * 9, link ? 0 : 0.1);
}

const TgLayoutKind tg_layout_cube = {"cube", suits, place, draw_ground, draw_processor, draw_flow};

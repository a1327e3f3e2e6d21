#include "frame-network.h"
#include "layout.h"

/* The first that suits is taken; the last suits always. */
static const TgLayoutKind *const layouts[] = {&tg_layout_cube, &tg_layout_oblique, &tg_layout_loop, &tg_layout_planes};

enum { FULL_EXTENT = 8, FULL_PROCESSORS = 128 };

bool tg_layout_is_full(const TgFrame *frame) {
  if (frame->schedule->dims == 1) return frame->processors <= 2 * FULL_EXTENT;
  for (int c = 0; c < frame->schedule->dims; c++)
    if (frame->schedule->extent[c] > FULL_EXTENT) return false;
  return frame->processors <= FULL_PROCESSORS;
}

static const TgLayoutKind *choose(const TgFrame *frame) {
  gsize l = 0;
  while (l < G_N_ELEMENTS(layouts) - 1 && !layouts[l]->suits(frame)) l++;
  return layouts[l];
}

/* Arcs over one cell are readable; what goes further, and everything among small cells, is drawn link by link. */
static void find_flows(TgLayout *layout) {
  bool planar = layout->kind == &tg_layout_planes;
  TgFlowRules rules = {.goes_round = tg_frame_goes_round(layout->frame) && layout->kind != &tg_layout_oblique,
                       .far_hops = planar ? (layout->full ? 2 : 1) : INT32_MAX};
  layout->flows = tg_flows_new(layout->frame, &rules);
  for (guint f = 0; f < layout->flows->len; f++) {
    const TgFlow *flow = &g_array_index(layout->flows, TgFlow, f);
    layout->numbers_rounds |= flow->first_round >= 0 && !flow->link_by_link;
    layout->numbers_blocks |= flow->blocks >= 1.5;
    layout->between_planes |= planar && flow->axis > 1;
    layout->link_by_link |= flow->link_by_link;
  }
  layout->spread = tg_frame_spreads(layout->frame);
}

void tg_layout_init(TgLayout *layout, const TgFrame *frame) {
  *layout = (TgLayout){
      .frame = frame, .kind = choose(frame), .full = tg_layout_is_full(frame), .panels = 1, .panel_columns = 1};
  layout->at = g_new0(TgPoint, (gsize)frame->processors);
  find_flows(layout);
  layout->kind->place(layout);
}

void tg_layout_clear(TgLayout *layout) {
  g_array_unref(layout->flows);
  g_free(layout->at);
}

void tg_layout_draw(const TgLayout *layout, TgScene *scene, TgPoint origin) {
  int repeats = layout->kind == &tg_layout_oblique ? layout->panels : 1;
  for (int panel = 0; panel < repeats; panel++) {
    TgView view = {.frame = layout->frame, .layout = layout, .scene = scene, .origin = origin, .panel = panel};
    view.origin.x += panel * layout->panel_width;
    layout->kind->draw_ground(&view);
    for (int64_t p = 0; p < layout->frame->processors; p++) layout->kind->draw_processor(&view, p);
    for (guint f = 0; f < layout->flows->len; f++)
      layout->kind->draw_flow(&view, &g_array_index(layout->flows, TgFlow, f));
  }
}

#include "form.h"

#include <string.h>

/* One list of transfers from those of all lanes. */
static void join(TgForm *form) {
  form->ends = g_new(TgFormEnds, form->transfers);
  if (form->lanes > 1) form->which = g_new(uint8_t, form->transfers);
  for (int l = 0; l < form->lanes; l++)
    for (int64_t t = 0; t < form->lane[l]->transfers; t++) {
      form->ends[form->offset[l] + t] = (TgFormEnds){form->lane[l]->from[t], form->lane[l]->to[t]};
      if (form->which) form->which[form->offset[l] + t] = (uint8_t)l;
    }
}

/* From the back, so that each list is in program order. */
static void find_lists(TgForm *form, int64_t nodes) {
  bool several = false;
  form->first = g_new(TgFormFirst, nodes);
  memset(form->first, 0xff, (size_t)nodes * sizeof *form->first);
  form->next_out = g_new(int32_t, form->transfers);
  form->next_in = g_new(int32_t, form->transfers);
  for (int32_t t = form->transfers - 1; t >= 0; t--) {
    int32_t *out = &form->first[form->ends[t].from].out, *in = &form->first[form->ends[t].to].in;
    form->next_out[t] = *out;
    form->next_in[t] = *in;
    several = several || *out >= 0 || *in >= 0;
    *out = *in = t;
    form->first[form->ends[t].from].to = form->ends[t].to;
    form->first[form->ends[t].to].from = form->ends[t].from;
  }
  if (several) return;
  g_clear_pointer(&form->next_out, g_free);
  g_clear_pointer(&form->next_in, g_free);
}

TgForm *tg_form_new(TgLane *const *lane, int lanes, int64_t nodes) {
  TgForm *form = g_new0(TgForm, 1);
  form->references = 1;
  form->lanes = lanes;
  form->one_hop = true;
  for (int l = 0; l < lanes; l++) {
    form->lane[l] = tg_lane_hold(lane[l]);
    form->offset[l] = form->transfers;
    form->transfers += (int32_t)lane[l]->transfers;
    form->one_hop = form->one_hop && lane[l]->hops_max <= 1;
  }
  form->offset[lanes] = form->transfers;
  if (form->transfers == 0) return form;
  join(form);
  find_lists(form, nodes);
  return form;
}

void tg_form_release(TgForm *form) {
  if (!form || --form->references > 0) return;
  g_free(form->ends);
  g_free(form->which);
  for (int l = 0; l < form->lanes; l++) tg_lane_release(form->lane[l]);
  g_free(form->first);
  g_free(form->next_out);
  g_free(form->next_in);
  g_free(form->first_link);
  g_free(form);
}

void tg_form_route(TgForm *form, const TgTopology *network) {
  TgRoute route;
  TgHop hop;
  if (form->first_link || form->transfers == 0) return;
  form->first_link = g_new(uint32_t, form->transfers);
  for (int32_t t = 0; t < form->transfers; t++) {
    tg_route_begin(&route, network, form->ends[t].from, form->ends[t].to);
    tg_route_next(&route, &hop);
    form->first_link[t] = (uint32_t)hop.link;
  }
}

#include "tally.h"

#include "sum.h"

#include <math.h>
#include <string.h>

bool tg_tally_init(TgTally *tally, const TgSchedule *schedule, const TgStepperOptions *options, int64_t steps,
                   GError **error) {
  *tally = (TgTally){.network = options->network};
  TgError reason;
  if (tally->network && !tg_embedding_init(&tally->embedding, options->embedding, schedule->dims, schedule->extent,
                                           tally->network, &reason))
    return TG_SIM_FAIL(error, BAD_INPUT, "%s", reason.message);
  const size_t room = (size_t)MAX(steps, 1);
  tally->trace.step = g_try_new0(TgTraceStep, room);
  tally->hops = g_try_new0(int64_t, room);
  bool enough = tally->trace.step && tally->hops;
  if (options->link_loads && tally->network) {
    tally->trace.links = tally->network->links;
    const size_t links = (size_t)MAX(tally->trace.links, 1);
    tally->link_bytes = g_try_new0(int64_t, links);
    tally->trace.link_bytes = room <= SIZE_MAX / links ? g_try_new0(int64_t, room * links) : NULL;
    enough = enough && tally->link_bytes && tally->trace.link_bytes;
  }
  if (enough) return true;
  tg_tally_clear(tally);
  return TG_SIM_FAIL(error, TOO_LARGE, "out of memory for the counts of every step");
}

void tg_tally_clear(TgTally *tally) {
  g_free(tally->trace.step);
  g_free(tally->trace.link_bytes);
  g_free(tally->hops);
  g_free(tally->link_bytes);
  *tally = (TgTally){0};
}

static int64_t *step_links(const TgTally *tally) {
  return tally->trace.link_bytes + (tally->trace.steps - 1) * tally->trace.links;
}

void tg_tally_begin(TgTally *tally) {
  const int64_t index = ++tally->trace.steps;
  tally->trace.step[index - 1] = (TgTraceStep){.label = "", .index = index, .start_s = NAN, .end_s = NAN};
  tally->hops[index - 1] = 0;
  if (tally->link_bytes) memset(step_links(tally), 0, sizeof(int64_t) * (size_t)tally->trace.links);
}

/** Adds the message to every link of its route; returns the hops. */
static int64_t count_route(TgTally *tally, int64_t from, int64_t to, int64_t bytes) {
  int64_t *now = step_links(tally), hops = 0;
  TgRoute route;
  TgHop hop;
  tg_route_begin(&route, tally->network, from, to);
  for (; tg_route_next(&route, &hop); hops++) {
    now[hop.link] = tg_sum(now[hop.link], bytes);
    tally->link_bytes[hop.link] = tg_sum(tally->link_bytes[hop.link], bytes);
  }
  return hops;
}

void tg_tally_message(TgTally *tally, int64_t from, int64_t to, int64_t bytes, int64_t *hops) {
  TgTraceStep *step = &tally->trace.step[tally->trace.steps - 1];
  *hops = 0;
  if (tally->network) {
    const int64_t source = tg_embedding_node(&tally->embedding, from),
                  target = tg_embedding_node(&tally->embedding, to);
    *hops = tally->link_bytes ? count_route(tally, source, target, bytes)
                              : tg_topology_distance(tally->network, source, target);
  }
  const int64_t hop_bytes = tg_sum_times(bytes, *hops);
  step->messages++;
  step->bytes = tg_sum(step->bytes, bytes);
  step->hop_bytes = tg_sum(step->hop_bytes, hop_bytes);
  tally->hops[tally->trace.steps - 1] += *hops;
  tally->total.messages++;
  tally->total.bytes = tg_sum(tally->total.bytes, bytes);
  tally->total.hop_bytes = tg_sum(tally->total.hop_bytes, hop_bytes);
  tally->total.hops += *hops;
}

void tg_tally_product(TgTally *tally) {
  tally->trace.step[tally->trace.steps - 1].products++;
  tally->total.products++;
}

void tg_tally_undo(TgTally *tally) {
  const TgTraceStep *step = &tally->trace.step[tally->trace.steps - 1];
  tally->total.messages -= step->messages;
  tally->total.bytes -= step->bytes;
  tally->total.hop_bytes -= step->hop_bytes;
  tally->total.hops -= tally->hops[tally->trace.steps - 1];
  tally->total.products -= step->products;
  for (int64_t l = 0; tally->link_bytes && l < tally->trace.links; l++) tally->link_bytes[l] -= step_links(tally)[l];
  tally->trace.steps--;
}

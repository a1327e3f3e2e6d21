/* Routes: legs up to the gateways, one leg across, legs down; each leg runs straight along one axis after the other, so
 * that a hop costs a few additions and only a turn costs divisions. */
#include "network-kind.h"

int32_t tg_route_hash(int32_t from, int32_t to) {
  uint64_t hash = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
  hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
  hash = (hash ^ hash >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return (int32_t)((hash ^ hash >> 33) >> 33);
}

/* Which of its switches a route takes on a level. */
static int32_t port_of(const TgRoute *route, const TgLevel *level) {
  if (level->switches < 2) return 0;
  const int32_t number = tg_level_kind(level)->is_hashed ? tg_route_hash(route->from, route->to) : route->to;
  return number / level->planes % level->switches;
}

/* Between two elements of a level with switches the way is to one of these first. */
static int32_t target_across(const TgRoute *route, const TgLevel *level, int32_t to) {
  return level->switches > 0 && route->at != to ? tg_level_gateway(level, port_of(route, level)) : to;
}

/* Sets level, copy, plane and ends of the current leg of a composition. */
static void begin_leg(TgRoute *route) {
  const TgTopology *topology = route->topology;
  bool up = route->leg < route->top, across = route->leg == route->top;
  route->level = up ? route->leg : 2 * route->top - route->leg;
  const TgLevel *level = &topology->level[route->level];
  int32_t from = route->from / level->span, to = route->to / level->span;
  int32_t gateway = tg_level_gateway(level, port_of(route, level));
  route->copy = (up ? from : to) / level->nodes;
  route->plane = 0;
  for (const TgLevel *inner = topology->level; inner < level; inner++)
    if (inner->switches > 1) route->plane += port_of(route, inner) * inner->planes;
  route->at = up || across ? from % level->nodes : gateway;
  route->target = up ? gateway : across ? target_across(route, level, to % level->nodes) : to % level->nodes;
}

/* From numbers within the copy to vertices and links of the whole network. */
static void globalise(const TgRoute *route, const TgLevel *level, TgRun *run) {
  run->link += tg_level_first_link(level, route->copy, route->plane);
  if (level->switches > 0) {
    int64_t from = tg_level_vertex(level, route->copy, route->plane, route->at);
    run->vertex_stride = tg_level_vertex(level, route->copy, route->plane, run->end) - from;
    run->vertex = from;
  } else {
    run->vertex = level->vertex_base + (run->vertex + (int64_t)route->copy * level->nodes) * level->vertex_scale;
    run->vertex += route->plane;
    run->vertex_stride *= level->vertex_scale;
  }
}

static bool begin_run(TgRoute *route) {
  while (route->at == route->target) {
    const TgLevel *level = &route->topology->level[route->level];
    if (route->leg == route->top && route->at >= level->nodes) { /* down from the switch */
      route->target = route->to / level->span % level->nodes;
      break;
    }
    if (route->leg == 2 * route->top) return false;
    route->leg++;
    begin_leg(route);
  }
  const TgLevel *level = &route->topology->level[route->level];
  tg_level_kind(level)->run(level, route->at, route->target, &route->run);
  globalise(route, level, &route->run);
  route->at = route->run.end;
  return true;
}

void tg_route_begin(TgRoute *route, const TgTopology *topology, int64_t from, int64_t to) {
  route->topology = topology; /* one by one: the run is set when it begins */
  route->from = (int32_t)from;
  route->to = (int32_t)to;
  route->top = route->leg = route->level = route->copy = route->plane = 0;
  route->run.hops = 0;
  int32_t a = route->from, b = route->to;
  if (topology->levels == 1) { /* the usual case, without divisions */
    route->at = a;
    route->target = target_across(route, topology->level, b);
    return;
  }
  while (route->top < topology->levels - 1) {
    a /= topology->level[route->top].nodes;
    b /= topology->level[route->top].nodes;
    if (a == b) break;
    route->top++;
  }
  begin_leg(route);
}

bool tg_route_next(TgRoute *route, TgHop *hop) {
  TgRun *run = &route->run;
  if (run->hops == 0 && !begin_run(route)) return false;
  int32_t next = run->at + (run->forward ? 1 : -1);
  if (next == run->extent) next = 0;
  if (next < 0) next = run->extent - 1;
  hop->link = run->link + (run->forward ? run->at : next) * run->link_stride;
  hop->vertex = run->vertex + next * run->vertex_stride;
  run->at = next;
  run->hops--;
  return true;
}

bool tg_route_next_stretch(TgRoute *route, TgStretch *stretch) {
  TgRun *run = &route->run;
  if (run->hops == 0 && !begin_run(route)) return false;
  int32_t low = run->forward ? run->at : run->at - run->hops;
  if (low < 0) low += run->extent;
  *stretch = (TgStretch){.line = run->link,
                         .stride = run->link_stride,
                         .low = low,
                         .hops = run->hops,
                         .places = run->edges,
                         .level = route->level,
                         .axis = run->axis};
  run->hops = 0;
  return true;
}

void tg_stretch_note_ends(const TgStretch *stretch, int64_t amount, int64_t *by_link) {
  int64_t *line = by_link + stretch->line;
  int32_t end = stretch->low + stretch->hops;
  line[stretch->low * stretch->stride] += amount;
  if (end > stretch->places) { /* around */
    end -= stretch->places;
    line[0] += amount;
  }
  if (end < stretch->places) line[end * stretch->stride] -= amount;
}

void tg_topology_sum_lines(const TgTopology *topology, int64_t *by_link) {
  for (int l = 0; l < topology->levels; l++) {
    const TgLevel *level = &topology->level[l];
    if (!tg_level_kind(level)->sum_lines) continue;
    for (int32_t copy = 0; copy < level->copies * level->planes; copy++)
      tg_level_kind(level)->sum_lines(level, by_link + level->link_base + copy * level->links);
  }
}

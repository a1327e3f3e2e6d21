/* The networks of a plan: one that is asked for, or one of a kind for each grid; and how grids are laid on them. */
#include "plan-private.h"

#include <inttypes.h>

/* The least dimension of a hypercube for so many processors; one has two nodes at least. */
static int32_t bits_of(int64_t processors) {
  int32_t bits = 1;
  while (INT64_C(1) << bits < processors) bits++;
  return bits;
}

int64_t tg_plan_processors(const TgPlanRequest *request) {
  const int64_t processors = request->processors;
  if (request->network || request->network_kind != TG_HYPERCUBE) return processors;
  const int32_t bits = bits_of(processors);
  return INT64_C(1) << bits > processors ? INT64_C(1) << (bits - 1) : processors;
}

bool tg_plan_network(const TgPlanRequest *request, const TgSchedule *schedule, TgTopology *network, TgError *error) {
  const TgNetworkKind kind = request->network_kind;
  const int64_t processors = tg_schedule_processors(schedule);
  int32_t nodes = (int32_t)processors;
  if (request->network) {
    *network = *request->network;
    return true;
  }
  if (kind == TG_TORUS || kind == TG_MESH) {
    bool ring = kind == TG_TORUS && schedule->dims == 1;
    return tg_topology_init(network, ring ? TG_RING : kind, schedule->dims, schedule->extent, error);
  }
  if (kind == TG_HYPERCUBE) {
    nodes = bits_of(processors);
    if (INT64_C(1) << nodes != processors && processors > 1)
      return tg_error_set(error, 0, 0, "no hypercube has %" PRId64 " nodes", processors);
  }
  return tg_topology_init(network, kind, 1, &nodes, error);
}

TgTopology tg_plan_any_network(const TgPlanRequest *request) {
  static const int32_t extents[TG_MAX_DIMS] = {2, 2, 2, 2};
  const TgNetworkKind kind = request->network_kind;
  TgTopology network = {0};
  if (request->network) return *request->network;
  if (kind == TG_TORUS || kind == TG_MESH) {
    tg_topology_init(&network, kind, TG_MAX_DIMS, extents, NULL);
  } else {
    int32_t nodes = kind == TG_HYPERCUBE ? bits_of(tg_plan_processors(request)) : (int32_t)request->processors;
    tg_topology_init(&network, kind, 1, &nodes, NULL);
  }
  return network;
}

bool tg_plan_links_differ(const TgMachine *machine) {
  bool differ = false;
  for (int level = 0; level < TG_MAX_LEVELS; level++) differ = differ || machine->level[level].given;
  for (int axis = 0; axis < TG_MACHINE_AXES; axis++) differ = differ || machine->axis[axis].given;
  return differ;
}

/* --- embeddings --------------------------------------------------------------------------------------------------- */

/* Whether it makes a difference to the model where a processor stands. */
static bool distance_matters(const TgPlanRequest *request) {
  return request->machine->link.per_hop_s > 0 || tg_plan_links_differ(request->machine) ||
         request->model == TG_COST_FORWARD || request->model == TG_COST_FLOW;
}

static bool same_nodes(const TgEmbedding *a, const TgEmbedding *b) {
  for (int32_t p = 0; p < a->processors; p++)
    if (tg_embedding_node(a, p) != tg_embedding_node(b, p)) return false;
  return true;
}

int tg_plan_embeddings(const TgPlanRequest *request, const TgSchedule *schedule, const TgTopology *network,
                       TgEmbeddingKind kinds[TG_EMBEDDING_KINDS]) {
  TgEmbedding found[TG_EMBEDDING_KINDS];
  int count = 0;
  bool matters = distance_matters(request);
  for (int kind = 0; kind < TG_EMBEDDING_KINDS && (matters || count == 0); kind++) {
    if (!tg_embedding_init(&found[count], (TgEmbeddingKind)kind, schedule->dims, schedule->extent, network, NULL))
      continue;
    bool known = false;
    for (int other = 0; other < count && !known; other++) known = same_nodes(&found[other], &found[count]);
    if (!known) kinds[count++] = (TgEmbeddingKind)kind;
  }
  return count;
}

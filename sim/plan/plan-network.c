/* The network for a grid, and the embeddings that differ on it. */
#include "lane.h"
#include "plan-private.h"

#include <inttypes.h>

/* Of a network that needs more nodes, a hypercube, one of half as many is the largest. */
int64_t tg_plan_processors(const TgPlanRequest *request) {
  const int32_t processors = (int32_t)request->processors;
  TgTopology network = {0};
  if (request->network) return request->processors;
  tg_topology_of_kind(&network, request->network_kind, 1, &processors, NULL);
  return network.nodes > processors ? network.nodes / 2 : request->processors;
}

bool tg_plan_network(const TgPlanRequest *request, const TgSchedule *schedule, TgTopology *network, TgError *error) {
  const TgNetworkKind kind = request->network_kind;
  const int64_t processors = tg_schedule_processors(schedule);
  if (request->network) {
    *network = *request->network;
    return true;
  }
  if (kind == TG_TORUS) return tg_topology_of_grid(network, schedule->dims, schedule->extent, error);
  if (!tg_topology_of_kind(network, kind, schedule->dims, schedule->extent, error)) return false;
  if (network->nodes == processors || processors == 1) return true;
  return tg_error_set(error, 0, 0, "no %s has %" PRId64 " nodes", tg_network_kind_info(kind)->name, processors);
}

TgTopology tg_plan_any_network(const TgPlanRequest *request) {
  static const int32_t extents[TG_MAX_DIMS] = {2, 2, 2, 2};
  const int32_t processors = (int32_t)tg_plan_processors(request);
  const bool grid = tg_network_kind_info(request->network_kind)->is_grid;
  TgTopology network = {0};
  if (request->network) return *request->network;
  tg_topology_of_kind(&network, request->network_kind, grid ? TG_MAX_DIMS : 1, grid ? extents : &processors, NULL);
  return network;
}

/* --- embeddings --------------------------------------------------------------------------------------------------- */

/* Whether it makes a difference to the model where a processor stands: how far from others, or on which host. */
static bool distance_matters(const TgPlanRequest *request) {
  return request->machine->link.per_hop_s > 0 || !tg_links_alike(request->machine) ||
         request->model == TG_COST_FORWARD || request->model == TG_COST_FLOW || tg_plan_any_network(request).levels > 1;
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

/* What a plan can be asked for. */
#include "plan-private.h"

#include "sim-error.h"

#include <inttypes.h>

/* A machine whose numbers are those of a network of its own, which has fewer nodes. */
static bool fail_own(const TgPlanRequest *request, const TgError *failure, GError **error) {
  TgTopology own;
  if (!*request->machine->network || !tg_topology_parse(&own, request->machine->network, NULL) ||
      own.nodes >= request->processors || request->network_kind != TG_TORUS)
    return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure->message);
  return TG_SIM_FAIL(error, BAD_INPUT,
                     "machine %s has the numbers of the network %s, which has %d nodes: plan for at most %d "
                     "processors, or name a network of as many levels for %" PRId64,
                     request->machine->name, request->machine->network, own.nodes, own.nodes, request->processors);
}

bool tg_plan_check_request(const TgPlanRequest *request, GError **error) {
  static const TgComputes product = {.left = TG_MATRIX_A, .right = TG_MATRIX_B};
  TgTopology network = tg_plan_any_network(request);
  TgShape shape;
  TgError failure;
  if (request->processors < 1 || request->processors > TG_MAX_PROCESSORS)
    return TG_SIM_FAIL(error, BAD_INPUT, "%" PRId64 " processors, expected 1 to %d", request->processors,
                       TG_MAX_PROCESSORS);
  if (request->machine->port.ports == TG_PORTS_FETCH && request->model != TG_COST_HOCKNEY)
    return TG_SIM_FAIL(error, BAD_INPUT,
                       "machine %s has ports = fetch, as topogemm calibrate writes it, which needs the model hockney: "
                       "choose that, or write ports = one or all in a copy",
                       request->machine->name);
  if (request->network && network.nodes < request->processors)
    return TG_SIM_FAIL(error, BAD_INPUT, "the network has %d nodes, fewer than %" PRId64 " processors", network.nodes,
                       request->processors);
  if (!tg_machine_fits(request->machine, &network, &failure)) {
    if (request->network) return TG_SIM_FAIL(error, BAD_INPUT, "%s", failure.message);
    return fail_own(request, &failure, error);
  }
  return tg_shape_init(&shape, &product, request->m, request->n, request->k, error);
}

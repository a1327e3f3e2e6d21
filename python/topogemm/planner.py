"""Which schedule, on which grid, is predicted to be the fastest on a machine."""
import numpy

from topogemm import results
from topogemm._calls import Error, call, call_g, optional, parsed, text_of
from topogemm._native import ffi, lib
from topogemm.schedule import DEFAULT_MACHINE, Schedule, read_machine, schedules as library, sizes_of


def plan(size, processors, machine=DEFAULT_MACHINE, network=None, model="hockney", memory=None, overlap=True, top=5, budget=4.0,
         type="float32", schedules=None):  # pylint: disable=redefined-builtin
    """Ranks schedules on at most `processors` processors for a product of `size`, n or (m, n, k).

    `network`: a whole network, as "torus:8x8", or a kind, of which each grid gets one; if not given, the machine's own where that
    is large enough, else a torus for each grid. `memory`: bytes of a processor; the machine's
    if not given. `budget`: seconds that the search may take. `schedules`: Schedule objects or names; the whole library if not given.
    Returns a Plan, whose places say why.
    """
    m, n, k = sizes_of(size)
    chosen = [one if isinstance(one, Schedule) else Schedule.load(one) for one in (schedules or library())]
    names = [ffi.new("char[]", one.name.encode()) for one in chosen]
    sources = ffi.new("TgPlanSource[]", [{"schedule": one._schedule, "names": lib.tg_problem_names(one._problem), "name": name, "proved": schedules is None}
                                         for one, name in zip(chosen, names)])
    read = read_machine(machine)
    request = ffi.new("TgPlanRequest *", {"m": m, "n": n, "k": k, "processors": processors, "machine": read, "overlap": overlap, "top": top, "budget_s": budget,
                                          "memory_bytes": read.processor.memory_bytes if memory is None else memory, "element_bytes": numpy.dtype(type).itemsize})
    request.model = parsed(lib.tg_cost_model_parse, "TgCostModel", model)
    kind, whole = ffi.new("TgNetworkKind *"), ffi.new("TgTopology *")
    network = network or text_of(lib.tg_machine_own_network(read, processors)) or "torus"
    if lib.tg_network_kind_parse(network.encode(), kind):
        request.network_kind = kind[0]
    else:
        call(lib.tg_topology_parse, whole, optional(network))
        request.network = whole
    found = ffi.gc(ffi.new("TgPlan *"), lib.tg_plan_clear)
    call_g(lib.tg_plan, request, sources, len(chosen), found)
    if not found.ranked.len:
        raise Error(why_none(found))
    ranked = ffi.cast("TgPlanPlace *", found.ranked.data)
    places = tuple(place_of(ranked[at]) for at in range(found.ranked.len))
    return results.Plan(places, not (found.open or found.rounded or found.unseen), found.least_s, found.considered, found.predicted)


def why_none(found):
    """Why nothing is in the ranking."""
    if found.too_long or found.unseen:
        return "no prediction finished within the budget: give a larger one"
    if found.least_bytes:
        return f"nothing fits into the memory of a processor; every schedule needs at least {found.least_bytes:.0f} bytes"
    return "no schedule supports this number of processors"


def place_of(place):
    """A results.Place."""
    return results.Place(algorithm=text_of(place.source.name), grid=text_of(place.grid), parameters=text_of(place.parameters),
                         network=text_of(place.topology), embedding=text_of(lib.tg_embedding_name(int(place.embedding))),
                         collectives=text_of(place.collectives), processors=place.processors, predicted_s=place.predicted_s,
                         compute_s=place.compute_s, communication_s=place.communication_s, efficiency=place.efficiency,
                         messages=place.messages, bytes=place.bytes, bytes_per_processor=place.bytes_per_processor, tie=place.tie,
                         certain=place.certain, why=text_of(place.why))

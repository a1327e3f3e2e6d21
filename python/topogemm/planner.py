"""Which schedule, on which grid, is predicted to be the fastest on a machine."""
import re

from topogemm import results
from topogemm._calls import Error, call, call_g, characters, parsed, text_of, whole
from topogemm._native import ffi, lib
from topogemm.schedule import DEFAULT_MACHINE, Schedule, element_of, read_machine, schedules as library, sizes_of


def plan(size, processors, machine=DEFAULT_MACHINE, network=None, model="hockney", memory=None, overlap=True, top=5, budget=4.0,
         type="float32", schedules=None):  # pylint: disable=redefined-builtin
    """Ranks schedules on at most `processors` processors for a product of `size`, n or (m, n, k).

    `network`: a network such as "torus:8x8", or a kind such as "torus", sized to fit each grid (default: the machine's own network
    if it is large enough; otherwise a torus for each grid). `memory`: bytes of memory per processor (default: the machine's).
    `budget`: time limit of the search in seconds. `schedules`: Schedule objects or names (default: the whole library). `top`: number
    of places to return. `model`, `overlap` and `type` are as the options of `topogemm sim`. Returns a Plan; each place's `why` gives
    the reason for its rank.
    """
    m, n, k = sizes_of(size)
    processors, top = whole(processors, "processors", 1, 2**24), whole(top, "top", 1, 1000)
    if isinstance(schedules, (str, Schedule)):
        schedules = [schedules]
    chosen = [one if isinstance(one, Schedule) else Schedule.load(one) for one in (library() if schedules is None else schedules)]
    names = [characters(one.name) for one in chosen]
    sources = ffi.new("TgPlanSource[]", [{"schedule": one._schedule, "names": lib.tg_problem_names(one._problem), "name": name, "proved": schedules is None}
                                         for one, name in zip(chosen, names)])
    read = ffi.new("TgMachine *")
    read_machine(machine, lib.tg_machine_parse, read)
    request = ffi.new("TgPlanRequest *", {"m": m, "n": n, "k": k, "processors": processors, "machine": read, "overlap": overlap, "top": top, "budget_s": budget,
                                          "memory_bytes": read.processor.memory_bytes if memory is None else memory, "element_bytes": element_of(type)[1]})
    request.model = parsed(lib.tg_cost_model_parse, "TgCostModel", model)
    kind, given = ffi.new("TgNetworkKind *"), ffi.new("TgTopology *")
    network = network or text_of(lib.tg_machine_own_network(read, processors)) or "torus"
    if lib.tg_network_kind_parse(characters(network), kind):
        request.network_kind = kind[0]
    else:
        call(lib.tg_topology_parse, given, characters(network), placed=False)
        request.network = given
    found = ffi.gc(ffi.new("TgPlan *"), lib.tg_plan_clear)
    call_g(lib.tg_plan, request, sources, len(chosen), found)
    if not found.ranked.len:
        raise Error(why_none(found))
    ranked = ffi.cast("TgPlanPlace *", found.ranked.data)
    places = tuple(place_of(ranked[at], chosen[ranked[at].source - sources]) for at in range(found.ranked.len))
    return results.Plan(places, not (found.open or found.rounded or found.unseen), found.least_s, found.considered, found.predicted)


def why_none(found):
    """Why nothing is in the ranking."""
    if found.too_long or found.unseen:
        return "no prediction finished within the time limit: give a larger budget=, or fewer schedules="
    if found.least_bytes:
        return f"no schedule fits in the memory of a processor: the smallest needs {found.least_bytes:.0f} bytes; give more memory=, or more processors"
    rejected = ffi.cast("TgPlanReject *", found.rejected.data)
    return f"no schedule fits: {text_of(rejected[0].reason)}" if found.rejected.len else "no schedule supports this number of processors"


def place_of(place, source):
    """A results.Place; `source` is the Schedule that it binds."""
    parameters = {name: int(value) for name, value in re.findall(r"(\w+)=(-?\d+)", text_of(place.parameters))}
    schedule = source.bind(text_of(place.grid), **parameters)
    return results.Place(algorithm=text_of(place.source.name), grid=text_of(place.grid), parameters=text_of(place.parameters),
                         network=text_of(place.topology), embedding=text_of(lib.tg_embedding_name(int(place.embedding))),
                         collectives=text_of(place.collectives), processors=place.processors, predicted_s=place.predicted_s,
                         compute_s=place.compute_s, communication_s=place.communication_s, efficiency=place.efficiency,
                         messages=place.messages, bytes=place.bytes, bytes_per_processor=place.bytes_per_processor, tie=place.tie,
                         certain=place.certain, why=text_of(place.why), schedule=schedule)

"""A schedule: who sends which block to whom, and who multiplies. Everything else reads it."""
import html
import math
import pathlib

import numpy

from topogemm import results
from topogemm._calls import Error, bytes_of, call, call_g, embedding_of, optional, parsed, text_of
from topogemm._native import ffi, lib

ELEMENTS = {"float32": lib.TG_F32, "float64": lib.TG_F64}
DEFAULT_MACHINE = "commodity-cluster"


def schedules():
    """Names of the library's schedules."""
    count = ffi.new("size_t *")
    listed = lib.tg_library_list(count)
    return [text_of(listed[at].name) for at in range(count[0])]


def machines():
    """Names of the library's machines."""
    count = ffi.new("size_t *")
    listed = lib.tg_machine_library_list(count)
    return [text_of(listed[at].name) for at in range(count[0])]


def is_path(name):
    """Whether it names a file, rather than something of the library."""
    return isinstance(name, pathlib.Path) or "/" in name or name.endswith((".sched", ".machine"))


def text_from(name, find, what, known):
    """The text of a file or of the library."""
    if is_path(name):
        return pathlib.Path(name).read_bytes()
    entry = find(name.encode())
    if entry == ffi.NULL:
        raise Error(f"no {what} `{name}` in the library, which has {', '.join(known())}; a file's path has a / or ends in .{what[:7]}")
    return ffi.buffer(entry.text, entry.length)[:]


def machine_text(machine):
    """The text of a machine's file, from the library or a path."""
    return text_from(machine, lib.tg_machine_library_find, "machine", machines)


def read_machine(machine):
    """A TgMachine."""
    text = machine_text(machine)
    read = ffi.new("TgMachine *")
    call(lib.tg_machine_parse, read, text, len(text))
    return read


def grid_text(grid):
    """4, (4, 4) and "4x4" as "4", "4x4" and "4x4"."""
    if grid is None or isinstance(grid, str):
        return grid
    return "x".join(str(extent) for extent in (grid if hasattr(grid, "__iter__") else (grid,)))


def sizes_of(size):
    """m, n, k of a number, which is all three of them, or of (m, n, k)."""
    m, n, k = size if hasattr(size, "__iter__") else (size, size, size)
    return int(m), int(n), int(k)


class Schedule:
    """A schedule of the library or of your own, bound to a grid of processors.

    >>> schedule = Schedule.load("cannon", grid="4x4")
    >>> bool(schedule.verify())
    True
    """

    def __init__(self, text, grid=None, **parameters):
        """`text` as in the reference of the language; `grid` "4x4" or (4, 4); parameters of the schedule by name."""
        self.text = text if isinstance(text, str) else bytes(text).decode()
        self.grid = grid_text(grid)
        self.parameters = {name: int(value) for name, value in parameters.items()}
        self._problem = self._open()

    @classmethod
    def parse(cls, text, grid=None, **parameters):
        """Reads a schedule's text. Raises Error with line and column."""
        return cls(text, grid, **parameters)

    @classmethod
    def load(cls, name, grid=None, **parameters):
        """A schedule of the library, as `schedules()` lists them, or of a .sched file."""
        return cls(text_from(name, lib.tg_library_find, "schedule", schedules), grid, **parameters)

    def bind(self, grid=None, **parameters):
        """The same schedule on another grid, or with other parameters."""
        return type(self)(self.text, grid, **parameters)

    def _open(self, size=None, element="float32"):
        """A TgProblem of its own: for what sets sizes, network and machine."""
        encoded = self.text.encode()
        problem = ffi.gc(call(lib.tg_problem_new, encoded, len(encoded)), lib.tg_problem_free)
        if self.grid is not None or self.parameters:
            values = ",".join(f"{name}={value}" for name, value in self.parameters.items())
            call(lib.tg_problem_bind, problem, optional(self.grid), optional(values or None))
        if size is not None:
            call_g(lib.tg_problem_set_sizes, problem, *sizes_of(size), ELEMENTS[element])
        return problem

    @property
    def _schedule(self):
        return lib.tg_problem_schedule(self._problem)

    def _bound(self):
        schedule = self._schedule
        if self.grid is None and not self.parameters:
            raise Error(f'{self.name} is not on a grid yet: give one, as in Schedule.load("{self.name}", grid="4x4")')
        return schedule

    @property
    def name(self):
        """As `schedules()` has it."""
        names = lib.tg_problem_names(self._problem)
        return text_of(lib.tg_name(names, names.title))

    @property
    def computes(self):
        """The product, as "C = A * B"."""
        return text_of(lib.tg_computes_text(ffi.addressof(self._schedule, "computes")).s)

    @property
    def processors(self):
        """Of the grid."""
        return lib.tg_schedule_processors(self._bound())

    def __repr__(self):
        on = f" on {text_of(lib.tg_schedule_grid_text(self._schedule).s)}" if self.grid or self.parameters else ""
        return f"<Schedule {self.name}{on}>"

    def verify(self, size=None):
        """Proves that it computes its product on its grid, and counts messages and words.

        `size`: n, or (m, n, k) of C m×n with inner dimension k, that words are counted at; the least that is counted well if
        not given. A schedule that is wrong gives a Proof that is false, and says where and why.
        """
        schedule = self._bound()
        m, n, k = (ffi.new("int64_t *") for _ in range(3))
        if size is None:
            lib.tg_proof_sizes(schedule, m, n, k)
        else:
            m[0], n[0], k[0] = sizes_of(size)
        proof, names = ffi.new("TgProof *"), lib.tg_problem_names(self._problem)
        lib.tg_prove(schedule, names, lib.TG_COLLECTIVE_WHOLE, m[0], n[0], k[0], proof)
        failure, counts = proof.failure, proof.counts
        return results.Proof(ok=proof.ok, message="" if proof.ok else text_of(failure.message), line=0 if proof.ok else failure.line,
                             step=0 if proof.ok else failure.step, m=m[0], n=n[0], k=k[0], processors=lib.tg_schedule_processors(schedule),
                             steps=proof.steps, messages=counts.messages, products=counts.products,
                             words_received_max=proof.words_received_max,
                             words_received_bound=max(0.0, lib.tg_bound_memory_independent(m[0], n[0], k[0], lib.tg_schedule_processors(schedule))),
                             words_received=proof.words_received, words_per_processor_max=counts.words_per_processor_max,
                             blocks_per_processor_max=counts.blocks_per_processor_max)

    def step(self, a, b=None, collective="native"):
        """Executes it on matrices, a step at a time: see Run. A and B are not copied if they are contiguous float32 or float64."""
        return Run(self, a, b, collective)

    def predict(self, size, machine=DEFAULT_MACHINE, network=None, embed="rowmajor", model="hockney", collective="auto", overlap=True, type="float32"):  # pylint: disable=redefined-builtin
        """Predicts the time of a run of `size`, n or (m, n, k).

        `machine`: of `machines()`, or the path of a machine file. `network`: as "torus:8x8" or "hypercube"; the machine's own if
        not given. The other arguments are as the options of `topogemm sim`.
        """
        self._bound()
        problem, read = self._open(size, type), read_machine(machine)
        text = machine_text(machine)
        call(lib.tg_problem_set_machine, problem, text, len(text))
        call(lib.tg_problem_set_network, problem, optional(network), embedding_of(embed))
        options = ffi.new("TgCostOptions *")
        options.model = parsed(lib.tg_cost_model_parse, "TgCostModel", model)
        options.collective = parsed(lib.tg_collective_parse, "TgCollective", collective)
        options.overlap, options.straggler, options.straggler_factor = overlap, -1, 1
        options.element_bytes = numpy.dtype(type).itemsize
        cost = ffi.gc(ffi.new("TgCost *"), lib.tg_cost_clear)
        call_g(lib.tg_problem_predict, problem, options, cost)
        return self._prediction(problem, read, cost, sizes_of(size), model)

    def _prediction(self, problem, machine, cost, size, model):
        part = lib.tg_machine_error(machine)
        chosen = lib.tg_cost_collectives_text(cost, lib.tg_problem_names(problem))
        collectives = text_of(chosen)
        lib.g_free(chosen)
        network = ffi.new("char[]", 256)
        lib.tg_topology_format(lib.tg_problem_network(problem), network, 256)
        trace = cost.trace
        steps = tuple(results.StepTime(one.index, text_of(one.label), one.messages, one.bytes, one.products, one.start_s, one.end_s)
                      for one in ffi.unpack(trace.step, trace.steps))
        return results.Prediction(time_s=cost.time_s, compute_s=cost.compute_s, communication_s=cost.communication_s,
                                  least_s=cost.time_s * (1 - part), most_s=cost.time_s * (1 + part), messages=cost.messages, bytes=cost.bytes,
                                  max_link_bytes=cost.max_link_bytes, flops=cost.flops, m=size[0], n=size[1], k=size[2],
                                  processors=self.processors, grid=text_of(lib.tg_schedule_grid_text(self._schedule).s),
                                  machine=text_of(machine.name), network=text_of(network), model=model, collectives=collectives, steps=steps)

    def plan(self, size, processors, **options):
        """The best grids for this schedule alone; see `topogemm.plan()`."""
        from topogemm.planner import plan  # pylint: disable=import-outside-toplevel,cyclic-import

        return plan(size, processors, schedules=[self], **options)

    # --- pictures -------------------------------------------------------------------------------------------------------

    def _drawn_on(self, network, embed):
        """Options for drawing, and what they point to."""
        schedule, names = self._bound(), lib.tg_problem_names(self._problem)
        topology, embedding = ffi.new("TgTopology *"), ffi.new("TgEmbedding *")
        kind = embedding_of(embed)
        call(lib.tg_topology_for_grid, topology, optional(network), schedule.dims, schedule.extent)
        call(lib.tg_embedding_init, embedding, kind, schedule.dims, schedule.extent, topology)
        options = ffi.new("TgDrawOptions *", {"topology": topology, "embedding": embedding, "to_the_error": True})
        return schedule, names, options, (topology, embedding)

    def draw(self, step=1, format="svg", network=None, embed="rowmajor"):  # pylint: disable=redefined-builtin
        """A picture of a step, 0 being the beginning; `format` svg, png, pdf, dot or tex."""
        schedule, names, options, _kept = self._drawn_on(network, embed)
        return results.Picture(bytes_of(call_g(lib.tg_draw_step, schedule, names, options, step, format.encode())), format)

    def animate(self, format="svg", network=None, embed="rowmajor"):  # pylint: disable=redefined-builtin
        """All steps as one moving picture, svg or gif."""
        schedule, names, options, _kept = self._drawn_on(network, embed)
        return results.Picture(bytes_of(call_g(lib.tg_draw_animation, schedule, names, options, format.encode())), format)

    def page(self, step=0, size=4096, machine=DEFAULT_MACHINE):
        """The interactive page as HTML, a file that needs no other. `size` and `machine` are for its predictions."""
        schedule, names, options, _kept = self._drawn_on(None, "rowmajor")
        text, machine_file = self.text.encode(), machine_text(machine)
        kept = [ffi.from_buffer(text), ffi.new("char[]", machine_file), ffi.new("char[]", text_of(lib.tg_schedule_grid_text(schedule).s).encode())]
        values = [ffi.new("char[]", f"{name}={value}".encode()) for name, value in self.parameters.items()] + [ffi.NULL]
        given = ffi.new("char *[]", values)
        shown = ffi.new("TgPageSchedule *", {"schedule": schedule, "names": names, "options": options, "text": kept[0], "length": len(text), "grid": kept[2]})
        shown.set = given
        m, n, k = sizes_of(size)
        on = ffi.new("TgPageOptions *", {"step": step, "m": m, "n": n, "k": k, "element_bytes": 4, "machine": kept[1]})
        return bytes_of(call_g(lib.tg_page_html, shown, 1, on)).decode()

    def _repr_html_(self):
        if self.grid is None and not self.parameters:
            return f"<pre>{html.escape(self.text)}</pre>"
        return f'<iframe srcdoc="{html.escape(self.page())}" style="width: 100%; height: 760px; border: 0" title="{html.escape(self.name)}"></iframe>'


class Run:
    """Steps a schedule on matrices.

    >>> run = Schedule.load("cannon", grid="2x2").step(A, B)
    >>> for step in run:
    ...     print(step.label, run.block((0, 0), "A"))
    >>> C = run.result()
    """

    def __init__(self, schedule, a, b, collective):
        self.schedule = schedule
        a, b = numpy.asarray(a), None if b is None else numpy.asarray(b)
        dtype = numpy.result_type(a, a if b is None else b)
        dtype = dtype if dtype.name in ELEMENTS else numpy.dtype("float64")
        self.a = numpy.ascontiguousarray(a, dtype)
        self.b = None if b is None else numpy.ascontiguousarray(b, dtype)
        if self.a.ndim != 2 or (self.b is not None and self.b.ndim != 2):
            raise Error("A and B have two dimensions each")
        shape = ffi.new("TgShape *")
        computes = ffi.addressof(schedule._bound(), "computes")
        call_g(lib.tg_shape_from_matrices, shape, computes, *self.a.shape, *(self.b.shape if self.b is not None else (0, 0)))
        self._shape = (shape.m, shape.n)
        self._problem = schedule._open((shape.m, shape.n, shape.k), dtype.name)
        options = ffi.new("TgStepperOptions *", {"keep_history": True})
        options.collective = parsed(lib.tg_collective_parse, "TgCollective", collective)
        data = [ffi.NULL if one is None else ffi.from_buffer(one) for one in (self.a, self.b)]
        self._stepper = ffi.gc(call_g(lib.tg_problem_step, self._problem, options, *data), lib.tg_stepper_free)
        self._kept = data

    @property
    def index(self):
        """Of the last step that was executed; 0 at the beginning."""
        return lib.tg_stepper_position(self._stepper)

    def __len__(self):
        """How many steps there are."""
        return lib.tg_stepper_steps(self._stepper)

    def __iter__(self):
        return self

    def __next__(self):
        if call_g(lib.tg_stepper_next, self._stepper) == lib.TG_PROGRESS_END:
            raise StopIteration
        return self.now

    @property
    def now(self):
        """The last step."""
        counts = lib.tg_stepper_counts(self._stepper)
        return results.Step(self.index, text_of(lib.tg_stepper_label(self._stepper)), counts.messages, counts.bytes, counts.products)

    def back(self):
        """Undoes a step, exactly."""
        call_g(lib.tg_stepper_back, self._stepper)
        return self.now

    def seek(self, step):
        """Goes to the end of a step, forward or back."""
        call_g(lib.tg_stepper_seek, self._stepper, step)
        return self.now

    def block(self, processor, buffer, index=0):
        """What a processor, (0, 1) or its number, holds in a slot such as A or T[1]: a copy, or None if it is empty."""
        schedule, names = self.schedule._bound(), lib.tg_problem_names(self.schedule._problem)
        buffers = [text_of(lib.tg_name(names, names.buffer[at])) for at in range(schedule.buffers)]
        if buffer not in buffers:
            raise Error(f"no buffer `{buffer}`; the schedule has {', '.join(buffers)}")
        extents = tuple(schedule.extent[0:schedule.dims])
        rank = int(numpy.ravel_multi_index(processor, extents)) if hasattr(processor, "__iter__") else processor
        if not 0 <= rank < math.prod(extents):
            raise Error(f"no processor {rank} on a grid of {math.prod(extents)}")
        block = ffi.new("TgBlock *")
        if not lib.tg_stepper_slot(self._stepper, rank, buffers.index(buffer), index, block):
            return None
        if block.data == ffi.NULL:  # what `zero X` leaves
            return numpy.zeros((block.rows, block.columns), self.a.dtype)
        reach = 1 + (block.rows - 1) * block.row_stride + (block.columns - 1) * block.column_stride
        size = self.a.itemsize
        flat = numpy.frombuffer(ffi.buffer(ffi.cast("char *", block.data), reach * size), self.a.dtype)
        strides = (block.row_stride * size, block.column_stride * size)
        return numpy.lib.stride_tricks.as_strided(flat, (block.rows, block.columns), strides).copy()

    def result(self):
        """Runs what is left of it, and returns C."""
        self.seek(len(self))
        c = numpy.empty(self._shape, self.a.dtype)
        call_g(lib.tg_stepper_result, self._stepper, ffi.from_buffer(c, require_writable=True), 0)
        return c

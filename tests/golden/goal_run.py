"""Runs a GOAL file by the rules of LogGOPSim (T. Hoefler, T. Schneider, A. Lumsdaine, HPDC 2010) with O = 0 and all messages
eager. All times are whole nanoseconds. Where a processor could begin several things at one instant, LogGOPSim takes the one
that it created first. Here sends come first, in the order of the file, and calc next. Then come messages that have arrived,
sorted by arrival, tag and sender; what waited for a calc comes after these."""
import collections
import heapq

ARRIVES, LOOKS = 0, 1


class Processor:
    """One rank: when it and its network interface are free, and what there is to do."""

    def __init__(self, operations):
        self.operations, self.waits = operations, [len(set(operation.waits)) for operation in operations]
        self.follows = collections.defaultdict(list)
        for number, operation in enumerate(operations):
            for before in set(operation.waits):
                self.follows[before].append(number)
        self.ready = sorted(number for number, count in enumerate(self.waits) if count == 0)
        self.posted, self.early = {}, set()
        self.free = self.send = self.receive = 0
        self.arrived, self.begun, self.calculated = collections.deque(), [], None

    def finish(self, number):
        """The operation is done: what waited for it may begin."""
        for after in self.follows[number]:
            self.waits[after] -= 1
            if self.waits[after] == 0:
                self.ready.append(after)
        self.ready.sort()

    def post(self):
        """Takes the receives off the list; those whose messages are there are done at once. False where there are none."""
        receives = [number for number in self.ready if self.operations[number].kind == "recv"]
        self.ready = [number for number in self.ready if number not in receives]
        for number in receives:
            key = (self.operations[number].peer, self.operations[number].tag)
            if key in self.early:
                self.finish(number)
            else:
                self.posted[key] = number
        return bool(receives)


def run(ranks, o, g, L, G):
    """The time in ns at which each rank is done. `ranks` as goal_check.parse() returns them."""
    processors = [Processor(operations) for operations in ranks]
    queue = [(0, LOOKS, 0, rank, rank, 0) for rank in range(len(ranks))]

    def look(rank, now):
        """All that the processor can begin at `now`."""
        one = processors[rank]
        while one.free <= now:
            for what in one.begun:
                if isinstance(what, int):
                    one.finish(what)
                elif what in one.posted:
                    one.finish(one.posted.pop(what))
                else:
                    one.early.add(what)
            if one.begun or one.post():
                one.begun = []
                continue
            calc = next((number for number in one.ready if one.operations[number].kind == "calc"), None)
            send = next((number for number in one.ready if one.operations[number].kind == "send"), None)
            if send is not None and one.send <= now:
                size, to = one.operations[send].size, one.operations[send].peer
                one.ready.remove(send)
                one.begun, one.free, one.send = [send], now + o, now + g + (size - 1) * G
                heapq.heappush(queue, (now + o + L, ARRIVES, one.operations[send].tag, rank, to, size))
            elif calc is not None and one.calculated is None:
                one.ready.remove(calc)
                one.calculated, one.free = calc, now + one.operations[calc].size
            elif one.arrived and one.receive <= now:
                source, tag, size = one.arrived.popleft()
                one.begun, one.free, one.receive = [(source, tag)], now + (size - 1) * G + o, now + g + (size - 1) * G
            elif one.calculated is not None:
                one.begun, one.calculated = [one.calculated], None
            else:
                times = [one.receive] * bool(one.arrived) + [one.send] * (send is not None)
                if times:
                    heapq.heappush(queue, (min(times), LOOKS, 0, rank, rank, 0))
                return
        heapq.heappush(queue, (one.free, LOOKS, 0, rank, rank, 0))

    while queue:
        now, kind, tag, source, rank, size = heapq.heappop(queue)
        if kind == ARRIVES:
            processors[rank].arrived.append((source, tag, size))
            heapq.heappush(queue, (now, LOOKS, 0, rank, rank, 0))
        else:
            look(rank, now)
    for rank, one in enumerate(processors):
        assert not one.ready and not one.posted and not one.arrived and not any(one.waits), f"rank {rank} is not done"
    return [one.free for one in processors]

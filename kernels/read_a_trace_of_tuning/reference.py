import json
import math

import torch

from tutor.base.paths import course_root
from tutor.judge.spec import Case, Work

FAILED = 1e10
UNROLL = "meta_schedule.unroll_explicit"
LOOPS = 16
PARTS = ("number of records", "number that failed", "mean time", "step limit of unrolling")


class Played:
    """The loops around C as numbers, while instructions are played. `change` names a mistake."""

    def __init__(self, trace, arguments, change=""):
        (self.instructions, decisions), self.change = trace, change
        self.decisions = dict(decisions)
        (rows, terms), (_, columns) = arguments[0][2], arguments[1][2]
        self.extents = [rows, columns, terms]
        if change == "order":
            self.extents = [rows, terms, columns]
        self.nest, self.names, self.unroll = [0, 1, 2], {}, 0
        for place, instruction in enumerate(self.instructions):
            if instruction[0] == "EnterPostproc" and change != "on":
                break
            self.step(place, *instruction)

    def new(self, extent):
        self.extents.append(int(extent))
        return len(self.extents) - 1

    def value(self, given):
        return self.names.get(given, given) if isinstance(given, str) else given

    def step(self, place, kind, inputs, attributes, outputs):
        if kind == "GetLoops":
            self.names |= dict(zip(outputs, self.nest, strict=True))
        elif kind == "SamplePerfectTile":
            self.names |= dict(zip(outputs, self.decisions[place], strict=True))
        elif kind == "SampleCategorical":
            at = self.decisions[place]
            self.names[outputs[0]] = at if self.change == "place" else attributes[0][at]
        elif kind == "Annotate" and attributes[0] == UNROLL:
            self.unroll = self.value(inputs[1])
        elif kind == "Split":
            loop, factors = self.names[inputs[0]], [self.value(f) for f in inputs[1:]]
            rest = self.extents[loop] // math.prod(f for f in factors if f != "None")
            rest = 1 if self.change == "rest" else rest
            made = [self.new(rest if f == "None" else f) for f in factors]
            at = self.nest.index(loop)
            self.nest[at : at + 1] = made
            self.names |= dict(zip(outputs, made, strict=True))
        elif kind == "Reorder":
            loops = [self.names[name] for name in inputs]
            if self.change == "front":
                self.nest = loops + [loop for loop in self.nest if loop not in loops]
            else:
                waiting = iter(loops)
                self.nest = [next(waiting) if loop in loops else loop for loop in self.nest]
        elif kind == "Fuse" and self.change != "fuse":
            loops = [self.names[name] for name in inputs]
            made = self.new(math.prod(self.extents[loop] for loop in loops))
            at = self.nest.index(loops[0])
            self.nest[at : at + len(loops)] = [made]
            self.names[outputs[0]] = made


def mean(seconds):
    return sum(seconds) / len(seconds)


RANKS = {
    "fastest": min,
    "median": lambda seconds: sorted(seconds)[len(seconds) // 2],
    "warm": lambda seconds: mean(seconds[1:] or seconds),
}


def surveyed(records, workload, change=""):
    """The numbers asked for. `change` names a mistake."""
    parsed = [json.loads(line) for line in records.splitlines() if line.strip()]
    own = [record for number, record in parsed if number == workload or change == "all"]
    ran = [record for record in own if record[1] != [FAILED]]
    best = min(ran, key=lambda record: RANKS.get(change, mean)(record[1]))
    played = Played(best[0], best[3], change)
    extents = [played.extents[loop] for loop in played.nest]
    if change == "inner":
        extents.reverse()
    extents += [0] * (LOOPS - len(extents))
    return torch.tensor(
        [len(own), len(own) - len(ran), 1e6 * mean(best[1]), played.unroll, *extents],
        dtype=torch.float64,
    )


def reference(records, workload):
    return surveyed(records, workload)


eager = reference


def by_mistake(change):
    def give(records, workload):
        try:
            return surveyed(records, workload, change)
        except (KeyError, ValueError, IndexError):  # this mistake cannot be made on this trace
            return surveyed(records, workload)

    return give


NEAR_MISSES = (
    ("the records of all programs are counted and ranked", by_mistake("all")),
    ("the best record is the one with the fastest run", by_mistake("fastest")),
    ("records are ranked by the median of their runs", by_mistake("median")),
    ("the first run of a record does not count for its rank", by_mistake("warm")),
    ("the place of an option is taken for the option", by_mistake("place")),
    ("the factor `None` is 1", by_mistake("rest")),
    ("`Reorder` puts its loops before all others", by_mistake("front")),
    ("`Fuse` leaves its loops as they are", by_mistake("fuse")),
    ("the three loops have n, k and m turns at first", by_mistake("order")),
    ("the trace is played on behind `EnterPostproc`", by_mistake("on")),
    ("the loops stand from the innermost out", by_mistake("inner")),
)


def explain_wrong(got, records, workload):
    """Say which of the numbers is the first that differs."""
    want = reference(records, workload)
    at = next((k for k in range(len(want)) if not torch.isclose(got[k], want[k])), None)
    if at is None:
        return None
    part = PARTS[at] if at < 4 else f"extent of loop {at - 4} from outside"
    return f"Element {at}, the {part}, is {got[at]:g}, not {want[at]:g}."


def work(records, workload):
    return Work(bytes=len(records), flops=0)


class Writer:
    """Writes the trace of a schedule of a product, and keeps the loops to take only legal steps."""

    def __init__(self, g, block=0, root_first=False):
        self.g, self.number = g, 0
        self.sizes = [2 ** self.dice(2, 6) * 3 ** self.dice(0, 1) for _ in "nmk"]
        self.nest = list(self.sizes)  # extents; steps are taken at places of this list
        self.lines, self.decisions, self.names = [], [], []
        self.number = block
        self.block = None
        for name in ("root", "C") if root_first else ("C", "root"):
            made = self.name("b")
            self.lines.append(["GetSBlock", [], [name, "main"], [made]])
            self.block, self.root = (made, self.root if root_first else "") if name == "C" else (
                self.block, made)  # fmt: skip
        self.ask()

    def dice(self, low, high):
        return int(torch.randint(low, high + 1, (1,), generator=self.g, device=self.g.device))

    def pick(self, things):
        return things[self.dice(0, len(things) - 1)]

    def name(self, letter):
        self.number += 1
        return f"{letter}{self.number - 1}"

    def ask(self):
        """Name the loops. Where they have names, later steps use an old name or a new one of each."""
        new = [self.name("l") for _ in self.nest]
        self.lines.append(["GetLoops", [self.block], [], new])
        self.names = [self.pick(pair) for pair in zip(self.names or new, new, strict=True)]

    def factors(self, extent, parts):
        found = []
        for _ in range(parts - 1):
            found.append(self.pick([n for n in range(1, extent + 1) if extent % n == 0]))
            extent //= found[-1]
        found.append(extent)
        return [found[at] for at in torch.randperm(parts, generator=self.g).tolist()]

    def split(self, at=None, *, parts=2, sampled=True, rest=False):
        """Split a loop by sampled factors, or by numbers, one of which may be `None`."""
        at = self.dice(0, len(self.nest) - 1) if at is None else at
        factors = self.factors(self.nest[at], parts)
        given = list(factors)
        if sampled:
            given = [self.name("v") for _ in factors]
            self.decisions.append([len(self.lines), factors])
            self.lines.append(["SamplePerfectTile", [self.names[at]], [parts, 64], list(given)])
        elif rest:
            given[factors.index(max(factors))] = "None"
        made = [self.name("l") for _ in factors]
        self.lines.append(["Split", [self.names[at], *given], [1, 0], list(made)])
        self.nest[at : at + 1], self.names[at : at + 1] = factors, made

    def reorder(self, count):
        """Let some loops change places."""
        places = torch.randperm(len(self.nest), generator=self.g).tolist()[:count]
        into = sorted(places)
        if places == into:
            places.reverse()
        self.lines.append(["Reorder", [self.names[at] for at in places], [], []])
        moved = [(self.nest[at], self.names[at]) for at in places]
        for at, (extent, name) in zip(into, moved, strict=True):
            self.nest[at], self.names[at] = extent, name

    def fuse(self, count=2):
        at = self.dice(0, len(self.nest) - count)
        made = self.name("l")
        self.lines.append(["Fuse", self.names[at : at + count], [1], [made]])
        self.nest[at : at + count] = [math.prod(self.nest[at : at + count])]
        self.names[at : at + count] = [made]

    def category(self, key, options=(0, 16, 64, 512), on=None, least=1):
        """Annotate an option that is sampled."""
        chosen = self.name("v")
        self.decisions.append([len(self.lines), self.dice(least, len(options) - 1)])
        chances = [1 / len(options)] * len(options)
        self.lines.append(["SampleCategorical", [], [list(options), chances], [chosen]])
        self.annotate(key, chosen, on)

    def annotate(self, key, value, on=None):
        self.lines.append(["Annotate", [on or self.block, value], [key], []])

    def beside(self):
        """Steps that leave the loops around C as they are."""
        self.lines.append(["GetConsumers", [self.block], [], []])
        copy = self.name("b")
        self.lines.append(["CacheWrite", [self.block, []], [0, "global"], [copy]])
        self.lines.append(["ReverseComputeAt", [copy, self.pick(self.names)], [1, -1], []])
        self.lines.append(["Vectorize", [self.names[-1]], [], []])

    def leave(self):
        """What TVM adds behind the space: the steps that annotations asked for."""
        self.lines.append(["EnterPostproc", [], [], []])
        before, names = list(self.nest), list(self.names)
        again = self.name("b")
        self.lines.append(["GetSBlock", [], ["C", "main"], [again]])
        loops = [self.name("l") for _ in self.nest]
        self.lines.append(["GetLoops", [again], [], loops])
        fused = self.name("l")
        self.lines.append(["Fuse", loops[:2], [1], [fused]])
        self.lines.append(["Parallel", [fused], [], []])
        self.annotate(UNROLL, 7)
        self.nest, self.names = before, names

    def record(self, seconds):
        n, m, k = self.sizes
        order = torch.randperm(len(self.decisions), generator=self.g).tolist()
        tensors = [["TENSOR", "float32", size] for size in ([n, k], [k, m], [n, m])]
        target = {"keys": ["cpu"], "kind": "llvm", "num-cores": 2, "tag": ""}
        trace = [self.lines, [self.decisions[at] for at in order]]
        return [trace, seconds, target, tensors]


def runs(g, low=1.0, high=90.0, count=3):
    """Times of runs in seconds, of which all are near the first."""
    base = low + (high - low) * float(torch.rand(1, generator=g, device=g.device))
    more = torch.rand(count, generator=g, device=g.device).tolist()
    return [round(1e-6 * base * (1 + 0.02 * each), 10) for each in more]


def usual(writer):
    """A trace as a sketch of TVM makes it, with fewer parts."""
    writer.annotate("meta_schedule.tiling_structure", '"SRS"')
    for at in (4, 2, 0):
        writer.split(min(at, len(writer.nest) - 1))
    writer.reorder(len(writer.nest))
    writer.annotate("meta_schedule.parallel", 32, writer.root)
    writer.category(UNROLL, on=writer.root)
    writer.leave()


def plain(writer):
    """A space of somebody's own: no postprocessing, no sampled option."""
    writer.split(1, parts=3)
    writer.reorder(2)
    writer.annotate("pragma_auto_unroll_max_step", 16)


def numbers(writer):
    writer.split(2, sampled=False)
    writer.split(0, parts=3, sampled=False, rest=True)
    writer.reorder(3)
    writer.split(None, sampled=False, rest=True)
    writer.annotate(UNROLL, 64, writer.root)
    writer.leave()


def gaps(writer):
    for _ in range(3):
        writer.split(None)
    writer.reorder(2)
    writer.reorder(3)
    writer.leave()


def fused(writer):
    writer.split(0, parts=3)
    writer.reorder(3)
    writer.fuse()
    writer.split(None)
    writer.fuse(3)
    writer.leave()


def renamed(writer):
    writer.split(1, parts=3)
    writer.reorder(4)
    writer.ask()
    writer.fuse()
    writer.ask()
    writer.split(0)
    writer.ask()
    writer.reorder(2)
    writer.category(UNROLL)


def options(writer):
    writer.category("meta_schedule.thread_extent_low_inclusive", (32, 64, 128))
    writer.split(2)
    writer.category(UNROLL, (0, 8, 24, 100))
    writer.category("meta_schedule.vectorize", (4, 8, 32), writer.root)
    writer.leave()


def by_dice(writer):
    for _ in range(writer.dice(4, 9)):
        step, parts = writer.dice(0, 7), writer.dice(2, 4)
        if step < 3:
            if len(writer.nest) + parts <= LOOPS:
                writer.split(None, parts=parts, sampled=step < 2, rest=writer.dice(0, 1))
        elif step == 3 and len(writer.nest) > 4:
            writer.fuse(writer.dice(2, 3))
        elif step == 4:
            writer.ask()
        elif step == 5:
            writer.beside()
        else:
            writer.reorder(writer.dice(2, min(4, len(writer.nest))))
    if writer.dice(0, 2):
        writer.category(UNROLL, (24, 16, 64, 512), least=0)
    if writer.dice(0, 1):
        writer.leave()


def file(steps, *, best=None, failed=0, others=0, count=4, slow=False, block=0):
    """A file with `count` records of the program, whose times are drawn or `best`."""

    def make(g):
        def draw(low, high):
            return int(torch.randint(low, high + 1, (1,), generator=g, device=g.device))

        program = draw(0, 5)
        times = [list(each) for each in best or ()]
        while len(times) < count:
            times.append([1e6 * t for t in runs(g)] if slow else runs(g, count=draw(1, 5)))
        times += [[FAILED]] * failed
        rows = []
        for seconds in times:
            writer = Writer(g, block=block, root_first=bool(block))
            steps(writer)
            rows.append([program, writer.record(seconds)])
        for _ in range(others):
            writer = Writer(g)
            usual(writer)
            number = (program + draw(1, 5)) % 6
            rows.append([number, writer.record([FAILED] if draw(0, 3) == 0 else runs(g, 0.1, 0.9))])
        order = torch.randperm(len(rows), generator=g).tolist()
        return "".join(json.dumps(rows[at]) + "\n" for at in order), program

    return make


def microseconds(*rows):
    return [[1e-6 * each for each in row] for row in rows]


def recorded(g):
    """What a search of TVM left; `tests/content/record_tuning.py` makes it."""
    return (course_root() / "lessons" / "recorded" / "tuning.jsonl").read_text("utf-8"), 0


CASES = (
    Case("one record", file(usual, count=1)),
    Case("four records in any order", file(usual)),
    Case("some failed", file(usual, failed=3)),
    Case("other programs between them", file(usual, others=6, failed=1)),
    Case("one slow run", file(usual, best=microseconds(
        [5, 5, 5, 30], [9, 9.1, 9, 9.2], [25, 8, 7.5, 7]), count=3)),
    Case("a slow first run", file(gaps, best=microseconds(
        [40, 6, 6.1], [11, 11.2, 11.4], [10.9, 11.5, 11.6]), count=3, others=2)),
    Case("each run takes seconds", file(usual, slow=True, failed=2)),
    Case("a space of somebody's own", file(plain)),
    Case("factors in numbers, and the rest", file(numbers)),
    Case("some loops change places", file(gaps)),
    Case("loops become one", file(fused)),
    Case("loops get second names", file(renamed)),
    Case("several options", file(options)),
    Case("blocks by other names", file(usual, block=40, others=2)),
    *(Case(f"by dice, {n}", file(by_dice, failed=n % 3, others=n, block=n % 2 * 9))
      for n in range(1, 7)),
    Case("what a search of TVM left", recorded),
)  # fmt: skip

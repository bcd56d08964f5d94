"""The sums in a kernel's TTIR, and the dtypes in which they are added up; all that computes in
float64. Pure.

A sum is a value that comes back to itself through an addition (a loop's accumulator: in the graph of
values, with each loop's results led back to its arguments, a strongly connected component), a
`tt.dot`, a reduction or scan that adds, or an atomic addition.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

OTHER = {"f16": "float16", "bf16": "bfloat16", "f64": "float64"}

_NAME = re.compile(r"%[\w$.-]+(?:#\d+)?")
_RESULT = re.compile(r"\s*(%[\w$.-]+)(?::(\d+))? = (.*)")
_FLOAT = re.compile(r"(?:^|[^\w])(?:tensor<[\dx]*x)?(b?f16|f64)(?![\w])")
_INIT = re.compile(
    r"(%[\w$.-]+) = (%[\w$.-]+(?:#\d+)?)"
)  # an argument of a loop, and its first value
_FLOATS = re.compile(r" = (?:arith\.(?:addf|subf|mulf|divf|remf|negf|minnumf|maxnumf)|math\.\w+) ")
_ADDS = re.compile(r"^(?:arith\.(?:addf|subf)|math\.fma|tt\.dot)\b")


@dataclass(frozen=True)
class OtherSum:
    """A sum in a dtype of 16 or 64 bits. `row`: its line of the text, from 0. `what`: "accumulator",
    "product", "reduction" or "atomic addition"; "operation" is any other one on float64."""

    row: int
    dtype: str
    what: str


@dataclass
class _Graph:
    """Values by number: what each is made of, its dtype if not float32, and if it is an addition."""

    uses: list[list[int]] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    other: list[str] = field(default_factory=list)
    adds: list[bool] = field(default_factory=list)

    def define(self, row: int, other: str = "", adds: bool = False) -> int:
        self.uses.append([])
        self.rows.append(row)
        self.other.append(other)
        self.adds.append(adds)
        return len(self.uses) - 1


def find_other_sums(ttir: str) -> tuple[OtherSum, ...]:
    """Return the sums of a TTIR text in another dtype than float32, in the order of its lines; if
    there is none, the operations on float64."""
    rows = ttir.split("\n")
    found = {loop.row: loop for loop in _accumulators(_Reader(rows).graph)}
    for at_once in _sums_at_once(rows):
        found.setdefault(at_once.row, at_once)
    if found:
        return tuple(found[row] for row in sorted(found))
    return tuple(
        OtherSum(number, "float64", "operation")
        for number, row in enumerate(rows)
        if _FLOATS.search(row) and _dtype(row) == "float64"
    )


def _sums_at_once(rows: list[str]) -> Iterator[OtherSum]:
    """Products of tiles, reductions, scans and atomic additions."""
    begun = 0  # the row of the reduction or scan whose region is open
    for number, row in enumerate(rows):
        if '"tt.reduce"' in row or '"tt.scan"' in row:
            begun = number
        dtype = _dtype(row)
        if not dtype:
            continue
        if " = tt.dot " in row:
            yield OtherSum(number, dtype, "product")
        elif " = tt.atomic_rmw fadd" in row:
            yield OtherSum(number, dtype, "atomic addition")
        elif begun and " = arith.addf " in row and re.search(r": (?:b?f16|f64)$", row):
            yield OtherSum(begun, dtype, "reduction")
        if "tt.reduce.return" in row or "tt.scan.return" in row:
            begun = 0


def _dtype(row: str) -> str:
    """Return the name of the dtype, if not float32, of a line's results, or ""."""
    types = row.rpartition(" : ")[2]
    match = _FLOAT.search(types.rpartition(" -> ")[2] if " -> " in types else types)
    if " to " in types:  # of a conversion
        match = _FLOAT.search(types.rpartition(" to ")[2])
    return OTHER[match[1]] if match else ""


@dataclass
class _Region:
    """A region that is open: the values of its loop's arguments and of its operation's results."""

    carried: list[int] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)


class _Reader:
    """Reads the values of a text into `graph`. A name means the value that was defined last in the
    regions that are open."""

    def __init__(self, rows: list[str]) -> None:
        self.graph = _Graph()
        self._regions = [_Region()]
        for number, row in enumerate(rows):
            self._read(number, row)

    def _read(self, number: int, row: str) -> None:
        text = row.strip()
        opened = self._close(text) if text.startswith("}") else None
        match = _RESULT.match(row)
        body = match[3] if match else text
        results = self._define_results(number, row, match) if match else []
        if text.endswith("{") and opened is None:
            opened = self._open(number, body, results)
        if opened is not None:
            self._regions.append(opened)
        region = self._regions[-1]
        if text.startswith("^") and region.carried:  # the second region of a `while`
            region.names |= zip(_NAME.findall(text), region.carried, strict=False)
        elif text.startswith("scf.yield"):
            self._lead(self._known(text), region.carried)
            self._lead(self._known(text), region.results)
        elif text.startswith("scf.condition"):
            self._lead(self._known(text)[1:], region.results)

    def _close(self, text: str) -> _Region | None:
        """Close a region; return the next one of the same operation (`} else {`, `} do {`)."""
        closed = self._regions.pop() if len(self._regions) > 1 else self._regions[0]
        return _Region(closed.carried, closed.results) if text.endswith("{") else None

    def _define_results(self, number: int, row: str, match: re.Match[str]) -> list[int]:
        name, count, body = match[1], int(match[2] or 1), match[3]
        dtype, used = _dtype(row) if count == 1 else "", self._known(body)
        results = []
        for at in range(count):
            value = self.graph.define(number, dtype, bool(_ADDS.match(body)))
            if "scf." not in body:  # else it is what its regions yield
                self.graph.uses[value] += used
            self._regions[-1].names[name if count == 1 else f"{name}#{at}"] = value
            results.append(value)
        return results

    def _open(self, number: int, body: str, results: list[int]) -> _Region:
        """Open the first region of an operation, with the arguments of a loop."""
        region = _Region(results=results)
        for own, init in _INIT.findall(body) if "scf." in body else ():
            value = self.graph.define(number)
            self.graph.uses[value] += self._known(init)
            region.names[own] = value
            if f"scf.for {own} " not in body:  # the number of the step is not carried
                region.carried.append(value)
        return region

    def _lead(self, values: list[int], targets: list[int]) -> None:
        for value, target in zip(values, targets, strict=False):
            self.graph.uses[target].append(value)

    def _known(self, text: str) -> list[int]:
        found = []
        for name in _NAME.findall(text):
            region = next((r for r in reversed(self._regions) if name in r.names), None)
            if region is not None:
                found.append(region.names[name])
        return found


def _accumulators(graph: _Graph) -> Iterator[OtherSum]:
    """Yield the first value in another dtype of each component with an addition."""
    for component in _components(graph.uses):
        others = sorted(value for value in component if graph.other[value])
        if others and any(graph.adds[value] for value in component):
            adding = [value for value in others if graph.adds[value]] or others
            yield OtherSum(graph.rows[adding[0]], graph.other[adding[0]], "accumulator")


def _components(uses: list[list[int]]) -> Iterator[list[int]]:
    """Yield the strongly connected components of more than one value (Tarjan, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    for root in range(len(uses)):
        if root in order:
            continue
        work = [(root, iter(uses[root]))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            value, left = work[-1]
            for used in left:
                if used not in order:
                    order[used] = low[used] = len(order)
                    stack.append(used)
                    on_stack.add(used)
                    work.append((used, iter(uses[used])))
                    break
                if used in on_stack:
                    low[value] = min(low[value], order[used])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[value])
                if low[value] == order[value]:
                    component = []
                    while (last := stack.pop()) != value:
                        on_stack.discard(last)
                        component.append(last)
                    on_stack.discard(value)
                    if component:
                        yield [*component, value]

"""The stages that an X-ray has produced so far, in the ladder's order, and the links between lines.

No screen in here.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from tutor.xray.model.compiler import COMPILERS, INDUCTOR, SHARED, place_of
from tutor.xray.model.counts import Counts
from tutor.xray.model.stages import Event, Failure, Link, Stage
from tutor.xray.triton_kernels.line_links import MOST_PAIRS

# The function's stages that there is one of for each graph of Dynamo.
_NAMES = INDUCTOR.names
_OF_A_GRAPH = ("dynamo", "guards", *_NAMES[_NAMES.index("joint") : _NAMES.index("wrapper") + 1])
_GRAPH = re.compile(r"graph(\d+)")
# The note says the line of the file; the source's stage counts its own.
_BREAKS = {
    "breaks_at_line": re.compile(r"It ends at a graph break\. (?:Line \d+: )?(.*)", re.DOTALL),
    "begins_after_line": re.compile(r"It begins after a graph break\. Line \d+: (.*)", re.DOTALL),
}
OWN = "your own"
MOST_LIT = 20_000  # lines: a limit for the links of a header line in a huge text

# Key of a stage -> key of a neighbour -> line -> lines of the neighbour; lines count from 1.
_Ties = dict[str, dict[str, dict[int, list[int]]]]


class Ladder:
    """Stages by key, kernels in the order in which they came, and the links between lines."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.target = ""  # the GPU it was lowered for
        self.stages: dict[str, Stage] = {}
        self.failures: list[Failure] = []
        self.missing: set[str] = set()  # keys of stages that hold the sentence of their failure
        self._links: list[Link] = []
        self._down: _Ties = {}
        self._up: _Ties = {}
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        if isinstance(event, Stage):
            self.stages[event.key] = event
            self.missing.discard(event.key)
        elif isinstance(event, Failure):
            self._fail(event)
        elif isinstance(event, Link):
            self._link(event)

    def _fail(self, failure: Failure) -> None:
        """Put the sentence where the stage would stand, if it is not there."""
        self.failures.append(failure)
        key = failure.stage
        place = _read_key(key)
        if place is None or (key in self.stages and key not in self.missing):
            return
        compiler, name, kernel = place
        said = [f.sentence for f in self.failures if f.stage == key]
        text = "\n".join((f"There is no {key.replace(':', ' of ')}.", *said))
        self.stages[key] = Stage(
            name, f"There is no {name}", "", text, kernel=kernel, compiler=compiler
        )
        self.missing.add(key)

    @property
    def made(self) -> list[Stage]:
        """The stages that are there."""
        return [stage for key, stage in self.stages.items() if key not in self.missing]

    @property
    def unplaced(self) -> list[Failure]:
        """The failures that no stage stands for."""
        return [failure for failure in self.failures if failure.stage not in self.missing]

    def breaks(self) -> dict[int, str]:
        """Line of the source -> the sentence of the graph break there."""
        sentences: dict[int, str] = {}
        for stage in self.stages.values():
            if stage.name != "dynamo":
                continue
            for count, note_of in _BREAKS.items():
                line = dict(stage.counts).get(count)
                said = [match[1] for note in stage.notes if (match := note_of.fullmatch(note))]
                if line and said:
                    sentences.setdefault(int(line), said[0])
        return sentences

    def sections(self) -> dict[str, str]:
        """Stage -> the graph that it belongs to, in words, or "".

        There are several where Dynamo broke the function, where kernels compute a gradient, and
        where the function launches kernels of its own. Of several compilers each is a section.
        """
        own = {key: stage for key, stage in self.stages.items() if stage.compiler == INDUCTOR.name}
        compilers = {stage.compiler for stage in self.stages.values() if not is_shared(stage)}
        sections = self._sections_of_inductor(own)
        if len(compilers) > 1 and not any(sections.values()):
            sections = {key: "" if is_shared(own[key]) else INDUCTOR.name for key in own}
        for key, stage in self.stages.items():
            if key not in own:
                sections[key] = stage.compiler if len(compilers) > 1 else ""
        return sections

    def _sections_of_inductor(self, stages: dict[str, Stage]) -> dict[str, str]:
        several = len({_graph_number(s) for s in stages.values() if s.name in _OF_A_GRAPH}) > 1
        kernels = {kernel: self._graph_of(kernel, several) for kernel in _kernels_of(stages)}
        if len(set(kernels.values())) == 1 and not several:
            return dict.fromkeys(stages, "")
        graphs = {}
        for key, stage in stages.items():
            if kernel_of(stage):
                graphs[key] = kernels[stage.kernel]
            else:
                split = several and stage.name in _OF_A_GRAPH
                graphs[key] = f"graph {_graph_number(stage)}" if split else ""
        return graphs

    def _graph_of(self, kernel: str, several: bool) -> str:
        key = f"triton:{kernel}"
        above = [stage for stage in self._up.get(key, ()) if stage.startswith("ir_post_fusion")]
        stage = self.stages.get(above[0] if above else key)
        if stage is None or (not above and "Inductor" not in stage.title):
            return OWN
        if several:
            return f"graph {_graph_number(stage)}"
        return "backward" if stage.kernel.endswith("backward") else "forward"

    def events(self) -> list[Event]:
        """All that was added: stages that are there, failures, links."""
        return [*self.made, *self.failures, *self._links]

    def _link(self, link: Link) -> None:
        self._links.append(link)
        _tie(self._down, link.source, link.source_line, link.target, link.target_line)
        _tie(self._up, link.target, link.target_line, link.source, link.source_line)

    @property
    def kernels(self) -> tuple[str, ...]:
        return _kernels_of(self.stages)

    @property
    def compilers(self) -> tuple[str, ...]:
        """The names of the compilers that have a stage here, in the order of `COMPILERS`."""
        names = {stage.compiler for stage in self.stages.values() if not is_shared(stage)}
        return tuple(name for name in COMPILERS if name in names)

    def order_stages(self) -> list[Stage]:
        """The function's stages, then those of each kernel, in the compiler's order; then the logs.

        Of several graphs, each has its stages and kernels together, and so has each compiler."""
        kernels = {kernel: i for i, kernel in enumerate(("", *self.kernels))}
        sections = self.sections()

        def place(stage: Stage) -> tuple[int, bool, bool, int, int, int]:
            compiler, rank = place_of(stage)
            section = sections[stage.key]
            graph = int(section.removeprefix("graph ")) if section.startswith("graph ") else 0
            kernel = kernels[kernel_of(stage)]
            return compiler, is_log(stage), section == OWN, graph, kernel, rank

        return sorted(self.stages.values(), key=place)

    def step(self, key: str, by: int) -> str:
        """The key `by` places further along the ladder, at most at its end."""
        keys = [stage.key for stage in self.order_stages()]
        if not keys:
            return ""
        here = keys.index(key) if key in keys else 0
        return keys[max(0, min(len(keys) - 1, here + by))]

    def below(self, key: str) -> str:
        """The stage made from that of `key`: of the same kernel, or the first one of its first kernel.

        For a last stage, the stage before it; "" if there is none, and for a log."""
        stage = self.stages.get(key)
        if stage is None or is_log(stage):
            return ""
        keys = [s.key for s in self.order_stages() if not is_log(s)]
        graphs = self.sections()
        at = keys.index(key)
        if at + 1 < len(keys):
            later = self.stages[keys[at + 1]]
            if kernel_of(stage) in ("", kernel_of(later)) and graphs[key] in (
                "",
                graphs[later.key],
            ):
                return later.key
        before = self.stages[keys[at - 1]] if at else stage
        same = kernel_of(before) == kernel_of(stage) and graphs[before.key] == graphs[key]
        return before.key if same and before is not stage else ""

    def lit(self, key: str, line: int) -> dict[str, frozenset[int]]:
        """Stage -> the lines that `line` (from 1) of stage `key` was made from, and those made from it.

        Links are followed only up or only down. Other lines with the same origin are not included, but
        in the stages of another compiler, which have nothing in common but the source.
        """
        linked = self._follow(key, line)
        stage = self.stages.get(key)
        if stage is not None and len(self.compilers) > 1 and not is_shared(stage):
            for origin in linked.get("source", frozenset()):
                for other, lines in self._follow("source", origin).items():
                    there = self.stages.get(other)
                    if there and there.compiler != stage.compiler and not is_shared(there):
                        linked[other] = linked.get(other, frozenset()) | lines
        return linked

    def _follow(self, key: str, line: int) -> dict[str, frozenset[int]]:
        linked: dict[str, set[int]] = defaultdict(set)
        for ties, back in ((self._down, self._up), (self._up, self._down)):
            seen: dict[str, set[int]] = defaultdict(set, {key: {line}})
            reached: list[tuple[str, set[int]]] = [(key, {line})]
            while reached and sum(map(len, seen.values())) < MOST_LIT:
                here, lines = reached.pop()
                for other, there in ties.get(here, {}).items():
                    new = _partners(lines, there, back[other][here]) - seen[other]
                    if new:
                        seen[other] |= new
                        reached.append((other, new))
            seen[key].discard(line)
            for other, numbers in seen.items():
                linked[other] |= numbers
        return {other: frozenset(lines) for other, lines in linked.items() if lines}


def _tie(ties: _Ties, stage: str, line: int, other: str, other_line: int) -> None:
    ties.setdefault(stage, {}).setdefault(other, {}).setdefault(line, []).append(other_line)


def _partners(
    lines: Iterable[int], there: dict[int, list[int]], back: dict[int, list[int]]
) -> set[int]:
    """The neighbour's lines that are linked to `lines`. Equal groups are joined once."""
    groups = {id(group): group for line in lines if (group := _group(line, there, back))}
    return set().union(*groups.values())


def _group(line: int, there: dict[int, list[int]], back: dict[int, list[int]]) -> list[int]:
    """The neighbour's lines for one line. A large group is stored as a star (`line_links.pairs`): a leaf
    is linked only to a centre, whose first partner is linked to the whole group."""
    direct = there.get(line, [])
    if len(direct) == 1:
        twins = back[direct[0]]
        group = there[twins[0]]
        if len(twins) * len(group) > MOST_PAIRS and group[0] == direct[0]:
            return group
    return direct


def kernel_of(stage: Stage) -> str:
    """The kernel of a stage, "" for a stage of the function (a second graph has a label too)."""
    compiler = COMPILERS.get(stage.compiler)
    kind = compiler.stage(stage.name) if compiler else None
    return stage.kernel if kind and kind.of_unit else ""


def is_shared(stage: Stage) -> bool:
    """Return True for the source and the exported graph, from which every compiler starts."""
    return stage.name in SHARED


def _kernels_of(stages: dict[str, Stage]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(kernel_of(s) for s in stages.values() if kernel_of(s)))


def _read_key(key: str) -> tuple[str, str, str] | None:
    """Return the compiler, the stage and the kernel of a stage's key; None where it is none."""
    compiler, slash, rest = key.partition("/")
    if not (slash and compiler in COMPILERS):
        compiler, rest = INDUCTOR.name, key
    name, _, kernel = rest.partition(":")
    return (compiler, name, kernel) if COMPILERS[compiler].stage(name) else None


def sort_counts(counts: Counts) -> Counts:
    """The counts with the number of instructions last: it changes with everything and means little."""
    return tuple(sorted(counts, key=lambda pair: pair[0] in ("instructions", "operations")))


def is_log(stage: Stage) -> bool:
    """Return True for the log of a channel of TORCH_LOGS, which is no stage of the code."""
    return stage.name == "log"


def _graph_number(stage: Stage) -> int:
    """The number of the graph of Dynamo that a stage of the function is of."""
    match = _GRAPH.match(stage.kernel)
    return int(match[1]) if match else 1

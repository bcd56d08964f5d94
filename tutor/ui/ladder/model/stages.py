"""What an X-ray has brought so far, in the order of the ladder, and which lines belong together.

No screen in here.
"""

from collections import defaultdict
from collections.abc import Iterable

from tutor.xray.model.stages import KERNEL_STAGES, STAGES, Event, Failure, Link, Stage

MOST_LIT = 20_000  # lines: following a header line's links through a huge text must not be felt

_Place = tuple[str, int]  # a stage's key, a line from 1


class Ladder:
    """Stages by key, kernels in the order in which they came, and the links between lines."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.stages: dict[str, Stage] = {}
        self.failures: list[Failure] = []
        self._down: dict[_Place, list[_Place]] = defaultdict(list)
        self._up: dict[_Place, list[_Place]] = defaultdict(list)
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        if isinstance(event, Stage):
            self.stages[event.key] = event
        elif isinstance(event, Failure):
            self.failures.append(event)
        else:
            self._link(event)

    def _link(self, link: Link) -> None:
        source, target = (link.source, link.source_line), (link.target, link.target_line)
        self._down[source].append(target)
        self._up[target].append(source)

    @property
    def kernels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(kernel_of(s) for s in self.stages.values() if kernel_of(s)))

    def ordered(self) -> list[Stage]:
        """The function's stages, then kernel by kernel, each in the contract's order; then the logs."""
        kernels = {kernel: i for i, kernel in enumerate(("", *self.kernels))}
        return sorted(
            self.stages.values(),
            key=lambda s: (is_log(s), kernels[kernel_of(s)], _rank(s.name)),
        )

    def step(self, key: str, by: int) -> str:
        """The key `by` places further along the whole ladder; stops at its ends."""
        keys = [stage.key for stage in self.ordered()]
        if not keys:
            return ""
        here = keys.index(key) if key in keys else 0
        return keys[max(0, min(len(keys) - 1, here + by))]

    def below(self, key: str) -> str:
        """The stage that `key`'s text became: of the same kernel, or the first kernel's first.
        Of a last stage, the one it came from; "" where there is neither, and for a log."""
        stage = self.stages.get(key)
        if stage is None or is_log(stage):
            return ""
        ordered = [s for s in self.ordered() if not is_log(s)]
        same = [s.key for s in ordered if kernel_of(s) == kernel_of(stage)]
        at = same.index(key)
        if at + 1 < len(same):
            return same[at + 1]
        if not kernel_of(stage):
            later = [s.key for s in ordered if kernel_of(s)]
            if later:
                return later[0]
        return same[at - 1] if at else ""

    def lit(self, key: str, line: int) -> dict[str, frozenset[int]]:
        """By stage, the lines that `line` (from 1) of stage `key` came from and became.

        Links are followed straight up and straight down, never back: what else came from the same
        origin is no answer to "what did this line become?".
        """
        found: dict[str, set[int]] = defaultdict(set)
        for links in (self._down, self._up):
            seen = {(key, line)}
            reached = [(key, line)]
            while reached and len(seen) < MOST_LIT:
                for place in links.get(reached.pop(), ()):
                    if place not in seen:
                        seen.add(place)
                        reached.append(place)
            for other, number in seen - {(key, line)}:
                found[other].add(number)
        return {other: frozenset(lines) for other, lines in found.items()}


def kernel_of(stage: Stage) -> str:
    """The kernel that a stage is of, "" for the function's own (a second graph has a label too)."""
    return stage.kernel if stage.name in KERNEL_STAGES else ""


def is_log(stage: Stage) -> bool:
    """What torch said on the way, on a channel of TORCH_LOGS: no text became another there."""
    return stage.name == "log"


def _rank(name: str) -> int:
    return STAGES.index(name) if name in STAGES else len(STAGES)

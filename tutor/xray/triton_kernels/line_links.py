"""Which line of one stage became which line of the next. Pure.

`kernel_links` ties neighbouring stages of a kernel by the source positions that the compilers kept.
`Index` answers, for a cursor, which lines of the neighbours are to be lit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tutor.xray.model.stages import Link
from tutor.xray.triton_kernels.source_positions import Place

# One position may have hundreds of lines on either side (an unrolled dot). Up to this many pairs
# are all told; beyond it only the first line of each side is tied to all lines of the other, which
# `Index` completes.
MOST_PAIRS = 256

Places = Sequence[Place | None]


def kernel_links(
    kernel: str, source: str, source_places: Places, target: str, target_places: Places
) -> Iterator[Link]:
    """Links between two stages, named by their keys, from the places of their lines.

    Lines belong together whose position is the same: line and column where both stages tell
    columns, the line where one of them does not.
    """
    exact = all(any(p and p.column for p in places) for places in (source_places, target_places))
    left, right = _by_place(source_places, exact), _by_place(target_places, exact)
    for place in left.keys() & right.keys():
        for a, b in pairs(left[place], right[place]):
            yield Link(source, a, target, b, kernel)


def pairs(left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every pair of the two groups; of large groups a star from the first line of each."""
    if len(left) * len(right) <= MOST_PAIRS:
        yield from ((a, b) for a in left for b in right)
        return
    # The centre of the left side comes first: `Index` takes the first partner for the centre.
    yield from ((left[0], b) for b in right)
    yield from ((a, right[0]) for a in left[1:])


def _by_place(places: Places, exact: bool) -> dict[Place, list[int]]:
    found: dict[Place, list[int]] = {}
    for number, place in enumerate(places, 1):
        if place is not None:
            found.setdefault(place if exact else Place(place.line), []).append(number)
    return found


class Index:
    """All links of an X-ray, ready to be asked. Building it is linear in the links."""

    def __init__(self, links: Iterable[Link]) -> None:
        self._tied: dict[str, dict[str, dict[int, list[int]]]] = {}
        for link in links:
            self._add(link.source, link.source_line, link.target, link.target_line)
            self._add(link.target, link.target_line, link.source, link.source_line)

    def _add(self, stage: str, line: int, other: str, other_line: int) -> None:
        lines = self._tied.setdefault(stage, {}).setdefault(other, {})
        lines.setdefault(line, []).append(other_line)

    def neighbours(self, stage: str) -> tuple[str, ...]:
        """The keys of the stages that lines of `stage` are tied to."""
        return tuple(self._tied.get(stage, ()))

    def lit(self, stage: str, line: int) -> dict[str, tuple[int, ...]]:
        """For each neighbour of `stage` the lines, in order, that belong with its line `line`."""
        found = {}
        for other in self._tied.get(stage, ()):
            if lines := self._between(stage, line, other):
                found[other] = tuple(sorted(set(lines)))
        return found

    def way(self, stage: str, line: int) -> dict[str, tuple[int, ...]]:
        """The lines of every stage on the way up and down that one line belongs with."""
        found: dict[str, tuple[int, ...]] = {stage: (line,)}
        edge = [stage]
        while edge:
            here = edge.pop()
            for other in self._tied.get(here, ()):
                if other in found:
                    continue
                groups = {id(g): g for n in found[here] if (g := self._between(here, n, other))}
                if groups:
                    found[other] = tuple(sorted(set().union(*groups.values())))
                    edge.append(other)
        return found

    def _between(self, stage: str, line: int, other: str) -> list[int]:
        there, back = self._tied[stage][other], self._tied[other][stage]
        direct = there.get(line, [])
        if len(direct) == 1:  # perhaps the leaf of a star: its partner knows the other centre
            twins = back[direct[0]]
            centre = there[twins[0]]
            if len(twins) * len(centre) > MOST_PAIRS:
                return centre
        return direct

"""Links from the lines of one stage to the lines of the next, by the source positions that the
compilers kept. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tutor.xray.model.stages import Link
from tutor.xray.triton_kernels.source_positions import SourcePlace

# One position may have hundreds of lines on either side (an unrolled dot). Up to this many pairs
# all become links; beyond it only the first line of each side is tied to all lines of the other.
# The reader of the links completes such a star (`tutor.ui.ladder.model.stages.Ladder.lit`).
MOST_PAIRS = 256

Places = Sequence[SourcePlace | None]


def link_kernel(
    kernel: str, source: str, source_places: Places, target: str, target_places: Places
) -> Iterator[Link]:
    """Links between two stages, named by their keys, from the places of their lines.

    Lines with the same position belong together: the same line and column if both stages have
    columns, else the same line.
    """
    exact = all(any(p and p.column for p in places) for places in (source_places, target_places))
    left, right = _by_place(source_places, exact), _by_place(target_places, exact)
    for place in left.keys() & right.keys():
        for a, b in pair_lines(left[place], right[place]):
            yield Link(source, a, target, b, kernel)


def pair_lines(left: Sequence[int], right: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield every pair of the two groups; of large groups a star from the first line of each."""
    if len(left) * len(right) <= MOST_PAIRS:
        yield from ((a, b) for a in left for b in right)
        return
    # The centre of the left side comes first: a reader takes the first partner for the centre.
    yield from ((left[0], b) for b in right)
    yield from ((a, right[0]) for a in left[1:])


def _by_place(places: Places, exact: bool) -> dict[SourcePlace, list[int]]:
    numbers: dict[SourcePlace, list[int]] = {}
    for number, place in enumerate(places, 1):
        if place is not None:
            numbers.setdefault(place if exact else SourcePlace(place.line), []).append(number)
    return numbers

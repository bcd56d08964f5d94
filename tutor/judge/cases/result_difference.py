"""Compare what two runs of a program give, part by part: results, and what else a run shows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

import torch

from tutor.base.number_text import tell_apart

Seen = tuple[str, torch.Tensor]  # what it is, in words, and its numbers
RESULT = "a result"


@dataclass(frozen=True)
class Difference:
    """Holds what differs first, as half a sentence; of a result, both tensors."""

    said: str
    got: torch.Tensor | None = None
    want: torch.Tensor | None = None


def find_difference(
    want: list[list[Seen]], got: list[list[Seen]], rtol: float
) -> Difference | None:
    """Return what differs first between two runs, each a list of calls; None for nothing.

    With `rtol` 0 all bits but those of a NaN must agree.
    """
    nothing: list[Seen] = []
    for which, (wanted, seen) in enumerate(zip_longest(want, got, fillvalue=nothing)):
        counts = [sum(what == RESULT for what, _ in parts) for parts in (seen, wanted)]
        if counts[0] != counts[1]:
            return Difference(f"{counts[0]} results are returned in the place of {counts[1]}")
        for (what, right), (_, made) in zip(wanted, seen, strict=True):
            if not _agree(right, made, rtol):
                when = " at the second call" if which else ""
                said = f"{what} differs{when}{_first(right, made, rtol)}"
                return Difference(said, made, right) if what == RESULT else Difference(said)
    return None


def _agree(want: torch.Tensor, got: torch.Tensor, rtol: float) -> bool:
    alike = want.dtype == got.dtype and want.shape == got.shape
    return alike and not bool(differing(want, got, rtol).any())


def differing(want: torch.Tensor, got: torch.Tensor, rtol: float) -> torch.Tensor:
    """Return True for each element that differs, of two tensors of one dtype and shape."""
    if not want.dtype.is_floating_point:
        return want != got
    if rtol:
        return ~torch.isclose(got, want, rtol=rtol, atol=rtol, equal_nan=True)
    signs = torch.signbit(want) == torch.signbit(got)
    return ~(((want == got) & signs) | (want.isnan() & got.isnan()))


def _first(want: torch.Tensor, got: torch.Tensor, rtol: float) -> str:
    """Return the first pair of numbers that differ, for a sentence."""
    if want.dtype != got.dtype:
        return f", {got.dtype} in the place of {want.dtype}".replace("torch.", "")
    if want.shape != got.shape:
        return f", of shape {list(got.shape)} in the place of {list(want.shape)}"
    if want.dtype == torch.bool:
        return ""
    place = int(differing(want, got, rtol).flatten().nonzero()[0])
    seen, right = tell_apart(*(of.flatten()[place].item() for of in (got, want)))
    return f": {seen}, and {right} is right"

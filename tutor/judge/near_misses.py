"""Wrong results that an exercise knows (`NEAR_MISSES`), compared with a wrong output.

A near miss is a phrase and a function of the case's arguments, which returns what the mistake makes of
them, or several such results where a block size is not known. The phrase completes the sentence "The
output is what comes out if …". Below are those that several exercises share.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

Result = torch.Tensor | Iterable[torch.Tensor]
NearMiss = tuple[str, Callable[..., Result]]

BLOCKS = (16, 32, 64, 128, 256, 512, 1024, 2048)  # that programs may take at a time
_AGREES = 1e-3  # of the largest element: float32 in another order, and products in TF32
_NEARER = 0.05  # of the distance to the right result


def matching(
    misses: Iterable[NearMiss], got: torch.Tensor, want: torch.Tensor, args: tuple[Any, ...]
) -> tuple[str, ...]:
    """Return the phrases of the near misses that a wrong output `got` agrees with.

    `args` are float64 copies of the arguments, `want` is the truth. A function that cannot be evaluated
    for these arguments names nothing.
    """
    return tuple(phrase for phrase, function in misses if _matches(function, got, want, args))


def tells(miss: NearMiss, want: torch.Tensor, args: tuple[Any, ...]) -> bool:
    """Return True if the near miss makes something else of these arguments than the truth, `want`.

    False if it cannot be evaluated for them, or if one of its results is the truth.
    """
    results = _results(miss[1], args)
    return bool(results) and all(
        result.shape != want.shape or _differs(result.double(), want.double()) for result in results
    )


def single_result(miss: NearMiss, args: tuple[Any, ...]) -> torch.Tensor | None:
    """Return what the near miss makes of these arguments.

    None if it cannot be evaluated for them, or if it has several results, as of block sizes of which
    the learner's may be none.
    """
    results = _results(miss[1], args, several=False)
    return results[0] if results else None


def _matches(
    function: Callable[..., Result], got: torch.Tensor, want: torch.Tensor, args: tuple[Any, ...]
) -> bool:
    return any(_agree(got, candidate, want) for candidate in _results(function, args))


def _results(
    function: Callable[..., Result], args: tuple[Any, ...], several: bool = True
) -> list[torch.Tensor]:
    try:
        result = function(*args)
        if isinstance(result, torch.Tensor):
            return [result]
        return list(result) if several else []
    except (RuntimeError, ValueError, IndexError):  # of shapes that do not fit
        return []


def _differs(one: torch.Tensor, other: torch.Tensor) -> bool:
    finite = torch.isfinite(one)
    if not torch.equal(finite, torch.isfinite(other)):
        return True
    apart, size = (one - other)[finite].abs(), other[finite].abs()
    return bool(apart.numel()) and float(apart.max()) > _AGREES * float(size.max())


def _agree(got: torch.Tensor, miss: torch.Tensor, want: torch.Tensor) -> bool:
    """Return True if `got` has the elements of `miss`, and those of `want` are far from them."""
    if not got.shape == miss.shape == want.shape:
        return False
    g, m, w = got.double(), miss.to(got.dtype).double(), want.double()
    finite = torch.isfinite(g)
    if not torch.equal(finite, torch.isfinite(m)):
        return False
    if not bool(finite.any()):  # as where nothing is divided by nothing
        return torch.equal(g.isnan(), m.isnan()) and bool(torch.isfinite(w).any())
    g, m, w = g[finite], m[finite], w[finite].nan_to_num()
    error, distance = float((g - m).abs().max()), float((g - w).abs().max())
    if not got.is_floating_point():
        return distance > 0 and error == 0
    return distance > 0 and error <= min(_NEARER * distance, _AGREES * float(m.abs().max()))


# --- near misses of several exercises -----------------------------------------------------------


def last_block(combine: Callable[..., torch.Tensor], length: int) -> Iterator[torch.Tensor]:
    """Yield `combine(start, stop)` of the last block only, for each size that leaves any out."""
    for block in BLOCKS:
        if block < length:
            yield combine((length - 1) // block * block, length)


def first_block(combine: Callable[..., torch.Tensor], length: int) -> Iterator[torch.Tensor]:
    """Yield `combine(0, block)` for each block size that leaves any out."""
    for block in BLOCKS:
        if block < length:
            yield combine(0, block)


def full_blocks(combine: Callable[..., torch.Tensor], length: int) -> Iterator[torch.Tensor]:
    """Yield `combine(0, stop)` without the partial block at the end, for each size that has one."""
    for block in BLOCKS:
        if length % block:
            yield combine(0, length // block * block)


def of_loop(part: Callable[..., torch.Tensor], length: Callable[..., int]) -> tuple[NearMiss, ...]:
    """Return near misses of a loop over blocks: `part(start, stop, *args)` is the result over a part,
    `length(*args)` the number of all steps."""

    def over(blocks: Callable[..., Iterator[torch.Tensor]]) -> Callable[..., Result]:
        return lambda *args: blocks(lambda a, b: part(a, b, *args), length(*args))

    return (
        ("the loop keeps only its last step", over(last_block)),
        ("only the first block is counted", over(first_block)),
        ("the last, partial block is left out", over(full_blocks)),
    )


def _product_part(start: int, stop: int, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a[..., start:stop] @ b[..., start:stop, :]


PRODUCT: tuple[NearMiss, ...] = (
    *of_loop(_product_part, lambda a, b: int(a.shape[-1])),
    ("each step of the loop reads the same tile of `b`", lambda a, b: _one_tile_of(a, b, 1)),
    ("each step of the loop reads the same tile of `a`", lambda a, b: _one_tile_of(a, b, 0)),
    ("the factors are not multiplied but added", lambda a, b: a.sum(-1)[..., None] + b.sum(-2)),
    ("the absolute values are added", lambda a, b: a.abs() @ b.abs()),
)


def _one_tile_of(a: torch.Tensor, b: torch.Tensor, which: int) -> Iterator[torch.Tensor]:
    """Yield the products in which all steps along K read the first tile of one factor."""
    length = int(a.shape[-1])
    for block in BLOCKS:
        if block < length:
            index = torch.arange(length) % block
            yield a[..., index] @ b if which == 0 else a @ b[..., index, :]

"""What a wrong output looks like: the facts a cause can be read from. Tensors in, plain values out."""

from dataclasses import dataclass

import torch

from tutor.judge.comparison import wrong_region
from tutor.judge.comparison.compare import other_zero
from tutor.judge.model.verdict import Mismatch

_MOST_SORTED = 1 << 21  # elements; sorting more is not worth the wait
_FEW = 16  # elements below which nothing can be said of their signs
_FOLLOWS = 0.9  # of 1, where every error is the same share of its value
_ENOUGH = 8  # elements that a factor and a summand together are fitted to
_UNEXPLAINED = 0.1  # share of the errors that a factor and a summand may leave over
_UNEXPLAINED_BY_ONE = 1e-3  # and one of the two, where the elements are fewer than enough


@dataclass(frozen=True)
class Pattern:
    """Facts about one wrong output. Flat indices count in row-major order."""

    total: int
    wrong: int
    first: int
    unwritten: int  # the NaN that memory was filled with, where a number is wanted
    tail_from: int | None  # every wrong element lies from here to the end, none before
    overflowed: bool  # NaN or infinity where a finite number is wanted
    only_special: bool  # wrong only where the reference is NaN or infinite
    near: bool  # all errors as small as half precision makes them
    half_like: bool  # near, and the errors go either way, as rounding does
    permuted: bool  # the right numbers in the wrong places
    affine: tuple[float, float] | None  # got = a · wanted + b for all elements
    zeros: bool  # nothing but zeros
    comparable: bool = False  # numbers enough, and unlike enough, to see a factor or a summand
    constant: float | None = None  # the one number that all elements are, where others are wanted
    zero_signs: int = 0  # elements that are zero, and of the other sign
    index: tuple[int, ...] = ()  # of the first wrong element
    got: float | int | bool | str = ""  # there
    want: float | int | bool | str = ""
    where: str = ""  # what the wrong elements have in common (`wrongmap`)
    repeats: bool = False  # they are blocks of one length at one distance, along one dimension


def read(
    got: torch.Tensor,
    want: torch.Tensor,
    wrong: torch.Tensor,
    mismatch: Mismatch,
    scale: torch.Tensor | float,
) -> Pattern:
    """`got` of any dtype, `want` float64, `wrong` bool, all of one shape, at least one wrong.

    `scale`: what rounding errors grow with, as `compare` has it.
    """
    g, w, bad = got.reshape(-1).double(), want.reshape(-1).double(), wrong.reshape(-1)
    finite = torch.isfinite(w)
    where = bad.nonzero().reshape(-1)
    first = int(where[0])
    scales = torch.as_tensor(scale, dtype=torch.float64).nan_to_num(0.0, 0.0, 0.0)
    size = float(scales.max())
    if not size and bool(finite.any()):
        # An exact task: what rounds there rounds the values themselves.
        size = float(w[finite].abs().max())
    # Beside one huge row, all that is small would be equal to anything else that is.
    typical = float(scales.median()) or size
    near = _near(g, w, finite, size)
    comparable = _comparable(g[finite], w[finite])
    precision = torch.finfo(got.dtype).eps if got.dtype.is_floating_point else 0.0
    return Pattern(
        total=g.numel(),
        wrong=mismatch.count,
        first=first,
        unwritten=int((untouched(got).reshape(-1) & ~torch.isnan(w)).sum()),
        tail_from=first if int(where.numel()) == g.numel() - first and first > 0 else None,
        overflowed=bool((~torch.isfinite(g) & finite).any()),
        only_special=not bool((bad & finite).any()),
        near=near,
        half_like=near and not _follows(g[finite], w[finite]),
        permuted=_permuted(g, w, typical),
        affine=_affine(g[finite], w[finite], size, precision) if comparable else None,
        zeros=not bool(g.any()),
        comparable=comparable,
        constant=_constant(g, w),
        zero_signs=int((bad & other_zero(g, w)).sum()),
        index=mismatch.index,
        got=mismatch.got,
        want=mismatch.want,
        where=wrong_region.sentence(wrong),
        repeats=wrong_region.repeats(wrong),
    )


def untouched(got: torch.Tensor) -> torch.Tensor:
    """Which elements are, bit for bit, the NaN that `torch.utils.deterministic` fills memory with. A
    calculated NaN has other bits: on a GPU all ones (PTX ISA 8.8, "NaN payloads are not preserved"), on
    x86 a sign (Intel SDM 1, 4.8.3.7), or those of the NaN that it was calculated from. PyTorch on a CPU
    alone gives bfloat16 the same ones (`c10/util/BFloat16.h`, 2.13): there the two look alike."""
    if not got.dtype.is_floating_point:
        return torch.zeros_like(got, dtype=torch.bool)
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[got.dtype.itemsize]
    filled = torch.full((), float("nan"), dtype=got.dtype)
    return got.contiguous().view(bits) == filled.view(bits)


def _near(g: torch.Tensor, w: torch.Tensor, finite: torch.Tensor, scale: float) -> bool:
    error = (g - w)[finite].abs()
    return (
        bool(scale)
        and bool(error.any())
        and bool((error <= 4 * torch.finfo(torch.bfloat16).eps * scale).all())
    )


def _follows(g: torch.Tensor, w: torch.Tensor) -> bool:
    """Whether the error follows the value: that is a factor, however near to one, and no rounding."""
    error = g - w
    follows = (error * w).sum().abs() / (error.norm() * w.norm() + 1e-300)
    return error.numel() >= _FEW and float(follows) >= _FOLLOWS


def _permuted(g: torch.Tensor, w: torch.Tensor, scale: float) -> bool:
    if g.numel() < 2 or g.numel() > _MOST_SORTED or not bool(torch.isfinite(g).all()):
        return False

    def near(a: torch.Tensor, b: torch.Tensor) -> bool:
        return bool(torch.allclose(a, b, rtol=1e-5, atol=1e-6 * scale))

    # What is near in its own place has not moved: it is only not exact.
    return not near(g, w) and near(g.sort().values, w.sort().values)


def _constant(g: torch.Tensor, w: torch.Tensor) -> float | None:
    one = bool(torch.isfinite(g).all()) and bool((g == g[0]).all())
    return float(g[0]) if one and not bool((w == w[0]).all()) else None


def _comparable(g: torch.Tensor, w: torch.Tensor) -> bool:
    """Whether finite numbers stand where the `w`, all finite, are wanted, and these are not all one:
    of a single number nobody can tell a factor from a summand."""
    return w.numel() > 1 and bool(torch.isfinite(g).all()) and not bool((w == w[0]).all())


def _affine(
    g: torch.Tensor, w: torch.Tensor, scale: float, precision: float
) -> tuple[float, float] | None:
    """(a, b) of the least-squares line g = a · w + b, a factor alone or a summand alone before both, if
    it meets every point to five digits (or the output's `precision`) and accounts for the errors:
    beside one huge element, g = w would meet all others that well."""
    error = float((g - w).norm())
    if not error or bool((g == g[0]).all()):
        return None
    middle_g, middle_w = float(g.mean()), float(w.mean())
    factor = float((g * w).sum() / (w * w).sum())
    alone = [(factor, 0.0), (1.0, middle_g - middle_w)]
    from_w = w - middle_w
    both = float(((g - middle_g) * from_w).sum() / (from_w * from_w).sum())
    digits = max(1e-5, 2 * precision)

    def left(line: tuple[float, float]) -> float:
        return float((line[0] * w + line[1] - g).norm())

    def holds(line: tuple[float, float], unexplained: float) -> bool:
        a, b = line
        close = bool(((a * w + b - g).abs() <= digits * max(scale * abs(a), abs(b))).all())
        return close and left(line) <= unexplained * error

    few = w.numel() < _ENOUGH
    best = min(alone, key=left)
    if holds(best, _UNEXPLAINED_BY_ONE if few else _UNEXPLAINED):
        return best
    line = (both, middle_g - both * middle_w)
    return line if not few and holds(line, _UNEXPLAINED) else None

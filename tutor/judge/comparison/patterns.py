"""Facts about a wrong output from which a cause can be concluded. Tensors in, plain values out."""

from dataclasses import dataclass

import torch

from tutor.judge.comparison import wrong_region
from tutor.judge.comparison.compare import differs_in_zero_sign
from tutor.judge.model.verdict import Mismatch

_MAX_SORTED = 1 << 21  # elements; sorting more takes too long
MIN_CORRELATED = 16  # elements; a correlation of fewer can be chance
_MIN_CORRELATION = 0.9  # of error and value; 1 if each error is the same share of its value
_MIN_FITTED = 8  # elements to which a factor and a summand together are fitted
_UNEXPLAINED = 0.1  # share of the errors that a factor and a summand may leave
_UNEXPLAINED_BY_ONE = 1e-3  # the same for one of the two and fewer than `_MIN_FITTED` elements


@dataclass(frozen=True)
class Pattern:
    """Facts about one wrong output. Flat indices count in row-major order."""

    total: int
    wrong: int
    first: int
    unwritten: int  # elements that still have the NaN of unwritten memory
    tail_from: int | None  # the elements from here to the end are wrong, and no others
    overflowed: bool  # NaN or infinity in place of a finite number
    only_special: bool  # wrong only where the reference is NaN or infinite
    near: bool  # all errors have at most the size of half precision
    half_like: bool  # near, and the errors have both signs, as rounding has
    permuted: bool  # the right numbers in the wrong places
    affine: tuple[float, float] | None  # (a, b) with got = a · want + b for all elements
    zeros: bool  # all elements are zero
    comparable: bool = False  # enough different numbers to find a factor or a summand
    constant: float | None = None  # the value of all elements, if the expected ones differ
    zero_signs: int = 0  # zeros with the wrong sign
    nan: int = 0  # NaN in place of a number
    index: tuple[int, ...] = ()  # of the first wrong element
    got: float | int | bool | str = ""  # there
    want: float | int | bool | str = ""
    where: str = ""  # what the wrong elements have in common (`wrong_region`)
    repeats: bool = False  # wrong blocks of one length at one distance along one dimension


def find_pattern(
    got: torch.Tensor,
    want: torch.Tensor,
    wrong: torch.Tensor,
    mismatch: Mismatch,
    scale: torch.Tensor | float,
) -> Pattern:
    """Collect the facts. `got` has any dtype, `want` is float64, `wrong` bool; all have one shape.

    At least one element is wrong. `scale` is that of `compare`.
    """
    g, w, bad = got.reshape(-1).double(), want.reshape(-1).double(), wrong.reshape(-1)
    finite = torch.isfinite(w)
    where = bad.nonzero().reshape(-1)
    first = int(where[0])
    scales = torch.as_tensor(scale, dtype=torch.float64).nan_to_num(0.0, 0.0, 0.0)
    size = float(scales.max())
    if not size and bool(finite.any()):
        # In an exact task rounding errors are proportional to the values.
        size = float(w[finite].abs().max())
    # With the scale of one huge row all small numbers would be equal.
    typical = float(scales.median()) or size
    near = _is_near(g, w, finite, size)
    comparable = _comparable(g[finite], w[finite])
    precision = torch.finfo(got.dtype).eps if got.dtype.is_floating_point else 0.0
    return Pattern(
        total=g.numel(),
        wrong=mismatch.count,
        first=first,
        unwritten=int((find_untouched(got).reshape(-1) & ~torch.isnan(w)).sum()),
        tail_from=first if int(where.numel()) == g.numel() - first and first > 0 else None,
        overflowed=bool((~torch.isfinite(g) & finite).any()),
        only_special=not bool((bad & finite).any()),
        near=near,
        half_like=near and not _correlates(g[finite], w[finite]),
        permuted=_is_permuted(g, w, typical),
        affine=_affine(g[finite], w[finite], size, precision) if comparable else None,
        zeros=not bool(g.any()),
        comparable=comparable,
        constant=_constant(g, w),
        zero_signs=int((bad & differs_in_zero_sign(g, w)).sum()),
        nan=int((torch.isnan(g) & ~torch.isnan(w)).sum()),
        index=mismatch.index,
        got=mismatch.got,
        want=mismatch.want,
        where=wrong_region.describe_wrong_region(wrong),
        repeats=wrong_region.is_periodic(wrong),
    )


def find_untouched(got: torch.Tensor) -> torch.Tensor:
    """Return which elements are bit for bit the NaN with which `torch.utils.deterministic` fills memory.

    A calculated NaN has other bits: on a GPU all ones (PTX ISA 8.8, "NaN payloads are not preserved"),
    on x86 a sign (Intel SDM 1, 4.8.3.7), or those of the NaN that it was calculated from. Only PyTorch
    on a CPU gives bfloat16 the same bits (`c10/util/BFloat16.h`, 2.13).
    """
    if not got.dtype.is_floating_point:
        return torch.zeros_like(got, dtype=torch.bool)
    bits = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[got.dtype.itemsize]
    filled = torch.full((), float("nan"), dtype=got.dtype)
    return got.contiguous().view(bits) == filled.view(bits)


def _is_near(g: torch.Tensor, w: torch.Tensor, finite: torch.Tensor, scale: float) -> bool:
    error = (g - w)[finite].abs()
    return (
        bool(scale)
        and bool(error.any())
        and bool((error <= 4 * torch.finfo(torch.bfloat16).eps * scale).all())
    )


def _correlates(g: torch.Tensor, w: torch.Tensor) -> bool:
    """Return True if the error is proportional to the value: that is a factor and not rounding."""
    error = g - w
    follows = (error * w).sum().abs() / (error.norm() * w.norm() + 1e-300)
    return error.numel() >= MIN_CORRELATED and float(follows) >= _MIN_CORRELATION


def _is_permuted(g: torch.Tensor, w: torch.Tensor, scale: float) -> bool:
    if g.numel() < 2 or g.numel() > _MAX_SORTED or not bool(torch.isfinite(g).all()):
        return False

    def near(a: torch.Tensor, b: torch.Tensor) -> bool:
        return bool(torch.allclose(a, b, rtol=1e-5, atol=1e-6 * scale))

    # Elements that are near in their own places have not moved.
    return not near(g, w) and near(g.sort().values, w.sort().values)


def _constant(g: torch.Tensor, w: torch.Tensor) -> float | None:
    one = bool(torch.isfinite(g).all()) and bool((g == g[0]).all())
    return float(g[0]) if one and not bool((w == w[0]).all()) else None


def _comparable(g: torch.Tensor, w: torch.Tensor) -> bool:
    """Return True if all `g` are finite and the `w`, all finite, are not all equal.

    With a single value a factor cannot be told from a summand.
    """
    return w.numel() > 1 and bool(torch.isfinite(g).all()) and not bool((w == w[0]).all())


def _affine(
    g: torch.Tensor, w: torch.Tensor, scale: float, precision: float
) -> tuple[float, float] | None:
    """Return (a, b) of the least-squares line g = a · w + b; prefer a factor or a summand alone.

    The line must meet every point to five digits (or the output's `precision`) and account for the
    errors: with one huge element g = w would meet all others that well.
    """
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

    few = w.numel() < _MIN_FITTED
    best = min(alone, key=left)
    if holds(best, _UNEXPLAINED_BY_ONE if few else _UNEXPLAINED):
        return best
    line = (both, middle_g - both * middle_w)
    return line if not few and holds(line, _UNEXPLAINED) else None

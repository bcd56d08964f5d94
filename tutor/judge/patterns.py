"""What a wrong output looks like: the facts a cause can be read from. Tensors in, plain values out."""

from dataclasses import dataclass

import torch

from tutor.judge.verdict import Mismatch

_MOST_SORTED = 1 << 21  # elements; sorting more is not worth the wait
_FEW = 16  # elements below which nothing can be said of their signs
_FOLLOWS = 0.9  # of 1, where every error is the same share of its value
_UNEXPLAINED = 0.1  # share of the errors that a factor and a summand may leave over


@dataclass(frozen=True)
class Pattern:
    """Facts about one wrong output. Flat indices count in row-major order."""

    total: int
    wrong: int
    first: int
    unwritten: int  # NaN where a number is wanted: what the judge poisoned memory with
    tail_from: int | None  # every wrong element lies from here to the end, none before
    overflowed: bool  # NaN or infinity where a finite number is wanted
    only_special: bool  # wrong only where the reference is NaN or infinite
    near: bool  # all errors as small as half precision makes them
    half_like: bool  # near, and the errors go either way, as rounding does
    permuted: bool  # the right numbers in the wrong places
    affine: tuple[float, float] | None  # wanted = a · got + b for all elements
    zeros: bool  # nothing but zeros


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
    size = float(torch.as_tensor(scale, dtype=torch.float64).nan_to_num(0.0, 0.0, 0.0).max())
    if not size and bool(
        finite.any()
    ):  # an exact task: what rounds there rounds the values themselves
        size = float(w[finite].abs().max())
    near = _near(g, w, finite, size)
    return Pattern(
        total=g.numel(),
        wrong=mismatch.count,
        first=first,
        unwritten=int((torch.isnan(g) & ~torch.isnan(w)).sum()),
        tail_from=first if int(where.numel()) == g.numel() - first and first > 0 else None,
        overflowed=bool((~torch.isfinite(g) & finite).any()),
        only_special=not bool((bad & finite).any()),
        near=near,
        half_like=near and not _follows(g[finite], w[finite]),
        permuted=_permuted(g, w, size),
        affine=_affine(g[finite], w[finite], size),
        zeros=not bool(g.any()),
    )


def _near(g: torch.Tensor, w: torch.Tensor, finite: torch.Tensor, scale: float) -> bool:
    error = (g - w)[finite].abs()
    return bool(scale) and bool((error <= 4 * torch.finfo(torch.bfloat16).eps * scale).all())


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


def _affine(g: torch.Tensor, w: torch.Tensor, scale: float) -> tuple[float, float] | None:
    """(a, b) of the least-squares line w = a · g + b, if it meets every point to five digits and
    accounts for the errors: beside one huge element, w = g would meet all others that well."""
    if g.numel() < 8 or not bool(torch.isfinite(g).all()):
        return None
    middle_g, middle_w = g.mean(), w.mean()
    variance = float(((g - middle_g) ** 2).sum())
    if variance == 0.0:
        return None
    a = float(((g - middle_g) * (w - middle_w)).sum()) / variance
    b = float(middle_w) - a * float(middle_g)
    left = a * g + b - w
    close = bool((left.abs() <= 1e-5 * max(scale, abs(b))).all())
    explains = float(left.norm()) <= _UNEXPLAINED * float((g - w).norm())
    return (a, b) if close and explains and a else None

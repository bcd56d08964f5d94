"""Is an output right? Against a float64 reference, with a bound that knows the arithmetic.

    |got − want| ≤ k · err(eager) + c · eps · scale

`err(eager)` is what PyTorch itself is off by on the same input and dtype, `scale` what rounding
errors grow with (the largest |want| unless the exercise says otherwise). An output more accurate than
PyTorch's never fails; zeros never pass for small numbers, since nothing is absolute. Integers and
truths are exact; NaN and infinities must stand where the reference has them. The sign of a zero counts
only in an exact task, one whose `scale` is the number 0: there nothing is computed that could lose it.

k, c and eps are `BOUNDS`' for the output's dtype, or for the precision that an exercise allows on the
way (`PRECISION = "tf32"` in its `reference.py`). They are calibrated by `tests/judge/calibrate.py`.
"""

from dataclasses import dataclass
from typing import Any

import torch

from tutor.judge.model.verdict import Mismatch

K = 4.0  # of err(eager): another order of the same sum may be that much less lucky


@dataclass(frozen=True)
class Bound:
    """`eps`: the distance from 1 to the next number of the arithmetic."""

    k: float
    c: float
    eps: float
    why: str


# What right implementations need, and from where on wrong ones are found, is in docs/benchmarks.md.
BOUNDS: dict[str, Bound] = {
    "float64": Bound(K, 32.0, 2.0**-52, "as float32"),
    "float32": Bound(K, 32.0, 2.0**-23, "sums in another order, one rounding each"),
    "float16": Bound(K, 2.0, 2.0**-10, "rounded once from float32, or in between as eager is"),
    "bfloat16": Bound(K, 2.0, 2.0**-7, "as float16"),
    # 10 bits of fraction are kept of each factor, so a product is off by 2 * 2**-11 of itself; the
    # scale of a dot product is the sum of its terms' magnitudes, which all these errors stay below.
    "tf32": Bound(K, 4.0, 2.0**-10, "factors rounded to 10 bits, summed in float32"),
}


@dataclass(frozen=True)
class Comparison:
    """`wrong`: bool tensor of the output's shape. `bound`: the loosest of the elements' bounds."""

    passed: bool
    max_abs_err: float | None
    bound: float
    eager_err: float | None
    mismatch: Mismatch | None
    wrong: torch.Tensor


def compare(
    got: torch.Tensor,
    want: torch.Tensor,
    scale: torch.Tensor | float,
    eager: torch.Tensor | None,
    precision: str = "",
    exact: bool = False,
) -> Comparison:
    """Compare `got` with `want` (float64 for floating dtypes) of the same shape. `precision` is a key
    of `BOUNDS`; "": the output's own dtype. `exact`: +0 and -0 are two numbers."""
    if not got.dtype.is_floating_point:
        wrong = got != want.to(got.dtype)
        return Comparison(not bool(wrong.any()), None, 0.0, None, _first(got, want, wrong), wrong)
    target = want.to(got.dtype).double()  # what overflows the dtype must be infinite there too
    finite = torch.isfinite(target)
    error = torch.where(finite, (got.double() - want).abs(), torch.zeros_like(want))
    eager_err = _finite_error(eager, want, finite) if eager is not None else None
    size = torch.as_tensor(scale, dtype=torch.float64).nan_to_num(0.0, 0.0, 0.0)
    allowed = BOUNDS[precision or str(got.dtype).removeprefix("torch.")]
    own = torch.finfo(got.dtype)
    underflow = own.tiny * own.eps / 2  # half the distance of subnormal numbers: rounding's least
    bound = allowed.k * (eager_err or 0.0) + allowed.c * allowed.eps * size + underflow
    same_special = torch.where(torch.isnan(target), torch.isnan(got), got.double() == target)
    wrong = torch.where(finite, ~(error <= bound), ~same_special)
    if exact:
        wrong |= other_zero(got, target)
    if wrong.any():
        error = torch.where(torch.isnan(error), torch.full_like(error, float("inf")), error)
    return Comparison(
        passed=not bool(wrong.any()),
        max_abs_err=float(error.max()) if error.numel() else 0.0,
        bound=float(bound.max()) if bound.numel() else 0.0,
        eager_err=eager_err,
        mismatch=_first(got, want, wrong),
        wrong=wrong,
    )


def other_zero(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Where both are zero and their signs differ. Numerically these are equal."""
    return (got == 0) & (want == 0) & (torch.signbit(got) != torch.signbit(want))


def default_scale(want: torch.Tensor, dtype: torch.dtype = torch.float64) -> float:
    """The largest |want| among those that are finite in the output's `dtype`: what overflows there
    must not loosen the bound of the others."""
    finite = want[torch.isfinite(want.to(dtype))]
    return float(finite.double().abs().max()) if finite.numel() else 0.0


def _finite_error(eager: torch.Tensor, want: torch.Tensor, finite: torch.Tensor) -> float:
    error = (eager.double() - want).abs()[finite]
    error = error[torch.isfinite(error)]
    return float(error.max()) if error.numel() else 0.0


def _first(got: torch.Tensor, want: torch.Tensor, wrong: torch.Tensor) -> Mismatch | None:
    if not bool(wrong.any()):
        return None
    flat = int(wrong.reshape(-1).to(torch.uint8).argmax())
    index: list[int] = []
    rest = flat
    for size in reversed(got.shape):
        index.insert(0, rest % size)
        rest //= size
    return Mismatch(
        index=tuple(index),
        got=_scalar(got.reshape(-1)[flat]),
        want=_scalar(want.reshape(-1)[flat]),
        count=int(wrong.sum()),
        total=wrong.numel(),
    )


def _scalar(value: torch.Tensor) -> Any:
    return value.item()

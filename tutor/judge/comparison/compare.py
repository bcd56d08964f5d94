"""Comparison of an output with a float64 reference, within a bound that depends on the arithmetic.

    |got − want| ≤ k · err(eager) + c · eps · scale

`err(eager)` is PyTorch's own error on the same input and dtype. Rounding errors are proportional to
`scale`: the largest |want| unless the exercise defines another. An output more accurate than PyTorch's
never fails. Zeros never pass for small numbers, because no part of the bound is absolute. Integers and
Booleans are exact; NaN and infinities must be where the reference has them. The sign of a zero counts
only in an exact task, whose `scale` is the number 0: no computation there could lose it.

`BOUNDS` has k, c and eps for the output's dtype, or for the precision that an exercise allows for
intermediate values (`PRECISION = "tf32"` in its `reference.py`). `tests/judge/calibrate.py` calibrates
them.
"""

from dataclasses import dataclass

import torch

from tutor.judge.model.tensor_grid import index_of
from tutor.judge.model.verdict import Mismatch

K = 4.0  # of err(eager): the error of another order of the same sum


@dataclass(frozen=True)
class Bound:
    """`eps`: the distance from 1 to the next number of the arithmetic."""

    k: float
    c: float
    eps: float
    why: str


# docs/benchmarks.md has the bounds that right implementations need and at which wrong ones fail.
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
class OutputComparison:
    """`wrong` is a bool tensor of the output's shape. `bound` is that of the first wrong element, so
    that `max_abs_err` exceeds it; of a right output the loosest of the elements' bounds."""

    passed: bool
    max_abs_err: float | None
    bound: float
    eager_err: float | None
    mismatch: Mismatch | None
    wrong: torch.Tensor


def compare_output(
    got: torch.Tensor,
    want: torch.Tensor,
    scale: torch.Tensor | float,
    eager: torch.Tensor | None,
    precision: str = "",
    exact: bool = False,
) -> OutputComparison:
    """Compare `got` with `want` (float64 for floating dtypes) of the same shape.

    `precision` is a key of `BOUNDS`; "" means the output's dtype. With `exact`, +0 and -0 differ.
    """
    if not got.dtype.is_floating_point:
        wrong = got != want.to(got.dtype)
        return OutputComparison(
            not bool(wrong.any()), None, 0.0, None, first_mismatch(got, want, wrong), wrong
        )
    target = want.to(got.dtype).double()  # what overflows the dtype must be infinite there too
    finite = torch.isfinite(target)
    error = torch.where(finite, (got.double() - want).abs(), torch.zeros_like(want))
    eager_err = _finite_error(eager, want, finite) if eager is not None else None
    size = torch.as_tensor(scale, dtype=torch.float64).nan_to_num(0.0, 0.0, 0.0)
    allowed = BOUNDS[precision or str(got.dtype).removeprefix("torch.")]
    own = torch.finfo(got.dtype)
    underflow = own.tiny * own.eps / 2  # half the distance of subnormal numbers
    bound = allowed.k * (eager_err or 0.0) + allowed.c * allowed.eps * size + underflow
    same_special = torch.where(torch.isnan(target), torch.isnan(got), got.double() == target)
    wrong = torch.where(finite, ~(error <= bound), ~same_special)
    if exact:
        wrong |= differs_in_zero_sign(got, target)
    if wrong.any():
        error = torch.where(torch.isnan(error), torch.full_like(error, float("inf")), error)
    return OutputComparison(
        passed=not bool(wrong.any()),
        max_abs_err=float(error.max()) if error.numel() else 0.0,
        bound=_choose_bound(bound.expand_as(wrong), wrong),
        eager_err=eager_err,
        mismatch=first_mismatch(got, want, wrong),
        wrong=wrong,
    )


def _choose_bound(bound: torch.Tensor, wrong: torch.Tensor) -> float:
    """Return the bound of the first wrong element, or the loosest where none is wrong."""
    broken = bound[wrong]
    if broken.numel():
        return float(broken[0])
    return float(bound.max()) if bound.numel() else 0.0


def differs_in_zero_sign(got: torch.Tensor, want: torch.Tensor) -> torch.Tensor:
    """Return where both are zero and their signs differ. Numerically these are equal."""
    return (got == 0) & (want == 0) & (torch.signbit(got) != torch.signbit(want))


def default_scale(want: torch.Tensor, dtype: torch.dtype = torch.float64) -> float:
    """Return the largest |want| that is finite in the output's `dtype`.

    Elements that overflow must not loosen the bound of the others.
    """
    finite = want[torch.isfinite(want.to(dtype))]
    return float(finite.double().abs().max()) if finite.numel() else 0.0


def _finite_error(eager: torch.Tensor, want: torch.Tensor, finite: torch.Tensor) -> float:
    error = (eager.double() - want).abs()[finite]
    error = error[torch.isfinite(error)]
    return float(error.max()) if error.numel() else 0.0


def first_mismatch(got: torch.Tensor, want: torch.Tensor, wrong: torch.Tensor) -> Mismatch | None:
    """Return the first element that is True in `wrong`, with both values; None where none is."""
    if not bool(wrong.any()):
        return None
    flat = int(wrong.reshape(-1).to(torch.uint8).argmax())
    return Mismatch(
        index=index_of(flat, tuple(got.shape)),
        got=got.reshape(-1)[flat].item(),
        want=want.reshape(-1)[flat].item(),
        count=int(wrong.sum()),
        total=wrong.numel(),
    )

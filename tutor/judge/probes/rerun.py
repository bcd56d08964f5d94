"""A case once more with other numbers in its tensors: what is wanted for them, what the learner's
function makes of them. The server's side; what probes ask with (`indexmap`, `dependence`)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, make
from tutor.judge.processes import shared_tensors

_CLOSE = 1e-4  # of the largest element: what counts as the same where float32 is computed with
_ROUNDING = 16  # times the distance from 1 to the next number: what counts where that is more


def positive(
    tensors: Sequence[torch.Tensor], low: float, draw: torch.Generator
) -> list[torch.Tensor]:
    """Numbers from `low` to `low + 1` for each tensor; those that hold no floating-point numbers stay.

    Positive and of everyday size: nothing cancels, overflows, or is swamped by the rest.
    """
    return [
        (low + torch.rand(each.shape, generator=draw)).to(each.dtype)
        if each.is_floating_point() else each
        for each in tensors
    ]  # fmt: skip


def rounding(tensors: Sequence[torch.Tensor]) -> float:
    """How far apart two outputs may lie, over the largest element, and count as the same."""
    eps = (torch.finfo(each.dtype).eps for each in tensors if each.is_floating_point())
    return max((_CLOSE, *(_ROUNDING * each for each in eps)))


@dataclass(frozen=True)
class Rerun:
    """Case `index` with its own arguments; the probes replace the numbers in the tensors."""

    cases: Cases
    index: int
    args: Args

    @classmethod
    def of(cls, cases: Cases, index: int) -> "Rerun":
        return cls(cases, index, make(cases.reference.cases[index], cases.seed + index))

    @property
    def case(self) -> str:
        return self.cases.reference.cases[self.index].name

    @property
    def tensors(self) -> list[torch.Tensor]:
        return tensors_of(self.args)

    @property
    def elements(self) -> int:
        """Of the largest tensor."""
        return max((each.numel() for each in self.tensors), default=0)

    @cached_property
    def _like(self) -> torch.Tensor:
        """An output of the shape and dtype wanted."""
        return self.cases.reference.eager(*self.with_numbers(self.tensors))

    def with_numbers(self, values: Sequence[torch.Tensor]) -> Args:
        """The arguments with `values`, one for each tensor, in their place.

        Shapes and strides stay: what the function makes of them is the question.
        """
        left = list(values)
        return tuple(
            torch.empty_strided(a.shape, a.stride(), dtype=a.dtype).copy_(left.pop(0))
            if isinstance(a, torch.Tensor)
            else a
            for a in self.args
        )

    def wanted(self, values: Sequence[torch.Tensor]) -> torch.Tensor | None:
        """The truth in float64; None where the task has no answer for such numbers."""
        try:
            return self.cases.reference.want(self.with_numbers(values))
        except (RuntimeError, ValueError, IndexError):
            return None

    def got(self, values: Sequence[torch.Tensor]) -> torch.Tensor | None:
        """The learner's output, in float64; None where it is no tensor of the shape and dtype wanted.
        Raises `Stopped` where the call leaves the worker's limits."""
        args = self.with_numbers(values)
        buffer, _ = shared_tensors.filled(tensors_of(args))
        fd = shared_tensors.memory_file("inputs", buffer)
        fds: list[int] = []
        try:
            reply, fds = self.cases.ask(self.index, args, fd, {})
            if "raised" in reply or "wrong_type" in reply or not fds:
                return None
            known = shared_tensors.DTYPES.get(reply["dtype"])
            like = self._like
            if known is not like.dtype or tuple(reply["shape"]) != tuple(like.shape):
                return None
            data = shared_tensors.read_file(fds[0], like.numel() * known.itemsize)
            return None if data is None else data.view(known).reshape(like.shape).double()
        finally:
            for each in (fd, *fds):
                os.close(each)

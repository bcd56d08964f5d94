"""A case run again with other numbers in its tensors: the truth and the learner's output for them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from tutor.judge.cases.arguments import tensors_of
from tutor.judge.cases.case_runner import Cases
from tutor.judge.cases.reference import Args, make_inputs
from tutor.judge.processes import shared_tensors

_CLOSE = 1e-4  # of the largest element: equal outputs of float32 arithmetic
_ROUNDING = 16  # times the distance from 1 to the next number, if that is more


def make_positive(
    tensors: Sequence[torch.Tensor], low: float, draw: torch.Generator
) -> list[torch.Tensor]:
    """Return numbers from `low` to `low + 1` for each floating-point tensor, and the others unchanged.

    Such numbers do not cancel, overflow or vanish in a sum.
    """
    return [
        (low + torch.rand(tensor.shape, generator=draw)).to(tensor.dtype)
        if tensor.is_floating_point()
        else tensor
        for tensor in tensors
    ]


def compute_rounding(tensors: Sequence[torch.Tensor]) -> float:
    """Return the largest difference of equal outputs, over the largest element."""
    eps = (torch.finfo(tensor.dtype).eps for tensor in tensors if tensor.is_floating_point())
    return max((_CLOSE, *(_ROUNDING * distance for distance in eps)))


@dataclass(frozen=True)
class CaseRerun:
    """Case `index` with its arguments; the probes replace the numbers in the tensors."""

    cases: Cases
    index: int
    args: Args

    @classmethod
    def of(cls, cases: Cases, index: int) -> "CaseRerun":
        return cls(cases, index, make_inputs(cases.reference.cases[index], cases.seed + index))

    @property
    def case(self) -> str:
        return self.cases.reference.cases[self.index].name

    @property
    def tensors(self) -> list[torch.Tensor]:
        return tensors_of(self.args)

    @property
    def elements(self) -> int:
        """Elements of the largest tensor."""
        return max((tensor.numel() for tensor in self.tensors), default=0)

    @cached_property
    def _like(self) -> torch.Tensor:
        """An output of the expected shape and dtype."""
        return self.cases.reference.eager(*self.with_numbers(self.tensors))

    def with_numbers(self, values: Sequence[torch.Tensor]) -> Args:
        """The arguments with `values`, one for each tensor, in their place.

        Shapes and strides stay as they are.
        """
        left = list(values)
        return tuple(
            torch.empty_strided(a.shape, a.stride(), dtype=a.dtype).copy_(left.pop(0))
            if isinstance(a, torch.Tensor)
            else a
            for a in self.args
        )

    def compute_truth(self, values: Sequence[torch.Tensor]) -> torch.Tensor | None:
        """Return the truth in float64, or None if the task has no answer for such numbers."""
        try:
            return self.cases.reference.want(self.with_numbers(values))
        except (RuntimeError, ValueError, IndexError):
            return None

    def compute_output(self, values: Sequence[torch.Tensor]) -> torch.Tensor | None:
        """Return the learner's output in float64, or None if its shape or dtype is wrong.

        Raise `WorkerStopped` if the call exceeds the worker's limits.
        """
        args = self.with_numbers(values)
        buffer, _ = shared_tensors.fill_buffer(tensors_of(args))
        fd = shared_tensors.memory_file("inputs", buffer)
        fds: list[int] = []
        try:
            reply, fds = self.cases.ask(self.index, args, fd)
            if reply.output is None or not fds:
                return None
            known = shared_tensors.DTYPES.get(reply.output.dtype)
            like = self._like
            if known is not like.dtype or reply.output.shape != tuple(like.shape):
                return None
            data = shared_tensors.read_file(fds[0], like.numel() * known.itemsize)
            return None if data is None else data.view(known).reshape(like.shape).double()
        finally:
            for descriptor in (fd, *fds):
                os.close(descriptor)

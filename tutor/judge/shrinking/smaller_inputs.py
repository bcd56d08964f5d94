"""Smaller and simpler arguments for a learner's function. Pure.

A size that several arguments have is one size of the task: `x[M, K]` and `w[K, N]` share K, and an
argument that is the number K goes with it.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import torch

from tutor.base.number_text import tell_apart
from tutor.judge.cases.arguments import copy_argument, tensors_of
from tutor.judge.cases.reference import Args

Factors = dict[
    tuple[int, int], int
]  # of the sizes of a dimension: (argument, dimension) -> divisor

# Small sizes first; then those around usual blocks, where the last block is full, or has one element.
_SIZES = (1, 2, 3, 4, 5, 8, 9, *(2**k + more for k in range(4, 13) for more in (0, 1)))


def shared_sizes(args: Args) -> list[int]:
    """Return the sizes above 1 of the tensors' dimensions, the largest first."""
    sizes = {size for tensor in tensors_of(args) for size in tensor.shape if size > 1}
    return sorted(sizes, reverse=True)


def find_common_factors(inputs: Sequence[Args]) -> Factors:
    """Return for each dimension of each argument the greatest common divisor of its sizes in all cases:
    32 where a task has whole tiles only."""
    factors: Factors = {}
    for args in inputs:
        for place, size in _dimensions(args):
            factors[place] = math.gcd(factors.get(place, 0), size)
    return factors


def _dimensions(args: Args) -> Iterator[tuple[tuple[int, int], int]]:
    """Yield the place (argument, dimension) and the size of every dimension of the tensors."""
    for number, argument in enumerate(args):
        if isinstance(argument, torch.Tensor):
            yield from (((number, at), size) for at, size in enumerate(argument.shape))


def shrink_size(args: Args, size: int, factors: Factors) -> Iterator[Args]:
    """Yield the arguments with fewer elements in every dimension of `size`, the fewest first.

    These are the first elements of the dimension, a multiple of its common factor. What is contiguous
    stays so, and a view keeps its strides.
    """
    step = math.lcm(*(factors.get(place, 1) or 1 for place, n in _dimensions(args) if n == size))
    for smaller in _SIZES:
        if smaller >= size:
            return
        if smaller % step:
            continue
        yield tuple(_cut(argument, size, smaller) for argument in args)


def _cut(argument: object, size: int, smaller: int) -> object:
    if isinstance(argument, torch.Tensor):
        cut = argument[tuple(slice(smaller if n == size else n) for n in argument.shape)]
        return cut.contiguous() if argument.is_contiguous() else cut
    if type(argument) is int and argument == size:
        return smaller
    return copy_argument(argument)


def make_contiguous(args: Args) -> Args:
    """Return the arguments with every tensor contiguous."""
    return tuple(a.contiguous() if isinstance(a, torch.Tensor) else a for a in args)


def count_elements(args: Args) -> int:
    """Count the elements of all tensors."""
    return sum(tensor.numel() for tensor in tensors_of(args))


def count_up(args: Args) -> Args:
    """Return the arguments with 1 2 3 … 9 1 2 … in every tensor of floating-point numbers."""
    return tuple(
        _fill(a, _count_up)
        if isinstance(a, torch.Tensor) and a.is_floating_point() and not _is_expanded(a)
        else a
        for a in args
    )


def simplify_tensor(args: Args, place: int) -> Iterator[Args]:
    """Yield the arguments with simpler numbers in the tensor at `place`, the simplest first.

    They are zeros, ones, a single one, 1 2 3 …, numbers of one digit, and numbers with as many digits
    as a verdict shows. Strides stay."""
    tensor = args[place]
    if not isinstance(tensor, torch.Tensor) or tensor.dtype == torch.bool or _is_expanded(tensor):
        return
    for fill in _FILLS:
        yield (*args[:place], _fill(tensor, fill), *args[place + 1 :])


def _is_expanded(tensor: torch.Tensor) -> bool:
    """Return True if several elements lie at one address: they cannot be written one by one."""
    pairs = zip(tensor.shape, tensor.stride(), strict=True)
    return any(size > 1 and stride == 0 for size, stride in pairs)


def _fill(tensor: torch.Tensor, fill: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
    filled = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)
    return filled.copy_(fill(tensor))


def _one_hot(tensor: torch.Tensor, place: int) -> torch.Tensor:
    flat = torch.zeros(tensor.numel())
    flat[place] = 1
    return flat.reshape(tensor.shape)


def _count_up(tensor: torch.Tensor) -> torch.Tensor:
    return (1 + torch.arange(tensor.numel()) % 9).reshape(tensor.shape)


def _as_shown(tensor: torch.Tensor) -> torch.Tensor:
    """Return the numbers that a reader of the verdict sees: fractions are rounded there."""
    numbers = [float(tell_apart(number)[0]) for number in tensor.double().reshape(-1).tolist()]
    return torch.tensor(numbers, dtype=torch.float64).reshape(tensor.shape)


_FILLS: tuple[Callable[[torch.Tensor], torch.Tensor], ...] = (
    torch.zeros_like,
    torch.ones_like,
    lambda tensor: _one_hot(tensor, 0),
    lambda tensor: _one_hot(tensor, tensor.numel() - 1),
    _count_up,
    lambda tensor: tensor.double().nan_to_num(9, 9, -9).clamp(-9, 9).round(),
    lambda tensor: _as_shown(tensor) if tensor.is_floating_point() else tensor,
)

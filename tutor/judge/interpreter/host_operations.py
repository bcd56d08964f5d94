"""The work that PyTorch does for a kernel's function between its call and its return.

In an exercise on kernels PyTorch may make tensors, view them and copy them. All other operations
outside of launches, and tensors that are read by NumPy or by Python, are recorded by name. Private
names of PyTorch (2.11 and 2.13): `torch.utils._python_dispatch`, and `_schema` of an operator.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from tutor.judge.processes.worker_messages.answers import MAX_OPERATIONS

_LONGEST_NAME = 60

_MADE = (
    "empty empty_like empty_strided empty_permuted new_empty new_empty_strided zeros zeros_like "
    "new_zeros ones ones_like new_ones full full_like new_full fill_ zero_ arange lift_fresh "
    "scalar_tensor"
)
_VIEWED = (
    "view _unsafe_view _reshape_alias reshape alias detach detach_ transpose t permute expand slice "
    "select squeeze unsqueeze as_strided unbind split split_with_sizes chunk narrow diagonal unfold "
    "movedim flatten unflatten view_as broadcast_to transpose_ squeeze_ unsqueeze_ as_strided_"
)
_COPIED = "clone contiguous copy_ _to_copy resize_ set_ cat stack constant_pad_nd"
ALLOWED = frozenset(f"aten::{name}" for name in f"{_MADE} {_VIEWED} {_COPIED}".split())

# Bound here, before the learner's code can replace them. Methods of tensors that dispatch nothing.
_READERS = {
    getattr(torch.Tensor, name): name for name in ("numpy", "tolist", "__array__", "__dlpack__")
}


class HostOperations:
    """`names`: what PyTorch did outside of launches, such as `mul` or `Tensor.numpy`, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._launches = 0  # that are running
        self._dispatch, self._functions = _Dispatch(self), _Functions(self)

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Record the operations of the block."""
        self.names = []
        with ExitStack() as modes:
            modes.enter_context(self._functions)
            modes.enter_context(self._dispatch)
            yield

    @contextmanager
    def launch(self) -> Iterator[None]:
        """Leave out the block, in which a kernel runs: the interpreter uses tensors too."""
        self._launches += 1
        try:
            yield
        finally:
            self._launches -= 1

    def note(self, name: str) -> None:
        name = name[:_LONGEST_NAME]
        if not self._launches and name not in self.names and len(self.names) < MAX_OPERATIONS:
            self.names.append(name)


class _Dispatch(TorchDispatchMode):
    def __init__(self, operations: HostOperations) -> None:
        super().__init__()
        self._operations = operations

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func._schema.name
        if name not in ALLOWED:
            self._operations.note(name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


class _Functions(TorchFunctionMode):
    def __init__(self, operations: HostOperations) -> None:
        super().__init__()
        self._operations = operations

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func in _READERS:
            self._operations.note(f"Tensor.{_READERS[func]}")
        return func(*args, **(kwargs or {}))

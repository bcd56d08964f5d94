"""The work that PyTorch and NumPy do for a kernel's function between its call and its return.

In an exercise on kernels PyTorch may make tensors, view them and copy them. The result of any other
operation is marked with the operation's name, and so are views and copies of it. A marked tensor that
a launch receives, or that is returned, shows that the work was not the kernel's alone. A function that
only looks at its numbers, as for a message, marks tensors that go nowhere. An operator that the learner
registered is no operation of PyTorch's: what its own code does is looked at.

NumPy shares a tensor's memory and is not seen. A tensor that it got counts as marked if its elements
are others at the next launch or at the return.

Private names of PyTorch (2.11 and 2.13): `torch.utils._python_dispatch`, `_pop_mode_temporarily` there
and in `torch.overrides`, `_get_current_function_mode`, the mode's `_should_skip_dynamo`, and an
operator's `_schema`.
"""

import functools
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import overrides
from torch.overrides import TorchFunctionMode, _get_current_function_mode
from torch.utils import _python_dispatch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

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
_COPIED = "clone contiguous copy_ _to_copy repeat resize_ set_ cat stack constant_pad_nd"
_ALLOWED = frozenset(f"aten::{name}" for name in f"{_MADE} {_VIEWED} {_COPIED}".split())
_NO_CODE = ("Meta", "Autograd", "Autocast", "BackendSelect", "Functionalize", "ADInplaceOrView")
_COPIES = frozenset(f"aten::{name}" for name in _COPIED.split()) - {"aten::resize_", "aten::set_"}
_TO_SCALAR = "aten::_local_scalar_dense"

# Functions that dispatch nothing, bound before the learner's code can replace them.
_SHARE = {getattr(torch.Tensor, name) for name in ("numpy", "__array__", "__dlpack__")}
_TO_LIST = torch.Tensor.tolist
_FROM_HOST = {torch.tensor, torch.as_tensor, torch.full, torch.scalar_tensor}
_storage, _numpy, _detach = (
    torch.Tensor.untyped_storage,
    torch.Tensor.numpy,
    torch.Tensor.detach,
)


class HostOperations:
    """`names`: operations outside of launches whose results a launch or the caller got, in order;
    `copies`: those of them that only copy, which an exercise may forbid."""

    def __init__(self) -> None:
        self._dispatch, self._functions = _Dispatch(self), _Functions(self)
        self._launches = 0  # that are running
        self._active = False  # a call is recorded
        self.own: set[str] = set()  # operators that the learner registered, such as "course::add"
        self._begin(())

    def _begin(self, given: Iterable[Any]) -> None:
        self.names: list[str] = []
        self.copies: list[str] = []
        self._copied: dict[int, str] = {}  # by the address of a storage
        self._marks: dict[int, str] = {}  # by the address of a storage
        self._scalars: dict[float, str] = {}  # numbers that Python got from marked tensors
        self._shared: list[tuple[torch.Tensor, bytes]] = []  # NumPy's, with their elements
        self._kept: list[torch.Tensor] = []  # so that no other tensor gets a marked address
        self._read = ""  # the first way by which numbers left PyTorch
        self._given = {_address(tensor) for tensor in _tensors(given)}

    @contextmanager
    def recording(self, given: Iterable[Any]) -> Iterator[None]:
        """Record the operations of the block, a call with the arguments `given`. `end_call` ends it."""
        self._begin(given)
        self._active = True
        try:
            with self._inside():
                yield
        finally:
            self._active = False

    @contextmanager
    def launch(self, given: Iterable[Any]) -> Iterator[None]:
        """Look at a launch's arguments. Its block is left out: the interpreter uses tensors too."""
        self._launches += 1
        try:
            self._note_use(given)
            with self._pause():
                yield
        finally:
            self._launches -= 1

    def _pause(self) -> ExitStack:
        """Take the modes off for a block in which nothing is recorded, unless the learner's code has
        put modes of its own above them. A launch calls a hundred functions of PyTorch."""
        stack = ExitStack()
        top: Any = _get_current_function_mode()  # type: ignore[no-untyped-call]
        if top is self._functions:
            stack.enter_context(overrides._pop_mode_temporarily())
        if _get_current_dispatch_mode() is self._dispatch:
            stack.enter_context(_python_dispatch._pop_mode_temporarily())
        return stack

    @contextmanager
    def _inside(self) -> Iterator[None]:
        with ExitStack() as modes:
            if _get_current_function_mode() is not self._functions:  # type: ignore[no-untyped-call]
                modes.enter_context(self._functions)
            modes.enter_context(self._dispatch)
            yield

    def look_into_operators(self) -> None:
        """Look into operators that are registered from now on by `torch.library`, instead of taking
        them for PyTorch's. (PyTorch calls an operator's code with its modes off.)"""
        register = torch.library.Library.impl

        def impl(library: Any, op_name: Any, fn: Any, dispatch_key: str = "", **more: Any) -> Any:
            key = dispatch_key or library.dispatch_key
            if callable(fn) and not key.startswith(_NO_CODE):
                name = op_name if isinstance(op_name, str) else op_name._schema.name
                self.own.add(f"{library.ns}::{name.rpartition('::')[2].partition('.')[0]}")
                fn = self._looked_into(fn)
            return register(library, op_name, fn, dispatch_key, **more)  # type: ignore[no-untyped-call]

        torch.library.Library.impl = impl  # type: ignore[assignment, method-assign]

    def _looked_into(self, function: Any) -> Any:
        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            if not self._active or not self.watching:
                return function(*args, **kwargs)
            with self._inside():
                return function(*args, **kwargs)

        return run

    def end_call(self, out: object) -> None:
        """Look at what the function returned, and forget the call."""
        self._note_use([out])
        names, copies = self.names, self.copies
        self._begin(())
        self.names, self.copies = names, copies

    def _note_use(self, values: Iterable[Any]) -> None:
        for tensor, before in self._shared:
            if _elements(tensor) != before:
                self.mark(tensor, "Tensor.numpy")
        self._shared = []
        for value in values:
            name = (
                self._scalars.get(value, "") if isinstance(value, float) else self.mark_of([value])
            )
            _add(name, self.names)
            for tensor in _tensors([value]):
                _add(self._copied.get(_address(tensor), ""), self.copies)

    # --- what the modes see -----------------------------------------------------------------------

    @property
    def watching(self) -> bool:
        return not self._launches

    def mark_of(self, values: Iterable[Any]) -> str:
        """Return the operation that one of these tensors comes from, or ""."""
        return next((name for tensor in _tensors(values) if (name := self._mark(tensor))), "")

    def _mark(self, tensor: torch.Tensor) -> str:
        address = _address(tensor)
        if address not in self._given and not _storage(tensor).resizable():
            return self._read  # the memory is not PyTorch's: NumPy made the tensor
        return self._marks.get(address, "")

    def mark(self, values: Any, name: str) -> None:
        for tensor in _tensors([values]):
            if address := _address(tensor):  # 0 for a tensor without elements
                self._marks.setdefault(address, name[:_LONGEST_NAME])
                self._kept.append(tensor)

    def note_copy(self, value: Any, name: str) -> None:
        for tensor in _tensors([value]):
            if address := _address(tensor):
                self._copied.setdefault(address, name)
                self._kept.append(tensor)

    def note_leaving(self, value: Any, name: str) -> None:
        """Python or NumPy got numbers of PyTorch."""
        self._read = self._read or name
        if isinstance(value, float):
            self._scalars.setdefault(value, name)

    def share(self, tensor: torch.Tensor) -> None:
        self._read = self._read or "Tensor.numpy"
        self._shared.append((tensor, _elements(tensor)))

    def note_coming(self, values: Any) -> None:
        """A tensor was made from numbers of Python or NumPy."""
        if self._read:
            self.mark(values, self._read)


class _Dispatch(TorchDispatchMode):  # type: ignore[no-untyped-call]
    def __init__(self, operations: HostOperations) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._operations = operations

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Return False: PyTorch would wrap the next method, and import Dynamo at its first call, a
        second of processor time in each worker."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        operations, name = self._operations, func._schema.name
        result = func(*args, **(kwargs or {}))
        if not operations.watching or name in operations.own:
            return result
        source = operations.mark_of([*args, *(kwargs or {}).values()])
        if name == _TO_SCALAR:
            operations.note_leaving(result if source else None, source or "Tensor.item")
        elif name not in _ALLOWED:
            operations.mark(result, name.removeprefix("aten::"))
        elif source:
            operations.mark(result, source)
        if name in _COPIES:
            operations.note_copy(result, name.removeprefix("aten::"))
        return result


class _Functions(TorchFunctionMode):
    def __init__(self, operations: HostOperations) -> None:
        super().__init__()
        self._operations = operations

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        operations = self._operations
        result = func(*args, **(kwargs or {}))
        if not operations.watching:
            return result
        if func in _SHARE and isinstance(args[0], torch.Tensor):
            operations.share(args[0])
        elif func is _TO_LIST:
            operations.note_leaving(None, "Tensor.tolist")
        elif func in _FROM_HOST:
            operations.note_coming(result)
        return result


def _tensors(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            if value.layout is torch.strided and not value.is_meta:
                yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)
        elif isinstance(base := getattr(value, "base", None), torch.Tensor):
            yield base  # of a descriptor


def _add(name: str, names: list[str]) -> None:
    if name and name not in names and len(names) < MAX_OPERATIONS:
        names.append(name)


def _elements(tensor: torch.Tensor) -> bytes:
    with torch._C.DisableTorchFunction():
        return _numpy(_detach(tensor)).tobytes()


def _address(tensor: torch.Tensor) -> int:
    return _storage(tensor).data_ptr()

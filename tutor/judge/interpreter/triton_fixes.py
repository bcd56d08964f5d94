"""Fixes for faults of Triton's interpreter that concern all types. Each is applied once in a process.

Private names of Triton (3.6.0 and 3.7.1): `_implicit_cvt`, `TensorHandle`, `_patch_lang_tensor`,
`_patch_lang`, `_patch_attr`, `_LangPatchScope`, `_get_np_dtype`, `interpreter_builder`,
`interpreter_semantic`, `InterpreterOptions`, and of `Autotuner` `configs`, `keys`, `arg_names`, `_bench`
and `_do_bench`.
"""

import functools
import inspect
import itertools
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any
from weakref import WeakSet

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as private
from triton.runtime.autotuner import Autotuner

Tensors = dict[int, torch.Tensor]  # by the addresses of their storages

# Of a constant with what stands on its right.
_OPERATORS = (
    *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__"),
    *("__and__", "__or__", "__xor__", "__lshift__", "__rshift__"),
    *("__gt__", "__ge__", "__lt__", "__le__", "__eq__", "__ne__"),
)
_ROUNDING = 0.02  # of the largest element
_MOST_TYPES = 4096  # of blocks that are remembered


def convert_scalar_arguments() -> None:
    """Let Booleans and floats be run-time arguments of a kernel as a compiled one has them, i1 and fp32.

    Triton 3.6 and 3.7 put Booleans into 32-bit arrays and then refuse those as too wide for their type.
    A float stays a number of Python: it has no `to`, and does not make a sum with float16 a float32.
    """
    convert = private._implicit_cvt

    def convert_scalar(arg: Any) -> Any:
        if isinstance(arg, bool):
            return tl.tensor(private.TensorHandle(np.array([arg]), tl.int1), tl.int1)
        if isinstance(arg, float):
            array = np.array([arg], np.float32)
            return tl.tensor(private.TensorHandle(array, tl.float32), tl.float32)
        return convert(arg)

    private._implicit_cvt = convert_scalar


def convert_masks() -> None:
    """Let a mask be whole numbers, as up to Triton 3.8.

    `(i < n) & (k < K)` is that in the interpreter where `k` and `K` are single numbers; a compiler makes
    truths of it. From Triton 3.9 on the interpreter refuses the load.
    """
    builder = private.InterpreterBuilder
    load, store, rmw = (
        builder.create_masked_load,
        builder.create_masked_store,
        builder.create_atomic_rmw,
    )

    def create_masked_load(self: Any, ptrs: Any, mask: Any, *rest: Any, **kw: Any) -> Any:
        return load(self, ptrs, _as_truths(mask), *rest, **kw)

    def create_masked_store(self: Any, ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        return store(self, ptrs, value, _as_truths(mask), *rest)

    def create_atomic_rmw(self: Any, op: Any, ptr: Any, value: Any, mask: Any, *rest: Any) -> Any:
        return rmw(self, op, ptr, value, _as_truths(mask), *rest)

    builder.create_masked_load = create_masked_load
    builder.create_masked_store = create_masked_store
    builder.create_atomic_rmw = create_atomic_rmw


def _as_truths(mask: Any) -> Any:
    if np.asarray(mask.data).dtype == bool:
        return mask
    return private.TensorHandle(np.asarray(mask.data) != 0, tl.int1)


def fix_loop_bounds() -> None:
    """Let a scalar of the interpreter be a loop's bound under NumPy 2.4 and newer.

    Triton 3.6 converts the bound of `range(n)` by `int(array of shape [1])`, which NumPy 2.4 removed;
    Triton 3.7 does not. Call it before a kernel runs; it is harmless where nothing is broken.
    """
    patch = private._patch_lang_tensor

    def patch_with_index(tensor: Any, scope: Any) -> None:
        patch(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    private._patch_lang_tensor = patch_with_index


def mark_methods() -> None:
    """Let the interpreter run `x.exp()` and its like, which Triton's compiler accepts.

    Triton 3.6 and 3.7 make methods of a block of some functions of `tl.math` before these are marked as
    built in, so the interpreter, which patches what is marked, calls them without a builder. Call it
    before the language is patched.
    """
    for method in vars(tl.tensor).values():
        if inspect.isfunction(method) and "_semantic" in inspect.signature(method).parameters:
            setattr(method, tl.core.TRITON_BUILTIN, True)


def compute_with_constants() -> None:
    """Let a `tl.constexpr` of the module stand on the left of a block, as in `LOG2_E * x`.

    Triton 3.6 and 3.7 make a constant of the result, which no function of `tl` takes for a block.
    """
    for name in _OPERATORS:
        setattr(tl.constexpr, name, _give_blocks(getattr(tl.constexpr, name)))


def _give_blocks(operator: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    @functools.wraps(operator)
    def operate(self: Any, other: Any) -> Any:
        result = operator(self, other)
        inside = getattr(result, "value", None)
        return inside if isinstance(inside, tl.tensor) else result

    return operate


def patch_language_once() -> None:
    """Patch `triton.language` for the interpreter once and leave it patched.

    Triton 3.6 and 3.7 replace some two hundred functions before each launch and restore them after it:
    a quarter of a small launch's time. Call it only in a process that does nothing but interpret.
    """
    patch = private._patch_lang
    done: set[frozenset[int]] = set()

    def patch_new_modules(fn: Any) -> Any:
        space = fn.__globals__.values()
        names = frozenset(id(module) for module in space if module is tl or module is tl.core)
        if names not in done:
            patch(fn)
            done.add(names)
        return private._LangPatchScope()  # it restores nothing

    private._patch_lang = patch_new_modules


def remember_types() -> None:
    """Look up the NumPy type of a Triton type in one table.

    Triton 3.6 and 3.7 make the table anew for each operation: a tenth of a kernel's time.
    """
    make = private._get_np_dtype
    known: dict[Any, Any] = {}

    def numpy_type(of: Any) -> Any:
        element = of.element_ty if isinstance(of, tl.block_type) else of
        name = "pointer" if isinstance(element, tl.pointer_type) else element.name
        if name not in known:
            known[name] = make(of)
        return known[name]

    private._get_np_dtype = numpy_type


def remember_shapes() -> None:
    """Make each type of a block, and the shape of its tensors, once for each element type and shape.

    Triton 3.6 and 3.7 make both anew for each operation, with a type for each size and a name: a fifth
    of a kernel's time. They also build the type that the interpreter's operations get from the one of
    the language; the two are equal, so the language's own is used. Call it only in a process that does
    nothing but interpret.
    """
    make_type, make_tensor = tl.block_type.__init__, tl.tensor.__init__
    known: dict[tuple[int, tuple[int, ...]], dict[str, Any]] = {}

    def init_type(block: Any, element_ty: Any, shape: Any) -> None:
        sizes = tuple([s.value if isinstance(s, tl.constexpr) else s for s in shape])
        if any(type(s) is not int for s in sizes):  # an error, or 2.0, which must not stand for 2
            make_type(block, element_ty, shape)
            return
        key = (id(element_ty), sizes)  # what is remembered keeps the element type alive
        if key not in known:
            if len(known) >= _MOST_TYPES:  # each launch makes its types of pointers anew
                known.clear()
            make_type(block, element_ty, shape)
            known[key] = {**vars(block), "_of_tensors": {}}
        vars(block).update(known[key])

    def init_tensor(tensor: Any, handle: Any, of: Any) -> None:
        remembered = vars(of).get("_of_tensors") if tensor.__class__ is tl.tensor else None
        if not remembered:
            make_tensor(tensor, handle, of)
            if remembered is not None:
                facts = vars(tensor).items()
                remembered.update((k, v) for k, v in facts if k not in ("handle", "type"))
        else:
            vars(tensor).update(remembered)
            tensor.handle, tensor.type = handle, of

    tl.block_type.__init__, tl.tensor.__init__ = init_type, init_tensor
    tl.block_type.to_ir = lambda block, builder: block


def call_operations_directly() -> None:
    """Call each operation of `triton.language` through one function instead of three.

    Triton 3.6 and 3.7 copy the keyword arguments of each call, and check again that it comes from a
    kernel. Use it before a kernel runs.
    """

    def patch(obj: Any, name: str, member: Any, builder: Any, scope: Any) -> None:
        operation = getattr(member, "__wrapped__", member) if tl.core.is_builtin(member) else member
        semantic = private.interpreter_semantic

        def interpreted(*args: Any, _semantic: Any = None, **kwargs: Any) -> Any:
            return operation(*args, _semantic=semantic, **kwargs)

        scope.set_attr(obj, name, interpreted)

    private._patch_attr = patch


def skip_overflow_checks() -> None:
    """Leave out the arithmetic for checks of integer overflow that nothing reads.

    Triton 3.6 and 3.7 repeat each integer addition, subtraction and multiplication in 64 bits, compare
    the result with the type's range, and drop the answer, since `InterpreterOptions.debug` is off.
    """
    private.interpreter_builder.options = private.InterpreterOptions(sanitize_overflow=False)


class ConfigurationTrials:
    """Let an autotuner run each of its configurations once where it would time them, then use one.

    The interpreter has no device to time on. The first trial runs on the call's own tensors, as all do
    on a GPU, so a kernel that adds to its output needs `reset_to_zero`. Each other configuration begins
    with what the tensors held before, and leaves no trace, so that results can be compared; without
    `compares`, all run one after another as on a GPU. Sizes decide which one is used, and the same call
    made again uses the same. `unknown_key` names a `key` that is no argument of its kernel.
    """

    def __init__(
        self,
        attempt: Callable[[Callable[[], Any]], None],
        pause: Callable[[tuple[()]], AbstractContextManager[None]],
        compares: bool,
    ) -> None:
        self._attempt, self._pause = attempt, pause  # run a trial; record no operation of PyTorch
        self._compares = compares
        self._tuners: WeakSet[Autotuner] = WeakSet()
        self._before: Tensors = {}  # before the first trial
        self._results: list[tuple[str, Tensors]] = []  # of each configuration, until one is used
        self._others: dict[int, str] = {}  # the configuration that stored other numbers, by address
        self._name = ""  # of the configuration that is tried
        self.unknown_key = ""

    def install(self) -> None:
        """Let every autotuner that is made from now on work like this."""
        init = Autotuner.__init__

        def init_with_trials(tuner: Any, *args: Any, **kwargs: Any) -> None:
            init(tuner, *args, **kwargs)
            self._tuners.add(tuner)
            ran, bench = itertools.count(), tuner._bench
            configuration = ""

            def bench_named(*args: Any, config: Any, **meta: Any) -> Any:
                nonlocal configuration
                sizes = {**config.kwargs, "num_warps": config.num_warps}
                configuration = ", ".join(f"{key}={value}" for key, value in sizes.items())
                missing = (f"{key}" for key in tuner.keys if key not in tuner.arg_names)
                self.unknown_key = self.unknown_key or next(missing, "")
                return bench(*args, config=config, **meta)

            def trial(kernel_call: Any, quantiles: Any = None) -> list[float]:
                self._try(kernel_call, configuration, _host_tensors(tuner.nargs.values()))
                sizes = sum(n for n in tuner.nargs.values() if isinstance(n, int))
                return [float((next(ran) - sizes) % len(tuner.configs))]  # the least is chosen

            tuner._bench, tuner._do_bench = bench_named, trial

        Autotuner.__init__ = init_with_trials

    def _try(self, kernel_call: Any, name: str, tensors: Tensors) -> None:
        with self._pause(()):
            self._name = name
            if not self._compares or not self._results:
                self._before = _copies(tensors)
                self._attempt(kernel_call)
                return
            held = _copies(tensors)
            _put_back(tensors, self._before)
            self._attempt(kernel_call)
            _put_back(tensors, held)

    def note_trial(self, values: Iterable[Any]) -> None:
        """Keep what a trial's launch with these arguments left in them."""
        self._results.append((self._name, _copies(_host_tensors(values))))

    def compare_trials(self, values: Iterable[Any]) -> None:
        """Compare the trials with the launch that followed them, with the arguments `values`."""
        if not self._results:
            return
        with self._pause(()):
            for at, stored in _host_tensors(values).items():
                for name, result in self._results:
                    if at in result and not _same_numbers(result[at], stored):
                        self._others.setdefault(at, name)
        self._results, self._before = [], {}

    def other_result(self, output: torch.Tensor) -> str:
        """Return a configuration that stores other numbers than the one used in this output, or ""."""
        return self._others.get(output.untyped_storage().data_ptr(), "")

    def forget(self, choices: bool = True) -> None:
        """Forget what trials found, and all choices, so that the next call tries the configurations as
        the first one did."""
        self._results, self._before, self._others = [], {}, {}
        if choices:
            self.unknown_key = ""
            for tuner in self._tuners:
                tuner.cache.clear()


def _host_tensors(values: Iterable[Any]) -> Tensors:
    """Return the tensors among these values by the addresses of their storages."""
    tensors = [v for v in values if isinstance(v, torch.Tensor) and v.device.type == "cpu"]
    return {tensor.untyped_storage().data_ptr(): tensor for tensor in tensors}


def _copies(tensors: Tensors) -> Tensors:
    return {at: tensor.detach().clone() for at, tensor in tensors.items()}


def _put_back(tensors: Tensors, copies: Tensors) -> None:
    for at, tensor in tensors.items():
        tensor.detach().copy_(copies[at])


def _same_numbers(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return True if the numbers agree but for rounding."""
    if one.shape != other.shape or not one.is_floating_point():
        return torch.equal(one, other)
    a, b = one.double(), other.double()
    largest = float(b[torch.isfinite(b)].abs().amax()) if torch.isfinite(b).any() else 0.0
    return torch.allclose(a, b, rtol=0.0, atol=_ROUNDING * largest, equal_nan=True)

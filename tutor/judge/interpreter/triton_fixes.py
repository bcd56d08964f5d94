"""Fixes for faults of Triton's interpreter that concern all types. Each is applied once in a process.

Private names of Triton (3.6.0 and 3.7.1): `_implicit_cvt`, `TensorHandle`, `_patch_lang_tensor`,
`_patch_lang`, `_LangPatchScope`, `_get_np_dtype`, `interpreter_builder`, `InterpreterOptions`,
`Autotuner.configs` and `Autotuner._do_bench`.
"""

import itertools
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import numpy as np
import triton.language as tl
import triton.runtime.interpreter as private
from triton.runtime.autotuner import Autotuner


def allow_boolean_arguments() -> None:
    """Let `True` and `False` be run-time arguments of a kernel, as a compiled one has them (i1).

    Triton 3.6 and 3.7 put them into 32-bit arrays and then refuse those as too wide for their type.
    """
    convert = private._implicit_cvt

    def convert_boolean(arg: Any) -> Any:
        if isinstance(arg, bool):
            return tl.tensor(private.TensorHandle(np.array([arg]), tl.int1), tl.int1)
        return convert(arg)

    private._implicit_cvt = convert_boolean


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


def patch_language_once() -> None:
    """Patch `triton.language` for the interpreter once and leave it patched.

    Triton 3.6 and 3.7 replace some two hundred functions before each launch and restore them after it:
    a quarter of a small launch's time. Call it only in a process that does nothing but interpret.
    """
    patch = private._patch_lang
    done: set[frozenset[int]] = set()

    def patch_new_modules(fn: Any) -> Any:
        space = fn.__globals__.values()
        names = frozenset(id(each) for each in space if each is tl or each is tl.core)
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


def skip_overflow_checks() -> None:
    """Leave out the arithmetic for checks of integer overflow that nothing reads.

    Triton 3.6 and 3.7 repeat each integer addition, subtraction and multiplication in 64 bits, compare
    the result with the type's range, and drop the answer, since `InterpreterOptions.debug` is off.
    """
    private.interpreter_builder.options = private.InterpreterOptions(sanitize_overflow=False)


class ConfigurationTrials:
    """Let an autotuner run each of its configurations once where it would time them, then use one.

    The interpreter has no device to time on. As on a GPU, the trials run on the call's own tensors, so a
    kernel that adds to its output needs `reset_to_zero`. Sizes decide which configuration is used: over
    the cases of an exercise each must be right, and the same call made again uses the same.
    """

    def __init__(self, attempt: Callable[[Callable[[], Any]], None]) -> None:
        self._attempt = attempt  # runs a trial
        self._tuners: WeakSet[Autotuner] = WeakSet()

    def install(self) -> None:
        """Let every autotuner that is made from now on work like this."""
        init = Autotuner.__init__

        def init_with_trials(tuner: Any, *args: Any, **kwargs: Any) -> None:
            init(tuner, *args, **kwargs)
            self._tuners.add(tuner)
            ran = itertools.count()

            def trial(kernel_call: Any, quantiles: Any = None) -> list[float]:
                self._attempt(kernel_call)
                sizes = sum(n for n in tuner.nargs.values() if isinstance(n, int))
                return [float((next(ran) - sizes) % len(tuner.configs))]  # the least is chosen

            tuner._do_bench = trial

        Autotuner.__init__ = init_with_trials

    def forget(self) -> None:
        """Forget all choices, so that the next call tries the configurations as the first one did."""
        for tuner in self._tuners:
            tuner.cache.clear()

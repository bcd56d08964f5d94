"""Fixes for faults of Triton's interpreter that concern all types. Each is applied once in a process.

Private names of Triton (3.6.0 and 3.7.1): `_implicit_cvt`, `TensorHandle`, `_patch_lang_tensor`,
`_patch_lang`, `_LangPatchScope`, `_get_np_dtype`, and `Autotuner.configs`.
"""

from typing import Any

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


def keep_first_configuration() -> None:
    """Let an autotuner use its first configuration, which must be right like any other.

    Choosing one means timing all on a device, and the interpreter has none.
    """
    init = Autotuner.__init__

    def init_with_first(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.configs = self.configs[:1]

    Autotuner.__init__ = init_with_first

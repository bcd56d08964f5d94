"""Functions of CUDA's libdevice in Triton's interpreter, computed by PyTorch.

`triton.language.extra.libdevice` holds empty functions, which Triton's compiler replaces by those of
the device (3.6.0 and 3.7.1). The interpreter calls the empty ones, gets None, and fails at the next
operation. Here they are replaced by NVIDIA's, which check the types and ask the builder for a function
by its name in the library; the builder computes the common ones.

Private names of Triton: `InterpreterBuilder.create_extern_elementwise`, `TensorHandle`,
`TritonSemantic`.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import triton.language as tl
import triton.runtime.interpreter as private
from triton.language.extra import libdevice as empty
from triton.language.extra.cuda import libdevice as nvidia
from triton.language.semantic import TritonSemantic


def _round_away_from_zero(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x.frac().abs() == 0.5, x + 0.5 * x.sign(), x.round())


# By the name in the library without `__nv_` and the `f` of float32.
_FUNCTIONS: dict[str, Callable[..., torch.Tensor]] = {
    **{
        name: getattr(torch, name)
        for name in (
            "acos",
            "acosh",
            "asin",
            "asinh",
            "atan",
            "atan2",
            "atanh",
            "ceil",
            "copysign",
            "cos",
            "cosh",
            "erf",
            "erfc",
            "erfinv",
            "exp",
            "exp2",
            "expm1",
            "floor",
            "fmax",
            "fmin",
            "fmod",
            "hypot",
            "lgamma",
            "log",
            "log10",
            "log1p",
            "log2",
            "pow",
            "rsqrt",
            "sin",
            "sinh",
            "sqrt",
            "tan",
            "tanh",
            "trunc",
        )
    },
    "fabs": torch.abs,
    "rint": torch.round,
    "nearbyint": torch.round,
    "round": _round_away_from_zero,
    "exp10": lambda x: torch.pow(10.0, x),
    "fma": lambda x, y, z: x * y + z,  # in float64, so it is rounded once
}


def patch_libdevice() -> None:
    """Replace the empty functions. Call once before a kernel runs."""
    semantic = TritonSemantic(private.interpreter_builder)
    for name, _ in inspect.getmembers(empty, inspect.isfunction):
        setattr(empty, name, _refuse(name))  # kept for functions of other vendors only
    for name, function in inspect.getmembers(nvidia, tl.core.is_builtin):
        for module in (empty, nvidia):
            setattr(module, name, _bind(function, semantic))
    private.InterpreterBuilder.create_extern_elementwise = _compute


def _refuse(name: str) -> Callable[..., Any]:
    def run(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"{name} of libdevice not supported in interpreter mode")

    return run


def _bind(function: Callable[..., Any], semantic: Any) -> Callable[..., Any]:
    def run(*args: Any, _semantic: Any = None) -> Any:
        return function(*args, _semantic=semantic)

    return run


def _compute(self: Any, library: str, path: str, symbol: str, args: list[Any], *_: Any) -> Any:
    name = symbol.removeprefix("__nv_")
    function = name.removeprefix("fast_")
    kinds = {handle.dtype.scalar for handle in args}
    if kinds == {tl.float32}:
        function = function.removesuffix("f")
    if function not in _FUNCTIONS or kinds not in ({tl.float32}, {tl.float64}):
        return _refuse(name)()
    wide = [torch.from_numpy(np.array(handle.data, np.float64)) for handle in args]
    result = _FUNCTIONS[function](*wide).numpy()
    (kind,) = kinds
    return private.TensorHandle(result.astype(args[0].data.dtype), kind)

"""Functions of tiles that Triton's interpreter lacks, or that take there what a GPU does not.

Private names of Triton (3.6.0 and 3.7.1): `InterpreterBuilder.create_gather`, `TensorHandle`,
`interpreter_semantic`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.runtime.interpreter as private

from tutor.judge.interpreter.poison import encode_element


def patch_tile_functions() -> None:
    """Patch the functions. Call once before a kernel runs."""
    builder = private.InterpreterBuilder
    builder.create_gather = _patch_gather(builder.create_gather)
    private.interpreter_semantic.dot_scaled = _refuse_dot_scaled


def _patch_gather(gather: Callable[..., Any]) -> Callable[..., Any]:
    """Let an index outside of the tile give any number, as on a GPU, and not the element from the end
    or an error: the lane may be masked off later."""

    def run(self: Any, source: Any, indices: Any, axis: int) -> Any:
        length = np.shape(source.data)[axis]
        outside = (indices.data < 0) | (indices.data >= length)
        if not outside.any():
            return gather(self, source, indices, axis)
        inside = private.TensorHandle(np.where(outside, 0, indices.data), indices.dtype)
        tile = gather(self, source, inside, axis)
        data = np.array(tile.data)
        data[outside] = encode_element("nan", data.dtype, str(source.dtype.scalar))
        return private.TensorHandle(data, tile.dtype)

    return run


def _refuse_dot_scaled(*_: Any, **__: Any) -> Any:
    raise NotImplementedError("dot_scaled not supported in interpreter mode")

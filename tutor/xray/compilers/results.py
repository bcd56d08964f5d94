"""The last stage of a compiler whose code runs here: what it computed, beside PyTorch's results."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import OutputKind, TensorArgument

from tutor.xray.compilers.capture import Captured
from tutor.xray.model.compiler import RESULT
from tutor.xray.model.stages import Stage

_RANDOM = "The function draws random numbers, and no compiler draws those that PyTorch draws."


def compare_results(
    compiler: str, captured: Captured, computed: Sequence[torch.Tensor], ms: float = 0.0
) -> Stage:
    """Return the stage "result": shapes, and the largest difference from PyTorch's own results.

    The count `difference` is absolute; values that are equal, both infinite or both no numbers, have
    none; where only one is no number or infinite, it is the largest float. `ms` is the time of the
    call, in milliseconds. Raises `ValueError` for other shapes than PyTorch's.
    """
    wanted = captured.run_eagerly()
    lines, largest = [], 0.0
    for number, (got, want) in enumerate(zip(computed, wanted, strict=True)):
        if got.shape != want.shape:
            raise ValueError(f"result {number} has the shape {list(got.shape)}, not PyTorch's")
        difference = _difference(got, want)
        largest = max(largest, difference)
        kind = str(want.dtype).removeprefix("torch.")
        shape = ", ".join(map(str, want.shape))
        lines.append(
            f"result {number}: {kind}[{shape}], largest difference from PyTorch {difference:.3g}"
        )
    return Stage(
        RESULT.name,
        RESULT.title,
        RESULT.language,
        "\n".join(lines) + "\n",
        (_RANDOM,) if _is_random(captured.program) else (),
        ms=ms,
        counts=(("difference", largest),),
        compiler=compiler,
    )


def returns_tensors(program: ExportedProgram) -> bool:
    """Return True if all that the function returns are tensors."""
    return all(
        isinstance(output.arg, TensorArgument)
        for output in program.graph_signature.output_specs
        if output.kind is OutputKind.USER_OUTPUT
    )


def _difference(got: torch.Tensor, want: torch.Tensor) -> float:
    kind = torch.complex128 if want.is_complex() else torch.float64
    got, want = got.to(kind), want.to(kind)
    same = (got == want) | (got.isnan() & want.isnan())
    apart = (got - want).abs().masked_fill(same, 0.0).nan_to_num(nan=sys.float_info.max)
    return float(apart.max().item()) if apart.numel() else 0.0


def _is_random(program: ExportedProgram) -> bool:
    return any(
        torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
        for node in program.graph.nodes
    )

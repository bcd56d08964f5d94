"""The last stage of a compiler whose code runs here: what it computed, beside PyTorch's results."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from tutor.xray.compilers.capture import Captured
from tutor.xray.model.compiler import RESULT
from tutor.xray.model.stages import Stage


def compare_results(
    compiler: str, captured: Captured, computed: Sequence[torch.Tensor], ms: float = 0.0
) -> Stage:
    """Return the stage "result": shapes, and the largest difference from PyTorch's own results.

    The count `difference` is absolute; `ms` is the time of the call, in milliseconds.
    """
    wanted = captured.run_eagerly()
    lines, largest = [], 0.0
    for number, (got, want) in enumerate(zip(computed, wanted, strict=True)):
        difference = (got.double() - want.double()).abs().max().item() if want.numel() else 0.0
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
        ms=ms,
        counts=(("difference", largest),),
        compiler=compiler,
    )

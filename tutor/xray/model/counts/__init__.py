"""The numbers that matter in each stage, read from its text. Pure; a module for each language.

`triton` reads the stages of a Triton kernel and lists the names of its counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from tutor.xray.model.compiler import INDUCTOR
from tutor.xray.model.counts import triton
from tutor.xray.model.stages import Number, Stage

Counts: TypeAlias = tuple[tuple[str, Number], ...]

# Of several kernels the largest counts, not the sum.
_MAXIMA = {
    "registers",
    "vgprs",
    "sgprs",
    "shared_bytes",
    "spills",
    "stack_bytes",
    "load_bits",
    "store_bits",
    "num_warps",
}


def of_text(stage: str, text: str) -> Counts:
    """The counts of one stage's text; none where nothing is counted in it."""
    reader = triton.READERS.get(stage)
    return tuple(reader(text).items()) if reader else ()


def of_stages(stages: Iterable[Stage]) -> dict[str, Number]:
    """All counts as "ptx.global_loads" and, where that is unambiguous, as "global_loads".

    Summed over the kernels, of registers and the like the largest. A name alone means the lowest
    stage that has it. `kernels` is how many kernels the function became.
    """
    stages = tuple(stages)
    totals: dict[str, Number] = {}
    for stage in stages:
        for name, value in stage.counts:
            key = f"{stage.name}.{name}"
            if key not in totals:
                totals[key] = value
            else:
                totals[key] = max(totals[key], value) if name in _MAXIMA else totals[key] + value
    totals |= {key.partition(".")[2]: value for key, value in totals.items()}
    kernels = {stage.kernel for stage in stages if stage.name in INDUCTOR.unit_stages}
    if "kernels" not in totals and kernels:
        totals["kernels"] = len(kernels)
    return totals

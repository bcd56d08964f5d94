"""What ptxas says of a kernel: its registers, its stack frame, and the bytes that its spills move.

Triton runs `ptxas -v` and throws the log away, or prints it (TRITON_DUMP_PTXAS_LOG, Triton 3.4 to 3.9).
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from tutor.xray.model.stages import Number

KEY = "ptxas_figures"  # in Triton's metadata, which its cache keeps
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"\bUsed (\d+) registers")
_WORD = 4  # bytes


@contextlib.contextmanager
def kept_in(metadata: MutableMapping[str, Any]) -> Iterator[None]:
    """Inside, ptxas runs once: what it says is put into Triton's metadata."""
    from triton import knobs

    printed = io.StringIO()
    before = knobs.nvidia.dump_ptxas_log
    knobs.nvidia.dump_ptxas_log = True
    try:
        with contextlib.redirect_stdout(printed):
            yield
    finally:
        knobs.nvidia.dump_ptxas_log = before
    metadata[KEY] = read_figures(printed.getvalue())


def read_figures(log: str) -> dict[str, int]:
    """Return `registers`, `stack_bytes`, `spill_store_bytes` and `spill_load_bytes` of a thread.

    The frames of functions that are called are added up. Empty where the log has no figures.
    """
    frames = [tuple(map(int, figures)) for figures in _FRAME.findall(log)]
    registers = _REGISTERS.findall(log)
    if not frames or not registers:
        return {}
    stack, stores, loads = map(sum, zip(*frames, strict=True))
    return {
        "registers": max(map(int, registers)),
        "stack_bytes": stack,
        "spill_store_bytes": stores,
        "spill_load_bytes": loads,
    }


def read_usage(metadata: Mapping[str, Any]) -> dict[str, Number]:
    """Return the counts of a compiled kernel: ptxas's figures, and `spills` in words of 32 bits.

    ptxas counts a word as often as the code stores it, and the frame holds arrays of the kernel's own
    beside spilled words: so many are spilled as the stores write, and at most as many as there is room.
    """
    figures: dict[str, Number] = dict(metadata.get(KEY) or {})
    if not figures:
        return {}
    spilled = min(figures["stack_bytes"], figures["spill_store_bytes"])
    return {**figures, "spills": int(spilled) // _WORD}

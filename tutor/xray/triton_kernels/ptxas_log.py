"""What ptxas says of a kernel: its registers, its stack frame, and the bytes that its spills move.

Triton runs `ptxas -v` and throws the log away, or prints it (TRITON_DUMP_PTXAS_LOG, Triton 3.4 to 3.9).
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any

from tutor.xray.model.stages import Number

KEY = "ptxas_figures"  # in Triton's metadata, which its cache keeps
_FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_REGISTERS = re.compile(r"\bUsed (\d+) registers")
_TARGET = re.compile(rb"^\.target (sm_(\d+)\w*)", re.MULTILINE)
_WORD = 4  # bytes
_SECONDS = 20.0


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


def read_usage(metadata: Mapping[str, Any], ptx: str | bytes | None = None) -> dict[str, Number]:
    """Return the counts of a compiled kernel: ptxas's figures, and `spills` in words of 32 bits.

    A kernel that Triton compiled for a launch, and perhaps cached, has no figures in its metadata:
    ptxas then assembles its `ptx` again. Triton's own `n_spills` is another number, the whole frame.

    ptxas counts a word as often as the code stores it, and the frame holds arrays of the kernel's own
    beside spilled words: so many are spilled as the stores write, and at most as many as there is room.
    """
    figures: dict[str, Number] = dict(metadata.get(KEY) or (assemble(ptx) if ptx else {}))
    if not figures:
        return {}
    spilled = min(figures["stack_bytes"], figures["spill_store_bytes"])
    return {**figures, "spills": int(spilled) // _WORD}


def assemble(ptx: str | bytes) -> dict[str, int]:
    """Return the figures of a PTX text that ptxas assembles; {} where it does not or is not there."""
    from triton.backends.nvidia.compiler import get_ptxas

    text = ptx.encode() if isinstance(ptx, str) else ptx
    chip = _TARGET.search(text)
    if chip is None:
        return {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kernel.ptx"
        file.write_bytes(text)
        command = [get_ptxas(int(chip[2])).path, "-v", f"--gpu-name={chip[1].decode()}", str(file)]
        command += ["-o", str(file.with_suffix(".cubin"))]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
        except (OSError, subprocess.TimeoutExpired):
            return {}
    return read_figures(done.stdout + done.stderr)

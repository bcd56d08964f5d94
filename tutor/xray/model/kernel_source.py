"""A Triton kernel to lower: the learner's own, or one that Inductor wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tutor.xray.model.stages import Number


@dataclass(frozen=True)
class KernelSource:
    """A specialization of a kernel: what Triton's compiler needs, and notes on it.

    `signature` gives every parameter, in order, its Triton type: "*fp32", "i32", "constexpr", of a
    tuple a tuple of these. A member of a tuple is named as in "pair[0]" below.
    `constexprs` are the values of those; `divisible` the parameters known to be multiples of 16
    (a pointer: of 16 bytes); `small` the pointers to less than 2 GiB, which AMD's backend asks for.
    `elements` is how many elements each tensor spans, where its size is known.
    `launch` is a launch of it that was recorded (`launch_recorder.RecordedLaunch`), or None.
    `options` are num_warps, num_stages and their like; `configurations` is how many an autotuner
    chooses among, of which this is the first.

    `function` is the `triton.runtime.jit.JITFunction`. Where it is None, it is made from `text`,
    a module whose function `entry` (default: `name`) is the kernel.
    `lines[i]` is the line of the kernel's file that line i + 1 of `text` shows; empty where `text`
    is the whole file.
    """

    name: str
    text: str
    signature: tuple[tuple[str, Any], ...]
    constexprs: tuple[tuple[str, Any], ...] = ()
    divisible: tuple[str, ...] = ()
    small: tuple[str, ...] = ()
    options: tuple[tuple[str, Any], ...] = ()
    function: Any = None
    entry: str = ""
    lines: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    counts: tuple[tuple[str, Number], ...] = ()
    configurations: int = 1
    elements: tuple[tuple[str, int], ...] = ()
    launch: Any = None

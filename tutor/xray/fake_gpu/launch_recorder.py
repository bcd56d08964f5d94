"""Launches of Triton kernels, noted instead of run. No torch in here.

The part of Triton that it uses: `runtime.jit.KernelInterface.__getitem__` and `warmup`, through which
`kernel[grid](…)` goes for kernels, autotuners and heuristics alike. Read in 3.6 and 3.7.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

_BETWEEN = (__file__, "triton_kernel_wrap.py")  # that of torch.library.wrap_triton
MOST = 64  # launches of one call that are looked at


@dataclass(frozen=True)
class RecordedLaunch:
    """A launch as it was written: the kernel, its arguments, the place of the call, and its grid."""

    kernel: Any
    args: tuple[Any, ...]
    keywords: dict[str, Any]
    path: str
    line: int
    grid: Any = None


@contextmanager
def record_launches(seen: list[RecordedLaunch]) -> Iterator[None]:
    """Add each launch to `seen` instead of running it."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import KernelInterface

    def note(kernel: Any, grid: Any) -> Callable[..., None]:
        def record(*args: Any, **keywords: Any) -> None:
            if len(seen) < MOST:
                caller = sys._getframe(1)
                while caller.f_code.co_filename.endswith(_BETWEEN):
                    caller = caller.f_back or caller
                place = (caller.f_code.co_filename, caller.f_lineno)
                seen.append(RecordedLaunch(kernel, args, keywords, *place, grid))
            if getattr(
                kernel, "configs", None
            ):  # a launcher may read it, and the first one is shown
                vars(kernel).setdefault("best_config", kernel.configs[0])

        return record

    def warm(kernel: Any, *args: Any, grid: Any = None, **keywords: Any) -> Any:
        note(kernel, grid)(*args, **keywords)
        return _Compiled()

    with (
        mock.patch.object(KernelInterface, "__getitem__", note),
        mock.patch.object(KernelInterface, "warmup", warm),
        mock.patch.object(Autotuner, "warmup", warm),
    ):
        yield


class _Compiled:
    """Stands for the kernel that `warmup` returns: its needs are not known before a compilation.

    Callers divide by them, so none is 0.
    """

    n_regs = 32
    n_spills = 0
    metadata = types.SimpleNamespace(shared=1024, num_warps=4, num_ctas=1)

    def _init_handles(self) -> None:
        """Load nothing."""

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        return lambda *args, **keywords: None

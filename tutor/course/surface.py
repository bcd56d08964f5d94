"""The recorded surface of Day 20: times of one Triton matmul in many configurations on a GPU.

`lessons/recorded/surface.json` has, for each configuration, bytes of shared memory, registers and
spilled words of the compiled kernel, and for each shape the medians of two passes in microseconds; or
the reason why it cannot run. `tests/content/record_surface.py` makes it.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tutor.base.errors import UsageError
from tutor.base.paths import course_root


class _Row(msgspec.Struct, frozen=True):
    config: tuple[int, int, int, int, int]
    shared: int | None = None
    registers: int | None = None
    spills: int | None = None
    us: dict[str, tuple[float, float]] = {}
    failed: str = ""


class _File(msgspec.Struct, frozen=True):
    device: str
    date: date
    versions: str
    multiprocessors: int
    shared_of_a_block: int
    shapes: dict[str, tuple[int, int, int]]
    torch_matmul_us: dict[str, float]
    configs: list[_Row]


@dataclass(frozen=True)
class Surface:
    """`configs`: (BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages). In the same order, by shape, the
    better of two medians in microseconds, None for what cannot run; and what the compiled kernels need
    (bytes, registers of a thread, spilled words). `library`: torch.matmul's microseconds by shape."""

    marked: str
    multiprocessors: int
    shared_limit: int
    shapes: dict[str, tuple[int, int, int]]
    configs: tuple[tuple[int, int, int, int, int], ...]
    times: dict[str, tuple[float | None, ...]]
    shared: tuple[int | None, ...]
    registers: tuple[int | None, ...]
    spills: tuple[int | None, ...]
    library: dict[str, float]


def surface_file(root: Path) -> Path:
    """Return the path of the recorded surface in the course at `root`."""
    return root / "lessons" / "recorded" / "surface.json"


def recorded_surface() -> Surface:
    """Read the recorded surface. Raises `UsageError` where there is none, or no such file."""
    path = surface_file(course_root())
    try:
        file: Any = msgspec.json.decode(path.read_bytes(), type=_File)
    except FileNotFoundError:
        raise UsageError(f"{path}: no surface is recorded") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: expected a recorded surface, {error}") from None
    rows = file.configs
    day = f"{file.date.day} {file.date:%B %Y}"
    return Surface(
        f"recorded on one {file.device} ({file.versions}), {day}",
        file.multiprocessors,
        file.shared_of_a_block,
        file.shapes,
        tuple(row.config for row in rows),
        {
            name: tuple(None if row.failed else min(row.us[name]) for row in rows)
            for name in file.shapes
        },
        tuple(row.shared for row in rows),
        tuple(row.registers for row in rows),
        tuple(row.spills for row in rows),
        file.torch_matmul_us,
    )

"""The recorded surfaces of Day 37: times of a matrix product for each choice of a schedule's decisions.

`lessons/recorded/decisions.json` has two spaces of schedules, and for each the times of all its choices
in the order of `choices`. `tests/content/record_decisions.py` makes it.
"""

import itertools
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from tutor.base.errors import UsageError
from tutor.base.paths import course_root

# ["SamplePerfectTile", extent, parts, most], or ["SampleCategorical", options].
Sampling = list[Any]
# Of a tile its factors, of a category the place of an option.
Decision = tuple[int, ...] | int


class _Product(msgspec.Struct, frozen=True):
    space: list[Sampling]
    us: list[float]


class _File(msgspec.Struct, frozen=True):
    device: str
    date: date
    versions: str
    products: list[_Product]


@dataclass(frozen=True)
class DecisionSurface:
    """`times`: microseconds by choice, one decision for each sampling of `space`."""

    marked: str
    space: list[Sampling]
    times: dict[tuple[Decision, ...], float]


def tiles(extent: int, parts: int, most: int) -> list[tuple[int, ...]]:
    """Return all rows of `parts` factors with the product `extent`, the last one at most `most`."""
    if parts == 1:
        return [(extent,)] if extent <= most else []
    divisors = [n for n in range(1, extent + 1) if extent % n == 0]
    return [(n, *rest) for n in divisors for rest in tiles(extent // n, parts - 1, most)]


def decisions(sampling: Sampling) -> list[Decision]:
    """Return what a sampling may choose."""
    if sampling[0] == "SampleCategorical":
        return list(range(len(sampling[1])))
    return list(tiles(*sampling[1:]))


def choices(space: list[Sampling]) -> list[tuple[Decision, ...]]:
    """Return each choice of one decision for each sampling; the last decision changes fastest."""
    return list(itertools.product(*map(decisions, space)))


def decisions_file(root: Path) -> Path:
    """Return the path of the recorded surfaces in the course at `root`."""
    return root / "lessons" / "recorded" / "decisions.json"


def recorded_decisions() -> tuple[DecisionSurface, ...]:
    """Read the recorded surfaces. Raises `UsageError` where there are none, or no such file."""
    path = decisions_file(course_root())
    try:
        file = msgspec.json.decode(path.read_bytes(), type=_File)
        times = [dict(zip(choices(one.space), one.us, strict=True)) for one in file.products]
    except FileNotFoundError:
        raise UsageError(f"{path}: no surface is recorded") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise UsageError(f"{path}: expected recorded surfaces, {error}") from None
    day = f"{file.date.day} {file.date:%B %Y}"
    marked = f"recorded on one core of {file.device} ({file.versions}), {day}"
    return tuple(
        DecisionSurface(marked, one.space, of) for one, of in zip(file.products, times, strict=True)
    )

"""Events of the judge that are not part of a verdict. No torch."""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from tutor.course.drawing import Bars, Grid
from tutor.course.gantt import Gantt
from tutor.course.plot import CellPlot
from tutor.judge.model.access_map import Launch
from tutor.judge.model.verdict import Verdict
from tutor.xray.model.stages import Event, XrayDone


@dataclass(frozen=True)
class Progress:
    """The current activity, for a status line: "warming up", "timing"."""

    text: str


@dataclass(frozen=True)
class Started:
    """The judge is warm and has the submission; `device` as in the verdict. `seconds`: after so many the
    cases are ended; 0: not said."""

    device: str
    seconds: float = 0.0


@dataclass(frozen=True)
class Provisional:
    """The verdict so far. On a right answer: before it is compiled for its target or timed, each of
    which can still find a fault. On a wrong one: before the smallest change that makes it right is
    sought. The final `Verdict` decides.
    """

    verdict: Verdict


@dataclass(frozen=True)
class CellOutput:
    """Text that a running cell printed (stdout and stderr together), as it came."""

    text: str


@dataclass(frozen=True)
class AccessFigure:
    """The access maps of launches, for a page. `about` says what ran."""

    about: str
    launches: tuple[Launch, ...]


Figure: TypeAlias = (
    AccessFigure | CellPlot | Bars | Grid | Gantt | str
)  # or a sentence in its place


@dataclass(frozen=True)
class CellFigure:
    """The figure of a cell that has run; a sentence where it cannot be drawn."""

    figure: Figure


@dataclass(frozen=True)
class CellDone:
    """A cell has ended. `error` is the learner-readable traceback or the reason it was stopped.

    `values_json` is a JSON object of the expressions asked for (`evaluate` of `run_cell`): a text,
    because msgpack has no integers of more than 64 bits. Raises `ValueError` for any other text.
    `lost` says that the session's process is gone, and with it what earlier cells had defined; `began`
    that the session began with this cell, so that no earlier cell has defined anything in it.
    `trace`: every access of its kernels, if asked for (see `access_map.trace_of`).
    """

    ok: bool
    error: str = ""
    values_json: str = "{}"
    ms: float = 0.0
    lost: bool = False
    began: bool = False
    trace: str = ""

    def __post_init__(self) -> None:
        if not isinstance(json.loads(self.values_json), dict):
            raise ValueError("values without names")

    @property
    def values(self) -> dict[str, Any]:
        """The expressions asked for and their values."""
        values: dict[str, Any] = json.loads(self.values_json)
        return values


XrayEvent = Event | XrayDone

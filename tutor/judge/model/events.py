"""Events of the judge that are not part of a verdict. No torch."""

from dataclasses import dataclass, field
from typing import Any

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
    """The judge is warm and has the submission; `device` as in the verdict."""

    device: str


@dataclass(frozen=True)
class Provisional:
    """The verdict on an answer that is right so far, before it is compiled for its target or timed.

    Each of these can still find a fault: the final `Verdict` decides.
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


@dataclass(frozen=True)
class CellFigure:
    """The figure of a cell that has run; a sentence where it cannot be drawn."""

    figure: AccessFigure | CellPlot | str


@dataclass(frozen=True)
class CellDone:
    """A cell has ended. `error` is the learner-readable traceback or the reason it was stopped.

    `values` holds the expressions asked for, as JSON values (`evaluate` of `run_cell`).
    `lost` says that the session's process is gone, and with it what earlier cells had defined.
    `trace`: every access of its kernels, if asked for (see `access_map.trace_of`).
    """

    ok: bool
    error: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    ms: float = 0.0
    lost: bool = False
    trace: str = ""


XrayEvent = Event | XrayDone

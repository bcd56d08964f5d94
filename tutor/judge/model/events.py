"""Events of the judge that are not part of a verdict. No torch."""

from dataclasses import dataclass, field
from typing import Any

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
class CellOutput:
    """Text that a running cell printed (stdout and stderr together), as it came."""

    text: str


@dataclass(frozen=True)
class CellDone:
    """A cell has ended. `error` is the learner-readable traceback or the reason it was stopped.

    `values` holds the expressions asked for, as JSON values (`evaluate` of `run_cell`).
    `lost` says that the session's process is gone, and with it what earlier cells had defined.
    """

    ok: bool
    error: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    ms: float = 0.0
    lost: bool = False


XrayEvent = Event | XrayDone

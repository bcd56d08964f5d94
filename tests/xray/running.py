"""Running an X-ray of a file's name as a worker does, in this process."""

import functools
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from tutor.judge.processes import learner_module
from tutor.judge.worker.xray_worker import explain_error
from tutor.xray import engine
from tutor.xray.model.input_specs import parse_inputs
from tutor.xray.model.stages import Event, Failure, Link, Request, Stage

TRITON = tuple(map(int, metadata.version("triton").split(".")[:2]))  # its release


@dataclass(frozen=True)
class Shown:
    """What one request emitted, and its exit status."""

    status: int
    events: tuple[Event, ...]

    @property
    def stages(self) -> dict[str, Stage]:
        """The stages by key, in the order in which they came."""
        return {event.key: event for event in self.events if isinstance(event, Stage)}

    @property
    def links(self) -> tuple[Link, ...]:
        return tuple(event for event in self.events if isinstance(event, Link))

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(event for event in self.events if isinstance(event, Failure))

    def notes(self, key: str) -> str:
        return "\n".join(self.stages[key].notes)


def run(
    file: Path,
    name: str,
    *inputs: str,
    target: str = "sm_90",
    stage: str | None = None,
    backward: bool = False,
) -> Shown:
    """Return what `tutor xray FILE::NAME` shows."""
    request = Request(str(file), name, parse_inputs(inputs), target, stage, backward)
    events: list[Event] = []
    explain = functools.partial(explain_error, str(file))
    load = learner_module.load_module
    done = engine.run_request(request, events.append, load=load, explain=explain)
    return Shown(done.status, tuple(events))

"""Running a capture and reading what it emitted."""

from dataclasses import dataclass, field
from typing import Any

from tutor.hardware.gpus import target
from tutor.xray.model.input_specs import Arguments, TensorSpec
from tutor.xray.model.stages import Failure, Link, Stage
from tutor.xray.torch_compile import capture


@dataclass
class Seen:
    stages: dict[str, Stage] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    kernels: list = field(default_factory=list)
    device: str = ""

    def emit(self, event) -> None:
        if isinstance(event, Stage):
            assert event.key not in self.stages, f"two stages {event.key}"
            self.stages[event.key] = event
            self.order.append(event.key)
        elif isinstance(event, Link):
            self.links.append(event)
        else:
            self.failures.append(event)

    def count(self, key: str, name: str) -> int | float:
        return dict(self.stages[key].counts)[name]

    def notes(self, key: str) -> str:
        return "\n".join(self.stages[key].notes)

    def text(self, key: str) -> str:
        return self.stages[key].text

    def names(self) -> list[str]:
        return [kernel.name for kernel in self.kernels]

    def reached(self, start: str, end: str, line: int) -> set[int]:
        """Lines of `end` that links lead to from `line` of `start`, through any stages."""
        front = {(start, line)}
        seen = set(front)
        while front:
            front = {
                (link.target, link.target_line)
                for link in self.links
                if (link.source, link.source_line) in front
            } - seen
            seen |= front
        return {at for key, at in seen if key == end}


def f32(*shape: int) -> TensorSpec:
    return TensorSpec("f32", shape)


def look(
    subject,
    *args,
    on: str = "sm_90",
    backward: bool = False,
    named: dict[str, Any] | None = None,
    **options,
) -> Seen:
    seen = Seen()
    captured = capture.capture(
        subject, Arguments(args, named or {}), target(on), backward, seen.emit, **options
    )
    seen.kernels, seen.device = captured.kernels, captured.device
    return seen

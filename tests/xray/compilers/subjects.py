"""The four functions that every compiler lowers in tests, and what one of them emitted."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F

from tutor.xray.compilers.capture import Captured, capture
from tutor.xray.model.stages import Event, Failure, Link, Stage


def linear_gelu(x, w, b):
    h = x @ w
    h = h + b
    return F.gelu(h)


def softmax(x):
    return torch.softmax(x, dim=-1)


def layer_norm(x, g, b):
    return F.layer_norm(x, (x.shape[-1],), g, b)


def attention(q, k, v):
    s = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    p = torch.softmax(s, dim=-1)
    return p @ v


SUBJECTS = {
    "linear_gelu": (linear_gelu, ((64, 128), (128, 256), (256,))),
    "softmax": (softmax, ((64, 256),)),
    "layer_norm": (layer_norm, ((64, 256), (256,), (256,))),
    "attention": (attention, ((2, 4, 32, 16),) * 3),
}


@functools.cache
def captured(name: str) -> Captured:
    function, shapes = SUBJECTS[name]
    generator = torch.Generator().manual_seed(0)
    inputs = tuple(torch.randn(*shape, generator=generator) for shape in shapes)
    return capture(function, inputs)


@dataclass(frozen=True)
class Emitted:
    """What a compiler emitted for one function, in order."""

    stages: list[Stage] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    def add(self, event: Event) -> None:
        {Stage: self.stages, Link: self.links, Failure: self.failures}[type(event)].append(event)

    def stage(self, name: str) -> Stage:
        """The first stage of this name."""
        return next(stage for stage in self.stages if stage.name == name)

    def counts(self, name: str) -> dict[str, int | float]:
        return dict(self.stage(name).counts)


Lower = Callable[[Captured, str, Callable[[Event], None], "str | None"], None]


def emitted(
    lower: Lower, subject: Captured, target: str = "cpu", last: str | None = None
) -> Emitted:
    seen = Emitted()
    lower(subject, target, seen.add, last)
    return seen


def source_line(subject: Captured, text: str) -> int:
    """The number of the first line of the stage "source" that holds `text`, from 1."""
    assert subject.source is not None
    lines = subject.source.text.splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)

"""The protocol of what a pass rewrites: programs that are read, held to their form, run and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from tutor.judge.cases.result_difference import Seen
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault

Inputs = tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Run:
    """What is seen of a program's calls, and what it executed in one call."""

    seen: list[list[Seen]]
    operations: Sequence[Operation]


class Stopped(Exception):
    """A program stops at this operation where it runs on these inputs, as at a division by 0."""

    def __init__(self, operation: str, inputs: tuple[float, ...]) -> None:
        super().__init__(f"it stops at {operation}")
        self.operation = operation
        self.inputs = inputs


class Subject(Protocol):
    """A language of programs. `called` names a program of it in a sentence."""

    called: str

    def parse(self, text: str, inputs: Inputs) -> Any:
        """Return a new program of a text. Raises what its parser and verifier raise."""

    def owns(self, program: Any) -> bool:
        """Return True if the object is a program of this language."""

    def check(self, program: Any, text: str) -> RewriteFault | None:
        """Hold a program to its form before it is run; `text` is that from before.

        Raises what a verifier raises.
        """

    def run(self, program: Any, inputs: Inputs) -> Run:
        """Run a program on the inputs, and count what it executes. Raises `Stopped`, and what its
        interpreter raises."""

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        """Say what is wrong with a program whose results are right; `text` as for `check`."""

    def write(self, program: Any) -> str:
        """Return the text of a program: equal texts for equal programs."""


def to_kind(name: str) -> str:
    """Return the kind of an operation by its name: "constant", "end" of a block, or "call"."""
    last = name.rpartition(".")[2].lower()
    if last in ("constant", "const"):
        return "constant"
    return "end" if last in ("return", "yield") else "call"

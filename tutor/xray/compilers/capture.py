"""One capture of the learner's function for every compiler: `torch.export`, strict.

The strict mode is what keeps the inner lines: without it each node has the line of `forward` only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram

from tutor.xray.dynamo.source_text import SourceText, find_source


@dataclass(frozen=True)
class Captured:
    """A function as `torch.export` sees it, with the tensors that it was called with (on the CPU).

    `source` is the learner's text, to which every compiler's locations lead back; None for a function
    without one.
    """

    program: ExportedProgram
    inputs: tuple[Any, ...]
    source: SourceText | None

    def line_of(self, path: str, line: int) -> int | None:
        """The line of the stage "source" that is line `line` of the file `path`, if it is shown."""
        return self.source.line_of(path, line) if self.source else None

    def line_of_node(self, node: torch.fx.Node) -> int | None:
        """The line of the stage "source" that a node of the exported graph comes from."""
        return self.source.line_of_trace(node.stack_trace) if self.source else None

    def run_eagerly(self) -> tuple[torch.Tensor, ...]:
        """Return what PyTorch computes for the inputs."""
        with torch.no_grad():
            results = self.program.module()(*self.inputs)
        return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def capture(subject: Callable[..., Any], inputs: tuple[Any, ...]) -> Captured:
    """Export a function or module for these inputs. Raises what `torch.export` raises."""
    module = subject if isinstance(subject, torch.nn.Module) else _Function(subject)
    with torch.no_grad():
        program = torch.export.export(module, inputs, strict=True)
    return Captured(program, inputs, find_source(subject))


class _Function(torch.nn.Module):
    """A function as a module: `torch.export` takes nothing else."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *inputs: Any) -> Any:
        return self._function(*inputs)

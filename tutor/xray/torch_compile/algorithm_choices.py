"""Candidates that `max-autotune` would time for a matrix product or a convolution."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tutor.xray.fake_gpu.fake_gpu import private, replace_private

_SELECT = "torch._inductor.select_algorithm.AlgorithmSelectorCache.__call__"
_MOST = 8  # candidates that a sentence names


@dataclass(frozen=True)
class Choices:
    """The candidates for one operation, and the one whose code is shown."""

    operation: str
    candidates: tuple[str, ...]
    shown: str

    def __str__(self) -> str:
        count = len(self.candidates)
        named = "; ".join(self.candidates[:_MOST]) + ("; …" if count > _MOST else "")
        return (
            f"{self.operation}: on the GPU Inductor times {count} candidates and keeps the fastest "
            f"({named}). Nothing is timed here: {self.shown} is shown."
        )


@contextmanager
def choose_without_timing(chosen: list[Choices]) -> Iterator[None]:
    """Inside, Inductor takes the first Triton template, or the first candidate, of each operation.

    On a GPU, too: there the timing would take seconds.
    """

    def choose(_: Any, name: str, choices: list[Any], *args: Any, **named: Any) -> Any:
        shown = next((choice for choice in choices if _is_template(choice)), choices[0])
        if len(choices) > 1:
            names = tuple(map(_describe_choice, choices))
            chosen.append(Choices(name, names, _describe_choice(shown)))
        node = shown.output_node()
        return (node, shown) if pairs or named.get("return_choice") else node

    # torch returns the node with its choice; before that was so, a parameter asked for it
    pairs = "return_choice" not in inspect.signature(private(_SELECT)).parameters
    with replace_private(_SELECT, choose):
        yield


def _is_template(choice: Any) -> bool:
    return type(choice).__name__ == "TritonTemplateCaller"


def _describe_choice(choice: Any) -> str:
    """Return a candidate in few words: `triton mm BLOCK_M=64, BLOCK_N=64, …`, or `cuBLAS mm`."""
    if not _is_template(choice):
        return f"ATen {choice.name}"
    told = str(getattr(choice, "description", ""))
    sizes = [
        part.strip() for part in told.split(",") if part.strip().startswith(("BLOCK_", "num_"))
    ]
    return f"Triton template {', '.join(sizes)}" if sizes else str(choice.name)

"""Graphs of `torch.fx` as the subject of a pass: the text of a class `Net`, traced."""

from __future__ import annotations

from typing import Any

import torch

from tutor.judge.cases.fx_effects import target_name
from tutor.judge.cases.fx_graphs import module, observe, trace_text
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault
from tutor.judge.worker.subjects.subject import Inputs, Run

_STALE = (
    "the graph was changed, and the module still runs its old code. `recompile()` writes `forward` "
    "anew."
)


class Fx:
    """Graphs are run twice, so that what a pass has frozen shows, and compared by results, arguments
    afterwards, shared memory and the next random draw."""

    called = "GraphModule"

    def __init__(self, *, only_read: bool, shapes: bool) -> None:
        self._only_read, self._shapes = only_read, shapes

    def parse(self, text: str, inputs: Inputs) -> Any:
        program = trace_text(text)
        if self._shapes:
            from torch.fx.passes.shape_prop import ShapeProp

            kept = {name: value.clone() for name, value in program.state_dict().items()}
            ShapeProp(program).propagate(*(x.clone() for x in inputs))
            program.load_state_dict(kept)  # the run may have written to weights
        return program

    def owns(self, program: Any) -> bool:
        return isinstance(program, torch.fx.GraphModule)

    def check(self, program: Any, text: str) -> RewriteFault | None:
        program.graph.lint()
        # The graph as it is, and the code that the module kept: they differ without `recompile`.
        if program.graph.python_code("self").src != program.code:
            return RewriteFault("stale", "wrong-graph", _STALE)
        return None

    def run(self, program: Any, inputs: Inputs) -> Run:
        nodes = tuple(
            Operation(node.op, target_name(node)[:200], 1, len(node.users))
            for node in program.graph.nodes
        )
        return Run(observe(program, inputs, self._only_read), nodes)

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        held = {name for name, _ in (*module(text).named_parameters(), *program.named_buffers())}
        read = (str(node.target) for node in program.graph.nodes if node.op == "get_attr")
        loose = next((name for name in read if name not in held), "")
        if not loose:
            return None
        return RewriteFault(
            "loose",
            "wrong-graph",
            f"a node reads `{loose}`, which is neither a weight from before nor a buffer of the module. "
            "`register_buffer` makes one, which is saved and moves with the module.",
        )

    def write(self, program: Any) -> str:
        return str(program.graph)

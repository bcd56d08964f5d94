"""ONNX models as the subject of a pass, in ONNX's own text, run by ONNX Runtime without its rewrites."""

from __future__ import annotations

from typing import Any

from tutor.judge.cases import onnx_models
from tutor.judge.cases.result_difference import RESULT, Seen
from tutor.judge.processes.worker_messages.rewrite_report import Operation, RewriteFault
from tutor.judge.worker import onnx_graph
from tutor.judge.worker.subjects.subject import Inputs, Run, to_kind


class Onnx:
    """Models whose inputs are the case's tensors, in order. Nodes of inner graphs count once."""

    called = "ModelProto"

    def parse(self, text: str, inputs: Inputs) -> Any:
        model = onnx_models.read_model(text)
        onnx_models.check_model(model)
        return model

    def owns(self, program: Any) -> bool:
        return type(program).__name__ == "ModelProto"

    def check(self, program: Any, text: str) -> RewriteFault | None:
        try:
            onnx_graph.open_model(program, onnx_models.read_model(text))
        except onnx_graph.ModelRefused as error:
            sentence = f"the rewritten model is not in order. {str(error).rstrip('.')}."
            return RewriteFault("broken", "wrong-graph", sentence)
        return None

    def run(self, program: Any, inputs: Inputs) -> Run:
        session = onnx_models.open_session(program)
        names = [place.name for place in session.get_inputs()]
        if len(names) != len(inputs):
            raise TypeError(f"the model takes {len(names)} inputs in the place of {len(inputs)}")
        results = onnx_models.run_session(session, dict(zip(names, inputs, strict=True)))
        seen: list[Seen] = [(RESULT, part) for part in results.values()]
        operators = map(onnx_models.operator_of, onnx_models.walk_nodes(program.graph))
        done = tuple(Operation(to_kind(name), name[:200]) for name in operators)
        return Run([seen], done)

    def inspect(self, program: Any, text: str) -> RewriteFault | None:
        given = onnx_models.read_model(text)
        places = (("inputs", "input"), ("results", "output"))
        for what, field in places:
            now, before = (
                [place.name for place in getattr(model.graph, field)] for model in (program, given)
            )
            if now != before:
                said = f"the {what} are {', '.join(now)} in the place of {', '.join(before)}."
                return RewriteFault("renamed", "wrong-graph", said)
        return None

    def write(self, program: Any) -> str:
        return onnx_models.write_model(program)


SUBJECT = Onnx

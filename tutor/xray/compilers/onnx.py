"""ONNX: the graph as PyTorch exports it, what ONNX Runtime makes of it level by level, and a run of it.

The exporter writes each node's stack into its metadata (`pkg.torch.onnx.stack_trace`). ONNX Runtime
drops that; its nodes are followed to those of the stage above by the names of the values between them.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
import onnxruntime
import torch

from tutor.xray.compilers.capture import Captured
from tutor.xray.compilers.results import compare_results, returns_tensors
from tutor.xray.model.compiler import ONNX, RESULT
from tutor.xray.model.counts.onnx import count_onnx, read_nodes
from tutor.xray.model.stages import Event, Failure, Link, Number

Emit = Callable[[Event], None]

_LEVELS = {
    "basic": (
        onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
        "Rewrites that hold on every device: constants folded, nodes without an effect taken out, "
        "products and sums joined.",
    ),
    "extended": (
        onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
        "Fusions into operators of ONNX Runtime's own (`com.microsoft`), which its CPU kernels know.",
    ),
    "layout": (
        onnxruntime.GraphOptimizationLevel.ORT_ENABLE_LAYOUT,
        "Convolutions in blocks of channels as wide as this CPU's registers (`nchwc`), with "
        "reorderings around them. Where there is no convolution, nothing changes.",
    ),
}
_MOST_ELEMENTS = 8  # of a constant: more are left out of the text
_LONG_VALUES = re.compile(r"\{[\w+., -]{200,}\}")
_TRACE = "pkg.torch.onnx.stack_trace"
# What ONNX Runtime puts before the name of a value that it converts between two types.
_CONVERTED = "InsertedPrecisionFreeCast_"
_REORDER = ("ReorderInput", "ReorderOutput")
_OVERLOAD = re.compile(r"<OpOverload\(op='([\w.]+)', overload='\w+'\)>")
_LONGEST = 300  # characters of a message
_NO_TENSOR = "the function returns something that is no tensor, and a model cannot"


class _CannotRun(Exception):
    """Why there is no result; the message is a sentence without an end."""


@dataclass(frozen=True)
class _Printed:
    """A stage: the model, its text, and the line of each value's node, from 1."""

    key: str
    model: Any
    text: str
    lines: dict[str, int]


def lower(captured: Captured, target: str, emit: Emit, last: str | None) -> None:
    """Emit the stages of ONNX up to `last` (None: all of them), their links, and failures."""
    wanted = ONNX.wanted(last)
    try:
        above = exported = _emit_export(captured, emit)
    except Exception as error:
        sentence = f"PyTorch's exporter stopped: {_explain_export(error)}"
        emit(Failure("onnx/export", sentence if returns_tensors(captured.program) else _NO_TENSOR))
        return
    stage = "basic"
    try:
        for stage in _LEVELS:
            if stage not in wanted:
                return
            above = _emit_level(stage, exported, above, emit)
        stage = "kernels"
        if stage not in wanted:
            return
        computed, ms = _emit_run(exported, captured, emit)
        stage = RESULT.name
        if stage in wanted:
            if not returns_tensors(captured.program):
                raise _CannotRun(_NO_TENSOR)
            emit(compare_results(ONNX.name, captured, computed, ms))
    except _CannotRun as error:
        emit(Failure(f"onnx/{stage}", str(error)))
    except Exception as error:
        emit(Failure(f"onnx/{stage}", f"ONNX Runtime stopped: {_explain_runtime(error)}"))


def _emit_export(captured: Captured, emit: Emit) -> _Printed:
    began = time.perf_counter()
    with _quiet():
        program = torch.onnx.export(
            captured.program, captured.inputs, dynamo=True, optimize=False, verbose=False
        )
        assert program is not None
        model = program.model_proto
        ms = (time.perf_counter() - began) * 1000
        printed = _print_model("export", model)
        program.optimize()
    count = len(model.graph.node)
    kept = len(program.model_proto.graph.node)
    notes = (
        "Each line is a node: its name, the values that it makes, its operator and operands.",
        f"By itself `torch.onnx.export` optimises first (`optimize=True`) and hands on {kept} of these "
        f"{count} nodes. Here that is left to ONNX Runtime.",
    )
    _emit(emit, "export", printed.text, notes, ms, count_onnx(printed.text))
    for node in model.graph.node:
        traces = [entry.value for entry in node.metadata_props if entry.key == _TRACE]
        source = captured.source.line_of_trace(traces[0]) if captured.source and traces else None
        for name in node.output:
            if source and name in printed.lines:
                emit(Link("source", source, printed.key, printed.lines[name]))
                break
    return printed


def _emit_level(stage: str, exported: _Printed, above: _Printed, emit: Emit) -> _Printed:
    level, note = _LEVELS[stage]
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        _open_session(exported.model, level, optimized=path)
        model = onnx.load(path)
    ms = (time.perf_counter() - began) * 1000
    printed = _print_model(stage, model)
    notes: tuple[str, ...] = (
        note,
        "ONNX Runtime keeps no lines: a node is followed by the names of its values.",
    )
    if stage == ONNX.after:
        notes = (*_describe_units(model.graph, exported.model.graph), *notes)
    _emit(emit, stage, printed.text, notes, ms, count_onnx(printed.text))
    for node, origins in _find_origins(model.graph, above.model.graph):
        here = next((printed.lines[name] for name in node.output if name in printed.lines), None)
        for origin in origins:
            lines = [above.lines[name] for name in origin.output if name in above.lines]
            if here and lines:
                emit(Link(above.key, lines[0], printed.key, here))
    return printed


def _emit_run(
    exported: _Printed, captured: Captured, emit: Emit
) -> tuple[list[torch.Tensor], float]:
    """Run the model once and emit what ONNX Runtime says of it. Return the results, and milliseconds."""
    if any(tensor.is_complex() for tensor in captured.inputs):
        raise _CannotRun(
            "ONNX has no complex inputs; PyTorch's exporter makes pairs of floats of them"
        )
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        level = _LEVELS[ONNX.after][0]
        session = _open_session(exported.model, level, profile=Path(folder) / "profile")
        feeds = {
            place.name: tensor.detach().contiguous().numpy()
            for place, tensor in zip(session.get_inputs(), captured.inputs, strict=True)
        }
        called = time.perf_counter()
        computed = session.run(None, feeds)
        ms = (time.perf_counter() - called) * 1000
        events = json.loads(Path(session.end_profiling()).read_text())
    kernels = [event for event in events if event["name"].endswith("_kernel_time")]
    width = max((len(event["args"]["op_name"]) for event in kernels), default=0)
    text = "\n".join(_describe_kernel(event, width) for event in kernels) + "\n"
    counts: dict[str, Number] = {"units": len(kernels)}
    notes = (
        "ONNX Runtime's profile of one run: operator, its provider, shapes of operands → of results.",
    )
    _emit(emit, "kernels", text, notes, (called - began) * 1000, counts)
    return [torch.from_numpy(value) for value in computed], ms


def _emit(
    emit: Emit, name: str, text: str, notes: tuple[str, ...], ms: float, counts: dict[str, Number]
) -> None:
    emit(ONNX.make_stage(name, text, notes, ms, counts=counts))


def _open_session(
    model: Any, level: Any, optimized: Path | None = None, profile: Path | None = None
) -> Any:
    """Load a model into ONNX Runtime, in this thread alone.

    `optimized` is where it writes the model that it made, `profile` how files of a profile begin.
    """
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4  # what is fatal
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    if optimized:
        options.optimized_model_filepath = str(optimized)
    if profile:
        options.enable_profiling = True
        options.profile_file_prefix = str(profile)
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def _print_model(stage: str, model: Any) -> _Printed:
    """Print a model without the values of large constants."""
    light = onnx.ModelProto()
    light.CopyFrom(model)
    large = [
        constant
        for constant in light.graph.initializer
        if _count_elements(constant.dims) > _MOST_ELEMENTS
    ]
    declared = {value.name for value in light.graph.value_info}
    for constant in large:
        light.graph.initializer.remove(constant)
        if constant.name not in declared:
            light.graph.value_info.append(
                onnx.helper.make_tensor_value_info(
                    constant.name, constant.data_type, list(constant.dims)
                )
            )
    text = _LONG_VALUES.sub("{…}", onnx.printer.to_text(light)).rstrip("\n") + "\n"
    lines = {name: node.line for node in read_nodes(text) for name in node.results}
    return _Printed(f"onnx/{stage}", model, text, lines)


def _count_elements(sizes: Any) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


def _find_origins(graph: Any, above: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield each node with the nodes of the graph above that it computes, in that graph's order.

    They are those between its results and its operands there, less what other nodes compute.
    """
    makers = {name: node for node in above.node for name in node.output if name}
    order = {name: number for number, node in enumerate(above.node) for name in node.output}
    names = _find_names(graph)
    made = {names.get(name, name): node for node in graph.node for name in node.output if name}
    for node in graph.node:
        results = [names.get(name, name) for name in node.output if name]
        operands = {names.get(name, name) for name in node.input}
        found: dict[int, Any] = {}
        waiting = [] if _only_moves(node) else [name for name in results if name in makers]
        while waiting:
            name = waiting.pop()
            number = order[name]
            if number in found:
                continue
            found[number] = makers[name]
            waiting += [
                operand
                for operand in makers[name].input
                if operand in makers and operand not in operands and operand not in made
            ]
        yield node, [found[number] for number in sorted(found)]


def _find_names(graph: Any) -> dict[str, str]:
    """Names that ONNX Runtime gave to values in another layout or type -> those in the graph above."""
    names = {}
    for node in graph.node:
        for name in (*node.input, *node.output):
            if name.startswith(_CONVERTED):
                names[name] = name.removeprefix(_CONVERTED)
        if node.op_type == "ReorderOutput":
            names[node.input[0]] = node.output[0]
        elif node.op_type == "ReorderInput":
            names[node.output[0]] = node.input[0]
    return names


def _only_moves(node: Any) -> bool:
    """True for a node that ONNX Runtime put in to change a value's layout or type."""
    return node.op_type in _REORDER or node.name.startswith(_CONVERTED)


def _describe_units(graph: Any, exported: Any) -> Iterator[str]:
    """Yield a note for each node: the operators of the exported graph that it computes."""
    seen: Counter[str] = Counter()
    for node, origins in _find_origins(graph, exported):
        if node.op_type == "Constant":
            continue
        seen[node.op_type] += 1
        number = f"_{seen[node.op_type]}" if seen[node.op_type] > 1 else ""
        operators = [origin.op_type for origin in origins if origin.op_type != "Constant"]
        if _only_moves(node):
            operators = ["only another layout or type"]
        yield f"{node.op_type}{number}: {', '.join(operators) or 'a part of a node'}"


def _describe_kernel(event: dict[str, Any], width: int) -> str:
    args = event["args"]
    provider = args["provider"].removesuffix("ExecutionProvider")
    operands, results = (
        _describe_shapes(args[f"{side}_type_shape"]) for side in ("input", "output")
    )
    return f"{args['op_name']:{width}}  {provider}  {operands} → {results}"


def _describe_shapes(shapes: list[dict[str, list[int]]]) -> str:
    return ", ".join(
        f"{kind}[{','.join(map(str, shape))}]" for one in shapes for kind, shape in one.items()
    )


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep warnings of the exporter off the terminal."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _explain_export(error: BaseException) -> str:
    """The first cause of an exporter's error, on one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    message = str(error).partition(" Failure message:")[0].strip().rstrip(".")
    message = _OVERLOAD.sub(r"\1", message.split("\n")[0])
    return (message or type(error).__name__)[:_LONGEST]


def _explain_runtime(error: Exception) -> str:
    """ONNX Runtime's message without its numbers, on one line."""
    message = str(error).split("\n")[0].rpartition("] : ")[2]
    message = re.sub(r"^\d+ : [A-Z_]+ : ", "", message)
    return (message or type(error).__name__)[:_LONGEST]

"""ONNX models: checked whole, and run by ONNX Runtime as they stand. Imported in workers alone.

The checker lets models pass that ONNX Runtime refuses (two nodes of one name) and the other way round
(nodes in a wrong order), so a model is held to both, and to shape inference of its types and sizes.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import checker, defs, shape_inference

MOST_BYTES = 64 << 20  # of a model
MOST_NODES = 5_000

# Bound before the learner's code can replace them.
_check, _infer, _open = (
    checker.check_model,
    shape_inference.infer_shapes,
    onnxruntime.InferenceSession,
)
_REFUSALS = (
    checker.ValidationError,
    shape_inference.InferenceError,
    RuntimeError,
    ValueError,
    TypeError,
)
_LEVELS = onnxruntime.GraphOptimizationLevel
_GRAPHS = (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS)


class ModelRefused(Exception):
    """The checker, shape inference or ONNX Runtime refuses a model; the message is what it says.

    `by`: "checker" | "inference" | "runtime".
    """

    def __init__(self, by: str, said: str) -> None:
        super().__init__(said)
        self.by = by


def read_model(text: str) -> Any:
    """Return the model of ONNX's own text, as `onnx.printer.to_text` writes it. Raises
    `onnx.parser.ParseError`."""
    return onnx.parser.parse_model(text)


def write_model(model: Any) -> str:
    """Return a model in ONNX's own text."""
    return str(onnx.printer.to_text(model))


def operator_of(node: Any) -> str:
    """Return `Relu`, or `com.microsoft.FusedMatMul` for an operator of another domain than ONNX's."""
    own = node.domain in ("", "ai.onnx")
    return str(node.op_type if own else f"{node.domain}.{node.op_type}")


def subgraphs(node: Any) -> Iterator[Any]:
    """Yield the graphs that are attributes of a node, such as the branches of an `If`."""
    for attribute in node.attribute:
        if attribute.type in _GRAPHS:
            yield from attribute.graphs if attribute.graphs else (attribute.g,)


def walk_nodes(graph: Any) -> Iterator[Any]:
    """Yield every node of a graph and of the graphs inside its nodes."""
    for node in graph.node:
        yield node
        for inner in subgraphs(node):
            yield from walk_nodes(inner)


def count_operators(graph: Any) -> Counter[str]:
    """Count the nodes by their operator, those of inner graphs too."""
    return Counter(map(operator_of, walk_nodes(graph)))


def values_read(node: Any) -> Iterator[str]:
    """Yield the names that a node reads; inner graphs read names of the graph around them."""
    yield from filter(None, node.input)
    for inner in subgraphs(node):
        made = {value.name for value in (*inner.input, *inner.initializer)}
        made |= {name for each in inner.node for name in each.output}
        for each in inner.node:
            yield from (name for name in values_read(each) if name not in made)
        yield from (value.name for value in inner.output if value.name not in made)


def find_dead_nodes(graph: Any) -> list[Any]:
    """Return the nodes of the graph on which none of its outputs depends."""
    wanted = {value.name for value in graph.output}
    makers = {name: node for node in graph.node for name in node.output if name}
    waiting, alive = list(wanted), set()
    while waiting:
        node = makers.get(waiting.pop())
        if node is None or id(node) in alive:
            continue
        alive.add(id(node))
        waiting += values_read(node)
    return [node for node in graph.node if id(node) not in alive]


def tensors_in(model: Any) -> Iterator[Any]:
    """Yield every constant of a model: initializers, and values in attributes."""
    yield from _tensors_of_graph(model.graph)
    for function in model.functions:
        for node in function.node:
            yield from _tensors_of_node(node)


def _tensors_of_graph(graph: Any) -> Iterator[Any]:
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        yield from _tensors_of_node(node)


def _tensors_of_node(node: Any) -> Iterator[Any]:
    for attribute in node.attribute:
        if attribute.HasField("t"):
            yield attribute.t
        yield from attribute.tensors
        if attribute.HasField("sparse_tensor"):
            yield from (attribute.sparse_tensor.values, attribute.sparse_tensor.indices)
    for inner in subgraphs(node):
        yield from _tensors_of_graph(inner)


def schema_of(operator: str, domain: str, version: int) -> Any:
    """Return ONNX's description of an operator in a version of its domain; None if it has none."""
    with contextlib.suppress(defs.SchemaError):
        return defs.get_schema(operator, version, domain)
    return None


def versions_of(operator: str, domain: str) -> list[int]:
    """Return the versions of the domain in which ONNX brought or changed the operator, in order."""
    own = "" if domain == "ai.onnx" else domain
    return sorted(
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if (schema.name, schema.domain) == (operator, own)
    )


def names_of_operators() -> list[str]:
    """Return the names of ONNX's own operators."""
    return sorted({schema.name for schema in defs.get_all_schemas() if not schema.domain})


def check_model(model: Any) -> None:
    """Hold a model to ONNX's checker, and its types and sizes to strict inference.

    Raises `ModelRefused`. The model must have been found small, and free of outside files.
    """
    try:
        _check(model)
    except _REFUSALS as error:
        raise ModelRefused("checker", str(error)) from None
    try:
        _check(model, full_check=True)
        _infer(model, check_type=True, strict_mode=True, data_prop=True)
    except _REFUSALS as error:
        raise ModelRefused("inference", str(error)) from None


def open_session(model: Any) -> Any:
    """Load a model into ONNX Runtime with no optimisation, in this thread alone. Raises
    `ModelRefused`."""
    return _load(model, _list_options(_LEVELS.ORT_DISABLE_ALL))


def _list_options(level: Any) -> Any:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4  # what is fatal
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return options


def _load(model: Any, options: Any) -> Any:
    try:
        return _open(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no class of their own in common
        raise ModelRefused("runtime", str(error)) from None


def optimise_model(model: Any, level: str) -> Any:
    """Return the model that ONNX Runtime makes of it at a level, "basic" or "extended". Raises
    `ModelRefused`."""
    options = _list_options(getattr(_LEVELS, f"ORT_ENABLE_{level.upper()}"))
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / "model.onnx")
        _load(model, options)
        return onnx.load(options.optimized_model_filepath)


def run_session(session: Any, feeds: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Run a session and return its results by name. Raises `ModelRefused`."""
    given = {name: tensor.detach().contiguous().numpy() for name, tensor in feeds.items()}
    try:
        results = session.run(None, given)
    except Exception as error:
        raise ModelRefused("runtime", str(error)) from None
    names = [place.name for place in session.get_outputs()]
    return {
        name: torch.from_numpy(value.copy())
        for name, value in zip(names, results, strict=True)
        if isinstance(value, np.ndarray) and value.dtype != object  # texts are no tensor here
    }


def run_values(
    model: Any, feeds: Mapping[str, torch.Tensor], names: Collection[str]
) -> dict[str, torch.Tensor]:
    """Run a model and return those of its values that are asked for and whose type is known.

    Raises `ModelRefused`.
    """
    whole = _infer(model)
    outputs = {place.name for place in whole.graph.output}
    whole.graph.output.extend(
        place
        for place in whole.graph.value_info
        if place.name in names and place.name not in outputs
    )
    return run_session(open_session(whole), feeds)

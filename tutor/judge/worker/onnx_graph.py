"""A learner's ONNX model in its worker: made from the task's, checked, told as facts, and run.

An exercise's `model.py` makes the model of a case; the learner's function gets it and returns one. The
tensors of the case whose names are inputs of the model are given to it.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
import onnx
import torch

from tutor.judge.cases import onnx_models
from tutor.judge.cases.graphs import LONGEST, MOST, Constant, GraphFacts, Place
from tutor.judge.cases.onnx_models import ModelRefused as Said
from tutor.judge.diagnosis import onnx_errors
from tutor.judge.processes import learner_module
from tutor.judge.worker.model_lines import find_line

_OPERATORS = onnx_errors.Operators(
    onnx_models.schema_of, onnx_models.versions_of, onnx_models.names_of_operators
)


_MOST_KEPT = 4 << 20  # bytes of the models of a call that are kept
_ROUNDING = 1e-5  # of the largest number: what another order of sums changes


class ModelRefused(Exception):
    """A model that cannot be used; the message is a sentence."""

    def __init__(self, why: onnx_errors.Explained) -> None:
        super().__init__(why.sentence)
        self.why = why
        self.learner_line: int | None = None


class ModelChanged(ModelRefused):
    """A model that cannot be given what the task's was given."""


@dataclass(frozen=True)
class _Call:
    """A model that was run, the one that it was made from, and what both were given."""

    made: Any
    given: Any
    feeds: dict[str, torch.Tensor]

    def find_difference(self) -> Any:
        """Return the node of `made` that makes the first differing value, but for results; else None."""
        ends = _names(self.given.graph.output)
        shared = {name for node in self.given.graph.node for name in node.output if name} - set(
            ends
        )
        try:
            mine, theirs = (
                onnx_models.run_values(model, self.feeds, shared)
                for model in (self.made, self.given)
            )
        except Said:  # as the inputs have other names
            return None
        both = shared & mine.keys() & theirs.keys()
        for node in self.made.graph.node:
            if any(
                name in both and not _is_equal(mine[name], theirs[name]) for name in node.output
            ):
                return node
        return None


def _is_equal(mine: torch.Tensor, theirs: torch.Tensor) -> bool:
    """Return True if two values are equal but for rounding."""
    if (mine.shape, mine.dtype) != (theirs.shape, theirs.dtype):
        return False
    if not mine.is_floating_point():
        return torch.equal(mine, theirs)
    largest = float(theirs.abs().nan_to_num().max()) if theirs.numel() else 0.0
    return torch.allclose(mine, theirs, rtol=0.0, atol=_ROUNDING * largest, equal_nan=True)


class Graphs:
    """Models of the exercise, changed by the learner's function, one for each call."""

    def __init__(self, maker: str, entry: Callable[..., Any] | None) -> None:
        self._space = learner_module.load_module(maker, "model.py", "model").__dict__
        assert entry is not None
        self._entry = entry
        self.facts: list[GraphFacts] = []
        self._calls: list[_Call | None] = []  # small ones, for a look at what is wrong

    def run(self, args: tuple[Any, ...]) -> torch.Tensor:
        """Let the learner change the model of these arguments, and return what the new one computes.

        Several results are joined into one row of numbers. Raises `ModelRefused`.
        """
        given = self._make(args)
        tensors = self._name_tensors(args)
        feeds = {name: tensors[name] for name in _names(given.graph.input) if name in tensors}
        self._calls.append(None)
        made = self._entry(_copy(given))
        try:
            result = self._use(made, given, feeds)
        except ModelRefused as error:
            error.learner_line = find_line(
                self._entry, _copy(given), error.why, lambda model: _why(model, given, feeds)
            )
            raise
        if made.ByteSize() + given.ByteSize() < _MOST_KEPT:
            kept = {name: tensor.clone() for name, tensor in feeds.items()}
            self._calls[-1] = _Call(_copy(made), given, kept)
        return result

    def optimise(self, levels: list[str]) -> list[GraphFacts]:
        """Return the facts with the operators after these levels; without those of a large model."""
        calls = [call for call in self._calls if call]
        if len(calls) != len(self.facts):
            return self.facts
        return [
            msgspec.structs.replace(
                facts,
                optimised={
                    level: _cut(
                        onnx_models.count_operators(
                            onnx_models.optimise_model(call.made, level).graph
                        )
                    )
                    for level in levels
                },
            )
            for facts, call in zip(self.facts, calls, strict=True)
        ]

    def find_difference(self, number: int) -> dict[str, Any]:
        """Return the first value of a call's model that is not the given model's value of that name: the
        sentence, and the line that made its node or None. {}: there is none, or it is a result."""
        call = self._calls[number] if number < len(self._calls) else None
        node = call.find_difference() if call else None
        if call is None or node is None:
            return {}
        value = next(filter(None, node.output))
        sentence = (
            f"`{value[:LONGEST]}` is the first value that is not the given model's: "
            f"{onnx_errors.name_maker(node)[:LONGEST]} makes it"
        )
        why = onnx_errors.Explained(sentence, node, own=True, holds=lambda model: False)
        line = find_line(self._entry, _copy(call.given), why, lambda model: "")
        return {"sentence": sentence, "line": line}

    def _make(self, args: tuple[Any, ...]) -> Any:
        given = self._space["model"](*args)
        try:
            open_model(given, given)
        except ModelRefused as error:
            raise _refuse(f"The task's own model is refused. {error.why.sentence}") from None
        return given

    def _name_tensors(self, args: tuple[Any, ...]) -> dict[str, torch.Tensor]:
        names = inspect.signature(self._space["model"]).bind(*args).arguments
        return {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}

    def _use(self, made: Any, given: Any, feeds: dict[str, torch.Tensor]) -> torch.Tensor:
        session = open_model(made, given)
        self.facts.append(describe_model(made, given))
        return compute(session, made, given, feeds)


def probe(module: Any, device: Any) -> dict[str, Any]:
    """Return the facts of the models that the learner's function has returned, for the judge."""
    return {"graphs": msgspec.to_builtins(module.__subject__.facts)}


def probe_levels(module: Any, levels: list[str]) -> dict[str, Any]:
    """As `probe`, with the operators that ONNX Runtime leaves at each of these levels."""
    subject: Graphs = module.__subject__
    return {"graphs": msgspec.to_builtins(subject.optimise(levels))}


def difference(module: Any, number: int) -> dict[str, Any]:
    """Return what `Graphs.find_difference` does, for the judge."""
    found: dict[str, Any] = module.__subject__.find_difference(number)
    return found


def rehearse() -> None:
    """Check and run a model once, so that forked workers find ONNX imported and its tables filled."""
    source = (
        "from onnx import parser\n\ndef model(x):\n"
        "    return parser.parse_model('<ir_version: 10, opset_import: [\"\": 20]> '\n"
        "        'g (float[2] x) => (float[2] y) { y = Relu(x) }')\n"
    )
    Graphs(source, lambda model: model).run((torch.ones(2),))


def describe_model(made: Any, given: Any) -> GraphFacts:
    """Return the facts of a model that was checked; `given` is the one that it was made from."""
    graph = made.graph
    inputs, before = set(_names(graph.input)), set(_names(given.graph.input))
    read = {value.name for value in graph.output}
    for node in graph.node:
        read.update(onnx_models.values_read(node))
    return GraphFacts(
        operators=_cut(
            sum(map(onnx_models.count_operators, (graph, *made.functions)), start=Counter())
        ),
        opsets=_cut(
            {
                "" if each.domain == "ai.onnx" else each.domain: each.version
                for each in made.opset_import
            }
        ),
        inputs=tuple(map(_place, _given_inputs(graph)))[:MOST],
        outputs=tuple(map(_place, graph.output))[:MOST],
        given_inputs=tuple(map(_place, _given_inputs(given.graph)))[:MOST],
        given_outputs=tuple(map(_place, given.graph.output))[:MOST],
        constants=tuple(
            Constant(
                each.name[:LONGEST],
                f"{onnx_errors.name_type(each.data_type)}{_list_sizes(each.dims)}"[:LONGEST],
                len(each.raw_data) or each.ByteSize(),
                each.name in read,
                each.name in inputs and each.name not in before,
            )
            for each in graph.initializer[:MOST]
        ),
        dead=tuple(
            onnx_errors.name_node(node)[:LONGEST] for node in onnx_models.find_dead_nodes(graph)
        )[:MOST],
    )


def _cut(counts: dict[str, int]) -> dict[str, int]:
    return {name[:LONGEST]: count for name, count in list(counts.items())[:MOST]}


def _copy(model: Any) -> Any:
    copied = onnx.ModelProto()
    copied.CopyFrom(model)
    return copied


def _names(places: Any) -> list[str]:
    return [place.name for place in places]


def _given_inputs(graph: Any) -> list[Any]:
    """The inputs that somebody has to give: an initializer of the same name is a value for one."""
    constants = set(_names(graph.initializer))
    return [place for place in graph.input if place.name not in constants]


def _place(place: Any) -> Place:
    tensor = place.type.tensor_type
    kind = onnx_errors.name_type(tensor.elem_type) if tensor.elem_type else "no tensor"
    sizes = "" if not tensor.HasField("shape") else _list_sizes(map(_size, tensor.shape.dim))
    return Place(place.name[:LONGEST], f"{kind}{sizes}"[:LONGEST])


def _size(dimension: Any) -> str:
    return (
        str(dimension.dim_value) if dimension.HasField("dim_value") else dimension.dim_param or "?"
    )


def _list_sizes(sizes: Any) -> str:
    return f"[{','.join(map(str, sizes))}]"


def _refuse(sentence: str) -> ModelRefused:
    return ModelRefused(onnx_errors.Explained(sentence))


def open_model(made: Any, given: Any) -> Any:
    """Check what the learner's function returned, and load it. Raises `ModelRefused`."""
    _look_over(made)
    nodes = list(onnx_models.walk_nodes(made.graph))
    if twice := _find_same_name(made.graph):
        raise ModelRefused(
            onnx_errors.explain_refusal(
                _refusal(f"two nodes with same node name ({twice})", made, given, nodes)
            )
        )
    labelled = _copy(made)
    for number, node in enumerate(onnx_models.walk_nodes(labelled.graph)):
        node.name = f"#{number}"  # by which what is said of a node finds it
    try:
        onnx_models.check_model(labelled)
        return onnx_models.open_session(labelled)
    except Said as error:
        raise ModelRefused(
            onnx_errors.explain_refusal(_refusal(str(error), made, given, nodes))
        ) from None


def _refusal(said: str, made: Any, given: Any, nodes: list[Any]) -> onnx_errors.Refusal:
    return onnx_errors.Refusal(said, made, nodes, given, _OPERATORS)


def _look_over(made: Any) -> None:
    """Refuse what is no model, what is too large to check, and values in files."""
    if made is None:
        raise _refuse(
            "Your function returned nothing. It is to return the model, also one that it only changed"
        )
    if isinstance(made, onnx.GraphProto):
        raise _refuse("Your function returned a graph. It is to return the whole model")
    if not isinstance(made, onnx.ModelProto):
        raise _refuse(
            f"Your function returned an object of type `{type(made).__name__[:60]}`. It is to return a "
            "model, an `onnx.ModelProto`"
        )
    if (size := made.ByteSize()) > onnx_models.MOST_BYTES:
        raise _refuse(
            f"The model takes {size >> 20:,} MiB, and at most {onnx_models.MOST_BYTES >> 20} are judged"
        )
    count = sum(onnx_models.count_operators(made.graph).values())
    if count > onnx_models.MOST_NODES:
        raise _refuse(
            f"The model has {count:,} nodes, and at most {onnx_models.MOST_NODES:,} are judged"
        )
    for tensor in onnx_models.tensors_in(made):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            files = [entry.value for entry in tensor.external_data if entry.key == "location"]
            place = files[0][:LONGEST] if files else "?"
            raise _refuse(
                f"`{tensor.name[:LONGEST]}` keeps its values in the file `{place}`. "
                "The judge reads no file for a model: its values are to stand in it"
            )


def _find_same_name(graph: Any) -> str:
    seen: set[str] = set()
    for node in graph.node:
        if node.name and node.name in seen:
            return str(node.name)
        seen.add(node.name)
    return ""


def compute(session: Any, made: Any, given: Any, feeds: dict[str, torch.Tensor]) -> torch.Tensor:
    """Run the model on the tensors: by name, or in order where names are others. Raises
    `ModelRefused`."""
    wanted = _names(_given_inputs(made.graph))
    if set(wanted) != set(feeds):
        if len(wanted) != len(feeds):
            raise ModelChanged(
                onnx_errors.Explained(
                    f"The graph's inputs are {_quote(wanted)}, and the given model's were "
                    f"{_quote(list(feeds))}"
                )
            )
        feeds = dict(zip(wanted, feeds.values(), strict=True))
    nodes = list(onnx_models.walk_nodes(made.graph))
    try:
        results = onnx_models.run_session(session, feeds)
    except Said as error:
        raise ModelRefused(
            onnx_errors.explain_refusal(_refusal(str(error), made, given, nodes))
        ) from None
    names = _names(given.graph.output)
    order = names if set(names) == set(results) else list(results)
    found = [results[name] for name in order]
    if not found:
        raise _refuse("The model gives nothing that is a tensor")
    return found[0] if len(found) == 1 else torch.cat([each.reshape(-1) for each in found])


def _why(model: Any, given: Any, feeds: dict[str, torch.Tensor]) -> str:
    """Return the sentence with which a model is refused, or ""."""
    try:
        session = open_model(model, given)
        compute(session, model, given, feeds)
    except ModelRefused as error:
        return error.why.sentence
    return ""


def _quote(names: list[str]) -> str:
    return ", ".join(f"`{name[:LONGEST]}`" for name in names) or "none"

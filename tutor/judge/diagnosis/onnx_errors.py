"""Explain why ONNX's checker, its shape inference or ONNX Runtime refuses a model. Pure.

Their messages name a node by its name, which it may lack, and mix up causes: the checker says of a value
that nothing makes, too, that the nodes are not sorted. So a message is read together with the model. The
messages are those of onnx 1.23 and ONNX Runtime 1.32; `tests/judge/graphs` provokes each.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tutor.judge.diagnosis.error_pattern import ErrorPattern as Row

REFUSED = "ModelRefused"  # the type of an error whose message is a sentence from here
CHANGED = "ModelChanged"  # that of one on inputs or outputs that the task keeps

ONNX: tuple[Row, ...] = (
    Row(REFUSED, r"(?s)^(.+)$", "refused-model", "{0}"),
    Row(CHANGED, r"(?s)^(.+)$", "wrong-model", "{0}"),
)

_LONGEST_NAME = 80  # characters of a name that is told
_LONGEST = 240  # characters of a reason that no row explains
_TYPES = dict(
    enumerate(
        (
            *("float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool"),
            *("float16", "float64", "uint32", "uint64", "complex64", "complex128", "bfloat16"),
        ),
        1,
    )
)


@dataclass(frozen=True)
class Operators:
    """Tells what ONNX knows of operators (tutor/judge/cases/onnx_models.py)."""

    schema: Callable[[str, str, int], Any]
    versions: Callable[[str, str], list[int]]
    names: Callable[[], list[str]]


@dataclass(frozen=True)
class Explained:
    """Why a model is refused. `node`: the one at fault, `own`: what it is made of, and not its place.

    `holds` tells of another state of the model whether it has this fault, whatever else is wrong with
    it; None: only a whole check tells.
    """

    sentence: str
    node: Any = None
    own: bool = False
    holds: Callable[[Any], bool] | None = None


@dataclass(frozen=True)
class Refusal:
    """Holds what was said of `model`, where its nodes, `nodes`, were named #0, #1, … for it.

    `given` is the model that the learner's function got.
    """

    said: str
    model: Any
    nodes: list[Any]
    given: Any
    operators: Operators

    def node(self, label: str) -> Any:
        number = label.removeprefix("#")
        known = number.isdecimal() and int(number) < len(self.nodes)
        return self.nodes[int(number)] if known else None

    def version(self, domain: str) -> int:
        """Return the version of a domain that the model imports, 0 for none."""
        own = ("", "ai.onnx")
        return next(
            (
                each.version
                for each in self.model.opset_import
                if each.domain == domain or (each.domain in own and domain in own)
            ),
            0,
        )


def name_type(number: int) -> str:
    """Return `float32` for an element type of ONNX."""
    return _TYPES.get(number, f"type {number}")


def name_node(node: Any) -> str:
    """Return "the node `r` (Relu)", or "the Relu that makes `y`" for a node without a name."""
    if node is None:
        return "a node"
    if node.name:
        return f"the node `{node.name}` ({node.op_type[:_LONGEST_NAME]})"
    made = next(filter(None, node.output), "")
    operator = node.op_type[:_LONGEST_NAME]
    return f"the {operator} that makes `{made}`" if made else f"a {operator}"


def explain_refusal(refusal: Refusal) -> Explained:
    """Return the sentence of the first row that fits, or one with what was said."""
    for pattern, explain in _TABLE:
        if match := re.search(pattern, refusal.said, re.DOTALL):
            found = explain(refusal, *(group or "" for group in match.groups()))
            return replace(found, sentence=_begin(_bound(found.sentence)))
    return Explained(f"The model is refused: {_shorten(refusal.said)}")


def _bound(sentence: str) -> str:
    """Return the sentence on one line, with long names cut."""
    return re.sub("`([^`]*)`", _cut_name, " ".join(sentence.split()))


def _cut_name(found: re.Match[str]) -> str:
    name = found[1]
    return f"`{name[:_LONGEST_NAME]}…`" if len(name) > _LONGEST_NAME else found[0]


def _begin(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _shorten(said: str) -> str:
    """Return the reason in a message, without numbers of errors and places in C++."""
    said = re.sub(r"^\[ONNXRuntimeError\] : \d+ : [A-Z_]+ : ", "", said.strip())
    said = re.sub(r"^/\S+ [^\n]*?\) (?=[A-Z])", "", said)
    said = re.sub(r"^This is an invalid model\. (?:Error: )?", "", said)
    said = re.sub(r"\[\w+Error\] (?:Inference error\(s\): )?", "", said)
    return " ".join(said.split("\n\n==>")[0].split())[:_LONGEST].rstrip(".")


def _makers(graph: Any, name: str) -> list[Any]:
    return [node for node in graph.node if name in node.output]


def _made_before(refusal: Refusal, name: str) -> str:
    """Say which node made a value in the given model, where it did."""
    made = _makers(refusal.given.graph, name)
    if not made:
        return ""
    return f" In the given model {name_maker(made[0])} made it."


def name_maker(node: Any) -> str:
    """As `name_node`, where the value that it makes was named already."""
    return name_node(node) if node.name else f"a node {node.op_type}"


def _order(refusal: Refusal, name: str, label: str) -> Explained:
    node = refusal.node(label)
    reader = name_node(node)
    if later := _makers(refusal.model.graph, name):
        maker = later[0]
        named = f"{name_node(maker)}, which" if maker.name else f"the {maker.op_type} that"
        return Explained(
            f"{reader} reads `{name}` and stands before {named} makes it. A node stands behind those "
            "whose values it reads; ONNX Runtime alone would sort them",
            node,
            holds=lambda model: _stands_behind(model.graph, maker, name),
        )
    return Explained(
        f"{reader} reads `{name}`, which no node makes and which is no input and no initializer."
        + _made_before(refusal, name),
        node,
        holds=lambda model: _is_read(model.graph, name) and not _is_made(model.graph, name),
    )


def _is_read(graph: Any, name: str) -> bool:
    return any(name in node.input for node in graph.node)


def _stands_behind(graph: Any, maker: Any, name: str) -> bool:
    """Return True if this node makes a value behind a node that reads it."""
    read = False
    for node in graph.node:
        if read and (node.op_type, node.output) == (maker.op_type, maker.output):
            return True
        read |= name in node.input
    return False


def _is_made(graph: Any, name: str) -> bool:
    given = (place.name for place in (*graph.input, *graph.initializer))
    return name in given or bool(_makers(graph, name))


def _unknown(refusal: Refusal, operator: str, version: str, label: str) -> Explained:
    node = refusal.node(label)
    domain = node.domain if node else ""
    since = refusal.operators.versions(operator, domain)
    if since:
        return Explained(
            f"ONNX has `{operator}` from opset {since[0]} on, and the model imports opset {version} "
            f"({name_node(node)})",
            node,
            own=True,
        )
    near = difflib.get_close_matches(operator, refusal.operators.names(), 1, 0.7)
    hint = f" Is `{near[0]}` meant?" if near else ""
    return Explained(
        f"ONNX has no operator `{operator}` ({name_node(node)}).{hint}", node, own=True
    )


def _deprecated(refusal: Refusal, operator: str, version: str, label: str) -> Explained:
    node = refusal.node(label)
    since = refusal.operators.versions(operator, node.domain if node else "")
    told = f" in opset {since[-1]}" if since else ""
    return Explained(
        f"ONNX took `{operator}` out{told}, and the model imports opset {version} ({name_node(node)})",
        node,
        own=True,
    )


def _no_domain(refusal: Refusal, domain: str, label: str) -> Explained:
    node = refusal.node(label)
    if domain in ("", "ai.onnx"):
        return _no_opset(refusal)
    return Explained(
        f"{name_node(node)} is of the domain `{domain}`, of which the model imports no version. "
        "`model.opset_import` needs an entry for each domain; ONNX Runtime may do without it",
        node,
        own=True,
    )


def _made_twice(refusal: Refusal, name: str) -> Explained:
    makers = _makers(refusal.model.graph, name)
    node = makers[-1] if makers else None
    for part, what in (("input", "an input of the graph"), ("initializer", "an initializer")):
        if _count_named(getattr(refusal.model.graph, part), name):
            return Explained(
                f"{name_node(node)} makes `{name}`, which is {what} already. Each name is given once",
                node,
                holds=lambda model: bool(_makers(model.graph, name)),
            )
    if len(makers) < 2:
        return Explained(f"{name_node(node)} makes `{name}` twice. Each name is given once", node)
    return Explained(
        f"two nodes make `{name}`: {name_maker(makers[0])} and {name_maker(makers[1])}. "
        "Each name is given once",
        node,
        holds=lambda model: len(_makers(model.graph, name)) > 1,
    )


def _count_named(places: Any, name: str) -> int:
    return sum(place.name == name for place in places)


def _input_twice(refusal: Refusal, name: str) -> Explained:
    return Explained(
        f"the graph has two inputs with the name `{name}`",
        holds=lambda model: _count_named(model.graph.input, name) > 1,
    )


def _initializer_twice(refusal: Refusal, name: str) -> Explained:
    return Explained(
        f"the graph has two initializers with the name `{name}`",
        holds=lambda model: _count_named(model.graph.initializer, name) > 1,
    )


def _no_maker(refusal: Refusal, name: str) -> Explained:
    return Explained(
        f"no node makes the graph's output `{name}`." + _made_before(refusal, name),
        holds=lambda model: (
            _count_named(model.graph.output, name) > 0 and not _is_made(model.graph, name)
        ),
    )


def _count(
    refusal: Refusal, label: str, operator: str, side: str, had: str, least: str, most: str
) -> Explained:
    node = refusal.node(label)
    places = "inputs" if side == "input" else "results"
    infinite = int(most) > 1000
    wanted = least if least == most else f"{least} or more" if infinite else f"{least} to {most}"
    schema = _schema(refusal, node)
    listed = list(schema.inputs if side == "input" else schema.outputs) if schema else []
    told = ", ".join(f"`{place.name}`" for place in listed)
    return Explained(
        f"{name_node(node)} has {had} {places if had != '1' else places[:-1]}, and `{operator}` has "
        f"{wanted}{f' ({told})' if told else ''}",
        node,
        own=True,
    )


def _schema(refusal: Refusal, node: Any) -> Any:
    if node is None:
        return None
    return refusal.operators.schema(node.op_type, node.domain, refusal.version(node.domain))


def _missing_attribute(refusal: Refusal, name: str, label: str) -> Explained:
    node = refusal.node(label)
    return Explained(f"{name_node(node)} lacks the attribute `{name}`", node, own=True)


def _unknown_attribute(refusal: Refusal, name: str, operator: str, label: str) -> Explained:
    node = refusal.node(label)
    schema = _schema(refusal, node)
    version = refusal.version(node.domain if node else "")
    listed = [place.name for place in schema.inputs] if schema else []
    hint = " It is an input there." if name in listed else ""
    return Explained(
        f"`{operator}` of opset {version} has no attribute `{name}` ({name_node(node)}).{hint}",
        node,
        own=True,
    )


def _attribute_type(refusal: Refusal, label: str, name: str, wanted: str, actual: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"the attribute `{name}` of {name_node(node)} is {actual}, and {wanted} is wanted",
        node,
        own=True,
    )


def _no_type(refusal: Refusal) -> Explained:
    graph = refusal.model.graph
    for what, places in (
        ("input", graph.input),
        ("output", graph.output),
        ("`value_info`", graph.value_info),
    ):
        for place in places:
            if not place.HasField("type"):
                return Explained(
                    f"the {what} `{place.name}` has no type. `helper.make_tensor_value_info(name, type, "
                    "shape)` makes one that has"
                )
    return Explained("an input, an output or a `value_info` has no type")


def _no_shape(refusal: Refusal) -> Explained:
    for place in (*refusal.model.graph.input, *refusal.model.graph.output):
        if not place.type.tensor_type.HasField("shape"):
            return Explained(
                f"the type of `{place.name}` says nothing of its sizes. One that is not fixed has a name"
            )
    return Explained("the type of an input or an output says nothing of its sizes")


def _size(refusal: Refusal, name: str, had: str, wanted: str) -> Explained:
    return Explained(f"`{name}` holds {had}, and its `dims` and type ask for {wanted}")


def _no_opset(refusal: Refusal) -> Explained:
    return Explained(
        "the model imports no opset: `opset_import` says which version of the operators is meant"
    )


def _new_format(refusal: Refusal, has: str, most: str) -> Explained:
    return Explained(
        f"the model's `ir_version` is {has}, and {most} is the last that is known here"
    )


def _no_format(refusal: Refusal) -> Explained:
    return Explained("the model has no `ir_version`: `helper.make_model` sets one")


def _not_an_input(refusal: Refusal, name: str) -> Explained:
    version = refusal.model.ir_version
    return Explained(
        f"the initializer `{name}` is no input, and the model's `ir_version` {version} wants that. From "
        "4 on an initializer need not be one"
    )


def _left_empty(refusal: Refusal, label: str, place: str) -> Explained:
    node = refusal.node(label)
    schema = _schema(refusal, node)
    name = schema.inputs[int(place)].name if schema and int(place) < len(schema.inputs) else place
    return Explained(
        f"{name_node(node)} is given no `{name}` (input {place}), and its operator needs it",
        node,
        True,
    )


def _no_name(refusal: Refusal, what: str) -> Explained:
    return Explained(f"the {what} has no name")


def _sizes_differ(
    refusal: Refusal, label: str, dimension: str, inferred: str, declared: str
) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"{name_node(node)} gets what makes {inferred} in dimension {dimension} of its result; "
        f"{_where(refusal, node)} {declared}. ONNX Runtime only warns of that",
        node,
    )


def _ranks_differ(refusal: Refusal, label: str, inferred: str, declared: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"{name_node(node)} gets what makes {inferred} dimensions; {_where(refusal, node)} {declared}",
        node,
    )


def _where(refusal: Refusal, node: Any) -> str:
    """Say which part of the model declares a type for what a node makes."""
    made = set(node.output) if node is not None else set()
    if any(place.name in made for place in refusal.model.graph.output):
        return "the graph's output says"
    return "an entry of `value_info` says"


def _types_differ(refusal: Refusal, label: str, inferred: str, declared: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"{name_node(node)} gets what makes {name_type(int(inferred))}; {_where(refusal, node)} "
        f"{name_type(int(declared))}",
        node,
    )


def _mixed_types(refusal: Refusal, label: str, place: str, kind: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"{name_node(node)} gets {_type(kind)} as `{place}`, which is not the type of its other inputs",
        node,
        own=True,
    )


def _unfit_type(refusal: Refusal, label: str, place: str, kind: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"{name_node(node)} gets {_type(kind)} as `{place}`, and its operator takes no such type",
        node,
        own=True,
    )


def _type(text: str) -> str:
    inner = re.fullmatch(r"tensor\((\w+)\)", text)
    known = {"float": "float32", "double": "float64"}
    return known.get(inner[1], inner[1]) if inner else text


def _inference(refusal: Refusal, label: str, reason: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"the types or sizes do not fit at {name_node(node)}: {_shorten(reason)}", node, own=True
    )


def _same_name(refusal: Refusal, name: str) -> Explained:
    named = [node for node in refusal.nodes if node.name == name]
    listed = " and ".join(sorted({node.op_type for node in named}))
    return Explained(
        f"{len(named)} nodes have the name `{name}` ({listed}). The checker does not mind, and ONNX "
        "Runtime refuses it: a node has a name of its own, or none",
        named[-1] if named else None,
        holds=lambda model: _count_named(model.graph.node, name) > 1,
    )


def _no_kernel(refusal: Refusal, operator: str, label: str) -> Explained:
    node = refusal.node(label)
    return Explained(
        f"ONNX Runtime has no `{operator}` for this version and these types on the CPU "
        f"({name_node(node)})",
        node,
        own=True,
    )


def _not_registered(refusal: Refusal, domain: str, operator: str) -> Explained:
    node = next((node for node in refusal.nodes if node.op_type == operator), None)
    return Explained(
        f"ONNX Runtime has no operator `{operator}` in the domain `{domain}`. The checker looks into "
        "ONNX's own domains alone",
        node,
        own=True,
    )


def _new_opset(refusal: Refusal, version: str) -> Explained:
    return Explained(f"ONNX Runtime does not know opset {version} yet")


def _no_result(refusal: Refusal) -> Explained:
    return Explained("the graph has no output")


def _stopped(refusal: Refusal, label: str, reason: str) -> Explained:
    node = refusal.node(label)
    reason = re.sub(r"^/\S+ .*? was false\. ", "", reason.strip(), flags=re.DOTALL)
    reason = re.sub(r"^/\S+ [^\n]*?\) (?=[A-Z])", "", reason)
    return Explained(
        f"ONNX Runtime stopped at {name_node(node)}: {_shorten(reason)}", node, own=True
    )


def _wrong_feed(refusal: Refusal, name: str, place: str, got: str, wanted: str) -> Explained:
    return Explained(
        f"the input `{name}` has {wanted} in dimension {place} now, and is given {got} as before"
    )


_LABEL = r"(#\d+)"
_SPEC = rf".*Name: {_LABEL}"
_INFERENCE = rf"\(op_type:\w+, node name: {_LABEL}\): (?:\[\w+\] )?"
_TABLE: tuple[tuple[str, Callable[..., Explained]], ...] = (
    (rf"must be topologically sorted, however input '(.*?)' of node: \s*name: {_LABEL} ", _order),
    (rf"No Op registered for (\S+) with domain_version of (\d+){_SPEC}", _unknown),
    (rf"Op registered for (\S+) is deprecated in domain_version of (\d+){_SPEC}", _deprecated),
    (rf"No opset import for domain '(.*?)'{_SPEC}", _no_domain),
    (r"'(.*?)' has been used as output names multiple times", _made_twice),
    (r"'(.*?)' has been used as graph input names multiple times", _input_twice),
    (r"^(.*?) initializer name is not unique", _initializer_twice),
    (r"^Graph output '(.*?)' is not an output of any node", _no_maker),
    (
        rf"Node\({_LABEL}\) with schema\(\S*?::(\w+):\d+\) has (input|output) size (\d+) not in range "
        r"\[min=(\d+), max=(\d+)\]",
        _count,
    ),
    (rf"^Required attribute '(.*?)' is missing\.{_SPEC}", _missing_attribute),
    (rf"^Unrecognized attribute: (\S+) for operator (\S+){_SPEC}", _unknown_attribute),
    (
        rf"Mismatched attribute type in '{_LABEL} : (.*?)'\. Expected: '(\w+)', actual: '(\w+)'",
        _attribute_type,
    ),
    (r"^Field 'type' of 'value_info' is required but missing", _no_type),
    (r"^Field 'shape' of 'type' is required but missing", _no_shape),
    (r"tensor name: (.*?)\) \w+ size \((.*?)\) is too \w+ for .*?\((.*?) required", _size),
    (r"must specify opset_import for ONNX", _no_opset),
    (r"model ir_version (\d+) is higher than the checker's \((\d+)\)", _new_format),
    (r"does not have an ir_version set", _no_format),
    (r"^(.*?) in initializer but not in graph input", _not_an_input),
    (rf"Node \({_LABEL}\)'s input (\d+) is marked single but has an empty string", _left_empty),
    (r"^Field 'name' of '(\w+)' is required to be non-empty", _no_name),
    (
        rf"{_INFERENCE}Inferred shape and existing shape differ in dimension (\d+): \((\d+)\) vs "
        r"\((\d+)\)",
        _sizes_differ,
    ),
    (
        rf"{_INFERENCE}Inferred shape and existing shape differ in rank: \((\d+)\) vs \((\d+)\)",
        _ranks_differ,
    ),
    (
        rf"{_INFERENCE}Inferred elem type differs from existing elem type: \((\d+)\) vs \((\d+)\)",
        _types_differ,
    ),
    (rf"{_INFERENCE}(\w+) has inconsistent type (\S+)", _mixed_types),
    (rf"{_INFERENCE}(\w+) typestr: \w+, has unsupported type: (\S+)", _unfit_type),
    (rf"{_INFERENCE}([^\n]+)", _inference),
    (r"two nodes with same node name \((.*?)\)", _same_name),
    (rf"Could not find an implementation for (\w+)\(\d+\) node with name '{_LABEL}'", _no_kernel),
    (r"Fatal error: ([\w.]+):(\w+)\(-?\d+\) is not a registered function/op", _not_registered),
    (r"Opset (\d+) is under development", _new_opset),
    (r"At least one output should be requested", _no_result),
    (rf"while running \w+ node\. Name:'{_LABEL}' Status Message: (.+)", _stopped),
    (
        r"Got invalid dimensions for input: (\S+) .*?index: (\d+) Got: (\d+) Expected: (\d+)",
        _wrong_feed,
    ),
)

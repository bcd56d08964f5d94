"""Facts of an ONNX model, and whether it has the properties that an exercise asks for. Pure.

The facts come from the learner's process (tutor/judge/worker/onnx_graph.py): plain values of bounded
size, read into records here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeAlias

import msgspec

from tutor.judge.spec import (
    GraphProperty,
    Initializers,
    Names,
    NoDead,
    Operators,
    Opset,
    Optimised,
)

MOST = 2_000  # nodes, constants and names of a model that are told
LONGEST = 200  # characters of a name
Name: TypeAlias = Annotated[str, msgspec.Meta(max_length=LONGEST)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Counts: TypeAlias = Annotated[dict[Name, Count], msgspec.Meta(max_length=MOST)]


class Place(msgspec.Struct, frozen=True):
    """An input or output of a graph. `type`: `float32[n,3]`, as far as the model says it."""

    name: Name
    type: Name


class Constant(msgspec.Struct, frozen=True):
    """An initializer. `read`: a node or an output reads it. `is_input`: its name is an input's too, so
    that a caller may give another value, and was not in the given model."""

    name: Name
    type: Name
    bytes: Count
    read: bool
    is_input: bool


Places: TypeAlias = Annotated[tuple[Place, ...], msgspec.Meta(max_length=MOST)]


class GraphFacts(msgspec.Struct, frozen=True):
    """A model that the learner's function returned, and inputs and outputs of the one that it got.

    `operators` counts nodes, those of inner graphs too. `dead`: nodes on which no output depends, in
    words. `inputs` leaves out those that are initializers. `optimised`: the operators after each level
    of ONNX Runtime that was asked for.
    """

    operators: Counts
    opsets: Counts
    inputs: Places
    outputs: Places
    given_inputs: Places
    given_outputs: Places
    constants: Annotated[tuple[Constant, ...], msgspec.Meta(max_length=MOST)]
    dead: Annotated[tuple[Name, ...], msgspec.Meta(max_length=MOST)]
    optimised: Annotated[dict[Name, Counts], msgspec.Meta(max_length=9)] = {}


def read_graphs(found: Mapping[str, Any]) -> list[GraphFacts]:
    """Read the facts of each case. Raises `msgspec.ValidationError`."""
    return msgspec.convert(found.get("graphs", []), list[GraphFacts])


def find_broken(
    properties: Iterable[GraphProperty], graphs: Sequence[GraphFacts]
) -> tuple[int, str] | None:
    """Return the number of the first model that lacks a property, and the sentence, or None."""
    for wanted in properties:
        for number, facts in enumerate(graphs):
            if sentence := _check(wanted, facts):
                return number, sentence
    return None


def list_levels(properties: Iterable[GraphProperty]) -> list[str]:
    """Return the levels of ONNX Runtime of which the properties speak."""
    return sorted({one.level for one in properties if isinstance(one, Optimised)})


def find_other_places(
    properties: Iterable[GraphProperty], graphs: Sequence[GraphFacts]
) -> tuple[int, str] | None:
    """As `find_broken`, on inputs and outputs: those of the given model are kept, unless `Names` says
    which are wanted."""
    wanted = next((one for one in properties if isinstance(one, Names)), Names())
    for number, facts in enumerate(graphs):
        for what, places, given, named in (
            ("input", facts.inputs, facts.given_inputs, wanted.inputs),
            ("output", facts.outputs, facts.given_outputs, wanted.outputs),
        ):
            if sentence := _check_places(what, places, given, named, facts.constants):
                return number, sentence
        if both := next((each.name for each in facts.constants if each.is_input), ""):
            return number, (
                f"`{both}` is an initializer and an input of the graph, so that a caller may give "
                "another value for it. The given model had no such input."
            )
    return None


def _check(wanted: GraphProperty, facts: GraphFacts) -> str:
    match wanted:
        case Operators():
            return _check_operators(wanted, facts.operators, "The model")
        case Optimised():
            operators = facts.optimised.get(wanted.level)
            if operators is None:
                return "The model is too large to be optimised here."
            what = f"The model that ONNX Runtime makes of it (level {wanted.level})"
            return _check_operators(wanted.operators, operators, what)
        case Opset():
            return _check_opset(wanted, facts)
        case Initializers():
            return _check_initializers(wanted, facts)
        case NoDead():
            return _check_dead(facts)
        case Names():
            return ""  # `find_other_places`


def _check_operators(wanted: Operators, operators: Mapping[str, int], model: str) -> str:
    name = wanted.name
    there = operators.get(name, 0) if name else sum(operators.values())
    most = wanted.most
    if wanted.least <= there and (most is None or there <= most):
        return ""
    asked = (
        f"at least {wanted.least}"
        if most is None
        else "none"
        if most == 0
        else str(most)
        if most == wanted.least
        else f"at most {most}"
        if there > most
        else f"at least {wanted.least}"
    )
    what = f"`{name}`" if name else ("node" if there == 1 else "nodes")
    listed = ""
    if not name or there == 0:
        listed = _list_operators(operators)
    return f"{model} has {there or 'no'} {what}. Asked for: {asked}.{listed}"


def _list_operators(operators: Mapping[str, int]) -> str:
    rows = sorted(operators.items(), key=lambda row: (-row[1], row[0]))
    told = ", ".join(f"{count} `{name}`" for name, count in rows[:8])
    return f" It has {told}." if told else ""


def _check_opset(wanted: Opset, facts: GraphFacts) -> str:
    domain = wanted.domain
    there = facts.opsets.get(domain)
    if there == wanted.version:
        return ""
    of_domain = f" of the domain `{domain}`" if domain else ""
    imports = f"opset {there}" if there else "no opset"
    return f"The model imports {imports}{of_domain}. Asked for: {wanted.version}."


def _check_initializers(wanted: Initializers, facts: GraphFacts) -> str:
    count, size = len(facts.constants), sum(each.bytes for each in facts.constants)
    listed = ", ".join(f"`{each.name}` {each.type}" for each in facts.constants[:8])
    if wanted.most is not None and count > wanted.most:
        plural = "" if count == 1 else "s"
        return f"The model has {count} initializer{plural} ({listed}). Asked for: at most {wanted.most}."
    if wanted.most_bytes is not None and size > wanted.most_bytes:
        most = f"{wanted.most_bytes:,}"
        return f"The initializers take {size:,} bytes ({listed}). Asked for: at most {most}."
    return ""


def _check_dead(facts: GraphFacts) -> str:
    if facts.dead:
        others = len(facts.dead) - 1
        are = "node is" if others == 1 else "nodes are"
        more = f", and {others} more {are} like it" if others else ""
        return f"No output needs {facts.dead[0]}{more}. Asked for: no node without a use."
    if unread := next((each for each in facts.constants if not each.read), None):
        return (
            f"No node reads the initializer `{unread.name}` ({unread.type}). "
            "Asked for: no initializer without a use."
        )
    return ""


def _check_places(
    what: str,
    places: Sequence[Place],
    given: Sequence[Place],
    named: tuple[str, ...] | None,
    constants: Sequence[Constant],
) -> str:
    names = [place.name for place in places]
    wanted = list(named) if named is not None else [place.name for place in given]
    if names != wanted:
        return _tell_names(what, names, wanted, constants)
    if named is not None:
        return ""
    for place, before in zip(places, given, strict=True):
        if place.type != before.type:
            return f"The {what} `{place.name}` was {before.type} and is {place.type} now. It is to stay."
    return ""


def _tell_names(
    what: str, names: Sequence[str], wanted: Sequence[str], constants: Sequence[Constant]
) -> str:
    hint = ""
    if what == "input":
        both = [each.name for each in constants if each.name in wanted]
        hint = f" `{both[0]}` is an initializer too, so nobody needs to give it." if both else ""
    return f"The graph's {what}s are {_quote(names)}. Asked for: {_quote(wanted)}.{hint}"


def _quote(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"

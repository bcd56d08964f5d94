"""Explanations of what Inductor's scheduler fused, and why it did not fuse the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

_MOST_NAMES = 12
_CONVOLVES = "aten.convolution.default"
COPIES = "copies an input for a call to read"  # what a kernel does that computes no operation

# What torch/_inductor/scheduler.py says (2.11 to 2.13) -> what it means. First fit wins.
_MEANS: tuple[tuple[str, str], ...] = (
    (
        r"no shared data.*",
        "no access is common to both, by tensor and by order of elements, so one kernel would save no "
        "traffic",
    ),
    (r"node1 is extern but not a triton kernel|node1 is extern", "the first is {calls}"),
    (
        r"node2 is extern or nop",
        "the second is a call into a library ({libraries} or an ATen kernel), or writes nothing: "
        "it has no body to put the first into",
    ),
    (r"node1 is nop", "the first computes nothing"),
    (
        r"numel/rnumel mismatch \(reduce\) \((.+), (.+)\), \((.+), (.+)\)",
        "the first makes {0} results of {2} elements each, the second {1} of {3}: one loop cannot be "
        "both, and the second needs all of the first's results",
    ),
    (
        r"nodes numel incompatibility",
        "the pointwise one has neither as many elements as the reduction reads nor as many as it makes: "
        "one loop cannot be both",
    ),
    (
        r"nodes numel/rnumel incompatibility",
        "the elements of the first cannot be walked row by row, as the second's reduction walks them",
    ),
    (r"numel/rnumel mismatch \(non-reduce\) (.*)", "their loops have different sizes ({0})"),
    (r"numel mismatch (.*)|.*(?:size|numel).*mismatch(.*)", "their loops have different sizes"),
    (
        r"memory deps did not match",
        "the second reads other elements than the first writes at that point of the loop: it would "
        "need values that another block computes",
    ),
    (r"intermediate nodes between node1 & node2", "something between them has to run first"),
    (r"will create cycle", "each would have to run before the other"),
    (r"node1 must go before node2", "the second has to run before the first"),
    (
        r"tiling mismatch \((\w+)\)?.*|.*tiling.*",
        "they walk their data in tiles of different shapes",
    ),
    (r".*max_fusion_size.*|.*too (?:many|large).*", "the kernel would grow too large"),
    (r"device mismatch \((.*)\)", "they run on different devices ({0})"),
    (r"fusion for buffer explicit disabled", "fusion was switched off for this buffer"),
    (
        r"candidate (?:consumer|producer) .*foreach.*|foreach do not have same length",
        "one is a kernel of several loops (foreach), and the other has no loop that fits each of them",
    ),
    (r".*template.*", "the template of the matrix product cannot take the other in"),
    (r"score_fusion_memory_threshold|.*threshold.*", "too little traffic would be saved"),
    (r".*register spilling.*", "the fused kernel would need more registers than there are"),
    (r".*peak memory.*", "more memory would be in use at once"),
)


@dataclass(frozen=True)
class Calls:
    """What Inductor calls instead of writing code, and what would take work in that stands beside it."""

    libraries: str
    template: str

    def __str__(self) -> str:
        return (
            f"a call into a library ({self.libraries} or an ATen kernel): only {self.template}, as "
            "max-autotune may choose, takes pointwise work in"
        )


GPU_CALLS = Calls("cuBLAS, cuDNN", "a Triton template")
CPU_CALLS = Calls("MKL, oneDNN", "a C++ template")


@dataclass(frozen=True)
class WhyNot:
    """The scheduler looked at fusing `first` with `second`, and did not, for `reason`."""

    first: str
    second: str
    reason: str

    def meaning(self, calls: Calls = GPU_CALLS) -> str:
        for pattern, plain in _MEANS:
            if match := re.fullmatch(pattern, self.reason):
                groups = (group or "" for group in match.groups())
                said = plain.format(*groups, calls=calls, libraries=calls.libraries)
                return re.sub(
                    r"\b1 results of (\d+) elements each", r"1 result of \1 elements", said
                )
        return f"in Inductor's words, {self.reason}"


@dataclass(frozen=True)
class Group:
    """Scheduler nodes that became one kernel, or one call. `operations`: the ATen ones inside."""

    nodes: tuple[str, ...]
    operations: tuple[str, ...]
    # "kernel", "own" kernel of the learner, "call" into a library, "view" that a call makes without a
    # kernel, or "nothing" at run time
    kind: str
    writes: frozenset[str] = frozenset()  # buffers
    reads: frozenset[str] = frozenset()  # buffers that other groups write

    def __str__(self) -> str:
        more = len(self.operations) - _MOST_NAMES
        ops = ", ".join(self.operations[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        return f"{' + '.join(self.nodes)}{f' ({ops})' if ops else ''}"


def groups_of(nodes: list[Any], copied: Mapping[str, Any]) -> list[Group]:
    """From the scheduler's nodes after fusion. `copied`: see `origins_of`."""
    groups: list[Group] = []
    for node in nodes:
        if type(getattr(node, "node", None)).__name__ == "MultiOutput":  # one result of a call
            _add_result(groups, node)
            continue
        parts = list(node.get_nodes())
        kind = "kernel"
        if type(getattr(node, "node", None)).__name__ == "UserDefinedTritonKernel":
            kind = "own"
        elif node.is_extern():
            kind = "view" if getattr(_operator_of(node), "is_view", False) else "call"
        elif type(node).__name__ == "NopKernelSchedulerNode":
            kind = "nothing"
        origins: dict[str, None] = {}
        for part in parts:
            origins |= dict.fromkeys(origins_of(part.node, copied))
        writes = frozenset(str(name) for name in node.get_buffer_names())
        reads = frozenset(str(dep.name) for dep in node.unmet_dependencies) - writes
        names = tuple(part.get_name() for part in parts)
        operations = tuple(origins)
        if kind in ("call", "own", "view"):  # what its operands were made by is no part of it
            own = getattr(getattr(node, "node", None), "origin_node", None)
            operations = (own.name,) if own is not None else operations[-1:]
        groups.append(Group(names, operations, kind, writes, reads))
    return groups


def _operator_of(node: Any) -> Any:
    """Return the operator that a call of the scheduler's calls, or None."""
    return getattr(getattr(node, "node", None), "op_overload", None)


def _add_result(groups: list[Group], node: Any) -> None:
    """Add a result of a call that has several to the group of the call."""
    reads = {str(dep.name) for dep in node.unmet_dependencies}
    place = next((p for p, group in enumerate(groups) if group.writes & reads), None)
    if place is not None:
        writes = frozenset(str(name) for name in node.get_buffer_names())
        groups[place] = replace(groups[place], writes=groups[place].writes | writes)


def origins_of(operation: Any, copied: Mapping[str, Any]) -> list[str]:
    """Names of the FX nodes that an Inductor operation was lowered from, in the graph's order.

    `copied`: by name of a buffer that was written for a call to read, the node that it holds the value
    of. Inductor adds to such a buffer's origins the call, and what its other operands were made by; to
    those of an operation in place, what made the buffer that it changes.
    """
    origins = getattr(operation, "origins", None) or ()
    nodes = [n for n in origins if n.op not in ("placeholder", "output")]
    value = copied.get(getattr(operation, "name", None) or "")
    if value is not None:
        own = getattr(value, "origins", ())
        nodes = [n for n in nodes if n in own]  # none where it holds an input of the graph
    changed = _find_changed(operation)
    if changed is not None and changed is not operation:
        before = getattr(changed, "origins", None) or ()
        nodes = [n for n in nodes if n not in before] or nodes
    nodes = sorted(nodes)
    if nodes and str(nodes[-1].target) == _CONVOLVES and _is_written(operation):
        nodes = nodes[-1:]  # it adds the bias; what made the other operands ran before the call
    return [n.name for n in nodes]


def _is_written(operation: Any) -> bool:
    """Return True for a kernel's part, False for a call of a library."""
    return type(operation).__name__ == "ComputedBuffer"


def _find_changed(operation: Any) -> Any:
    """Return the buffer that an operation changes in place, or None."""
    layout: Any = getattr(operation, "layout", None)
    if not type(layout).__name__.startswith("MutationLayout"):
        return None
    return layout.get_buffer()


def fusion_notes(groups: list[Group], why: list[WhyNot]) -> tuple[str, ...]:
    """Return what became of each group, and the reason for each pair that was tried and not fused."""
    return (*group_notes(groups), *pair_notes(groups, why, GPU_CALLS))


def group_notes(groups: list[Group]) -> Iterator[str]:
    """Yield what became of each group: fused, alone, a call."""
    for group in groups:
        if group.kind == "call":
            yield f"{group}: a call into a library or an ATen kernel, not generated."
        elif group.kind == "view":
            yield f"{group}: a view that ATen makes; no kernel runs for it."
        elif group.kind == "own":
            yield f"{group}: your own Triton kernel, launched as it is."
        elif group.kind == "kernel" and not group.operations:
            yield f"{group}: a kernel that {COPIES}."
        elif group.kind == "kernel" and len(group.nodes) > 1:
            yield f"{group}: fused into one kernel."
        elif group.kind == "kernel":
            inlined = "; all of it was inlined while lowering" if len(group.operations) > 1 else ""
            yield f"{group}: a kernel of its own{inlined}."


def pair_notes(groups: list[Group], why: list[WhyNot], calls: Calls) -> tuple[str, ...]:
    """Return the reason for each pair of groups that was tried and not fused."""
    home = {name: place for place, group in enumerate(groups) for name in group.nodes}
    said: dict[tuple[int, int], str] = {}
    own = {place for place, group in enumerate(groups) if group.kind == "own"}
    for one in why:
        first, second = _place(one.first, home), _place(one.second, home)
        if own & {first, second}:
            continue  # the scheduler treats it as a call of a library
        if first is not None and second is not None and first != second:
            said[min(first, second), max(first, second)] = (
                f"Not fused: {one.first} with {one.second}: {one.meaning(calls)}."
            )
    for pair, reason in _around_calls(groups, calls):
        said.setdefault(pair, reason)
    return tuple(said[pair] for pair in sorted(said))


_ASKED = ({"kernel", "call"}, {"kernel", "own"})  # what is nothing at run time takes no work in


def _around_calls(groups: list[Group], calls: Calls) -> Iterator[tuple[tuple[int, int], str]]:
    """Calls are never looked at for fusion; what reads their result, or makes their input, asks."""
    for first, producer in enumerate(groups):
        for second, consumer in enumerate(groups):
            kinds = {producer.kind, consumer.kind}
            if kinds in _ASKED and producer.writes & consumer.reads:
                one, other = producer.nodes[0], consumer.nodes[0]
                side = "first is" if consumer.kind == "kernel" else "second is"
                own = "a kernel that you wrote: no work is put into it"
                what = str(calls) if "call" in kinds else own
                yield (
                    (min(first, second), max(first, second)),
                    (f"Not fused: {one} with {other}: the {side} {what}."),
                )


def _place(name: str, home: dict[str, int]) -> int | None:
    """The group of a node, or of a fused node (`op1_op2`), by its first member."""
    if name in home:
        return home[name]
    return next((home[part] for part in re.findall(r"op\d+|buf\d+", name) if part in home), None)

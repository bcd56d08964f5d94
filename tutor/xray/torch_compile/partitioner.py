"""The partitioner's cut: the tensors that the forward keeps for the backward, with reasons.

The min-cut partitioner (torch/_functorch/partitioners.py) weighs each value by its bytes and cuts
the joint graph where least has to be kept; what it may compute again in the backward, and what not,
is decided by the kind of the operation, which its own table tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch.fx import GraphModule, Node

from tutor.base.number_text import plural
from tutor.xray.dynamo.fx_text import list_operations, operation
from tutor.xray.fake_gpu.fake_gpu import private

_MOST_NOTES = 40


@dataclass(frozen=True)
class Saved:
    """A value kept between forward and backward: its node's name, bytes (0: a size), and why."""

    name: str
    shape: str
    bytes: int
    why: str
    extra: bool  # memory that would be free otherwise


@dataclass(frozen=True)
class Cut:
    """What the forward graph keeps for the backward one, and what is computed in both."""

    saved: tuple[Saved, ...]
    recomputed: tuple[str, ...]  # names of nodes that are in both graphs

    @property
    def bytes(self) -> int:
        return sum(one.bytes for one in self.saved)

    @property
    def extra_bytes(self) -> int:
        return sum(one.bytes for one in self.saved if one.extra)

    def counts(self) -> tuple[tuple[str, int], ...]:
        """Return what a stage counts of the cut, by name."""
        return (
            ("saved_tensors", len(self.saved)),
            ("saved_bytes", self.bytes),
            ("saved_extra_bytes", self.extra_bytes),
        )

    def summary(self) -> str:
        """Return how much is kept, in a sentence."""
        return (
            f"Kept for the backward: {plural(len(self.saved), 'value')}, {self.bytes:,} bytes; "
            f"{self.extra_bytes:,} bytes of it would be free otherwise."
        )

    def marks(self) -> dict[str, str]:
        """Return the mark of each kept value, by its node's name: bytes, and the reason in short."""
        return {
            one.name: f"kept for the backward: {one.name}, "
            + (f"{one.bytes:,} bytes: " if one.bytes else "")
            + one.why.partition("; ")[0]
            for one in self.saved
        }

    def notes(self) -> tuple[str, ...]:
        """Return a sentence on each kept tensor, with the reason."""
        lines = [self.summary()]
        lines += [f"Kept: {s.name}, {s.shape}: {s.why}." for s in self.saved[:_MOST_NOTES]]
        return tuple(lines)

    def note_recomputed(self) -> tuple[str, ...]:
        if not self.recomputed:
            return ("Nothing of the forward is computed again.",)
        names = ", ".join(self.recomputed[:_MOST_NOTES])
        return (f"Computed again from what was kept, which is cheaper than keeping it: {names}.",)


def cut_of(forward: GraphModule, backward: GraphModule, outputs: int) -> Cut:
    """`outputs`: how many of the forward's outputs are the caller's own; the rest are kept."""
    returned = next(iter(reversed(forward.graph.nodes))).args[0]
    kept = [node for node in returned[outputs:] if isinstance(node, Node)]
    own = {node for node in returned[:outputs] if isinstance(node, Node)}
    kinds = private("torch._functorch.partitioners.get_default_op_list")()
    readers = {n.name: n for n in backward.graph.nodes if n.op == "placeholder"}
    saved = tuple(
        Saved(
            n.name,
            _shape(n),
            _bytes(n),
            _why(n, n in own, kinds, readers.get(n.name)),
            n not in own and _base(n, kinds).op != "placeholder",
        )
        for n in kept
    )
    in_forward = {node.name for node in list_operations(forward)}
    again = tuple(node.name for node in list_operations(backward) if node.name in in_forward)
    return Cut(saved, again)


def _why(node: Node, returned: bool, kinds: Any, reader: Node | None) -> str:
    used = tuple(dict.fromkeys(operation(user) for user in reader.users)) if reader else ()
    reads = f"; the backward's {', '.join(used)} read{'s' * (len(used) == 1)} it" if used else ""
    if node.op == "placeholder":
        return f"an input of the graph, which is in memory anyway{reads}"
    if _base(node, kinds).op == "placeholder":
        return f"a view of {_base(node, kinds).name}, an input, which is in memory anyway{reads}"
    if returned:
        return f"an output of the function, which is in memory anyway{reads}"
    if not isinstance(node.meta.get("val"), torch.Tensor):
        return f"a size, not a tensor{reads}"
    name = operation(node)
    if kinds.is_compute_intensive(node):
        return f"{name} is too expensive to do twice{reads}"
    if kinds.is_random(node):
        return f"{name} is random, and would come out different{reads}"
    if name == "getitem":
        source = node.args[0]
        inside = operation(source) if isinstance(source, Node) else "its operation"
        return f"a result of {inside}, cheaper to keep than to compute again{reads}"
    if not kinds.is_fusible(node) and not kinds.is_view(node):
        return f"{name} does not fuse into the backward's kernels, so it would run twice{reads}"
    before = [n for n in node.all_input_nodes if isinstance(n.meta.get("val"), torch.Tensor)]
    if before and _bytes(node) < sum(map(_bytes, before)):
        return f"it has fewer bytes than what {name} computed it from{reads}"
    return f"the cut with the fewest bytes goes through it{reads}"


def _base(node: Node, kinds: Any) -> Node:
    """Return the tensor that a view is a view of: both share their memory."""
    while node.op == "call_function" and kinds.is_view(node) and node.all_input_nodes:
        node = node.all_input_nodes[0]
    return node


def _shape(node: Node) -> str:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor):
        return "a number"
    dtype = str(value.dtype).removeprefix("torch.")
    return f"{dtype}[{','.join(map(str, value.shape))}]"


def _bytes(node: Node) -> int:
    value = node.meta.get("val")
    if not isinstance(value, torch.Tensor) or not all(isinstance(s, int) for s in value.shape):
        return 0
    return value.numel() * value.element_size()

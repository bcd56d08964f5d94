"""Bytes that a kernel of Inductor's reads and writes, as Inductor itself estimates them.

Its estimate is for the best code and the worst inputs: each buffer once, however often the kernel
comes back to it, and of an indirect access the whole buffer
(torch/_inductor/scheduler.py, `BaseSchedulerNode.get_read_write_buffer_accesses`, 2.13). What one
node of a fused group hands to another in registers does not count. Caches are not looked at.

Where a fused kernel accesses a part of a buffer, Inductor counts all of it; what is only written in
place it counts as read; and of a buffer of which a part was changed in place, it counts that part.
Here a buffer counts with the elements that its accesses have between them, and no more than it has, and
so does a constant of the graph. A part that a mask leaves out counts, as it does for Inductor.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tutor.base.errors import CannotHere
from tutor.xray.fake_gpu.fake_gpu import private
from tutor.xray.model.stages import Number

_ACCESSES = "torch._inductor.scheduler.BaseSchedulerNode.get_read_write_buffer_accesses"


@dataclass(frozen=True)
class MemoryTraffic:
    """Bytes from and to global memory in one launch."""

    read: int = 0
    written: int = 0

    def __add__(self, other: MemoryTraffic) -> MemoryTraffic:
        return MemoryTraffic(self.read + other.read, self.written + other.written)

    @property
    def counts(self) -> tuple[tuple[str, Number], ...]:
        return ("bytes_read", self.read), ("bytes_written", self.written)


def traffic_of(fused: Sequence[Any]) -> dict[str, tuple[str, MemoryTraffic]]:
    """By the name of each scheduler node: the node it is fused into, and that one's traffic.

    Empty where this torch does not tell.
    """
    try:
        private(_ACCESSES)
    except CannotHere:
        return {}
    by_node: dict[str, tuple[str, MemoryTraffic]] = {}
    for node in fused:
        moved = MemoryTraffic(_bytes(node, reads=True), _bytes(node, reads=False))
        for part in node.get_nodes():
            by_node[part.get_name()] = (node.get_name(), moved)
    return by_node


def sum_traffic(fused: Sequence[Any]) -> MemoryTraffic | None:
    """Of all those nodes; None where this torch does not tell."""
    groups = dict(traffic_of(fused).values())
    return sum(groups.values(), MemoryTraffic()) if groups else None


def sum_kernel_traffic(
    nodes: Iterable[str], by_node: dict[str, tuple[str, MemoryTraffic]]
) -> MemoryTraffic | None:
    """Of a kernel with those nodes in it; None where it is not known of one of them."""
    nodes = tuple(nodes)
    if not nodes or any(name not in by_node for name in nodes):
        return None
    groups = dict(by_node[name] for name in nodes)
    return sum(groups.values(), MemoryTraffic())


def _bytes(node: Any, *, reads: bool) -> int:
    accesses = node.get_read_write_buffer_accesses(include_reads=reads, include_writes=not reads)
    if node.is_extern():
        return int(sum(accesses.values()))
    made = node.read_writes.reads if reads else node.read_writes.writes
    left_out = _list_overwritten(node) | _list_inside(node) if reads else set()
    total = 0
    for name, size in accesses.items():
        if name not in left_out:
            most = _find_most({dep for dep in made if dep.name == name})
            if most is None:
                most = size
            total += most if _is_view(name) else min(size, most)
    return int(total) + (_constant_bytes(made, accesses) if reads else 0)


def _constant_bytes(made: set[Any], counted: Collection[str]) -> int:
    """Return the bytes of the graph's constants that are read: Inductor's estimate leaves them out."""
    from torch._inductor.virtualized import V

    total = 0
    for name in {str(dep.name) for dep in made} - set(counted):
        constant = V.graph.constants.get(name)
        if constant is not None:
            whole = constant.numel() * constant.element_size()
            most = _find_most({dep for dep in made if dep.name == name})
            total += whole if most is None else min(whole, most)
    return total


def _list_overwritten(node: Any) -> set[str]:
    """Return the buffers that the node changes in place and reads no element of: it names them among
    its reads only because what made them has to run first."""
    if any(getattr(dep, "mode", None) for dep in node.read_writes.writes):
        return set()  # it adds to what is there
    buffers = (out for part in node.get_nodes() for out in part.get_outputs())
    changed = {str(name) for out in buffers for name in out.get_mutations()}
    return changed - {d.name for d in node.read_writes.reads if type(d).__name__ == "MemoryDep"}


def _list_inside(node: Any) -> set[str]:
    """Return the buffers that are made and read in this node alone: a kernel hands them on in registers,
    also where its parts count their elements in other ways."""
    nodes = {part.get_name() for part in node.get_nodes()}
    removable = getattr(
        node.scheduler, "can_buffer_be_removed_through_fusion", lambda *given: False
    )
    return {str(name) for name in node.get_buffer_names() if removable(name, nodes)}


def _is_view(name: str) -> bool:
    """Return True if the buffer stands for what an operation in place left of another, or of a part of
    it: its own size is then the part's."""
    from torch._inductor.virtualized import V

    buffer = V.graph.name_to_buffer.get(name)
    return type(getattr(buffer, "layout", None)).__name__.startswith("MutationLayout")


def _find_most(deps: set[Any]) -> int | None:
    """Return the bytes of the elements that these accesses of one buffer have between them; None
    where an access is of all of it, is indirect, or has a symbol for its size."""
    from torch._inductor.virtualized import V

    total = 0
    for dep in deps:
        if type(dep).__name__ != "MemoryDep" or dep.is_indirect():
            return None
        elements = dep.get_numel()
        if not getattr(elements, "is_number", True):
            return None
        total += int(elements) * V.graph.get_dtype(dep.name).itemsize
    return total if deps else None

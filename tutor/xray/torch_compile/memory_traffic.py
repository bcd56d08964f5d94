"""Bytes that a kernel of Inductor's reads and writes, as Inductor itself estimates them.

Its estimate is for the best code and the worst inputs: each buffer once, however often the kernel
comes back to it, and of an indirect access the whole buffer
(torch/_inductor/scheduler.py, `BaseSchedulerNode.get_read_write_buffer_accesses`, 2.13). What one
node of a fused group hands to another in registers does not count. Caches are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    return int(sum(accesses.values()))

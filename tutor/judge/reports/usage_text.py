"""Sentences on what a program uses: bytes that it moves, registers, occupancy. Pure."""

from typing import Any

from tutor.base.number_text import amounts, times
from tutor.judge.model.verdict import GraphSummary, KernelTraffic


def traffic_line(traffic: KernelTraffic) -> str:
    """Compare the moved bytes with the least possible, and name repeated accesses."""
    moved = traffic.loaded + traffic.stored
    launches = f" of {traffic.launches} launches" if traffic.launches > 1 else ""
    programs = f"{traffic.programs} program{'' if traffic.programs == 1 else 's'}"
    seen, least = amounts(moved, traffic.least)
    text = f"“{traffic.case}” moved {seen} in {programs}{launches}"
    text += f"; at least {least} are needed" if moved >= traffic.least else f"; {least} are needed"
    if traffic.least:
        text += f" ({times(moved / traffic.least)})"
    for name, every, once in (
        ("loads", traffic.loaded, traffic.loaded_once),
        ("stores", traffic.stored, traffic.stored_once),
    ):
        if once and every > 1.05 * once:
            text += f". It {name} each element {times(every / once)} on average"
    return text + "."


def compare_bytes(graph: GraphSummary) -> str:
    """Compare the bytes of a compiled function's kernels with the least possible; "" if unknown."""
    if graph.bytes_read is None or graph.bytes_written is None:
        return ""
    moved = graph.bytes_read + graph.bytes_written
    least = graph.bytes_least or moved
    seen, needed = amounts(moved, least)
    read, written = amounts(graph.bytes_read, graph.bytes_written)
    text = f"One call moves {seen}: {read} read, {written} written"
    if graph.bytes_least:
        text += f"; at least {needed} are needed ({times(moved / least)})"
    return f"{text}."


def resource_lines(needs: dict[str, Any]) -> list[str]:
    """Return the kernel's resources and occupancy in one to three lines."""
    names = {
        "registers": "registers a thread",
        "spills": "spills",
        "stack_bytes": "B of stack",
        "shared_bytes": "B shared memory",
        "warps": "warps a block",
    }

    def shows(key: str) -> bool:
        return bool(needs.get(key)) if key == "stack_bytes" else key in needs

    text = ", ".join(f"{needs[key]} {name}" for key, name in names.items() if shows(key))
    target = needs.get("target", "?")
    variants = len(needs.get("kernels", ()))
    most = f" (the most demanding of {variants} compiled)" if variants else ""
    out = [f"{needs.get('kernel', 'kernel')} on {target}{most}: {text}"] if text else []
    if matrix := needs.get("matrix"):
        out.append(f"tensor cores: {', '.join(matrix[:3])}")
    if occupancy := needs.get("occupancy"):
        out.append(occupancy_text(occupancy))
    if note := needs.get("note"):
        out.append(f"{target}: {note}")
    return out


def occupancy_text(occupancy: dict[str, Any]) -> str:
    """Return a sentence on the occupancy without its full stop."""
    warps, most = occupancy["warps_per_sm"], occupancy["most_warps"]
    limit = f", limited by {occupancy['limited_by']}" if warps < most else ""
    return f"occupancy {occupancy['fraction']:.0%}: {warps} of {most} warps an SM{limit}"

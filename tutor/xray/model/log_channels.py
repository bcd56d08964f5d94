"""Channels of TORCH_LOGS that an X-ray can show, and the content of each. No torch in here."""

from __future__ import annotations

from collections.abc import Iterable

from tutor.base.errors import UsageError

# Channel (`python -c "import torch; help(torch._logging.set_logs)"` lists all) -> its content.
CHANNELS: dict[str, str] = {
    "graph_breaks": "where Dynamo stopped a graph, and why",
    "guards": "what is checked before compiled code is used again",
    "recompiles": "which guard failed, so that a function was compiled again",
    "graph_code": "Dynamo's graphs as Python",
    "aot_graphs": "the forward and backward graphs of AOTAutograd",
    "fusion": "the pairs of nodes that Inductor looked at, and what it decided",
    "schedule": "the order in which Inductor writes kernels",
    "output_code": "the Python module that Inductor wrote",
}
# The meaning of a channel without messages.
SILENT: dict[str, str] = {
    "graph_breaks": "No graph break.",
    "recompiles": "Nothing was compiled a second time.",
    "fusion": "There was no pair of nodes to look at.",
    "schedule": "Inductor had no node to put in order.",
}


def chosen(names: Iterable[str]) -> tuple[str, ...]:
    """The channels that `--log` named, each once, in `CHANNELS`' order; "all" is all of them.

    Raises `UsageError` for any other name.
    """
    wanted = set(names)
    for name in wanted - {"all", *CHANNELS}:
        raise UsageError(
            f"there is no log {name[:40]!r}; take one of {', '.join(CHANNELS)}, or all"
        )
    return tuple(name for name in CHANNELS if name in wanted or "all" in wanted)

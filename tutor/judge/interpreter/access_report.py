"""The record of what the interpreter saw while a kernel ran. Contains no check."""

from dataclasses import dataclass, field
from typing import Any

import msgspec

from tutor.judge.processes.worker_messages.kernel_report import KernelLaunch, KernelReport

MAX_REPORTS = 8  # entries of each list


@dataclass
class AccessReport:
    """Findings and counts of one or more launches. Offsets count elements from the tensor's first.

    `programs` are those that loaded or stored something.
    `loaded` and `stored` are bytes that lanes asked for; `…_once` counts each element once a launch,
    `fetched` loads once a wave. An atomic operation counts as a store. `masked` are bytes of `loaded`
    that loads with a mask asked for.
    """

    launches: int = 0
    programs: int = 0
    loaded: int = 0
    stored: int = 0
    loaded_once: int = 0
    stored_once: int = 0
    fetched: int = 0
    out_of_bounds: list[dict[str, Any]] = field(default_factory=list)
    races: list[dict[str, Any]] = field(default_factory=list)
    lanes: list[dict[str, Any]] = field(default_factory=list)  # that meet in one store
    clashes: list[dict[str, Any]] = field(default_factory=list)  # races with an atomic operation
    undefined: list[dict[str, Any]] = field(default_factory=list)  # masked lanes without `other`
    padded: list[dict[str, Any]] = field(default_factory=list)  # masked lanes with `other`
    same_stores: list[dict[str, Any]] = field(
        default_factory=list
    )  # all programs store to one place
    kernels: list[KernelLaunch] = field(default_factory=list)
    masked: int = 0
    sectors: int = 0
    widest: list[dict[str, Any]] = field(default_factory=list)  # the widest load, once there is one
    repeated: list[dict[str, Any]] = field(default_factory=list)
    atomics: list[dict[str, Any]] = field(default_factory=list)
    products: list[dict[str, Any]] = field(default_factory=list)  # one of each kernel and factors
    sketches: list[dict[str, Any]] = field(default_factory=list)
    unstored: int = -1
    configuration: str = ""
    unknown_key: str = ""
    loading: int = 0  # programs that loaded something, in the launch with the most of them

    def as_record(self) -> KernelReport:
        """Return the report as a message carries it."""
        return msgspec.convert(vars(self), KernelReport)


def add_finding(findings: list[Any], finding: Any) -> None:
    """Append `finding` unless the list is full."""
    if len(findings) < MAX_REPORTS:
        findings.append(finding)

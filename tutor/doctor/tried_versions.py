"""Which pairs of torch and triton the program was tried with, when, and what held.

`make versions` writes `tried_versions.toml`, which is read here.
"""

import datetime
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tomli

PINNED = ("2.13.0", "3.7.1")  # by constraints.txt, with which CI runs everything
_WORDS = {"xray": "X-rays", "judge": "the judge's quick tests", "course": "the course"}


@dataclass(frozen=True)
class TriedPair:
    """One pair without a GPU. `holds` and `fails` name the steps of `make versions` that were run."""

    torch: str
    triton: str
    day: datetime.date
    holds: tuple[str, ...]
    fails: tuple[str, ...]


@functools.cache
def tried_pairs() -> tuple[TriedPair, ...]:
    """Return the pairs of `tried_versions.toml`, oldest torch first."""
    text = Path(__file__).with_suffix(".toml").read_text("utf-8")
    return tuple(
        TriedPair(row["torch"], row["triton"], row["day"], tuple(row["holds"]), tuple(row["fails"]))
        for row in tomli.loads(text).get("tried", [])
    )


def describe_trial(torch: str, triton: str, pairs: Sequence[TriedPair]) -> str:
    """Return a clause on when the pair was tried, or that it never was.

    A build for a CPU and one for a GPU count as one version where only one of them was tried. The pair
    with which CI runs is not judged by another build.
    """
    exact = [pair for pair in pairs if (pair.torch, pair.triton) == (torch, triton)]
    near = [
        pair
        for pair in pairs
        if (_public(pair.torch), pair.triton) == (_public(torch), triton) and pair not in exact
    ]
    pinned = (_public(torch), triton) == PINNED
    for pair in exact or ([] if pinned else near):
        build = "" if pair in exact else f" as {pair.torch}"
        day = f"{pair.day.day} {pair.day:%B %Y}"
        held = _list(pair.holds)
        failed = f"; not all of {_list(pair.fails)} held" if pair.fails else ""
        return f"tried together{build} on {day} ({held or 'nothing'} held{failed})"
    if pinned:
        return "the pair with which CI runs everything"
    known = ", ".join(f"{pair.torch} with {pair.triton}" for pair in pairs)
    tried = f"{PINNED[0]} with {PINNED[1]}" + (f", {known}" if known else "")
    return f"not tried together with this program, as were {tried}"


def _list(steps: Sequence[str]) -> str:
    return ", ".join(_WORDS.get(step, step) for step in steps)


def _public(version: str) -> str:
    return version.partition("+")[0]

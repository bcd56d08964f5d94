"""The texts that a learner had for an exercise: those handed in, and those that were not. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tutor.memory.store.rows import Attempt, Edit

PAUSE = timedelta(minutes=2)
MOST = 300  # that are listed


@dataclass(frozen=True)
class Version:
    """`attempt` is None for a text that was written and not handed in."""

    at: datetime
    source: str
    attempt: Attempt | None = None


def versions(attempts: Sequence[Attempt], edits: Sequence[Edit]) -> tuple[Version, ...]:
    """Newest first, as `attempts` and `edits` are; at most `MOST`."""
    handed_in = {attempt.source for attempt in attempts}
    found = [Version(attempt.at, attempt.source, attempt) for attempt in attempts]
    found += [Version(edit.at, edit.text) for edit in left_behind(edits, handed_in)]
    found.sort(key=lambda version: version.at, reverse=True)
    return tuple(found[:MOST])


def left_behind(edits: Sequence[Edit], handed_in: Collection[str]) -> list[Edit]:
    """Of the texts that the record kept while typing (newest first), those where a stretch of work
    ended: before a pause, or before the text became an earlier one again, undone or restored. A text
    that was handed in is not among them, nor the newest: that is the editor's."""
    kept: list[Edit] = []
    earlier = set(handed_in)
    for edit, newer in pairwise(reversed(edits)):
        earlier.add(edit.text)
        ended = newer.at - edit.at > PAUSE or newer.text in earlier
        if ended and edit.text not in handed_in:
            kept.append(edit)
    return kept[::-1]

"""The texts that a learner had for an exercise, submitted or not. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from tutor.judge.model.verdict import Verdict, verdict_from_json
from tutor.memory.store.rows import Attempt, Edit
from tutor.ui.kit.text.phrases import format_moment

PAUSE = timedelta(minutes=2)
MOST = 300  # listed at most


@dataclass(frozen=True)
class Version:
    """A text. `attempt` is None if it was not submitted."""

    at: datetime
    source: str
    attempt: Attempt | None = None


def list_versions(attempts: Sequence[Attempt], edits: Sequence[Edit]) -> tuple[Version, ...]:
    """Newest first, as `attempts` and `edits` are; at most `MOST`."""
    handed_in = {attempt.source for attempt in attempts}
    listed = [Version(attempt.at, attempt.source, attempt) for attempt in attempts]
    listed += [Version(edit.at, edit.text) for edit in texts_left_behind(edits, handed_in)]
    listed.sort(key=lambda version: version.at, reverse=True)
    return tuple(listed[:MOST])


def texts_left_behind(edits: Sequence[Edit], handed_in: Collection[str]) -> list[Edit]:
    """The recorded texts at which a stretch of work ended; `edits` come newest first.

    Work ends before a pause, and before the text becomes an earlier one again by undoing or restoring.
    Submitted texts and the newest text, which is in the editor, are left out."""
    kept: list[Edit] = []
    earlier = set(handed_in)
    for edit, newer in pairwise(reversed(edits)):
        earlier.add(edit.text)
        ended = newer.at - edit.at > PAUSE or newer.text in earlier
        if ended and edit.text not in handed_in:
            kept.append(edit)
    return kept[::-1]


def name_attempts(attempts: Sequence[Attempt]) -> dict[str, str]:
    """Return a name for each text that was submitted, the newest first: its last attempt's number, time
    and result. Several may be of one minute."""
    named = {
        a.source: f"your attempt {number}, {format_moment(a.at)}, {'right' if a.passed else 'wrong'}"
        for number, a in enumerate(reversed(attempts), 1)
    }
    return dict(reversed(named.items()))


def verdict_of(attempt: Attempt) -> Verdict | None:
    """The stored verdict, None if another version of the program wrote it."""
    try:
        return verdict_from_json(attempt.verdict)
    except ValueError:
        return None

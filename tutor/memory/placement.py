"""The learner's progress by day of the course, for home and the map; and a placement on its way."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from tutor.memory.statistics.progress import DayProgress

if TYPE_CHECKING:
    from tutor.memory.record import Record


_NONE: Mapping[int, Any] = MappingProxyType({})


class Standing(NamedTuple):
    """Progress by day of the course. `known`: the share of its cards, 0 to 1, that is known
    now. `placed`: the days that were skipped after a placement and not opened since."""

    progress: Mapping[int, DayProgress] = _NONE
    known: Mapping[int, float] = _NONE
    placed: frozenset[int] = frozenset()


def read_standing(record: "Record") -> Standing:
    """Read from the record how far the learner is on each day."""
    return Standing(
        record.statistics.day_progress(),
        record.statistics.known_by_day(record.today()),
        read_placed_days(record),
    )


def read_placed_days(record: "Record") -> frozenset[int]:
    """Return the days that a placement let the learner skip and that were not opened since."""
    return frozenset(record.settings.get("placed_days"))


def skip_days(record: "Record", days: Iterable[int]) -> None:
    """Skip these days as well."""
    record.settings.set("placed_days", sorted(read_placed_days(record).union(days)))


def take_back(record: "Record", day: int) -> None:
    """Stop skipping a day: it was opened."""
    if day in (placed := read_placed_days(record)):
        record.settings.set("placed_days", sorted(placed - {day}))


def begin_placement(record: "Record") -> None:
    """Keep that a placement has begun, before its first answer."""
    record.settings.set("placement_open", True)


def end_placement(record: "Record") -> None:
    """Keep that the placement is over: the next one begins anew."""
    if record.settings.get("placement_open"):
        record.settings.set("placement_open", False)


def read_open_placement(record: "Record") -> dict[str, bool]:
    """Return the answers of a placement that was begun and not ended, right or not by question; of
    one question the newest. Empty where none is open."""
    if not record.settings.get("placement_open"):
        return {}
    rows = record.log.select(
        "SELECT question, correct FROM answers WHERE origin = 'placement' AND at >= "
        "(SELECT at FROM settings WHERE name = 'placement_open' ORDER BY at DESC, id DESC LIMIT 1) "
        "ORDER BY at, id"
    )
    return {question: right == 1 for question, right in rows}

"""Keep what the cells of a lesson printed, so that its page shows it again the next day.

A cell can compute it again, so it stands outside of the log: no export and no merge carries it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tutor.memory.store.log import Log, local_time, storable


@dataclass(frozen=True)
class KeptRun:
    """A run that ended well. `values` holds what it computed for predictions, by expression; `ms` is
    the time it took."""

    at: datetime
    printed: str
    ms: float
    values: Mapping[str, Any]


class KeptRuns:
    """Write and read the newest good run of each cell."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def keep(
        self,
        day: int,
        cell: int,
        codes: Iterable[str],
        *,
        printed: str,
        ms: float,
        values: Mapping[str, Any],
    ) -> None:
        """Keep a run in place of the one before. `codes`: of the cells whose names it shares, and its
        own. Raises `StorageError`."""
        with self._log.transaction() as db:
            row = {
                "code": _hash_codes(codes),
                "at": self._log.clock().isoformat(),
                "printed": storable(printed),
                "ms": ms,
                "values": dict(values),
            }
            name = _name(day, cell)
            db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, json.dumps(row)))

    def last(self, day: int, cell: int, codes: Iterable[str]) -> KeptRun | None:
        """Return the newest good run of a cell, unless its code has changed since."""
        rows = self._log.select("SELECT value FROM kept WHERE name = ?", _name(day, cell))
        row = json.loads(rows[0][0]) if rows else {}
        if row.get("code") != _hash_codes(codes):
            return None
        return KeptRun(local_time(row["at"]), row["printed"], row["ms"], row["values"])


def _name(day: int, cell: int) -> str:
    return f"run of day {day} cell {cell}"


def _hash_codes(codes: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps([*codes]).encode()).hexdigest()

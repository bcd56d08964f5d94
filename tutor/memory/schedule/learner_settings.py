"""The learner's settings: read, changed, and followed by the schedule."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tutor.memory.schedule import card_updates
from tutor.memory.store import settings
from tutor.memory.store.log import Log

if TYPE_CHECKING:
    from tutor.memory.schedule.fitting import Fit


class LearnerSettings:
    """The settings in the record, and the parameters fitted to the learner."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def get(self, name: str) -> Any:
        with self._log.reading() as db:
            return settings.get_setting(db, name)

    def set(self, name: str, value: Any, follow: bool = True) -> None:
        """Keep a setting. The cards are computed anew at once. With `follow=False`, `follow` does that,
        at the latest when the record is next opened. Raises `UsageError` for an invalid value."""
        value = settings.check_setting(name, value)
        with self._log.transaction() as db:
            self._log.append("settings", name=name, value=json.dumps(value))
            if follow and card_updates.is_stale(db):
                card_updates.rebuild(db)

    def is_stale(self) -> bool:
        """Return True if the cards follow other settings than the present ones."""
        with self._log.reading() as db:
            return card_updates.is_stale(db)

    def follow(self, before_each: Callable[[], None]) -> None:
        """Compute stale cards anew. No card changes if `before_each`, called before each, raises."""
        with self._log.transaction() as db:
            if card_updates.is_stale(db):
                card_updates.rebuild(db, before_each)

    def focus(self) -> str | None:
        """The personal focus: the topic that reviews favour."""
        topic: str | None = self.get("focus")
        return topic

    def set_focus(self, topic: str | None) -> None:
        self.set("focus", topic)

    def fit(self) -> "Fit":
        """Fit parameters to this learner and measure their gain; changes nothing."""
        from tutor.memory.schedule import fitting
        from tutor.memory.schedule.fsrs import rules_in_use

        with self._log.reading_apart() as db:
            known, in_use = fitting.read_histories(db), rules_in_use(db).parameters
        return fitting.fit_parameters(known, in_use)

    def unfit(self) -> bool:
        """Undo the newest fit. Returns True if an older one is in use now."""
        rows = self._log.select(
            "SELECT value FROM settings WHERE name = 'parameters' ORDER BY at DESC, id DESC LIMIT 2"
        )
        before = json.loads(rows[1][0]) if len(rows) > 1 else None
        self.set("parameters", before)
        return before is not None

    def fit_offer(self) -> str:
        """Return a sentence if there are enough reviews for a first fit, else ""."""
        from tutor.memory.schedule.fitting import FEWEST_REVIEWS

        if self.get("parameters") is not None:
            return ""
        rows = self._log.select("SELECT total(reviews - 1) FROM cards WHERE reviews > 1")
        count = int(rows[0][0])
        if count < FEWEST_REVIEWS:
            return ""
        return f"There are {count} reviews to learn from: `tutor fit` shows what fitting gains."

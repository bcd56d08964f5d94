"""Questions about the whole record. The other modules of this folder compute the answers."""

from datetime import date
from typing import TYPE_CHECKING

from tutor.memory.statistics import progress, topic_strength
from tutor.memory.statistics.progress import DayProgress
from tutor.memory.store.log import Log

if TYPE_CHECKING:
    from tutor.memory.statistics.statistics import Statistics


class StatisticsQueries:
    """Statistics of learning and retention. Only reads."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def compute(self, today: date) -> "Statistics":
        """Compute every figure as of a study day."""
        # At the top it would delay home's first paint by 2.5 ms.
        from tutor.memory.statistics.statistics import statistics

        with self._log.reading_apart() as db:
            return statistics(db, today)

    def known_by_day(self, today: date) -> dict[int, float]:
        """Map each day of the course to the share, 0 to 1, of its cards that is known; days are left
        out until one of their cards was asked on a later day."""
        with self._log.reading() as db:
            return topic_strength.known_by_day(db, today)

    def day_progress(self) -> dict[int, DayProgress]:
        with self._log.reading() as db:
            return progress.day_progress(db)

    def days_learnt(self) -> tuple[date, ...]:
        """List the study days on which something was read, answered, run or submitted, oldest first."""
        with self._log.reading() as db:
            return progress.days_learnt(db)

    def minutes_by_day(self, last_days: int = 7) -> tuple[float, ...]:
        """Minutes at work on each of the last study days, oldest first, today last."""
        with self._log.reading() as db:
            return progress.minutes_by_day(
                db, self._log.study_day_of(db, self._log.clock()), last_days
            )

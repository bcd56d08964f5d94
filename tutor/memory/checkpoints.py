"""Rows of checkpoints: results, ticks of the checklist, misconceptions, reflections."""

from tutor.memory.store.log import Log, local_time, storable
from tutor.memory.store.rows import CheckpointRow, MisconceptionRow, ReflectionRow


class Checkpoints:
    """The rows of checkpoints. `day` is the checkpoint's day of the course."""

    def __init__(self, log: Log) -> None:
        self._log = log

    def add(self, day: int, score: float, out_of: float, band: str) -> int:
        """Keep the result of a checkpoint. Each repetition adds a row, so the rows show progress."""
        return self._log.add(
            "checkpoints", day=day, score=float(score), out_of=float(out_of), band=band
        )

    def list_taken(self, day: int | None = None) -> tuple[CheckpointRow, ...]:
        """Oldest first."""
        rows = self._log.select(
            "SELECT id, at, day, score, out_of, band FROM checkpoints "
            "WHERE ? IS NULL OR day = ? ORDER BY at, id",
            *(day, day),
        )
        return tuple(CheckpointRow(id_, local_time(at), *rest) for id_, at, *rest in rows)

    def tick(self, day: int, item: str, ticked: bool) -> int:
        """Tick an item of the checklist ("I can …"), or remove its tick."""
        return self._log.add("ticks", day=day, item=item, ticked=int(ticked))

    def ticks(self, day: int) -> dict[str, bool]:
        """Return the latest tick of each item."""
        rows = self._log.select(
            "SELECT item, ticked FROM ticks WHERE day = ? AND item NOT GLOB 'section:*' "
            "ORDER BY at, id",
            day,
        )
        return {item: bool(ticked) for item, ticked in rows}

    def add_misconception(self, day: int, item: str, answer: str, reason: str, right: bool) -> int:
        """Keep an answer to "True or not, and why": `answer` is "true", "partly" or "false"."""
        reason = storable(reason)
        return self._log.add(
            "misconceptions", day=day, item=item, said=answer, reason=reason, correct=int(right)
        )

    def misconceptions(self, day: int) -> tuple[MisconceptionRow, ...]:
        """Oldest first."""
        rows = self._log.select(
            "SELECT id, at, day, item, said, reason, correct FROM misconceptions WHERE day = ? "
            "ORDER BY at, id",
            day,
        )
        return tuple(
            MisconceptionRow(id_, local_time(at), of_day, item, answer, reason, bool(right))
            for id_, at, of_day, item, answer, reason, right in rows
        )

    def add_reflection(self, day: int, prompt: str, text: str, seconds: float) -> int:
        """Keep the text for a prompt. A later version adds a row."""
        with self._log.transaction():
            text = storable(text)
            return self._log.append(
                "reflections", day=day, prompt=prompt, text=text, seconds=float(seconds)
            ).id

    def reflections(self, day: int | None = None, search: str = "") -> tuple[ReflectionRow, ...]:
        """Newest first. With `search`, only texts that contain all its words, in any case.

        Notes to sections, which are rows of the same table, are left out (`Notes.section_notes`).
        """
        rows = self._log.select(
            "SELECT id, at, day, prompt, text, seconds FROM reflections "
            "WHERE (? IS NULL OR day = ?) AND prompt NOT GLOB 'section:*' "
            "ORDER BY at DESC, id DESC",
            *(day, day),
        )
        words = search.casefold().split()
        return tuple(
            ReflectionRow(id_, local_time(at), of_day, prompt, text, seconds)
            for id_, at, of_day, prompt, text, seconds in rows
            if all(word in text.casefold() for word in words)
        )

"""Times, amounts and verdicts in a person's words. Pure."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from textual.content import Content

from tutor.ui.kit.text.whole_code import WholeCode

ROMAN = {1: "I", 2: "II", 3: "III", 4: "IV", 5: "V"}
BARS = " ▁▂▃▄▅▆▇█"


def progress_marks(read: Collection[int], here: int, of: int) -> Content:
    """A mark for each section: ■ read, ▸ open now, □ to come. Beyond 24 sections, a count."""
    if of > 24:
        return Content(f"{len(read)}/{of} read")
    marks = ("▸" if i == here else "■" if i in read else "□" for i in range(of))
    return Content.styled("".join(marks), "$primary")


def spark(values: Sequence[float]) -> str:
    """A bar for each value, scaled to the largest. Zero is a low line: a day without work."""
    return "".join(BARS[max(1, height)] for height in heights(values, 8))


def heights(values: Sequence[float], most: int, least: float = 0.0) -> list[int]:
    """The values scaled so that the largest is `most`; every positive one is at least 1. `least` is the
    smallest value that is drawn at full height."""
    top = max([least, *values])
    return [max(1, round(value / top * most)) if value > 0 else 0 for value in values]


def format_minutes(minutes: float) -> str:
    """`45 min`, `2 h 10`."""
    whole = round(minutes)
    return f"{whole} min" if whole < 60 else f"{whole // 60} h {whole % 60:02}"


def format_ago(then: datetime, now: datetime) -> str:
    """`just now`, `12 min ago`, `3 h ago`, `9 days ago`. Both with a time zone."""
    seconds = max((now - then).total_seconds(), 0)
    if seconds < 90:
        return "just now"
    if seconds < 5400:
        return f"{round(seconds / 60)} min ago"
    if seconds < 129_600:
        return f"{round(seconds / 3600)} h ago"
    return f"{round(seconds / 86_400)} days ago"


def format_moment(at: datetime) -> str:
    """Local time; with the date if that is not today."""
    local = at.astimezone()
    today = datetime.now().astimezone().date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%d %b %H:%M}"


def greeting(hour: int) -> str:
    """Return the greeting for an hour of 0 to 23."""
    if 5 <= hour < 12:
        return "Good morning"
    return "Good afternoon" if 12 <= hour < 18 else "Good evening"


def hang_after_mark(mark: Content, text: Content, width: int) -> Content:
    """`text` after a mark, wrapped at `width` columns; its other lines begin where the first does."""
    indent = mark.cell_length
    first, *rest = WholeCode(text).wrap(max(width - indent, 10)) or [Content()]
    lines = [mark + first, *(Content(" " * indent) + line for line in rest)]
    return Content("\n").join(lines)


def shorten(text: str, width: int) -> str:
    """`text` in at most `width` characters, with an ellipsis for a longer end."""
    return text if len(text) <= width else text[: max(0, width - 1)] + "…"


def verdict_words(verdict: dict[str, Any]) -> str:
    """A verdict stored in the record (the JSON of `tutor check`), in half a line."""
    if verdict.get("passed"):
        return "right"
    if words := verdict.get("headline"):  # as the lab showed it
        return str(words)[:80]
    causes = verdict.get("diagnosis") or []
    if causes:
        return str(causes[0].get("code", "wrong")).replace("-", " ")
    wrong = [case for case in verdict.get("cases") or [] if not case.get("passed")]
    return f"wrong on {wrong[0]['name']}" if wrong else "wrong"

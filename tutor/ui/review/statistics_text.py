"""Statistics as text: a calendar, bars and lines of figures. Pure; the screen draws the plots."""

from datetime import date, timedelta

from textual.content import Content

from tutor.base.number_text import plural
from tutor.memory.statistics.statistics import Retention, Statistics
from tutor.memory.statistics.topic_strength import Strength
from tutor.ui.kit.text.phrases import format_minutes, hang_after_mark, spark
from tutor.ui.kit.text.safe_text import make_visible

_SHADES = "·░▒▓█"
_WEEKDAYS = ("Mo", "", "We", "", "Fr", "", "Su")


def draw_overview(statistics: Statistics, width: int) -> Content:
    """The main figures and a calendar of as many weeks as fit, at most a year, in `width` columns."""
    weeks = max(4, min(52, (width - 4) // 2))
    counts = statistics.cards
    cards = (("question", "question"), ("term", "term"), ("exercise", "exercise"))
    kernels = statistics.kernels
    figures = {
        "Cards": ", ".join(plural(counts.get(kind, 0), noun) for kind, noun in cards),
        "Exercises": f"{kernels.passed} right, {kernels.mastered} mastered",
        "Answers": statistics.answers.in_words(),
        "Days": f"{statistics.learnt}, {statistics.streak} in a row",
        "Retention": _say_retention(statistics),
    }
    week = [
        statistics.minutes.get(statistics.today - timedelta(days=n), 0.0)
        for n in reversed(range(14))
    ]
    if any(week):
        figures["Time"] = f"{spark(week)}  {format_minutes(sum(week))} in two weeks"
    lines = [_row(name, text, width) for name, text in figures.items()]
    return Content("\n").join([*lines, Content(""), draw_calendar(statistics, weeks)])


def _say_retention(statistics: Statistics) -> str:
    whole = format_share(statistics.retention)
    if statistics.retention.share is None:
        return whole
    return f"{whole}; {format_share(statistics.retention_month)} in the last month"


def _row(name: str, text: str, width: int) -> Content:
    return hang_after_mark(Content.styled(f"{name:<10}", "$primary"), Content(text), width)


def format_share(kept: Retention) -> str:
    """The share of remembered first reviews of a card on a day: `91 % of 120`."""
    total = kept.young + kept.mature
    return f"{kept.share:.0%} of {total}" if kept.share is not None else "no repeats yet"


def draw_calendar(statistics: Statistics, weeks: int) -> Content:
    """A column for each week below its month, a row for each weekday, and what the shades mean."""
    monday = statistics.today - timedelta(days=statistics.today.weekday())
    top = max(statistics.answered.values(), default=0)
    rows = [Content.styled(f"    {_months(monday, weeks)}", "$foreground 70%")]
    for weekday, name in enumerate(_WEEKDAYS):
        days = (monday + timedelta(days=weekday - 7 * back) for back in reversed(range(weeks)))
        marks = "".join(_shade(statistics, day, top) for day in days)
        rows.append(Content.assemble((f"{name:<4}", "$foreground 70%"), (marks, "$primary")))
    return Content("\n").join([*rows, _legend(top)])


def _legend(top: int) -> Content:
    """Name each shade that a day can have, with the most answers of such a day."""
    if not top:
        return Content.styled("    no answers yet", "$foreground 70%")
    most = {top * level // 4: _SHADES[level] for level in (4, 3, 2, 1)}
    marks = [(0, _SHADES[0]), *sorted((count, shade) for count, shade in most.items() if count)]
    parts: list[tuple[str, str]] = [("    answers a day, at most: ", "$foreground 70%")]
    for count, shade in marks:
        parts += [(shade, "$primary"), (f" {count}  ", "$foreground 70%")]
    return Content.assemble(*parts)


def _months(monday: date, weeks: int) -> str:
    """The names of the months, each above the first week that begins in it; two columns a week. The
    rest of a month at the left edge has no name if the next one has no room beside it. That of the
    present week reaches a column beyond it."""
    firsts = [monday - timedelta(weeks=back) for back in reversed(range(weeks))]
    starts = [at for at in range(weeks) if at == 0 or firsts[at].month != firsts[at - 1].month]
    row = ""
    for at, after in zip(starts, [*starts[1:], weeks], strict=True):
        if after - at >= 2 or after == weeks:
            row = f"{row:<{2 * at}}{firsts[at]:%b}"
    return row


def _shade(statistics: Statistics, day: date, top: int) -> str:
    if day > statistics.today:
        return "  "
    count = statistics.answered.get(day, 0)
    level = 0 if not count else max(1, min(4, -(-4 * count // top)))
    return _SHADES[level] * 2


def draw_strengths(statistics: Statistics, width: int) -> Content:
    """A bar for each topic, the weakest first: the share of its cards that is known."""
    known = [topic for topic in statistics.topics if topic.known is not None]
    if not known:
        return Content("Topics appear here once one of their cards was asked on a later day.")
    name = min(28, max(len(topic.name) for topic in known))
    room = max(10, min(40, width - name - 24))
    rows = [
        _bar(topic, name, room) for topic in sorted(known, key=lambda t: (t.known or 0, t.name))
    ]
    said = Content.styled("How much of each topic is known, the weakest first.", "$foreground 70%")
    return Content("\n").join([said, Content(""), *rows])


def _bar(topic: Strength, name: int, room: int) -> Content:
    known = topic.known or 0.0
    filled = round(room * known)
    style = "$success" if known >= 0.85 else "$warning" if known >= 0.7 else "$error"
    return Content.assemble(
        f"{make_visible(topic.name.replace('-', ' '))[:name]:<{name}}  ",
        ("█" * filled, style),
        ("░" * (room - filled), "$foreground 30%"),
        f"  {known:>4.0%}  ",
        (plural(topic.cards, "card"), "$foreground 70%"),
    )

"""`tutor stats` and `tutor fit`: statistics in plain text, and a schedule fitted to the learner."""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial

import click

from tutor.base.errors import UsageError
from tutor.commands.support.console import say_fitted
from tutor.commands.support.open_record import opened_record
from tutor.commands.support.progress_line import ProgressLine, interruptible
from tutor.memory.course_sync import sync
from tutor.memory.statistics.statistics import Retention, Statistics
from tutor.memory.statistics.topic_strength import Strength

_SHADES = " ░▒▓█"
_BARS = " ▁▂▃▄▅▆▇█"
_WEEKS = 26  # of the heat map: half a year fits 80 columns with the names of the days


@click.command("stats")
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--plain", is_flag=True, help="Words and numbers only: no bars, no shades.")
def stats_command(as_json: bool, plain: bool) -> None:
    """Print what has been learnt, how well it is kept, and what is to come."""
    from tutor.course.catalog.course import open_course

    with opened_record() as record, ProgressLine("reading the record"):
        changed = sync(record, open_course()).sentence
        found = interruptible(partial(record.statistics.compute, record.today()))
        offer = record.settings.fit_offer()
    if changed:
        click.echo(f"tutor: {changed}", err=True)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
        return
    say_fitted(lines(found, plain=plain))
    if offer:
        say_fitted(("", offer))


def lines(found: Statistics, plain: bool = False) -> Iterator[str]:
    """Yield all statistics for a terminal of 80 columns; `plain` is for a screen reader."""
    counts = found.cards
    yield f"Statistics of {found.today}"
    yield ""
    yield (
        f"Cards       {_count(counts['question'], 'question')}, {_count(counts['term'], 'term')}, "
        f"{_count(counts['exercise'], 'kernel')}; {counts['new']} of them new"
    )
    aside = [
        f"{counts[n]} {n}" for n in ("suspended", "leeches", "flagged", "orphans") if counts[n]
    ]
    if aside:
        yield f"            {', '.join(aside)}"
    yield f"Kernels     {found.kernels.passed} passed, {found.kernels.mastered} mastered"
    yield f"Reviews     {found.reviews} in all; {_days(found.streak)} in a row"
    yield f"Retention   {_retention(found.retention)}"
    if found.retention.share is not None:
        yield f"30 days     {_retention(found.retention_month)}"
    bars = 0 if plain else 1
    reviews = (
        _last_days(found.reviewed, found.today) if plain else heat_map(found.reviewed, found.today)
    )
    minutes = _last_days(found.minutes, found.today) if plain else _minutes(found)
    days = [Strength(f"Day {s.name}", s.cards, s.known) for s in found.days]
    yield from _section("Due in the next two weeks", _forecast(found, 40 * bars))
    yield from _section("Reviews a day" + ("" if plain else ", half a year"), reviews)
    yield from _section("Minutes a day" + ("" if plain else ", 30 days"), minutes)
    topics = _strengths(found.topics[:10], 20 * bars)
    yield from _section("Weakest topics (share known)", topics)
    yield from _section("Days of the course (share known)", _strengths(days, 20 * bars))
    yield from _section("Confidence against what was right", _calibration(found, 25 * bars))


def _section(title: str, content: Iterator[str]) -> Iterator[str]:
    body = list(content)
    if body:
        yield ""
        yield title
        yield from (f"  {line}".rstrip() for line in body)


def _days(count: int) -> str:
    return _count(count, "day")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _retention(found: Retention) -> str:
    if found.share is None:
        return "nothing was asked a second time yet"
    parts = [f"{found.share:.1%} of {found.young + found.mature} recalls"]
    if found.young:
        parts.append(f"young {found.young_right / found.young:.1%} of {found.young}")
    if found.mature:
        parts.append(f"mature {found.mature_right / found.mature:.1%} of {found.mature}")
    return "; ".join(parts)


def _last_days(counts: Mapping[date, float], today: date) -> Iterator[str]:
    """Yield each day of the last fortnight with a count, in words."""
    days = [today - timedelta(days=back) for back in reversed(range(14))]
    for day in days:
        if count := counts.get(day, 0):
            yield f"{day:%A %d %B}: {count:.0f}"


def _forecast(found: Statistics, width: int) -> Iterator[str]:
    days = found.forecast[:14]
    most = max((count for _, count in days), default=0)
    if not most:
        return
    for day, count in days:
        late = f" ({found.backlog} overdue)" if day == found.today and found.backlog else ""
        yield f"{day:%a %d %b}  {_drawn(count / most, width)}{count}{late}"


def _drawn(share: float, width: int) -> str:
    """Return a bar and a blank, or nothing if there is no room."""
    return f"{bar(share, width)} " if width else ""


def bar(share: float, width: int) -> str:
    """Fill a `share`, 0 to 1, of `width` columns; a share above 0 fills at least one."""
    return "█" * max(round(share * width), share > 0)


def heat_map(reviewed: dict[date, int], today: date, weeks: int = _WEEKS) -> Iterator[str]:
    """Draw a row for each weekday and a column for each week. A day's shade is its share of the busiest
    day's reviews."""
    if not reviewed:
        return
    monday = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    most = max(reviewed.values())
    months, last = "", 0
    for week in range(weeks):
        first = monday + timedelta(weeks=week)
        new = first.month != last
        if new and len(months) <= 2 * week:
            months = months.ljust(2 * week) + f"{first:%b}"
        last = first.month
    yield f"     {months}"
    for weekday in range(7):
        row = ""
        for week in range(weeks):
            day = monday + timedelta(days=7 * week + weekday)
            count = reviewed.get(day, 0)
            shade = -(-count * (len(_SHADES) - 1) // most)
            row += (_SHADES[shade] if count else "·" if day <= today else " ") * 2
        yield f"{monday + timedelta(days=weekday):%a}  {row}"
    yield f"most: {most} on one day"


def _minutes(found: Statistics) -> Iterator[str]:
    if not found.minutes:
        return
    days = [found.today - timedelta(days=back) for back in reversed(range(30))]
    values = [found.minutes.get(day, 0.0) for day in days]
    most = max(values)
    total = sum(values)
    yield f"{sparkline(values)}  {total / 60:.1f} h in all, at most {most:.0f} min a day"


def sparkline(values: Sequence[float]) -> str:
    """Draw non-negative values as bars, one character each, scaled to the largest. Only 0 is drawn
    as a blank."""
    most = max(values, default=0.0) or 1.0
    steps = len(_BARS) - 1
    return "".join(_BARS[max(round(v / most * steps), v > 0)] for v in values)


def _strengths(strengths: Sequence[Strength], room: int) -> Iterator[str]:
    width = max((len(s.name) for s in strengths), default=0)
    for strength in strengths:
        cards = f"{strength.cards} card{'' if strength.cards == 1 else 's'}"
        if strength.known is None:
            yield f"{strength.name:<{width}}  {'':{room}}       –  {cards}"
        else:
            drawn = bar(strength.known, room) if room else ""
            yield (f"{strength.name:<{width}}  {drawn:<{room}}  {strength.known:>5.0%}  {cards}")


def _calibration(found: Statistics, room: int) -> Iterator[str]:
    for point in found.curve:
        yield (
            f"confidence {point.confidence}: said {point.said:>4.0%}, right {point.right:>4.0%}  "
            f"{bar(point.right, room) if room else '':<{room}}  {point.count} answers"
        )
    if found.brier is not None:
        yield f"Brier score {found.brier:.3f} (0 is perfect, 0.25 is saying 50 % each time)"
    if len(found.brier_by_week) > 1:
        weeks = ", ".join(f"{score:.2f}" for _, score in found.brier_by_week[-8:])
        yield f"by week, the newest last: {weeks}"


@click.command("fit")
@click.option(
    "--apply", "apply", is_flag=True, help="Schedule by the fitted parameters from now on."
)
@click.option("--undo", is_flag=True, help="Go back to the parameters that were in use before.")
def fit_command(apply: bool, undo: bool) -> None:
    """Fit the memory model to your own reviews and show what that gains."""
    if apply and undo:
        raise UsageError("--apply and --undo are opposites; name one")
    with opened_record() as record:
        if undo:
            with ProgressLine("computing the cards anew", holds="the schedule is as it was"):
                known = record.settings.unfit()
            which = "those fitted before" if known else "the defaults"
            click.echo(f"The schedule follows {which} again.")
            return
        with ProgressLine("fitting to your reviews", holds="the schedule is as it was"):
            fit = interruptible(record.settings.fit)
        click.echo(
            f"Fitted to {fit.reviews} reviews. On the newest fifth, which the fit did not see:"
        )
        click.echo("                  log loss  RMSE")
        click.echo(f"  in use          {fit.before[0]:.4f}    {fit.before[1]:.4f}")
        click.echo(
            f"  fitted to you   {fit.after[0]:.4f}    {fit.after[1]:.4f}   (lower is better)"
        )
        if apply:
            with ProgressLine("computing the cards anew", holds="the schedule is as it was"):
                record.settings.set("parameters", list(fit.parameters))
            click.echo(
                "The schedule follows the fitted parameters now; `tutor fit --undo` goes back."
            )
        elif fit.better:
            click.echo("`tutor fit --apply` schedules by them; `tutor fit --undo` goes back.")
        else:
            click.echo("What is in use predicts you as well: keep it.")

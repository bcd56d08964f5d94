"""`tutor stats` and `tutor fit`: statistics in plain text, and a schedule fitted to the learner."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

import click

from tutor.base.errors import StorageError, UsageError
from tutor.commands.support.console import say_fitted
from tutor.commands.support.open_record import use_record
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

    changed = ""
    with use_record(to_read=True) as record, ProgressLine("reading the record"):
        with suppress(StorageError):  # reading only
            changed = sync(record, open_course()).sentence
        statistics = interruptible(partial(record.statistics.compute, record.today()))
        offer = record.settings.fit_offer()
    if changed:
        click.echo(f"tutor: {changed}", err=True)
    if as_json:
        click.echo(json.dumps(statistics.to_json(), ensure_ascii=False))
        return
    say_fitted(statistics_lines(statistics, plain=plain))
    if offer:
        say_fitted(("", offer))


def statistics_lines(statistics: Statistics, plain: bool = False) -> Iterator[str]:
    """Yield all statistics for a terminal of 80 columns; `plain` is for a screen reader."""
    counts = statistics.cards
    yield f"Statistics of {statistics.today}"
    yield ""
    yield (
        f"Cards       {_count(counts['question'], 'question')}, {_count(counts['term'], 'term')}, "
        f"{_count(counts['exercise'], 'exercise')}; {counts['new']} of them new"
    )
    states = {"suspended": "", "leeches": "leech", "flagged": "", "orphans": "orphan"}
    aside = [f"{counts[n]} {one if counts[n] == 1 and one else n}" for n, one in states.items()]
    aside = [text for text in aside if not text.startswith("0 ")]
    if aside:
        yield f"            {', '.join(aside)}"
    yield f"Exercises   {statistics.kernels.passed} right, {statistics.kernels.mastered} mastered"
    yield f"Answers     {statistics.answers.in_words()}"
    yield f"Days        {statistics.learnt}, {statistics.streak} in a row"
    yield f"Retention   {_retention(statistics.retention)}"
    if statistics.retention.share is not None:
        yield f"30 days     {_retention(statistics.retention_month)}"
    bars = 0 if plain else 1
    answers = (
        _last_days(statistics.answered, statistics.today)
        if plain
        else heat_map(statistics.answered, statistics.today)
    )
    minutes = _last_days(statistics.minutes, statistics.today) if plain else _minutes(statistics)
    days = [replace(strength, name=f"Day {strength.name}") for strength in statistics.days]
    yield from _section("Due in the next two weeks", _forecast(statistics, 40 * bars))
    yield from _section("Answers a day" + ("" if plain else ", half a year"), answers)
    yield from _section("Minutes a day" + ("" if plain else ", 30 days"), minutes)
    topics = _strengths(statistics.topics[:10], 20 * bars)
    yield from _section("Weakest topics (share known)", topics)
    yield from _section("Days of the course (share known)", _strengths(days, 20 * bars))
    yield from _section("Confidence against what was right", _calibration(statistics, 25 * bars))


def _section(title: str, content: Iterator[str]) -> Iterator[str]:
    body = list(content)
    if body:
        yield ""
        yield title
        yield from (f"  {line}".rstrip() for line in body)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _retention(retention: Retention) -> str:
    if retention.share is None:
        return "nothing was asked a second time yet"
    parts = [f"{retention.share:.1%} of {retention.young + retention.mature} recalls"]
    if retention.young:
        parts.append(f"young {retention.young_right / retention.young:.1%} of {retention.young}")
    if retention.mature:
        parts.append(
            f"mature {retention.mature_right / retention.mature:.1%} of {retention.mature}"
        )
    return "; ".join(parts)


def _last_days(counts: Mapping[date, float], today: date) -> Iterator[str]:
    """Yield each day of the last fortnight with a count, in words."""
    days = [today - timedelta(days=back) for back in reversed(range(14))]
    for day in days:
        if count := counts.get(day, 0):
            yield f"{day:%A %d %B}: {count:.0f}"


def _forecast(statistics: Statistics, width: int) -> Iterator[str]:
    days = statistics.forecast[:14]
    most = max((count for _, count in days), default=0)
    if not most:
        return
    for day, count in days:
        late = (
            f" ({statistics.backlog} overdue)"
            if day == statistics.today and statistics.backlog
            else ""
        )
        yield f"{day:%a %d %b}  {_draw_share(count / most, width)}{count}{late}"


def _draw_share(share: float, width: int) -> str:
    """Return a bar and a blank, or nothing if there is no room."""
    return f"{draw_bar(share, width)} " if width else ""


def draw_bar(share: float, width: int) -> str:
    """Fill a `share`, 0 to 1, of `width` columns; a share above 0 fills at least one."""
    return "█" * max(round(share * width), share > 0)


def heat_map(answered: dict[date, int], today: date, weeks: int = _WEEKS) -> Iterator[str]:
    """Draw a row for each weekday and a column for each week. A day's shade is its share of the busiest
    day's answers."""
    if not answered:
        return
    monday = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    most = max(answered.values())
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
            count = answered.get(day, 0)
            shade = -(-count * (len(_SHADES) - 1) // most)
            row += (_SHADES[shade] if count else "·" if day <= today else " ") * 2
        yield f"{monday + timedelta(days=weekday):%a}  {row}"
    yield f"most: {most} on one day"


def _minutes(statistics: Statistics) -> Iterator[str]:
    if not statistics.minutes:
        return
    days = [statistics.today - timedelta(days=back) for back in reversed(range(30))]
    values = [statistics.minutes.get(day, 0.0) for day in days]
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
        cards = _count(strength.cards - strength.to_write, "card")
        if strength.to_write:
            cards += f", {_count(strength.to_write, 'exercise')} to write"
        if strength.known is None:
            yield f"{strength.name:<{width}}  {'':{room}}       –  {cards}"
        else:
            drawn = draw_bar(strength.known, room) if room else ""
            yield (f"{strength.name:<{width}}  {drawn:<{room}}  {strength.known:>5.0%}  {cards}")


def _calibration(statistics: Statistics, room: int) -> Iterator[str]:
    for point in statistics.curve:
        answers = f"{point.count} answer{'' if point.count == 1 else 's'}"
        yield (
            f"confidence {point.confidence}: said {point.said:>4.0%}, right {point.right:>4.0%}  "
            f"{draw_bar(point.right, room) if room else '':<{room}}  {answers}"
        )
    if statistics.brier is not None:
        yield f"Brier score {statistics.brier:.3f} (0 is perfect, 0.25 is saying 50 % each time)"
    if len(statistics.brier_by_week) > 1:
        weeks = ", ".join(f"{score:.2f}" for _, score in statistics.brier_by_week[-8:])
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
    with use_record() as record:
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

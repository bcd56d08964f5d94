"""`tutor search`: the course and the learner's notes in a pipe."""

import json
import re
import sys

import click

from tutor.base.terminal import is_terminal, may_colour
from tutor.commands.support.console import fit_line, say
from tutor.commands.support.open_record import use_record
from tutor.commands.support.progress_line import ProgressLine
from tutor.course.catalog.course import open_course
from tutor.search.results import KIND_NAMES, Hit, SearchResults


@click.command("search")
@click.argument("words", nargs=-1, required=True)
@click.option("--limit", type=click.IntRange(1, 200), default=10, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="One JSON value on stdout, nothing else.")
@click.option("--plain", is_flag=True, help="No bold matches, even on a terminal.")
def search_command(words: tuple[str, ...], limit: int, as_json: bool, plain: bool) -> int:
    """Find WORDS in lessons, questions, glossary, exercises and your own notes, best first.

    A word finds those that begin with it. Ends with status 1 where nothing is found.
    """
    from tutor.search.search import Finder

    typed = " ".join(words)
    with use_record(to_read=True) as record, ProgressLine("reading the course"):
        finder = Finder(open_course(), record)
        results = finder.find(typed, limit)
        finder.close()
    if as_json:
        click.echo(json.dumps(_as_json(typed, results), ensure_ascii=False))
    else:
        bold = is_terminal(sys.stdout) and may_colour() and not plain
        _print(results, bold)
    return 0 if results.hits else 1


def _as_json(typed: str, results: SearchResults) -> dict[str, object]:
    return {
        "query": typed,
        "every": results.every,
        "hits": [
            {
                "kind": hit.kind,
                "place": hit.place,
                "day": hit.day or None,
                "title": hit.title,
                "excerpt": "".join(text for text, _ in hit.excerpt),
                "matches": [text for text, match in hit.excerpt if match],
            }
            for hit in results.hits
        ],
    }


def _print(results: SearchResults, bold: bool) -> None:
    """Print a heading and an excerpt for each hit; matches are `bold` on a terminal."""
    if not results.hits:
        say("Nothing has these words.")
        return
    if not results.every:
        say("Nothing has all of these words; these have some.", "")
    for hit in results.hits:
        click.echo(
            click.style(fit_line(heading(hit)), bold=True) if bold else fit_line(heading(hit))
        )
        excerpt = fit_line(f"    {''.join(text for text, _ in hit.excerpt)}")
        matches = sorted({text for text, match in hit.excerpt if match and text.strip()}, key=len)
        pattern = "|".join(re.escape(text) for text in reversed(matches))
        if bold and pattern:
            excerpt = re.sub(pattern, lambda found: click.style(found[0], bold=True), excerpt)
        click.echo(excerpt)


def heading(hit: Hit) -> str:
    """`lesson · Day 22 · Masks: which lanes exist`; of an exercise also its slug."""
    kind = KIND_NAMES[hit.kind] + (f" {hit.place}" if hit.kind == "exercise" else "")
    return " · ".join(
        part for part in (kind, f"Day {hit.day}" if hit.day else "", hit.title) if part
    )

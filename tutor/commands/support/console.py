"""Lines of a command: wrapped at words and coloured on a terminal, as they are in a pipe."""

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable

import click

from tutor.base.terminal import is_terminal, may_colour

_WIDEST = 100  # columns: longer lines of prose read badly
_HANGING = re.compile(r" *(?:[✓✗] |\S{1,7} {2,})?")  # blanks and a label: next lines begin below
_AS_IT_IS = re.compile(r" +(?:\d+ )?\| ")  # a line of code
_CODE = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")  # may have been wrapped
_KEPT_SPACE = "\ue000"  # in code, while a text is wrapped; of private use, so Markdown leaves it
_DRAWN = re.compile(r"[░▒▓█▁▂▃▄▅▆▇┤│└·]{3}")  # part of a plot
_WRONG_MARKS = re.compile(r"[▒█]+")
# How a line begins, and its style.
_STYLES = (
    (re.compile(r"✓|Right\b"), {"fg": "green", "bold": True}),
    (re.compile(r"✗|Wrong\b"), {"fg": "red", "bold": True}),
    (re.compile(r"Partly right"), {"fg": "yellow", "bold": True}),
)


def say(*lines: str) -> None:
    """Print lines of prose. One with line breaks inside, such as code, is printed as it is."""
    for line in lines:
        click.echo(clean_for_terminal(line))


def prose(markdown: str) -> list[str]:
    """Return an author's Markdown as lines that fit the terminal. Code in backticks is not broken, since
    each line is painted for itself."""
    from tutor.course.catalog.plain_text import COLUMNS, prose_lines

    columns = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else COLUMNS
    whole = _CODE.sub(lambda code: code[0].replace(" ", _KEPT_SPACE), markdown)
    lines = "\n".join(prose_lines(whole, min(columns, COLUMNS)))
    return lines.replace(_KEPT_SPACE, " ").split("\n")


def say_prose(markdown: str) -> None:
    """Print Markdown as plain lines."""
    say(*prose(markdown))


def clean_for_terminal(line: str) -> str:
    """Return the line as the terminal gets it."""
    text = fit_line(line)
    return (
        paint_line(text) if may_colour() and is_terminal(sys.stdout) and "\n" not in line else text
    )


def fit_line(line: str) -> str:
    """Return the line broken between words for a terminal; as it is for a pipe."""
    if "\n" in line or not is_terminal(sys.stdout):
        return line
    return wrap_line(line, shutil.get_terminal_size().columns)


def keep_together(words: str) -> str:
    """Return words between which `say_fitted` breaks no line."""
    return words.replace(" ", _KEPT_SPACE)


def say_fitted(lines: Iterable[str]) -> None:
    """Print lines of a table or a list, broken between words; a row of a drawing as it is."""
    for line in lines:
        fitted = line if _DRAWN.search(line) else fit_line(line)
        click.echo(fitted.replace(_KEPT_SPACE, " "))


def wrap_line(line: str, columns: int) -> str:
    """Break the line between words; the next lines begin below its first word."""
    columns = min(columns, _WIDEST)
    if len(line) <= columns or _AS_IT_IS.match(line):
        return line
    label = _HANGING.match(line)[0]  # type: ignore[index]  # it matches anything
    return textwrap.fill(
        line[len(label) :],
        columns,
        initial_indent=label,
        subsequent_indent=" " * len(label),
        break_on_hyphens=False,
    )


def paint_line(text: str) -> str:
    """Return the text with colours for the verdict's word, code in backticks and marks of a picture."""
    for begins, style in _STYLES:
        if begins.match(text):
            return click.style(text, **style)  # type: ignore[arg-type]
    text = _CODE.sub(lambda code: click.style(code[1], fg="cyan"), text)
    return _WRONG_MARKS.sub(lambda marks: click.style(marks[0], fg="red"), text)

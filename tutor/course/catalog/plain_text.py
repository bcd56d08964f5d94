"""A lesson as plain text, for pipes and screen readers: words and indentation, nothing drawn.

Predictions and drills become questions, and all that tells their answers stands at the end; cells become
indented code followed by what to expect of it.
"""

import re
from collections.abc import Iterator, Sequence
from textwrap import indent, wrap

from markdown_it.token import Token

from tutor.course import drawing
from tutor.course.model import Cell, Drill, Lesson, Predict, Question, Reveal, Source
from tutor.course.plot import look_words, plot_words
from tutor.course.reading.markdown_blocks import tokens
from tutor.course.recordings import RecordedRun, find_recorded_runs

COLUMNS = 78
_CODE = "    "
# Of a drawing in characters: its lines and arrows (a "+" or "|" is one only next to others); the
# columns between them, but not the aligned columns of code.
_DRAWN = re.compile(r"^ *[+|/\\v^ ]+$|[+|]*<?-{2,}>?[+|]*|\+-+>?|<-+\+|\|", re.MULTILINE)
_BRANCH = re.compile(r"^[ |]*`- ", re.MULTILINE)  # the last branch of a tree
_PIPES = re.compile(r"^ *\|(?: +\|)* *$", re.MULTILINE)
_COLUMN = re.compile(r" {3,}(?!=)(?![^\[\]]*\])")


def lesson_text(lesson: Lesson, meanwhile: tuple[str, ...] = (), place: str = "") -> str:
    """The whole lesson, paragraphs at most 78 columns wide. Code keeps its lines.

    `meanwhile`: a text for each day that the lesson names and that is not written.
    `place`: the lesson's phase and week, in words.
    """
    lines = [f"Day {lesson.day}: {lesson.title}", *([place] if place else ())]
    sittings = lesson.sections[-1].sitting
    shared = f", in {sittings} sittings" if sittings > 1 else ""
    lines += [f"About {lesson.minutes} minutes{shared}.", ""]
    lines += ["You will be able to:", *(_item("- ", text) for text in lesson.objectives)]
    recorded = find_recorded_runs(lesson)
    asked: list[Question] = []  # since the cell before
    answers: list[str] = []
    for number, section in enumerate(lesson.sections, 1):
        if number > 1 and section.sitting > lesson.sections[number - 2].sitting:
            lines += ["", "", f"Here sitting {section.sitting} of {sittings} begins."]
        lines += ["", "", f"Section {number} of {len(lesson.sections)}: {section.title}"]
        for block in section.blocks:
            lines.append("")
            if isinstance(block, Cell):
                lines += [*cell_lines(block), *format_recording(recorded.get(block.index))]
                expected = _expectation(block)
                if expected and asked:  # its output answers what was asked
                    answers += ["", f"Cell {block.index} prints, among others:", *expected]
                elif expected:
                    lines += ["", "Expect in the output:", *expected]
                asked = []
            elif isinstance(block, Predict):
                lines += question_lines("Predict", block.question)
                if not block.question.reveal:
                    asked.append(block.question)
                    answers += ["", *_answer(block.question)]
            elif isinstance(block, Drill):
                lines += question_lines("Drill", block.question)
                answers += ["", *_answer(block.question)]
            elif isinstance(block, Reveal):
                lines += _answer(block.asked)
            else:
                lines += prose_lines(block.text, sources=lesson.sources)
    lines += _answers_part(lesson, answers)
    lines += list_sources(lesson)
    lines += list_unwritten_days(meanwhile)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def list_sources(lesson: Lesson) -> list[str]:
    """The sources of a lesson by their numbers; empty if it cites none."""
    lines = ["", "", "Sources"] if lesson.sources else []
    for number, source in enumerate(lesson.sources, 1):
        details = ", ".join(part for part in (source.title, source.version, source.url) if part)
        lines.append(_item(f"[{number}] ", details))
    return lines


def list_unwritten_days(meanwhile: Sequence[str]) -> list[str]:
    """The texts of the days that a lesson names and that are not written; empty without any."""
    items = [_item("- ", text) for text in meanwhile]
    return ["", "", "Days named here", *items] if items else []


def _answers_part(lesson: Lesson, answers: list[str]) -> list[str]:
    if not answers:
        return []
    of = "predictions and drills" if lesson.drills else "predictions"
    return ["", "", f"Answers to the {of}", *answers]


def cell_lines(cell: Cell) -> list[str]:
    """A cell's code, and what else it shows."""
    where = " (needs a CUDA GPU)" if cell.needs_gpu else ""
    lines = [f"Cell {cell.index}{where}:", "", indent(cell.code, _CODE)]
    if look := cell.xray:
        inputs = f" for inputs {', '.join(look.inputs)}" if look.inputs else ""
        lines += ["", _item("", f"Shows its {look.stage}, lowered to {look.target}{inputs}.")]
    elif cell.plot:
        lines += ["", _item("", look_words(cell.plot))]
    elif cell.drawing:
        lines += ["", _item("", drawing.look_words(cell.drawing))]
    elif cell.access:
        words = f"Shows which elements each program of {cell.access.name} loads and stores."
        lines += ["", _item("", words)]
    return lines


def format_recording(known: RecordedRun | None) -> list[str]:
    """The recorded run of a GPU cell, and the words of its plot."""
    if known is None:
        return []
    plot = [known.plot] if isinstance(known.plot, str) else plot_words(known.plot)
    printed = "\n".join([known.printed.rstrip(), *(line for line in plot if line)])
    return ["", _item("", f"It printed, {known.marked}:"), "", indent(printed, _CODE)]


def _expectation(cell: Cell) -> list[str]:
    """Return the output that the author expects of a cell. Patterns are for machines."""
    patterns = (len(text) > 1 and text[0] == text[-1] == "/" for text in cell.expect)
    known = (text for text, is_one in zip(cell.expect, patterns, strict=True) if not is_one)
    return [_CODE + text for text in known]


def question_lines(label: str, question: Question) -> list[str]:
    """A question as it is asked: the prompt, then what there is to choose from."""
    lines = [f"{label} ({question.id}):", *prose_lines(question.prompt)]
    for text in (question.shown_code, question.text):
        if text:
            lines += ["", *_number_lines(text, question.kind == "line"), ""]
    for title, entries in (
        ("", question.options),
        ("", question.items),
        ("Left:", question.left),
        ("Right:", question.right),
    ):
        if entries and title:
            lines.append(title)
        lines += [_item(f"  {key}) ", text) for key, text in entries.items()]
    if question.unit:
        lines.append(f"Unit: {question.unit}")
    return lines


def _number_lines(code: str, numbers: bool) -> Iterator[str]:
    for number, line in enumerate(code.split("\n"), 1):
        yield f"{_CODE}{number}: {line}" if numbers else _CODE + line


def _answer(question: Question) -> list[str]:
    if question.kind == "code":
        code = indent(question.answer, _CODE)
        return [f"{question.id}:", "", code, "", *prose_lines(question.explanation)]
    if question.answer_from:
        answer = f"what the code leaves in `{question.answer_from}`; run it to see"
    else:
        answer = _in_words(question) if question.answer is not None else question.model
    return [_item(f"{question.id}: ", answer), *prose_lines(question.explanation)]


def _in_words(question: Question) -> str:
    """Return the answer in one line, as an author writes it, without the letters of an asking.

    Another kind needs its words here and in `quiz.answer_text`, which the course may not import.
    """
    answer = question.answer
    names = question.options or question.items
    if isinstance(answer, dict):
        pairs = ((question.left[a], question.right[b]) for a, b in answer.items())
        return "; ".join(f"{a}: {b}" for a, b in pairs)
    parts = answer if isinstance(answer, tuple) else (answer,)
    text = "; ".join(names.get(str(part), str(part)) for part in parts)
    return f"{text} {question.unit}".rstrip()


def prose_lines(markdown: str, columns: int = COLUMNS, sources: Sequence[Source] = ()) -> list[str]:
    """Markdown as wrapped lines, at most `columns` wide. Emphasis goes; code, links and structure
    are kept as words. A citation of one of `sources` becomes its number, `[3]`."""
    writer = _Writer(columns)
    for token in tokens(markdown):
        for child in token.children or ():
            if child.type == "text":
                for number, source in enumerate(sources, 1):
                    child.content = child.content.replace(f"[{source.id}]", f"[{number}]")
        writer.take(token)
    while writer.lines and not writer.lines[-1].strip():
        writer.lines.pop()
    return writer.lines


class _Writer:
    """Turns a stream of block tokens into lines.

    A marker ("- ") stands before an item's first line, blanks of its width before the others. A
    table's row reads "header: cell; header: cell".
    """

    def __init__(self, columns: int) -> None:
        self.lines: list[str] = []
        self._columns = columns
        self._margins: list[str] = []
        self._marker = ""
        self._numbers: list[int | None] = []  # the next number of each enclosing list
        self._headers: list[str] = []
        self._row: list[str] | None = None  # the cells so far, inside a table's row

    def take(self, token: Token) -> None:
        match token.type:
            case "bullet_list_open":
                self._numbers.append(None)
            case "ordered_list_open":
                start = token.attrGet("start")
                self._numbers.append(1 if start is None else int(start))
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
                self._blank()
            case "list_item_open":
                number = self._numbers[-1]
                self._open("- " if number is None else f"{number}. ")
                self._numbers[-1] = None if number is None else number + 1
            case "blockquote_open":
                self._open("Note: ")
            case "list_item_close" | "blockquote_close":
                self._margins.pop()
                self._marker = ""
            case "fence" | "code_block":
                text = token.content.rstrip("\n")
                if _BRANCH.search(text):
                    text = _as_list(text)
                elif "--+" in text or "+--" in text or _PIPES.search(text):
                    text = _describe_diagram(text)
                self.lines += indent(text, self._margin() + _CODE).split("\n")
                self._blank()
            case "tr_open":
                self._row = []
            case "tr_close":
                self._end_row(self._row or [])
            case "table_close":
                self._headers = []
                self._blank()
            case "inline":
                self._inline(token)

    def _inline(self, token: Token) -> None:
        text = inline_text(token)
        if self._row is not None:
            self._row.append(text)
            return
        for part in text.split("\n"):
            self.lines.append(_item(self._margin() + self._marker, part, self._columns))
            self._marker = " " * len(self._marker)
        self._marker = ""
        if not self._numbers:
            self._blank()

    def _open(self, marker: str) -> None:
        # a marker not yet written (a list that opens a list item) stands before the new one
        self._margins.append(" " * len(marker))
        self._marker += marker

    def _margin(self) -> str:
        whole = "".join(self._margins)
        return whole[: len(whole) - len(self._marker)]

    def _end_row(self, row: list[str]) -> None:
        self._row = None
        if not self._headers:
            self._headers = row
            return
        pairs = zip(self._headers, row, strict=False)
        text = "; ".join(f"{h}: {cell}" if h else cell for h, cell in pairs if cell)
        self.lines.append(_item(self._margin(), text, self._columns))

    def _blank(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")


def _describe_diagram(diagram: str) -> str:
    """The words of a diagram of characters, row by row; a semicolon where another column begins."""
    lines = ["Diagram, its words row by row:"]
    for line in diagram.split("\n"):
        parts = _COLUMN.split(_DRAWN.sub("    ", line))
        words = (" ".join(part.split()).lstrip("\\") for part in parts)
        lines.append("; ".join(word for word in words if word not in ("", "->", *"v^/<>")))
    return "\n".join(line for line in lines if line)


def _as_list(tree: str) -> str:
    """A tree of characters as nested items: the indentation says what belongs to what."""
    items = re.sub(r"^([ |]*?)[|`]- ", r"\1- ", tree, flags=re.MULTILINE)
    return re.sub(r"^[ |]+", lambda lead: lead[0].replace("|", " "), items, flags=re.MULTILINE)


def inline_text(token: Token) -> str:
    """The words of an inline token; code keeps its backticks, a link its address (but not one to a
    place of the course), a picture what stands for it."""
    parts: list[str] = []
    address = ""
    for child in token.children or ():
        match child.type:
            case "softbreak":
                parts.append(" ")
            case "hardbreak":
                parts.append("\n")
            case "code_inline":
                parts.append(f"`{child.content}`")
            case "link_open":
                address = str(child.attrGet("href") or "")
            case "link_close":
                inside = address.startswith(("term:", "lesson:", "exercise:"))
                known = inside or parts[-1:] == [address]
                parts.append("" if known else f" ({address})")
            case "image":  # an author may break the lines of its words
                parts.append(f"Picture: {' '.join(child.content.split())}")
            case _:
                parts.append(child.content)
    return "".join(parts)


def _item(first: str, text: str, columns: int = COLUMNS) -> str:
    """`text` wrapped, `first` before its first line and blanks of that width before the others."""
    lines = wrap(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=" " * len(first),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first.rstrip()

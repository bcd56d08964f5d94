"""Reads `lessons/day-NN-….md`: TOML between `+++` lines, then Markdown with live fences."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from markdown_it.token import Token

from tutor.course.model import (
    AccessLook,
    Block,
    Cell,
    DrawingLook,
    Drill,
    Lesson,
    Look,
    Milestone,
    PlotLook,
    Predict,
    Project,
    Prose,
    Reveal,
    Section,
    Source,
)
from tutor.course.reading.faults import CourseFault, Fault, format_value, read_course_file
from tutor.course.reading.markdown_blocks import MarkdownBlock, block_tokens, split_blocks
from tutor.course.reading.python_source import names_compiler, syntax_error
from tutor.course.reading.question import look_of_words, read_question
from tutor.course.reading.toml_table import Table, parse_table

# Fences that are only shown. A word outside this list is taken for a slip of the pen.
SHOWN = (
    "asm",
    "bash",
    "c",
    "console",
    "cpp",
    "cuda",
    "diff",
    "hlo",
    "ini",
    "json",
    "llvm",
    "log",
    "make",
    "markdown",
    "mlir",
    "pseudo",
    "ptx",
    "pycon",
    "python",
    "sass",
    "sh",
    "text",
    "toml",
    "tir",
    "triton",
    "ttgir",
    "ttir",
    "yaml",
)
CELL_WORDS = ("gpu", "slow", "compile")
FIGURE_WORDS = ("access", "case", "plot", "x", "y", "log", "bars", "grid", "gantt")
Figure = AccessLook | PlotLook | DrawingLook
_CURVES = 3  # of a plot
_SITTING = re.compile(r"sitting\s*=\s*(\S+)\s*")
SOURCE_ID = r"[a-z][a-z0-9.-]+"
PROJECT_NAME = r"[a-z][a-z0-9_]*"
_NEARLY_EXPECT = re.compile(r"\s*[>*-]?\s*expect(s|ed)?\s*:.*", re.IGNORECASE)


def front_matter(text: str, path: Path) -> tuple[str, str, int]:
    """(TOML, Markdown, lines before the Markdown); `CourseFault` without both `+++` lines."""
    lines = text.split("\n")
    if lines[0].rstrip() != "+++":
        raise CourseFault([Fault(path, 1, "front matter", "a line `+++`", format_value(lines[0]))])
    for i, line in enumerate(lines[1:], 1):
        if line.rstrip() == "+++":
            return "\n".join(lines[1:i]), "\n".join(lines[i + 1 :]), i + 1
    raise CourseFault([Fault(path, len(lines), "front matter", "a closing line `+++`", "the end")])


def read_lesson(path: Path) -> Lesson:
    """The lesson of a file. Raises `CourseFault` with all mistakes of the file."""
    head, body, offset = front_matter(read_course_file(path), path)
    file = parse_table(head, path, first_line=2)
    day = file.integer("day", 1)
    title = file.text("title")
    minutes = file.integer("minutes", 1)
    objectives = file.texts("objectives", least=1)
    sources = _sources(file)
    milestones = _milestones(file)
    projects = _projects(file)
    file.finish("a lesson")
    parsed = block_tokens(body)
    file.faults += _fence_faults(path, body, parsed, offset)
    parts = split_blocks(body, parsed)
    sections = _Sections(path, day, title, offset, file.faults).read(parts)
    file.raise_faults()
    sections = _with_compiler(sections)
    return Lesson(day, title, minutes, objectives, sources, sections, path, milestones, projects)


def _with_compiler(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """Give the interpreted cells a process with PyTorch's compiler if one of them names it."""
    blocks = [block for section in sections for block in section.blocks]
    interpreted = [b for b in blocks if isinstance(b, Cell) and b.mode == "interpret"]
    if not any(names_compiler(cell.code) for cell in interpreted):
        return sections
    return tuple(
        replace(
            section,
            blocks=tuple(
                replace(b, mode="both") if isinstance(b, Cell) and b.mode == "interpret" else b
                for b in section.blocks
            ),
        )
        for section in sections
    )


def _sources(file: Table) -> tuple[Source, ...]:
    sources: list[Source] = []
    for table in file.tables("sources"):
        source = Source(
            table.matching("id", SOURCE_ID, "two or more of a-z, 0-9, `-`, `.`, a letter first"),
            table.text("title"),
            table.text("version", default=""),
            table.text("url", default=""),
        )
        if source.id in {other.id for other in sources}:
            table.fault("id", "each source once", f"{source.id} again")
        if source.url and not re.fullmatch(r"https?://\S+", source.url):
            table.fault("url", "an address that begins with https://", format_value(source.url))
        sources.append(source)
        table.finish("a source")
    return tuple(sources)


def _milestones(file: Table) -> tuple[Milestone, ...]:
    milestones: list[Milestone] = []
    for table in file.tables("milestone"):
        milestone = Milestone(
            table.text("exercise"),
            table.text("change"),
            table.text("shows"),
            table.text("yardstick", default=""),
            table.line(),
            table.text("project", default=""),
            table.flag("promises"),
        )
        if milestone.exercise in {other.exercise for other in milestones}:
            table.fault("exercise", "each exercise once", f"{milestone.exercise} again")
        milestones.append(milestone)
        table.finish("a milestone")
    return tuple(milestones)


def _projects(file: Table) -> tuple[Project, ...]:
    projects: list[Project] = []
    for table in file.tables("project"):
        project = Project(
            table.matching(
                "name", PROJECT_NAME, "lower-case letters, digits and `_`, a letter first"
            ),
            table.text("title"),
            table.text("why"),
            table.text("needs"),
            table.line(),
        )
        if project.name in {other.name for other in projects}:
            table.fault("name", "each project once", f"{project.name} again")
        projects.append(project)
        table.finish("a project")
    return tuple(projects)


def _fence_faults(path: Path, body: str, parsed: list[Token], offset: int) -> list[Fault]:
    """Mistyped, misplaced and unclosed fences, wherever they stand."""
    faults: list[Fault] = []
    lines = body.split("\n")
    for token in parsed:
        if token.type != "fence" or not token.map:
            continue
        line = offset + token.map[0] + 1
        words = token.info.split()
        live = words[:1] in (["predict"], ["drill"]) or words[:2] == ["python", "run"]
        if live and token.level:
            faults.append(
                Fault(path, line, "fence", "a live fence at the left margin", "an inner one")
            )
        if not live and words and (words[0] not in SHOWN or len(words) > 1):
            expected = "python run [gpu] [slow] [compile], predict, drill, or one language's name"
            faults.append(Fault(path, line, "fence", expected, format_value(token.info.strip())))
        last = lines[min(token.map[1], len(lines)) - 1].strip(" \t>")
        if not token.level and not (
            last.startswith(token.markup) and token.map[1] - token.map[0] > 1
        ):
            faults.append(Fault(path, line, "fence", f"a closing {token.markup}", "the end"))
    return faults


class _Sections:
    """Builds the sections of one lesson from its parts; notes mistakes in `faults`."""

    def __init__(self, path: Path, day: int, title: str, offset: int, faults: list[Fault]) -> None:
        self._path = path
        self._day = day
        self._title = title
        self._offset = offset
        self._faults = faults
        self._cells = 0
        self._sitting = 1
        self._slugs: set[str] = set()
        self._ids: set[str] = set()
        self._reveal_lines: dict[str, int] = {}  # question id -> the line of its `reveal`

    def read(self, parts: tuple[MarkdownBlock, ...]) -> tuple[Section, ...]:
        groups: list[list[MarkdownBlock]] = [[]]
        for part in parts:
            if part.kind == "heading":
                groups.append([])
            groups[-1].append(part)
        if not any(part.text.strip() for part in groups[0]):
            groups = groups[1:]  # nothing stands before the first heading
        if not groups:
            self._fault(0, "body", "at least one section", "nothing")
        return self._with_reveals([self._section(group) for group in groups])

    def _with_reveals(self, sections: list[Section]) -> tuple[Section, ...]:
        """Put each answer that waits into the section that its prediction names."""
        places = {section.slug: place for place, section in enumerate(sections)}
        for here, section in enumerate(sections):
            for block in section.blocks:
                if not isinstance(block, Predict) or not (slug := block.question.reveal):
                    continue
                place = places.get(slug, -1)
                if place > here:
                    sections[place] = _with_reveal(
                        sections[place], Reveal(block.question, block.line)
                    )
                    continue
                later = (
                    ", ".join(section.slug for section in sections[here + 1 :]) or "there is none"
                )
                line = self._reveal_lines[block.question.id]
                expected = f"the slug of a later section ({later})"
                self._faults.append(Fault(self._path, line, "reveal", expected, format_value(slug)))
        return tuple(sections)

    def _section(self, parts: list[MarkdownBlock]) -> Section:
        heading = parts[0] if parts[0].kind == "heading" else None
        title = heading.text if heading else self._title
        if heading and not title.strip():
            self._fault(heading.start, "heading", "a title after ##", "nothing")
        blocks: list[Block] = []
        parts = self._begin_sitting(parts, heading is not None)
        for part in parts[1:] if heading else parts:
            if part.kind == "cell":
                blocks.append(self._cell(part))
            elif part.kind in ("predict", "drill"):
                blocks += self._question(part)
            elif part.text.strip():
                blocks.append(self._prose(part))
        self._predictions_have_cells(blocks)
        self._drills_end(blocks)
        line = self._line(parts[0].start)
        return Section(title, self._slug(title), line, tuple(blocks), self._sitting)

    def _begin_sitting(self, parts: list[MarkdownBlock], headed: bool) -> list[MarkdownBlock]:
        """Take the line `sitting = 2` away from below a section's heading; it begins that sitting."""
        if len(parts) < 2 or not headed or parts[1].kind != "prose":
            return parts
        lines = parts[1].text.split("\n")
        first = next((i for i, line in enumerate(lines) if line.strip()), 0)
        if not (match := _SITTING.fullmatch(lines[first])):
            return parts
        if match[1] != str(self._sitting + 1):
            expected = f"sitting = {self._sitting + 1}, the next one"
            self._fault(parts[1].start + first, "sitting", expected, format_value(lines[first]))
        self._sitting += 1
        lines[first] = ""
        return [parts[0], replace(parts[1], text="\n".join(lines)), *parts[2:]]

    def _prose(self, part: MarkdownBlock) -> Prose:
        lines = part.text.split("\n")
        first = next(i for i, line in enumerate(lines) if line.strip())
        for i, line in enumerate(lines):
            if _NEARLY_EXPECT.fullmatch(line):
                self._fault(
                    part.start + i, "expect", "`expect: …` right after a cell", format_value(line)
                )
        return Prose("\n".join(lines[first:]).rstrip(), self._line(part.start + first))

    def _cell(self, part: MarkdownBlock) -> Cell:
        self._cells += 1
        code = part.text.rstrip("\n")
        words, look, figure = self._cell_words(part, code)
        if error := syntax_error(code):
            self._fault(part.start + error[0], "cell", "Python", error[1])
        elif all(not line.strip() or line.strip().startswith("#") for line in code.split("\n")):
            self._fault(part.start, "cell", "code", "nothing that runs")
        self._expectations(part)
        return Cell(
            code=code,
            line=self._line(part.start),
            index=self._cells,
            mode="compile" if "compile" in words else "interpret",
            needs_gpu="gpu" in words,
            slow="slow" in words,
            expect=part.expect,
            xray=look,
            access=figure if isinstance(figure, AccessLook) else None,
            plot=figure if isinstance(figure, PlotLook) else None,
            drawing=figure if isinstance(figure, DrawingLook) else None,
        )

    def _cell_words(
        self, part: MarkdownBlock, code: str
    ) -> tuple[list[str], Look | None, Figure | None]:
        """Read the words after `python run`; note a mistake in them."""
        every = part.info.split()[2:]
        words = [w for w in every if w in CELL_WORDS]
        figure_words = [w for w in every if "=" in w and w.partition("=")[0] in FIGURE_WORDS]
        look, trouble = look_of_words(w for w in every if w not in (*CELL_WORDS, *figure_words))
        figure, odd = figure_of_words(figure_words, code)
        if look and figure:
            odd = "an X-ray and a figure"
        elif isinstance(figure, AccessLook) and not {"gpu", "compile"}.isdisjoint(words):
            odd = "access= without Triton's interpreter"
        if trouble or odd or len(set(words)) < len(words):
            expected = (
                "python run [gpu] [slow] [compile] [xray=STAGE target=… input=…] "
                "[access=NAME case=…] [plot=X,Y x=… y=… log=xy] [bars=NAME x=…] [grid=NAME] "
                "[gantt=NAME x=…]"
            )
            self._fault(part.start, "fence", expected, trouble or odd or format_value(part.info))
        return words, look, figure

    def _expectations(self, part: MarkdownBlock) -> None:
        first = part.end - len(part.expect)
        for i, text in enumerate(part.expect, first):
            if not text:
                self._fault(i, "expect", "what the output must contain", "nothing")
            elif len(text) > 1 and text[0] == text[-1] == "/":
                try:
                    re.compile(text[1:-1])
                except re.error as error:
                    self._fault(
                        i, "expect", "a regular expression", f"{format_value(text)}: {error}"
                    )

    def _question(self, part: MarkdownBlock) -> list[Block]:
        """The prediction or drill of a fence; nothing where it has a mistake."""
        line = self._line(part.start)
        try:
            table = parse_table(part.text, self._path, first_line=line + 1)
        except CourseFault as fault:
            self._faults += fault.faults
            return []
        question = read_question(table, self._day, prediction=part.kind == "predict")
        self._faults += table.faults
        if question is None:
            return []
        if question.id in self._ids:
            self._fault(part.start, "id", "an id of its own", f"{question.id} again")
        self._ids.add(question.id)
        self._reveal_lines[question.id] = table.line("reveal")
        question = replace(question, line=line)
        return [Drill(question, line) if part.kind == "drill" else Predict(question, line)]

    def _drills_end(self, blocks: list[Block]) -> None:
        """A drill stands at the end of its section: no cell and no prediction follows it."""
        for before, after in pairwise(b for b in blocks if not isinstance(b, Prose)):
            if isinstance(before, Drill) and not isinstance(after, Drill):
                line = before.line - self._offset - 1
                self._fault(line, "drill", "a drill after the section's last cell", "one before it")

    def _predictions_have_cells(self, blocks: list[Block]) -> None:
        """A prediction that takes its answer from the next cell needs one, on the same page."""
        for i, block in enumerate(blocks):
            if not isinstance(block, Predict) or block.question.kind == "predict":
                continue
            later = any(isinstance(other, Cell) for other in blocks[i:])
            if block.question.answer_from and not later:
                line = block.line - self._offset - 1
                self._fault(line, "answer_from", "a live cell later in the section", "none")

    def _slug(self, title: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
        slug, n = base, 1
        while slug in self._slugs:
            n += 1
            slug = f"{base}-{n}"
        self._slugs.add(slug)
        return slug

    def _line(self, index: int) -> int:
        return self._offset + index + 1

    def _fault(self, index: int, field: str, expected: str, what: str) -> None:
        self._faults.append(Fault(self._path, self._line(index), field, expected, what))


def _with_reveal(section: Section, reveal: Reveal) -> Section:
    """Add the answer after the section's last cell; before everything where it has no cell."""
    cells = [place for place, block in enumerate(section.blocks) if isinstance(block, Cell)]
    place = cells[-1] + 1 if cells else 0
    blocks = (*section.blocks[:place], reveal, *section.blocks[place:])
    return replace(section, blocks=blocks)


def figure_of_words(words: list[str], code: str) -> tuple[Figure | None, str]:
    """The figure that `plot=sizes,rates x=elements y=GB/s log=xy`, `access=KERNEL`,
    `bars=NAME x=cycles`, `grid=NAME` or `gantt=NAME x=ms` asks for, and what is wrong with it (""
    where nothing is)."""
    named = dict(word.split("=", 1) for word in words)
    if len(named) < len(words):
        return None, "a word of a figure twice"
    if empty := [key for key, value in named.items() if not value]:
        return None, f"{empty[0]}= without a value"
    kinds = [kind for kind in ("access", "plot", "bars", "grid", "gantt") if kind in named]
    if len(kinds) > 1:
        return None, "two figures"
    if not kinds:
        return (
            None,
            f"{words[0]}, but none of plot=, access=, bars=, grid= and gantt=" if words else "",
        )
    if kinds == ["plot"]:
        return _plot_of_words(named)
    if kinds != ["access"]:
        return _drawing_of_words(kinds[0], named)
    name, case = named["access"], named.get("case", "").replace("_", " ")
    of_exercise = not re.search(rf"^def {re.escape(name)}\(", code, re.MULTILINE)
    if not re.fullmatch(r"[a-z_]\w*", name):
        return None, f"access={name}, which is no name"
    if others := set(named) - {"access", "case"}:
        return None, f"{min(others)}= without plot="
    if case and not of_exercise:
        return None, f"case= of {name}, which the cell defines"
    return AccessLook(name, case, of_exercise), ""


def _drawing_of_words(kind: str, named: dict[str, str]) -> tuple[DrawingLook | None, str]:
    if not named[kind].isidentifier():
        return None, f"{kind}={named[kind]}, which is no name"
    if set(named) != ({"grid"} if kind == "grid" else {kind, "x"}):
        return None, "bars= and gantt= with x= alone, what the axis is called; grid= with nothing"
    return DrawingLook(kind, named[kind], named.get("x", "").replace("_", " ")), ""


def _plot_of_words(named: dict[str, str]) -> tuple[PlotLook | None, str]:
    x, *ys = named["plot"].split(",")
    log = named.get("log", "")
    if not 1 <= len(ys) <= _CURVES or not all(name.isidentifier() for name in (x, *ys)):
        return None, f"plot={named['plot']}, and not a list's name, a comma, one to {_CURVES} more"
    if log not in ("", "x", "y", "xy"):
        return None, f"log={log}, which is none of x, y, xy"
    if "x" not in named or "y" not in named:
        return None, "plot= without x= and y=, what the axes are called"
    if "case" in named:
        return None, "case= without access="
    across, up = (named[axis].replace("_", " ") for axis in "xy")
    return PlotLook(x, tuple(ys), across, up, log), ""

"""Every mistake of a course, for `tutor content check`: each file alone, then all together.

The readers refuse what cannot be taught from; here also what reads badly: long sections, wide code,
citations that lead nowhere.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterator
from itertools import pairwise
from pathlib import Path

from markdown_it.token import Token

from tutor.authoring.answer_check import slip_faults
from tutor.authoring.exercise_check import exercise_faults
from tutor.authoring.term_links import term_faults
from tutor.course.catalog.concept_map import read_map
from tutor.course.catalog.glossary import read_glossary
from tutor.course.catalog.outline import read_outline
from tutor.course.catalog.placement import read_placement, suits
from tutor.course.catalog.pointers import Pointer, pointers_file, read_pointers
from tutor.course.catalog.unwritten_days import list_named_days
from tutor.course.model import CanDo, Exercise, Lesson, Misconception, Prose, Question, Quiz
from tutor.course.reading.exercise import folder_faults, read_exercise
from tutor.course.reading.faults import CourseFault, Fault, format_value, read_course_file
from tutor.course.reading.lesson import SOURCE_ID, front_matter, read_lesson
from tutor.course.reading.links import picture_of, written_targets
from tutor.course.reading.locations import (
    LESSON_NAME,
    MAP_NAME,
    QUIZ_NAME,
    exercise_folders,
    glossary_file,
    outline_file,
    placement_file,
)
from tutor.course.reading.markdown_blocks import tokens
from tutor.course.reading.quiz import read_quiz

SECTION_LINES = 120  # one page
# Columns of code on a terminal of 80: a longer line is wrapped, a fence that is not run cuts it.
CELL_COLUMNS = 77
RECORDED_COLUMNS = 78  # of a cell for a GPU, which would have to be recorded again
FENCE_COLUMNS = 76
QUESTION_COLUMNS = 74
LINE_COLUMNS = 70  # of a question whose lines have numbers
PROGRAM_COLUMNS = 78  # in an editor, which scrolls
_PICTURE = re.compile(r"images/[a-z0-9][a-z0-9-]*\.png")
_CITATION = re.compile(rf"\[({SOURCE_ID})\]")


def faults(root: Path) -> tuple[Fault, ...]:
    """All mistakes of the course under `root`, by file and line. Runs nothing of it."""
    return tuple(sorted(_Course(root).faults))


class _Course:
    """Reads everything once; `faults` fills on the way."""

    def __init__(self, root: Path) -> None:
        self.faults: list[Fault] = []
        self._root = root
        self._ids: dict[str, str] = {}  # question id -> where it stands first
        self._questions: dict[str, Question] = {}
        self._days: frozenset[int] | None = None
        self._projects: frozenset[int] = frozenset()
        self._tags: set[str] = set()  # of all questions: the topics a learner can be shaky in
        self._targets: set[str] = set()  # "lesson:14/the-map", "exercise:vector_add", …
        self._checkpoints: list[tuple[Path, Quiz]] = []
        self._written: set[int] = set()
        self._named: dict[int, Path] = {}  # day -> a lesson that speaks of it
        self._links: list[tuple[Path, int, str]] = []  # a lesson, its line, the target
        self._lessons: list[Lesson] = []
        self._exercises: list[Exercise] = []
        self._read_outline()
        self._read_lessons()
        self._read_quizzes()
        self._read_exercises()
        self._read_glossary()
        self._read_maps()
        self._read_pointers()
        self._read_placement()
        self._check_checkpoints()
        self._check_projects()
        self._check_choices()
        self._check_links()

    def _add(self, path: Path, line: int, field: str, expected: str, what: str) -> None:
        self.faults.append(Fault(path, line, field, expected, what))

    def _read_outline(self) -> None:
        try:
            outline = read_outline(outline_file(self._root))
        except CourseFault as fault:
            self.faults += fault.faults
        else:
            self._days = frozenset(day.day for day in outline.days)
            self._projects = frozenset(day.day for day in outline.days if day.kind == "project")

    def _read_lessons(self) -> None:
        written: dict[int, Path] = {}
        for path in sorted((self._root / "lessons").glob("*.md")):
            number = self._number(path, LESSON_NAME, "day-NN-title.md")
            try:
                lesson = read_lesson(path)
            except CourseFault as fault:
                self.faults += fault.faults
                continue
            self._same_day(path, number, lesson.day)
            if other := written.get(lesson.day):
                self._add(path, 1, "day", "one lesson a day", f"another in {other.name}")
            written[lesson.day] = path
            self._lessons.append(lesson)
            self._targets |= {f"lesson:{lesson.day}/{s.slug}" for s in lesson.sections}
            self._written.add(lesson.day)
            for day in list_named_days(lesson):
                self._named.setdefault(day, path)
            for question in lesson.questions:
                self._question(path, question)
            for block in (block for section in lesson.sections for block in section.blocks):
                if isinstance(block, Prose):
                    found_here = written_targets(block.text)
                    self._links += [(path, block.line + row, target) for target, row in found_here]
            self.faults += lesson_faults(lesson, read_course_file(path))

    def _read_quizzes(self) -> None:
        for path in sorted((self._root / "quizzes").glob("*.toml")):
            if path == placement_file(self._root):
                continue
            number = self._number(path, QUIZ_NAME, "day-NN.toml")
            try:
                quiz = read_quiz(path)
            except CourseFault as fault:
                self.faults += fault.faults
                continue
            self._same_day(path, number, quiz.day)
            self._quiz(path, quiz)

    def _quiz(self, path: Path, quiz: Quiz) -> None:
        for question in quiz.questions:
            self._question(path, question)
        for band in quiz.bands:
            self._known_days(path, 1, "revisit", band.revisit)
        if quiz.is_checkpoint:
            self._checkpoints.append((path, quiz))
            items: list[CanDo | Misconception] = [*quiz.checklist, *quiz.misconceptions]
            for item in items:
                self._once(path, item.line, item.id)
                self._known_days(path, item.line, "days", item.days)

    def _read_exercises(self) -> None:
        for folder in sorted((self._root / "kernels").glob("[!_.]*/")):
            try:
                exercise = read_exercise(folder)
            except CourseFault as fault:
                self.faults += fault.faults
                continue
            self._exercises.append(exercise)
            self._known_days(folder / "exercise.toml", 1, "day", (exercise.day,))
            of_files = folder_faults(exercise)
            self.faults += of_files or exercise_faults(exercise)

    def _read_glossary(self) -> None:
        path = glossary_file(self._root)
        if not path.is_file():
            return
        try:
            terms = read_glossary(path)
        except CourseFault as fault:
            self.faults += fault.faults
            return
        for term in terms:
            self._targets.add(f"term:{term.id}")
            self._known_days(path, term.line, "days", term.days)
        self.faults += term_faults(self._lessons, terms)

    def _read_maps(self) -> None:
        for path in sorted((self._root / "lessons" / "maps").glob("*.toml")):
            number = self._number(path, MAP_NAME, "phase-N.toml")
            try:
                chart = read_map(path, number or 0)
            except CourseFault as fault:
                self.faults += fault.faults
                continue
            for node in chart.nodes:
                self._known_days(path, node.line, "days", node.days)
                self._links += [(path, node.line, target) for target in node.read]

    def _read_pointers(self) -> None:
        """Each day that a lesson speaks of is written, or something serves meanwhile."""
        path = pointers_file(self._root)
        pointers: dict[int, Pointer] = {}
        if path.is_file():
            try:
                pointers = read_pointers(path)
            except CourseFault as fault:
                self.faults += fault.faults
                return
        for pointer in pointers.values():
            self._known_days(path, pointer.line, "day", (pointer.day,))
            for target in pointer.to:
                if not target.startswith("http") and target not in self._targets:
                    self._add(path, pointer.line, "to", "a section or a term", target)
        for day, lesson in self._named.items():
            self._known_days(lesson, 1, "body", (day,))
            if path.is_file() and day not in pointers and day not in self._written:
                self._add(path, 1, "pointer", f"one for Day {day}, named in {lesson.name}", "none")

    def _read_placement(self) -> None:
        """Each day that may be skipped is there to be skipped, each question can be asked at once."""
        path = placement_file(self._root)
        if not path.is_file():
            return
        try:
            placement = read_placement(path)
        except CourseFault as fault:
            self.faults += fault.faults
            return
        if not (self._root / "kernels" / placement.first_kernel / "exercise.toml").is_file():
            self._add(path, 1, "first_kernel", "an exercise", format_value(placement.first_kernel))
        for strand in placement.strands:
            if strand.day not in self._written:
                self._add(path, strand.line, "day", "a day with a lesson", str(strand.day))
            for name in strand.questions:
                question = self._questions.get(name)
                if question is None or not suits(question):
                    expected = "a question of a quiz, graded without running anything"
                    self._add(path, strand.line, "questions", expected, format_value(name))

    def _check_checkpoints(self) -> None:
        """Check against the whole course that evidence exists and that each topic is a tag."""
        exercises = {f"exercise:{folder.name}" for folder in exercise_folders(self._root)}
        for path, quiz in self._checkpoints:
            for can_do in quiz.checklist:
                for row in can_do.evidence:
                    target = f"{row.kind}:{row.name}"
                    if target not in self._targets | exercises:
                        expected = "a question, exercise or section of the course"
                        self._add(path, can_do.line, "evidence", expected, target)
            for prompt in quiz.reflection.prompts if quiz.reflection else ():
                for topic in prompt.topics:
                    if topic not in self._tags:
                        self._add(
                            path, prompt.line, "topics", "tags of questions", format_value(topic)
                        )

    def _check_projects(self) -> None:
        """A project has milestones, no other day has; each is an exercise of that day or before."""
        days = {exercise.slug: exercise.day for exercise in self._exercises}
        for lesson in self._lessons if self._days is not None else ():
            is_project = lesson.day in self._projects
            if is_project != bool(lesson.milestones):
                expected = "[[milestone]] tables" if is_project else "none outside a project"
                named = "none" if is_project else f"{len(lesson.milestones)} of them"
                self._add(lesson.path, 1, "milestone", expected, named)
            for milestone in lesson.milestones:
                if not days.get(milestone.exercise, lesson.day + 1) <= lesson.day:
                    expected = "an exercise of this day or an earlier one"
                    self._add(
                        lesson.path,
                        milestone.line,
                        "exercise",
                        expected,
                        format_value(milestone.exercise),
                    )

    def _check_choices(self) -> None:
        """Projects to choose from: each has a name of its own and stands on the day of a project; a
        milestone names one of its day or of an earlier one, and a day that has milestones of one has
        as many of each that is offered with it."""
        offered: dict[str, Lesson] = {}
        used: set[str] = set()
        for lesson in sorted(self._lessons, key=lambda each: each.day):
            for project in lesson.projects:
                if lesson.day not in self._projects and self._days is not None:
                    expected = "none outside a project"
                    self._add(lesson.path, project.line, "project", expected, project.name)
                if project.name in offered:
                    expected = f"a name of its own: Day {offered[project.name].day} has it already"
                    self._add(lesson.path, project.line, "name", expected, project.name)
                offered.setdefault(project.name, lesson)
            of_day = Counter(each.project for each in lesson.milestones if each.project)
            for milestone in lesson.milestones:
                if milestone.project and milestone.project not in offered:
                    known = ", ".join(offered) or "there is none"
                    expected = f"a project of this day or of an earlier one ({known})"
                    found = format_value(milestone.project)
                    self._add(lesson.path, milestone.line, "project", expected, found)
            self._compare_parts(lesson, of_day, offered)
            used.update(of_day)
        for name, lesson in offered.items():
            if name not in used:
                line = next(each.line for each in lesson.projects if each.name == name)
                self._add(lesson.path, line, "project", "milestones of it", f"none of {name}")

    def _compare_parts(
        self, lesson: Lesson, of_day: "Counter[str]", offered: dict[str, Lesson]
    ) -> None:
        groups = {offered[name].day: offered[name] for name in of_day if name in offered}
        for group in groups.values():
            names = [each.name for each in group.projects]
            most = max(of_day[name] for name in names)
            for name in names:
                if of_day[name] < most:
                    expected = f"{most} of each project"
                    found = f"{of_day[name]} of {name}"
                    self._add(lesson.path, 1, "milestone", expected, found)

    def _check_links(self) -> None:
        """`[text](lesson:14/the-map)` leads to a section that is there, and so on."""
        exercises = {f"exercise:{folder.name}" for folder in exercise_folders(self._root)}
        days = {f"day:{day}" for day in self._days or ()}
        for path, line, target in self._links:
            if target not in self._targets | exercises | days:
                expected = "day:DAY, lesson:DAY/SECTION, term:ID or exercise:SLUG of the course"
                self._add(path, line, "link", expected, target)

    def _number(self, path: Path, pattern: re.Pattern[str], shape: str) -> int | None:
        match = pattern.fullmatch(path.name)
        if not match:
            self._add(path, 1, "file name", shape, path.name)
        return int(match[1]) if match else None

    def _same_day(self, path: Path, number: int | None, day: int) -> None:
        if number is not None and number != day:
            self._add(path, 1, "day", f"{number}, as in the file's name", str(day))
        self._known_days(path, 1, "day", (day,))

    def _known_days(self, path: Path, line: int, field: str, days: tuple[int, ...]) -> None:
        for day in days:
            if self._days is not None and day not in self._days:
                self._add(path, line, field, "a day of outline.toml", str(day))

    def _once(self, path: Path, line: int, id_: str) -> None:
        if first := self._ids.get(id_):
            again = f"{id_} again (first in {first})"
            self._add(path, line, "id", "an id used once in the course", again)
        self._ids.setdefault(id_, f"{path.name}:{line}")

    def _question(self, path: Path, question: Question) -> None:
        for id_ in (question.id, *question.replaces):  # what was replaced is gone
            self._once(path, question.line, id_)
        self._questions[question.id] = question
        self._targets.add(f"question:{question.id}")
        self._tags |= set(question.tags)
        self._known_days(path, question.line, "days", question.days)
        self.faults += slip_faults(path, question)
        widest = max(columns(line) for line in (question.code + "\n" + question.text).split("\n"))
        most = {"code": PROGRAM_COLUMNS, "line": LINE_COLUMNS}.get(question.kind, QUESTION_COLUMNS)
        if widest > most:
            expected = f"at most {most} columns"
            self._add(path, question.line, "code", expected, f"{widest} columns")


def lesson_faults(lesson: Lesson, text: str) -> Iterator[Fault]:
    """Find long sections, wide code, wrong pictures and lost citations in a readable lesson."""
    path = lesson.path
    _, body, offset = front_matter(text, path)
    end = len(text.rstrip("\n").split("\n")) + 1
    parsed = tokens(body)
    fences = [t.map for t in parsed if t.map and t.info.strip() == "drill"]
    for section, following in pairwise([*(s.line for s in lesson.sections), end]):
        inside = [fence for fence in fences if section <= fence[0] + offset < following]
        drills = sum(last - first + 1 for first, last in inside)  # and the blank line after it
        if following - section - drills > SECTION_LINES:
            length = f"{following - section - drills} lines"
            yield Fault(path, section, "section", f"at most {SECTION_LINES} lines", length)
    sources = {source.id for source in lesson.sources}
    for token in parsed:
        if token.map is None or token.info.strip() in ("predict", "drill"):
            continue  # it is shown as a question
        first = offset + token.map[0]
        if token.type in ("fence", "code_block"):
            yield from _code_faults(path, first, token)
        elif token.type == "inline":
            if any(child.type == "image" for child in token.children or ()):
                yield from _picture_faults(path, first + 1, token)
            yield from _citation_faults(path, first + 1, token, sources)


def _code_faults(path: Path, first: int, token: Token) -> Iterator[Fault]:
    words = token.info.split()
    recorded = RECORDED_COLUMNS if "gpu" in words else CELL_COLUMNS
    most = recorded if words[:2] == ["python", "run"] else FENCE_COLUMNS
    first += 2 if token.type == "fence" else 1
    for number, line in enumerate(token.content.split("\n"), first):
        if columns(line) > most:
            wide = f"{columns(line)} columns"
            yield Fault(path, number, "code", f"at most {most} columns", wide)


def _citation_faults(
    path: Path, line: int, paragraph: Token, sources: Container[str]
) -> Iterator[Fault]:
    for child in paragraph.children or ():
        if child.type in ("softbreak", "hardbreak"):
            line += 1
        elif child.type == "text":
            for cited in _CITATION.findall(child.content):
                if cited not in sources:
                    yield Fault(path, line, "citation", "the id of a source", format_value(cited))


def _picture_faults(path: Path, line: int, paragraph: Token) -> Iterator[Fault]:
    """A picture is a PNG under `images/` in a separate paragraph, with words that stand for it."""
    alone = picture_of(paragraph)
    if alone is None:
        yield Fault(path, line, "picture", "a paragraph of its own", "text beside it")
    elif not _PICTURE.fullmatch(alone.file):
        yield Fault(path, line, "picture", "images/NAME.png", format_value(alone.file))
    elif not alone.says.strip():
        yield Fault(path, line, "picture", "words in its brackets that stand for it", "none")
    else:
        file = path.parent / alone.file
        if not file.is_file() or not file.read_bytes().startswith(b"\x89PNG\r\n\x1a\n"):
            yield Fault(path, line, "picture", "a PNG file", alone.file)


def columns(line: str) -> int:
    """Terminal columns of a line: wide East Asian characters take two, combining marks none."""
    if line.isascii():
        return len(line)
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
        for c in line
    )

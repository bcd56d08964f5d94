"""Texts that name the key of an action name the key that it has now.

Every action is rebound to a key of its own, ctrl with a letter of a script that nothing here is written
in. Whatever a screen draws then says which action it means; and no default key stands anywhere.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from doing import SMALL, WIDE, seen, until
from monkey_ways import RecordedJudge
from msgspec import structs
from remembering import Clock
from run_home import share_course
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Static

from tutor import ui
from tutor.base import paths
from tutor.base.errors import UsageError
from tutor.course.catalog.course import open_course
from tutor.judge.model.verdict import CaseResult, Diagnosis, Verdict, to_json
from tutor.judge.reports.cause_texts import HEADLINES, LOOK_AT, LOOK_BEYOND
from tutor.judge.reports.report import Report
from tutor.memory.course_sync import enter_lesson, sync
from tutor.memory.record import open_record
from tutor.memory.review_session import Twist
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.app import TutorApp
from tutor.ui.cells.cell_view import CellView
from tutor.ui.home.home import HomeScreen
from tutor.ui.home.placement import PlacementScreen
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.kit.keys.key_labels import key_name, key_while_typing, spell_key, with_keys
from tutor.ui.lab.conflict_dialog import ConflictScreen
from tutor.ui.lab.findings import look_up
from tutor.ui.lab.screen import LabScreen
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.question.question_view import QuestionView
from tutor.ui.quiz.checkpoint import CheckpointScreen
from tutor.ui.quiz.misconceptions import MisconceptionsScreen
from tutor.ui.review.card_views import KernelView, TermView, card_notes
from tutor.ui.review.screen import ReviewScreen
from tutor.ui.routes import quiz_screen
from tutor.ui.settings.settings import SettingsScreen
from tutor.ui.verdict.access_map import AccessScreen
from tutor.xray.model.subject import Subject

IDS = [action.id for actions in ACTIONS.values() for action in actions]
MARKS = {name: chr(0x1401 + number) for number, name in enumerate(IDS)}  # Canadian syllabics
MEANT = {mark: name for name, mark in MARKS.items()}
KEYMAP = {name: f"ctrl+{mark}" for name, mark in MARKS.items()}
DAY, BEFORE_ANOTHER = 1, 14  # the first has cells, sources, questions and a kernel

DEFAULT = re.compile(r"\b(?:[Ff](?:[1-9]|1[0-2])|[Ee]sc(?:ape)?|Enter|Ctrl\+S)\b|⏎|pgup|pgdn")
# Keys of Textual's widgets and of the fields in which one answers; none of them is an action's.
WIDGETS = re.compile(
    r"Enter (opens|begins|chooses|shows them all)|Enter: (submit|next|open|begin)"
    r"|or Esc and Enter|Esc leaves the editor"
    r"|press F5 to try one"  # any key that reaches the terminal
)

_S = TypeVar("_S", bound=Screen[Any])


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Iterator[TutorApp]:
    """Someone who has read two days, with every key another one."""
    monkeypatch.setenv("TUTOR_HOME", str(share_course(tmp_path)))
    lines = [f'"{name}" = "{key}"\n' for name, key in KEYMAP.items()]
    paths.ensure(tmp_path)
    paths.config_file().write_text("[keys]\n" + "".join(lines), encoding="utf-8")
    course = open_course()
    record = open_record(paths.record_file(), clock)
    sync(record, course)
    record.activity.section_read(DAY, 0)
    enter_lesson(record, course, DAY)
    judge = RecordedJudge(course.root)
    app = TutorApp(course, record, judge)
    assert app.notices == []
    assert app.keymap == KEYMAP
    yield app
    judge.close()
    record.close()


class Walk:
    """One session. `press` takes actions' ids, and other keys as they are."""

    def __init__(self, pilot: Pilot[None], app: TutorApp) -> None:
        self.pilot, self.app = pilot, app

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.pilot.press(KEYMAP.get(key, key))

    async def names(self, *ids: str) -> None:
        """These actions are named above the footer, and no key is that an action has no more."""
        with suppress(AssertionError):
            await until(self.pilot, lambda: set(ids) <= self.named)
        assert set(ids) - self.named == set(), seen(self.app)
        assert DEFAULT.findall(WIDGETS.sub("", seen(self.app))) == []

    @property
    def named(self) -> set[str]:
        *rows, _ = seen(self.app).split("\n")
        return {MEANT[mark] for mark in "".join(rows) if mark in MEANT}

    async def on(self, screen: type[_S]) -> _S:
        """The screen, once it is there."""
        await until(self.pilot, lambda: isinstance(self.app.screen, screen))
        assert isinstance(self.app.screen, screen)
        return self.app.screen

    @property
    def told(self) -> str:
        """What was said in the corner, whole; on the screen its lines are broken."""
        return "\n".join(notification.message for notification in self.app._notifications)

    async def back(self) -> None:
        while not isinstance(self.app.screen, HomeScreen):
            await self.app.pop_screen()
        self.app.clear_notifications()
        await self.pilot.pause()


def _full(*_: object, **__: object) -> None:
    raise UsageError("the disk is full")


async def _walk_home(walk: Walk) -> None:
    await walk.on(HomeScreen)
    await walk.names("home.review", "home.continue", "home.kernel", "home.map")
    await walk.press("home.bookmarks")
    await walk.names("lesson.bookmark")  # how to set one: there is none
    await walk.press("home.introduction")
    await walk.names("welcome.first_day", "welcome.placement", "welcome.kernel")
    await walk.press("welcome.home", "home.map")
    await walk.names()
    await walk.press("map.ideas")
    await walk.names()


async def _walk_lesson(walk: Walk) -> None:
    walk.app.open(f"lesson:{DAY}")
    lesson = await walk.on(LessonScreen)
    await walk.press("lesson.bookmark")
    await walk.names("lesson.bookmarks")
    await walk.press("lesson.contents")
    await walk.names("choose.cancel")
    await walk.press("choose.cancel", "lesson.note")
    await walk.names("note.keep", "note.leave")
    await walk.press(*"Why", "note.keep")
    await lesson.show_section(len(lesson.lesson.sections) - 1)
    await walk.press("lesson.bottom")
    await walk.names("lesson.kernels", "lesson.quiz", "lesson.sources")
    walk.app.clear_notifications()
    await lesson.show_section(0)
    await walk.press("lesson.bottom")
    await walk.names("lesson.note")
    ready = next(
        cell for cell in lesson.lesson.cells if lesson.cells.visit.run_of(cell).state == "ready"
    )
    sections = lesson.lesson.sections
    await lesson.show_section(next(i for i, s in enumerate(sections) if ready in s.blocks))
    await until(walk.pilot, lambda: bool(lesson.query(CellView)))
    lesson.query(CellView).first().scroll_visible(animate=False)
    await walk.names("lesson.run")
    await lesson.show_section(len(lesson.lesson.sections) - 1)
    await walk.press("lesson.next")
    await walk.names("lesson.kernels", "lesson.quiz")
    await walk.back()
    walk.app.open(f"lesson:{BEFORE_ANOTHER}")
    lesson = await walk.on(LessonScreen)
    await lesson.show_section(len(lesson.lesson.sections) - 1)
    await walk.press("lesson.bottom")
    await walk.names("lesson.next_day")


async def _walk_questions(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A quiz, the placement and a checkpoint, the first two on a disk that is full."""
    quiz = walk.app.course.quiz(DAY)
    assert quiz is not None
    with monkeypatch.context() as patched:
        patched.setattr(walk.app.record.activity, "answer", _full)
        await walk.app.push_screen(quiz_screen(quiz))
        await walk.press("quiz.give_up")
        await walk.names("quiz.next")
        await walk.back()
        walk.app.open("placement")
        await walk.on(PlacementScreen)
        await walk.names("placement.give_up")
        await walk.press("placement.give_up")
        await walk.names("placement.done")
    await walk.press("placement.done", "placement.leave")
    await walk.names("placement.done")
    await walk.back()
    checkpoint = next(
        q for d in walk.app.course.days if (q := walk.app.course.quiz(d.day)) and q.is_checkpoint
    )
    await walk.app.push_screen(MisconceptionsScreen(checkpoint))
    await walk.press("t", "enter", *"so", "enter")
    await walk.names("misconceptions.next")
    await walk.back()
    await walk.app.push_screen(CheckpointScreen(checkpoint))
    await walk.names()


async def _walk_review(walk: Walk, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A review with nothing to do, then one with something."""
    await walk.press("home.review")
    await walk.names("review.scope", "review.leave")
    await walk.press("review.leave")
    clock.forward(days=40)
    await walk.press("home.review")
    review = await walk.on(ReviewScreen)
    await until(walk.pilot, lambda: bool(review.query(QuestionView)))
    await walk.press("review.bury")
    await walk.names("review.undo")
    walk.app.clear_notifications()
    with monkeypatch.context() as patched:
        patched.setattr(walk.app.record.activity, "answer", _full)
        await walk.press("review.give_up")
        await walk.names("review.leave")
    await walk.press("review.bury", "review.give_up")
    walk.app.clear_notifications()
    await walk.names("review.again")  # of what is given up
    review._given_up, review._answer = False, None  # as before an answer, with all four ratings
    review.keys_changed()
    await walk.names("review.again", "review.hard", "review.good", "review.easy")
    card = review.session.next()._replace(leech=True)
    term, exercise = walk.app.course.glossary()[0], walk.app.course.exercise("fused_chain")
    await review.sheet.remove_children()
    await review.sheet.mount(
        Static(card_notes(card, walk.app.keymap)),
        TermView(term),
        KernelView(exercise, Twist(0, "", judged=False), None, review.today),
    )
    await walk.names("review.show", "review.give_up", "review.lesson")


async def _walk_rest(walk: Walk) -> None:
    """The glossary, the settings, two dialogs, and a window that is too small."""
    walk.app.open(f"term:{walk.app.course.glossary()[0].id}")
    await walk.names("entry.close")
    await walk.back()
    await walk.app.push_screen(SettingsScreen())
    await walk.press("app.help")
    assert MARKS["help.close"] in seen(walk.app)  # below it the list's own keys stand
    await walk.press("help.close", "app.jump")
    assert MARKS["jump.close"] in seen(walk.app)  # it stands where the footer was
    await walk.back()
    await walk.app.push_screen(ConflictScreen(Path("a.py"), "a = 1\n", "a = 2\n"))
    await walk.names("conflict.mine", "conflict.theirs", "conflict.both")
    await walk.press("conflict.mine")
    await walk.pilot.resize_terminal(30, 8)
    await until(walk.pilot, lambda: "window larger" in seen(walk.app))
    assert MARKS["small.quit"] in seen(walk.app)
    await walk.pilot.resize_terminal(*WIDE)


@pytest.mark.slow
async def test_no_screen_names_a_key_that_was_changed(
    app: TutorApp, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        walk = Walk(pilot, app)
        await _walk_home(walk)
        await walk.back()
        await _walk_lesson(walk)
        await walk.back()
        await _walk_questions(walk, monkeypatch)
        await walk.back()
        await _walk_review(walk, clock, monkeypatch)
        await walk.back()
        await _walk_rest(walk)


@pytest.mark.slow
async def test_no_page_of_the_lab_names_a_key_that_was_changed(  # noqa: PLR0915 - one walk
    app: TutorApp,
) -> None:
    exercise = app.course.exercise("vector_add")
    source = exercise.starter.read_text("utf-8") + "\nBEGUN = True\n"  # no starter any more
    cause = Diagnosis("wrong-signature", "It takes one [b] too many.", 4, detail="Traceback")
    wrong = Verdict(
        exercise.slug, False, "cpu", (CaseResult("even", "f32[8]", False, 1.0, 1e-6),), (cause,)
    )
    app.record.activity.attempt(JudgedProgram(exercise.slug, source, to_json(wrong), False, "cpu"))
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        walk = Walk(pilot, app)
        await walk.on(HomeScreen)
        app.open(f"exercise:{exercise.slug}")
        lab = await walk.on(LabScreen)
        pages = [f"lab.{page}" for page in ("task", "verdict", "hint", "attempts", "scratch")]
        await walk.names(*pages)
        await walk.press("lab.solution")
        assert f"{key_name('lab.hint', KEYMAP)} has hints" in walk.told
        app.clear_notifications()
        lab.judgement.report = Report(source=source).after(wrong)
        lab.judgement.draw_soon()
        await walk.press("lab.verdict")
        await walk.names(*pages, "lab.line", "lab.detail")
        await walk.press("lab.hint")
        await walk.names(*pages)
        assert with_keys(LOOK_AT[cause.code], KEYMAP)[:40] in " ".join(seen(app).split())
        await walk.press("lab.scratch")
        await walk.names(*pages, "scratch.run", "lab.menu", "editmenu.clear")
        await walk.press(
            "lab.other"
        )  # letters are text there, and Textual keeps what replaces them
        await walk.press("lab.attempts", "enter")
        await walk.names(
            *(
                f"attempt.{name}" for name in ("restore", "against", "close")
            )  # no other is beside it
        )
        await walk.press("attempt.restore")
        await walk.names("lab.attempts")
        app.clear_notifications()
        await walk.press("lab.menu")
        entries = [action.id for action in ACTIONS["editmenu"] if action.help]
        shortcuts = [f"editor.{name}" for name in ("find", "line", "comment", "dedent")]
        await walk.names(*entries, *shortcuts, "editmenu.close")
        await walk.press("editmenu.next")
        await walk.names("lab.menu", "editmenu.find")  # nothing was sought yet
        await walk.press("editor.find", *"zzz")
        await walk.names("editline.before", "editline.next")
        await walk.press("editline.close")
        app.clear_notifications()  # "nothing found" covers the names of the pages
        right = replace(wrong, passed=True, diagnosis=())
        lab.judgement.report = Report(source=lab.document.editor.text).after(right)
        lab.conclude(right, look_up(app, lab.mode, lab.exercise, lab.document.work.path, right))
        lab.judgement.draw_soon()
        if lab.panes.in_editor:
            await walk.press("lab.other")
        await walk.press("lab.verdict")
        await walk.names(*pages, "lab.next", "lab.solution")
        await pilot.resize_terminal(*SMALL)
        await walk.press("lab.wider")
        await walk.names("lab.zoom")
        await walk.press("lab.edit")
        await walk.names("editor.other")
        lab.judgement.report = Report()
        lab.judgement.draw_soon()
        await walk.names("lab.check", "editor.other")
        await pilot.resize_terminal(*WIDE)
        await _ladder(walk)


@pytest.mark.slow
async def test_the_access_map_names_the_keys_that_step_through_it(app: TutorApp) -> None:
    """More loads and tensors than there is room for; their default keys are `[`, `]` and Tab."""
    exercise = app.course.exercise("vector_add")
    async with app.run_test(size=WIDE, notifications=True) as pilot:
        walk = Walk(pilot, app)
        await walk.on(HomeScreen)
        app.open("access", exercise.slug, exercise.solution.read_text("utf-8"), "a.py")
        screen = await walk.on(AccessScreen)
        await until(pilot, lambda: screen.access_map is not None)
        assert screen.access_map is not None
        launch = screen.access_map.launches[0]
        programs = tuple(structs.replace(each, left_out=5) for each in launch.programs)
        many = structs.replace(launch, programs=programs, tensors=launch.tensors * 3)
        screen.show_map(replace(screen.access_map, launches=(many,)))
        await walk.names("access.step", "access.step_before", "access.tensor")
        assert not re.search(r"\[ and \]|; tab ", seen(app))


async def _ladder(walk: Walk) -> None:
    """The same of the screen that the lab leads to."""
    exercise = walk.app.course.exercise("vector_add")
    subject = Subject(
        "a.py", exercise.solution.read_text("utf-8"), exercise.entry_name, ("f32[8]",)
    )
    await walk.app.push_screen(LadderScreen(subject, exercise.slug))
    await until(walk.pilot, lambda: "ttir" in seen(walk.app))
    await walk.names()
    await walk.press("ladder.compare")
    await walk.names("ladder.again")
    walk.app.clear_notifications()
    await walk.press("ladder.about")
    await walk.names("about.close")
    await walk.press("about.close", "ladder.inputs")
    await walk.names("ladder.back")


def test_a_key_in_words() -> None:
    keys = (
        "h",
        "K",
        "f7",
        "shift+f7",
        "escape",
        "enter",
        "space",
        "pagedown",
        "question_mark",
        "ctrl+f",
    )
    words = ("h", "K", "F7", "Shift+F7", "Esc", "Enter", "Space", "PgDn", "?", "Ctrl+F")
    assert tuple(map(spell_key, keys)) == words


def test_while_one_types_a_letter_is_no_key() -> None:
    def typing(keys: str) -> str:
        return key_while_typing("lab.check", {"lab.check": keys})

    assert key_while_typing("lab.check", {}) == "Ctrl+S"
    assert key_while_typing("lab.line", {}) == "F12"  # Enter is text in an editor
    assert typing("w,ctrl+k") == "Ctrl+K"
    assert typing("w,question_mark") == "Esc w"


# ---- what the screens above do not show

# `F5`, `esc`; a letter that "opens" or "stops" something; a letter in brackets.
NAMED = re.compile(
    r"\b[Ff]([1-9]|1[0-2])\b|\b[Ee]sc(ape)?\b|(^|[ (·.;,])[a-zA-Z?\[\]] [a-z]+s\b|\([a-zA-Z]\)"
)
# Texts like that which name no key of an action, by how they begin: why each is right.
OTHERWISE = {
    "escape": "compared with the key that arrived, where a widget takes it for itself",
    "Esc ": "the editor's own way out",
    "Esc leaves it as it is": "any other key may be the new one",
    "Press keys, one at a time. q twice or Esc twice ends.": "`tutor doctor --keys` has no actions",
    "letters and function keys do everything; press F5": "any key that reaches the terminal",
    "write · {question.submit}: submit (or Esc and Enter)": "the field's own keys",
    "change the code · {question.submit} submits it": "the editor's own way out",
    "Memory is one row of elements.": "indices i and j",
    "A pass is not timed": "an article",
    "Look for stores into an input": "an article",
    "Look for what starts processes": "an article",
}


def test_no_text_of_the_interface_names_a_key_itself() -> None:
    used = set()
    for file in sorted(Path(ui.__file__).parent.rglob("*.py")):
        if file.name in (
            "actions.py",
            "study_actions.py",
            "lab_actions.py",
            "keymap.py",
        ):  # the keys
            continue
        for line, text in texts(file):
            used |= reasons(text, f"{file.name}:{line}")
    for code, text in (
        *HEADLINES.items(),
        *LOOK_AT.items(),
        *LOOK_BEYOND.items(),
    ):  # of `causes.toml`
        used |= reasons(text, code)
    assert set(OTHERWISE) - used == set(), "gone since"


def reasons(text: str, place: str) -> set[str]:
    """Why the text may look as if it named a key; nothing for one that does not."""
    if not NAMED.search(text):
        return set()
    reason = next((r for r in OTHERWISE if text == r or (len(r) > 6 and text.startswith(r))), "")
    assert reason, f"{place}: {text!r}: ask `key_labels` for the key"
    return {reason}


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Every string of a module that is no docstring."""
    tree = ast.parse(file.read_text("utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


@pytest.mark.parametrize(
    "text",
    [
        "F5 checks",
        "the task, F7.",
        "esc closes",
        "A cell is running; escape stops it.",
        "x stops",
        "h shows the next one",
        "Stopped. r begins again.",
        "with both sides (z)",
        " · c ends",
    ],
)
def test_a_key_in_a_text_is_found(text: str) -> None:
    assert NAMED.search(text)

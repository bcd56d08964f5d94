"""Every screen has a snapshot, and looks as it does there: row by row, in `snapshots/screen_*.txt`.

A small course, a record whose clock stands still, a judge that does not start: what is shown depends
neither on the machine nor on torch or Triton. `sights.py` says how a file shows rows and colours; that
each letter can be read in both themes is what `test_contrast.py` proves. After a change that is meant,
`TUTOR_WRITE_SNAPSHOTS=1 pytest tests/ui/app/test_every_screen.py` writes the files again; read their
differences before you keep them. `snapshots/access.json` is an access map of the judge's, recorded for
the solution of `row_sum`, as `msgspec.convert` takes it for an `AccessMap`.
"""

import importlib
import json
import pkgutil
import shutil
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import msgspec
import pytest
from answering import keep_answer
from doing import SMALL, WIDE, seen, until
from monkey import NoJudge
from remembering import FILES, Clock
from seen_programs import SOURCE as ADDITION
from seen_programs import seen_addition
from sights import LIGHT_AT, SNAPSHOTS, compare, dark_and_light
from textual.content import Content
from textual.pilot import Pilot
from textual.screen import Screen
from textual.theme import Theme

from tutor import ui
from tutor.base import paths
from tutor.base.config_edit import change
from tutor.course.catalog.course import open_course
from tutor.course.catalog.glossary import Term
from tutor.course.model import Lesson, Milestone, Quiz, Source
from tutor.course.reading.faults import CourseFault, Fault
from tutor.doctor import quick_checks
from tutor.doctor.check_row import OK, CheckRow
from tutor.judge.breaking.kept_cases import keep_case_text
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.case_table import CaseTable, Mistake, PlayedCase
from tutor.memory.course_sync import sync
from tutor.memory.record import open_record
from tutor.ui.app import TutorApp
from tutor.ui.bookmarks import open_bookmarks
from tutor.ui.home.concept_map import ConceptMapScreen
from tutor.ui.home.course_map import MapScreen
from tutor.ui.home.home import HomeScreen
from tutor.ui.home.placement import PlacementScreen
from tutor.ui.home.welcome import WelcomeScreen
from tutor.ui.kit.core import theme
from tutor.ui.kit.core.screen import TutorScreen
from tutor.ui.kit.dialogs.broken_lesson import FaultyScreen
from tutor.ui.kit.dialogs.choice import ChooseScreen
from tutor.ui.kit.dialogs.explanation import Entry, EntryScreen
from tutor.ui.kit.dialogs.help import HelpScreen
from tutor.ui.kit.dialogs.note import NoteScreen
from tutor.ui.kit.dialogs.sources import SourcesScreen
from tutor.ui.lab.break_screen import BreakScreen
from tutor.ui.lab.conflict_dialog import ConflictScreen
from tutor.ui.lab.program_questions import ProgramQuestionsScreen
from tutor.ui.ladder.compilers_screen import CompilersScreen
from tutor.ui.ladder.drill_screen import DrillScreen
from tutor.ui.ladder.lanes_screen import LanesScreen
from tutor.ui.ladder.pass_run import PassRun
from tutor.ui.ladder.passes_screen import PassesScreen
from tutor.ui.ladder.stage_help import AboutScreen
from tutor.ui.lesson.day_end import DayEnd
from tutor.ui.lesson.page import Page
from tutor.ui.lesson.screen import LessonScreen
from tutor.ui.quiz.checklist import ChecklistScreen
from tutor.ui.quiz.checkpoint import CheckpointScreen
from tutor.ui.quiz.misconceptions import MisconceptionsScreen
from tutor.ui.quiz.reflection import ReflectionScreen
from tutor.ui.quiz.screen import QuizScreen
from tutor.ui.quiz.written_answers import WrittenScreen
from tutor.ui.review.cards import CardsScreen
from tutor.ui.review.project_report import ReportScreen
from tutor.ui.review.screen import ReviewScreen
from tutor.ui.review.statistics import StatisticsScreen
from tutor.ui.search import SearchScreen
from tutor.ui.settings.key_bindings import PressScreen, RebindScreen
from tutor.ui.verdict.access_map import AccessScreen
from tutor.xray.model.comparison import ComparedCompiler, Comparison
from tutor.xray.model.pass_drill import PassQuestion
from tutor.xray.model.stages import Omission, Stage
from tutor.xray.model.tile_layouts import Tile, TileView

SIZES = (SMALL, WIDE)
# Screens that other tests compare: the name of one of their files.
ELSEWHERE = {
    "AttemptScreen": "lab_attempt",
    "EditMenu": "lab_menu",
    "JumpScreen": "settings_semicolon",
    "LabScreen": "lab_hints",
    "LadderScreen": "compared",
    "SettingsScreen": "settings_page",
}
NONE = {
    "Palette": "the list of actions and days, which `test_late_and_twice.py` opens",
    "SmallScreen": "one sentence in windows below 40×10, which `test_home.py` looks for",
}
PLACEMENT = """\
first_kernel = "vector_add"
[[strand]]
day = 14
questions = ["d14-fused", "d14-intensity"]
"""
# Of the list of all keys: below these rows stand those of every other screen.
PARTS: dict[type[Screen], slice] = {RebindScreen: slice(12)}
LINE = "out = x + y  # [/bold]\n"

Doing = Callable[[Pilot[None], TutorApp], Awaitable[object]]
VIEWS: dict[str, tuple[type[Screen], str, Doing]] = {}


def view(screen: type[Screen], words: str) -> Callable[[Doing], Doing]:
    """A way to a screen, which is there once it shows `words`."""

    def added(doing: Doing) -> Doing:
        VIEWS[doing.__name__] = (screen, words, doing)
        return doing

    return added


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TutorApp]:
    """Someone who has read a page, answered four questions yesterday and written two sentences."""
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TUTOR_NOW", "2026-11-23T12:00+01:00")
    paths.ensure(tmp_path / "home")
    change("reduced_motion", True)  # no cursor blinks, no clock counts down
    folder = tmp_path / "course"
    shutil.copytree(FILES, folder)
    shutil.copytree(paths.course_root() / "kernels" / "vector_add", folder / "kernels/vector_add")
    (folder / "quizzes" / "placement.toml").write_text(PLACEMENT, encoding="utf-8")
    monkeypatch.chdir(folder)
    course, clock = open_course(folder), Clock()
    record = open_record(paths.record_file(), clock)
    sync(record, course)
    record.activity.section_read(1, 0)
    record.notes.set_bookmark(1, "twice", True)
    record.notes.set_bookmark(1, "gone-since", True)
    for name in ("d14-ridge", "d14-intensity", "d14-fused", "d14-both"):
        keep_answer(record, name, 14, "x", name == "d14-fused", 0.0, 4, 20.0, "quiz")
    record.checkpoints.add(14, 1, 4, "Begin again")
    record.checkpoints.add_reflection(14, "d14-surprise", "Bytes, [/red] then.", 60)
    clock.forward(days=3)
    judge = NoJudge(course.root)
    yield TutorApp(course, record, judge)
    judge.close()
    record.close()


async def pressed(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def questions(app: TutorApp) -> Quiz:
    found = app.course.quiz(14)
    assert found is not None
    return found


# ---- the screens


@view(HomeScreen, "Foundations")
async def home(pilot: Pilot[None], app: TutorApp) -> None:
    pass


@view(HelpScreen, "Keys")
async def help_(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "question_mark")


@view(WelcomeScreen, "a GPU that is not there")
async def welcome(pilot: Pilot[None], app: TutorApp) -> None:
    app.open("introduction")
    await until(pilot, lambda: "vector_add" in seen(app))


@view(PlacementScreen, "What does fusing save?")
async def placement(pilot: Pilot[None], app: TutorApp) -> None:
    app.open("placement")
    await until(pilot, lambda: isinstance(app.screen, PlacementScreen) and app.screen.is_running)


@view(MapScreen, "Lanes")
async def map_(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "m")


@view(ConceptMapScreen, "From bytes to roofs")
async def ideas(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "m", "c")


@view(LessonScreen, "What does the cell add up to?")
async def lesson(pilot: Pilot[None], app: TutorApp) -> None:
    """Once its end was seen for a while: its prediction is a card of tomorrow then."""
    app.open("lesson:1/twice")
    await until(pilot, lambda: isinstance(app.screen, LessonScreen) and app.screen.query(DayEnd))
    page = app.screen.query_one(Page)

    def tells_tomorrow() -> bool:
        page.scroll_end(animate=False)  # again where its blocks have come since
        return "4 cards to review" in seen(app)

    await until(pilot, tells_tomorrow)
    page.scroll_end(animate=False)  # the end of the day was made anew


@view(QuizScreen, "where is the ridge point?")
async def quiz(pilot: Pilot[None], app: TutorApp) -> None:
    of = questions(app)
    app.push_screen(QuizScreen(of.questions, of.title))


@view(SearchScreen, "Bytes are counted")
async def search(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "slash")
    await until(pilot, lambda: isinstance(app.screen, SearchScreen))
    await pressed(pilot, *"bytes")


@view(ChooseScreen, "Bookmarks")
async def bookmarks(pilot: Pilot[None], app: TutorApp) -> None:
    open_bookmarks(app)


@view(SourcesScreen, "A roofline [model]")
async def sources(pilot: Pilot[None], app: TutorApp) -> None:
    address = "https://example.org/papers/2009/a-visual-model-that-is-longer-than-a-line-of-it.html"
    cited = (
        Source("roof", "A roofline [model]", "2009", address),
        Source("own", "Counted here"),
    )
    app.push_screen(SourcesScreen(cited, ("Day 99 is not written.",)))


@view(ReviewScreen, "where is the ridge point?")
async def review(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "r")


@view(StatisticsScreen, "3 questions")
async def statistics(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "s")


@view(CardsScreen, "suspended")
async def cards(pilot: Pilot[None], app: TutorApp) -> None:
    await pressed(pilot, "s", "b")
    await until(pilot, lambda: isinstance(app.screen, CardsScreen))
    await pressed(pilot, "down", "s")
    app.clear_notifications()


@view(ReportScreen, "0 of 1 milestone right")
async def report(pilot: Pilot[None], app: TutorApp) -> None:
    milestone = Milestone("vector_add", "a mask", "It adds any number of elements.", "x + y")
    lesson = Lesson(1, "The project", 30, ("Go on",), (), (), Path(), (milestone,))
    app.push_screen(ReportScreen(lesson))


@view(CheckpointScreen, "Begin again")
async def checkpoint(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(CheckpointScreen(questions(app)))


@view(ChecklistScreen, "I can name work per byte.")
async def checklist(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(ChecklistScreen(questions(app)))


@view(MisconceptionsScreen, "Fusing always")
async def misconceptions(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(MisconceptionsScreen(questions(app)))


@view(ReflectionScreen, "Bytes, [/red] then.")
async def reflection(pilot: Pilot[None], app: TutorApp) -> None:
    asked = questions(app).reflection
    assert asked is not None
    app.push_screen(ReflectionScreen(14, asked))
    await until(pilot, lambda: isinstance(app.screen, ReflectionScreen))
    await pressed(pilot, "N", "o")


@view(WrittenScreen, "Bytes, [/red] then.")
async def written(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(WrittenScreen())


@view(NoteScreen, "Your note")
async def note(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(NoteScreen("Ask why.\n[/bold]", "1/here"))


@view(EntryScreen, "ridge point")
async def entry(pilot: Pilot[None], app: TutorApp) -> None:
    links = ((Content("Day 1  Counting"), "lesson:1"), (Content("Day 14"), "lesson:14"))
    text = "Where the two limits of a roofline meet."
    app.push_screen(EntryScreen(Entry("ridge point", Content(text), text, links)))


@view(AccessScreen, "Program (0, 0, 0)")
async def access(pilot: Pilot[None], app: TutorApp) -> None:
    screen = AccessScreen("row_sum", "", "row_sum.py")
    app.push_screen(screen)
    await until(pilot, lambda: "did not start" in seen(app))
    map_of = json.loads((SNAPSHOTS / "access.json").read_text(encoding="utf-8"))
    screen.show_map(msgspec.convert(map_of, AccessMap))


@view(ProgramQuestionsScreen, "say what yours does")
async def says(pilot: Pilot[None], app: TutorApp) -> None:
    """A missed question, explained."""
    app.judge.record_program = lambda *_: seen_addition()  # type: ignore[method-assign]
    app.push_screen(ProgramQuestionsScreen("vector_add", ADDITION, "vector_add.py"))
    await until(pilot, lambda: isinstance(app.screen, ProgramQuestionsScreen))
    await until(pilot, lambda: "How" in seen(app) or "Which" in seen(app))
    await pressed(pilot, "9", "9", "enter")
    await until(pilot, lambda: "Wrong" in seen(app))


@view(BreakScreen, "It skips [/red] the tail.")
async def broken(pilot: Pilot[None], app: TutorApp) -> None:
    """Two cases, of which one is outside of the task."""
    keep_case_text("vector_add", "x=f32[1000], y=f32[1000]\nf32[3, [/], f32[3]")
    screen = BreakScreen("vector_add")
    app.push_screen(screen)
    await until(pilot, lambda: "not kept" not in seen(app) and "kept" in seen(app))
    promise = "Two contiguous `float32` tensors of the same shape, on one device"
    cases = (
        PlayedCase("x=f32[1000], y=f32[1000]", "f32[1000], f32[1000]"),
        PlayedCase("f16[3], f32[3]", "f16[3], f32[3]", "`x` is float16, and float32 here", promise),
    )
    dies = Mistake("stores_every_lane", "It stores every lane.", "any size", (1,), True)
    lives = Mistake("skips_the_tail", "It skips [/red] the tail.", "The shape can be anything", ())
    screen.show_table(CaseTable("vector_add", cases, (dies, lives), 8, ()))


@view(ConflictScreen, "+out = x - y")
async def conflict(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(ConflictScreen(Path("vector_add.py"), LINE, LINE.replace("+", "-")))
    await pressed(pilot, "b")


@view(AboutScreen, "TTIR")
async def about(pilot: Pilot[None], app: TutorApp) -> None:
    notes = ("Printed by `triton`.", "Layouts come [later].")
    stage = Stage("ttir", "TTIR", "ttir", "", notes, 3.0, "add", (("loads", 2), ("stores", 1)))
    term = Term("stage-ttir", "TTIR", "stage", "Tiles, and *no* layout.", "own run")
    app.push_screen(AboutScreen(stage, term, None))


@view(PassesScreen, "neighbouring addresses")
async def passes(pilot: Pilot[None], app: TutorApp) -> None:
    counts = {"load_bits": 128, "store_bits": 128, "shared_bytes": 0, "async_copies": 0}
    whole = {"instructions": 42, **counts, "tensor_core": 0, "registers": 26, "spills": 0}
    narrow = {**whole, "instructions": 84, "load_bits": 32, "store_bits": 32}
    why = "a [reason]"
    run = PassRun(cast(TutorScreen, app.screen))
    run.rows = [
        Omission("add", "", "", of=3, counts=tuple(whole.items())),
        Omission("add", "ttgir", "coalesce", 1, 1, 3, ("ttgir",), tuple(narrow.items())),
        Omission("add", "ttgir", "pipeline", 1, 2, 3, counts=tuple(whole.items())),
        Omission("add", "llir", "to_llvmir", 1, 3, 3, failed="llir", sentence=why),
    ]
    app.push_screen(PassesScreen(run, "add", "sm_90"))
    await until(pilot, lambda: isinstance(app.screen, PassesScreen))
    await pilot.press("down")


@view(DrillScreen, "Right. coalesce")
async def drill(pilot: Pilot[None], app: TutorApp) -> None:
    def code(*opcodes: str) -> tuple[tuple[str, str], ...]:
        return (("sass", "\n".join(f"/*0000*/ {opcode} R1 ;" for opcode in opcodes)),)

    whole = Omission("add", "", "", of=2, counts=(("instructions", 2), ("load_bits", 128)))
    counts = (("instructions", 3), ("load_bits", 32))
    narrow = Omission(
        "add", "ttgir", "coalesce", 1, 1, 2, ("ttgir", "sass"), counts, texts=code("LDG.E", "LDG.E")
    )
    more = Omission(
        "add", "ttgir", "pipeline", 1, 2, 2, counts=counts, texts=code("LDG.E.128", "BAR")
    )
    rows = [whole, narrow, more]
    question = PassQuestion(narrow, (more, narrow), (("LDG.E.128", 1, 0), ("LDG.E", 0, 2)))
    app.push_screen(DrillScreen(rows, code("LDG.E.128")[0][1], question))
    await until(pilot, lambda: isinstance(app.screen, DrillScreen))
    await pilot.press("down", "enter")


@view(LanesScreen, "It goes to another lane")
async def lanes(pilot: Pilot[None], app: TutorApp) -> None:
    def blocked(each: str, lanes: str, order: str) -> str:
        inside = f"sizePerThread = {each}, threadsPerWarp = {lanes}, warpsPerCTA = [4, 1]"
        return f"#ttg.blocked<{{{inside}, order = {order}}}>"

    definitions = {
        "#a": blocked("[1, 4]", "[8, 4]", "[1, 0]"),
        "#b": blocked("[4, 1]", "[1, 32]", "[0, 1]"),
    }
    tiles = Tile((32, 16), "f16", "#a"), Tile((32, 16), "f16", "#b")
    app.push_screen(LanesScreen([TileView(tiles, 9), TileView(tiles[:1], 9)], definitions))
    await until(pilot, lambda: isinstance(app.screen, LanesScreen))
    await pilot.press("right", "down", "right")


@view(CompilersScreen, "matmul, add, gelu")
async def compilers(pilot: Pilot[None], app: TutorApp) -> None:
    rows = (
        ComparedCompiler(
            "tvm",
            "TVM",
            "cpu",
            "function",
            before=3,
            after=1,
            lines_kept=3,
            kept_until="legalize",
            ms=1600.0,
            fusions=(("fused", "matmul, add, gelu"),),
        ),
        ComparedCompiler("xla", "XLA", "cpu", "fusion", failures=("XLA is [not] here.",)),
    )
    app.push_screen(CompilersScreen(Comparison(3, 3, rows), "linear_gelu"))


@view(FaultyScreen, "2 mistakes")
async def faulty(pilot: Pilot[None], app: TutorApp) -> None:
    """By a path that is the same everywhere."""
    file = Path("day-01.md")
    file.write_text('+++\nday = 1\nminutes = "[/bold] many"\n+++\n', encoding="utf-8")
    faults = (
        Fault(file, 3, "minutes", "a whole number", "'[/bold] many'"),
        Fault(file, 4, "title", "a text", "nothing"),
    )
    app.push_screen(FaultyScreen(1, CourseFault(faults)))


@view(RebindScreen, "its own keys")
async def keys(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(RebindScreen())


@view(PressScreen, "")
async def key(pilot: Pilot[None], app: TutorApp) -> None:
    app.push_screen(RebindScreen())
    await until(pilot, lambda: "its own keys" in seen(app))
    await pressed(pilot, "enter")


# ---- the tests


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
async def test_a_screen_as_it_was(
    app: TutorApp, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # What this machine can do is another's test: `test_first_run.py`.
    monkeypatch.setattr(
        quick_checks,
        "run_quick_checks",
        lambda *_: [CheckRow("Python", OK, "torch 2.13.0, triton 3.7.1")],
    )
    monkeypatch.setattr(
        quick_checks, "run_slow_checks", lambda _: [CheckRow("GPU", OK, "a GPU that is not there")]
    )
    screen, words, doing = VIEWS[name]
    shown = {}
    async with app.run_test(size=SIZES[0]) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and "Day" in seen(app))
        await doing(pilot, app)
        await until(pilot, lambda: isinstance(app.screen, screen) and words in seen(app))
        for size in SIZES:
            await pilot.resize_terminal(*size)
            shown[size] = await dark_and_light(pilot, PARTS.get(screen, slice(None)))
        assert type(app.screen) is screen
    for (width, height), picture in shown.items():
        compare(f"screen_{name.strip('_')}_{width}x{height}.txt", picture)


@pytest.mark.parametrize("changed", [theme.DARK, theme.LIGHT], ids=["dark", "light"])
async def test_another_colour_in_one_theme_is_seen(app: TutorApp, changed: Theme) -> None:
    """The map's file differs in one line then: that of the style, in the column of the theme."""
    kept = (SNAPSHOTS / "screen_map_80x24.txt").read_text(encoding="utf-8")
    app.register_theme(replace(changed, error="#7f0f7f"))
    async with app.run_test(size=SIZES[0]) as pilot:
        await until(pilot, lambda: isinstance(app.screen, HomeScreen) and "Day" in seen(app))
        await pilot.press("m")
        await until(pilot, lambda: isinstance(app.screen, MapScreen) and "Lanes" in seen(app))
        shown = await dark_and_light(pilot)
    pairs = zip(kept.splitlines(), shown.splitlines(), strict=True)
    ((old, new),) = [(old, new) for old, new in pairs if old != new]
    assert (old[:LIGHT_AT] != new[:LIGHT_AT]) is changed.dark
    assert (old[LIGHT_AT:] != new[LIGHT_AT:]) is not changed.dark


def every_screen() -> set[type[Screen]]:
    """The screens that modules below `tutor/ui` define."""
    modules = pkgutil.walk_packages(ui.__path__, f"{ui.__name__}.")
    things = [
        thing for module in modules for thing in vars(importlib.import_module(module.name)).values()
    ]
    return {
        thing
        for thing in things
        if isinstance(thing, type)
        and issubclass(thing, Screen)
        and thing.__module__.startswith(ui.__name__)
    }


def test_no_screen_is_without_a_snapshot() -> None:
    """A class below another screen is a layer of it, shown with it; unless it is a screen as well."""
    found = every_screen()
    layers = {base for screen in found for base in screen.__mro__[1:]}
    shown = {screen.__name__ for screen, _, _ in VIEWS.values()} | set(ELSEWHERE)
    assert {screen.__name__ for screen in found - layers} - shown - set(NONE) == set()
    assert (shown | set(NONE)) - {screen.__name__ for screen in found} == set(), "gone since"
    assert shown & set(NONE) == set()
    files = {f"{name}_{w}x{h}.txt" for name in ELSEWHERE.values() for w, h in SIZES}
    assert files - {file.name for file in SNAPSHOTS.iterdir()} == set()
    kept = {f"screen_{name.strip('_')}_{w}x{h}.txt" for name in VIEWS for w, h in SIZES}
    assert {file.name for file in SNAPSHOTS.glob("screen_*")} == kept

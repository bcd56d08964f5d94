"""The monkey's ways to every screen: by keys, by what the palette calls, by what other programs do.

A way is a generator of steps: an action's id ("lab.menu", pressed by whatever key it has now) or a key,
seconds to wait, an event of the terminal, or what another program writes. What stands between two steps
is done when the first one has been dealt with.
"""

import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from textual import events
from textual.geometry import Size
from textual.screen import Screen

from tutor.base import paths
from tutor.base.errors import CannotHere
from tutor.course.model import Exercise, Quiz
from tutor.course.reading.wrong_answers import read_wrong_answers
from tutor.judge import workspace
from tutor.judge.client import Judge
from tutor.judge.model.access_map import AccessMap
from tutor.judge.model.events import XrayEvent
from tutor.judge.model.verdict import (
    CaseResult,
    Diagnosis,
    Latency,
    Roofline,
    Sample,
    Timing,
    Verdict,
    to_json,
)
from tutor.memory.review_session import Twist
from tutor.memory.store.rows import JudgedProgram
from tutor.ui.app import TutorApp
from tutor.ui.bookmarks import open_bookmarks
from tutor.ui.home.home import HomeScreen
from tutor.ui.kit.keys.actions import ACTIONS
from tutor.ui.lab.screen import review_lab
from tutor.ui.ladder.screen import LadderScreen
from tutor.ui.quiz.checklist import ChecklistScreen
from tutor.ui.quiz.checkpoint import CheckpointScreen
from tutor.ui.quiz.misconceptions import MisconceptionsScreen
from tutor.ui.quiz.reflection import ReflectionScreen
from tutor.ui.routes import quiz_screen
from tutor.ui.search import SearchScreen
from tutor.ui.settings.key_bindings import RebindScreen
from tutor.ui.settings.settings import SettingsScreen
from tutor.ui.verdict.access_map import AccessScreen
from tutor.xray.model.stages import Request, Xray, XrayDone
from tutor.xray.model.subject import Subject


@dataclass(frozen=True)
class Written:
    """Another program writes a file."""

    path: Path
    text: str


Step = str | float | events.Event | Written
Way = Callable[[TutorApp, random.Random], Iterator[Step]]

RECORDED = Path(__file__).with_name("snapshots")
FAULTY_DAY = 15  # whose lesson the monkey breaks and mends
LOOKED = 0.7  # seconds in which a screen has looked twice at its file
PAGES = ("task", "verdict", "attempts", "roofline", "scratch", "solution")


class NoJudge(Judge):
    """A judge whose server never starts."""

    def warm(self) -> None:
        pass

    def _call(self, request: Any) -> Iterator[Any]:
        raise CannotHere("the judge did not start: torch cannot be imported")
        yield  # a generator, as the real one is


class RecordedJudge(NoJudge):
    """It has one X-ray and one access map, which the real one made once (see `test_ladder_snapshots`),
    and gives them as the answer to everything."""

    def xray(self, request: Request) -> Iterator[XrayEvent]:
        found = Xray.from_json(json.loads((RECORDED / "add.json").read_text("utf-8")))
        yield from (*found.stages, *found.links, *found.failures)
        yield XrayDone(found.device, 0)

    def access(self, *asked: object) -> AccessMap:
        return msgspec.json.decode((RECORDED / "access.json").read_bytes(), type=AccessMap)


def copied_course(folder: Path) -> Path:
    """The course in a folder where its lessons may be broken."""
    for name in ("lessons", "quizzes", "kernels"):
        shutil.copytree(paths.course_root() / name, folder / name)
    return folder


def key_of(app: TutorApp, action: str) -> str:
    """The action's key now; one that is no text, if it has such a key."""
    own = {each.id: each.keys for each in ACTIONS[action.partition(".")[0]]}[action]
    keys = app.keymap.get(action, own).split(",")
    return next((key for key in keys if len(key) > 1), keys[0])


# --- pages ------------------------------------------------------------------------------------------


def _home(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    for _ in range(2 * len(app.screen_stack)):
        if isinstance(app.screen, HomeScreen):
            return
        yield "escape"


def _from_home(action: str) -> Way:
    def way(app: TutorApp, draw: random.Random) -> Iterator[Step]:
        yield from _home(app, draw)
        yield action

    return way


def _then(first: Way, *steps: Step) -> Way:
    def way(app: TutorApp, draw: random.Random) -> Iterator[Step]:
        yield from first(app, draw)
        yield from steps

    return way


def _lesson(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    days = [day.day for day in app.course.overview().days if day.written]
    app.open(f"lesson:{draw.choice([day for day in days if day != FAULTY_DAY])}")
    yield 0


def _quizzes(app: TutorApp, checkpoints: bool) -> list[Quiz]:
    found = [quiz for day in app.course.days if (quiz := app.course.quiz(day.day))]
    return [quiz for quiz in found if quiz.is_checkpoint == checkpoints]


def _quiz(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.push_screen(quiz_screen(draw.choice(_quizzes(app, checkpoints=False))))
    yield 0


def _at_a_checkpoint(screen: Callable[[Quiz], Screen[None]]) -> Way:
    def way(app: TutorApp, draw: random.Random) -> Iterator[Step]:
        app.push_screen(screen(draw.choice(_quizzes(app, checkpoints=True))))
        yield 0

    return way


def _reflection(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    quiz = draw.choice(_quizzes(app, checkpoints=True))
    assert quiz.reflection is not None
    app.push_screen(ReflectionScreen(quiz.day, quiz.reflection))
    yield 0


def _ideas(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.open(f"ideas:{draw.choice([1, 1, 2])}")
    yield 0


def _entry(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.open(f"term:{draw.choice(app.course.glossary()).id}")
    yield 0


def _choose(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    if draw.random() < 0.5:
        open_bookmarks(app)
        yield 0
    else:
        yield from _lesson(app, draw)
        yield draw.choice(["lesson.contents", "lesson.words", "lesson.links", "lesson.copy"])


def _search(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.push_screen(SearchScreen())
    yield 0
    yield from draw.choice(["tile", "memory b", "grid x", "[/b]", '"', "ridge"])


def _settings(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.push_screen(SettingsScreen())
    yield 0


def _keys(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.push_screen(RebindScreen())
    yield 0
    yield from ["down"] * draw.randrange(12)


def _small(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    size = Size(draw.randint(8, 39), draw.randint(3, 24))
    yield events.Resize(size, size)


def _faulty(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    """Its author breaks the lesson, which is read once a session; sometimes it is mended then."""
    (file,) = (app.course.root / "lessons").glob(f"day-{FAULTY_DAY:02}-*.md")
    right = (paths.course_root() / "lessons" / file.name).read_text("utf-8")
    file.write_text(right.replace("minutes = ", 'minutes = "[/b] many" # ', 1), "utf-8")
    app.open(f"lesson:{FAULTY_DAY}")
    yield 0
    if draw.random() < 0.1:
        yield "faulty.down"
        file.write_text(right, "utf-8")
        yield "faulty.again"


# --- the lab ----------------------------------------------------------------------------------------


def _exercise(app: TutorApp, draw: random.Random, kind: str = "") -> Exercise:
    every = [app.course.exercise(slug) for slug in sorted(app.course.exercises())]
    return draw.choice([each for each in every if kind in ("", each.kind)])


def _text(exercise: Exercise, draw: random.Random) -> str:
    """A right answer to the exercise, or one of those with a known mistake."""
    wrong = [answer.code for answer in read_wrong_answers(exercise.folder)]
    right = exercise.solution.read_text("utf-8")
    return draw.choice([right, right, *wrong])


def _handed_in(app: TutorApp, draw: random.Random, exercise: Exercise) -> None:
    """What `tutor check` in another terminal leaves in the record."""
    passed, ms = draw.random() < 0.6, draw.choice([0.05, 0.4, 20.0])
    timing = None
    if passed:
        roofline = Roofline(33554432, 12582912, 0.01, 0.01 / ms, "memory", "4.8 TB/s")
        timing = Timing(*[Sample(ms, (ms * 0.9, ms * 1.1), 100)] * 3, roofline)
    verdict = Verdict(
        exercise.slug,
        passed,
        "cuda: NVIDIA H200",
        (CaseResult("ragged [/b]", "f32[1025]", passed, 3.5, 1e-6),),
        () if passed else (Diagnosis("out-of-bounds-load", "Line 4 loads past [it].", 4),),
        timing,
        latency_ms=Latency(40.0, None, 90.0),
    )
    source = _text(exercise, draw)
    app.record.activity.attempt(
        JudgedProgram(exercise.slug, source, to_json(verdict), passed, verdict.device)
    )


def _lab(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    """One of its pages, or a text handed in there."""
    exercise = _exercise(app, draw)
    if isinstance(app.judge, NoJudge) and draw.random() < 0.5:
        _handed_in(app, draw, exercise)
    app.open(f"exercise:{exercise.slug}")
    yield 0
    if draw.random() < 0.4:
        yield from ("lab.menu", "a", events.Paste(_text(exercise, draw)), "lab.check")
        yield 0 if isinstance(app.judge, NoJudge) else 3 * draw.random()
    else:
        yield from ("lab.other", f"lab.{draw.choice(PAGES)}")


def _some_lab(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    yield from _review_lab(app, draw) if draw.random() < 0.3 else _lab(app, draw)


def _review_lab(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    app.push_screen(review_lab(app.record, _exercise(app, draw), Twist(0, "", judged=False)))
    yield 0


def _attempt(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    exercise = _exercise(app, draw)
    if isinstance(app.judge, NoJudge):
        _handed_in(app, draw, exercise)
    app.open(f"exercise:{exercise.slug}")
    yield 0
    if not isinstance(app.judge, NoJudge):
        yield from ("lab.check", 1.5)
    yield from ("lab.attempts", "enter")


def _conflict(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    """The editor has a change, and another program writes the file."""
    exercise = _exercise(app, draw)
    app.open(f"exercise:{exercise.slug}")
    yield 0
    yield from ("lab.edit", "x")
    path = workspace.path_for(exercise, paths.work_dir())
    yield Written(path, f"# another editor's, {draw.random()}\n")
    yield LOOKED


def _ladder(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    exercise = _exercise(app, draw)
    source = exercise.solution.read_text("utf-8")
    inputs = ("f32[4096]",) if isinstance(app.judge, NoJudge) else ()
    subject = Subject("a.py", source, exercise.entry_name, inputs)
    app.push_screen(LadderScreen(subject, exercise.slug))
    yield 0.2 if isinstance(app.judge, NoJudge) else 4 * draw.random()


def _access(app: TutorApp, draw: random.Random) -> Iterator[Step]:
    exercise = _exercise(app, draw, kind="kernel")
    source = exercise.solution.read_text("utf-8")
    app.push_screen(AccessScreen(exercise.slug, source, "a.py"))
    yield 0.1 if isinstance(app.judge, NoJudge) else 3 * draw.random()


WAYS: dict[str, Way] = {
    "AboutScreen": _then(_ladder, "e"),
    "AccessScreen": _access,
    "AttemptScreen": _attempt,
    "CheckpointScreen": _at_a_checkpoint(CheckpointScreen),
    "ChecklistScreen": _at_a_checkpoint(ChecklistScreen),
    "ChooseScreen": _choose,
    "ConceptMapScreen": _ideas,
    "ConflictScreen": _conflict,
    "EditMenu": _then(_lab, "lab.edit", "lab.menu"),
    "EntryScreen": _entry,
    "FaultyScreen": _faulty,
    "HelpScreen": _then(_settings, "app.help"),
    "HomeScreen": _home,
    "JumpScreen": _then(_settings, "app.jump"),
    "LabScreen": _some_lab,
    "LadderScreen": _ladder,
    "LessonScreen": _lesson,
    "MapScreen": _from_home("home.map"),
    "MisconceptionsScreen": _at_a_checkpoint(MisconceptionsScreen),
    "NoteScreen": _then(_lesson, "lesson.note"),
    "Palette": _then(_lesson, "app.palette"),
    "PlacementScreen": _from_home("home.placement"),
    "PressScreen": _then(_keys, "keys.change"),
    "QuizScreen": _quiz,
    "RebindScreen": _keys,
    "ReflectionScreen": _reflection,
    "ReviewScreen": _from_home("home.review"),
    "SearchScreen": _search,
    "SettingsScreen": _settings,
    "SmallScreen": _small,
    "SourcesScreen": _then(_lesson, "lesson.sources"),
    "StatisticsScreen": _from_home("home.statistics"),
    "WelcomeScreen": _from_home("home.introduction"),
    "WrittenScreen": _then(_at_a_checkpoint(CheckpointScreen), "checkpoint.written"),
}
